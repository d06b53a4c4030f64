"""The tables of the Chamfer paper from our own runs, cell by cell beside the printed numbers.

    data sets × linkages ──► cells (kept in one file, never run twice) ──► tables ──► Markdown, CSV, HTML

Run ``python -m paper`` in a clone of the repository, with chamfer installed. Nothing here is part of the package, and
only public names of chamfer are used.

===============  ======================================================================================
``__main__``     the command line
``run``          which cells there are, and running those that are missing
``cells``        what is measured in a cell
``peers``        the other libraries and clusterings that we are compared with
``store``        the file that keeps finished cells
``printed``      the printed numbers
``tables``       ours beside the paper's
``summaries``    their last rows: means over data sets
``differences``  where they differ, and why
``markdown``     the report as text
``page``         the report as a self-contained HTML page
``plots``        its figures
===============  ======================================================================================
"""
