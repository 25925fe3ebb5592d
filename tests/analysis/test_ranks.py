"""Documents that count, their groups, shares and targets at the ranks of one ranking."""

import math
import warnings

import pandas as pd
import pytest

from pt_fairness import FairnessWarning, explain, groups


def test_the_fairest_ranking(worked):
    # PRO, CON, PRO: the shares of CON at the ranks are 0, 1/2 and 1/3, where 1/3 is fair.
    largest = sum(max(1 / 3, 2 / 3) / math.log2(i + 1) for i in (1, 2, 3))
    least = (1 / 3) / 1 + (1 / 6) / math.log2(3)
    frames = [explain(measure, worked.run_frame, worked.qrels_frame, "1").frame
              for measure in ("rND@3", "AWRF@3", "nDCG@3")]
    assert frames[0]["fairest"].tolist() == pytest.approx([least / largest] * len(frames[0]))
    assert "fairest" not in frames[1] and "fairest" not in frames[2]


def test_the_groups_of_measures_without_groups(worked):
    def shown(measure, **options):
        frame = explain(measure, worked.run_frame, worked.qrels_frame, "1", **options).frame
        return frame["group"].fillna("").tolist(), [*frame.filter(like="share of ")]
    shares = ["share of CON", "share of PRO"]
    assert shown("nDCG@4") == (["CON", "PRO", "", "PRO"], shares)
    assert shown("AWRF(unannotated='keep')@4") == (["CON", "PRO", "", "PRO"], shares)
    of_source = ["x", "", "y", ""], ["share of x", "share of y"]
    assert shown("nDCG@4", groups={"c": "x", "d": "y"}) == of_source
    worked.qrels = [(*row[:3], "0") for row in worked.qrels]
    assert shown("nDCG@4") == ([""] * 4, [])
    assert shown("nDCG@4", groups={"c": "x", "d": "y"}) == of_source


def test_shares_of_the_documents_so_far(make_case):
    case = make_case(3, several=True)
    of = {row[:2]: [] for row in case.qrels}
    for qid, docno, _, group in case.qrels:
        of[qid, docno] += [group] if group and group != "-" else []
    for qid in sorted({row[0] for row in case.qrels}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)
            frame = explain("DistKL@4", case.run_frame, case.qrels_frame, qid).frame
        labels = [c.removeprefix("share of ") for c in frame if c.startswith("share of ")]
        counts, n = dict.fromkeys(labels, 0.0), 0
        for _, row in frame.iterrows():
            own = sorted(set(of.get((qid, row["docno"]), [])))
            assert (row["group"] == ", ".join(own)) if own else pd.isna(row["group"])
            assert row["counts"] == bool(own)
            n += bool(own)
            for label in own:
                counts[label] += 1 / len(own)
            for label in labels if n else []:
                assert row[f"share of {label}"] == pytest.approx(counts[label] / n)
                assert row[f"target of {label}"] == pytest.approx(1 / len(labels))
        assert n <= 4 and (n < 4 or frame["counts"].iloc[-1])


def test_targets(worked):
    def last(measure):
        frame = explain(measure, worked.run_frame, worked.qrels_frame, "1").frame
        return frame.iloc[-1].filter(regex="^(protected )?target( of .*)?$").to_dict()
    third, rest = pytest.approx(1 / 3), pytest.approx(2 / 3)
    assert last("nDD@2") == {"target of CON": third, "target of PRO": rest,
                             "protected target": third}
    assert last("nDJS@2") == {"target of CON": third, "target of PRO": rest}
    assert last("FAIR(p=0.4)@2") == {"protected target": 0.4}
    assert last("BiasP@2") == last("EEL@2") == last("nDCG@2") == last("logEUR@2") == {}


def test_several_group_sources(worked):
    for name, of in (("explained-a", {"c": "1", "a": "2", "b": "2"}),
                     ("explained-b", {"c": "x", "d": "y"})):
        groups.register(name, groups.from_mapping(of))
    measure = "GFR(attributes={'explained-a':'jsd','explained-b':'jsd'})@3"
    frame = explain(measure, worked.run_frame, worked.qrels_frame, "1").frame
    assert frame["group"].fillna("").tolist() == ["1, x", "2", "y"]
    # An unannotated document counts for all groups alike.
    assert frame["share of explained-b: x"].tolist() == pytest.approx([1, 3 / 4, 1.5 / 3])
    assert frame["contribution"].sum() == pytest.approx(frame["topic value"][0])


def test_weights(worked):
    soft = groups.from_frame(pd.DataFrame({
        "docno": ["c", "c", "a", "b"], "group": ["CON", "PRO", "PRO", "PRO"],
        "weight": [0.75, 0.25, 1.0, 1.0]}))
    groups.register("explained-soft", soft)
    measure = "DistKL(groups='explained-soft')@3"
    frame = explain(measure, worked.run_frame, worked.qrels_frame, "1").frame
    assert frame["group"].fillna("").tolist() == ["CON, PRO", "PRO", "", "PRO"]
    assert frame["share of CON"].tolist() == pytest.approx([0.75, 0.75 / 2, 0.75 / 2, 0.75 / 3])
