"""
Which linkage finds the classes?
================================

If some rows have known classes, :func:`chamfer.plot.plot_scores` shows for every number of clusters how well each
linkage agrees with them. The score is the adjusted Rand index: 1 is perfect, 0 is chance.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import chamfer

X, y = load_digits(return_X_y=True)
trees = {method: chamfer.linkage(X, method) for method in ("chamfer", "chamfer_capped", "ward", "average", "single")}
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
chamfer.plot.plot_scores(trees, y, ax)
