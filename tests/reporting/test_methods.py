"""The paragraph for a paper states the facts of the experiment, and its BibTeX is complete."""

import re

import pandas as pd
import pytest
from one_test import each

from pt_fairness import groups, report

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

QRELS = pd.DataFrame({"qid": [*"11223344556677"], "docno": [*"ab"] * 7, "label": 1,
                      "iteration": [*"PC"] * 7})
RUN = QRELS[["qid", "docno"]].assign(score=[2.0, 1.0] * 7)
OTHER = RUN.assign(score=[1.0, 2.0] * 7)


def made(measures=("nDCG@2", "AWRF@2"), runs=None, **options):
    runs = {"one": RUN, "two": OTHER, "three": OTHER} if runs is None else runs
    return report(runs, QRELS, list(measures), progress=False, **options)


@each("count, named", [(5, range(1, 6)), (7, [1, 7])])
def test_measures_of_relevance_have_their_means(count, named):
    """System k returns documents for k of the seven topics; of many systems, the ends are named."""
    runs = {f"S{k}": RUN.iloc[:2 * k] for k in range(1, count + 1)}
    text = made(["nDCG@2"], runs=runs).paragraph.partition("nDCG@2: ")[2]
    shown = re.findall(r"(S\d) \((\d\.\d+)", text.partition(". ")[0])
    assert sorted(shown) == [(f"S{k}", f"{k / 7:.3f}") for k in named]


def test_sources_labels_and_parameters(registered_groups):
    registered_groups("halves", groups.from_mapping({"a": "X", "b": "Y"}))
    own = "rKL(protected='X',groups='halves')@2"
    text = made(["AWRF@2", own], labels={own: "Gap"}, runs={"one": RUN}).paragraph
    assert own in text and "protected: X" in text
    assert "qrels (C, P)" in text and "halves (X, Y)" in text


def test_bibtex_has_what_the_paragraph_cites_and_no_more():
    page = made(["nDCG@2", "ERR@2", "Bpref", "alpha_nDCG@2", "AWRF@2", "rKL@2"], baseline="one")
    cited = re.findall(r"\\cite\{([^}]*)\}", page.latex)
    assert "pathiyancherumanal2021,yang2017" in cited
    entries = re.findall(r"(?m)^@\w+\{(\w+),$", page.bibtex)
    assert entries == sorted({*",".join(cited).split(",")}) and len(entries) == 10
