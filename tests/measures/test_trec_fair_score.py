"""TrecFair against its slow version and the worked values."""

import itertools
import pickle
import random
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from slow_versions.common import Membership, Source, Topic, mean_over_samples
from slow_versions.trec_fair import trec_fair

import pt_fairness as pf

WORLD, GENDER = "trec-fair/2021/world", "trec-fair/2021/gender"
QRELS = pd.DataFrame({"query_id": "1", "doc_id": [f"p{i}" for i in range(1, 6)], "relevance": 1})
RUN = pd.DataFrame({"query_id": "1", "doc_id": ["p4", "p9", "p1", "p5", "p6", "p3"],
                    "score": range(6, 0, -1)})
#: The groups of the articles; p9 is not in the metadata.
CONTINENTS = {"p1": ["Asia", "Europe"], "p2": ["Africa"], "p3": [], "p4": ["Europe"], "p5": [],
              "p6": ["Asia"]}
GENDERS = {"p1": ["female"], "p2": [], "p3": ["male"], "p4": ["male", "third"], "p5": [],
           "p6": ["male"]}
SOURCES = {"p1": {"Asia": 3, "@UNKNOWN": 1}, "p2": {"Africa": 1}, "p3": {},
           "p4": {"Europe": 1, "Asia": 1}, "p5": {"@UNKNOWN": 2}, "p6": {"Asia": 5}}


def frame_of(found, none="-"):
    """A row for each document and group, or one without a group."""
    rows = [(docno, group, *([some[group]] if isinstance(some, dict) else []))
            for docno, some in found.items() for group in some]
    weighted = any(isinstance(some, dict) for some in found.values())
    rows += [(docno, none, *([np.nan] if weighted else []))
             for docno, some in found.items() if not some]
    return pd.DataFrame(rows, columns=["docno", "group", "weight"][:2 + weighted])


@pytest.fixture
def track(registered_groups):
    for name, found in [("continents", CONTINENTS), ("gender", GENDERS), ("sources", SOURCES)]:
        registered_groups(name, pf.groups.from_frame(frame_of(found)))


ONE = {"attributes": {"continents": WORLD}}
TWO = {"attributes": {"continents": WORLD, "gender": GENDER}}
TRACK_2021 = {**TWO, "whole": "continents,gender", "unknown": "partial"}
TRACK_2022 = {"attributes": {**TWO["attributes"], "sources": WORLD}, "whole": "gender"}
WORKED = [
    ({**ONE, "value": "ndcg"}, 0.706923),
    ({**ONE, "value": "ndcg", "cutoff": 3, "ideal": 1000}, 0.457920),
    ({**TRACK_2021, "value": "awrf"}, 0.851883),
    (TRACK_2021, 0.602216),
    ({**TRACK_2021, "value": "awrf", "cutoff": 3}, 0.746502),
    ({**ONE, "whole": "continents", "unknown": "partial", "value": "awrf"}, 0.879135),
    ({**TRACK_2022, "value": "awrf"}, 0.822686),
    ({**TRACK_2022, "value": "awrf", "cutoff": 3}, 0.654363),
    ({**ONE, "value": "awrf"}, 0.901856),
    ({"attributes": {"sources": WORLD}, "value": "awrf"}, 0.914295),
    ({"attributes": {"gender": GENDER}, "whole": "gender", "value": "awrf"}, 0.944518),
    ({**TWO, "whole": "gender", "value": "awrf"}, 0.854088)]


def membership(found):
    soft = isinstance(found, dict)
    return Membership(dict(found) if soft else dict.fromkeys(found, 1.0), soft and bool(found))


@pytest.mark.parametrize("params, expected", WORKED)
def test_worked_values(track, values, params, expected):
    found = values([pf.TrecFair(**params)], QRELS, RUN)
    assert list(found.values()) == pytest.approx([expected], abs=5e-7)
    of = {"continents": CONTINENTS, "gender": GENDERS, "sources": SOURCES}
    topic = Topic(
        dict.fromkeys(QRELS["doc_id"], 1), [RUN["doc_id"].tolist()], Source({}, frozenset()),
        attributes={name: Source({d: membership(some) for d, some in found.items()},
                                 frozenset(g for some in found.values() for g in some))
                    for name, found in of.items()},
        targets={name: dict(pf.targets.get(name).to_numpy().tolist()) for name in (WORLD, GENDER)})
    assert trec_fair(topic, **params) == pytest.approx(expected, abs=5e-7)


def random_source(pick, documents, labels, weighted):
    """Groups of most documents; some have none, and some are not known."""
    found = {}
    for docno in documents:
        if pick.random() < 0.15:
            continue
        some = pick.sample(labels, pick.choice([0, 1, 1, 2, 3]))
        found[docno] = {g: pick.choice([1, 2, 0.5]) for g in some} if weighted else some
        if weighted and pick.random() < 0.4:
            found[docno]["@UNKNOWN"] = pick.choice([1, 3])
    return found


def random_case(seed):
    """Sources, targets, qrels rows and run rows (with samples)."""
    pick = random.Random(seed)
    documents = [f"d{i}" for i in range(12)]
    labels = {"hard": ["a", "b", "c"], "soft": ["x", "y", "z"], "other": ["1", "2", "3"]}
    sources = {name: random_source(pick, documents, some, name == "soft")
               for name, some in labels.items()}
    shares = {}
    for name, some in labels.items():
        known = [*some[pick.randint(0, 1):], "only the target has it"]
        numbers = [pick.choice([0, 1, 2, 5]) for _ in known[1:]] + [1]
        shares[f"test {name}"] = {g: n / sum(numbers) for g, n in zip(known, numbers, strict=True)}
    qrels = [(str(q), docno, pick.choice([-1, 0, 1, 1, 2])) for q in range(4)
             for docno in documents if pick.random() < 0.6]
    samples = pick.choice([1, 1, 3])
    run = [(str(q), docno, pick.random(), sample) for sample in range(samples)
           for q in range(1, 4) for docno in documents if pick.random() < 0.6]
    return sources, shares, qrels, run


SETTINGS = [
    {**cutoff, **unknown, **value, **more}
    for cutoff, unknown, value, more in itertools.product(
        [{}, {"cutoff": 3}, {"cutoff": 4, "ideal": 6}, {"ideal": 3}],
        [{}, {"unknown": "partial"}], [{}, {"value": "awrf"}, {"value": "ndcg"}],
        [{}, {"rel": 2, "of_qrels": 0.25}, {"rel": 0, "of_qrels": 0.0}, {"of_qrels": 1.0}])
]


@pytest.mark.filterwarnings("ignore:.* are missing from some")
@pytest.mark.parametrize("names", [["hard"], ["soft"], ["hard", "soft"],
                                   ["hard", "other", "soft"]], ids="+".join)
@pytest.mark.parametrize("seed", quick_cases(range(4), first=1))
def test_slow_version(values, registered_groups, seed, names):
    sources, shares, qrels, run = random_case(seed)
    for name in names:
        frame = frame_of(sources[name], none=["-", None, ""][seed % 3])
        registered_groups(name, pf.groups.from_frame(frame))
    for name, some in shares.items():
        pf.targets.register(name, pd.DataFrame(some.items(), columns=["group", "share"]))
    attributes = {name: f"test {name}" for name in names}
    pick = random.Random(seed)
    wanted = [{"attributes": attributes, "whole": ",".join({*names} & whole), **setting}
              for whole in ({"hard"}, set(), {"hard", "other"}) if whole <= {*names}
              for setting in pick.sample(SETTINGS, 30)]
    measures = [pf.TrecFair(**params) for params in wanted]
    qrels_frame = pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"])
    run_frame = pd.DataFrame(run, columns=["query_id", "doc_id", "score", "iteration"])
    found = values(measures, qrels_frame, run_frame)
    of = {name: Source({d: membership(some) for d, some in sources[name].items()},
                       frozenset(g for some in sources[name].values() for g in some))
          for name in names}
    for qid in dict.fromkeys(row[0] for row in qrels):
        lists = [[row[1] for row in sorted(run, key=lambda row: -row[2])
                  if row[0] == qid and row[3] == sample]
                 for sample in sorted({row[3] for row in run})]
        topic = Topic({row[1]: row[2] for row in qrels if row[0] == qid},
                      lists if any(lists) else [], Source({}, frozenset()), of, targets=shares)
        for measure, params in zip(measures, wanted, strict=True):
            expected = mean_over_samples(trec_fair)(topic, **params) or 0.0
            assert found[measure, qid] == pytest.approx(expected, abs=1e-12), (measure, qid)


def test_undefined_topics_and_topics_without_results(track, values):
    # p9 is in no source, so a topic in which it is relevant has no target.
    qrels = pd.DataFrame({"query_id": list("1234"), "doc_id": ["p1", "p9", "p1", "p1"],
                          "relevance": [1, 1, 0, 1]})
    run = pd.DataFrame({"query_id": list("123"), "doc_id": ["p9", "p9", "p1"], "score": 1.0})
    measures = [pf.TrecFair(**TWO, value=value) for value in ("score", "awrf", "ndcg")]
    found = values(measures, qrels, run)
    assert [[found[measure, qid] for qid in "1234"] for measure in measures] == [
        [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    undefined = pf.analysis.undefined(qrels, measures)
    assert undefined.groupby("measure", sort=False)["qid"].apply("".join).tolist() == [
        "23", "23", "3"]


def test_no_document_of_the_run_is_known(track):
    with pytest.warns(pf.FairnessWarning, match="'z', .*'continents'"):
        value, = ir_measures.calc_aggregate(
            [pf.TrecFair(**ONE, value="awrf")], QRELS, RUN.assign(doc_id="z").iloc[:1]).values()
    assert value == 0
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*weigh nothing")
        for docno in ("p1", "p2", "p4", "p6"):
            pf.TrecFair(**ONE).calc_aggregate(QRELS, RUN.assign(doc_id=docno).iloc[:1])


def test_topics_that_a_source_drops(track, registered_groups):
    stances = pf.groups.from_mapping({"p1": "PRO", "p2": "CON"})
    registered_groups("leaning", stances.relabel({"1": "liberal", "2": "both or neither"}))
    pf.targets.register("even", pd.DataFrame({"group": ["liberal", "conservative"], "share": 0.5}))
    qrels = pd.concat([QRELS, QRELS.assign(query_id="2")])
    run = pd.concat([RUN, RUN.assign(query_id="2")])
    measure = pf.TrecFair(attributes={"leaning": "even"}, value="awrf")
    with pytest.warns(pf.FairnessWarning, match=r"liberal-.* 1 of 2 .*'2'"):
        first, second = (m.value for m in ir_measures.iter_calc([measure], qrels, run))
    assert 0 < first < 1 and np.isnan(second)


def test_a_label_that_only_the_run_has_is_unknown(registered_groups, values):
    class Open(pf.groups.Groups):
        def lookup(self, qids, docnos):
            rows = [(q, d, g) for q, d in zip(qids, docnos, strict=True)
                    for g in {"a": ["A"], "b": ["B"], "c": ["-"]}.get(d, [])]
            return pd.DataFrame(rows, columns=["qid", "docno", "group"])

    registered_groups("open", Open("open"))
    pf.targets.register("A and C", pd.DataFrame({"group": ["A", "C"], "share": [0.5, 0.5]}))
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "c"], "relevance": 1})
    runs = [pd.DataFrame({"query_id": "1", "doc_id": ["a", docno], "score": [2, 1]})
            for docno in "bc"]
    measure = pf.TrecFair(attributes={"open": "A and C"}, value="awrf")
    found = [values([measure], qrels, run)[measure, "1"] for run in runs]
    assert found[0] == found[1] > 0


def test_text_pickle_and_objects(track):
    measure = pf.TrecFair(attributes={"gender": GENDER, "continents": WORLD},
                          whole="gender,continents", ideal=1000) @ 20
    text = (f"TrecFair(attributes={{'continents':'{WORLD}','gender':'{GENDER}'}},"
            "whole='continents,gender',ideal=1000)@20")
    assert str(measure) == text and ir_measures.parse_measure(text) == measure
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert measure.sources()[:4] == [("groups", "continents"), ("target", WORLD),
                                     ("groups", "gender"), ("target", GENDER)]
    found = measure.replace_sources(lambda param, source: f"{param} {source}")
    assert list(found.param("attributes").items()) == [
        ("groups continents", f"target {WORLD}"), ("groups gender", f"target {GENDER}")]
    assert found.whole == [True, True]
    source = pf.groups.from_frame(frame_of(GENDERS))
    own = pf.TrecFair(attributes={source: GENDER}, whole=source.name, value="awrf")
    named = pf.TrecFair(attributes={"gender": GENDER}, whole="gender", value="awrf")
    one, two = ir_measures.calc_aggregate([own, named], QRELS, RUN).values()
    assert one == two == pytest.approx(0.944518, abs=5e-7)


def test_wrong_sources_and_targets(track):
    by_topic = pd.DataFrame({"qid": "1", "group": ["male", "female"], "share": 0.5})
    pf.targets.register("by topic", by_topic)
    for params, error in [
        ({"attributes": {"gender": "by topic"}}, "target must have .*'by topic'"),
        ({"attributes": {"gender": f"{GENDER}/track"}}, "target must have .*/track'"),
        ({"attributes": {"nowhere": GENDER}}, "nowhere"),
        ({"attributes": {"sources": WORLD}, "whole": "sources"}, "groups without weights"),
    ]:
        with pytest.raises(ValueError, match=error):
            ir_measures.calc_aggregate([pf.TrecFair(**params)], QRELS, RUN)
