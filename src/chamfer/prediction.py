"""`Prediction`: what a fitted estimator says of new rows, and in which form."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from chamfer import _core
from chamfer._types import FAST_METRICS, Array, Metric, is_distributed
from chamfer.arrays import text_column
from chamfer.assignment import distances_to_clusters, memberships, nearest_points
from chamfer.inputs import check_choice, check_number, rounding, with_params
from chamfer.threads import check_threads

Own = TypeVar("Own", bound="Prediction")
_FLOATS = np.dtype(np.float64), np.dtype(np.float32)


class Prediction(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Of an estimator whose `fit` keeps its rows as `_fit_X` and their clusters as `labels_`."""

    def predict(self, X: Any) -> Any:
        """Give each row of `X` the cluster of its nearest training point.

        For a single point a, Chamfer's Ch({a}, B) is the distance to the nearest point of B: this is the cluster that
        Chamfer linkage would merge the point with.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
            New observations, or their distances to the training points with ``metric="precomputed"``.

        Returns
        -------
        ndarray or pandas.Series of shape (n_queries,)
            Labels, see `set_output`.
        """
        queries, metric = self._new_points(X)
        nearest = nearest_points(queries, self._fit_X, metric, check_threads(self.n_jobs))
        return self._output(self.labels_[nearest], X)

    def transform(self, X: Any) -> Array:
        """Give how far each row of `X` is from each cluster, by the linkage.

        It is the linkage value of two clusters, the row alone and a cluster of training points, each counted once: the
        distance to the nearest point for ``single`` and ``chamfer`` (for ``chamfer_capped`` without the cap), to the
        farthest for ``complete``, the mean distance for ``average``, and so on. ``weighted`` and ``median`` have no
        such value.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
            Observations, or their distances to the training points with ``metric="precomputed"``.

        Returns
        -------
        ndarray of shape (n_queries, n_clusters)
            A column for each label.

        Examples
        --------
        >>> import chamfer
        >>> model = chamfer.AgglomerativeClustering(2).fit([[0.0], [1.0], [5.0], [6.5]])
        >>> model.transform([[2.0], [6.0]])
        array([[1. , 3. ],
               [5. , 0.5]])
        """
        queries, metric = self._new_points(X)
        return distances_to_clusters(queries, self._fit_X, self.labels_, self.linkage, metric)

    def soft_assign(self, X: Any, fuzziness: float = 2.0) -> Array:
        """Share each row of `X` among the clusters, by how far they are.

        The shares are those of fuzzy c-means for given distances, which here are the linkage's, see `transform`: they
        fall with the power -2 / (`fuzziness` - 1) of the distance, by default with its square, and add up to 1. They
        compare distances and are no probabilities: nothing is assumed, or learned, of how points are distributed. A
        row far from all clusters has nearly equal shares. They do not depend on the unit of `X`.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features) or (n_queries, n_samples)
            Observations, or their distances to the training points with ``metric="precomputed"``.
        fuzziness : float, default=2
            Above 1. Near 1 the nearest cluster has nearly everything; large values make shares equal.

        Returns
        -------
        ndarray of shape (n_queries, n_clusters)
            A column for each label. Clusters at distance 0 share alike, and leave nothing for the others.

        Examples
        --------
        >>> import chamfer
        >>> model = chamfer.AgglomerativeClustering(2).fit([[0.0], [1.0], [5.0], [6.5]])
        >>> model.soft_assign([[2.0], [3.0], [6.5]])
        array([[0.9, 0.1],
               [0.5, 0.5],
               [0. , 1. ]])
        """
        power = check_number("fuzziness", fuzziness)
        if not 1 < power < np.inf:
            raise ValueError(f"fuzziness must be above 1 and finite, got {fuzziness}")
        queries, metric = self._new_points(X)
        return memberships(distances_to_clusters(queries, self._fit_X, self.labels_, self.linkage, metric), power)

    def _new_points(self, X: Any) -> tuple[Any, Metric]:
        """Rows to compare with those of `fit`, and by which metric."""
        check_is_fitted(self)
        if is_distributed(self._fit_X):
            raise ValueError("X of fit was on a cluster, and predict and transform need the points here")
        queries, metric = self._validate(X, reset=False), with_params(self.metric, self.metric_params)
        if callable(metric):
            return matrix_of(metric, queries, self._fit_X), "precomputed"
        return queries, metric

    def set_output(self: Own, *, transform: str | None = None, predict: str | None = None) -> Own:
        """Choose what `transform`, `fit_predict` and `predict` give.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"} or None, default=None
            As for scikit-learn's transformers. None changes nothing.
        predict : {"default", "pandas"} or None, default=None
            ``"default"`` is an array; ``"pandas"`` a series named ``label`` with the index of `X`, or a new one if `X`
            has none. None changes nothing. `labels_` is an array always.

        Returns
        -------
        AgglomerativeClustering
            The estimator itself.

        Examples
        --------
        >>> import chamfer, pandas
        >>> frame = pandas.DataFrame({"x": [0.0, 1.0, 5.0]}, index=["ann", "bob", "eve"])
        >>> chamfer.AgglomerativeClustering(2).set_output(predict="pandas").fit_predict(frame)
        ann    0
        bob    0
        eve    1
        Name: label, dtype: int64
        """
        super().set_output(transform=transform)
        if predict is not None:
            check_choice("predict", predict, ("default", "pandas"))
            # Under the name that scikit-learn's `clone` copies.
            self._sklearn_output_config = {**getattr(self, "_sklearn_output_config", {}), "predict": predict}
        return self

    def _output(self, labels: Array, X: Any) -> Any:
        if not hasattr(self, "_sklearn_output_config") or self._sklearn_output_config.get("predict") != "pandas":
            return labels
        import pandas as pd

        return pd.Series(labels, index=X.index if isinstance(X, pd.DataFrame) else None, name="label")

    def _validate(self, X: Any, reset: bool = True) -> Array:
        """X as scikit-learn's estimators take it, for `fit` or, without `reset`, for `predict`."""
        if reset and self.metric in FAST_METRICS and _is_plain(X):
            # All that `validate_data` would do, which takes 30 times as long as to cluster ten points.
            self.n_features_in_ = X.shape[1]
            self.__dict__.pop("feature_names_in_", None)
            return X  # type: ignore[no-any-return]
        options: dict[str, Any] = {
            "reset": reset,
            "ensure_min_samples": 2 if reset else 1,
            "dtype": [np.float64, np.float32],
        }
        options["ensure_all_finite"] = "allow-nan" if self.metric == "nan_euclidean" else True
        options["accept_sparse"] = "csr" if self.metric in FAST_METRICS else False
        try:
            with np.errstate(invalid="ignore", over="ignore"):  # of sums by which it looks for infinities
                array = validate_data(self, X, **options)
        except (OverflowError, ValueError) as error:
            if isinstance(error, ValueError) and not text_column(X):
                raise
            raise ValueError(f"X must be an array of real numbers: {text_column(X) or error}") from error
        if reset and self.metric == "precomputed" and array.shape[0] != array.shape[1]:
            raise ValueError(f"Distance matrix should be square, got matrix of shape {array.shape} as X")
        if reset and self.metric == "precomputed" and array.min() < -rounding(array):
            raise ValueError(f"Negative values in data: X must hold distances of at least 0, got {array.min()}")
        return array  # type: ignore[no-any-return]


def _is_plain(X: Any) -> bool:
    """Whether X is an array that `validate_data` would return as it is: of floats, finite, with rows and columns."""
    if type(X) is not np.ndarray or X.dtype not in _FLOATS or X.ndim != 2 or len(X) < 2 or X.shape[1] == 0:
        return False
    if X.flags.forc:
        return bool(_core.value_range(X.ravel("K"))[2])
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(np.isfinite(X.sum()))  # finite ones may add up to infinity: those are looked at more closely


def matrix_of(metric: Any, *sets: Array) -> Array:
    """Distances of points by a function of the user's: among each other, or from the first set to the second."""
    try:
        matrix = np.asarray(metric(*sets))
    except TypeError as error:
        given = "X" if len(sets) == 1 else "the new rows and X"
        raise TypeError(
            f"metric must be a function that takes {given} and returns a matrix of distances, as in scikit-learn; "
            f"to use one of two rows, pass metric='precomputed' and cdist(X, X, function): {error}"
        ) from error
    wanted = len(sets[0]), len(sets[-1])
    if matrix.shape != wanted:
        raise ValueError(f"metric must return a matrix of shape {wanted}, got {matrix.shape}")
    return matrix
