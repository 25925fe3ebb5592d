"""GF and GFR, and the divergences of ordered labels."""

import csv
import gzip
import math
import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ir_measures
import pandas as pd
import pytest
from case_marks import quick_cases
from slow_versions.reading import read_topics

from pt_fairness import GF, GFR, FairnessWarning, groups, targets
from pt_fairness.measures.group_relevance import places_in_order


@pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
def test_gfr_against_the_slow_version(make_case, values, equal_slow_versions, registered_groups,
                                      seed):
    case = make_case(seed, several=seed % 2 == 1)
    # A second attribute: the last digit of the document, known for some documents.
    digits = {(qid, docno): [docno[-1]] for qid, docno in case.groups if docno[-1] != "3"}
    of = {"letters": case.groups, "digits": digits}
    orders = {"digits": [str(i) for i in range(9, -1, -1)]}
    topics = {}
    for name, known in of.items():
        frame = pd.DataFrame([(*key, group) for key, some in known.items() for group in some],
                             columns=["qid", "docno", "group"], dtype="str")
        registered_groups(name, groups.from_frame(frame, order=orders.get(name)))
        topics[name] = read_topics(case.qrels, case.run,
                                   lambda qid, docno, known=known: known.get((qid, docno), ()),
                                   {*frame["group"], *orders.get(name, [])}, orders.get(name))

    def details(qid, topic):
        return replace(topic, attributes={name: of_source[qid].groups
                                          for name, of_source in topics.items()})

    wanted = [{"attributes": {"letters": "jsd", "digits": "nmd"}, "cutoff": 4},
              {"attributes": {"digits": "rnod"}, "relevance": "rbu", "phi": 0.9, "rel": 2},
              {"attributes": {"letters": "jsd"}, "targets": {"letters": "qrels"}, "max_rel": 3},
              {"attributes": {}, "gains": "linear"}, {"attributes": {}, "relevance": "rbu"}]
    measures = [GFR(**params) for params in wanted]
    found = values(measures, case.qrels_frame, case.run_frame)
    equal_slow_versions(found, measures, [("GFR", params) for params in wanted], case,
                        groups=lambda *_: ("any",), details=details)


def test_an_undefined_part_makes_the_topic_undefined(registered_groups):
    qrels = pd.DataFrame([("1", "a", 1), ("1", "b", 1), ("2", "a", 1), ("3", "b", 0)],
                         columns=["query_id", "doc_id", "relevance"])
    run = qrels.assign(score=1.0)
    registered_groups("only a", groups.from_mapping({"a": "A", "c": "B"}))
    registered_groups("only topic 1", groups.from_frame(pd.DataFrame(
        {"qid": ["1", "1"], "docno": ["a", "b"], "group": ["A", "B"]})))
    measure = GFR(attributes={"only a": "jsd", "only topic 1": "jsd"},
                  targets={"only topic 1": "qrels"})
    with pytest.warns(FairnessWarning, match=r"GFR.* 2 of 3 .*'2', '3'"):
        found = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    assert found["1"] > 0 and found["2"] == found["3"] == 0.0
    with pytest.warns(FairnessWarning, match=r"GFR.* 1 of 3 .*'3'"):
        ir_measures.calc_aggregate([GFR(attributes={}, rel=0)], qrels, run)


def test_a_topic_that_an_attribute_drops_has_no_value(registered_groups):
    qrels = pd.DataFrame([("1", "a", 1), ("2", "a", 1)],
                         columns=["query_id", "doc_id", "relevance"])
    stances = groups.from_mapping({"a": "PRO", "b": "CON"})
    registered_groups("stances", stances)
    registered_groups("ideologies", stances.relabel({"1": "liberal", "2": "both or neither"}))
    measure = GFR(attributes={"stances": "jsd", "ideologies": "jsd"})
    with pytest.warns(FairnessWarning, match="drops 1 of 2 topics"):
        found = {m.query_id: m.value
                 for m in ir_measures.iter_calc([measure], qrels, qrels.assign(score=1.0))}
    assert found["1"] == pytest.approx((0.5 + 2 * 0.5 * (1 - 0.311278)) / 3, abs=1e-6)
    assert math.isnan(found["2"])


def test_pickles_bring_their_groups_and_targets(attributes, forget_targets):
    targets.register("gold", pd.DataFrame({"qid": ["1"], "group": ["A"], "share": [1.0]}))
    measure = GFR(attributes={"first": "jsd", "second": "nmd"}, targets={"first": "gold"})
    text = pickle.dumps(measure)
    for name in ("first", "second"):
        groups.unregister(name)
    forget_targets()
    copy = pickle.loads(text)
    assert str(copy) == str(measure) and copy == pickle.loads(text)
    # Neither ir_measures nor the evaluator asks for the iteration of the qrels.
    qrels = [ir_measures.Qrel("1", "a1", 1)]
    run = [ir_measures.ScoredDoc("1", "a1", 1.0)]
    assert ir_measures.calc_aggregate([copy], qrels, run)[copy] > 0


PRINTED = {"GF-JSD": {"divergence": "jsd"}, "GF-NMD": {"divergence": "nmd"},
           "GF-RNOD": {"divergence": "rnod"}, "ERR": {}, "iRBU": {"relevance": "rbu"}}


def read_fairweb(folder: Any) -> tuple[pd.DataFrame, Mapping[str, pd.DataFrame]]:
    """Qrels with relevance 0 to 2, and runs of 20 documents by name."""
    qrels = pd.read_csv(folder / "fairweb1pilot.qrels", sep=" ", dtype=str,
                        names=["query_id", "doc_id", "relevance"])
    qrels["relevance"] = qrels["relevance"].str.removeprefix("L").astype(int)
    runs = {}
    for name in ("bm25", "qljm"):
        with gzip.open(folder / f"run.{name}.gz", "rt") as lines:
            rows = [line.split() for line in lines]
        run = pd.DataFrame(rows, columns=["query_id", "q0", "doc_id", "rank", "score", "name"])
        run = run.astype({"score": "float32"}).sort_values(["score", "doc_id"], ascending=False)
        runs[name] = run.groupby("query_id").head(20)[["query_id", "doc_id", "score"]]
    return qrels, runs


def read_attribute(folder: Any, attribute: str) -> tuple[groups.Groups, dict[str, float]]:
    """The groups of an attribute, numbered from 0, and the target."""
    shares = (folder / f"{attribute}.golddistr").read_text().split()
    gold = {str(g): float(share) for g, share in enumerate(shares)}
    return groups.from_file(folder / f"fairweb1pilot.{attribute}.gmemb", labels=gold), gold


@pytest.mark.slow
def test_what_the_fairweb_tool_prints(shared, values):
    """All values, to their 4 decimals."""
    folder = shared / "data" / "fairweb1"
    qrels, runs = read_fairweb(folder)
    with (folder / "ntcireval.tsv").open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    assert len(rows) == 180
    attributes = {name: read_attribute(folder, name) for name in {row["attribute"] for row in rows}}
    wanted = []
    for row in rows:
        name, _, depth = row["measure"].partition("@")
        source, gold = attributes[row["attribute"]]
        measure = (GF(groups=source, target=gold, **PRINTED[name]) if name.startswith("GF")
                   else GFR(attributes={}, **PRINTED[name]))
        wanted.append(measure @ int(depth) if depth else measure)
    found = {name: values(set(wanted), qrels, run) for name, run in runs.items()}
    for row, measure in zip(rows, wanted, strict=True):
        value = found[row["run"]][measure, row["topic"]]
        # The tool prints 4 decimals of its own sums.
        assert abs(value - float(row["value"])) <= 5.1e-5, row


def test_the_order_of_labels():
    assert places_in_order(["10", "2", "−"], "2,10,−", None) == [1, 0, 2]
    assert places_in_order(["a", "b"], "b,c,a", ["a", "b"]) == [1, 0]
    assert places_in_order(["a", "b"], None, ["b", "a"]) == [1, 0]
    assert places_in_order(["-1", "10", "2.5"], None, None) == [0, 2, 1]
    for label in ("mid", "nan", "inf"):
        with pytest.raises(ValueError, match="order"):
            places_in_order(["1", label], None, None)
    with pytest.raises(ValueError, match="order"):
        places_in_order(["a", "b", "c"], "a,b", None)
