"""
Regions on a map
================

Temperature on a grid of places, divided into regions of similar climate. With ``connectivity``, only adjacent clusters
may merge, so every region is in one piece. Without it, places that are far apart but equally warm share a cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.ndimage import gaussian_filter
from sklearn.feature_extraction.image import grid_to_graph

import chamfer

rng = np.random.default_rng(3)
height, width = 60, 90
temperature = gaussian_filter(rng.normal(size=(height, width)), 7) * 120 + 15 + rng.normal(0, 0.3, (height, width))
X = temperature.reshape(-1, 1)
neighbours = grid_to_graph(height, width)

anywhere = chamfer.cut(chamfer.linkage(X, "ward"), n_clusters=12)
regions = chamfer.cut(chamfer.linkage(X, "ward", connectivity=neighbours), n_clusters=12)

figure, axes = plt.subplots(1, 3, figsize=(11, 2.9), layout="constrained")
shown = axes[0].imshow(temperature, cmap="coolwarm")
axes[0].set_title("temperature")
for ax, labels, title in zip(axes[1:], (anywhere, regions), ("12 clusters", "12 connected regions"), strict=True):
    ax.imshow(labels.reshape(height, width), cmap="tab20", interpolation="nearest")
    ax.set_title(title)
for ax in axes:
    ax.set(xticks=[], yticks=[])
