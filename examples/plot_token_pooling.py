"""
Many small problems at once
===========================

Search engines that store a vector for each word ("late interaction") cluster the vectors of every document and keep
only the means. That is one small clustering per document. :func:`chamfer.cluster_many` solves all of them in one
call, on all cores.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

import chamfer

rng = np.random.default_rng(0)
meanings = rng.normal(size=(500, 64))
documents = []
for length in rng.integers(50, 200, size=300):
    words = rng.choice(meanings, 20)[rng.integers(20, size=length)]
    documents.append((words + rng.normal(0, 0.3, (length, 64))).astype(np.float32))

start = time.perf_counter()
found = chamfer.cluster_many(documents, "ward", ratio=1 / 3)
print(f"{len(documents)} documents: {time.perf_counter() - start:.2f} s")

# %%
# One of the documents: dots are its vectors, crosses the means that are kept, a third as many.

tokens, labels, means = documents[0], found.labels[0], found.means[0]
plane = PCA(2).fit(tokens)
dots, crosses = plane.transform(tokens), plane.transform(means)
figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
ax.plot(*np.stack([dots, crosses[labels]]).transpose(2, 0, 1), color="0.8", linewidth=0.8, zorder=0)
ax.scatter(*dots.T, c=labels, s=8, cmap="tab20")
ax.scatter(*crosses.T, c="black", s=30, marker="x")
ax.set(xticks=[], yticks=[], title=f"{len(tokens)} vectors, {len(means)} means")
