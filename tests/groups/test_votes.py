"""Groups from the votes of several annotators, and how far the annotators agree."""

from __future__ import annotations

import itertools
import random
import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, analysis, evaluate, groups

#: The votes of five annotators (section 4.2 of Gezici et al. has three and five).
VOTES = {"a": "PPCPN", "b": "CCPP", "c": "NNNNN", "d": "C", "e": "PCN"}


def frame_of(votes: dict[str, str], **more: object) -> pd.DataFrame:
    rows = [(docno, f"w{i}", label) for docno, labels in votes.items()
            for i, label in enumerate(labels)]
    return pd.DataFrame(rows, columns=["docno", "annotator", "label"]).assign(**more)


def found(source: groups.Groups, docnos: str) -> dict[str, list[str]]:
    frame = source.lookup(["1"] * len(docnos), list(docnos))
    return frame.groupby("docno")["group"].agg(list).to_dict()


def test_the_majority_is_the_group_and_ties_are_counted():
    with pytest.warns(FairnessWarning, match="2 of 5 documents with votes, such as 'b', have no"):
        source = groups.from_votes(frame_of(VOTES))
    assert found(source, "abcdex") == {"a": ["P"], "c": ["N"], "d": ["C"]}
    assert source.labels == ["C", "N", "P"]
    # A label that never has the majority is in the label set too.
    one = groups.from_votes(frame_of({"a": "PPC"}), name="one", order=["C", "P"])
    assert one.labels == one.order == ["C", "P"] and one.name == "one"


def test_an_absolute_majority_is_more_than_half_of_the_votes():
    votes = {**VOTES, "f": "PPCCC", "g": "PPNC", "h": "PPCNO"}
    with pytest.warns(FairnessWarning, match="2 of 8 documents .* have no single label with the"):
        plurality = found(groups.from_votes(frame_of(votes)), "abcdefgh")
    with pytest.warns(FairnessWarning, match="4 of 8 documents .* have no label with more than"):
        absolute = found(groups.from_votes(frame_of(votes), majority="absolute"), "abcdefgh")
    most = {docno: Counter(labels).most_common(2) for docno, labels in votes.items()}
    assert absolute == {docno: [first[0]] for docno, (first, *_) in most.items()
                        if first[1] > len(votes[docno]) / 2}
    assert plurality == {**absolute, "g": ["P"], "h": ["P"]}
    for wrong, says in (({"majority": "most"}, "majority='most' is not possible: majority takes"),
                        ({"majority": "absolute", "shares": True}, "not possible with it")):
        with pytest.raises(ValueError, match=says):
            groups.from_votes(frame_of(votes), **wrong)


def test_shares_are_those_of_the_votes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = groups.from_votes(frame_of(VOTES), shares=True)
    frame = source.lookup(["1"] * 5, list(VOTES))
    for docno, rows in frame.groupby("docno"):
        share = dict(zip(rows["group"], rows["weight"] / rows["weight"].sum(), strict=True))
        expected = Counter(VOTES[docno])
        assert share == {label: n / len(VOTES[docno]) for label, n in expected.items()}


def test_shares_reach_the_measures():
    votes = frame_of({"a": "PPC", "b": "CCC"})
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1})
    run = qrels[["qid", "docno"]].assign(score=[2.0, 1.0])
    source = groups.from_votes(votes, shares=True)
    averages, _ = evaluate({"run": run}, qrels, ["BiasP(pro='P',con='C')@2"], groups=source,
                           progress=False)
    assert averages.iloc[0, -1] == pytest.approx(((2 / 3 - 1 / 3) - 1) / 2)


def test_labels_may_be_the_names_of_columns():
    for label in ("weight", "group", "docno", "label"):
        votes = frame_of({"a": "PPC"}).replace("P", label)
        assert found(groups.from_votes(votes), "a") == {"a": [label]}
        assert len(groups.from_votes(votes, shares=True).lookup(["1"], ["a"])) == 2
        assert len(analysis.agreement(votes)) == 1


def test_votes_of_numbers_and_of_ties_only():
    votes = frame_of({"a": "112", "b": "12"}).astype({"label": float})
    with pytest.warns(FairnessWarning, match="1 of 2 documents with votes, such as 'b'"):
        assert found(groups.from_votes(votes), "ab") == {"a": ["1"]}
    with pytest.warns(FairnessWarning, match="1 of 1 documents"):
        source = groups.from_votes(frame_of({"a": "PC"}))
    assert source.labels == ["C", "P"] and found(source, "a") == {}


def test_votes_by_topic():
    votes = pd.concat([frame_of({"a": "PPC"}, qid=1), frame_of({"a": "CCP"}, qid=2.0)])
    source = groups.from_votes(votes.sample(frac=1, random_state=1))
    assert source.lookup(["1", "2", "3"], ["a", "a", "a"])["group"].tolist() == ["P", "C"]


def test_rows_without_a_label_are_no_votes():
    votes = pd.concat([frame_of({"a": "PPC", "b": "C"}),
                       pd.DataFrame({"docno": ["a", "a", "c"], "annotator": ["x", "y", "x"],
                                     "label": [None, "-", ""]})])
    assert found(groups.from_votes(votes), "abc") == {"a": ["P"], "b": ["C"]}
    assert analysis.agreement(votes)["votes"].tolist() == [3]


@pytest.mark.parametrize("frame, says", [
    (VOTES, "the frame of votes has to be a DataFrame, not a dict"),
    (frame_of(VOTES).drop(columns="annotator"), "has no column 'annotator'; it needs docno"),
    (frame_of(VOTES)[:0], "the frame of votes, without the rows that have no label, has no rows"),
    (frame_of(VOTES, label="-"), "has no rows"),
    (frame_of(VOTES, annotator="w"), "annotator 'w' has two votes for 'a'; keep one of them"),
    (frame_of(VOTES, annotator="w", qid=7), "annotator 'w' has two votes for 'a' of topic '7'"),
    (frame_of(VOTES, docno=[None, *"aaaabbbbcccccdeee"]), "row 0 of the frame of votes has no doc"),
    (frame_of(VOTES, annotator=[*range(17), np.nan]), "row 17 of the frame of votes has no annot")])
def test_wrong_votes(frame, says):
    for function in (groups.from_votes, analysis.agreement):
        with pytest.raises(ValueError, match=says):
            function(frame)


# ------------------------------------------------------------------------------------ agreement

#: The example of Wikipedia's article on Fleiss' κ: the votes of 14 annotators for five labels.
EXAMPLE = [(0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
           (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7)]


def slow_agreement(votes: dict[str, str]) -> tuple[float, float]:
    """Percent agreement by pairs of votes, as section 4.2 says it, and κ from it."""
    pairs = [[one == other for one, other in itertools.combinations(labels, 2)]
             for labels in votes.values() if len(labels) > 1]
    agreement = sum(sum(equal) / len(equal) for equal in pairs) / len(pairs)
    every = "".join(labels for labels in votes.values() if len(labels) > 1)
    chance = sum((count / len(every)) ** 2 for count in Counter(every).values())
    return agreement, (agreement - chance) / (1 - chance)


def test_agreement_of_the_known_example():
    votes = {str(i): "".join(label * n for label, n in zip("abcde", row, strict=True))
             for i, row in enumerate(EXAMPLE)}
    row = analysis.agreement(frame_of(votes)).iloc[0]
    assert (row["documents"], row["votes"]) == (10, 140)
    assert (round(row["agreement"], 3), round(row["kappa"], 3)) == (0.378, 0.210)


@pytest.mark.parametrize("annotators", [2, 3, 5])
def test_agreement_against_the_slow_version(annotators):
    pick = random.Random(annotators)
    votes = {str(i): "".join(pick.choices("PCN", [3, 2, 1], k=annotators)) for i in range(40)}
    votes["alone"] = "P"  # no pair
    row = analysis.agreement(frame_of(votes)).iloc[0]
    assert (row["agreement"], row["kappa"]) == pytest.approx(slow_agreement(votes), abs=1e-12)
    assert (row["documents"], row["votes"]) == (40, 40 * annotators)


def test_agreement_without_a_kappa():
    with pytest.warns(FairnessWarning, match="equally many votes .* have 3, 4, 5 votes"):
        row = analysis.agreement(frame_of(VOTES)).iloc[0]
    assert row["agreement"] == pytest.approx(slow_agreement(VOTES)[0]) and np.isnan(row["kappa"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same = analysis.agreement(frame_of({"a": "PPP", "b": "PPP"})).iloc[0]
    assert same["agreement"] == 1 and np.isnan(same["kappa"])
    with pytest.raises(ValueError, match="no document has two votes"):
        analysis.agreement(frame_of({"a": "P", "b": "C"}))
