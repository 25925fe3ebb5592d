"""Relevance against fairness, of every re-ranker."""

from __future__ import annotations

import textwrap

import pandas as pd
import pytest
from figures import assert_readable
from ir_measures import nDCG

from pt_fairness import EEL, analysis, evaluate, plots, rerank

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


@pytest.fixture(scope="module")
def sweeps():
    """Few settings, of each kind: the whole sweeps take their time."""
    return {"det_greedy": ("k", (5, 10)), "det_cons": ("k", (5, 10)), "pm2": ("lam", (0.5,)),
            "fair_exposure": ("target", ("run", "uniform")),
            "plackett_luce": ("temperature", (0.2,))}


@pytest.fixture
def tradeoff(script, monkeypatch, sweeps):
    run = script("tradeoff")
    assert {*run.module.SWEEPS} == {*rerank.__all__}
    monkeypatch.setattr(run.module, "SWEEPS", sweeps)
    return run


def test_the_debates(tradeoff, tmp_path, capsys):
    table, text = tradeoff("--samples", 4)
    printed = capsys.readouterr().out
    assert textwrap.fill(text, 100) in printed and max(map(len, printed.splitlines())) <= 120
    assert f"figure: {tmp_path}/tradeoff.png" in printed
    assert [*table] == ["name", *tradeoff.module.LABELS]
    values = table.set_index("name")
    assert values.index.tolist() == [
        "old order", "det_greedy k=5", "det_greedy k=10", "det_cons k=5", "det_cons k=10",
        "pm2 lam=0.5", "fair_exposure target=run", "fair_exposure target=uniform",
        "plackett_luce temperature=0.2"]
    relevance, awrf, documents, of_groups = (values[label] for label in tradeoff.module.LABELS)
    assert relevance["old order"] == pytest.approx(0.714, abs=5e-4)
    assert awrf["old order"] == pytest.approx(0.945, abs=5e-4)
    assert relevance["det_greedy k=10"] == pytest.approx(0.695, abs=5e-4)
    assert awrf["det_greedy k=10"] == pytest.approx(0.998, abs=5e-4)
    assert awrf.idxmax() == "fair_exposure target=uniform"
    assert documents.idxmin() == "plackett_luce temperature=0.2"
    assert of_groups.idxmin() == "fair_exposure target=uniform"
    assert "Over 10 topics, the old order has nDCG@10 0.7143 and AWRF@10 0.9450" in text
    assert "Of 8 settings" in text and "Holm's correction for 8 settings" in text
    ax = plots.tradeoff(tradeoff.module.points(table), *tradeoff.module.LABELS[:2])
    assert_readable(ax)
    names = {one.get_text() for one in ax.texts}
    assert {"old order", "det_greedy 10 (+1)", "pm2 0.5", "plackett_luce 0.2"} <= names


def test_newswire_runs(tradeoff, small, capsys):
    qrels, runs = small
    table, text = tradeoff(qrels, *runs[:2], "--groups", "trec-newswire", "--samples", 3)
    assert "Over 12 topics" in text and "run0, run1, re-ranked by trec-newswire" in \
        capsys.readouterr().out
    module = tradeoff.module
    judged = module.annotated_qrels(qrels, "trec-newswire")
    relevance, losses = [], []
    policy = rerank.plackett_luce(k=10, temperature=0.2)
    for run in module.read_runs(runs[:2]).values():
        for one in policy.draws(3):
            relevance.append(evaluate({"x": one(run)}, judged, [nDCG @ 10], progress=False)[0])
        losses.append(evaluate({"x": policy.rankings(run, 3)}, judged,
                               [EEL(model="log2", norm="bound") @ 10], progress=False)[0])
    row = table.set_index("name").loc["plackett_luce temperature=0.2"]
    assert row["nDCG@10"] == pytest.approx(pd.concat(relevance)["nDCG@10"].mean())
    assert row["EEL of documents@10"] == pytest.approx(pd.concat(losses).iloc[:, 1].mean())


def test_the_finding(script):
    module = script("tradeoff").module
    old = [0.5, 0.6, 0.3, 0.3]
    changes = {"old order": [0, 0, 0, 0], "a": [-0.01, 0.2, 0, -0.1], "b": [-0.3, 0.3, -0.2, -0.1],
               "c": [-0.01, 0.2, 0.1, -0.1]}
    rows = []
    for name, some in changes.items():
        for label, start, change in zip(module.LABELS, old, some, strict=True):
            for topic in range(30):
                noise = 0.0 if name == "old order" else 0.01 * (topic % 3 - 1)
                if change == -0.01:  # a loss that is small against its spread over topics
                    noise *= 10
                rows.append((name, str(topic), label, start + change + noise))
    perquery = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
    table = perquery.pivot_table(index="name", columns="measure", values="value", sort=False)
    table = table.reset_index()[["name", *module.LABELS]]
    text = module.finding(table, analysis.compare(perquery, "old order"))
    assert "Over 30 topics, the old order has nDCG@10 0.5000 and AWRF@10 0.6000. Of 3" in text
    assert "3 significantly increased AWRF@10 and 1 significantly decreased nDCG@10" in text
    assert "without it 3 and 1" in text
    assert ("Of the 2 that did only the first, the fairest is a, c: AWRF@10 +0.2000, "
            "nDCG@10 -0.0100 (95% interval -0.0") in text
    assert ("EEL of documents@10 is smallest with b: 0.1000, old order 0.3000; settings "
            "significantly below the old order: 1, above it: 1.") in text
    assert "EEL of groups@10 is smallest with a, b, c: 0.2000, old order 0.3000; settings " \
        "significantly below the old order: 3, above it: 0." in text
    same = perquery.assign(value=0.5)
    assert "No setting did the first without the second." in module.finding(
        table, analysis.compare(same, "old order"))


def test_qrels_without_runs(tradeoff, small, capsys):
    with pytest.raises(SystemExit):
        tradeoff(small[0])
    assert "the qrels need runs: QRELS RUN…" in capsys.readouterr().err
