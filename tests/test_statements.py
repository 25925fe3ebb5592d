"""Single statements of the pages and docstrings that the package itself decides."""

from __future__ import annotations

import importlib.resources
import itertools
import math
import re
import warnings

import pandas as pd
import pytest

from pt_fairness import (
    AWRF,
    EED,
    EEL,
    EER,
    IAA,
    NDKL,
    ARaB,
    BiasDCG,
    BiasP,
    BiasRBP,
    DistFair,
    DistKL,
    FaiRR,
    NFaiRR,
    PreF,
    RaB,
    RankingBias,
    RepBias,
    Skew,
    analysis,
    evaluate,
    groups,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
    values,
)
from pt_fairness.measures.example import qrels as EXAMPLE
from pt_fairness.measures.example import run as EXAMPLE_RUN

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
PAGES = importlib.resources.files("pt_fairness") / "pt_docs"


def on_page(name, *sentences):
    page = " ".join((PAGES / f"{name}.rst").read_text(encoding="utf-8").split())
    assert [one for one in sentences if one not in page] == []


def says(measure, *sentences):
    text = " ".join((type(measure).__doc__ or "").split())
    assert [one for one in sentences if one not in text] == []


def qrels_of(groups):
    """A relevant document of each group, d0, d1, …"""
    return pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in range(len(groups))], "label": 1,
                         "iteration": list(groups)})


def value_of(measure, groups, order=None):
    """The value of a ranking of these relevant documents, by default in their order."""
    order = range(len(groups)) if order is None else order
    run = pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in order],
                        "score": [-float(i) for i in range(len(order))]})
    return evaluate({"one": run}, qrels_of(groups), [measure], progress=False)[0].iloc[0, 1]


def test_viewpoint_measures_depend_on_the_length_of_the_condensed_list():
    for measure in (nDD, nDJS):
        says(measure, "``nDD@3`` of the same three documents is 0.704 alone, and 0.434 before "
             "three others with the same groups.")
    for measure in (nDR, nDKL):
        says(measure, "As nDD.")
    assert round(value_of(nDD @ 3, "PPC"), 3) == 0.704
    assert round(value_of(nDD @ 3, "PPCPPC"), 3) == 0.434
    for measure in (nDD, nDR, nDKL, nDJS):
        assert value_of(measure @ 3, "PPC") != pytest.approx(value_of(measure @ 3, "PPCPPP"))
    # One depth is not enough: the second list has as many documents, three of them without a group.
    assert round(value_of(nDD @ 3, ["P", "-", "P", "-", "C", "-"]), 3) == 0.704


@pytest.mark.parametrize("measure", [rND, rKL, rRD])
def test_the_equations_have_no_normaliser(measure):
    number = {rND: 1, rKL: 3, rRD: 4}[measure]
    says(measure, f"Equation {number} is the sum without Z, ``norm='none'``.")
    S, N = 1, 3

    def ratio(a, b):
        return a / b if a and b else 0.0

    def term(plus, i):
        if measure is rND:
            return abs(plus / i - S / N)
        if measure is rRD:
            return abs(ratio(plus, i - plus) - ratio(S, N - S))
        return sum(p * math.log2(p / q) for p, q in ((plus / i, S / N), (1 - plus / i, 1 - S / N))
                   if p > 0)

    equation = sum(term(plus, i) / math.log2(i + 1) for i, plus in ((1, 0), (2, 1), (3, 1)))
    assert value_of(measure(norm="none") @ 3, "PCP") == pytest.approx(equation)
    assert value_of(measure @ 3, "PCP") != pytest.approx(equation)


def test_the_paper_normalises_dist_fair_by_min_max():
    says(DistFair, "The paper normalises by min–max over the compared systems", "The paper's form "
         "is DistKL with :func:`pt_fairness.analysis.minmax`.")
    orders = {"one": [0, 1], "two": [0, 3], "three": [0, 1, 2]}
    runs = {name: pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in order],
                                "score": range(len(order), 0, -1)})
            for name, order in orders.items()}
    table, _ = evaluate(runs, qrels_of("PPPC"), [DistKL, DistFair], progress=False)
    paper = 1 - analysis.minmax(table)["DistKL"]
    assert set(paper) >= {0.0, 1.0}
    fewer = evaluate({"one": runs["one"]}, qrels_of("PPPC"), [DistFair], progress=False)[0]
    assert fewer.iloc[0, 1] == pytest.approx(table["DistFair"][0])


def test_the_range_of_ndkl():
    says(NDKL, "A list with annotated documents has at most −ln of the smallest share in T, which "
         "is the logarithm of the number of groups for equal shares. Only a topic without results "
         "can have more.")
    for pool in ("PPC", "AABC"):
        largest = {"PPC": math.log(2), "AABC": math.log(3)}[pool]
        found = [value_of(NDKL, pool, order) for n in range(1, len(pool) + 1)
                 for order in itertools.permutations(range(len(pool)), n)]
        assert min(found) > 0 and max(found) == pytest.approx(largest)
    assert value_of(NDKL, "PPC", ["x"]) == 1 > math.log(2)
    share = value_of(NDKL(target={"P": 0.99, "C": 0.01}), "PPC", [2])
    assert share == pytest.approx(-math.log(0.01))


def test_the_ideals_of_pref_and_eed():
    says(PreF, "1 is not the value of a fair list: it needs every document to be protected. A list "
         "with the share p has less, and more protected documents than that raise the value.")
    lists = ["PNPNPN", "PPNPPN", "PPPPPN", "PPPPPP"]
    # A document that no list returns: where every group is protected, there is nothing to compare.
    found = [value_of(PreF(protected="P", p=0.5), f"{one}N", range(6)) for one in lists]
    assert found == sorted(found) and found[0] < 0.9 and found[-1] == pytest.approx(1)
    says(EED, "for the same sum of exposures, equal ones have the least EED, which is above 0. 0 "
         "means that nothing is exposed.")
    both = pd.DataFrame({"qid": "1", "docno": ["d0", "d1", "d1", "d0"], "score": [2, 1, 2, 1],
                         "iteration": ["0", "0", "1", "1"]})
    equal = evaluate({"one": both}, qrels_of("PC"), [EED], progress=False)[0].iloc[0, 1]
    assert value_of(EED, "PC") > equal > 0


def test_ties_of_the_minority():
    says(rND, "Of equally small groups it is the first in the order of their labels, so that CON "
         "comes before PRO.")
    says(nDD, "of equally small ones, the first in the order of their labels")
    on_page("glossary", "of equally small ones, the first in the order of their labels")
    pool = ["PRO", "PRO", "CON", "CON"]
    order = [0, 1, 2]
    for measure, told in ((rRD, "minority"), (nDR, "minority"), (rRD, "majority")):
        if measure is nDR:
            order = [0, 1, 2, 3]
        found = value_of(measure(protected=told) @ 3, pool, order)
        assert found == value_of(measure(protected="CON") @ 3, pool, order)
        assert found != pytest.approx(value_of(measure(protected="PRO") @ 3, pool, order))


def test_rep_bias_and_skew_of_one_ranking():
    says(RepBias, "The default target is the relevant documents, of Skew equal shares",
         "In the example, the default target would give 0.")
    says(Skew, "The default target is equal shares, of RepBias the relevant documents")
    assert RepBias(group="CON").calc_aggregate(EXAMPLE, EXAMPLE_RUN) == 0
    assert RepBias(group="CON", target="uniform").calc_aggregate(EXAMPLE, EXAMPLE_RUN) == -0.25


def test_the_target_of_rep_bias_is_rounded_to_whole_documents():
    says(RepBias, "If 29 % of the relevant documents have the group, a list of ten with three "
         "documents of it has the value 0, and one with two has −0.1.",
         "If 9 % have it, a list of five without it has the value 0.",
         "For the plain share of CON, m/n, give ``group='CON', target={'CON': 0, 'PRO': 1}``.")

    def of(measure, con, size, judged):
        groups = ["CON"] * judged + ["PRO"] * (100 - judged)
        return value_of(measure, groups, [*range(con), *range(judged, judged + size - con)])

    assert of(RepBias(group="CON") @ 10, 3, 10, 29) == 0
    assert of(RepBias(group="CON") @ 10, 2, 10, 29) == pytest.approx(-0.1)
    assert of(RepBias(group="CON") @ 5, 0, 5, 9) == 0
    plain = RepBias(group="CON", target={"CON": 0, "PRO": 1}) @ 10
    assert [of(plain, con, 10, 29) for con in (0, 2, 4)] == pytest.approx([0, 0.2, 0.4])


def test_the_mean_skew_of_random_orders():
    says(Skew, "With 5 documents of the group among 25 and a target share of 0.2, it is −1.36 for "
         "five documents and −0.34 for ten.")
    for k, said in ((5, -1.36), (10, -0.34)):
        ways = [math.comb(5, m) * math.comb(20, k - m) / math.comb(25, k) for m in range(6)]
        skews = [value_of(Skew(group="C", target="qrels") @ k, "C" * 5 + "P" * 20,
                          [*range(m), *range(5, 5 + k - m)]) for m in range(6) if m <= k]
        assert round(sum(w * s for w, s in zip(ways, skews, strict=True)), 2) == said
    assert skews[0] == pytest.approx(math.log(0.001 / 0.2))


def test_bias_without_relevant_documents_is_zero_and_not_undefined():
    run = pd.DataFrame({"qid": ["1", "2"], "docno": "d0", "score": 1.0})
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": "d0", "label": [1, 0], "iteration": "PRO"})
    qrels = pd.concat([qrels, qrels.assign(docno="d1", iteration="CON")])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = evaluate({"one": run}, qrels, [BiasP @ 1, BiasRBP, BiasDCG @ 1], progress=False)
    by_topic = result.perquery
    assert (by_topic.loc[by_topic["qid"] == "2", "value"] == 0).all()
    assert not result.facts.undefined


def test_values_that_the_tutorial_names_are_in_its_tables():
    text = (PAGES / "tutorial.rst").read_text(encoding="utf-8")
    tables = "\n".join(re.findall(r"code-block:: text\n\n((?:   .*\n|\n)+)", text))
    prose = re.sub(r"\.\. code-block::.*\n\n(?:   .*\n|\n)+", "", text)
    named = re.findall(r"\b0\.\d{2,3}\b|= (0\.\d+)", prose)
    assert re.search(r"\bBM25 +0\.71 +0\.94 +0\.45\b", tables)
    on_page("tutorial", "BM25 has 0.45")
    assert len(named) > 3
    for number in re.findall(r"(?<![\d.])0\.\d{2}(?!\d)", prose):
        assert number in tables or number == "0.03", number


def test_the_sentence_on_certainty_has_the_numbers_of_its_tables():
    text = (PAGES / "certainty.rst").read_text(encoding="utf-8").replace("−", "-")
    tables, _, rest = text.partition("\nThe sentence\n")
    sentence = rest.partition('labels\'."')[0]
    numbers = [float(number) for number in re.findall(r"-?\d\.\d{3}\b", tables)]
    rounded = {f"{number:.2f}" for number in numbers}
    named = re.findall(r"-\d\.\d{2}", sentence)
    assert len(named) == 6 and set(named) <= rounded
    assert f"{0.384:.0%}".replace("%", " %") in sentence and 0.384 in numbers


def test_measures_that_need_no_groups():
    numbers = values.from_mapping({"d0": 0.5, "d1": 1.0}, name="neutral")
    measures = [EEL, EED, EER, IAA, *(one(values=numbers) for one in (
        FaiRR, NFaiRR, RaB, ARaB, RankingBias))]
    without = qrels_of("PC").drop(columns="iteration")
    run = pd.DataFrame({"qid": "1", "docno": ["d0", "d1"], "score": [2.0, 1.0]})
    table, _ = evaluate({"one": run}, without, measures, progress=False)
    assert table.iloc[0, 1:].notna().all()
    with pytest.raises(ValueError, match="groups"):
        evaluate({"one": run}, without, [AWRF], progress=False)


def test_a_draw_of_labels_is_not_the_mean_of_weights():
    qrels = pd.concat([qrels_of("PPPP").assign(qid=str(i)) for i in range(3)])
    run = qrels[["qid", "docno"]].assign(score=[4.0, 3.0, 2.0, 1.0] * 3)
    halves = groups.from_mapping({f"d{i}": {"PRO": 0.5, "CON": 0.5} for i in range(4)})
    table, _ = evaluate({"one": run}, qrels, [AWRF @ 4], groups=halves, progress=False)
    assert table.iloc[0, 1] == pytest.approx(1)
    drawn = analysis.uncertain_labels({"one": run}, qrels, [AWRF @ 4], halves, draws=100)
    assert drawn["mean"].item() < 0.96
