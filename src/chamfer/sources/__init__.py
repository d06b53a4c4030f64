"""Sources: where the lists engine gets nearest clusters from.

A source answers one question: which are the k nearest clusters of these points, given the cluster of every point? The
engine does not know which source it has, so anything with the attributes and the method of `Source` can be passed to
`chamfer.linkage` as ``source=``.

======================  ===========================================================================================
`BlasSource`            matrix multiplication of few principal coordinates, exact distances for what is left
`TreeSource`            a k-d tree, for points whose distances are carried by few coordinates
`CdistSource`           any metric of ``scipy.spatial.distance.cdist``
`PrecomputedSource`     condensed distances
`chamfer.DaskSource`    points that are spread over a Dask cluster
`IndexSource`           approximate nearest neighbours; those of points on a cluster by ``source="ann"``
`GraphSource`           a graph of neighbours that you bring
======================  ===========================================================================================
"""

from chamfer._types import Condensed, Points
from chamfer.sources.base import Answer, Source
from chamfer.sources.index import IndexSource
from chamfer.sources.kdtree import TreeSource
from chamfer.sources.nominated import GraphSource
from chamfer.sources.products import BlasSource
from chamfer.sources.rows import CdistSource, PrecomputedSource

__all__ = [
    "Answer",
    "BlasSource",
    "CdistSource",
    "Condensed",
    "GraphSource",
    "IndexSource",
    "Points",
    "PrecomputedSource",
    "Source",
    "TreeSource",
]
