"""Undefined topics that are left out of averages, tests and intervals."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from evaluation.common import evaluate_quietly, trec_run
from scipy import stats

from pt_fairness import analysis, cli, evaluate, io, report
from pt_fairness.evaluation import as_text

MEASURES = ["nDCG@5", "rND@5"]


@pytest.fixture
def experiment(make_case):
    """Qrels of which some topics have one group, and three runs."""
    cases = [make_case(seed, topics=14, labels=2) for seed in range(3, 6)]
    return {f"s{i}": case.run_frame for i, case in enumerate(cases)}, cases[0].qrels_frame


def test_means_and_tests_are_over_the_defined_topics(experiment):
    options = {"baseline": "s0", "correction": None, "confidence": 0.9}
    _, every = evaluate_quietly(*experiment, MEASURES, **options)
    averages, values = evaluate_quietly(*experiment, MEASURES, undefined="drop", **options)
    undefined = set(every.attrs["undefined"]["rND@5"])
    assert 0 < len(undefined) < 14 and averages.attrs["undefined left out"]
    wide = every[every["measure"] == "rND@5"].pivot(index="qid", columns="name", values="value")
    defined = wide[~wide.index.isin(undefined)]
    assert averages["rND@5"].to_numpy() == pytest.approx(defined.mean().to_numpy())
    for i, name in enumerate(("s1", "s2"), 1):
        p = stats.ttest_rel(defined[name], defined["s0"]).pvalue
        assert averages["rND@5 p-value"][i] == pytest.approx(p)
        assert averages["rND@5 +"][i] == (defined[name] > defined["s0"]).sum()
    ends = analysis.intervals(every, confidence=0.9, undefined="drop")
    ends = ends[ends["measure"] == "rND@5"]
    assert averages["rND@5 low"].to_numpy() == pytest.approx(ends["low"].to_numpy())
    of_rnd = values[values["measure"] == "rND@5"]
    assert set(of_rnd["qid"][of_rnd["value"].isna()]) == undefined
    counted, _ = evaluate_quietly(*experiment, MEASURES, **options)
    columns = [column for column in averages if column.startswith("nDCG@5")]
    pd.testing.assert_frame_equal(averages[columns], counted[columns])


def test_references_leave_them_out_too(experiment):
    _, qrels = experiment
    averages, _ = evaluate_quietly(*experiment, MEASURES, references=["proportional"],
                                   undefined="drop")
    best = analysis.reference_rankings(qrels, kinds=["proportional"])["proportional"]
    _, values = evaluate_quietly({"x": best}, qrels, MEASURES)
    values = values[values["measure"] == "rND@5"].set_index("qid")["value"]
    kept = values.drop(list(averages.attrs["undefined"]["rND@5"]))
    assert averages["rND@5"].iloc[-1] == pytest.approx(kept.mean())


def test_the_warning_and_the_note_say_so(experiment):
    with pytest.warns(UserWarning, match="nothing to compare with are left out"):
        averages, _ = evaluate(*experiment, MEASURES, undefined="drop", progress=False)
    assert "Undefined, and left out: rND@5 on " in as_text(averages, "md")
    with pytest.raises(ValueError, match="undefined='x' is not possible"):
        evaluate(*experiment, MEASURES, undefined="x", progress=False)


@pytest.fixture
def files(experiment, tmp_path, monkeypatch):
    """The names of the runs; they and ``qrels`` are in the working directory."""
    monkeypatch.chdir(tmp_path)
    runs, qrels = experiment
    io.write_qrels(qrels, "qrels")
    for name, run in runs.items():
        (tmp_path / name).write_text(trec_run(run))
    return [*runs]


def test_the_report(files):
    pytest.importorskip("jinja2")
    with pytest.warns(UserWarning, match="nothing to compare with are left out"):
        page = report(files, "qrels", MEASURES, undefined="drop",
                      topic_groups=dict.fromkeys(io.read_qrels("qrels")["qid"], "all"),
                      baseline="s0", confidence=0.9, progress=False)
    expected, values = evaluate_quietly(files, "qrels", MEASURES, undefined="drop", baseline="s0",
                                        confidence=0.9, references=True)
    pd.testing.assert_frame_equal(page.table, expected)
    count = len(expected.attrs["undefined"]["rND@5"])
    assert f"rND@5 is undefined for {count} of 14 topics (" in page.paragraph
    assert "); they are left out of the average." in page.paragraph
    assert "counts in the average" not in page.paragraph + page.html
    assert f"Undefined, and left out: rND@5 on {count} of 14 topics." in page.html
    means = analysis.topic_groups(values, dict.fromkeys(values["qid"], "all"), confidence=0.9)
    for row in means[means["measure"] == "rND@5"].itertuples():
        assert row.n == 14 - count
        assert f"{row.mean:.4f} [{row.low:.4f}, {row.high:.4f}]" in page.html


def test_the_option_of_the_commands(files, capsys):
    table = ["table", "qrels", *files, "-m", *MEASURES, "--drop-undefined"]
    assert cli.main(table) == 0
    expected = evaluate_quietly(files, "qrels", MEASURES, undefined="drop")[0]
    out, err = capsys.readouterr()
    assert out == as_text(expected, "csv") and "are left out" in err
    order = ["rerank", "s0", "xquad", "-o", "new", "--compare", "qrels", "-m", "rND@5"]
    rows = [f"d{i},g{i % 2}" for i in range(14)]
    Path("groups.csv").write_text("\n".join(["docno,group", *rows]))
    assert cli.main([*order, "--groups", "groups.csv", "--drop-undefined"]) == 0
    assert "Undefined, and left out: rND@5 on " in capsys.readouterr().out
    report = ["report", "qrels", files[0], "-m", "rND@5", "--drop-undefined"]
    assert cli.main(report) == 0
    assert "left out of the average" in capsys.readouterr().out
    assert cli.main([*report, "--uncertain", "9"]) == 2
    assert "undefined topics cannot be left out with uncertain labels" in capsys.readouterr().err
