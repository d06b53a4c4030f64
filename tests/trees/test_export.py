"""Newick and JSON: read back, they are the same tree."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chamfer


def read_newick(text):
    """Sets of leaf names of all clusters, and the length of each named branch."""
    tokens = re.findall(r"'(?:[^']|'')*'|[(),;]|:[^(),;]+|[^(),:;']+", text)
    stack, clusters, lengths, last = [], [], {}, None
    for token in tokens:
        if token == "(":
            stack.append(set())
        elif token == ")":
            last = stack.pop()
            clusters.append(frozenset(last))
            if stack:
                stack[-1] |= last
        elif token.startswith(":"):
            lengths[frozenset(last)] = float(token[1:])
        elif token not in ",;":
            name = token[1:-1].replace("''", "'") if token.startswith("'") else token
            last = {name}
            stack[-1] |= last
    return set(clusters), lengths


@given(st.integers(2, 25), st.integers(0, 999), st.sampled_from(["max", "cumulative", "own"]))
@settings(deadline=None, max_examples=40)
def test_newick_holds_the_clusters_and_heights(n, seed, heights):
    Z = chamfer.linkage(np.random.default_rng(seed).normal(size=(n, 2)))
    clusters, lengths = read_newick(chamfer.to_newick(Z, heights=heights))
    members = [frozenset([str(i)]) for i in range(n)]
    for a, b in Z[:, :2].astype(int):
        members.append(members[a] | members[b])
    assert clusters == set(members[n:])
    if heights == "own":
        level = dict(zip(members, [0.0] * n + Z[:, 2].tolist(), strict=True))
        for (a, b), height in zip(Z[:, :2].astype(int), Z[:, 2], strict=True):
            for child in (a, b):
                assert lengths[members[child]] == pytest.approx(height - level[members[child]], abs=1e-9)
    else:
        assert min(lengths.values()) >= 0


@pytest.mark.parametrize("name", ["plain", "two words", "it's", "a(b)", "a:b", "x_y", "a,b", "", "日本"])
def test_names_survive(name):
    clusters, _ = read_newick(chamfer.to_newick([[0, 1, 1.0, 2]], labels=[name, "other"]))
    assert clusters == {frozenset([name, "other"])}
    assert json.loads(chamfer.to_json([[0, 1, 1.0, 2]], labels=[name, "other"]))["children"][0] == {"name": name}


def test_json_holds_the_tree():
    Z = chamfer.linkage(np.random.default_rng(0).normal(size=(30, 2)))
    nodes, seen = [json.loads(chamfer.to_json(Z))], []
    while nodes:
        node = nodes.pop()
        if "children" in node:
            seen.append((node["height"], node["size"]))
            nodes += node["children"]
    np.testing.assert_allclose(sorted(seen), sorted(map(tuple, Z[:, 2:])), rtol=1e-9)


@pytest.mark.slow
def test_a_chain_of_100_000_needs_no_recursion():
    n = 100_000
    steps = np.arange(n - 1)
    Z = np.column_stack([np.where(steps == 0, 0, n + steps - 1), steps + 1, steps + 1.0, steps + 2.0])
    assert chamfer.to_newick(Z).count("(") == n - 1
    assert chamfer.to_json(Z).count("{") == 2 * n - 1


@pytest.mark.parametrize("write", [chamfer.to_newick, chamfer.to_json])
def test_one_point_and_wrong_arguments(write):
    assert "0" in write(np.empty((0, 4)))
    with pytest.raises(ValueError, match="labels must name all 2 points, got 1"):
        write([[0, 1, 1.0, 2]], labels=["a"])
    with pytest.raises(ValueError, match="heights must be one of"):
        write([[0, 1, 1.0, 2]], heights="log")


# Two merges whose heights are finite, and whose sum is not.
HUGE = [[0, 1, 1.2e308, 2], [2, 3, 1.7e308, 3]]
LINES = "\n\r\t\v\f\x00\x1b\x1c\x85\u2028\u2029"


def strict(text):
    """JSON as the standard has it: without NaN and infinities, and as UTF-8."""

    def fail(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text.encode("utf-8").decode("utf-8"), parse_constant=fail)


class TestNumbers:
    @pytest.mark.parametrize("write", [chamfer.to_newick, chamfer.to_json])
    def test_sums_of_heights_that_overflow_are_refused(self, write):
        with pytest.raises(ValueError, match=r"heights='cumulative': the sum of the heights below merge 1 is larger"):
            write(HUGE, heights="cumulative")

    @pytest.mark.parametrize("heights", ["own", "max"])
    def test_the_largest_heights_are_finite_in_text(self, heights):
        Z = [[0, 1, 0.0, 2], [2, 3, np.finfo(float).max, 3]]
        assert strict(chamfer.to_json(Z, heights=heights))["height"] == pytest.approx(Z[1][2])
        _, lengths = read_newick(chamfer.to_newick(Z, heights=heights))
        assert np.isfinite(list(lengths.values())).all()

    @pytest.mark.parametrize(
        ("use", "name"),
        [
            (lambda: chamfer.monotone(HUGE), "kind"),
            (lambda: chamfer.Dendrogram(HUGE).monotone(), "kind"),
            (lambda: chamfer.cut(HUGE, 2, order="cumulative"), "order"),
            (lambda: chamfer.plot.plot_dendrogram(HUGE, heights="cumulative"), "heights"),
        ],
    )
    def test_the_argument_that_asks_for_sums_is_named(self, use, name):
        with pytest.raises(ValueError, match=f"^{name}='cumulative': the sum of the heights below merge 1 is larger"):
            use()

    def test_other_orders_of_huge_heights_are_as_ever(self):
        assert chamfer.monotone(HUGE, "max").tolist() == np.array(HUGE).tolist()
        assert chamfer.cut(HUGE, 2).tolist() == chamfer.cut(HUGE, 2, order="least").tolist() == [0, 0, 1]


class TestOddNames:
    @pytest.mark.parametrize("character", LINES)
    def test_newick_is_one_line(self, character):
        text = chamfer.to_newick([[0, 1, 1.0, 2]], labels=[f"a{character}b", "c"])
        assert text.splitlines() == [text]
        assert text.isprintable()
        assert read_newick(text)[0] == {frozenset(["a b", "c"])}

    def test_half_characters(self):
        names = ["a\ud800b", "\udcff"]
        assert chamfer.to_newick([[0, 1, 1.0, 2]], labels=names) == "(a\ufffdb:1,\ufffd:1);"
        assert [each["name"] for each in strict(chamfer.to_json([[0, 1, 1.0, 2]], labels=names))["children"]] == names

    @given(st.lists(st.text(st.characters()), min_size=2, max_size=2))
    def test_any_name(self, names):
        text = chamfer.to_newick([[0, 1, 1.0, 2]], labels=names)
        assert text.encode().decode().splitlines() == [text]
        assert [each["name"] for each in strict(chamfer.to_json([[0, 1, 1.0, 2]], labels=names))["children"]] == names
