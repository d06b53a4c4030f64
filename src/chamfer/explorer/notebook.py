"""`Explorer`: the page as an object, which shows itself in a notebook.

With a kernel and anywidget it is a widget, whose state can be read and set; otherwise the page in a frame.
"""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from chamfer._types import Array
from chamfer.explorer.page import make_page, widget_script
from chamfer.inputs import check_integer
from chamfer.trees.dendrogram import Dendrogram
from chamfer.trees.files import write_file

_MOST_BYTES = 4_000_000  # a page up to this size is also stored in the notebook, for readers without a kernel
_HEIGHT = 900  # pixels of the frame


class Explorer:
    """A page to explore a dendrogram, made by `chamfer.explore`.

    In Jupyter, VS Code and marimo it shows itself as the last value of a cell. With anywidget
    (``pip install 'chamfer[notebook]'``) `n_clusters`, `selection` and `labels` follow what is done in the page, and
    setting them changes the page.

    Attributes
    ----------
    path : pathlib.Path or None
        The file written last, if any.

    Examples
    --------
    >>> import chamfer
    >>> page = chamfer.explore([[0, 1, 1.0, 2], [2, 3, 4.0, 3]], n_clusters=2)
    >>> page
    Explorer: 3 points, 2 clusters
    >>> page.labels
    array([0, 0, 1])
    """

    def __init__(self, tree: Dendrogram, content: dict[str, Any], title: str) -> None:
        self.path: Path | None = None
        self._tree = tree
        self._content = content
        self._title = title
        self._state: dict[str, Any] = {
            "n_clusters": content["clusters"],
            "order": content["order"],
            "selection": [],
            "given_labels": [],
        }
        self._widget: Any = None

    def __repr__(self) -> str:
        where = "" if self.path is None else f", saved as {self.path}"
        clusters = f"{self.n_clusters} cluster{'' if self.n_clusters == 1 else 's'}"
        return f"Explorer: {self._tree.n_points:,} points, {clusters}{where}"

    def __fspath__(self) -> str:
        if self.path is None:
            raise ValueError("the explorer has no file; write one with save(path) or explore(output=path)")
        return str(self.path)

    @property
    def n_clusters(self) -> int:
        """Number of clusters shown; can be set."""
        return int(self._get("n_clusters"))

    @n_clusters.setter
    def n_clusters(self, value: int) -> None:
        self._set("given_labels", [])
        self._set("n_clusters", check_integer("n_clusters", value, 1, self._content["most"]))

    @property
    def selection(self) -> Array:
        """Numbers of the points that are chosen, of a cluster or by a search; can be set to any points."""
        return np.array(self._get("selection"), dtype=np.int64)

    @selection.setter
    def selection(self, points: Any) -> None:
        chosen = np.unique(np.asarray(points, dtype=np.int64).ravel()) if np.size(points) else np.empty(0, np.int64)
        if len(chosen) and not (chosen[0] >= 0 and chosen[-1] < self._tree.n_points):
            raise ValueError(f"selection must be numbers of points from 0 to {self._tree.n_points - 1}")
        self._set("selection", chosen.tolist())

    @property
    def labels(self) -> Array:
        """Labels of the points: those of the cut shown, or those that were set and colour the map; -1 is noise."""
        given = self._get("given_labels")
        if given:
            return np.array(given, dtype=np.int64)
        return self._tree.cut(self.n_clusters, order=self._get("order"))

    @labels.setter
    def labels(self, labels: Any) -> None:
        if labels is None:
            self._set("given_labels", [])
            return
        given = np.asarray(labels)
        if given.shape != (self._tree.n_points,) or given.dtype.kind not in "iu" or given.min() < -1:
            raise ValueError(f"labels must be {self._tree.n_points} integers of at least -1")
        self._set("given_labels", given.tolist())

    def save(self, path: str | Path) -> Path:
        """Write the page, in its present state, to a file that needs neither other files nor network.

        Parameters
        ----------
        path : str or path
            File to write.

        Returns
        -------
        pathlib.Path
            The file.
        """
        write_file(Path(path), self._page().encode())
        self.path = Path(path)
        return self.path

    @property
    def widget(self) -> Any:
        """The page as an anywidget, with the traits `n_clusters`, `order` and `selection`."""
        if _widget_class() is None:
            raise ImportError("a widget needs anywidget; install it with: pip install 'chamfer[notebook]'")
        if self._widget is None:
            self._widget = _widget_class()(page=self._page(notebook=True), height=_HEIGHT, **self._state)
        return self._widget

    def _get(self, key: str) -> Any:
        return self._state[key] if self._widget is None else getattr(self._widget, key)

    def _set(self, key: str, value: Any) -> None:
        if self._widget is None:
            self._state[key] = value
        else:
            setattr(self._widget, key, value)

    def _page(self, notebook: bool = False) -> str:
        now = {
            "clusters": self.n_clusters,
            "order": self._get("order"),
            "selection": self._get("selection") or None,
            "labels": self._get("given_labels") or None,
            "notebook": notebook,
        }
        return make_page(self._title, self._content | now)

    def _repr_html_(self) -> str:
        page = escape(self._page(), quote=True)
        return (
            f'<iframe srcdoc="{page}" title="Explorer of a dendrogram" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        if _has_kernel() and _widget_class() is not None:
            shown = self.widget._repr_mimebundle_(include=include, exclude=exclude)
            bundle |= shown[0] if isinstance(shown, tuple) else shown or {}
        html = self._repr_html_()
        if len(html) <= _MOST_BYTES or len(bundle) == 1:
            bundle["text/html"] = html
        return bundle

    def _display_(self) -> Any:
        """What marimo shows."""
        import marimo

        return marimo.Html(self._repr_html_()) if _widget_class() is None else marimo.ui.anywidget(self.widget)


def _has_kernel() -> bool:
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return getattr(get_ipython(), "kernel", None) is not None


@cache
def _widget_class() -> Any:
    """The class of widgets, made when one is needed; None without anywidget."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        return None

    class ExplorerWidget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = widget_script()
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        n_clusters = traitlets.Int().tag(sync=True)
        order = traitlets.Unicode().tag(sync=True)
        selection = traitlets.List().tag(sync=True)
        given_labels = traitlets.List().tag(sync=True)

    return ExplorerWidget
