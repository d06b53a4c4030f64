"""``chamfer reproduce``: the paper's tables from our own runs, cell by cell beside the printed numbers.

    data sets × linkages ──► cells (kept in one file, never run twice) ──► tables ──► Markdown, CSV, HTML

===============  ======================================================================================
``command``      the command line
``run``          which cells there are, and running those that are missing
``cells``        what is measured in a cell
``peers``        the other libraries and clusterings that we are compared with
``store``        the file that keeps finished cells
``paper``        the printed numbers
``tables``       ours beside the paper's
``differences``  where they differ, and why
``markdown``     the report as text
``page``         the report as a self-contained HTML page
``plots``        its figures
===============  ======================================================================================
"""

from chamfer.reproduction.command import add_reproduce

__all__ = ["add_reproduce"]
