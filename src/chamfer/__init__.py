"""Hierarchical clustering with Chamfer linkage.

    points ──► source ──► engine (linkage) ──► dendrogram ──► cut ──► labels

A linkage owns the numbers, an engine owns the order of merges, a source owns the distances, a dendrogram owns the
result:

======================  =================================================================================
``hac``                 `linkage`, the door that SciPy's users know: checks, chooses an engine, runs it
``estimator``           `AgglomerativeClustering`, the door that scikit-learn's users know
``cli``                 the ``chamfer`` command
``validation``          everything about what a user may pass in
``units``               the unit that coordinates are measured in, so that no square overflows or vanishes
``distances``           all distances between points, by differences or matrix multiplication
``dense``               the engine that keeps them all
``sources``             nearest clusters of points, for the engine that does without all distances
``answers``             what sources answer, and the check of answers that are not our own
``neighbours``          the same from an approximate index, or from a graph that the user brings
``graph``               that index, for points and for centres
``distributed``         the same for points that are spread over a Dask cluster
``blocks``              what its workers do
``principal``           few coordinates that bound distances from below, for the sources
``lists``               that engine: exact Chamfer linkage in O(n k) memory
``checkpoint``          what a source answered, in a file, for runs that are killed
``tradeoff``            the paper's engine between memory and time
``centres``             the points engine: linkages from centres, and single linkage
``approximate``         centroid linkage up to a factor, on an index of nearest neighbours
``dendrogram``          `Dendrogram`, `cut`, `monotone`, `tree_height`
``layout``              where the parts of a dendrogram go in a picture
``plot``                pictures: trees, heat maps, scores
``explorer``            `explore`: a tree as a page for the browser
``files``               files written whole: the old one or the new one, never half
``export``              `to_newick`, `to_json`: trees for other programs
``evaluation``          `best_cut`, `score_path`, `dendrogram_purity`: scores against known classes
``datasets``            the paper's data sets by name, and your own
``_core``               the compiled loops (C++, ``src/core``)
======================  =================================================================================
"""

from importlib import import_module
from typing import Any

from chamfer.dendrogram import Dendrogram, cut, monotone, tree_height
from chamfer.estimator import AgglomerativeClustering
from chamfer.export import to_json, to_newick
from chamfer.hac import METHODS, linkage
from chamfer.lists import Info

__version__ = "0.1.0"

# Imported when they are first used: clustering should not wait for pictures and scores.
_LATER = {
    "DaskSource": "chamfer.distributed",
    "best_cut": "chamfer.evaluation",
    "datasets": "chamfer",
    "dendrogram_purity": "chamfer.evaluation",
    "explore": "chamfer.explorer",
    "plot": "chamfer",
    "score_path": "chamfer.evaluation",
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
