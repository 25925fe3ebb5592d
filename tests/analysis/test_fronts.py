"""The front of relevance and fairness against every order of the documents."""

import random
from functools import partial

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from slow_versions import MEASURES
from slow_versions.frontier import in_range, means, points, vertices
from slow_versions.reading import read_topics

from pt_fairness import analysis, groups
from pt_fairness.measures.measure_names import MEASURES as ALL
from pt_fairness.measures.measure_names import parse

#: The measures that have a front, with each parameter that changes what is counted.
CASES = [
    "rND", "rND(protected='majority',target='collection')", "rND(protected='A',norm='range')",
    "rND(step=2)", "rKL(protected='A',target='uniform')", "rKL(protected='all')",
    "rKL(protected='all',target='uniform',norm='none',step=2)",
    "rKL(target={'A':0.25,'added':0.75})", "rRD(protected='B',norm='range')",
    "NDKL(target='qrels')", "NDKL(target='collection',rel=2)", "AWRF", "AWRF(target='qrels')",
    "AWRF(discount='geometric',p=0.6,target='collection',base=4.0)",
    "AWRF(discount='trec',unannotated='keep')", "DistKL(target='qrels',smoothing=0.5)",
    "DistKL(discount='log2')", "DistFair(target='qrels',discount='trec')",
    "RADio(target='qrels',divergence='kl')", "RADio(target='uniform',discount='none',alpha=0.0)",
    "RepBias(group='A',abs=True)", "FAIR(value='prefixes',alpha=0.4)",
    "FAIR(p=0.7,protected='A',adjust=False)", "PreF(protected='majority',target='uniform')",
    "PreF(p=0.4)", "ARP(rel=2)", "ExposureRatio(target='qrels')"]


def rows_of(seed, topics):
    """Qrels of up to six documents with groups, some of several, and one or two without."""
    pick = random.Random(seed)
    names = ["A", "B", "C"][: pick.randint(2, 3)]
    rows = []
    for topic in range(topics):
        for i in range(pick.randint(3, 6)):
            relevance = pick.choice([-1, 0, 1, 1, 2, 3])
            several = pick.sample(names, pick.choice([1, 1, 1, 2]))
            rows += [(str(topic), f"d{i}", relevance, label) for label in several]
        for i in range(pick.randint(0, 2)):
            rows.append((str(topic), f"u{i}", pick.randint(0, 2), None))
    return rows


def frame_of(rows):
    frame = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    return frame.assign(iteration=frame["iteration"].fillna("-"))


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("seed", quick_cases(range(2, 9), first=2))
def test_it_is_that_of_all_orders(text, seed):
    pick = random.Random(f"{text} {seed}")
    rows = rows_of(seed, 2 - seed % 2)
    relevance, k, cutoff = pick.choice(["nDCG", "P"]), pick.randint(1, 7), pick.randint(1, 7)
    measure = parse(f"{text}@{cutoff}")
    params = {**measure.params, "cutoff": cutoff}
    in_sum = params.get("norm") == "range"
    value = partial(MEASURES[measure.NAME], **params | {"norm": "none"} if in_sum else params)
    if in_sum:
        protected = params["protected"]
        value = in_range(value, protected, "A" if protected == "B" else "B", cutoff)
    hulls = {
        qid: points(topic, (relevance, k), value, cutoff, measure.IDEAL)
        for qid, topic in read_topics(rows, []).items()}
    counting = [qid for qid, found in hulls.items() if found is not None]
    if not counting:
        with pytest.raises(ValueError, match="undefined"):
            analysis.frontier(frame_of(rows), f"{relevance}@{k}", measure)
        return
    front = analysis.frontier(frame_of(rows), f"{relevance}@{k}", measure)
    assert front.topics == counting
    assert list(front.front) == [f"{relevance}@{k}", str(measure)]
    found = front.front.to_numpy() - [0, measure.IDEAL]
    found[:, 1] = -abs(found[:, 1])
    expected = vertices(means([hulls[qid] for qid in counting]))
    np.testing.assert_allclose(found, expected, atol=1e-8)


WORKED = {
    "1": {"a1": 2, "a2": 2, "a3": 1, "a4": 1, "b1": 1, "b2": 1, "b3": 0, "u1": 2},
    "2": {"c1": 1, "c2": 1, "c3": 1, "d1": 1, "d2": 0}}
LABELS = {"a": "A", "b": "B", "c": "A", "d": "B", "u": "-"}


@pytest.fixture
def worked():
    return pd.DataFrame(
        [(qid, d, grade, LABELS[d[0]]) for qid, of in WORKED.items() for d, grade in of.items()],
        columns=["qid", "docno", "label", "iteration"])


def systems_at(front, **means):
    """Values per topic of systems with some means of both measures."""
    rows = [
        (name, qid, measure, value) for name, values in means.items()
        for qid in front.topics
        for measure, value in zip(front.front, values, strict=True)]
    return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])


def test_gains_and_the_highest_of_several_judgments(worked):
    doubled = pd.concat([worked, worked.assign(label=0)], ignore_index=True)
    for relevance in ("P(rel=2)@3", "nDCG(dcg='exp-log2')@4", "nDCG(gains={0:0,1:1,2:5})@4"):
        front = analysis.frontier(worked, relevance, "rND@4").front
        pd.testing.assert_frame_equal(analysis.frontier(doubled, relevance, "rND@4").front, front)
    plain, twice = (analysis.frontier(worked, relevance, "rND@4").front
                    for relevance in ("nDCG@4", "nDCG(gains={1:2,2:4})@4"))
    np.testing.assert_allclose(twice, plain)


@pytest.mark.parametrize("fairness, means, expected", [
    ("rKL@4", (0.9, 0.3), (0.134403, 0.946724, 0.165597, 0.165597 / 0.3)),
    ("rKL@4", (0.99, 0.3), (np.nan, 0.946724, np.nan, np.nan)),
    ("rKL@4", (0.9, 0.1), (0.134403, np.nan, -0.034403, -0.34403)),
    ("AWRF@4", (0.9, 0.5), (0.995318, 0.946724, 0.495318, 0.990636)),
    ("AWRF@4", (0.8, 0.993), (0.997521, 0.93246, 0.004521, 0.645857)),
    ("AWRF@4", (0.5, 1.0), (0.997521, np.nan, -0.002479, np.nan))])
def test_headroom(worked, fairness, means, expected):
    front = analysis.frontier(worked, "nDCG@4", fairness)
    assert front.without_group == 1
    found = analysis.headroom(systems_at(front, a=means), front)
    assert list(found) == ["name", "nDCG@4", fairness, "fairest", "most relevant", "headroom",
                           "share"]
    np.testing.assert_allclose(found.iloc[0, 3:].to_numpy(float), expected, atol=5e-4)
    np.testing.assert_allclose(found["fairest"], expected[:1], atol=5e-7)


@pytest.mark.parametrize("fairness, reason", [
    ("nDD@4", "population"), ("RADio@4", "population"), ("GF@4", "depends on the relevance"),
    ("ARP(pairs='errors')@4", "depends on the relevance"),
    ("OfGroup(measure='nDCG@4',group='A')", "depends on the relevance"),
    ("GFR(attributes={'x':'jsd'})@4", "depends on the relevance"),
    ("RaB(values={'A':1.0})@4", "compare groups"), ("Skew(group='A')@4", "signed"),
    ("logDP(abs=True)@4", "more than the groups"), ("rKL", "lacks a cutoff"),
    ("AP@4", "not a measure of this package")])
def test_refused_measures(worked, fairness, reason):
    with pytest.raises(ValueError, match=rf"{fairness[:3]}.*{reason}"):
        analysis.frontier(worked, "nDCG@4", fairness)


def test_every_measure_has_a_front_or_a_reason():
    allowed = {parse(text).NAME for text in CASES}
    for name, measure in ALL.items():
        assert (name in allowed) == bool(measure.decided_by) or "Skew" in name, name


@pytest.mark.parametrize(("relevance", "fairness", "options", "says"), [
    ("nDCG", "rKL@4", {}, "relevance must"), ("AP@4", "rKL@4", {}, "relevance must"),
    ("nDCG@4", "AWRF@4", {"groups": groups.from_mapping({"a1": {"A": 0.5, "B": 0.5}})}, "weights"),
    ("nDCG@4", "AWRF@4", {"groups": {"zz": "A", "z": "B"}}, "undefined"),
    ("nDCG@4", "AWRF@4", {"topics": ["9"]}, "none of the topics")])
def test_bad_input(worked, relevance, fairness, options, says):
    with pytest.raises(ValueError, match=says):
        analysis.frontier(worked, relevance, fairness, **options)


def test_a_topic_whose_documents_have_no_group_does_not_count():
    first = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": [2, 2, 1, 1],
                          "iteration": ["PRO", "PRO", "PRO", "CON"]})  # fmt: skip
    both = pd.concat([first, first.assign(qid="2", iteration="-")])
    front = analysis.frontier(both, "nDCG@2", "AWRF@2")
    expected = analysis.frontier(first, "nDCG@2", "AWRF@2")
    pd.testing.assert_frame_equal(front.front, expected.front)
    assert front[1:] == expected[1:] == (["1"], 0)


def test_too_many_lists_name_the_largest_cutoff():
    many = pd.DataFrame({"qid": "7", "docno": [f"d{i}" for i in range(60)], "label": 1,
                         "iteration": list("ABC") * 20})  # fmt: skip
    with pytest.raises(ValueError, match=r"AWRF@13.*at most 12.*topic '7'.* 1,594,323"):
        analysis.frontier(many, "nDCG@10", "AWRF@13")
    for text in ("rKL@40", "NDKL@20", "DistKL@40", "AWRF(discount='none')@40"):
        assert len(analysis.frontier(many, "nDCG@10", text).front) == 1
