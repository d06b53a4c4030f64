"""Run the command line in this process, and files to run it on."""

import contextlib
import io
from typing import NamedTuple

import matplotlib
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from chamfer import cli

matplotlib.use("Agg")

IRIS = load_iris(as_frame=True)
POINTS = np.array([[0.0, 0.0], [1.0, 0.5], [9.0, 9.0], [9.5, 8.0], [0.5, 7.0], [1.5, 7.5]])
TABLE = "name,kind,x,y\n" + "".join(f"point {i},{i // 2},{x},{y}\n" for i, (x, y) in enumerate(POINTS))


class Done(NamedTuple):
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


def call(line, *more):
    """Run a command, its words separated by spaces, with `more` words that may hold any character."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = cli.main([*line.split(), *map(str, more)])
        except SystemExit as stop:  # argparse leaves this way
            code = stop.code
    return Done(code, out.getvalue(), err.getvalue())


def refused(done, name, message=""):
    """Check that a command ended with one line that starts with the name of a file, and give the line."""
    assert done.code == 1, done
    assert "Traceback" not in done.err
    (line,) = [each for each in done.err.splitlines() if not each.startswith("note: ")]
    assert line.startswith(f"chamfer: error: {name}: ")
    assert message in line
    return line


def labels_of(text):
    """Labels in what a command printed."""
    return pd.read_csv(io.StringIO(text))["label"].to_numpy()
