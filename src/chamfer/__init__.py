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
from typing import Any

from chamfer.estimator import AgglomerativeClustering
from chamfer.hac import linkage
from chamfer.methods import METHODS
from chamfer.progress import Info
from chamfer.trees.dendrogram import Dendrogram, cut, monotone, tree_height
from chamfer.trees.export import to_json, to_newick

__version__ = "0.1.0"

# Imported when they are first used: clustering should not wait for pictures and scores.
_LATER = {
    "DaskSource": "chamfer.sources.dask",
    "best_cut": "chamfer.trees.scores",
    "datasets": "chamfer",
    "dendrogram_purity": "chamfer.trees.scores",
    "explore": "chamfer.explorer",
    "plot": "chamfer",
    "score_path": "chamfer.trees.scores",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'chamfer' has no attribute {name!r}")
    if _LATER[name] == "chamfer":
        return import_module(f"chamfer.{name}")
    return getattr(import_module(_LATER[name]), name)


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
