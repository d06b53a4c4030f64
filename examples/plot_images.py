"""
Handwritten digits
==================

1,797 pictures of 8 × 8 pixels, clustered without their labels: the tree, and the mean picture of each of ten
clusters.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

import chamfer

X, y = load_digits(return_X_y=True)
Z = chamfer.linkage(X)
labels = chamfer.cut(Z, n_clusters=10)
print("adjusted Rand index:", round(adjusted_rand_score(y, labels), 3))

# %%
# Eight of the ten clusters are nearly pure. The tree shows which clusters are similar.

ax = chamfer.plot.plot_dendrogram(Z, n_clusters=10, truncate=40)

# %%

figure, axes = plt.subplots(2, 5, figsize=(8, 3.6), layout="constrained")
for label, ax in enumerate(axes.flat):
    ax.imshow(X[labels == label].mean(axis=0).reshape(8, 8), cmap="gray_r", interpolation="bicubic")
    ax.set(xticks=[], yticks=[], title=f"{(labels == label).sum()} pictures")
