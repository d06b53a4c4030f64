"""One HTML page from its parts: the frame, the style, the scripts and the data."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
# Joined in this order into one script; what a file uses when it is read stands in one before it.
SCRIPTS = ("data", "cut", "colors", "tree", "points", "map", "panels", "choice", "export", "link", "main")


def make_page(title: str, content: dict[str, Any]) -> str:
    """Write the page; `content` is what ``scripts/data.js`` reads."""
    # Inside a script no character may look like the start of a tag.
    data = json.dumps(content, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    parts = {
        "/*style*/": _read("page.css"),
        "/*script*/": "\n".join(_read(f"scripts/{name}.js") for name in SCRIPTS),
        "<!--title-->": escape(title),
        "<!--map-->": escape(content["map"]["kind"]) if content.get("map") else "",
        "/*data*/": data,
    }
    # One pass, so that a name or title which contains a mark stays as it is.
    page = re.sub("|".join(map(re.escape, parts)), lambda mark: parts[mark[0]], _read("page.html"))
    # Half of a surrogate pair, which UTF-8 cannot hold, becomes an escape that JSON knows.
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def widget_script() -> str:
    """The module that shows a page in a notebook."""
    return _read("scripts/widget.js")


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
