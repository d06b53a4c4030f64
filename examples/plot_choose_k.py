"""
Choosing the number of clusters
===============================

:func:`chamfer.choose` compares all numbers of clusters at once and says why it suggests one.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import chamfer

centres = [[0, 0], [4, 1], [1, 4], [8, 5], [5, 9], [11, 1]]
X, _ = make_blobs(1500, centers=centres, cluster_std=0.7, random_state=0)
Z = chamfer.linkage(X, "chamfer_capped")
choice = chamfer.choose(Z, X)
print(choice)

# %%
# The curve on which the suggestion rests, and the clusters of the suggested cut:

labels = chamfer.cut(Z, n_clusters=choice.n_clusters)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
chamfer.plot.plot_choice(choice, left)
right.scatter(*X.T, c=labels, s=5, cmap="tab10", vmin=0, vmax=9)
right.set(xticks=[], yticks=[], title=f"{choice.n_clusters} clusters")

# %%
# The whole table is a data frame, with a row for each number of clusters:

print(choice.to_frame().head(8).round(3))
