"""Hierarchical clustering with Chamfer linkage.

    points ──► source ──► engine (linkage) ──► dendrogram ──► cut ──► labels

A linkage owns the numbers, an engine owns the order of merges, a source owns the distances, a dendrogram owns the
result:

======================  =================================================================================
``hac``                 `linkage`, the door that SciPy's users know: checks, chooses an engine, runs it
``estimator``           `AgglomerativeClustering`, the door that scikit-learn's users know
``cli``                 the ``chamfer`` command
``validation``          everything about what a user may pass in
``distances``           all distances between points, by differences or matrix multiplication
``sources``             nearest clusters of points, for the engine that does without all distances
``principal``           few coordinates that bound distances from below, for the sources
``lists``               that engine: exact Chamfer linkage in O(n k) memory
``dendrogram``          `Dendrogram`, `cut`, `monotone`, `tree_height`
``layout``              where the parts of a dendrogram go in a picture
``plot``                pictures: trees, heat maps, scores
``explorer``            `explore`: a tree as a page for the browser
``export``              `to_newick`, `to_json`: trees for other programs
``evaluation``          `best_cut`, `score_path`, `dendrogram_purity`: scores against known classes
``datasets``            the paper's data sets by name, and your own
``reproduction``        ``chamfer reproduce``: the paper's tables, ours beside them
``_core``               the compiled loops (C++, ``src/core``)
======================  =================================================================================
"""

from chamfer import datasets, plot
from chamfer.dendrogram import Dendrogram, cut, monotone, tree_height
from chamfer.estimator import AgglomerativeClustering
from chamfer.evaluation import best_cut, dendrogram_purity, score_path
from chamfer.explorer import explore
from chamfer.export import to_json, to_newick
from chamfer.hac import METHODS, linkage
from chamfer.lists import Info

__version__ = "0.1.0"

__all__ = [
    "METHODS",
    "AgglomerativeClustering",
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
