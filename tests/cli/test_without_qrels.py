"""Qrels that are not needed, stances in a second file, correlations, tests against 0, and seeds."""

from __future__ import annotations

import io
import itertools
import random

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pt_fairness import analysis, cli, evaluate, report

GROUPS = "docno,group\n" + "".join(f"d{i},{'PRO' if i % 3 else 'CON'}\n" for i in range(12))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Eight topics, six runs, stances in a second file, and groups in a third."""
    monkeypatch.chdir(tmp_path)
    pick = random.Random(1)
    qrels, stances = [], []
    for qid, i in itertools.product(range(1, 9), range(12)):
        qrels.append(f"{qid} 0 d{i} {pick.choice([0, 0, 1, 2])}")
        stances.append(f"{qid} 0 d{i} {pick.choice(['PRO', 'PRO', 'CON', 'NO'])}")
    (tmp_path / "qrels").write_text("\n".join(qrels) + "\n")
    (tmp_path / "stances").write_text("\n".join(stances) + "\n")
    (tmp_path / "groups.csv").write_text(GROUPS)
    runs = [f"run{i}" for i in range(6)]
    for run in runs:
        lines = [f"{qid} Q0 d{i} 0 {pick.random()} x" for qid in range(1, 9) for i in range(12)]
        (tmp_path / run).write_text("\n".join(lines) + "\n")
    return runs


@pytest.fixture
def table(capsys):
    """``table(argument…)``: what a command prints, as a frame."""
    def call(*arguments):
        assert cli.main([*arguments]) == 0, capsys.readouterr().err
        return pd.read_csv(io.StringIO(capsys.readouterr().out))
    return call


def test_labels_that_mean_no_group(files, table, capsys):
    assert cli.main(["annotate", "qrels", "stances", "--none", "NO", "-o", "annotated"]) == 0
    expected = table("table", "annotated", *files, "-m", "AWRF@10", "rKL@10")
    joined = table("table", "qrels", *files, "-m", "AWRF@10", "rKL@10", "--groups", "stances",
                   "--none", "NO")
    pd.testing.assert_frame_equal(joined, expected)
    assert cli.main(["eval", "qrels", "run0", "rKL@10", "--groups", "stances", "--none", "NO"]) == 0
    assert f"{expected.iloc[0, 2]:.4f}" in capsys.readouterr().out
    assert cli.main(["table", "qrels", "run0", "-m", "rKL@10", "--none", "NO"]) == 2
    assert "--none is about the labels of --groups" in capsys.readouterr().err
    assert cli.main(["table", "qrels", "run0", "-m", "rKL@10", "--groups", "stances", "--none",
                     "NEUTRAL"]) == 2
    assert "no document has the label 'NEUTRAL'" in capsys.readouterr().err


def test_no_qrels(files, table, capsys):
    measures = ["AWRF@10", "NDKL"]
    found = table("table", "none", *files, "-m", *measures, "--groups", "groups.csv")
    expected = evaluate(files, None, measures, groups="groups.csv", perquery=False, progress=False)
    np.testing.assert_allclose(found.iloc[:, 1:], expected[measures])
    assert cli.main(["eval", "none", "run0", *measures, "--groups", "groups.csv"]) == 0
    assert f"AWRF@10\t{expected['AWRF@10'][0]:.4f}" in capsys.readouterr().out
    assert cli.main(["report", "none", *files[:2], "-m", *measures, "--groups", "groups.csv", "-o",
                     "page.html"]) == 0
    for command in (["table", "none", "run0", "-m"], ["eval", "none", "run0"]):
        assert cli.main([*command, "rKL@10", "--groups", "groups.csv"]) == 2
        assert "rKL@10 cannot be computed without qrels" in capsys.readouterr().err


def slow_ap(first, second, better):
    """The mean, over all systems but the best, of the agreement with the systems above."""
    values = []
    for i in range(len(first)):
        above = [j for j in range(len(first)) if better(first[j], first[i])]
        signs = [np.sign(first[i] - first[j]) * np.sign(second[i] - second[j]) for j in above]
        if signs:
            values.append(sum(signs) / len(signs))
    return sum(values) / len(values)


class TestCorrelate:
    def test_against_scipy_and_loops(self, files, table):
        measures = ["nDCG@5", "rKL(protected='CON')@10", "BiasP@10", "P@1"]
        arguments = ["qrels", *files, "-m", *measures, "--groups", "groups.csv"]
        found = table("correlate", *arguments)
        averages = table("table", *arguments).set_index("name")
        better = [lambda x, y: x > y, lambda x, y: x < y, lambda x, y: abs(x) < abs(y),
                  lambda x, y: x > y]
        assert len(found) == 6
        for (i, j), (_, row) in zip(itertools.combinations(range(4), 2), found.iterrows(),
                                    strict=True):
            x, y = (averages.iloc[:, k].round(12).tolist() for k in (i, j))
            assert (row["τ"], row["p"]) == pytest.approx(tuple(stats.kendalltau(x, y)))
            ap = (slow_ap(x, y, better[i]) + slow_ap(y, x, better[j])) / 2
            assert row["AP τ"] == pytest.approx(ap)

    def test_the_definition(self):
        """The systems above each system in the order of the first measure: 1, then 0 and 1 of 2."""
        averages = pd.DataFrame({"name": list("abc"), "nDCG@5": [3.0, 2, 1], "P@5": [3.0, 1, 2]})
        found = analysis.correlations(averages, "ap")
        assert found.coefficients.iloc[0, 1] == (1 + (1 - 1) / 2) / 2
        assert found.p_values.isna().iloc[0, 1] and found.table.iloc[0, 0] == "0.5000"
        same = averages.assign(**{"P@5": [0.3, 0.2, 0.1]})
        assert analysis.correlations(same, "ap").coefficients.iloc[0, 1] == 1
        opposite = averages.assign(**{"P@5": [0.1, 0.2, 0.3]})
        assert analysis.correlations(opposite, "ap").coefficients.iloc[0, 1] == -1

    def test_one_measure(self, files, capsys):
        assert cli.main(["correlate", "qrels", *files, "-m", "P@5"]) == 2
        assert "correlate compares measures" in capsys.readouterr().err


class TestZero:
    def test_table(self, files, table, capsys):
        arguments = ["table", "qrels", *files, "-m", "nDCG@5", "BiasP@10", "--groups", "groups.csv"]
        found = table(*arguments, "--test-zero")
        _, values = evaluate(files, "qrels", "BiasP@10", groups="groups.csv", progress=False)
        assert found["measure"].unique().tolist() == ["BiasP@10"] and len(found) == 6
        for row in found.itertuples():
            biases = values.loc[values["name"] == row.name, "value"]
            assert (row.MB, row.p) == pytest.approx(
                (biases.mean(), stats.ttest_1samp(biases, 0).pvalue))
        ordered = found.sort_values("p", ignore_index=True)
        holm = np.maximum.accumulate(ordered["p"] * [6, 5, 4, 3, 2, 1]).clip(upper=1)
        np.testing.assert_allclose(ordered["p corrected"], holm)
        plain = table(*arguments, "--test-zero", "--correction", "none")
        assert plain["p corrected"].tolist() == plain["p"].tolist()
        for options, error in (
                (["--baseline", "run0"], "--test-zero does not go with --baseline"),
                (["--per-query"], "give one of them"),
                (["-m", "nDCG@5"], "none of nDCG@5 is signed")):
            assert cli.main([*arguments, "--test-zero", *options]) == 2
            assert error in capsys.readouterr().err

    def test_report(self, files):
        assert cli.main(["report", "qrels", *files, "-m", "nDCG@5", "BiasP@10", "--groups",
                         "groups.csv", "--test-zero", "-o", "page.html"]) == 0
        with open("page.html", encoding="utf-8") as page:
            text = page.read()
        assert "Bias against 0" in text
        plain = report(files, "qrels", "BiasP@10", groups="groups.csv", progress=False)
        assert "Bias against 0" not in plain.html


def test_seeds(files, table, capsys):
    arguments = ["table", "qrels", *files, "-m", "AWRF@10", "--groups", "groups.csv", "--baseline",
                 "run0", "--ci", "0.9", "--references"]
    first = table(*arguments)
    pd.testing.assert_frame_equal(table(*arguments, "--seed", "0"), first)
    another = table(*arguments, "--seed", "1")
    assert (another["AWRF@10"] == first["AWRF@10"])[:6].all()
    assert not another["AWRF@10 low"][:6].equals(first["AWRF@10 low"][:6])
    random_order = first["name"] == "[random order]"
    assert random_order.sum() == 1 and (another["AWRF@10"] != first["AWRF@10"])[random_order].all()
    assert cli.main([*arguments, "--seed", "-1"]) == 2
    assert "seed=-1 is not possible" in capsys.readouterr().err


@pytest.mark.parametrize("figure", ["lorenz", "exposure", "strips"])
def test_figures_without_qrels(files, figure):
    assert cli.main(["plot", figure, "none", *files[:2], "-m", "NDKL(target='uniform')@10",
                     "--groups", "groups.csv", "-o", "figure.svg"]) == 0


def test_uncertain_labels_without_qrels(files, table, tmp_path):
    shares = pd.DataFrame({"docno": [f"d{i}" for i in range(12)], "PRO": 0.7, "CON": 0.3})
    shares.to_csv(tmp_path / "shares.csv", index=False)
    rows = []
    for run in files[:2]:
        rows += [line.split() for line in (tmp_path / run).read_text().splitlines()]
    judged = dict.fromkeys(f"{row[0]} 0 {row[2]} 1" for row in rows)
    (tmp_path / "judged").write_text("\n".join(judged) + "\n")
    options = [*files[:2], "-m", "NDKL(target='uniform')@10", "--groups", "shares.csv::PRO,CON",
               "--uncertain", "5"]
    without, of_judged = table("table", "none", *options), table("table", "judged", *options)
    pd.testing.assert_frame_equal(without, of_judged)
    assert (without["label low"] < without["label high"]).all()
