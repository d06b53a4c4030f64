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
``layout``              where the parts of a dendrogram go in a picture
``plot``                pictures: trees, heat maps, scores
``explorer``            `explore`: a tree as a page for the browser
``export``              `to_newick`, `to_json`: trees for other programs
``_core``               the compiled loops (C++, ``src/core``)
======================  =================================================================================
"""

from chamfer import plot
from chamfer.dendrogram import Dendrogram, cut, monotone, tree_height
from chamfer.estimator import AgglomerativeClustering
from chamfer.explorer import explore
from chamfer.export import to_json, to_newick
from chamfer.hac import METHODS, linkage

__version__ = "0.1.0"

__all__ = [
    "METHODS",
    "AgglomerativeClustering",
    "Dendrogram",
    "cut",
    "explore",
    "linkage",
    "monotone",
    "plot",
    "to_json",
    "to_newick",
    "tree_height",
]
