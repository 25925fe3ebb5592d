"""Groups from frames, mappings, patterns, files, qrels and votes; weights and orders of all."""

import itertools
import pickle
import random
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from group_rows import rows
from written_files import written

from pt_fairness import FairnessWarning, analysis, evaluate, groups, read_qrels

WEIGHTS = pd.DataFrame({"docno": [*"aab"], "group": [*"XYY"], "weight": [0.7, 0.3, 2]})
SOFT = "1 a X 0.7, 1 a Y 0.3, 1 b Y 2"


def test_from_a_frame():
    source = groups.from_frame(pd.DataFrame(
        {"docno": [*"baacde"], "group": ["Y", "X", "Y", None, "", "-"]}))
    assert source.labels == ["X", "Y"] and not source.weighted
    assert rows(source, "abcdefa", "1211113") == "1 a X, 1 a Y, 2 b Y, 3 a X, 3 a Y"
    frame = pd.DataFrame({"qid": [1, 1, 2], "docno": [*"aba"], "group": [1, 1.0, 2], "more": 0})
    for names in ({}, {"qid": "query_id", "docno": "doc_id"}):
        source = groups.from_frame(frame.rename(columns=names))
        assert source.labels == ["1", "2"]
        assert rows(source, "aabab", "12231") == "1 a 1, 2 a 2, 1 b 1"


def test_lists_of_labels_in_a_frame():
    frame = pd.DataFrame({"docno": [*"abcd"], "group": ["X", ["X", "Y, Z"], [], ("-", 1.0)]})
    assert rows(groups.from_frame(frame), "abcd") == "1 a X, 1 b X, 1 b Y, Z, 1 d 1"
    for wrong in ({"X": 1.0}, [["X"]]):
        with pytest.raises(ValueError, match=r"frame .*X"):
            groups.from_frame(frame.assign(group=["X", wrong, "X", "X"]))


@pytest.mark.parametrize("mapping", [
    {"a": "X", "b": ["X", "Y"], "c": None}, {"a": "X", "b": ("Y", "X"), "c": []},
    {"a": "X", "b": {"X", "Y"}, "c": "-"}, {"a": "X", "b": np.array(["X", "Y"])},
    pd.Series({"a": "X", "b": ["X", "Y"]})], ids=["list", "tuple", "set", "array", "series"])
def test_from_a_mapping(mapping):
    source = groups.from_mapping(mapping)
    assert source.labels == ["X", "Y"] and sorted(rows(source, "abc").split(", ")) == [
        "1 a X", "1 b X", "1 b Y"]


def test_from_a_mapping_by_topic():
    source = groups.from_mapping({"1": {"a": "X"}, 2: {"a": ["Y"], "b": "X"}})
    assert rows(source, "abab", "1122") == "1 a X, 2 a Y, 2 b X"
    # Dictionaries of numbers are weights; labels that are numbers are in lists.
    assert groups.from_mapping({"1": {"a": 1, "b": 2}}).labels == ["a", "b"]
    assert rows(groups.from_mapping({"1": {"a": [1], "b": 2}}), "ab") == "1 a 1, 1 b 2"


@pytest.mark.parametrize("pattern, labels, expected", [
    (r"^[A-Z]+", None, "1 FT-1 FT, 1 LA-2 LA"), (r"^([A-Z]+)-(\d)", None, "1 FT-1 FT, 1 LA-2 LA"),
    (r"^([A-Z]+)-(?P<group>\d)", None, "1 FT-1 1, 1 LA-2 2"),
    (r"^[A-Z]+", ["FT", "FR"], "1 FT-1 FT"), ("^(F?)", None, "1 FT-1 F"),
    ("(-|F)", None, "1 FT-1 F"), ("(-|F)", ["F"], "1 FT-1 F"),
    ("(?i)^f[a-z]", None, "1 FT-1 FT")])
def test_from_a_pattern(pattern, labels, expected):
    source = groups.from_pattern(pattern, labels)
    assert source.labels == (labels and sorted(labels)) and source.complete == bool(labels)
    assert rows(source, ["FT-1", "none", "LA-2", "-2"]) == expected


@pytest.mark.parametrize("make, says", [
    (lambda: groups.from_frame(pd.DataFrame({"docno": ["a"], "stance": ["PRO"], "n": [1]})),
     "no column 'group'.*; its columns are docno, stance, n; use "),
    (lambda: groups.from_frame(pd.DataFrame({"qid": ["1", None], "docno": "a", "group": "A"})),
     "row 1 of the groups has no qid"),
    (lambda: groups.from_frame({"a": "X"}), "must be a DataFrame, got a dict"),
    (lambda: groups.from_mapping(WEIGHTS), "got a DataFrame"),
    (lambda: groups.from_mapping({"1": {"a": "PRO"}, "b": "CON"}), "all values dictionaries"),
    (lambda: groups.from_mapping({"a": object}), "the groups of 'a' must be"),
    (lambda: groups.from_pattern("("), "regular expression, got"),
    (lambda: groups.from_pattern("^(FT)", labels="FT"), "labels must be a list"),
    (lambda: groups.get(None), "a dictionary, a DataFrame or a Groups object, got None"),
    (lambda: groups.from_qrels(pd.DataFrame({"docno": ["a"]})), "need the columns qid, docno, lab"),
    (lambda: groups.from_qrels(pd.DataFrame({"qid": "1", "docno": [*"abc"],
                                             "label": ["", "-", "NO"]}), none=["NO"]),
     "a label besides")])
def test_what_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_weights():
    for frame in (WEIGHTS, WEIGHTS.assign(qid="1"), WEIGHTS.astype({"weight": str}),
                  WEIGHTS.astype({"weight": "Float64"})):
        assert rows(groups.from_frame(frame), "bxa") == "1 b Y 2, 1 a X 0.7, 1 a Y 0.3"
    with pytest.warns(FairnessWarning, match="no effect"):
        groups.from_frame(WEIGHTS.drop_duplicates("docno"))
    twice = pd.concat([WEIGHTS, WEIGHTS.assign(group=["X", "-", None], weight=[1, -1, None])])
    assert rows(groups.from_frame(twice), "ab") == "1 a X 1.7, 1 a Y 0.3, 1 b Y 2"
    soft = {"a": {"X": 0.7, "Y": 0.3}, "b": {"Y": np.float64(2)}}
    for mapping in ({**soft, "c": {}}, {"1": soft, "2": {"a": {"Z": 1}}}):
        assert rows(groups.from_mapping(mapping), "abc") == SOFT
    some = groups.from_mapping({**soft, "b": ["X", "Y"], "c": "X"})
    assert rows(some, "abc") == "1 a X 0.7, 1 a Y 0.3, 1 b X nan, 1 b Y nan, 1 c X nan"


@pytest.mark.parametrize("wrong", [-0.5, float("nan"), float("inf"), None, "much"])
def test_a_weight_that_is_no_number_of_at_least_0_is_refused(wrong, tmp_path):
    frame = WEIGHTS.astype(object)
    frame.loc[1, "weight"] = wrong
    shown = f": weight .*at least 0, got '{wrong}'"
    with pytest.raises(ValueError, match=f"the frame of groups, row 1{shown}"):
        groups.from_frame(frame)
    path = tmp_path / "groups.csv"
    frame.to_csv(path, index=False, na_rep="None" if wrong is None else "nan")
    with pytest.raises(ValueError, match=rf"groups\.csv, line 3{shown}"):
        groups.from_file(path)
    if isinstance(wrong, float):
        with pytest.raises(ValueError, match=rf"weight of 'Y' for 'a' must be .*got {wrong}"):
            groups.from_mapping({"a": {"X": 0.7, "Y": wrong}})


def test_a_weight_of_0_is_no_membership(tmp_path):
    frame = WEIGHTS.assign(weight=[0.7, 0.0, 2])
    frame.to_csv(tmp_path / "groups.csv", index=False)
    for source in (groups.from_frame(frame), groups.from_file(tmp_path / "groups.csv"),
                   groups.from_mapping({"a": {"X": 0.7, "Y": 0.0}, "b": {"Y": 2}})):
        assert rows(source, "ab") == "1 a X 0.7, 1 b Y 2"
    none = groups.from_mapping({"a": {"X": 0, "Y": 0.0}, "b": {"X": 1}})
    assert none.labels == ["X", "Y"] and rows(none, "ab") == "1 b X 1"
    assert none.annotate(np.array(["1"]), np.array(["a"], dtype=object)).unknown.tolist() == [0]


MEMBERSHIPS = "P1 a 0.0 1.0 0\nP1 b .5 0.25 2.5e-1\n\nP2 a 1 0 0\n"


@pytest.mark.parametrize("packed", [False, True])
def test_a_membership_file(tmp_path, packed):
    path = written(tmp_path / ("groups.gmemb.gz" if packed else "groups.gmemb"), MEMBERSHIPS)
    source = groups.from_file(path, labels=["low", "mid", "none at all"])
    assert source.complete and source.labels == ["low", "mid", "none at all"]
    assert rows(source, "abab", ["P1", "P1", "P2", "P2"]) == (
        "P1 a mid 1, P1 b low 0.5, P1 b mid 0.25, P1 b none at all 0.25, P2 a low 1")
    assert groups.get(path).labels == ["1", "2", "3"]


@pytest.mark.parametrize("text, labels, says", [
    (MEMBERSHIPS, ["low", "mid"], "line 1 .*4 columns"),
    ("P1 a 0.5 half\n", ["low", "mid"], "line 1: share of mid .*'half'"),
    ("P1 a 0.5 0.5\nP1 b 1 -0.5\n", ["low", "mid"], "gmemb, line 2: weight .*'-0.5'"),
    ("P1 a 1 0\n", ["low", "low"], "labels must be distinct, got 'low'"),
    (MEMBERSHIPS, None, "a membership file .topic, docno, shares. needs the names of ")])
def test_a_membership_file_that_cannot_be_read(tmp_path, text, labels, says):
    path = tmp_path / "groups.gmemb"
    path.write_text(text)
    with pytest.raises(ValueError, match=says):
        groups.from_file(path, labels=labels)


@pytest.mark.parametrize("made", [
    lambda order: groups.from_frame(WEIGHTS, order=order),
    lambda order: groups.from_mapping({"a": ["X", "Y"]}, order=order),
    lambda order: groups.from_pattern("^[XY]", ["X", "Y"], order=order),
    lambda order: groups.from_mapping({"a": ["1", "2"]}).relabel(
        {"1": {"1": "X", "2": "Y"}}, order=order),
], ids=["frame", "mapping", "pattern", "relabel"])
def test_every_constructor_takes_an_order(made):
    assert made(None).order is None and made(("Y", "X", "more")).order == ["Y", "X", "more"]
    assert made(["Y", "X"]) != made(["X", "Y"]) != made(None)
    assert pickle.loads(pickle.dumps(made(["Y", "X"]))).order == ["Y", "X"]
    for wrong, says in ((["X"], r"order must .*\['X'\] without 'Y'"),
                        (["X", "Y", "X"], "distinct, got 'X'"),
                        ("X,Y", "order must be a list")):
        with pytest.raises(ValueError, match=says):
            made(wrong)


def test_an_order_declares_its_labels(tmp_path):
    order = ["low", "mid", "high"]
    source = groups.from_mapping({"a": "mid", "b": "high"}, order=order)
    assert source.labels == ["high", "low", "mid"] and source.order == order
    pattern = groups.from_pattern("[a-z]+", order=order)
    assert pattern.labels == ["high", "low", "mid"] and not pattern.complete
    assert rows(pattern, ["other"]) == "1 other other"
    (tmp_path / "groups.csv").write_text("docno,group\na,1\nb,2\n")
    assert groups.from_file(tmp_path / "groups.csv", order=[2, 1.0]).order == ["2", "1"]


@pytest.fixture
def qrels_files(tmp_path):
    """The paths of relevance and stance qrels."""
    (tmp_path / "relevance").write_text("1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n")
    stances = "1 0 a FIRST\n1 0 b NO\n2 0 a SECOND\n2 0 z FIRST\n"
    return tmp_path / "relevance", written(tmp_path / "stances.gz", stances)


def test_two_qrels_are_joined(qrels_files):
    relevance, stances = qrels_files
    source = groups.from_qrels(stances, none=["NO"])
    assert source.labels == ["FIRST", "SECOND"] and source.by_topic and source.judged
    joined = source.to_qrels(read_qrels(relevance))
    assert joined.to_numpy().tolist() == [["1", "a", 2, "FIRST"], ["1", "b", 0, "-"],
                                          ["1", "c", 1, "-"], ["2", "a", 1, "SECOND"]]
    assert rows(source, "z", "2") == "2 z FIRST", "without relevance label"
    run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": [*"baa"], "score": [2.0, 1.0, 1.0]})
    tables = [evaluate({"r": run}, qrels, ["AWRF(target='uniform')@2"], groups=given,
                       progress=False)[0] for qrels, given in ((relevance, source), (joined, None))]
    pd.testing.assert_frame_equal(*tables)


def test_every_label_of_qrels_is_a_group_by_default(qrels_files):
    source = groups.from_qrels(qrels_files[1], order=["SECOND", "NO", "FIRST"])
    assert source.labels == ["FIRST", "NO", "SECOND"] and source.order == ["SECOND", "NO", "FIRST"]
    assert groups.from_qrels(qrels_files[1]).digest() == groups.from_file(qrels_files[1]).digest()


@pytest.mark.parametrize("columns", [["qid", "docno", "label"],
                                     ["query_id", "doc_id", "relevance"]])
def test_qrels_of_numbers(columns):
    frame = pd.DataFrame([["1", "a", 4], ["1", "b", 2], ["1", "c", 0]], columns=columns)
    source = groups.from_qrels(frame.assign(iteration="x"), [0], "opinions")
    assert source.name == "opinions" and source.labels == ["2", "4"]
    assert rows(source, "abc") == "1 a 4, 1 b 2"
    assert frame.columns.tolist() == columns, "the frame is not modified"


@pytest.mark.parametrize("none, says", [
    (["no"], "'FIRST', 'NO', 'SECOND', got 'no'"),
    (["FIRST", "NO", "SECOND"], "besides 'FIRST', 'NO', 'SECOND'"),
    ("NO", "none must be a list")])
def test_labels_of_no_group_that_are_wrong(qrels_files, none, says):
    with pytest.raises(ValueError, match=says):
        groups.from_qrels(qrels_files[1], none)


#: The votes of five annotators (section 4.2 of Gezici et al. has three and five).
VOTES = {"a": "PPCPN", "b": "CCPP", "c": "NNNNN", "d": "C", "e": "PCN"}


def frame_of(votes: dict[str, str], **more: object) -> pd.DataFrame:
    every = [(docno, f"w{i}", label) for docno, labels in votes.items()
             for i, label in enumerate(labels)]
    return pd.DataFrame(every, columns=["docno", "annotator", "label"]).assign(**more)


def test_the_majority_is_the_group_and_ties_are_counted():
    with pytest.warns(FairnessWarning, match="2 of 5 .*'b'"):
        source = groups.from_votes(frame_of(VOTES))
    assert rows(source, "abcdex") == "1 a P, 1 c N, 1 d C" and source.labels == ["C", "N", "P"]
    # A label that never has the majority is in the label set too.
    named = groups.from_votes(frame_of({"a": "PPC"}), name="one", order=["C", "P"])
    assert named.labels == named.order == ["C", "P"] and named.name == "one"
    with pytest.warns(FairnessWarning, match="1 of 1 documents"):
        source = groups.from_votes(frame_of({"a": "PC"}))
    assert source.labels == ["C", "P"] and rows(source, "a") == ""


def test_an_absolute_majority_is_more_than_half_of_the_votes():
    votes = frame_of({**VOTES, "f": "PPCCC", "g": "PPNC", "h": "PPCNO"})
    with pytest.warns(FairnessWarning, match="2 of 8 documents .*plurality"):
        plurality = groups.from_votes(votes)
    with pytest.warns(FairnessWarning, match="4 of 8 documents .*absolute"):
        absolute = groups.from_votes(votes, majority="absolute")
    assert rows(absolute, "abcdefgh") == "1 a P, 1 c N, 1 d C, 1 f C"
    assert rows(plurality, "abcdefgh") == "1 a P, 1 c N, 1 d C, 1 f C, 1 g P, 1 h P"
    for wrong, says in (({"majority": "most"}, "majority must be .*got 'most'"),
                        ({"majority": "absolute", "shares": True}, "got 'absolute'")):
        with pytest.raises(ValueError, match=says):
            groups.from_votes(votes, **wrong)


def test_shares_are_those_of_the_votes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = groups.from_votes(frame_of(VOTES), shares=True)
    assert rows(source, "abd") == "1 a C 1, 1 a N 1, 1 a P 3, 1 b C 2, 1 b P 2, 1 d C 1"


@pytest.mark.parametrize("table", [
    {"docno": [*"ab"], "group": [*"XY"], "year": 1}, {"docno": [*"aab"], "group": [*"XYX"]},
    {"docno": [*"ab"], "group": [*"XY"], "weight": [1, 0]},
    {"docno": [*"abcd"], "group": ["X;Y", "X;Z", "U", "V"]}])
def test_tables_that_nothing_is_wrong_with(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        groups.from_frame(pd.DataFrame(table))


def test_weights_without_effect():
    table = pd.DataFrame({"docno": [*"ab"], "group": ["X", "-"], "weight": [0.5, np.nan]})
    with pytest.warns(FairnessWarning, match="weights"):
        groups.from_frame(table)


def test_votes_by_topic_without_labels_and_of_numbers():
    votes = pd.concat([frame_of({"a": "PPC"}, qid=1), frame_of({"a": "CCP"}, qid=2.0)])
    source = groups.from_votes(votes.sample(frac=1, random_state=1))
    assert rows(source, "aaa", "123") == "1 a P, 2 a C"
    none = pd.DataFrame({"docno": [*"aac"], "annotator": [*"xyx"], "label": [None, "-", ""]})
    votes = pd.concat([frame_of({"a": "PPC", "b": "C"}), none])
    assert rows(groups.from_votes(votes), "abc") == "1 a P, 1 b C"
    numbers = frame_of({"a": "112"}).astype({"label": float})
    assert rows(groups.from_votes(numbers), "a") == "1 a 1"


@pytest.mark.parametrize("frame, says", [
    (VOTES, "the frame of votes must be a DataFrame, got a dict"),
    (frame_of(VOTES).drop(columns="annotator"), "has no column 'annotator'; it needs docno"),
    (frame_of(VOTES, label="-"), "has no rows"),
    (frame_of(VOTES, annotator="w", qid=7), "two of 'w' for '7 a'"),
    (frame_of(VOTES, docno=[None, *"aaaabbbbcccccdeee"]), "row 0 of the frame of votes has no doc"),
    (frame_of(VOTES, annotator=[*range(17), np.nan]), "row 17 of the frame of votes has no annot")])
def test_wrong_votes(frame, says):
    for function in (groups.from_votes, analysis.agreement):
        with pytest.raises(ValueError, match=says):
            function(frame)


def slow_agreement(votes: dict[str, str]) -> tuple[float, float]:
    """Percent agreement by pairs of votes, as section 4.2 says it, and κ from it."""
    pairs = [[one == other for one, other in itertools.combinations(labels, 2)]
             for labels in votes.values() if len(labels) > 1]
    agreement = sum(sum(equal) / len(equal) for equal in pairs) / len(pairs)
    every = "".join(labels for labels in votes.values() if len(labels) > 1)
    chance = sum((count / len(every)) ** 2 for count in Counter(every).values())
    return agreement, (agreement - chance) / (1 - chance)


def test_agreement():
    pick = random.Random(3)
    votes = {str(i): "".join(pick.choices("PCN", [3, 2, 1], k=3)) for i in range(40)}
    row = analysis.agreement(frame_of({**votes, "alone": "P"})).iloc[0]  # no pair
    assert (row["agreement"], row["kappa"]) == pytest.approx(slow_agreement(votes), abs=1e-12)
    assert (row["documents"], row["votes"]) == (40, 120)


def test_agreement_without_a_kappa():
    with pytest.warns(FairnessWarning, match="equally many votes"):
        row = analysis.agreement(frame_of(VOTES)).iloc[0]
    assert row["agreement"] == pytest.approx(slow_agreement(VOTES)[0]) and np.isnan(row["kappa"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = analysis.agreement(frame_of({"a": "PPP", "b": "PPP"})).iloc[0]
    assert same["agreement"] == 1 and np.isnan(same["kappa"])
    with pytest.raises(ValueError, match="two votes"):
        analysis.agreement(frame_of({"a": "P", "b": "C"}))
