"""The unit in which coordinates reach the engines, so that no square of a difference overflows or vanishes.

Distances are square roots of sums of squares. A double holds squares of numbers from 1e-154 to 1e154, a float those of
numbers from 1e-19 to 1e19, and data in SI units lie outside. So points are measured in a unit of their own, a power of
two in which the diagonal of their bounding box is between 2^49 and 2^50; columns far from zero are moved next to it.
Trees do not depend on either; heights are brought back into the caller's unit at the end.

**No digit changes.** A product with a power of two is exact unless it falls below the smallest normal number. Numbers
that have to be made smaller must keep the squares of their differences: a float32 array that would lose them becomes
float64, a float64 array is refused (one value of 1e300 beside others about 1). Numbers that are made larger lose
nothing; but squares go no lower than they do, so points closer than 2^-560 of the diagonal count as equal.

A column is moved by the middle of its range if 0 < low <= high <= 3 low, or the same below zero: then every x of it is
between half and twice that middle, and the difference is exact (P. H. Sterbenz, Floating-point computation, 1974). In
other columns zero is as near to the values as they are to each other.

**Nothing overflows.** Squared distances are below 2^100, and n of them, which Ward's values may reach, below the
largest float for n up to 2^27. Squared distances down to 2^-226 of the largest are normal floats.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from chamfer import _core

Array = np.ndarray[Any, Any]

_DIAGONAL = 50  # its binary exponent, as in distance/unit.hpp


class Unit(NamedTuple):
    """A coordinate x becomes (x - shift) / 2^exponent."""

    shift: Array
    exponent: int

    @property
    def diagonal_exponent(self) -> int:
        """All distances are below two to this power."""
        return self.exponent + _DIAGONAL

    def dtype(self, given: Any, least: float) -> Any:
        """The float type for numbers of type `given`, of which `least` is the smallest but zero."""
        return given if given == np.float64 or self._holds(least, np.finfo(np.float32)) else np.dtype(np.float64)

    def check(self, least: float) -> None:
        """Refuse numbers, of which `least` is the smallest but zero, that no float type holds in this unit."""
        if not self._holds(least, np.finfo(np.float64)):
            raise ValueError(
                f"X spans too wide a range: beside numbers as small as {least:.2g} its largest ones leave no digits; "
                "look for fill values such as 1e300, or scale columns"
            )

    def _holds(self, least: float, kind: Any) -> bool:
        # Numbers that do not have to be made smaller lose nothing. Others differ by at least the last bit of the
        # smallest, and the square of that has to be a normal number.
        return self.exponent <= 0 or least * float(kind.eps) >= np.ldexp(float(kind.tiny) ** 0.5, self.exponent)

    def apply(self, X: Array) -> Array:
        """The rows of X in this unit; X is overwritten."""
        if self.shift.any():
            X -= self.shift.astype(X.dtype)
        return multiply(X, -self.exponent)


def choose_unit(low: Array, high: Array) -> Unit:
    """The unit for points whose columns range from `low` to `high`."""
    return Unit(*_core.choose_unit(low.astype(np.float64), high.astype(np.float64)))


def multiply(X: Array, exponent: int) -> Array:
    """X times 2^exponent, in place."""
    most = 120 if X.dtype == np.float32 else 1000  # exponents of factors that are numbers themselves
    while exponent:
        step = min(max(exponent, -most), most)
        X *= X.dtype.type(2.0**step)
        exponent -= step
    return X


def smallest(X: Array) -> float:
    """The smallest magnitude in X that is not zero; infinite if there is none."""
    return float(np.abs(X).min(initial=np.inf, where=X != 0))


def directions(X: Array, zeros: bool = False) -> Array:
    """The rows of X at unit length: half their squared distance is the cosine distance.

    A row of zeros has no direction. It is given one of its own, at distance 1 from every other row (as in
    scikit-learn) and 0 from other rows of zeros. `zeros` says that there are such rows elsewhere.
    """
    X = np.array(X, order="C")
    if not (_core.directions(X) or zeros):
        return X
    none = ~X.any(axis=1)
    return np.column_stack([X, none.astype(X.dtype)])
