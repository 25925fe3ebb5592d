"""The tables on groups of topics and uncertain labels, against the frames of the analysis."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from pt_fairness import analysis
from pt_fairness.analysis.notes import short_p
from pt_fairness.reporting.sections import of_topic_groups, of_uncertain_labels

QIDS = ["1", "2", "3", "4", "5"]
DOMAINS = {"1": "health", "2": "health", "3": "sport", "4": "sport", "5": "law"}
PER_QUERY = pd.DataFrame([
    (name, qid, measure, factor * (int(qid) - 3) / 7 + (name == "b") * int(qid) ** 2 / 30)
    for measure, factor in (("rKL@5", 0.5), ("BiasP@5", -1.0)) for name in ("b", "a")
    for qid in QIDS], columns=["name", "qid", "measure", "value"])


def text(value):
    return "–" if math.isnan(value) else f"{value:.4f}".replace("-", "−")


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_each_measure_has_a_table_of_means_and_ranges(level):
    section = of_topic_groups(PER_QUERY, DOMAINS, level)
    assert section["id"] == "topic-groups" and f"{100 * level:g} % t intervals" in section["lead"]
    means = analysis.topic_groups(PER_QUERY, DOMAINS, confidence=level)
    gaps = analysis.topic_gaps(PER_QUERY, DOMAINS)
    assert {measure for measure, _ in section["tables"]} == {"rKL@5", "BiasP@5"}
    for measure, table in section["tables"]:
        assert set(table["system"]) == {"a", "b"}
        assert list(table.columns) == ["system", "health (n = 2)", "law (n = 1)", "sport (n = 2)",
                                       "range", "range by chance", "p"]
        for _, row in table.iterrows():
            of_cell = means[(means["name"] == row["system"]) & (means["measure"] == measure)]
            for _, cell in of_cell.iterrows():
                # Fewer than three topics have a mean and no interval.
                interval = "" if cell["n"] < 3 else f" [{text(cell['low'])}, {text(cell['high'])}]"
                assert row[f"{cell['group']} (n = {cell['n']})"] == text(cell["mean"]) + interval
            (_, gap), = gaps[(gaps["name"] == row["system"])
                             & (gaps["measure"] == measure)].iterrows()
            assert row["range"] == text(gap["range"])
            assert row["range by chance"] == text(gap["chance"])
            assert row["p"] == short_p(gap["p"])


def test_a_system_without_topics_of_a_group_has_no_mean_there():
    lacking = PER_QUERY[~((PER_QUERY["name"] == "b") & (PER_QUERY["qid"] == "5"))]
    (_, table), *_ = of_topic_groups(lacking, DOMAINS, 0.95)["tables"]
    cells = table.set_index("system")["law (n = 1)"]
    assert cells["b"] == "–" and cells["a"] not in ("–", "")


def test_uncertain_labels():
    found = pd.DataFrame({
        "name": ["a", "b"], "measure": "rKL@5", "mean": [-0.25, 0.5], "low": [-0.5, math.nan],
        "high": [0.125, math.nan], "label low": [-0.375, 0.4375], "label high": [0.0625, 0.5],
        "share": [0.4567, math.nan], "most probable": [0.75, math.nan]})
    section = of_uncertain_labels(found, 20, 0.9)
    assert section["id"] == "uncertain" and "Each of 20 draws" in section["lead"]
    (title, table), = section["tables"]
    assert title == "" and table.to_dict("list") == {
        "system": ["a", "b"], "measure": ["rKL@5", "rKL@5"],
        "mean of the draws [90 % interval]": ["−0.2500 [−0.5000, 0.1250]", "0.5000"],
        "for these topics": ["[−0.3750, 0.0625]", "[0.4375, 0.5000]"],
        "share of the labels": ["46%", "–"], "with the likeliest labels": ["0.7500", "–"]}


def test_values_without_draws_stand_beside_the_mean():
    found = pd.DataFrame({
        "name": ["a"], "measure": "rKL@5", "mean": [0.25], "low": [0.125], "high": [0.5],
        "label low": [0.25], "label high": [0.5], "share": [0.5], "most probable": [0.75],
        "as labelled": [0.125], "n_eff": [60.0], "r_hat": [1.25]})
    section = of_uncertain_labels(found, 20, 0.9)
    (_, table), = section["tables"]
    columns = table.columns.tolist()
    assert columns.index("as labelled") + 1 == columns.index("mean of the draws [90 % interval]")
    assert table["as labelled"].tolist() == ["0.1250"] and table.iloc[0, -1] == "1.2500"
    assert "as labelled" in section["lead"] and "R̂" in section["lead"]
