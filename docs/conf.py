"""Sphinx configuration: build with ``sphinx-build -W docs docs/_build``."""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import chamfer

project = "chamfer"
author = "The chamfer developers"
copyright = "2026, The chamfer developers"
release = version = chamfer.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_gallery.gen_gallery"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "py:obj"

autosummary_generate = True
autodoc_typehints = "none"  # the docstrings have them, for people
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 60,  # seconds an example may take
    "show_memory": False,
    "show_signature": False,
    "within_subsection_order": "ExampleTitleSortKey",
    "copyfile_regex": r".*\.txt",
}
suppress_warnings = ["config.cache"]

html_theme = "furo"
html_title = "chamfer"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"


def write_formula(translator: Any, node: Any) -> None:
    """Write a formula as MathML, which browsers show by themselves: no script, no network."""
    translator.body.append(tex2mathml(node.astext(), as_block=isinstance(node, nodes.math_block)))
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Register the writer of formulas."""
    app.add_html_math_renderer("mathml", (write_formula, None), (write_formula, None))
