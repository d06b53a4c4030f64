"""Modules with the names, arguments and defaults of other libraries, to be imported in their place.

============================  ================================================================
``chamfer.compat.scipy``      `scipy.cluster.hierarchy`: ``linkage``, ``fcluster``, ``dendrogram``, …
``chamfer.compat.sklearn``    `sklearn.cluster`: ``AgglomerativeClustering``, ``FeatureAgglomeration``, ``ward_tree``, …
``chamfer.compat.fastcluster``  `fastcluster`: ``linkage``, ``linkage_vector``, …
============================  ================================================================

``tests/peers`` runs the tests of these libraries with these modules. What still differs is listed in
``docs/compatibility.md``.
"""
