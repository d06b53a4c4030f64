"""The commands that take data and trees, on real files, good and bad."""

import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import chamfer
from command_line import IRIS, labels_of

X = IRIS.data.to_numpy()


class TestCluster:
    def test_weights_are_a_column(self, iris, command):
        rows = ["x,many", "0,1", "1,1", "4,3", "6,1"]
        with open("weighted.csv", "w") as file:
            file.write("\n".join(rows))
        code, out, _ = command("cluster weighted.csv --linkage average -k 2 --weight-column many")
        assert (code, out.split()) == (0, ["label", "0", "0", "1", "1"])
        command("cluster weighted.csv --linkage average --weight-column many --save-tree tree.npz --quiet")
        Z = chamfer.linkage([[0.0], [1.0], [4.0], [6.0]], "average", sample_weight=[1, 1, 3, 1])
        np.testing.assert_array_equal(np.load("tree.npz")["Z"], Z)

    def test_labels_are_those_of_the_library(self, iris, command):
        code, out, err = command("cluster iris.csv -k 3")
        assert code == 0
        np.testing.assert_array_equal(labels_of(out), chamfer.cut(chamfer.linkage(X), n_clusters=3))
        assert "skipped non-numeric columns: 'name' (such as 'flower 0'), 'species'" in err
        assert "150 points in 3 clusters of 64, 50, 36 (chamfer, euclidean" in err

    def test_without_k_the_number_is_chosen(self, iris, command):
        choice = chamfer.choose(chamfer.linkage(X), X)
        wanted = chamfer.cut(chamfer.linkage(X), choice.n_clusters)
        for line in ("cluster iris.csv", "cluster iris.csv -k auto"):
            code, out, err = command(line)
            assert code == 0
            np.testing.assert_array_equal(labels_of(out), wanted)
            assert f"note: k = {choice.n_clusters} by separation: {choice.suggestions[0].reason}" in err
        assert json.loads(command("cluster iris.csv --json")[1])["criterion"] == "separation"

    def test_checkpoint_is_made_and_used(self, iris, command):
        first = command("cluster iris.csv -k 3 --quiet --checkpoint run.checkpoint")
        assert first[0] == 0
        assert command("cluster iris.csv -k 3 --quiet --checkpoint run.checkpoint") == first
        code, _, err = command("cluster iris.csv -k 3 --metric cosine --checkpoint run.checkpoint")
        assert code == 1
        assert "checkpoint run.checkpoint is of a run with metric 'euclidean', not 'cosine'" in err

    @pytest.mark.parametrize(
        ("options", "cluster"),
        [
            ("-k 4 --linkage ward", lambda: chamfer.cut(chamfer.linkage(X, "ward"), n_clusters=4)),
            (
                "-k 3 --linkage single --min-size 20",
                lambda: chamfer.cut(chamfer.linkage(X, "single"), n_clusters=3, min_size=20, X=X),
            ),
            ("--max-size 40", lambda: chamfer.cut(chamfer.linkage(X), max_size=40)),
            ("--height 2.5", lambda: chamfer.cut(chamfer.linkage(X), height=2.5)),
            (
                "-k 4 --order cumulative",
                lambda: chamfer.cut(chamfer.linkage(X), n_clusters=4, order="cumulative"),
            ),
            ("-k 3 --metric cosine", lambda: chamfer.cut(chamfer.linkage(X, metric="cosine"), n_clusters=3)),
            (
                "-k 3 --drop sepal_length,sepal_width",
                lambda: chamfer.cut(chamfer.linkage(X[:, 2:]), n_clusters=3),
            ),
            (
                "-k 3 --columns petal_width,sepal_length",
                lambda: chamfer.cut(chamfer.linkage(X[:, [3, 0]]), n_clusters=3),
            ),
            (
                "-k 3 --standardize",
                lambda: chamfer.cut(chamfer.linkage((X - X.mean(0)) / X.std(0)), n_clusters=3),
            ),
            ("-k 3 --float32 --jobs 1", lambda: chamfer.cut(chamfer.linkage(X.astype("f4")), n_clusters=3)),
        ],
    )
    def test_options_mean_what_they_say(self, iris, command, options, cluster):
        code, out, _ = command(f"cluster iris.csv {options}")
        assert code == 0
        np.testing.assert_array_equal(labels_of(out), cluster())

    def test_names_beside_labels_in_a_file(self, iris, command):
        code, out, err = command("cluster iris.csv -k 3 --id-column name -o labels.csv --quiet")
        assert (code, out, err) == (0, "", "")
        written = pd.read_csv("labels.csv")
        assert list(written.columns) == ["name", "label"]
        assert written["name"].tolist() == iris["name"].tolist()

    @pytest.mark.parametrize("ending", ["tsv", "npy", "parquet"])
    def test_other_formats_of_labels(self, iris, command, ending):
        assert command(f"cluster iris.csv -k 3 -o labels.{ending}")[0] == 0
        read = {
            "tsv": lambda name: pd.read_csv(name, sep="\t")["label"],
            "npy": np.load,
            "parquet": lambda name: pd.read_parquet(name)["label"],
        }
        np.testing.assert_array_equal(read[ending](f"labels.{ending}"), chamfer.cut(chamfer.linkage(X), n_clusters=3))

    def test_json(self, iris, command):
        code, out, _ = command("cluster iris.csv -k 3 --json")
        summary = json.loads(out)
        assert code == 0
        assert summary["n_clusters"] == 3
        assert summary["sizes"] == np.bincount(summary["labels"]).tolist()
        assert summary["columns"] == ["sepal_length", "sepal_width", "petal_length", "petal_width"]
        assert (summary["linkage"], summary["metric"]) == ("chamfer", "euclidean")
        code, out, _ = command("cluster iris.csv -k 3 --json -o labels.csv")
        assert "labels" not in json.loads(out)
        assert len(pd.read_csv("labels.csv")) == 150

        summary = json.loads(command("cluster iris.csv -k 3 --json --id-column name")[1])
        assert summary["ids"] == iris["name"].tolist()

    @pytest.mark.parametrize("name", ["x.parquet", "x.feather"])
    def test_the_index_of_a_data_frame_is_kept(self, iris, command, name):
        frame = IRIS.data.set_index(pd.Index(np.arange(150) * 7, name="flower"))
        (frame.to_parquet if name.endswith("parquet") else frame.reset_index().set_index("flower").to_feather)(name)
        code, out, _ = command(f"cluster {name} -k 3")
        written = pd.read_csv(io.StringIO(out))
        assert code == 0
        assert written["flower"].tolist() == frame.index.tolist()
        np.testing.assert_array_equal(written["label"], chamfer.cut(chamfer.linkage(X), n_clusters=3))
        assert command(f"cluster {name} -k 3 --id-column flower")[1] == out

    def test_levels_of_an_index_are_names_and_never_coordinates(self, iris, command):
        frame = IRIS.data.set_index([IRIS.target.rename("species"), pd.Index(range(150), name="number")])
        frame.to_parquet("x.parquet")
        assert command("cluster x.parquet -k 3")[1].startswith("label\n")
        assert command("cluster x.parquet -k 3 --id-column number")[1].startswith("number,label\n0,0\n")
        assert "150 points in 3 classes" in command("compare x.parquet --labels species --linkages ward")[1]

    @pytest.mark.slow
    def test_from_a_pipe_into_a_pipe(self, iris):
        line = f"cat iris.csv | {sys.executable} -m chamfer cluster - -k 3 | head -n 2"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
        assert done.stdout == "label\n0\n"
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("line", "code", "message"),
        [
            ("cluster iris.csv -k 3 --height 2", 2, "not allowed with argument"),
            ("cluster iris.csv -k three", 2, "must be an integer or 'auto', got 'three'"),
            ("cluster iris.csv -k 3 --linkage best", 2, "invalid choice: 'best'"),
            ("cluster iris.csv -k 151", 1, "-k must be between 1 and 150, got 151"),
            (
                "cluster iris.csv -k 3 --metric taxi",
                2,
                "argument --metric: metric must be",
            ),
            ("cluster nothing.csv -k 3", 1, "nothing.csv: there is no such file"),
            ("cluster iris.csv -k 3 --columns petal_with", 1, "did you mean 'petal_width'?"),
            ("cluster iris.csv -k 3 --columns species", 1, "--columns asks for 'species': text, not numbers"),
            ("cluster iris.csv -k 3 --id-column nom", 1, "--id-column: there is no column 'nom'"),
            ("cluster iris.csv -k 3 --weight-column nom", 1, "--weight-column: there is no column 'nom'"),
            ("cluster iris.csv -k 3 --weight-column species", 1, "--weight-column must hold a number for each of 150"),
            ("cluster iris.csv -k 3 -o nowhere/labels.csv", 1, "--output: there is no folder nowhere"),
            ("cluster iris.csv -k 3 -o labels.doc", 1, "--output: the file must end in .csv or .tsv"),
            ("cluster iris.csv --save-tree tree.txt", 1, "--save-tree: the file must end in .npz, got tree.txt"),
            ("cluster iris.csv -k 3 --linkage ward --metric cosine", 1, "metric must be 'euclidean'"),
        ],
    )
    def test_wrong_input_is_named(self, iris, command, line, code, message):
        found, out, err = command(line)
        assert found == code
        assert message in err
        assert out == ""


def test_the_number_of_large_clusters_is_chosen(iris, command):
    code, out, err = command("cluster iris.csv --min-size 60")
    assert code == 0
    wanted = chamfer.cut(chamfer.linkage(X), "auto", min_size=60, X=X)
    assert [int(line) for line in out.split()[1:]] == wanted.tolist()
    assert f"note: k = {wanted.max() + 1} by separation, of clusters of at least 60 points" in err


class TestChoose:
    def test_suggestions(self, iris, command, tmp_path):
        choice = chamfer.choose(chamfer.linkage(X, "ward"), X, max_clusters=9)
        code, out, err = command("choose iris.csv --linkage ward --max-clusters 9 -o curves.csv --picture c.svg")
        assert (code, out) == (0, f"{choice!r}\n")
        assert "150 points (ward, euclidean)" in err
        lines = (tmp_path / "curves.csv").read_text().splitlines()
        assert lines[0] == f"n_clusters,{','.join(choice.curves)}"
        assert len(lines) == 151
        assert (tmp_path / "c.svg").read_text().startswith("<?xml")

    def test_more_criteria(self, iris, command):
        out = command("choose iris.csv --linkage ward --max-clusters 9 --gap --stability")[1]
        criteria = [criterion(X, "ward", max_clusters=9) for criterion in (chamfer.gap_statistic, chamfer.stability)]
        assert out == f"{chamfer.choose(chamfer.linkage(X, 'ward'), X, max_clusters=9, criteria=criteria)!r}\n"

    def test_json(self, iris, command):
        found = json.loads(command("choose iris.csv --json --order least --min-clusters 3")[1])
        wanted = chamfer.choose(chamfer.linkage(X), X, order="least", min_clusters=3)
        assert found["n_clusters"] == wanted.n_clusters
        assert [each["reason"] for each in found["suggestions"]] == [each.reason for each in wanted.suggestions]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("choose iris.csv --min-clusters 200", "--min-clusters must be between 1 and 150, got 200"),
            ("choose iris.csv -o curves.txt", "--output: the file must end in .csv"),
            ("choose none.csv", "none.csv: there is no such file"),
            ("choose iris.csv --max-clusters 0", "max_clusters must be at least 1, got 0"),
        ],
    )
    def test_errors(self, iris, command, line, message):
        code, _, err = command(line)
        assert code == 1
        assert message in err


class TestDescribe:
    def test_clusters_of_a_cut(self, iris, command, tmp_path):
        code, out, _ = command("describe iris.csv -k 3 --id-column name -o clusters.csv")
        assert code == 0
        assert out.splitlines()[0] == "150 points in 3 clusters"
        assert "petal" in out
        lines = (tmp_path / "clusters.csv").read_text().splitlines()
        assert len(lines) == 4
        assert lines[0].startswith("label,size,share,spread,medoid")

    @pytest.mark.parametrize("option", ["", "-k auto"])
    def test_the_number_is_chosen(self, iris, command, option):
        code, out, err = command(f"describe iris.csv {option}")
        k = chamfer.choose(chamfer.linkage(X), X).n_clusters
        assert (code, out.splitlines()[0]) == (0, f"150 points in {k} clusters")
        assert f"note: k = {k} by separation" in err

    def test_known_clusters_as_json(self, iris, command):
        found = json.loads(command("describe iris.csv --labels species --json -q")[1])
        assert [each["label"] for each in found["clusters"]] == ["setosa", "versicolor", "virginica"]
        assert [each["size"] for each in found["clusters"]] == [50, 50, 50]
        assert abs(found["clusters"][0]["features"][0]["difference"]) > 1

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("describe iris.csv -k 200", "-k must be between 1 and 150, got 200"),
            ("describe iris.csv -k 3 --labels species", "--labels: the clusters are known; leave out -k and --height"),
            ("describe iris.csv --labels specie", "did you mean 'species'?"),
            ("describe iris.csv -o clusters.txt", "--output: the file must end in .csv"),
            ("describe none.csv", "none.csv: there is no such file"),
        ],
    )
    def test_errors(self, iris, command, line, message):
        code, _, err = command(line)
        assert code == 1
        assert message in err


class TestTrees:
    @pytest.fixture
    def tree(self, iris, command):
        assert command("cluster iris.csv --id-column name --save-tree tree.npz")[0] == 0
        return chamfer.linkage(X)

    def test_a_kept_tree_is_cut_as_the_first_time(self, tree, iris, command):
        code, out, err = command("cut tree.npz -k 7 --order least")
        assert code == 0
        np.testing.assert_array_equal(labels_of(out), chamfer.cut(tree, n_clusters=7, order="least"))
        assert out.splitlines()[1].startswith("flower 0,")
        assert "150 points in 7 clusters" in err
        summary = json.loads(command("cut tree.npz --height 3 --json")[1])
        assert summary["labels"] == chamfer.cut(tree, height=3).tolist()
        assert summary["linkage"] == "chamfer"

    def test_points_of_small_clusters_are_noise(self, tree, command):
        code, out, err = command("cut tree.npz -k 3 --min-size 30 --max-size 45")
        labels = chamfer.cut(tree, n_clusters=3, min_size=30, max_size=45)
        noise = int((labels == -1).sum())
        assert (code, noise > 0) == (0, True)
        np.testing.assert_array_equal(labels_of(out), labels)
        assert f"and {noise} as noise" in err
        assert json.loads(command("cut tree.npz -k 3 --min-size 30 --max-size 45 --json")[1])["n_noise"] == noise

    def test_a_bare_linkage_matrix_will_do(self, tree, command):
        np.save("Z.npy", tree)
        np.testing.assert_array_equal(labels_of(command("cut Z.npy -k 4")[1]), chamfer.cut(tree, n_clusters=4))

    @pytest.mark.parametrize(("name", "magic"), [("t.png", b"\x89PNG"), ("t.svg", b"<?xml"), ("t.pdf", b"%PDF")])
    def test_pictures(self, tree, command, tmp_path, name, magic):
        options = "-k 3 --truncate 20 --horizontal --scale sqrt --size 5x6 --heights max"
        code, _, err = command(f"plot tree.npz -o {name} {options}")
        assert code == 0, err
        assert (tmp_path / name).read_bytes().startswith(magic)

    def test_names_in_pictures(self, iris, command, tmp_path):
        command("cluster iris.csv --id-column name --save-tree tree.npz")
        assert command("plot tree.npz -o t.svg --size 30x5")[0] == 0
        assert "<!-- flower 149 -->" in (tmp_path / "t.svg").read_text()

    def test_export(self, tree, iris, command, tmp_path):
        newick = chamfer.to_newick(tree, list(iris["name"]))
        assert command("export tree.npz")[1] == newick + "\n"
        assert command("export tree.npz -o t.nwk")[0] == 0
        assert (tmp_path / "t.nwk").read_text() == newick + "\n"
        command("export tree.npz -o t.json --heights own")
        assert json.loads((tmp_path / "t.json").read_text())["height"] == pytest.approx(tree[-1, 2])

    @pytest.mark.parametrize(
        ("line", "code", "message"),
        [
            ("cut tree.npz", 2, "give -k, --height or --max-size"),
            ("cut tree.npz -k 151", 1, "-k must be between 1 and 150, got 151"),
            ("cut none.npz -k 2", 1, "none.npz: there is no such file"),
            ("cut iris.csv -k 2", 1, "iris.csv: cannot be read as a tree"),
            ("cut X.npz -k 2", 1, "X.npz: holds no tree"),
            ("cut X.npy -k 2", 1, "X.npy: cannot be read as a tree: Z"),
            ("plot tree.npz", 2, "required: -o"),
            ("plot tree.npz -o t.png --size big", 2, "must be like 10x5, got 'big'"),
            ("plot tree.npz -o t.nonsense", 1, "nonsense"),
            ("plot tree.npz -o t.png --truncate 0", 1, "truncate must be between 1 and 150, got 0"),
            ("export tree.npz -o t.doc", 1, "a tree goes to a .nwk or .json file"),
        ],
    )
    def test_wrong_input_is_named(self, tree, command, line, code, message):
        np.savez("X.npz", X=X)
        np.save("X.npy", X)
        found, out, err = command(line)
        assert (found, out) == (code, "")
        assert message in err


class TestCompare:
    def test_every_linkage_against_the_classes(self, iris, command):
        from sklearn.metrics import adjusted_rand_score

        code, out, _ = command("compare iris.csv --labels species --id-column name --json")
        result = json.loads(out)
        assert code == 0
        assert (result["n_points"], result["n_classes"]) == (150, 3)
        assert [row["linkage"] for row in result["linkages"]] == list(chamfer.METHODS)
        for row in result["linkages"]:
            Z = chamfer.linkage(X, row["linkage"])
            score = adjusted_rand_score(IRIS.target, chamfer.cut(Z, n_clusters=3))
            assert row["at_true_k"] == pytest.approx(score)
            assert row["tree_height"] == chamfer.tree_height(Z)
            assert row["best"] == pytest.approx(chamfer.best_cut(Z, IRIS.target).score)

    def test_a_table_and_a_plot(self, iris, command, tmp_path):
        code, out, err = command("compare iris.csv --labels species --linkages chamfer,ward --score nmi --plot s.png")
        assert code == 0
        assert "NMI at k = 3" in out
        assert out.splitlines()[-1].startswith("ward")
        assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
        assert "'name'" in err

    def test_classes_of_an_npz(self, command, tmp_path):
        np.savez(tmp_path / "x.npz", X=X, y=IRIS.target)
        code, out, _ = command("compare --labels y --json", tmp_path / "x.npz")
        assert code == 0
        assert json.loads(out)["n_classes"] == 3

    def test_linkages_that_do_not_take_the_metric_are_left_out(self, iris, command):
        code, out, err = command("compare iris.csv --labels species --metric cityblock --linkages chamfer,ward")
        assert code == 0
        assert "ward is skipped: metric must be 'euclidean'" in err
        assert "\nward" not in out

    @pytest.mark.parametrize(
        ("line", "code", "message"),
        [
            ("compare iris.csv", 2, "required: --labels"),
            ("compare iris.csv --labels kind", 1, "--labels: there is no column 'kind'"),
            ("compare iris.csv --labels species --linkages best", 1, "--linkages must be one of"),
            ("compare gap.csv --labels b", 1, "gap.csv: line 3, column 'b': the class is missing"),
        ],
    )
    def test_wrong_input_is_named(self, iris, command, tmp_path, line, code, message):
        (tmp_path / "gap.csv").write_text("a,b\n1,x\n2,\n")
        found, out, err = command(line)
        assert (found, out) == (code, "")
        assert message in err


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_the_commands(command, shell):
    code, out, _ = command(f"completion {shell}")
    assert code == 0
    assert "cluster" in out
    assert "--save-tree" in out or "save-tree" in out


@pytest.mark.parametrize("name", ["cluster", "cut", "plot", "compare", "export", "demo", "info", "completion"])
def test_help_of_every_command(command, name):
    code, out, _ = command(f"{name} --help")
    assert code == 0
    assert out.startswith(f"usage: chamfer {name}")
