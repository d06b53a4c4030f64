"""What takes the place of fastcluster in its tests: the module as a whole."""

import sys

import chamfer.compat.fastcluster as ours

sys.modules["fastcluster"] = ours


def replacements():
    return {"fc": ours, "fastcluster": ours}


DIFFERENCES = {}
