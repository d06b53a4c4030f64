"""
Stages of a process
===================

A sensor records three channels over time. With ``connectivity="chain"`` only neighbours in time may merge, so clusters
are stretches of time: the stages of the process. The same works for positions along a chromosome.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np

import chamfer

rng = np.random.default_rng(1)
levels = np.array([[0, 1, 2], [1, 1, 0], [0, 2, 2], [2, 0, 1], [0, 1, 2]])  # the last stage is like the first
lengths = [300, 120, 400, 180, 250]
X = np.repeat(levels, lengths, axis=0) + rng.normal(0, 0.4, (sum(lengths), 3))

Z = chamfer.linkage(X, "ward", connectivity="chain")
labels = chamfer.cut(Z, n_clusters=5)
changes = np.flatnonzero(np.diff(labels)) + 1
print("true changes: ", np.cumsum(lengths)[:-1])
print("found changes:", changes)

# %%

figure, ax = plt.subplots(figsize=(9, 3.2), layout="constrained")
for channel in range(3):
    ax.plot(X[:, channel] + 4 * channel, linewidth=0.5, color="0.3")
edges = [0, *changes, len(X)]
for start, end in pairwise(edges):
    ax.axvspan(start, end, color=plt.cm.Set2(labels[start]), alpha=0.6, linewidth=0)
ax.set(xlabel="time", yticks=[0, 4, 8], yticklabels=["channel 1", "channel 2", "channel 3"], xlim=(0, len(X)))
