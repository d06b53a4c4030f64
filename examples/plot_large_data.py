"""
100,000 points in seconds
=========================

``chamfer_capped`` needs a few neighbours of each point instead of all distances, so memory and time grow almost
linearly with the number of points. See :doc:`/large-data` for millions.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import chamfer

rng = np.random.default_rng(0)
centres = rng.uniform(0, 100, (30, 2))
X = centres[rng.integers(30, size=100_000)] + rng.normal(0, 1.5, (100_000, 2))

start = time.perf_counter()
Z = chamfer.linkage(X, "chamfer_capped")
print(f"{len(X):,} points: {time.perf_counter() - start:.1f} s")
labels = chamfer.cut(Z, n_clusters=30)

# %%

figure, ax = plt.subplots(figsize=(6, 6), layout="constrained")
ax.scatter(*X.T, c=labels, s=0.3, cmap="prism", linewidths=0)
ax.set(xticks=[], yticks=[], aspect="equal")
