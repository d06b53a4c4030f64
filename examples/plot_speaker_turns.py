"""
Who speaks when
===============

A recording is divided into short segments, and a model turns each segment into a vector that depends on the voice.
Segments of one speaker form a cluster. Very short segments are uncertain, so clusters of few segments are no speakers
of their own: ``min_size`` gives their segments to the nearest large cluster.
"""

import matplotlib.pyplot as plt
import numpy as np

import chamfer

rng = np.random.default_rng(3)
voices = rng.normal(size=(4, 64))
who, seconds = [], []
while len(who) < 400:  # people take turns of some segments
    turn = rng.integers(2, 12)
    who += [rng.integers(4)] * turn
    seconds += list(rng.uniform(0.3, 3, turn))
who, seconds = np.array(who), np.array(seconds)
X = voices[who] + rng.normal(size=(len(who), 64)) / seconds[:, None] ** 0.5

Z = chamfer.linkage(X, "average", metric="cosine")
labels = chamfer.cut(Z, n_clusters=4, min_size=20, X=X, metric="cosine")

# %%
# The segments in time. Colours are clusters; the row is the true speaker.

start = np.concatenate([[0], np.cumsum(seconds)[:-1]])
figure, ax = plt.subplots(figsize=(10, 2.6), layout="constrained")
for speaker in range(4):
    for label in range(4):
        part = (who == speaker) & (labels == label)
        spans = list(zip(start[part], seconds[part], strict=True))
        ax.broken_barh(spans, (speaker - 0.4, 0.8), color=plt.cm.tab10(label))
ax.set(xlabel="seconds", yticks=range(4), yticklabels=[f"speaker {i}" for i in range(4)], xlim=(0, start[-1]))
