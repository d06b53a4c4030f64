"""What epsilon saves and costs Chamfer linkage: searches, seconds, and scores against the classes.

python benchmarks/epsilon.py --data DIR                        # MNIST, 20,000 and 70,000 points
python benchmarks/epsilon.py --data DIR --points 20000 --method chamfer_normalized
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import chamfer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(), help="directory of NAME.npz with X and y")
    parser.add_argument("--name", default="mnist", help="data set (%(default)s)")
    parser.add_argument("--points", type=int, nargs="+", default=[20_000, 70_000])
    parser.add_argument("--method", default="chamfer")
    parser.add_argument("--metrics", nargs="+", default=["euclidean", "sqeuclidean"])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0, 0.01, 0.1, 0.5])
    options = parser.parse_args()
    with np.load(options.data / f"{options.name}.npz") as data:
        X, y = data["X"].astype(np.float32), data["y"]
    columns = ("points", "metric", "epsilon", "refreshes", "refreshed", "search s", "merges s", "seconds", "height")
    print("| " + " | ".join((*columns, "ARI at k", "best ARI")) + " |", "|---" * 11 + "|", sep="\n")
    for n in options.points:
        for metric in options.metrics:
            for epsilon in options.epsilons:
                info, start = chamfer.Info(), time.perf_counter()
                Z = chamfer.linkage(X[:n], options.method, metric, engine="lists", epsilon=epsilon, info=info)
                seconds, truth = time.perf_counter() - start, y[: len(Z) + 1]
                row = [f"{len(truth):,}", metric, epsilon, info.refreshes, f"{info.refreshed:,}"]
                row += [f"{info.seconds['refresh']:.1f}", f"{info.seconds['merge']:.1f}", f"{seconds:.1f}"]
                row += [
                    chamfer.tree_height(Z),
                    f"{at_classes(Z, truth):.3f}",
                    f"{chamfer.best_cut(Z, truth).score:.3f}",
                ]
                print("| " + " | ".join(map(str, row)) + " |", flush=True)


def at_classes(Z: np.ndarray, y: np.ndarray) -> float:
    """Adjusted Rand index of as many clusters as there are classes."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(y, chamfer.cut(Z, n_clusters=len(np.unique(y)))))


if __name__ == "__main__":
    main()
