"""What the pages say that Draws, Gezici and Lipani et al. find, compared with the package."""

from __future__ import annotations

import contextlib
import importlib.resources
import io
import itertools
import math
import re
from pathlib import Path

import ir_measures
import pandas as pd
import pytest
from scipy import stats

from pt_fairness import BiasP, RepBias, rKL, rND

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]
PAGES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs"
SETS = ("S1", "S2", "S3")
#: How much a mean of the simulation may be off.
NOISE = 0.01


def plain(text: str) -> str:
    """A text of a page or a docstring on one line, without roles and quotes of code."""
    text = re.sub(r":py:data:`~?(?:pt_fairness\.)?(\w+)`", r"\1", text)
    return " ".join(text.replace("``", "").split())


def on_page(name: str, *sentences: str) -> None:
    page = plain((PAGES / f"{name}.rst").read_text(encoding="utf-8"))
    for sentence in sentences:
        assert sentence in page


@pytest.fixture(scope="module")
def mean(sweep):
    """``mean[measure, set][alpha]`` of the simulation."""
    return {key: part.set_index("alpha")["mean"]
            for key, part in sweep.groupby(["measure", "set"])}


def growth(curve: pd.Series, start: float, end: float) -> float:
    return curve[end] - curve[start]


# ---------------------------------------------------------------------------- Draws et al. (2021)


def test_the_guide_is_that_of_the_paper(script):
    cells = script("draws2021").module.PUBLISHED_GUIDE
    low, medium, high = (cells[name][1:] for name in ("S3", "S2", "S1"))
    assert set(low) == {"nDD"}
    on_page("choosing", *(f"{name} balance, {', '.join(cells)}"
                          for name, cells in (("low", low), ("medium", medium), ("high", high))))


def test_how_much_of_the_guide_is_found_again(script, sweep):
    on_page("papers", "Seven of nine cells of the guide (table 5).")
    module = script("draws2021").module
    found = module.guide(sweep)
    cells = found[list(module.LEVELS)].map(lambda cell: "published" in cell)
    assert cells.size - cells.to_numpy().sum() == 7
    assert found[module.CROSSING].is_monotonic_decreasing  # from the least balanced set on


def test_ndr_is_advised_against(mean):
    for name in SETS:
        assert mean["nDR", name].max() > 1
        ndr, *others = (growth(mean[measure, name], 0.0, 1.0) for measure in ("nDR", "nDD", "nDKL"))
        assert ndr < min(others) / 2


def test_values_of_ndjs_are_much_lower(mean):
    for name, alpha in itertools.product(SETS, (-1.0, 1.0)):
        others = (mean[measure, name][alpha] for measure in ("nDD", "nDKL"))
        assert mean["nDJS", name][alpha] < min(others) / 4


def test_balanced_viewpoints_make_levels_distinct(mean):
    contradicted = {(measure, alpha) for measure in ("nDD", "nDKL", "nDJS")
                    for more, less in itertools.pairwise(SETS)
                    for alpha in mean[measure, more].index
                    if mean[measure, more][alpha] < mean[measure, less][alpha] - NOISE}
    assert contradicted == set()


def test_which_measure_tells_which_levels_apart(mean):
    for name in SETS:
        mild = {one: [growth(mean[one, name], 0.0, end) for end in (-0.3, 0.3)]
                for one in ("nDD", "nDR", "nDKL")}
        assert all(a > max(b, c) for a, b, c in zip(*mild.values(), strict=True))
        strong = {one: growth(mean[one, name], 0.7, 1.0) for one in ("nDD", "nDR", "nDKL")}
        assert max(strong, key=strong.__getitem__) == "nDKL"
    # Small minority: nDD grows faster up to strong bias. Balanced: nDKL does from medium bias on.
    assert growth(mean["nDD", "S3"], 0.3, 0.7) > 1.5 * growth(mean["nDKL", "S3"], 0.3, 0.7)
    assert growth(mean["nDKL", "S1"], 0.5, 0.9) > growth(mean["nDD", "S1"], 0.5, 0.9)


def test_the_normaliser_gives_the_published_values(script):
    """With the exact maximum, nDR is not above 1, and the others are lower at α = −1."""
    module = script("draws2021").module
    measures = [measure(norm=norm) for norm in ("protected-first", "max")
                for measure in module.MEASURES[:3]]
    with contextlib.redirect_stderr(io.StringIO()):
        found = module.simulate({"S3": module.SETS["S3"]}, [-1.0], measures, draws=100)
    first, largest = found["mean"].to_numpy().reshape(2, 3)
    assert first[[0, 2]].round(2).tolist() == [1, 1] and first[1] > 1
    assert largest[1] < 1


@pytest.mark.slow
def test_the_exceptions_of_ndr_have_the_values_on_the_page(script):
    module = script("draws2021").module
    sets = {name: module.SETS[name] for name in ("S1", "S2")}
    parts = []
    with contextlib.redirect_stderr(io.StringIO()):
        for seed in range(1, 6):
            measures = [module.MEASURES[1]]
            parts.append(module.simulate(sets, [-1.0, -0.9], measures, 4000, seed))
    found = pd.concat(parts).groupby(["set", "alpha"])["mean"].mean()
    one = found.map("{:.2f}".format)
    on_page("papers", f"are at α = −0.9 on S1 and S2: {one['S1', -0.9]} and {one['S2', -0.9]}, "
            f"with {one['S1', -1.0]} and {one['S2', -1.0]} at −1, over 20,000 rankings")


def test_ndkl_over_all_viewpoints_is_rkl_of_the_run(values):
    on_page("papers", "nDKL over all viewpoints as rKL(protected='all',target='run')")
    ranking = "ABBCACCC"
    run = pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}" for i in range(8)],
                        "score": range(8, 0, -1)})
    qrels = run[["query_id", "doc_id"]].assign(relevance=1, iteration=list(ranking))
    measure = rKL(protected="all", target="run", norm="none")
    whole = [ranking.count(one) / 8 for one in "ABC"]
    expected = sum(stats.entropy([ranking[:i].count(one) / i for one in "ABC"], whole, base=2)
                   / math.log2(i + 1) for i in range(1, 9))
    assert values([measure], qrels, run)[measure, "1"] == pytest.approx(expected)


# --------------------------------------------------------------------------- Gezici et al. (2021)


def test_biases_of_opposite_sign_cancel_out():
    qrels = pd.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "b"], "relevance": 1,
                          "iteration": ["PRO", "CON"]})
    run = qrels[["query_id", "doc_id"]].assign(score=1.0)
    signed, size = BiasP @ 1, BiasP(abs=True) @ 1
    found = ir_measures.calc_aggregate([signed, size], qrels, run)
    assert (found[signed], found[size]) == (0.0, 1.0)


def test_the_discount_of_equation_1(values):
    labels = ["A"] * 12 + ["B"] * 18
    run = pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}" for i in range(30)],
                        "score": range(30, 0, -1)})
    qrels = run[["query_id", "doc_id"]].assign(relevance=1, iteration=labels)
    measure = rND(protected="A", target="run", step=10, norm="none")
    distance = {i: abs(labels[:i].count("A") / i - 12 / 30) for i in (10, 20, 30)}
    ours, published = (sum(distance[i] / math.log2(i + more) for i in distance) for more in (1, 0))
    assert values([measure], qrels, run)[measure, "1"] == pytest.approx(ours)
    assert abs(ours - published) > 0.005


def test_what_the_numbers_imply_is_on_the_page(script):
    fit, leaning, _, labels = script("gezici2021").module.implied()["implied"]
    words = {"at least 4": "four labels or more"}
    on_page("papers", f"fit {fit} topics and no smaller number. Those in table 6 fit {leaning} "
            "topics only", f"Fleiss' κ is that high only with {words[labels]}")


# --------------------------------------------------------------------------- Lipani et al. (2021)


def smallest_bias(shares: dict[str, float], n: int) -> float:
    """The least that the largest bias of a group can be, over all lists of n documents."""
    lists = [one for one in itertools.product(range(n + 1), repeat=len(shares)) if sum(one) == n]
    rows = [(str(topic), f"d{i}", group) for topic, counts in enumerate(lists)
            for i, group in enumerate(itertools.chain(*map(itertools.repeat, shares, counts)))]
    run = pd.DataFrame(rows, columns=["query_id", "doc_id", "iteration"])
    measures = [RepBias(group=group, target=shares, abs=True) @ n for group in shares]
    found = pd.DataFrame(ir_measures.iter_calc(
        measures, run.assign(relevance=1), run[["query_id", "doc_id"]].assign(score=1.0)))
    return found.groupby("query_id")["value"].max().min()


def test_rounding_makes_no_list_of_two_groups_biased():
    for n, share in itertools.product((1, 3, 10), (0.0, 0.05, 0.25, 1 / 3, 0.5, 0.55, 0.77)):
        assert smallest_bias({"female": share, "male": 1 - share}, n) == pytest.approx(0, abs=1e-9)
    assert smallest_bias(dict.fromkeys("ABC", 1 / 3), 10) == pytest.approx(0.1)


def test_what_the_tables_say_is_on_the_page(script):
    found = script("lipani2021").module.published_findings().set_index("finding")["value"]
    k, r = ([found[f"{name}: biased towards {side}, target ratio around {ratio}"].split()[1]
             for side, ratio in (("males", 0.5), ("females", 0.1))] for name in "KR")
    on_page("papers", f"table 2 (means {' and '.join(k)}), not of table 3 ({' and '.join(r)})")
    rows = pd.read_csv(script("lipani2021").module.DATA / "lipani2021-published.csv")
    ratios = rows[rows["column"] == "unbiased"].groupby("table")["target_ratio"].agg(list)
    twice, lacking = ({table: [ratio / 10 for ratio in range(11) if wanted(own.count(ratio / 10))]
                       for table, own in ratios.items()}
                      for wanted in (lambda n: n == 2, lambda n: n == 0))
    assert (twice, lacking) == ({2: [0.5, 1.0], 3: [0.6]}, {2: [0.6, 0.7], 3: [0.7]})
    on_page("papers", "table 2 has 0.5 and 1.0 twice and lacks 0.6 and 0.7, table 3 has 0.6 twice "
            "and lacks 0.7.")
