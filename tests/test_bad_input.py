"""Bad input is refused with a message that names the argument, whatever is wrong with it."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import cosine_similarity

import chamfer
import reference
from cases import gaussian

X = gaussian(0, 20, 3)


def with_value(array, value):
    array = np.array(array)
    array.flat[4] = value
    return array


class TestX:
    @pytest.mark.parametrize(
        "x",
        [
            pytest.param(with_value(X, np.nan), id="NaN"),
            pytest.param(with_value(X, -np.inf), id="infinity"),
            pytest.param(with_value(X, np.nan).astype(np.float32), id="NaN in float32"),
            pytest.param(with_value(pdist(X), np.nan), id="NaN in condensed distances"),
            pytest.param(with_value(pdist(X), np.inf), id="infinity in condensed distances"),
            pytest.param([], id="empty list"),
            pytest.param([[]], id="empty row"),
            pytest.param(np.empty((0, 3)), id="no rows"),
            pytest.param(np.empty((3, 0)), id="no columns"),
            pytest.param(3.0, id="a number"),
            pytest.param(None, id="None"),
            pytest.param("points", id="a text"),
            pytest.param([["a", "b"], ["c", "d"]], id="texts"),
            pytest.param(X + 1j, id="complex"),
            pytest.param(pdist(X) + 1j, id="complex condensed"),
            pytest.param(X[None], id="three dimensions"),
            pytest.param([[1, 2], [3]], id="rows of different lengths"),
            pytest.param([[10**400], [1]], id="a number too large for any float"),
            pytest.param(pd.DataFrame({"a": ["x", "y"]}), id="texts in a data frame"),
            pytest.param(pd.DataFrame({"a": [1, None]}), id="a missing value in a data frame"),
            pytest.param(np.ma.masked_greater(X, 0), id="masked"),
            pytest.param(np.ones(4), id="a number of distances that fits no n"),
            pytest.param(-pdist(X), id="negative distances"),
        ],
    )
    def test_wrong_values(self, x):
        with pytest.raises(ValueError, match=r"\bX\b"):
            chamfer.linkage(x)

    @pytest.mark.parametrize("x", [{"a": 1}, {1, 2}, object()], ids=str)
    def test_wrong_types(self, x):
        with pytest.raises(TypeError, match=r"\bX\b"):
            chamfer.linkage(x)

    def test_the_message_says_how_many_distances_there_are(self):
        with pytest.raises(ValueError, match="4 values"):
            chamfer.linkage(np.ones(4))

    @pytest.mark.parametrize(
        ("x", "message"),
        [
            (X, r"X must be a square matrix .* got shape \(20, 3\)"),
            ([1.0, 2.0, 3.0], r"X must be a square matrix .* got shape \(3,\)"),
            ([[0, 1, 2], [1, 0, 3], [2, 4, 0]], r"X must be symmetric .* X\[1, 2\] = 3.0 and X\[2, 1\] = 4.0"),
            ([[0, 1], [1, 0.5]], "X must have a zero diagonal"),
            ([[0, -1], [-1, 0]], "X must hold distances of at least 0, got -1"),
            ([[0, np.nan], [np.nan, 0]], "X .*NaN"),
            ([[0, np.inf], [np.inf, 0]], "X .*infinity"),
        ],
    )
    def test_wrong_square_matrices(self, x, message):
        with pytest.raises(ValueError, match=message):
            chamfer.linkage(x, metric="precomputed")

    @pytest.mark.parametrize(
        ("x", "metric", "way_out"),
        [
            (with_value(X, np.nan), "euclidean", "pass metric='nan_euclidean'"),
            (with_value(X, np.inf), "euclidean", "drop its row"),
            (with_value(pdist(X), np.inf), "euclidean", "single, complete, average take infinite"),
            (np.ones(4), "euclidean", r"pass X.reshape\(-1, 1\)"),
            (X[None], "euclidean", r"pass X.reshape\(len\(X\), -1\)"),
            (np.ma.masked_greater(X, 0), "euclidean", r"pass X.filled\("),
            (pd.DataFrame({"a": ["x", "y"]}), "euclidean", "encode it or leave it out"),
            (sparse.csr_array(with_value(X, np.nan)), "euclidean", "fill it in"),
            (sparse.csr_array(X), "cityblock", r"pass X.toarray\(\)"),
            (sparse.csr_array(X * 1j), "euclidean", "take its real part"),
            (X, "haversine", "pass these columns only"),
            (np.ones((3, 3)), "correlation", "drop it or take another metric"),
            (X, "precomputed", "without it"),
            ([[1.0, 0.2], [0.2, 1.0]], "precomputed", "such as 1 - X"),
            ([[0.0, -0.2], [-0.2, 0.0]], "precomputed", "such as 1 - X"),
            ([[0.0, 1.0], [2.0, 0.0]], "precomputed", r"pass \(X \+ X.T\) / 2"),
            ([[0.0, 1e308], [1e308, 0.0]], "precomputed", "scale X down"),
            (X, "euclidian", "did you mean 'euclidean'"),
        ],
    )
    def test_every_refusal_is_one_sentence_with_a_way_out(self, x, metric, way_out):
        with pytest.raises((ValueError, TypeError), match=rf"^(X|metric) .*{way_out}") as caught:
            chamfer.linkage(x, metric=metric)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_one_wrong_entry_of_a_large_matrix(self, dtype):
        square = squareform(pdist(X)).astype(dtype)
        square[13, 2] *= 1.001
        with pytest.raises(ValueError, match=r"X\[2, 13\]"):
            chamfer.linkage(square, metric="precomputed")


class TestOtherArguments:
    @pytest.mark.parametrize("value", ["nope", "Ward", "", None, 3, ["single"]])
    @pytest.mark.parametrize("name", ["method", "engine"])
    def test_choices(self, name, value):
        with pytest.raises(ValueError, match=f"{name} must be one of .*{'single' if name == 'method' else 'dense'}"):
            chamfer.linkage(X, **{name: value})

    @pytest.mark.parametrize("metric", ["nope", ""])
    def test_unknown_metrics(self, metric):
        with pytest.raises(ValueError, match=f"metric must be .*'{metric}'"):
            chamfer.linkage(X, metric=metric)

    @pytest.mark.parametrize("metric", [None, 3, ["euclidean"]])
    def test_metrics_that_are_neither_name_nor_function(self, metric):
        with pytest.raises(TypeError, match="metric must be a name or a function"):
            chamfer.linkage(X, metric=metric)

    @pytest.mark.parametrize("method", reference.CENTRES)
    @pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "cityblock", lambda x, y: 1.0])
    def test_centres_need_euclidean_distances(self, method, metric):
        with pytest.raises(ValueError, match=f"metric must be 'euclidean' for method '{method}'"):
            chamfer.linkage(X, method, metric)

    @pytest.mark.parametrize(
        ("x", "method", "metric"),
        [
            (X, "complete", "euclidean"),
            (X, "chamfer", "euclidean"),
            (X, "average", "cityblock"),
            (pdist(X), "ward", ""),
        ],
    )
    def test_what_the_points_engine_cannot_do(self, x, method, metric):
        with pytest.raises(ValueError, match="engine 'points' takes"):
            chamfer.linkage(x, method, metric or "euclidean", engine="points")

    @pytest.mark.parametrize("n_jobs", [0, 1.5, 2.0, "2", True, np.nan])
    def test_n_jobs(self, n_jobs):
        with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
            chamfer.linkage(X, n_jobs=n_jobs)

    @pytest.mark.parametrize("limit", [0, -1, np.nan, np.inf, "", "x", "4XB", "GB", "inf", "nan", "-4GB"])
    def test_memory_limit_of_wrong_value(self, limit):
        with pytest.raises(ValueError, match="memory_limit must be"):
            chamfer.linkage(X, memory_limit=limit)

    @pytest.mark.parametrize("limit", [True, [], b"4GB"])
    def test_memory_limit_of_wrong_type(self, limit):
        with pytest.raises(TypeError, match="memory_limit must be a number"):
            chamfer.linkage(X, memory_limit=limit)


class TestMessages:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"method": "wards"}, "method .* did you mean 'ward'"),
            ({"method": "chamfer-normalized"}, "method .* did you mean 'chamfer_normalized'"),
            ({"metric": "euclidian"}, "metric .* did you mean 'euclidean'"),
            ({"metric": "chebishev"}, "metric .* did you mean 'chebyshev'"),
            ({"engine": "dens"}, "engine .* did you mean 'dense'"),
            ({"source": "tre"}, "source .* did you mean 'tree'"),
            ({"epsilon": 10**400}, "epsilon must be a number .* that a float can hold"),
            ({"source": None}, "source must be"),
            ({"source": 3}, "source must be"),
            ({"info": "x"}, "info must be a chamfer.Info, got 'x'"),
        ],
    )
    def test_they_name_the_argument_and_what_may_be_meant(self, arguments, words):
        with pytest.raises((ValueError, TypeError), match=words):
            chamfer.linkage(X, **arguments)

    @pytest.mark.parametrize(
        "arguments",
        [
            {"n_neighbors": 0},
            {"epsilon": -1},
            {"epsilon": 0.1, "method": "average"},
            {"t": 2},
            {"engine": "tradeoff", "method": "average"},
            {"engine": "points", "method": "complete"},
            {"engine": "lists", "method": "ward"},
            {"source": "nope"},
            {"source": 3},
            {"info": 3},
            {"checkpoint": 3},
            {"memory_limit": 0},
            {"metric": "cosine", "method": "ward"},
        ],
    )
    def test_one_point_is_no_excuse(self, arguments):
        assert chamfer.linkage([[1.0, 2.0]]).shape == (0, 4)
        with pytest.raises((ValueError, TypeError), match=next(iter(arguments))):
            chamfer.linkage([[1.0, 2.0]], **arguments)

    @pytest.mark.parametrize("run", [chamfer.linkage, chamfer.AgglomerativeClustering(2).fit])
    def test_columns_of_text_are_named(self, run):
        frame = pd.DataFrame({"width": [1.0, 2.0, 3.0], "species": ["setosa", "other", "other"]})
        with pytest.raises(ValueError, match=r"X must be .*column 'species' holds 'setosa'"):
            run(frame)

    def test_places_of_missing_values_are_named(self):
        frame = pd.DataFrame({"width": [1.0, 2.0, 3.0], "length": [1.0, np.nan, 2.0]})
        with pytest.raises(ValueError, match=r"NaN in row 1, column 'length'"):
            chamfer.linkage(frame)
        with pytest.raises(ValueError, match=r"infinity in row 2, column 0"):
            chamfer.linkage([[1.0], [2.0], [np.inf]])
        with pytest.raises(ValueError, match=r"NaN at 1"):
            chamfer.linkage([1.0, np.nan, 2.0])

    def test_the_estimator_names_its_own_argument(self):
        with pytest.raises(ValueError, match=r"linkage must be one of .* did you mean 'ward'"):
            chamfer.AgglomerativeClustering(2, linkage="wards").fit(X)

    def test_infinities_raise_no_warning(self):
        for run in (chamfer.linkage, chamfer.AgglomerativeClustering(2).fit):
            with pytest.raises(ValueError, match="X"):
                run(np.array([[np.inf], [-np.inf], [3.4e38]]))

    @pytest.mark.parametrize("y", [[[1], [2, 3], [4]], [[1, 2], [3], [4]]])
    def test_ragged_labels(self, y):
        with pytest.raises(ValueError, match="y must hold one label for each of 3 points"):
            chamfer.best_cut(chamfer.linkage(X[:3]), y)


class TestRoundingInPrecomputedDistances:
    """What scikit-learn and SciPy accept: rests of rounding where zeros, or equal numbers, should be."""

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_cosine_similarity_and_correlation(self, dtype):
        x = gaussian(3, 60, 12).astype(dtype)
        for D in (1 - cosine_similarity(x), (1 - np.corrcoef(x)).astype(dtype)):
            D[3, 4] = D[3, 4] * (1 + np.finfo(dtype).eps)
            D[5, 6] = D[6, 5] = -np.finfo(dtype).eps
            assert np.diagonal(D).any()
            clean = np.maximum(np.triu(D, 1), 0)
            expected = chamfer.linkage(squareform(clean + clean.T), "average")
            np.testing.assert_array_equal(chamfer.linkage(D, "average", "precomputed"), expected)
            model = chamfer.AgglomerativeClustering(3, metric="precomputed", linkage="average").fit(D)
            np.testing.assert_array_equal(model.linkage_matrix_, expected)
            condensed = squareform(D, checks=False)
            np.testing.assert_array_equal(chamfer.linkage(condensed, "average"), expected)

    @pytest.mark.parametrize("place", [(2, 2), (2, 3)])
    def test_what_is_more_than_rounding(self, place):
        D = squareform(pdist(X))
        D[place] += 1e-6
        with pytest.raises(ValueError, match="X must"):
            chamfer.linkage(D, metric="precomputed")
        y = pdist(X)
        y[3] = -1e-6
        with pytest.raises(ValueError, match="at least 0"):
            chamfer.linkage(y)


class TestMetricsThatMisbehave:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
    def test_functions_that_give_no_distances(self, value):
        with pytest.raises(ValueError, match=r"metric .* gave distances"):
            chamfer.linkage(X, metric=lambda x, y: value)

    def test_functions_that_fail(self):
        def fail(x, y):
            raise KeyError("their own error comes through")

        with pytest.raises(KeyError, match="their own error comes through"):
            chamfer.linkage(X, metric=fail)

    @pytest.mark.parametrize(
        ("metric", "x"),
        [
            pytest.param("correlation", np.ones((5, 3)), id="rows without variance"),
            pytest.param("seuclidean", np.ones((5, 3)), id="columns without variance"),
            pytest.param("jensenshannon", X, id="probabilities below 0"),
            pytest.param("mahalanobis", np.column_stack([X, X[:, 0]]), id="columns that depend on each other"),
            pytest.param("mahalanobis", X[:3], id="too few points for a covariance"),
            pytest.param("cityblock", [[-1.7e308], [1.7e308]], id="overflow"),
        ],
    )
    def test_data_that_a_metric_cannot_take(self, metric, x):
        with pytest.raises(ValueError, match=metric):
            chamfer.linkage(x, metric=metric)

    def test_overflow_in_float32(self):
        x = np.array([[-3e38], [3e38]], dtype=np.float32)
        with pytest.raises(ValueError, match="cityblock"):
            chamfer.linkage(x, metric="cityblock", engine="dense")
        assert chamfer.linkage(x, metric="cityblock")[0, 2] == 2 * float(np.float32(3e38))


# Values that overflow must not crash the interpreter, so a second one takes the risk. Powers of two change no digit: a
# tree that is right is exactly the scaled one.
NEAR_OVERFLOW = """
import itertools
import numpy as np
from scipy.spatial.distance import pdist
import chamfer

X = np.random.default_rng(0).normal(size=(40, 2))
inputs = [(X, "dense", "euclidean"), (X, "dense", "sqeuclidean"), (X, "points", "euclidean"), (pdist(X), "dense", "")]
exponents = {np.float64: [*range(500, 520), *range(1005, 1022)], np.float32: [*range(50, 66), *range(110, 125)]}
for (x, engine, metric), method, dtype in itertools.product(inputs, chamfer.METHODS, exponents):
    metric = metric or "euclidean"
    try:
        expected = chamfer.linkage(x.astype(dtype), method, metric, engine=engine)
    except ValueError:
        continue  # this engine or metric is not for this method
    for exponent in exponents[dtype]:
        print(method, engine, metric, x.ndim, dtype.__name__, exponent, end=": ", flush=True)
        scale = 2.0**exponent
        try:
            Z = chamfer.linkage((x * scale).astype(dtype), method, metric, engine=engine)
        except ValueError as error:
            print("fine" if "X" in str(error) else error)
        except RuntimeWarning as warning:
            print(warning)
        else:
            scaled = expected * [1, 1, scale, 1] * [1, 1, scale if metric == "sqeuclidean" else 1, 1]
            print("fine" if np.array_equal(Z, scaled) else "wrong tree")
"""


@pytest.mark.slow
def test_values_near_overflow_are_refused_or_right():
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", NEAR_OVERFLOW], capture_output=True, text=True, timeout=120
    )
    wrong = [line for line in run.stdout.splitlines() if not line.endswith(": fine")]
    assert not wrong, f"{len(wrong)} cases, among them:\n" + "\n".join(wrong[:: max(1, len(wrong) // 20)])
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    "x",
    [
        pytest.param([[-1.7e308], [1.7e308], [0.0]], id="range larger than any number"),
        pytest.param([[0.0], [1e308], [0.5e308]], id="sums larger than any number"),
    ],
)
def test_ranges_that_overflow(x):
    with pytest.raises(ValueError, match="X spans too wide a range"):
        chamfer.linkage(x)


def test_squares_that_overflow():
    with pytest.raises(ValueError, match="X spans too wide a range"):
        chamfer.linkage([[0.0], [1e200], [3e200]], metric="sqeuclidean")
    np.testing.assert_array_equal(chamfer.linkage([[0.0], [1e200], [3e200]])[:, 2], [1e200, 2e200])


@pytest.mark.parametrize("shape", [(5, 2), (600, 20)])
def test_huge_values_close_to_each_other_are_fine(shape):
    np.testing.assert_array_equal(chamfer.linkage(np.full(shape, 1e308), "average")[:, 2], 0)


@pytest.mark.parametrize("shape", [(5, 2), (600, 20)])
def test_a_column_of_the_smallest_numbers_is_fine(shape):
    x = gaussian(4, *shape)
    x[:, 0] = 0
    expected = chamfer.linkage(x, "average")
    x[0, 0] = 5e-324
    np.testing.assert_array_equal(chamfer.linkage(x, "average"), expected)


def test_a_multiplication_of_another_signature():
    from scipy.linalg.cython_blas import __pyx_capi__ as capsules

    from chamfer import _core

    assert _core.Blas(capsules["sgemm"], capsules["dgemm"])
    for wrong in (("sgemv", "dgemm"), ("sgemm", "dgemv"), ("cdotc", "dgemm")):
        with pytest.raises(ImportError, match="another signature"):
            _core.Blas(*(capsules[name] for name in wrong))
