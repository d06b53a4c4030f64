"""What is in a cluster, against definitions computed one cluster at a time."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

import chamfer
from cases import gaussian

X = np.concatenate([gaussian(seed, count, 4) + 6 * seed for seed, count in enumerate((40, 25, 9))])
X[3] += 40  # an outlier
Y = np.repeat([0, 1, 2], [40, 25, 9])
NOISY = np.where(np.arange(len(Y)) % 7 == 0, -1, Y)


@pytest.mark.parametrize("labels", [Y, NOISY, Y * 3 + 5, np.array(["b", "a", "c"])[Y]], ids=str)
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_definitions(labels, shift):
    X = globals()["X"] + shift
    summary = chamfer.summarize(labels, X, n_features=4, n_exemplars=1)
    values = [value for value in np.unique(labels) if str(value) != "-1"]
    means = {value: X[labels == value].mean(axis=0) for value in values}
    assert [each.label for each in summary.clusters] == values
    assert summary.n_noise == (labels == -1).sum() if labels.dtype.kind == "i" else summary.n_noise == 0
    for i, (value, found) in enumerate(zip(values, summary.clusters, strict=True)):
        members = np.flatnonzero(labels == value)
        far = np.linalg.norm(X[members] - means[value], axis=1)
        assert (found.size, found.share) == (len(members), len(members) / len(X))
        assert found.spread == pytest.approx(np.sqrt((far**2).mean()))
        squares = (cdist(X[members], X[members]) ** 2).sum(axis=1)
        assert found.medoid == members[np.argmin(squares)] == found.exemplars[0]
        others = {other: np.linalg.norm(means[value] - means[other]) for other in values if other != value}
        assert found.nearest == min(others, key=others.get)
        assert found.distance == pytest.approx(others[found.nearest])
        low, high = np.quantile(far, [0.25, 0.75])
        out = members[far > high + 3 * (high - low)]
        assert sorted(found.outliers) == out.tolist()
        rest = X[labels != value].mean(axis=0)
        wanted = (means[value] - rest) / X.std(axis=0)
        np.testing.assert_allclose(summary.differences[i], wanted, atol=1e-8)
        np.testing.assert_allclose(summary.means[i], means[value], rtol=1e-12, atol=1e-12)
        for feature in found.features:
            j = summary.feature_names.index(feature.name)
            assert feature.difference == pytest.approx(wanted[j], abs=1e-8)
            assert (feature.mean, feature.rest) == pytest.approx((means[value][j], rest[j]))
            assert abs(feature.difference) >= 0.2
    assert 3 in summary.clusters[1 if labels.dtype.kind == "U" else 0].outliers


def test_exemplars_are_typical_and_different():
    points = np.array([[0.0], [1.0], [2.0], [3.0], [-1.0], [-2.0], [-3.0], [100.0], [-100.0]])
    found = chamfer.summarize(np.zeros(9, int), points).clusters[0]
    assert found.exemplars == (0, 2, 5)  # of 0, ±1, ±2: the medoid, an end, the other end
    copies = chamfer.summarize([0, 0, 0], np.ones((3, 2))).clusters[0]
    assert copies.exemplars == (0,)


@pytest.mark.parametrize("options", [{"n_clusters": 3}, {"height": 20.0, "order": "least"}, {}])
def test_a_dendrogram_is_cut(options):
    Z = chamfer.linkage(X)
    labels = chamfer.cut(Z, **options) if options else chamfer.cut(Z, "auto", X=X)
    assert repr(chamfer.summarize(Z, X, **options)) == repr(chamfer.summarize(labels, X))


def test_a_data_frame_keeps_its_names():
    index = [f"row {i}" for i in range(len(X))]
    frame = pd.DataFrame(X, columns=list("abcd"), index=index)
    found, plain = chamfer.summarize(Y, frame), chamfer.summarize(Y, X)
    assert found.feature_names == ("a", "b", "c", "d")
    assert plain.feature_names == ("x0", "x1", "x2", "x3")
    for named, each in zip(found.clusters, plain.clusters, strict=True):
        assert named.medoid == index[each.medoid]
        assert named.outliers == tuple(index[point] for point in each.outliers)
    given = chamfer.summarize(Y, X.tolist(), feature_names="abcd", names=index)
    assert repr(given) == repr(found)


def test_it_prints_as_text_html_and_frame():
    summary = chamfer.summarize(NOISY, X, feature_names=["<a>", "b", "c", "d"], n_features=4)
    lines = repr(summary).splitlines()
    assert lines[0] == "63 points in 3 clusters, and 11 of noise"
    assert len(lines) == 5
    html = summary._repr_html_()
    assert "&lt;a&gt;" in html
    assert html.count("<tr>") == 4
    frame = summary.to_frame()
    assert frame.index.tolist() == [0, 1, 2]
    assert frame["size"].tolist() == [each.size for each in summary.clusters]
    assert summary[2] is summary.clusters[2]
    many = chamfer.summarize(np.arange(len(X)), X)
    assert repr(many).splitlines()[-1] == "… and 54 more; to_frame() has all"


@pytest.mark.parametrize("exponent", [-900, 900])
def test_scale_changes_nothing_but_units(exponent):
    one, other = (chamfer.summarize(Y, np.ldexp(X, power)) for power in (0, exponent))
    for a, b in zip(one.clusters, other.clusters, strict=True):
        assert (a.medoid, a.exemplars, a.outliers, a.nearest) == (b.medoid, b.exemplars, b.outliers, b.nearest)
        assert b.spread == np.ldexp(a.spread, exponent)
        assert b.distance == np.ldexp(a.distance, exponent)
        assert [each.difference for each in a.features] == [each.difference for each in b.features]


def test_blocks_change_nothing(monkeypatch):
    wanted = chamfer.summarize(NOISY, X)
    monkeypatch.setattr("chamfer.trees.contents._BLOCK", 40)
    found = chamfer.summarize(NOISY, X.astype(np.float64))
    assert repr(found) == repr(wanted)
    np.testing.assert_allclose(found.differences, wanted.differences, rtol=1e-12)


def test_one_cluster_constant_columns_and_nothing_but_noise():
    alone = chamfer.summarize([0, 0, 0], [[1.0, 2.0], [1.0, 3.0], [1.0, 4.0]])
    assert alone.clusters[0].nearest is None
    assert np.isnan(alone.clusters[0].distance)
    assert not alone.differences.any()
    assert (alone.clusters[0].features, alone.clusters[0].medoid) == ((), 1)
    nothing = chamfer.summarize([-1, -1], [[1.0], [2.0]])
    assert (len(nothing), nothing.n_noise) == (0, 2)
    assert repr(nothing).startswith("0 points in 0 clusters, and 2 of noise")
    assert len(nothing.to_frame()) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: chamfer.summarize(Y[:5], X), "X must hold the 5 points of clusters, got 74"),
        (lambda: chamfer.summarize(np.zeros((3, 3)), X), r"a dendrogram of shape \(n - 1, 4\) or a label for each"),
        (lambda: chamfer.summarize([[0, 1], [2]], X), r"clusters must be a dendrogram of shape \(n - 1, 4\)"),
        (lambda: chamfer.summarize(Y, X, 3), "n_clusters and height cut a dendrogram; clusters holds labels"),
        (lambda: chamfer.summarize(Y, X, feature_names="abc"), "feature_names must name all 4 columns, got 3"),
        (lambda: chamfer.summarize(Y, X, names="abc"), "names must name all 74 points, got 3"),
        (lambda: chamfer.summarize(Y, X, n_exemplars=0), "n_exemplars must be at least 1, got 0"),
        (lambda: chamfer.summarize(Y, X[:, 0]), "X"),
        (lambda: chamfer.summarize([0.0, np.nan], X[:2]), "must not hold missing values"),
    ],
)
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_unknown_label():
    with pytest.raises(KeyError, match="label must be one of the 3 of the clusters, got 7"):
        chamfer.summarize(Y, X)[7]
