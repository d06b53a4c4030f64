"""A folder of files, and commands in any order: what is read stays, what fails leaves no trace, what is written can be
read.
"""

import csv
import json
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import chamfer
from command_line import call

NAMES = ["a.csv", "b.csv.gz", "c.npy", "d.npz", "e.npz", "f.parquet", "g.json", "h.check"]
CHECKPOINT = b"chamfer checkpoint "
LINKS = {"soft.csv": "a.csv", "soft.npz": "d.npz"}
some_name = st.sampled_from([*NAMES, *LINKS])


class Folder(RuleBasedStateMachine):
    """Files are made, damaged, linked and written over by commands; `check` runs each of these."""

    @initialize(seed=st.integers(0, 99))
    def start(self, seed):
        self.before = os.getcwd()
        self.folder = Path(tempfile.mkdtemp(prefix="chamfer-test-"))
        os.chdir(self.folder)
        self.table("a.csv", 5, seed, True)
        self.table("d.npz", 4, seed, False)
        for link, target in LINKS.items():
            os.symlink(target, link)

    def teardown(self):
        if hasattr(self, "folder"):
            os.chdir(self.before)
            shutil.rmtree(self.folder)

    @rule(name=some_name, rows=st.integers(1, 6), seed=st.integers(0, 99), named=st.booleans())
    def table(self, name, rows, seed, named):
        frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(rows, 2)).round(2), columns=["x", "y"])
        if named:
            frame["label"] = [f"=row {i}" for i in range(rows)]
        ending = Path(name).suffix
        if ending in (".npy", ".npz"):
            (np.save if ending == ".npy" else np.savez)(name, frame[["x", "y"]].to_numpy())
        elif ending == ".parquet":
            frame.to_parquet(name)
        else:
            frame.to_csv(name, index=False, sep="\t" if ending == ".tsv" else ",")

    @rule(name=some_name, place=st.floats(0, 1), how=st.sampled_from(["cut", "flip", "add", "empty"]))
    def damage(self, name, place, how):
        path = self.folder / name
        content = path.read_bytes() if path.exists() else b""
        at = int(place * max(0, len(content) - 1))
        flipped = bytes([each ^ 0xFF for each in content[at : at + 1]])
        damaged = {
            "cut": content[:at],
            "flip": content[:at] + flipped + content[at + 1 :],
            "add": content + b"\xff" * 9,
        }
        path.write_bytes(damaged.get(how, b""))

    @rule(name=st.sampled_from(NAMES), new=st.sampled_from(NAMES))
    def move(self, name, new):
        if (self.folder / name).is_file():
            os.replace(name, new)

    @rule(
        data=some_name,
        k=st.integers(0, 4),
        output=some_name,
        tree=st.none() | some_name,
        checkpoint=st.none() | some_name,
        named=st.booleans(),
        raw=st.booleans(),
    )
    def cluster(self, data, k, output, tree, checkpoint, named, raw):
        words = ["cluster", data, "-k", k, "-o", output]
        words += [] if tree is None else ["--save-tree", tree]
        words += [] if checkpoint is None else ["--checkpoint", checkpoint]
        words += ["--id-column", "label"] if named else []
        written = self.check([*words, *(["--raw-names"] if raw else [])], [data], [output, tree], checkpoint)
        if written and Path(output).suffix != ".npy":
            assert len(self.labels(output)) >= max(1, k)
        if written and tree is not None:
            chamfer.Dendrogram(np.load(tree)["Z"])

    @rule(
        tree=some_name, k=st.integers(0, 4), output=some_name, order=st.sampled_from(["merge", "cumulative", "mrege"])
    )
    def cut(self, tree, k, output, order):
        if self.check(["cut", tree, "-k", k, "-o", output, "--order", order], [tree], [output]):
            assert len(self.labels(output)) >= k

    @rule(tree=some_name, output=some_name, form=st.sampled_from(["newick", "json"]))
    def export(self, tree, output, form):
        if self.check(["export", tree, "-o", output, "--format", form], [tree], [output]):
            text = (self.folder / output).read_text(encoding="utf-8")
            assert text.endswith(";\n") if form == "newick" else json.loads(text)

    @rule(data=some_name, output=some_name)
    def explore(self, data, output):
        if self.check(["explore", data, "-o", output], [data], [output]):
            assert (self.folder / output).read_text(encoding="utf-8").rstrip().endswith("</html>")

    @rule(data=some_name)
    def compare(self, data):
        self.check(["compare", data, "--labels", "label", "--linkages", "ward"], [data], [])

    def check(self, words, inputs, outputs, checkpoint=None):
        """Run a command; give whether it wrote its outputs."""
        before = self.contents()
        done = call("", *words)
        after = self.contents()
        assert done.code in (0, 1, 2), done
        assert "Traceback" not in done.err
        may_change = {self.real(each) for each in outputs if each is not None and done.code == 0}
        # Answers that were computed are kept even if the command fails later.
        if checkpoint is not None and before.get(self.real(checkpoint), b"")[: len(CHECKPOINT)] in (b"", CHECKPOINT):
            may_change.add(self.real(checkpoint))
        may_change -= {self.real(each) for each in inputs}
        for name in before.keys() | after.keys():
            assert before.get(name) == after.get(name) or name in may_change, (words, name, done)
        if done.code:
            assert done.err.splitlines()[-1].startswith("chamfer"), done
        return done.code == 0

    def contents(self):
        return {each.name: each.read_bytes() for each in self.folder.iterdir() if not each.is_symlink()}

    def real(self, name):
        return LINKS.get(name, name)

    def labels(self, name):
        """Rows of a file of labels, without the header."""
        ending = Path(name).suffix
        if ending == ".npy":
            return np.load(name)
        if ending == ".parquet":
            return pd.read_parquet(name)
        with open(name, newline="", encoding="utf-8") as file:
            return list(csv.reader(file, delimiter="\t" if ending == ".tsv" else ","))[1:]

    @invariant()
    def links_stay_links(self):
        for link, target in LINKS.items():
            assert not hasattr(self, "folder") or os.readlink(link) == target


TestFolder = pytest.mark.slow(Folder.TestCase)
TestFolder.settings = settings(max_examples=40, stateful_step_count=40)
