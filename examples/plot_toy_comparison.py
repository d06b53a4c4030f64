"""
Linkages on toy data
====================

Six linkages on six small sets of points in the plane. Colours are clusters, at the true number of clusters.

``chamfer_capped`` follows the rings and the moons, as single linkage does, and separates round clusters that touch,
as Ward's linkage does. The last row has no clusters: every linkage splits it somewhere, because it was asked for
three.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn import datasets

import chamfer

rng = np.random.default_rng(0)
stretch = np.array([[0.6, -0.6], [-0.4, 0.8]])
blobs = datasets.make_blobs(500, random_state=170)[0]
sets = {
    "rings": (datasets.make_circles(500, factor=0.5, noise=0.05, random_state=30)[0], 2),
    "moons": (datasets.make_moons(500, noise=0.05, random_state=30)[0], 2),
    "stretched": (blobs @ stretch, 3),
    "unequal spread": (datasets.make_blobs(500, cluster_std=[1.0, 2.5, 0.5], random_state=170)[0], 3),
    "round": (datasets.make_blobs(500, random_state=30)[0], 3),
    "none": (rng.random((500, 2)), 3),
}
linkages = ["chamfer", "chamfer_capped", "ward", "average", "complete", "single"]

figure, axes = plt.subplots(len(sets), len(linkages), figsize=(11, 11), layout="constrained")
for row, (name, (X, k)) in zip(axes, sets.items(), strict=True):
    for ax, method in zip(row, linkages, strict=True):
        start = time.perf_counter()
        labels = chamfer.cut(chamfer.linkage(X, method), n_clusters=k)
        milliseconds = 1e3 * (time.perf_counter() - start)
        ax.scatter(*X.T, c=labels, s=4, cmap="Set1", vmin=0, vmax=8)
        ax.set(xticks=[], yticks=[])
        ax.text(0.98, 0.02, f"{milliseconds:.0f} ms", transform=ax.transAxes, ha="right", size=8)
    row[0].set_ylabel(name)
for ax, method in zip(axes[0], linkages, strict=True):
    ax.set_title(method, size=11)
