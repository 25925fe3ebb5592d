"""The paragraph for a paper: what it says, in text and in LaTeX, with BibTeX of all it cites."""

from __future__ import annotations

import re
from string import Formatter
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG
from one_test import each

import pt_fairness
from pt_fairness import AWRF, rKL, rND, targets
from pt_fairness.core.messages import enumerated
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import BIBLIOGRAPHY
from pt_fairness.provider.measure_lists import parsed
from pt_fairness.reporting.paragraph import (
    ASPECTS,
    CLAUSES,
    DISTANCES,
    REFERENCES,
    SENTENCES,
    SOFTWARE,
    Facts,
    _description,
    as_latex,
    as_text,
    bibtex,
    cite,
    clauses,
    key_of,
    paragraph,
    references_of,
)

#: Values for the parameters that measures need.
NEEDED: dict[str, Any] = {"measure": "nDCG", "group": "A", "values": {"A": 1.0, "B": 0.25},
                          "attributes": {"sides": "jsd"}}
TARGETS = {"qrels": "among the relevant documents", "uniform": "equal",
           "collection": "among the relevant documents of all topics",
           "run": "in the whole ranking", "explicit": "the target (A 0.3, B 0.7)"}


def facts(measures, **given):
    """Facts on measures, which are names or pairs of a label and a measure."""
    comparison = {"baseline": "BM25", "correction": "holm", "test": "two-sided paired t-test"}
    for name in comparison.keys() & given.keys():
        comparison[name] = given.pop(name)
    named = [(one, *parsed([one])) if isinstance(one, str) else one for one in measures]
    return Facts(**{"runs": 3, "topics": 50, "measures": named,
                    "sources": ["The groups are those of x."], "undefined": [""] * len(named),
                    "comparison": comparison, **given})


def told(*measures, **given):
    """The paragraph on measures, which are names or objects."""
    named = [one if isinstance(one, (str, tuple)) else (str(one), one) for one in measures]
    return as_text(paragraph(facts(named, **given)))


def made(name, **params):
    """A measure with the parameters that it needs and those of ``params`` that it has."""
    known = MEASURES[name].SUPPORTED_PARAMS
    wanted = NEEDED | params
    if name == "TrecFair":
        targets.register("paragraph", pd.DataFrame({"group": ["A", "B"], "share": [0.5, 0.5]}))
        wanted = NEEDED | {"attributes": {"sides": "paragraph"}} | params
    return MEASURES[name](**{one: value for one, value in wanted.items() if one in known}) @ 10


def test_the_sentence_on_rkl():
    text = told("nDCG@10", "P@5", "rKL@10")
    assert text.startswith(
        "We evaluate 3 systems on 50 topics. We measure relevance by nDCG@10 (Järvelin & "
        "Kekäläinen 2002) and P@5. We measure fairness by rKL@10 (KL divergence; Pathiyan "
        "Cherumanal et al. 2021; Yang & Stoyanovich 2017), where 0 is fair and 1 is the least "
        "fair. It measures how far, at each rank, the share of the group with the fewest relevant "
        "documents of the topic, of those that have any, is from its share among the relevant "
        "documents, discounted by log2 and divided by its exact maximum. ")
    assert f"pt_fairness {pt_fairness.__version__}" in text
    assert f"ir_measures {ir_measures.__version__}" in text
    assert "The groups are those of x." in text


@each("name", MEASURES)
def test_each_measure_is_described_in_prose(name):
    measure = made(name)
    (aspect, end, text), named = _description(measure, ()), told(measure)
    assert f"We measure {aspect} by {name}@10" in named
    assert f"{end}. It {text}. " in named
    assert re.match("(measures (how|whether)|is) ", text)
    assert "=" not in named and "{" not in named and "  " not in named
    # Defaults are not listed.
    assert clauses(measure) == []
    # Full sentences, whose brackets are closed, and none of which begins with a digit.
    assert 15 < len(text) < 330 and text.count("(") == text.count(")")
    end = end.removeprefix(", where ")
    assert re.fullmatch(r"(\d|more) is [a-z]+( [a-z]+| and 1 is the least fair)?", end)
    assert all(re.match("[A-Z]", one) for one in re.split(r"(?<!et al)\. ", named))
    fair = f"{measure.IDEAL:g} is " if measure.RANGE[1] is not None or not measure.IDEAL \
        else "more is "
    assert end.startswith(fair)
    assert ("left out before the rankings are cut" in named) == measure.condensed


@each("name", MEASURES)
def test_values_other_than_the_defaults_are_told(name):
    """Every parameter that the measure reads changes the paragraph, without its own name."""
    other = {"rel": 2, "protected": "B", "step": 5, "norm": "none", "p": 0.3, "abs": True,
             "smoothing": 2.0, "discount": "none", "unannotated": "keep", "empty": "smooth",
             "base": 3.0, "model": "trec", "u": 0.1, "binary": True, "complete": True,
             "by": "group", "gains": "binary", "max_rel": 3, "divergence": "rnod", "order": "A,B",
             "targets": {"sides": "qrels"}, "relevance": "rbu", "weights": {1: 0.4, 2: 0.6},
             "unretrieved": "count", "alpha": 0.2, "others": "dropped", "pairs": "errors",
             "missing": 0.5, "background": "qrels", "pro": "B", "con": "A", "adjust": False,
             "value": "share", "whole": "sides", "unknown": "partial", "ideal": 7,
             "of_qrels": 0.25, "group": "B", "measure": "P", "values": {"A": 2.0},
             "attributes": {"b": "jsd"}, "phi": 0.5}
    special = {("FAIR", "value"): "prefixes", ("TrecFair", "value"): "awrf",
               ("DistKL", "discount"): "log2", ("DistFair", "discount"): "log2",
               ("RADio", "divergence"): "kl", ("TrecFair", "attributes"): {"b": "paragraph"},
               ("EEL", "norm"): "bound", ("EED", "norm"): "bound", ("EER", "norm"): "bound",
               ("GFR", "gains"): "linear", ("GF", "gains"): "linear"}
    #: What another parameter has to be.
    beside = {"p": {"discount": "geometric"}, "phi": {"relevance": "rbu"}}
    before = made(name)
    for param in before.SUPPORTED_PARAMS:
        if param in ("cutoff", "groups", "target"):
            continue
        base = beside.get(param, {})
        own = {param: special.get((name, param), other[param])}
        text = told(("x", made(name, **base, **own)))
        assert text != told(("x", made(name, **base))), param
        assert "=" not in text and f"{param} is {own[param]}" not in text, param


def values_of(measure):
    """The values on qrels and a ranking where the sides are of different sizes."""
    rows = [("1", f"r{i}", 1, "A" if i < 3 else "B") for i in range(9)]
    rows += [("1", f"n{i}", 0, "A") for i in range(20)]
    rows += [("2", f"s{i}", 1, "A" if i < 6 else "B") for i in range(7)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    order = ["r4", "n1", "r0", "n2", "r5", "n3", "r6", "n4", "r1", "n5", "n6", "r7", "n7"]
    run = pd.DataFrame({"query_id": "1", "doc_id": order,
                        "score": -np.arange(len(order), dtype=float)})
    return [one.value for one in measure.iter_calc(qrels, run) if one.query_id == "1"]


@pytest.mark.parametrize("name", [one for one, measure in MEASURES.items()
                                  if "protected" in measure.SUPPORTED_PARAMS])
def test_the_protected_group_is_the_one_that_is_named(name):
    """A is the smaller group of the relevant documents, and B that of the ranked ones."""
    text = told(made(name, protected="minority"))
    assert ("fewest relevant documents" in text) != ("fewest ranked documents" in text)
    group, other = "AB" if "fewest relevant documents" in text else "BA"
    found, own, wrong = (values_of(made(name, protected=one, norm="none", step=1))
                         for one in ("minority", group, other))
    assert found == own
    if name not in ("rND", "nDD", "nDJS", "rKL"):  # which are symmetric for two groups
        assert found != wrong
    assert "the group B" in told(made(name, protected="B"))
    assert "the groups A and B" in told(made(name, protected="A,B"))
    assert "the group A,B" in told(made(name, protected="A,B"), labels=["A,B"])
    if MEASURES[name].SUPPORTED_PARAMS["protected"].validate("all"):
        assert "the groups' shares are from" in told(made(name, protected="all"))


@each("name", [one for one, measure in MEASURES.items() if "target" in measure.SUPPORTED_PARAMS])
def test_the_target_is_the_one_that_is_named(name):
    known = MEASURES[name].SUPPORTED_PARAMS["target"]
    explicit = {"A": 0.3, "B": 0.7}
    texts = {}
    for word, words in TARGETS.items():
        if word == "explicit" or known.validate(word):
            target = explicit if word == "explicit" else word
            texts[word] = told(("x", made(name, target=target, by="group")))
            if name == "EED":  # which has no target
                continue
            ideal = name in ("EEL", "EER") and word == "qrels"
            assert ("ideal rankings" if ideal else words) in texts[word]
    assert name == "EED" or len(set(texts.values())) == len(texts)


def test_measures_of_which_the_same_is_said_share_a_sentence():
    text = told("rND@5", "rKL@5", "rKL@10", "AWRF@5", "AWRF(target='qrels')@10",
                "P(rel=2)@10", "AWRF(rel=2)@20")
    assert "We also measure fairness by AWRF@5 (" in text and "fairness by AWRF@10 (" in text
    assert "We measure fairness by rND@5 (difference; Pathiyan" in text
    assert text.count("Each measures how far, at each rank") == 1
    assert text.count("We measure fairness by") == 1
    assert "In P@10 and AWRF@20, documents of relevance 2 or more are relevant." in text
    assert text.count("documents without a group are left out") == 1
    assert "are to their shares among the relevant documents. " in text


@pytest.mark.parametrize("measures, texts", [
    (["rKL@10", "rKL(protected='B')@10", "AWRF(target='qrels')@5"], [
        "rKL(protected='B')@10 (KL", "AWRF@5 (", "the share of the group B is from its share"]),
    (["BiasP@5", "AWRF(target={'A':0.5,'B':0.5})@5"], [
        "We measure bias by BiasP@5 (Gezici et al. 2021), where 0 is unbiased. It is",
        "where 1 is fair. It measures", "to the target (A 0.5, B 0.5). "]),
    ([("Gap", rKL @ 10)], ["We measure fairness by Gap (rKL@10; KL divergence; Pathiyan"]),
    ([("Quality", nDCG(dcg="exp-log2") @ 10)], [
        "by Quality (nDCG@10; Järvelin & Kekäläinen 2002).", "In Quality, dcg is exp-log2."]),
    (["rND(step=10,protected='A,B')"], ["at ranks 10, 20, …, the share of the groups A and B is"]),
    (["RaB(values={'A':1,'B':-0.5})"], ["is the mean of the values (A 1, B −0.5) over the"]),
    (["EEL(p=0.25,u=0.1)"], ["a relevant document lowers the exposure below it by the share 0.1"])])
def test_names_targets_and_parameters(measures, texts):
    shown = told(*measures)
    assert all(text in shown for text in texts), shown


def test_measures_of_subtopics_are_no_measures_of_relevance():
    text = told("nDCG@10", "alpha_nDCG(alpha=0.7)@5", "StRecall@5")
    assert "We measure relevance by nDCG@10 (Järvelin & Kekäläinen 2002). " in text
    assert ("We measure novelty and diversity by alpha_nDCG@5 (Clarke et al. 2008) and "
            "StRecall@5. ") in text
    assert "In alpha_nDCG@5, alpha is 0.7." in text


@pytest.mark.parametrize(
    ("measure", "p"),
    [("AWRF(p=0.3)@5", None), ("AWRF(discount='geometric')@5", "with the persistence 0.85"),
     ("EEL(p=0.3)@5", "the persistence is 0.3"), ("EEL(model='rbp')@5", "the persistence 0.5"),
     ("EEL(model='log2',p=0.3)@5", None), ("BiasRBP(p=0.9)@5", "the persistence is 0.9")],
)  # fmt: skip
def test_parameters_without_effect_are_left_out(measure, p):
    assert p in told(measure) if p else "persistence" not in told(measure)


def test_a_measure_of_another_package_has_its_short_description():
    class Other(type(MEASURES["rND"])):
        """Other — Another.

        How other the ranking is.
        """

    text = told(("Other@5", Other() @ 5))
    assert ("Yang & Stoyanovich 2017), where 0 is fair. It is described as “How other the ranking "
            "is” (target: the distribution of the groups in the relevant documents of the topic; "
            "protected: the group with the fewest relevant documents, of those that have any, per "
            "topic). ") in text


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, "corrected by Holm's method (Holm 1979) for the 2 comparisons by each measure."),
        ({"correction": "fdr_bh"}, "corrected by the method fdr_bh for the 2 comparisons"),
        ({"correction": None}, "the p-values are not corrected."),
        ({"runs": 2}, "over the topics at a significance level of .05. "),
        ({"test": "two-sided randomisation test"}, "BM25 by two-sided randomisation tests over"),
        ({"intervals": 0.9}, "Intervals of the means are 90 % BCa bootstrap intervals")])
def test_tests_and_intervals(given, wanted):
    text = told("rKL@10", **given)
    assert "We test differences from BM25 by two-sided" in text and wanted in text
    assert ("Intervals" in text) == ("intervals" in given)
    assert "test" not in told("rKL@10", comparison={}).replace("smallest", "").replace("fewest", "")


def test_undefined_topics_are_named():
    text = told("rKL@10", "rND@10", "AWRF@10", undefined=["2 of 50 topics (7, 9); so."] * 2 + [""])
    assert "rKL@10 and rND@10 are undefined for 2 of 50 topics (7, 9); so. " in text
    assert text.count("undefined") == 1


@each("name", [*MEASURES, "nDCG", "ERR", "RBP", "Bpref", "alpha_nDCG"])
def test_bibtex_holds_all_that_is_cited(name):
    measure = MEASURES.get(name) or getattr(ir_measures, name)
    measure = measure(cutoff=5) if "cutoff" in measure.SUPPORTED_PARAMS else measure
    text = paragraph(facts([("x", measure)]))
    keys = {key for one in re.findall("\ue000(.*?)\ue001", text) for key in one.split(",")}
    assert {*references_of(measure), "macavaney2022", "holm1979", "pt_fairness"} == keys
    entries = re.findall(r"^@\w+\{(.+),$", bibtex(text), re.MULTILINE)
    assert entries == sorted(keys)
    cited = re.findall(r"\\cite\{(.+?)\}", as_latex(text))
    assert {key for some in cited for key in some.split(",")} == keys
    assert bibtex(text).count("{") == bibtex(text).count("}")


def split(key):
    """The measure of a key, and the parameter and its value; ``None`` for none."""
    name, _, condition = key.partition(" ")
    param, _, value = condition.partition("=")
    return name, param or None, value


@pytest.mark.parametrize("table", [SENTENCES, DISTANCES, ASPECTS],
                         ids=["text", "distance", "aspect"])
def test_keys_are_measures_and_values_of_their_parameters(table):
    for key in table:
        name, param, value = split(key)
        assert name in MEASURES
        known = MEASURES[name].SUPPORTED_PARAMS
        if param is not None and value != "{}":
            assert known[param].validate(known[param].canonical(value)), key


def test_every_measure_has_a_sentence_and_clauses_are_on_parameters():
    assert {split(key)[0] for key in SENTENCES} == {*MEASURES}
    params = {name for measure in MEASURES.values() for name in measure.SUPPORTED_PARAMS}
    for key in CLAUSES:
        first, _, rest = key.partition(" ")
        name = (rest or first).partition("=")[0]
        assert name in params and (not rest or name in MEASURES[first].SUPPORTED_PARAMS), key
    for text in CLAUSES.values():
        assert {place for _, place, *_ in Formatter().parse(text)} <= {None, "", "p", "phi"}


def test_the_entry_for_a_value_of_a_parameter_wins():
    table = {"rND": 1, "rND norm=none": 2, "rKL": 3}
    assert key_of(table, rND @ 5) == "rND"
    assert key_of(table, rND(norm="none") @ 5) == "rND norm=none"
    assert key_of(table, AWRF @ 5) == ""


@pytest.mark.parametrize(("words", "text"), [
    ([], ""), (["a"], "a"), (iter("ab"), "a and b"), (["a", "b", "c, d"], "a, b and c, d")])
def test_lists_of_words(words, text):
    assert enumerated(words) == text


TEXT = f"rKL@10 ({cite('yang2017', 'jarvelin2002')}) by {cite(SOFTWARE)}."


def test_citations_are_authors_and_years_or_keys():
    assert as_text(TEXT) == ("rKL@10 (Yang & Stoyanovich 2017; Järvelin & Kekäläinen 2002) by "
                             "the pt_fairness developers.")
    assert as_text("") == "" and as_text("a" + cite()) == "a"
    assert as_latex(TEXT) == r"rKL@10 (\cite{yang2017,jarvelin2002}) by \cite{pt_fairness}."
    with pytest.raises(KeyError, match="nobody1900"):
        as_text(cite("nobody1900"))


def test_bibtex_has_each_reference_once_by_key():
    entries = bibtex(TEXT + cite("yang2017")).split("\n\n")
    assert [re.match(r"@\w+\{(.+),", entry)[1] for entry in entries] == [
        "jarvelin2002", "pt_fairness", "yang2017"]
    assert entries[0] == REFERENCES["jarvelin2002"].bibtex("jarvelin2002")
    assert entries[2] == BIBLIOGRAPHY["yang2017"].bibtex("yang2017") + "\n"
    assert entries[1].startswith("@software{pt_fairness,")
    assert f"version = {{{pt_fairness.__version__}}}" in entries[1]
    assert "_" not in entries[1].partition(",")[2].replace(r"\_", ""), "LaTeX needs them escaped"
    for entry in entries:
        assert entry.count("{") == entry.count("}")


def test_latex_escapes_what_names_can_hold():
    held = "a_b & 50% of $x {y} ~ ^ # | <z> \\ α_β − 'q'"
    text = as_latex(held)
    assert text == (r"a\_b \& 50\% of \$x \{y\} \textasciitilde{} \textasciicircum{} \# \textbar{} "
                    r"\textless{}z\textgreater{} \textbackslash{} $\alpha$\_$\beta$ $-$ "
                    "'q'")
    assert "how close the groups' shares" in as_latex(paragraph(facts(["AWRF@10"])))


@pytest.mark.parametrize("key", sorted({*REFERENCES} - {*BIBLIOGRAPHY}))
def test_references_of_other_packages(key):
    entry = REFERENCES[key].bibtex(key)
    assert re.match(r"@(article|inproceedings)\{" + key + ",\n", entry)
    family = REFERENCES[key].people[0].split()[-1].lower().replace("ä", "a")
    assert key == f"{family}{REFERENCES[key].venue[-4:]}"
    assert REFERENCES[key].link.startswith("https://")
