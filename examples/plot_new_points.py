"""
A model in a pipeline
=====================

:class:`chamfer.AgglomerativeClustering` follows scikit-learn's interface, so it fits into pipelines, and it also has
``predict`` for points that come later: they join the cluster of the nearest training point.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import chamfer

X, cultivar = load_wine(return_X_y=True)
train = np.arange(len(X)) % 3 > 0
model = make_pipeline(StandardScaler(), PCA(5), chamfer.AgglomerativeClustering(3, linkage="ward"))
old = model.fit_predict(X[train])
new = model.predict(X[~train])

# %%
# Circles are wines that the model was fitted to, crosses came later.

places = PCA(2).fit_transform(StandardScaler().fit_transform(X))
figure, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
ax.scatter(*places[train].T, c=old, cmap="Set1", vmin=0, vmax=8, s=20)
ax.scatter(*places[~train].T, c=new, cmap="Set1", vmin=0, vmax=8, s=40, marker="x")
ax.set(xlabel="first principal component", ylabel="second")
