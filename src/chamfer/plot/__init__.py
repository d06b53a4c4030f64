"""Pictures of dendrograms, on matplotlib's axes.

==========================  ==================================================================
`plot_dendrogram`           a tree, whole or truncated, its clusters in colour
`plot_radial`               the same around a circle
`plot_map`                  points in the plane, in the colours of their clusters
`plot_images`               a tree of images, with the mean image of each cluster
`plot_clustermap`           data as a heat map, its rows and columns ordered by trees
`plot_linkages`             what each linkage finds on toy data
`plot_scores`               a score over the number of clusters, linkages compared
`plot_choice`               curves by which a number of clusters is chosen
`plot_condensed`            clusters of a condensed tree, as long as they last
`plot_tanglegram`           two trees face to face
`plot_support`              a tree with the support of its branches
`DendrogramDisplay`         the tree of a fitted estimator, as scikit-learn's displays
==========================  ==================================================================

Functions draw on the axes they are given and return them. matplotlib is imported only when something is
drawn; it comes with ``pip install 'chamfer[plot]'``.
"""

from chamfer.plot.choice import plot_choice
from chamfer.plot.clustermap import ClusterMap, plot_clustermap
from chamfer.plot.condensed import plot_condensed
from chamfer.plot.dendrogram import plot_dendrogram
from chamfer.plot.display import DendrogramDisplay
from chamfer.plot.images import ImageTree, plot_images
from chamfer.plot.linkages import plot_linkages
from chamfer.plot.map import plot_map
from chamfer.plot.radial import plot_radial
from chamfer.plot.scores import plot_scores
from chamfer.plot.support import plot_support
from chamfer.plot.tanglegram import plot_tanglegram

__all__ = [
    "ClusterMap",
    "DendrogramDisplay",
    "ImageTree",
    "plot_choice",
    "plot_clustermap",
    "plot_condensed",
    "plot_dendrogram",
    "plot_images",
    "plot_linkages",
    "plot_map",
    "plot_radial",
    "plot_scores",
    "plot_support",
    "plot_tanglegram",
]
