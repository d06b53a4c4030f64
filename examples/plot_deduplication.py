"""
Names that mean the same
========================

The same company is spelt in many ways. Two spellings are similar if they share many groups of three letters. Complete
linkage guarantees that *all* pairs within a cluster are closer than the height of the cut, so a cut by height is a
rule that can be explained: "spellings more similar than this are the same".
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

import chamfer

names = """Acme Corporation|ACME Corp.|Acme Corp|The Acme Corporation|Akme Corporation
Globex Ltd|Globex Limited|GLOBEX LTD.|Globeks Ltd
Initech GmbH|Initech|INITECH Gmbh|Inittech GmbH
Umbrella Holdings|Umbrela Holdings|Umbrella Holding|UMBRELLA HOLDINGS
Stark Industries|Stark Industrie|STARK INDUSTRIES INC|Starck Industries""".replace("\n", "|").split("|")

vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), use_idf=False).fit_transform(names).toarray()
Z = chamfer.linkage(vectors, "complete", metric="cosine")
labels = chamfer.cut(Z, height=0.75)
for label in np.unique(labels):
    print(" = ".join(np.array(names)[labels == label]))

# %%

figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
chamfer.plot.plot_dendrogram(Z, ax, height=0.75, labels=names, orientation="horizontal")
