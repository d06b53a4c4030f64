"""Choices that follow from one number, so that a call can be made again alone."""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np


class Draw:
    """Random choices for one call.

    Parameters
    ----------
    kind : str
        The kind of the call; the same number gives another call of another kind.
    seed : int
        The number of the call.
    aloud : bool
        Whether to say what is about to be done, for a call that is repeated.
    """

    def __init__(self, kind: str, seed: int, aloud: bool = False) -> None:
        self._seed = (seed << 32) + zlib.crc32(kind.encode())
        self._random = random.Random(self._seed)
        self.aloud = aloud

    @cached_property
    def rng(self) -> np.random.Generator:
        """For arrays."""
        return np.random.default_rng(self._seed)

    def one(self, choices: Sequence[Any]) -> Any:
        """One of the choices, all alike."""
        return self._random.choice(choices)

    def integer(self, low: int, high: int) -> int:
        """An integer of [low, high]."""
        return self._random.randint(low, high)

    def chance(self, share: float) -> bool:
        """True in this share of calls."""
        return self._random.random() < share

    def number(self) -> float:
        """A number of [0, 1)."""
        return self._random.random()

    def say(self, what: str, **details: Any) -> None:
        """Tell what is about to be done, if anyone listens."""
        if self.aloud:
            with np.printoptions(threshold=200, precision=17):
                lines = [f"  {name} = {each!r}" for name, each in details.items()]
            print(what, *lines, sep="\n", file=sys.stderr, flush=True)
