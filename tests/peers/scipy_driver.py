"""What takes the place of SciPy's functions in its ``test_hierarchy.py``."""

import chamfer.compat.scipy as ours


def replacements():
    return {name: getattr(ours, name) for name in ours.__all__}


# Tests that fail, and why.
DIFFERENCES = {
    "test_hierarchy.py::TestDendrogram::test_valid_label_size": "the message: labels must name all 4 points, got 100",
}
