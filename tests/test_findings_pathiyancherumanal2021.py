"""What the pages say of the findings of Pathiyan Cherumanal et al. (2021), against the package."""

from __future__ import annotations

import importlib.resources

import numpy as np
import pandas as pd
import pytest
from ir_datasets_home import example
from ir_measures import parse_measure
from measure_cases import values_of
from scipy import stats

from pt_fairness import rKL, rND, rRD

PAGES = importlib.resources.files("pt_fairness") / "pt_docs"
#: The protected stance of each setting.
PROTECTED = {"minority": "CON", "proportion-agnostic": "PRO", "majority": "PRO"}
ALPHA = {alpha: parse_measure(f"alpha_nDCG(alpha={alpha})@5") for alpha in (0.5, 0.9)}


@pytest.fixture(scope="module")
def says():
    """``says(sentence)``: whether the page on choosing a measure says it."""
    page = " ".join((PAGES / "choosing.rst").read_text(encoding="utf-8").split())
    return lambda sentence: sentence in page


@pytest.fixture(scope="module")
def scenario():
    """By setting, a table of the 32 rankings of five, by topic and measure."""
    tables = {}
    for setting, protected in PROTECTED.items():
        run, qrels = example("pathiyancherumanal2021").permutations(setting)
        run = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
        qrels = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
        measures = {"rND": rND(protected=protected) @ 5, "rKL": rKL(protected=protected) @ 5,
                    "rRD": rRD(protected=protected) @ 5,
                    "uniform": rKL(protected=protected, target="uniform") @ 5, **ALPHA}
        other = rKL(protected={"PRO": "CON", "CON": "PRO"}[protected]) @ 5
        found = values_of([*measures.values(), other], qrels, run)
        topics = [str(i + 1) for i in range(32)]
        tables[setting] = pd.DataFrame(
            {name: [found[m, topic] for topic in topics]
             for name, m in {**measures, "other side": other}.items()}, index=topics)
    return tables


def tau(table, one, two):
    return stats.kendalltau(table[one].round(12), table[two].round(12))


def test_neither_fairness_nor_diversity_guarantees_the_other(scenario):
    table = scenario["minority"]
    fairest = table["rKL"] == table["rKL"].min()
    most_diverse = np.isclose(table[0.5], table[0.5].max())
    assert not (fairest & most_diverse).any()
    assert all(tau(table, "rKL", alpha).pvalue > 0.05 for alpha in ALPHA)


def test_alpha_ndcg_does_not_depend_on_the_shares(scenario):
    first, *others = (table[[*ALPHA]] for table in scenario.values())
    for table in others:
        pd.testing.assert_frame_equal(first, table, rtol=0, atol=1e-12)


def test_rkl_treats_the_groups_alike(scenario):
    for table in scenario.values():
        np.testing.assert_allclose(table["rKL"], table["other side"], rtol=0, atol=1e-12)
    assert tau(scenario["minority"], "rKL", 0.5) == tau(scenario["majority"], "rKL", 0.5)


def test_rkl_agrees_with_alpha_ndcg_for_equal_shares(says, scenario):
    assert says("(τ is −0.84, and −1 with α = 0.9)")
    for alpha, expected in ((0.5, -0.8378), (0.9, -1.0)):
        for setting, measure in (("proportion-agnostic", "rKL"), ("minority", "uniform")):
            found = tau(scenario[setting], measure, alpha)
            assert round(found.statistic, 4) == expected and found.pvalue < 0.05
        assert tau(scenario["minority"], "rKL", alpha).pvalue > 0.05


def test_rkl_and_alpha_ndcg_of_real_systems(says):
    table = pd.read_csv(PAGES / "touche2022" / "correlations.csv", index_col=0)
    assert says("τ is −0.08.")
    assert table.loc["rKL@5", "alpha_nDCG@5"] == -0.08


def test_rkl_of_the_one_sided_rankings(scenario):
    table = scenario["minority"]
    assert table["rKL"]["1"] < 0.14 and table["rKL"]["32"] == table["rKL"].max()


def test_rrd_of_the_one_sided_rankings(says, scenario):
    assert says("1 for them if the majority is protected, 0.71 for equal shares, and 0.17 if the "
                "minority is.")
    expected = {"minority": 0.17, "proportion-agnostic": 0.71, "majority": 1.0}
    for setting, value in expected.items():
        assert scenario[setting]["rRD"][["1", "32"]].round(2).tolist() == [value, value]


def test_rrd_of_long_lists_with_a_protected_majority():
    lists = {"short": 5, "long": 100}
    medians = {}
    rng = np.random.default_rng(0)
    for name, length in lists.items():
        drawn = rng.random((60, length)) < 0.7
        codes = np.where(drawn, "PRO", "CON")
        run = pd.DataFrame({"query_id": np.repeat([f"{i}" for i in range(60)], length),
                            "doc_id": [f"d{i}" for i in range(length)] * 60,
                            "score": np.tile(np.arange(length, 0, -1.0), 60)})
        qrels = run[["query_id", "doc_id"]].assign(relevance=1, iteration=codes.ravel())
        measure = rRD(protected="PRO", target={"PRO": 0.7, "CON": 0.3})
        medians[name] = np.median([*values_of([measure], qrels, run).values()])
    assert medians["long"] < 0.1 < 0.3 < medians["short"]
