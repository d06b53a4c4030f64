"""Hierarchical clustering with Chamfer linkage.

    points ──► source ──► engine (linkage) ──► dendrogram ──► cut ──► labels

A linkage owns the numbers, an engine owns the order of merges, a source owns the distances, a dendrogram owns the
result:

======================  =================================================================================
``hac``                 `linkage`, the door that SciPy's users know: checks, chooses an engine, runs it
``estimator``           `AgglomerativeClustering`, the door that scikit-learn's users know
``cli``                 the ``chamfer`` command
``inputs``              every check of what a user passes
``_types``              `Points` and `Condensed`, what a user passed once it is checked
``units``               the unit that coordinates are measured in, so that no square overflows or vanishes
``distances``           all distances between points; lower bounds of them; BLAS
``sources``             nearest clusters of points, for the engines that do without all distances
``engines``             how the closest pair of clusters is found
``trees``               dendrograms: cuts, scores, layout, export, files
``plot``                pictures: trees, heat maps, scores
``explorer``            `explore`: a tree as a page for the browser
``datasets``            the paper's data sets by name, and your own
``_core``               the compiled loops (C++, ``src/core``)
======================  =================================================================================
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chamfer import datasets, plot
    from chamfer.estimator import AgglomerativeClustering
    from chamfer.explorer import explore
    from chamfer.hac import linkage
    from chamfer.methods import METHODS
    from chamfer.progress import Info
    from chamfer.sources.dask import DaskSource
    from chamfer.trees.dendrogram import Dendrogram, cut, monotone, tree_height
    from chamfer.trees.export import to_json, to_newick
    from chamfer.trees.scores import best_cut, dendrogram_purity, score_path

__version__ = "0.1.0"

# Modules are imported when something of them is first used: whoever asks for a cut, or for the version, should not wait
# for scikit-learn.
_MODULES = {
    "METHODS": "methods",
    "AgglomerativeClustering": "estimator",
    "DaskSource": "sources.dask",
    "Dendrogram": "trees.dendrogram",
    "Info": "progress",
    "best_cut": "trees.scores",
    "cut": "trees.dendrogram",
    "datasets": "datasets",
    "dendrogram_purity": "trees.scores",
    "explore": "explorer",
    "linkage": "hac",
    "monotone": "trees.dendrogram",
    "plot": "plot",
    "score_path": "trees.scores",
    "sources": "sources",
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
    "DaskSource",
    "Dendrogram",
    "Info",
    "best_cut",
    "cut",
    "datasets",
    "dendrogram_purity",
    "explore",
    "linkage",
    "monotone",
    "plot",
    "score_path",
    "to_json",
    "to_newick",
    "tree_height",
]
