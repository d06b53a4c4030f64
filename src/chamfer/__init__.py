"""Hierarchical clustering with Chamfer linkage.

    points ──► source ──► engine (linkage) ──► dendrogram ──► cut ──► labels

A linkage owns the numbers, an engine owns the order of merges, a source owns the distances, a dendrogram owns the
result. The folders are this sentence. A module imports only what stands above it; ``tests/test_layers.py`` checks that.

======================  ==========================================================================================
``units``               the unit of coordinates, in which no square overflows or vanishes
``_types``              `Points` and `Condensed`: what a user passed, checked
``tuning``              every measured number, and the command that measures it
``progress``            progress bars, and `Info`, what a run did
``memory``              how much memory there is
``arrays``              whatever a user calls an array, as numbers
``sparse``              sparse points, checked
``inputs``              every check of what a user passes
``mapped``              memory maps that stay on disk
``edges``               graphs that a user passes: edges, or distances of some pairs
``constraints``         weights of points, and what may merge
``methods``             the linkages, one row of facts each
``threads``             how many threads there are
``distances/``          ``pairwise``, all distances · ``rows``, of some points to all · ``filter``, few coordinates that
                        bound them · ``copies``, points that are equal · ``blas``
``sources/``            nearest clusters of points: ``base``, what a source is, and the check of a user's own ·
                        ``products`` · ``kdtree`` · ``rows`` · ``packed``, cityblock and chebyshev · ``sparse`` ·
                        ``sphere`` · ``nominated`` · ``graph``, approximate neighbours of ``local_rows`` or
                        ``dask_rows`` · ``index`` and ``dask_index`` · ``visit`` · ``dask``, its ``blocks`` and
                        ``workers``, and ``graph_workers`` · ``checkpoint``, answers in a file ·
                        ``choose`` · ``make``
``engines/``            the closest pair of clusters: ``base``, what an engine is, and the `Task` it is given ·
                        ``dense`` · ``points`` · ``lists`` · ``tradeoff`` · ``graph`` · ``choose``
``nearest``             `neighbors`: nearest neighbours of all points
``folding``             equal rows, clustered once and weighed
``hac``                 `linkage`: check, make a task, choose an engine, run it
``many``                `linkage_many`, `cluster_many`: many small problems at once
``trees/``              ``dendrogram`` · ``curves`` and ``choose``, how many clusters · ``cuts`` · ``layers`` ·
                        ``condense`` and ``dynamic``, cuts of different heights · ``summary`` and ``contents``,
                        what is in a cluster · ``agreement`` · ``untangle`` · ``leaves`` · ``ordering`` · ``scores`` ·
                        ``layout``, ``colors`` and ``sketch``, for pictures · ``export`` · ``files``
``resampling/``         other trees about a tree: ``gap`` statistic · ``stability`` of halves · ``support`` of
                        branches · ``draws``
``assignment``          new points beside clusters
``prediction``          what a fitted estimator says of new rows
``estimator``           `AgglomerativeClustering`, for users of scikit-learn
``features``            `FeatureAgglomeration`, the same for columns
``transformer``         `KNeighborsTransformer`, the same for neighbours
``datasets``            the paper's data sets by name, and your own
``projection``          places of points in the plane, for maps
``plot/``               pictures: trees, heat maps, scores
``explorer/``           `explore`: a tree as a page for the browser and the notebook
``compat/``             other libraries' names, arguments and defaults: ``scipy`` · ``sklearn`` · ``fastcluster``
``cli/``                the ``chamfer`` command; ``commands/`` has a module for each
``_core``               the compiled loops (C++, ``src/core``)
======================  ==========================================================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chamfer import datasets, plot
    from chamfer.estimator import AgglomerativeClustering
    from chamfer.explorer import Explorer, explore
    from chamfer.features import FeatureAgglomeration
    from chamfer.hac import linkage
    from chamfer.many import Clusters, ProblemError, cluster_many, linkage_many
    from chamfer.methods import METHODS
    from chamfer.nearest import Neighbors, neighbors
    from chamfer.plot.classic import dendrogram
    from chamfer.progress import Info
    from chamfer.resampling.gap import GapStatistic, gap_statistic
    from chamfer.resampling.stability import Stability, stability
    from chamfer.resampling.support import support
    from chamfer.sources.dask import DaskSource
    from chamfer.transformer import KNeighborsTransformer
    from chamfer.trees.agreement import Agreement, agreement
    from chamfer.trees.choose import Choice, choose
    from chamfer.trees.condense import CondensedTree, LocalCut, condense
    from chamfer.trees.cuts import cut
    from chamfer.trees.dendrogram import Dendrogram, monotone, tree_height
    from chamfer.trees.dynamic import dynamic_cut
    from chamfer.trees.export import to_json, to_newick
    from chamfer.trees.layers import Layers, layers
    from chamfer.trees.leaves import Leaves, cophenet, fcluster, leaves
    from chamfer.trees.ordering import order_leaves
    from chamfer.trees.scores import best_cut, dendrogram_purity, score_path
    from chamfer.trees.summary import Summary, summarize

__version__ = "0.1.0"

# A module is imported when a name of it is first used: a cut, or the version, should not wait for scikit-learn.
_MODULES = {
    "METHODS": "methods",
    "AgglomerativeClustering": "estimator",
    "Agreement": "trees.agreement",
    "Choice": "trees.choose",
    "Clusters": "many",
    "CondensedTree": "trees.condense",
    "DaskSource": "sources.dask",
    "Dendrogram": "trees.dendrogram",
    "Explorer": "explorer",
    "FeatureAgglomeration": "features",
    "GapStatistic": "resampling.gap",
    "Info": "progress",
    "KNeighborsTransformer": "transformer",
    "Layers": "trees.layers",
    "Leaves": "trees.leaves",
    "LocalCut": "trees.condense",
    "Neighbors": "nearest",
    "ProblemError": "many",
    "Stability": "resampling.stability",
    "Summary": "trees.summary",
    "agreement": "trees.agreement",
    "best_cut": "trees.scores",
    "choose": "trees.choose",
    "cluster_many": "many",
    "condense": "trees.condense",
    "cophenet": "trees.leaves",
    "cut": "trees.cuts",
    "datasets": "datasets",
    "dendrogram": "plot.classic",
    "dendrogram_purity": "trees.scores",
    "dynamic_cut": "trees.dynamic",
    "explore": "explorer",
    "fcluster": "trees.leaves",
    "gap_statistic": "resampling.gap",
    "layers": "trees.layers",
    "leaves": "trees.leaves",
    "linkage": "hac",
    "linkage_many": "many",
    "monotone": "trees.dendrogram",
    "neighbors": "nearest",
    "order_leaves": "trees.ordering",
    "plot": "plot",
    "score_path": "trees.scores",
    "sources": "sources",
    "stability": "resampling.stability",
    "summarize": "trees.summary",
    "support": "resampling.support",
    "to_json": "trees.export",
    "to_newick": "trees.export",
    "tree_height": "trees.dendrogram",
    "tuning": "tuning",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'chamfer' has no attribute {name!r}")
    module = import_module(f"chamfer.{_MODULES[name]}")
    globals()[name] = module if name == _MODULES[name] else getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "METHODS",
    "AgglomerativeClustering",
    "Agreement",
    "Choice",
    "Clusters",
    "CondensedTree",
    "DaskSource",
    "Dendrogram",
    "Explorer",
    "FeatureAgglomeration",
    "GapStatistic",
    "Info",
    "KNeighborsTransformer",
    "Layers",
    "Leaves",
    "LocalCut",
    "Neighbors",
    "ProblemError",
    "Stability",
    "Summary",
    "agreement",
    "best_cut",
    "choose",
    "cluster_many",
    "condense",
    "cophenet",
    "cut",
    "datasets",
    "dendrogram",
    "dendrogram_purity",
    "dynamic_cut",
    "explore",
    "fcluster",
    "gap_statistic",
    "layers",
    "leaves",
    "linkage",
    "linkage_many",
    "monotone",
    "neighbors",
    "order_leaves",
    "plot",
    "score_path",
    "stability",
    "summarize",
    "support",
    "to_json",
    "to_newick",
    "tree_height",
]
