"""Sources that a user made, and that answer wrongly in one way or another."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

import chamfer
from chamfer import sources, tuning
from fuzz.draw import Draw
from fuzz.kinds import Kind, Wrong
from fuzz.truth import check_tree

METHODS = ("chamfer", "chamfer_normalized", "chamfer_capped")
NAMES = r"\b(source|the user's own error)\b"


@contextmanager
def short_lists(short: bool = True) -> Any:
    """Lists so short that a source is asked all the time."""
    with tuning.using(first_list=3, next_list=2, batch=4, near_part=10**9) if short else nullcontext():
        yield


def _set(which: int, value: Any) -> Any:
    """A change of one entry of one part of an answer."""

    def change(draw: Draw, answer: list[Any]) -> list[Any]:
        if answer[which].size:
            answer[which].flat[draw.integer(0, answer[which].size - 1)] = value
        return answer

    return change


def _all(which: int, value: Any) -> Any:
    def change(draw: Draw, answer: list[Any]) -> list[Any]:
        answer[which][...] = value
        return answer

    return change


def _part(which: int, make: Any) -> Any:
    """A change of one whole part of an answer."""

    def change(draw: Draw, answer: list[Any]) -> list[Any]:
        answer[which] = make(answer[which])
        return answer

    return change


def _instead(value: Any) -> Any:
    return lambda draw, answer: value


BIG, SMALL = 2**31 - 1, -(2**31)
LABELS = [_set(0, value) for value in (-1, -2, BIG, SMALL, 10**6, 0)] + [_all(0, value) for value in (-1, 0, -7, BIG)]
ODD_NUMBERS = (np.nan, np.inf, -np.inf, -1.0, 0.0)
NUMBERS = [make(which, value) for which in (1, 2) for value in ODD_NUMBERS for make in (_set, _all)]
SHAPES = [
    _part(which, make)
    for which in (0, 1, 2)
    for make in (
        lambda part: part[:-1],
        lambda part: part[:0],
        lambda part: part[None],
        lambda part: part[..., :0],
        lambda part: np.concatenate([part, part]),
        lambda part: part.tolist(),
        lambda part: None,
        lambda part: part.astype(np.float16),
        lambda part: part.astype(np.int64),
        lambda part: part.astype(object),
        lambda part: part.astype(str),
        lambda part: np.asfortranarray(part),
        lambda part: part.astype(part.dtype.newbyteorder(">")),
        lambda part: part[::-1],
    )
]
WIDTHS = [
    lambda draw, answer: [answer[0][:, :1], answer[1][:, :1], answer[2]],
    lambda draw, answer: [answer[0][:, :0], answer[1][:, :0], answer[2]],
    lambda draw, answer: [np.repeat(answer[0], 2, axis=1), np.repeat(answer[1], 2, axis=1), answer[2]],
    lambda draw, answer: [answer[0][:, ::-1], answer[1][:, ::-1], answer[2]],
    lambda draw, answer: [answer[0][:, ::-1].copy(), answer[1], answer[2]],
    lambda draw, answer: [answer[0], answer[1], answer[1].min(axis=1, initial=0)],
    lambda draw, answer: [answer[0], answer[1], answer[1].max(axis=1, initial=0) * 9],
    lambda draw, answer: [answer[0], answer[1] * draw.number(), answer[2]],
]
WHOLE = [_instead(value) for value in (None, 3, "x", (), [1, 2, 3], [None] * 3)]
CHANGES = (LABELS, LABELS, NUMBERS, SHAPES, WIDTHS, WHOLE)


class Odd:
    """A source that is right but for a change, in some of its answers."""

    def __init__(self, draw: Draw, n: int) -> None:
        self._draw = draw
        self.dtype = np.dtype(np.float32 if draw.chance(0.3) else np.float64)
        X = draw.rng.normal(size=(n, 2)).astype(self.dtype)
        self.n, self._right = n, sources.CdistSource(sources.Points(X, "euclidean"))
        self.change = draw.one(draw.one(CHANGES))
        self.share = draw.one((1.0, 1.0, 0.3))
        self.plain = draw.chance(0.2)
        self.fails = draw.chance(0.02)
        self.own = draw.chance(0.1)

    def nearest(self, points: Any, labels: Any, k: int, threads: int, tick: Any = None) -> Any:
        """An answer with something wrong in it."""
        if self.fails:
            raise KeyError("the user's own error")
        answer = self._right.nearest(points, labels, k, threads, tick)
        if self.own:  # a cluster's own label
            answer.clusters[:, 0] = labels[points]
        if not self._draw.chance(self.share):
            return answer
        changed = self.change(self._draw, list(answer))
        if isinstance(changed, list) and len(changed) == 3 and not self.plain:
            return sources.Answer(*changed)
        return changed


ODD_ATTRIBUTES = {
    "n": (None, "x", 3.0, -1, 10**9, np.int64(7)),
    "dtype": (None, "x", "float64", np.float32, np.dtype(np.int32), np.dtype(">f8"), np.dtype(np.float16)),
    "points": (None, 3, "x"),
    "near": (None, "x", -1, 10**30, 2.5),
    "whole": ("x", None),
    "fingerprint": (object(), 3),
    "nearest": (None, 3, lambda *_: 3),
}


def call_source(draw: Draw) -> None:
    """Cluster by a source that may answer anything; it must end, in a refusal or a tree."""
    n = draw.integer(2, 30)
    source, method = Odd(draw, n), draw.one(METHODS)
    chosen = {"method": method, "n_neighbors": draw.integer(1, 6), "n_jobs": 1}
    if draw.chance(0.15):
        name = draw.one(list(ODD_ATTRIBUTES))
        setattr(source, name, draw.one(ODD_ATTRIBUTES[name]))
    if method != "chamfer_capped" and draw.chance(0.2):
        chosen["epsilon"] = 0.5
    draw.say("linkage by a source of the user's", n=n, source=vars(source), **chosen)
    with short_lists(draw.chance(0.7)):
        try:
            Z = chamfer.linkage(draw.rng.normal(size=(n, 2)), source=source, **chosen)
        except KeyError as error:
            if "own error" not in str(error):
                raise
            return
    if source.fails:
        raise Wrong("the user's error was swallowed")
    check_tree(Z, n)


KINDS = {"source": Kind(call_source, 15, NAMES)}
