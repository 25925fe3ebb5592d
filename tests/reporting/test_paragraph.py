"""The paragraph for a paper: what it says, in text and in LaTeX, with BibTeX of all it cites."""

from __future__ import annotations

import re

import ir_measures
import pytest

import pt_fairness
from pt_fairness.measures import MEASURES
from pt_fairness.provider.parsing import parsed
from pt_fairness.reporting import citations
from pt_fairness.reporting.citations import Cite
from pt_fairness.reporting.paragraph import Facts, paragraph


def facts(measures, **given):
    """Facts on measures, which are names or pairs of a label and a measure."""
    named = [(one, *parsed([one])) if isinstance(one, str) else one for one in measures]
    return Facts(**{
        "runs": 3, "topics": 50, "measures": named, "sources": ["The groups are those of x."],
        "undefined": [], "baseline": "BM25", "correction": "holm",
        "test": "two-sided paired t-test", **given,
    })  # fmt: skip


def test_it_names_measures_with_all_parameters_and_papers():
    text = citations.as_text(paragraph(facts(["nDCG@10", "P@5", "rKL(protected='CON')@10"])))
    assert text.startswith("3 systems are evaluated on 50 topics. Relevance is measured by nDCG@10 "
                           "(Järvelin & Kekäläinen 2002; dcg=log2), P@5 (rel=1).")  # fmt: skip
    rkl = MEASURES["rKL"](protected="CON") @ 10
    for name in rkl.SUPPORTED_PARAMS:
        if name not in ("cutoff", "groups"):
            assert f"{name}={rkl.param(name)}" in text
    assert "Pathiyan Cherumanal et al. 2021; Yang & Stoyanovich 2017" in text
    assert "0 is fair" in text
    assert "target=qrels is the distribution of the groups in the relevant documents" in text
    assert f"pt_fairness {pt_fairness.__version__}" in text
    assert f"ir_measures {ir_measures.__version__}" in text
    assert "The groups are those of x." in text


def test_signed_measures_and_explicit_targets():
    text = citations.as_text(paragraph(facts(["BiasP@5", "AWRF(target={'A':0.5,'B':0.5})@5"])))
    assert "0 is unbiased" in text and "1 is fair" in text
    assert "target={'A':0.5,'B':0.5}" in text and "Of the target distributions" not in text
    assert "Relevance is measured" not in text


def test_measures_of_subtopics_are_no_measures_of_relevance():
    text = citations.as_text(paragraph(facts(["nDCG@10", "alpha_nDCG(alpha=0.7)@5", "StRecall@5"])))
    assert "Relevance is measured by nDCG@10 (Järvelin & Kekäläinen 2002; dcg=log2). " in text
    assert "Novelty and diversity are measured by alpha_nDCG(alpha=0.7)@5 (Clarke et al. 2008; " \
        "rel=1), StRecall@5 (rel=1)." in text


@pytest.mark.parametrize(
    ("measure", "p"),
    [("AWRF@5", None), ("AWRF(discount='geometric')@5", "p=0.85"), ("EEL@5", "p=0.5, u=0.5"),
     ("EEL(model='rbp')@5", "p=0.5"), ("EEL(model='log2')@5", None), ("BiasRBP@5", "p=")],
)  # fmt: skip
def test_parameters_without_effect_are_left_out(measure, p):
    text = citations.as_text(paragraph(facts([measure])))
    assert p in text if p else " p=" not in text
    assert ("u=0.5" in text) == (measure == "EEL@5")


def test_a_label_is_explained_by_the_measure():
    (measure,) = parsed("rKL@10")
    text = citations.as_text(paragraph(facts([("Unfairness", measure)])))
    assert "Unfairness (Normalised Discounted Kullback–Leibler Divergence, rKL@10; " in text
    text = citations.as_text(paragraph(facts([("Quality", *parsed("nDCG(dcg='exp-log2')@10"))])))
    assert "by Quality (nDCG(dcg='exp-log2')@10; Järvelin & Kekäläinen 2002)." in text


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, "corrected by the method of Holm (Holm 1979) for the 2 comparisons by each measure."),
        ({"correction": "fdr_bh"}, "corrected by the method fdr_bh for the 2 comparisons"),
        ({"correction": None}, "the p-values are not corrected."),
        ({"runs": 2}, "with a significance level of 0.05."),
    ],
)
def test_tests(given, wanted):
    text = citations.as_text(paragraph(facts(["rKL@10"], **given)))
    assert "Differences from BM25 are tested by two-sided paired t-tests" in text
    assert wanted in text


def test_without_a_baseline_there_are_no_tests():
    assert "t-test" not in citations.as_text(paragraph(facts(["rKL@10"], baseline=None)))


def test_undefined_topics_are_named():
    sentence = "rKL@10 is undefined for 2 of 50 topics (7, 9); they are left out of its averages."
    assert sentence in citations.as_text(paragraph(facts(["rKL@10"], undefined=[sentence])))


@pytest.mark.parametrize("name", [*MEASURES, "nDCG", "ERR", "RBP", "Bpref", "alpha_nDCG"])
def test_bibtex_holds_all_that_is_cited(name):
    measure = MEASURES.get(name) or getattr(ir_measures, name)
    measure = measure(cutoff=5) if "cutoff" in measure.SUPPORTED_PARAMS else measure
    text = paragraph(facts([("x", measure)]))
    keys = {key for one in text if isinstance(one, Cite) for key in one}
    assert {*citations.of_measure(measure), "macavaney2022", "holm1979", "pt_fairness"} == keys
    entries = re.findall(r"^@\w+\{(.+),$", citations.bibtex(text), re.MULTILINE)
    assert entries == sorted(keys)
    cited = re.findall(r"\\cite\{(.+?)\}", citations.as_latex(text))
    assert {key for some in cited for key in some.split(",")} == keys
    assert citations.bibtex(text).count("{") == citations.bibtex(text).count("}")


def test_it_names_the_test():
    text = citations.as_text(paragraph(facts(["nDCG@10"], test="two-sided randomisation test")))
    assert "are tested by two-sided randomisation tests over the topics" in text
