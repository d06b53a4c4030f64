"""Hierarchical clustering with Chamfer linkage.

    points ──► distances ──► engine (linkage) ──► dendrogram ──► cut ──► labels

A linkage owns the numbers, an engine owns the order of merges, a dendrogram owns the result:

======================  =================================================================================
``hac``                 `linkage`, the door that SciPy's users know: checks, chooses an engine, runs it
``estimator``           `AgglomerativeClustering`, the door that scikit-learn's users know
``cli``                 the ``chamfer`` command
``validation``          everything about what a user may pass in
``distances``           distances between points, by differences or matrix multiplication
``dendrogram``          `Dendrogram`, `cut`, `monotone`, `tree_height`
``evaluation``          `best_cut`, `score_path`, `dendrogram_purity`: scores against known classes
``datasets``            the paper's data sets by name, and your own
``reproduction``        ``chamfer reproduce``: the paper's tables, ours beside them
``_core``               the compiled loops (C++, ``src/core``)
======================  =================================================================================
"""

from chamfer import datasets
from chamfer.dendrogram import Dendrogram, cut, monotone, tree_height
from chamfer.estimator import AgglomerativeClustering
from chamfer.evaluation import best_cut, dendrogram_purity, score_path
from chamfer.hac import METHODS, linkage

__version__ = "0.1.0"

__all__ = [
    "METHODS",
    "AgglomerativeClustering",
    "Dendrogram",
    "best_cut",
    "cut",
    "datasets",
    "dendrogram_purity",
    "linkage",
    "monotone",
    "score_path",
    "tree_height",
]
