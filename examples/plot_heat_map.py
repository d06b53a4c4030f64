"""
Genes and samples as a heat map
===============================

Rows are genes, columns are samples from three tissues. Both are ordered by their trees, so that genes which rise and
fall together form blocks. The expression values are made up: four groups of genes, each active in some of the
tissues.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import chamfer

rng = np.random.default_rng(1)
activity = np.array([[3, 0, 0], [0, 3, 0], [0, 0, 3], [2, 2, 0]])  # group of genes × tissue
genes, samples = rng.permutation(np.repeat(range(4), 20)), rng.permutation(np.repeat(range(3), 10))
values = activity[genes][:, samples] + rng.normal(0, 0.7, (80, 30))
table = pd.DataFrame(values, [f"gene {i}" for i in range(80)], [f"{'ABC'[s]}{i}" for i, s in enumerate(samples)])
table = table.sub(table.mean(axis=1), axis=0)  # what counts is the change of a gene, not its level

rows = chamfer.linkage(table, "ward")
columns = chamfer.linkage(table.T, "ward")
figure, ax = plt.subplots(figsize=(8, 7), layout="constrained")
shown = chamfer.plot.plot_clustermap(table, rows, ax, column_Z=columns, n_clusters=4, cmap="RdBu_r")

# %%
# The four clusters of genes are the four groups:

print(pd.crosstab(genes, chamfer.cut(rows, n_clusters=4), rownames=["group"], colnames=["cluster"]))
