"""
Noise, and clusters of clusters
===============================

A cut assigns every point to a cluster. Where data contain noise, :func:`chamfer.condense` selects clusters of
different heights and leaves the rest unassigned, as HDBSCAN does. Where clusters consist of clusters,
:func:`chamfer.layers` finds each level.
"""

import matplotlib.pyplot as plt
import numpy as np

import chamfer

rng = np.random.default_rng(0)
continents = np.array([[0, 0], [20, 4], [8, 18]])
angles = np.arange(5) * 2 * np.pi / 5
towns = (continents[:, None] + 3 * np.stack([np.cos(angles), np.sin(angles)], axis=1)).reshape(-1, 2)
points = (towns[:, None] + rng.normal(0, 0.4, (15, 60, 2))).reshape(-1, 2)
noise = rng.uniform(-8, 28, (120, 2))
X = np.concatenate([points, noise])

# %%
# Grey points are noise. Single linkage suits this purpose: noise joins its trees late and one point at a time.

labels = chamfer.condense(chamfer.linkage(X, "single"), min_size=30).select().labels
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.scatter(*X[labels < 0].T, s=3, c="0.7")
ax.scatter(*X[labels >= 0].T, s=4, c=labels[labels >= 0], cmap="tab20")
ax.set(xticks=[], yticks=[], aspect="equal")
ax.set_title(f"{labels.max() + 1} clusters and {np.sum(labels < 0)} points of noise")

# %%
# The levels of the tree, without the noise: towns, and continents of towns.

layers = chamfer.layers(chamfer.linkage(points, "chamfer_capped"))
coarse, fine = layers.labels[:, 0], layers.labels[:, -1]
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.scatter(*points.T, s=4, c=fine, cmap="tab20")
for continent in np.unique(coarse):
    part = points[coarse == continent]
    radius = np.linalg.norm(part - part.mean(axis=0), axis=1).max() + 0.5
    ax.add_patch(plt.Circle(part.mean(axis=0), radius, fill=False, color="0.5"))
ax.set(xticks=[], yticks=[], aspect="equal", title=" and ".join(f"{k} clusters" for k in layers.n_clusters))
