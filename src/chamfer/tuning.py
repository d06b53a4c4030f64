"""Every measured number of the package: which way is faster, and from when on. None of them changes what is exact.

`current` holds the numbers in use, `using` replaces some of them for a while::

    with chamfer.tuning.using(first_list=16):
        chamfer.linkage(X)

``python -m benchmarks costs FIELD`` times a field at several values. ``python -m benchmarks costs engines`` measures
the seconds of the engines; those in use are such that engines change where measurements on real data said they should.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

_ALL = 1 << 62  # more than there are points or coordinates

Steps = tuple[tuple[int, float], ...]  # (most coordinates, value), ascending


@dataclass(frozen=True)
class Tuning:
    """Fields are grouped by the module that reads them."""

    # The seconds of engines on two cores, by which the cheapest is chosen: `costs engines` measures them all.
    pair: float = 4e-10  # a distance of a fast metric, without its coordinates
    coordinate: float = 2e-11  # a coordinate of it
    slow_pair: float = 5e-8  # a distance by cdist
    given_pair: float = 5e-9  # a distance that the user gave, looked up one by one
    chamfer_merges: float = 4e-9  # the dense engine's merges by chamfer, for each n²
    sum_merges: float = 8e-9  # the same by a Chamfer linkage that keeps sums
    single_merges: float = 2.5e-9  # the same by single linkage
    other_merges: float = 5e-9  # the same by any other linkage
    # Lists of clusters, for each point.
    lists_point: Steps = ((4, 1.1e-5), (8, 1.3e-5), (24, 1.6e-5), (64, 2e-5), (200, 2.6e-5), (_ALL, 4.4e-5))
    # The same of chamfer_normalized, whose chains of merges ask more often, in multiples.
    lists_chains: Steps = ((4, 2.75), (8, 2.3), (24, 2.8), (64, 2.25), (200, 3.45), (_ALL, 3.4))
    # The same of points that lie unevenly.
    lists_uneven: Steps = ((4, 1.0), (24, 1.5), (_ALL, 1.0))
    # A point in a spanning tree.
    single_point: Steps = ((24, 1.3e-6), (64, 8e-6), (128, 9e-6), (400, 1e-5), (_ALL, 2e-5))
    single_groups: Steps = ((128, 1.0), (_ALL, 2.6))  # the same of points in groups, in multiples
    few_single: float = 4.5  # few points compared one by one, in multiples of all distances
    points_point: Steps = ((4, 2.6e-6), (24, 4e-6), (64, 2.5e-5), (_ALL, 6e-5))  # lists of centres, for each point
    closer_point: Steps = ((24, 2.6e-6), (64, 1e-5), (_ALL, 8e-5))  # the same where a merge may bring centres closer
    average_point: Steps = ((24, 3e-5), (_ALL, 8e-5))  # the same of average linkage
    symmetric_point: Steps = ((8, 7e-6), (16, 1e-5), (_ALL, 1e-3))  # chamfer_symmetric from points, for each
    means_point: float = 1.2e-5  # the same of chamfer_normalized_symmetric,
    means_pair: Steps = ((4, 0.0), (8, 2.6e-8), (16, 4e-7), (_ALL, 1e-5))  # and for each pair of a crowd,
    means_even: Steps = ((8, 0.1), (16, 0.3), (_ALL, 1.0))  # in multiples of this if points lie evenly
    flat_coordinates: int = 24  # with more, points may be near a line or a surface, where searches are fast:
    spread_points: int = 2_000  # of so many points a sample is looked at
    grouped_crowd: float = 0.5  # of all points, at most, near a typical one: then they are in groups
    even_points: float = 1.2  # unevenness, at most, of points that lie evenly,
    uneven_points: float = 1.6  # and at least of those that lie unevenly
    contracted_edge: float = 2e-6  # an edge of a graph along which clusters merge
    folded_points: int = 1_000  # from here on, it is looked for equal rows, which are clustered once
    folded_share: float = 0.5  # of the rows that are different, at most, for this to pay
    folded_share_symmetric: float = 0.95  # the same for symmetric linkages from points
    unchecked_bytes: int = 1 << 26  # below this size the memory check costs more than the clustering

    # The lists engine.
    first_list: int = 32  # clusters on a first list
    next_list: int = 8  # clusters on a refreshed list, at least
    batch: int = 2048  # points whose lists are refreshed together
    near_part: int = 24  # a point is compared with this part of all points, one by one, before its list is refreshed
    sorted_points: int = 50_000  # from here on, points are sorted first, if a tree suits them
    near_pairs: int = 1 << 23  # distances between two clusters, up to which they are compared like this

    # The points engine.
    centre_list: int = 16  # entries of a list of centres
    # The most points that are compared one by one, which is faster than lists.
    few_points: Steps = ((4, 5_000), (24, 12_000), (_ALL, 1_000))
    few_rounds: Steps = ((24, 40_000), (48, 10_000), (_ALL, 1_000))  # the same for Ward's linkage
    few_closer: Steps = ((128, _ALL), (_ALL, 1_000))  # the same where a merge may bring centres closer

    # Symmetric linkages from points; the last merges from distances of all points to the clusters that are left,
    symmetric_list: Steps = ((30_000, 32), (_ALL, 48))  # points on a list, by the number of all points
    last_size: int = 16  # from this mean size of clusters on,
    last_clusters: int = 1024  # this number of them,
    last_distances: int = 1 << 24  # and this number of distances,
    last_least: int = 64  # but always from this number of clusters on

    # Sources: trees, or products of few principal coordinates.
    tree_coordinates: int = 8  # at most these many: a k-d tree is faster than products, whatever the data
    tree_centres: int = 4  # the same for centres, whose tree is built for every batch
    tree_points: int = 20_000  # from here on, a tree is tried where coordinates are more
    tree_share: float = 0.02  # of all pairs that few coordinates leave, at most, for a tree to be tried
    tree_gain: float = 20.0  # how much faster than products it has to be: refreshed lists reach farther than first ones
    tree_list: int = 8  # points on a list from which a tree makes a spanning tree
    tree_near: int = 1000  # distances that cost as much as a list from a tree, or from an index
    unfiltered: int = 2048  # up to here, a filter gains nothing

    # The filter: few principal coordinates, chosen on a sample.
    sample: int = 2048  # rows
    queries: int = 64  # of them, whose neighbours are looked at
    filter_pair: float = 3.5e-10  # seconds of one thread: a multiplied pair,
    filter_coordinate: float = 1.7e-11  # each coordinate of it,
    filter_close: float = 1e-7  # a pair that is computed in full
    varying: float = 0.95  # of the coordinates: if fewer vary, products leave the constant ones out

    # Nominated neighbours: approximate ones, or a graph of the user.
    sampled_points: int = 100_000  # with more, clusters without nominated points are searched for in a sample
    sampled_members: int = 1024  # points of a cluster in that sample, at most
    sampled_least: int = 128  # the same, at least
    sampled_all: int = 1 << 15  # points of the sample, unless that is too few for each cluster
    sampled_queries: int = 1 << 14  # points compared with it at a time

    # The builder of neighbour graphs.
    graph_exact: int = 4096  # points, up to which all are compared
    graph_sample: int = 1024  # points whose neighbours are searched for exactly, to measure the recall
    graph_leaf: int = 512  # points of a leaf in the first round
    graph_leaders: int = 512  # points by which all are put into an order in which neighbours are close together
    graph_fanout: int = 2  # balls that a point belongs to
    graph_found: float = 0.5  # leaves become larger unless a round finds this share of what was missing

    # Dask.
    block_rows: int = 4096  # of a block, at least: smaller chunks are joined
    graph_batch: int = 1 << 17  # rows that a worker puts together to join them
    group_pairs: int = 1 << 28  # of a group of points and a block, at most: a fraction of a second


def at(steps: Steps, coordinates: int) -> float:
    """The value for a number of coordinates."""
    return next(value for most, value in steps if coordinates <= most)


current = Tuning()


@contextmanager
def using(**changes: Any) -> Iterator[None]:
    """Other numbers, in a ``with`` block; for tests and measurements, not while other threads cluster."""
    global current
    kept, current = current, replace(current, **changes)
    try:
        yield
    finally:
        current = kept
