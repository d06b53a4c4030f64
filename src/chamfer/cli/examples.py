"""Tables to try the commands on, without a file of one's own: they come with scikit-learn."""

from __future__ import annotations

from typing import Any

from chamfer.cli.cells import objects
from chamfer.cli.tables import Table

EXAMPLES = {  # the name of the classes in each, and what it holds
    "iris": ("species", "150 flowers, 4 measures, 3 species"),
    "wine": ("cultivar", "178 wines, 13 measures in different units, 3 cultivars"),
    "digits": ("digit", "1,797 handwritten digits of 8 x 8 pixels"),
}


def example_table(name: str) -> Table:
    """Give a table of measures, and beside them the class of each row, as text."""
    import sklearn.datasets

    data: Any = getattr(sklearn.datasets, f"load_{name}")()
    names = [str(each).removesuffix(" (cm)").replace(" ", "_") for each in data.feature_names]
    columns = dict(zip(names, data.data.T, strict=True))
    return Table(columns | {EXAMPLES[name][0]: objects(data.target_names[data.target].astype(str).tolist())}, name)
