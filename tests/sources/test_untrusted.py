"""What users bring reaches the core only after it was looked at: sources, graphs, checkpoints, arrays that change."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.neighbors import kneighbors_graph

import chamfer
from cases import apart, gaussian
from marks import slow

# A source whose answers `spoil` may change before the engine sees them. What the core makes of wrong ones could end the
# interpreter, so it runs in another one.
OWN_SOURCE = """
from chamfer.sources import Answer, TreeSource
from chamfer._types import Points

X = np.random.default_rng(0).normal(size=(60, 3))

class Own:
    def __init__(self):
        self._exact = TreeSource(Points(X, "euclidean"))
        self.n, self.dtype = 60, np.dtype(np.float64)

    def nearest(self, points, labels, k, threads, tick=None):
        return self.spoil(*self._exact.nearest(points, labels, k, threads), points, labels, k)

def refused(spoil, *words, method="chamfer"):
    Own.spoil = staticmethod(spoil)
    try:
        chamfer.linkage(X, method, source=Own())
    except (ValueError, TypeError) as error:
        assert "source" in str(error), error
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError("was not refused")

def at(values, place, value):
    values = values.copy()
    values[place] = value
    return values
"""


SPOILED = [
    ("at(c, (3, 1), 60), d, b", ["60"]),
    ("at(c, (3, 1), 2**31 - 1), d, b", []),
    ("at(c, (3, 1), -2), d, b", ["-2"]),
    ("np.full_like(c, -1), d, b", []),
    ("at(c, (3, 1), labels[points[3]]), d, b", ["own"]),
    ("at(c, (3, 1), c[3, 0]), d, b", ["twice"]),
    ("c[:-1], d[:-1], b[:-1]", ["shape"]),
    ("c[:, :-1], d[:, :-1], b", []),
    ("c, d[:, :-1], b", ["distances"]),
    ("c, d, b[:-1]", ["bounds"]),
    ("c, at(d, (3, 1), np.nan), b", ["distances"]),
    ("c, at(d, (3, 1), np.inf), b", ["distances"]),
    ("c, at(d, (3, 1), -1.0), b", ["distances"]),
    ("c, at(d, (3, 1), 1e308), b", ["distances"]),
    ("c, np.full_like(d, np.nan), b", ["distances"]),
    ("c, d, at(b, 3, np.nan)", ["bounds"]),
    ("c, d, at(b, 3, np.inf)", ["bounds"]),
    ("c + 0.5, d, b", ["clusters"]),
    ("c.astype(str), d, b", []),
    ("c, d.astype(object), [None] * len(b)", []),
    ("c, d", []),
    ("None,", []),
]


@pytest.mark.parametrize("method", ["chamfer", *slow("chamfer_capped")])
def test_answers_of_a_source(method):
    cases = "".join(
        f"print({spoiled!r}, flush=True)\n"
        f"refused(lambda c, d, b, points, labels, k: ({spoiled}), *{words!r}, method={method!r})\n"
        for spoiled, words in SPOILED
    )
    assert len(apart(OWN_SOURCE + cases).splitlines()) == len(SPOILED)


@pytest.mark.slow
def test_answers_that_are_right_in_another_form():
    apart(
        OWN_SOURCE
        + """
Z = chamfer.linkage(X, engine="lists")
forms = [
    lambda c, d, b, *_: (c.astype(np.int64), d, b),
    lambda c, d, b, *_: (c.tolist(), d.tolist(), b.tolist()),
    lambda c, d, b, *_: (np.asfortranarray(c), d[:, ::-1][:, ::-1], b),
    lambda c, d, b, *_: (c, d, np.zeros_like(b)),  # the farthest cluster listed says as much
]
for form in forms:
    Own.spoil = staticmethod(form)
    np.testing.assert_array_equal(chamfer.linkage(X, source=Own()), Z)
"""
    )


NO_SOURCES = [
    "type('S', (), {})()",
    "type('S', (), {'n': 60, 'dtype': np.dtype(int), 'nearest': lambda *a, **k: None})()",
    "type('S', (), {'n': 60, 'dtype': 'float64', 'nearest': 3})()",
    "type('S', (), {'n': 2.5, 'dtype': np.dtype(float), 'nearest': lambda *a, **k: None})()",
    "type('S', (), {'n': 60, 'dtype': np.dtype(float), 'points': X, 'nearest': lambda *a, **k: None})()",
    "None",
    "3",
    "X",
]


@pytest.mark.slow
def test_objects_that_are_no_source():
    cases = f"""
for source in [{", ".join(NO_SOURCES)}]:
    try:
        chamfer.linkage(X, source=source)
    except (TypeError, ValueError) as error:
        assert "source" in str(error), error
    else:
        raise AssertionError(f"{{source}} was not refused")
"""
    apart(OWN_SOURCE + cases)


@pytest.mark.slow
def test_graphs_with_entries_that_are_not_there():
    apart(
        """
from scipy.sparse import csr_matrix
X = np.random.default_rng(0).normal(size=(60, 3))
for name, place, value in [("indices", 7, 60), ("indices", 7, -3), ("indptr", 5, 10**6), ("indptr", 5, -1)]:
    graph = csr_matrix(1 - np.eye(60))
    getattr(graph, name)[place] = value
    try:
        chamfer.linkage(X, source=graph)
    except ValueError as error:
        assert "source" in str(error), error
    else:
        raise AssertionError(f"{name} {value} was not refused")
"""
    )


def test_a_right_graph_is_still_right():
    X = gaussian(1, 60, 3)
    np.testing.assert_array_equal(
        chamfer.linkage(X, source=csr_array(kneighbors_graph(X, 59))), chamfer.linkage(X, engine="lists")
    )


def test_an_array_that_another_thread_changes():
    apart(
        """
import threading
from scipy.spatial.distance import pdist, squareform

points = np.random.default_rng(0).normal(size=(150, 5))
forms = dict(points=points, condensed=pdist(points), precomputed=squareform(pdist(points)))
for form in forms:
    X, metric = forms[form], "precomputed" if form == "precomputed" else "euclidean"
    before, stop = X.copy(), threading.Event()
    wrong = np.random.default_rng(1).choice([np.nan, np.inf, -1e300, 0.0, 1.0], size=X.shape)

    def change():
        while not stop.is_set():
            X[...] = wrong
            X[...] = before

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for method in ["complete", "centroid", "ward", "chamfer", "chamfer_symmetric", "single"]:
            for _ in range(8):
                try:
                    chamfer.linkage(X, method, metric)
                except ValueError:
                    pass
    finally:
        stop.set()
        changer.join()
"""
    )


def test_as_many_points_as_there_are_numbers_for():
    X = np.broadcast_to(np.zeros((1, 1), np.float32), (1 << 30, 1))
    with pytest.raises(ValueError, match=r"X must hold fewer than 2\^30 points"):
        chamfer.linkage(X)


@pytest.mark.slow
def test_a_foreign_checkpoint(tmp_path):
    apart(
        OWN_SOURCE
        + f"""
import chamfer.sources.checkpoint as c
path = {str(tmp_path / "run")!r}
chamfer.linkage(X, engine="lists", checkpoint=path)
# Records with right seals and wrong answers.
content = open(path, "rb").read()
place, records = len(c._NAME + c._FORMAT), []
while place < len(content):
    asked, length, seal = c._HEAD.unpack_from(content, place)
    place += c._HEAD.size
    records.append((asked, content[place : place + length]))
    place += length
answers = [i for i, (_, answer) in enumerate(records) if len(answer) > 100 and answer[:1] != b"{{"]
for value in (b"\\xff\\xff\\xff\\x7f", b"\\x00\\x00\\x00\\x80", b"\\x3c\\x00\\x00\\x00"):
    with open(path, "wb") as file:
        file.write(c._NAME + c._FORMAT)
        for i, (asked, answer) in enumerate(records):
            if i in answers:
                answer = value * (len(answer) // 4)
            file.write(c._HEAD.pack(asked, len(answer), c._seal(asked, answer)) + answer)
    try:
        chamfer.linkage(X, engine="lists", checkpoint=path)
    except ValueError as error:
        assert "checkpoint" in str(error), error
    else:
        raise AssertionError("was not refused")
"""
    )
