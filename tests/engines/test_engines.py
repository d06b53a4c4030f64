"""Which engine a task is given to, and what engines refuse."""

from dataclasses import replace

import numpy as np
import pytest

import chamfer
from cases import engines, gaussian, task
from chamfer._types import Condensed, Points
from chamfer.engines.base import Engine
from chamfer.engines.choose import ENGINES, NAMES, choose
from chamfer.methods import METHODS

X = gaussian(0, 20, 3)


def chosen(method, n, d, metric="euclidean", limit=1 << 60):
    """The engine for points that take no memory."""
    points = Points(np.broadcast_to(np.zeros(d, np.float32), (n, d)), metric, exponent=0)
    return choose(replace(task(X, method), data=points, limit=limit)).name


@pytest.mark.parametrize(("rank", "name"), [(1, "points"), (3, "points"), (40, "dense")])
def test_points_near_a_line_or_a_surface_are_few_coordinates(rank, name):
    data = gaussian(1, 4_000, rank) @ gaussian(2, rank, 200) + 1e-3 * gaussian(3, 4_000, 200)
    assert choose(task(data, "ward")).name == name


@pytest.mark.parametrize(
    ("method", "n", "d", "name"),
    [
        ("chamfer", 2_700, 2, "dense"),
        ("chamfer", 2_800, 2, "lists"),
        ("chamfer", 4_900, 30, "dense"),
        ("chamfer", 5_100, 30, "lists"),
        ("chamfer", 10_900, 784, "dense"),
        ("chamfer", 11_100, 784, "lists"),
        ("chamfer_normalized", 3_700, 2, "dense"),
        ("chamfer_normalized", 3_800, 2, "lists"),
        ("chamfer_normalized", 20_000, 8, "lists"),
        ("chamfer_normalized", 18_700, 784, "dense"),
        ("chamfer_normalized", 18_800, 784, "lists"),
        ("chamfer_capped", 100, 2, "lists"),
        ("chamfer_symmetric", 1_700, 8, "dense"),
        ("chamfer_symmetric", 1_800, 8, "points"),
        ("chamfer_symmetric", 2_400, 16, "dense"),
        ("chamfer_symmetric", 2_600, 16, "points"),
        ("chamfer_symmetric", 50_000, 17, "dense"),
        ("chamfer_normalized_symmetric", 1_400, 4, "dense"),
        ("chamfer_normalized_symmetric", 1_600, 4, "points"),
        ("chamfer_normalized_symmetric", 50_000, 5, "dense"),
        ("single", 10, 24, "dense"),
        ("single", 700, 24, "points"),
        ("single", 3_100, 30, "dense"),
        ("single", 3_300, 30, "points"),
        ("ward", 10, 24, "dense"),
        ("ward", 700, 24, "dense"),
        ("ward", 900, 24, "points"),
        ("ward", 4_900, 25, "dense"),
        ("ward", 5_100, 25, "points"),
        ("ward", 11_900, 100, "dense"),
        ("ward", 12_100, 100, "points"),
        ("centroid", 10, 24, "dense"),
        ("centroid", 700, 24, "points"),
        ("centroid", 1_900, 25, "dense"),
        ("centroid", 2_100, 25, "points"),
        ("centroid", 15_900, 100, "dense"),
        ("centroid", 16_100, 100, "points"),
        ("average", 50_000, 2, "dense"),
        ("complete", 50_000, 2, "dense"),
    ],
)
def test_the_cheapest_is_taken(method, n, d, name):
    assert chosen(method, n, d) == name


@pytest.mark.parametrize(("n", "name"), [(5_900, "dense"), (6_100, "points")])
def test_average_of_squares(n, name):
    assert chosen("average", n, 8, "sqeuclidean") == name


@pytest.mark.parametrize("metric", ["cityblock", len])
def test_lists_of_other_metrics_only_if_the_matrix_does_not_fit(metric):
    assert chosen("chamfer", 30_000, 5, metric) == "dense"
    assert chosen("chamfer", 30_000, 5, metric, limit=2 << 30) == "lists"


def test_given_distances_stay_where_they_are():
    y = Condensed(np.broadcast_to(np.zeros(1), 5000 * 4999 // 2), 5000)
    for limit, name in ((310_000_000, "dense"), (290_000_000, "lists")):  # 100 MB are given, a square matrix has 200
        assert choose(replace(task(X), data=y, limit=limit)).name == name


def test_the_tradeoff_is_taken_only_if_it_is_asked_for():
    assert choose(task(X, t=3)).name == "tradeoff"
    with pytest.raises(MemoryError, match="engine 'dense'"):
        choose(task(X, limit=3_000))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "cityblock"])
def test_engines_refuse_what_they_cannot_do(method, metric):
    made = task(X, method, metric)
    if METHODS[method].metrics and metric not in METHODS[method].metrics:
        return
    able = {each.name for each in ENGINES if each.refuses(made) is None}
    assert able == set(engines(method, metric)) - {"auto"} if method != "chamfer_capped" else able == {"lists"}
    for each in ENGINES:
        sentence = each.refuses(made)
        assert sentence is None or f"'{method}'" in sentence


def test_every_engine_is_registered():
    assert {type(each) for each in ENGINES} == set(Engine.__subclasses__())
    assert NAMES == ("auto", "dense", "points", "lists", "tradeoff", "graph")


def test_facts_of_methods():
    for name, linkage in chamfer.METHODS.items():
        assert linkage.name == name
        assert linkage.formula
        assert not (linkage.reducible and linkage.family == "chamfer")
        assert set(linkage.from_points) <= set(linkage.metrics or linkage.from_points)
