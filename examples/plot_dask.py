"""
Data on a Dask cluster
======================

A Dask array may be larger than the memory of any machine. :func:`chamfer.linkage` searches for neighbours where the
blocks are and merges in the calling process; the tree is the same to the last bit.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import chamfer

X, _ = make_blobs(4000, centers=8, random_state=7)
blocks = da.from_array(X, chunks=(500, 2))
Z = chamfer.linkage(blocks)  # with a client of dask.distributed, on its workers
print("the same tree:", np.array_equal(Z, chamfer.linkage(X, engine="lists")))

# %%
# Colours are clusters, lines divide the blocks of rows:

figure, ax = plt.subplots(figsize=(9, 3), layout="constrained")
ax.scatter(np.arange(4000), X[:, 0], c=chamfer.cut(Z, n_clusters=8), s=4, cmap="tab10")
for row in range(500, 4000, 500):
    ax.axvline(row, color="0.8", linewidth=0.8)
ax.set(xlabel="row", ylabel="first coordinate")
