"""The data sets of the Chamfer paper by name: part of scikit-learn, fetched by it, or read from a directory.

Every set of the paper's table is known with its numbers of points, columns and classes. What was computed
with large models (embeddings of images and texts) cannot be fetched; it is read from files that the user
provides, as is every set that the paper does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from chamfer._types import Array


@dataclass(frozen=True, eq=False)
class Dataset:
    """Points and their classes.

    Attributes
    ----------
    name : str
        As in the paper's table, or of the file.
    X : ndarray of shape (n, d)
        The points.
    y : ndarray of shape (n,)
        The class of each point.
    """

    name: str
    X: Array
    y: Array

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(np.unique(self.y))

    @property
    def differences(self) -> list[str]:
        """What sets this data apart from the paper's of the same name; empty if nothing does."""
        if self.name not in PAPER:
            return ["not one of the paper's data sets"]
        paper = PAPER[self.name]
        found = {"points": self.X.shape[0], "columns": self.X.shape[1], "classes": self.n_classes}
        wanted = {"points": paper.n, "columns": paper.d, "classes": paper.n_classes}
        return [f"{found[what]} {what}, the paper {wanted[what]}" for what in found if found[what] != wanted[what]]


@dataclass(frozen=True)
class Description:
    """A row of the paper's table of data sets, and how to get it."""

    n: int
    d: int
    n_classes: int
    kind: str
    get: Callable[[], tuple[Any, Any]] | None = None
    embedded: bool = False
    aliases: tuple[str, ...] = ()
    advice: str = ""


class DatasetUnavailableError(FileNotFoundError):
    """A data set is neither in the directory nor to be had from elsewhere; the message says what to do."""


def load(name: str, directory: str | Path | None = None, *, download: bool = True) -> Dataset:
    """Load a data set of the paper, or one of your own.

    Parameters
    ----------
    name : str
        A name of the paper's table (a key of `PAPER`), or of a file in `directory`.
    directory : str or Path, optional
        Where to look first: for ``name.npz`` with the arrays ``X`` and ``y``, or for ``name.npy`` with
        ``name_labels.npy`` or ``name_labels.txt`` (one label a line). Hyphens, underscores and case do not
        count.
    download : bool, default=True
        Let scikit-learn fetch what is neither in the directory nor part of it, and keep it in its cache.

    Returns
    -------
    Dataset
        With `X`, `y` and `name`; `differences` tells whether it is what the paper used.

    Examples
    --------
    >>> from chamfer import datasets
    >>> iris = datasets.load("iris")
    >>> iris.X.shape, iris.n_classes, iris.differences
    ((150, 4), 3, [])
    """
    known = _known_name(name)
    path = None if directory is None else _find_file(name, known, Path(directory))
    if path is not None:
        return _read(known or path.stem, path)
    if known is None:
        where = "; pass a directory to read another" if directory is None else f", or a file in {directory}"
        raise DatasetUnavailableError(f"name must be one of {', '.join(PAPER)}{where}, got {name!r}")
    return _get(known, download)


def _get(name: str, download: bool) -> Dataset:
    paper = PAPER[name]
    files = f"put {name}.npz with arrays X and y (or {name}.npy, {name}_labels.npy) into a directory and pass it"
    if paper.get is None:
        raise DatasetUnavailableError(f"{name} cannot be fetched: {paper.advice}; {files}")
    if not (download or paper.embedded):
        raise DatasetUnavailableError(f"{name} is not embedded in scikit-learn: allow downloads, or {files}")
    try:
        X, y = paper.get()
    except (OSError, ValueError) as error:  # scikit-learn raises either when there is no network
        raise DatasetUnavailableError(f"{name} could not be fetched ({error}); {files}") from error
    return Dataset(name, np.asarray(X), np.asarray(y))


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


def _known_name(name: str) -> str | None:
    for known, paper in PAPER.items():
        if _plain(name) in {_plain(each) for each in (known, *paper.aliases)}:
            return known
    return None


def _find_file(name: str, known: str | None, directory: Path) -> Path | None:
    if not directory.is_dir():
        raise DatasetUnavailableError(f"directory must be an existing directory, got {str(directory)!r}")
    wanted = {_plain(name)}
    if known is not None:
        wanted |= {_plain(each) for each in (known, *PAPER[known].aliases)}
    files = sorted(path for ending in ("*.npz", "*.npy") for path in directory.glob(ending))
    return next((path for path in files if _plain(path.stem) in wanted), None)


def _read(name: str, path: Path) -> Dataset:
    try:
        X, y = _read_npz(path) if path.suffix == ".npz" else (np.load(path, allow_pickle=False), _read_labels(path))
    except (ValueError, OSError, BadZipFile) as error:
        raise ValueError(f"{path} cannot be used: {error}") from error
    if X.ndim != 2 or X.dtype.kind not in "buif":
        raise ValueError(f"{path} must hold numbers of shape (n, d) as X, got {X.dtype} of shape {X.shape}")
    if y.shape != (len(X),):
        raise ValueError(f"{path} must hold one label for each of {len(X)} points, got shape {y.shape}")
    return Dataset(name, X, y)


def _read_npz(path: Path) -> tuple[Array, Array]:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        if not {"X", "y"} <= set(arrays.files):
            raise ValueError(f"it must hold arrays X and y, got {', '.join(arrays.files) or 'none'}")
        return arrays["X"], arrays["y"]


def _read_labels(path: Path) -> Array:
    binary, text = (path.with_name(f"{path.stem}_labels.{ending}") for ending in ("npy", "txt"))
    if binary.exists():
        return np.asarray(np.load(binary, allow_pickle=False))
    if text.exists():
        return np.array(text.read_text().split("\n")[: len(np.load(path, mmap_mode="r"))])
    raise ValueError(f"its labels are missing: {binary.name} or {text.name}")


def _scikit_learn(loader: str) -> Callable[[], tuple[Any, Any]]:
    def get() -> tuple[Any, Any]:
        from sklearn import datasets

        X, y = getattr(datasets, loader)(return_X_y=True)
        return X, y

    return get


def _openml(number: int) -> Callable[[], tuple[Any, Any]]:
    def get() -> tuple[Any, Any]:
        from sklearn.datasets import fetch_openml

        X, y = fetch_openml(data_id=number, as_frame=False, return_X_y=True)
        return X, y

    return get


def _newsgroups() -> tuple[Any, Any]:
    """Twenty newsgroups as 128 directions of their TF-IDF matrix: a stand-in for the paper's embeddings."""
    from sklearn.datasets import fetch_20newsgroups_vectorized
    from sklearn.decomposition import TruncatedSVD

    words, y = fetch_20newsgroups_vectorized(subset="all", remove=("headers", "footers", "quotes"), return_X_y=True)
    return TruncatedSVD(128, random_state=0).fit_transform(words), y


_CLIP = "the paper used embeddings of its images by CLIP ViT-B/32"
_QWEN = "the paper used embeddings of its texts by Qwen3-Embedding-8B"
_COIL = "download the images from Columbia University's CAVE laboratory and flatten them"
_TABLE, _IMAGES, _SEEN, _TOLD = "Tabular", "Raw Images", "Image Embeddings", "Text Embeddings"

PAPER: dict[str, Description] = {
    "iris": Description(150, 4, 3, _TABLE, _scikit_learn("load_iris"), True),
    "wine": Description(178, 13, 3, _TABLE, _scikit_learn("load_wine"), True),
    "cancer": Description(569, 30, 2, _TABLE, _scikit_learn("load_breast_cancer"), True, ("breast_cancer",)),
    "digits": Description(1797, 64, 10, _IMAGES, _scikit_learn("load_digits"), True),
    "faces": Description(
        400, 4096, 40, _IMAGES, _scikit_learn("fetch_olivetti_faces"), aliases=("olivetti", "olivetti_faces")
    ),
    "coil-20": Description(1440, 16384, 20, _IMAGES, advice=_COIL),
    "coil-100": Description(7200, 49152, 100, _IMAGES, advice=_COIL),
    "alloprof": Description(2556, 4096, 13, _TOLD, advice=_QWEN),
    "usps": Description(9298, 256, 10, _IMAGES, _openml(41082)),
    "hal": Description(26233, 4096, 10, _TOLD, advice=_QWEN),
    "news": Description(59545, 4096, 20, _TOLD, _newsgroups, aliases=("newsgroups", "20newsgroups")),
    "cifar-10": Description(60000, 512, 10, _SEEN, advice=_CLIP),
    "cifar-100": Description(60000, 512, 100, _SEEN, advice=_CLIP),
    "mnist": Description(70000, 784, 10, _IMAGES, _openml(554), aliases=("mnist_784",)),
    "fashion-mnist": Description(70000, 512, 10, _SEEN, _openml(40996)),
    "birds": Description(84635, 1024, 525, _SEEN, advice="the paper used embeddings of its images by ConvNeXt"),
    "food-101": Description(101000, 512, 101, _SEEN, advice=_CLIP),
    "emnist": Description(131600, 512, 47, _SEEN, advice=_CLIP),
    "reddit": Description(420464, 1024, 50, _TOLD, advice="the paper used embeddings of its titles by GTE-large"),
    "covertype": Description(581012, 54, 7, _TABLE, _scikit_learn("fetch_covtype"), aliases=("covtype",)),
}
