"""Sphinx configuration: build with ``sphinx-build -W docs docs/_build``."""

import chamfer

project = "chamfer"
author = "The chamfer developers"
copyright = "2026, The chamfer developers"
release = version = chamfer.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
default_role = "py:obj"

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings have them, for people
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "furo"
html_title = "chamfer"
html_static_path: list[str] = []
