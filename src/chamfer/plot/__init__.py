"""Pictures of dendrograms, on matplotlib's axes.

==========================  ==================================================================
`plot_dendrogram`           a tree, whole or truncated, its clusters in colour
`plot_clustermap`           data as a heat map, its rows and columns ordered by trees
`plot_scores`               a score over the number of clusters, linkages compared
`plot_choice`               curves by which a number of clusters is chosen
`DendrogramDisplay`         the tree of a fitted estimator, as scikit-learn's displays
==========================  ==================================================================

Functions draw on the axes they are given and return them. matplotlib is imported only when something is
drawn; it comes with ``pip install 'chamfer[plot]'``.
"""

from chamfer.plot.choice import plot_choice
from chamfer.plot.clustermap import ClusterMap, plot_clustermap
from chamfer.plot.dendrogram import plot_dendrogram
from chamfer.plot.display import DendrogramDisplay
from chamfer.plot.scores import plot_scores

__all__ = ["ClusterMap", "DendrogramDisplay", "plot_choice", "plot_clustermap", "plot_dendrogram", "plot_scores"]
