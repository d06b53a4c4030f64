"""
Texts, from sentences to topics
===============================

Sentences become vectors, vectors become a tree, and the tree tells how many topics there are. The vectors here come
from scikit-learn (TF-IDF, then 20 principal components), so that the script runs anywhere. With a model for sentence
embeddings, only one line changes: ``vectors = model.encode(texts)``.
"""

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

import chamfer

rng = np.random.default_rng(0)
topics = {
    "delivery": "parcel courier late address tracking lost delivery driver doorstep shipping",
    "payment": "card charged refund invoice twice bank payment declined amount fee",
    "login": "password reset login account email locked code verification sign phone",
    "quality": "broken screen scratch battery charger stopped working faulty warranty repair",
}
common = ["hello", "please", "my", "the", "order", "it", "was", "and", "is", "not", "help", "thanks", "again", "today"]
texts, truth = [], []
for number, words in enumerate(topics.values()):
    for _ in range(60):
        own = rng.choice(words.split(), rng.integers(4, 7), replace=False)
        texts.append(" ".join(rng.permutation([*own, *rng.choice(common, 5)])))
        truth.append(number)
print(texts[0])

# %%
# For texts the angle between vectors counts, so the metric is ``"cosine"``.

vectors = TruncatedSVD(20, random_state=0).fit_transform(TfidfVectorizer().fit_transform(texts))
Z = chamfer.linkage(vectors, "chamfer_capped", metric="cosine")
choice = chamfer.choose(Z, vectors, metric="cosine")
print(choice)
labels = chamfer.cut(Z, n_clusters=choice.n_clusters)

# %%
# The words that are frequent in a cluster and rare elsewhere describe it:

counts = TfidfVectorizer(use_idf=False)
frequency = counts.fit_transform(texts).toarray()
names = counts.get_feature_names_out()
captions = []
for label in range(labels.max() + 1):
    apart = frequency[labels == label].mean(axis=0) - frequency[labels != label].mean(axis=0)
    captions.append(", ".join(names[np.argsort(-apart)[:4]]))
    print(f"{(labels == label).sum():3d} texts: {captions[-1]}")

ax = chamfer.plot.plot_dendrogram(Z, n_clusters=choice.n_clusters, truncate=30)
ax.set_title("Four topics in the tree of 240 messages")
