"""The paragraph for a paper states the facts of the experiment, and its BibTeX is complete."""

from __future__ import annotations

import re

import ir_measures
import pandas as pd
import pytest

import pt_fairness
from pt_fairness import groups, report
from pt_fairness.measures import MEASURES

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

QRELS = pd.DataFrame({"qid": [*"11223344556677"], "docno": [*"ab"] * 7, "label": 1,
                      "iteration": [*"PC"] * 7})
RUN = QRELS[["qid", "docno"]].assign(score=[2.0, 1.0] * 7)
OTHER = RUN.assign(score=[1.0, 2.0] * 7)


def made(measures=("nDCG@2", "AWRF@2"), runs=None, **options):
    runs = {"one": RUN, "two": OTHER, "three": OTHER} if runs is None else runs
    return report(runs, QRELS, list(measures), progress=False, **options)


def keys(text):
    return {key for cited in re.findall(r"\\cite\{([^}]*)\}", text) for key in cited.split(",")}


def test_systems_topics_measures_groups_and_versions():
    text = made().paragraph
    assert text.startswith("We evaluate 3 systems on 7 topics by nDCG@2 (Järvelin & Kekäläinen "
                           "2002) and AWRF@2 (Sapiezynski et al. 2019).")
    assert MEASURES["AWRF"].SHORT_DESC.rstrip(".") in text
    assert "1 is fair; target: equal shares of all groups" in text
    assert "the qrels (C, P)" in text
    assert f"pt_fairness {pt_fairness.__version__}" in text
    assert f"ir_measures {ir_measures.__version__} (MacAvaney et al. 2022)" in text


@pytest.mark.parametrize("count, named", [(5, range(1, 6)), (7, [1, 7])])
def test_measures_of_relevance_have_their_means(count, named):
    """System k returns documents for k of the seven topics; of many systems, the ends are named."""
    runs = {f"S{k}": RUN.iloc[:2 * k] for k in range(1, count + 1)}
    text = made(runs=runs).paragraph.partition("nDCG@2: ")[2]
    shown = re.findall(r"(S\d) \((\d\.\d+)", text.partition(". ")[0])
    assert sorted(shown) == [(f"S{k}", f"{k / 7:.3f}") for k in named]


def test_labels_and_parameters():
    text = made(["rKL(protected='C',rel=2)@5"], labels={
        "rKL(protected='C',rel=2)@5": "Unfairness"}).paragraph
    assert "Unfairness, which is rKL(" in text and "protected: C" in text


def test_sources_and_their_measures():
    source = groups.from_mapping({"a": "X", "b": "Y"}, name="halves")
    groups.register("halves", source)
    try:
        text = made(["AWRF@2", "AWRF(groups='halves')@2"]).paragraph
    finally:
        groups.unregister("halves")
    assert "The groups of AWRF@2 are from the qrels (C, P)." in text
    assert "The groups of AWRF(groups='halves')@2 are from halves (X, Y)." in text


def test_the_quality_of_the_labels_of_a_model():
    model = groups.from_mapping({"a": "P", "b": "P"}, name="tagger")
    source = groups.model_labels(model, {"a": "P", "b": "C"})
    text = made(["AWRF@2"], groups=source).paragraph
    assert "2 documents were checked" in text and "50.0 % [9.5, 90.5]" in text


def test_bibtex_has_what_the_paragraph_cites_and_no_more():
    page = made(["nDCG@2", "ERR@2", "Bpref", "alpha_nDCG@2", "AWRF@2", "rKL@2"], baseline="one")
    assert "chapelle2009" in page.bibtex and "\\cite{pathiyancherumanal2021,yang2017}" in page.latex
    entries = re.findall(r"(?m)^@\w+\{(\w+),$", page.bibtex)
    assert entries == sorted(keys(page.latex)) and len(entries) == 10
    assert page.bibtex.count("{") == page.bibtex.count("}")
