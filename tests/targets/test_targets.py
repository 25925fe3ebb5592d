"""Target distributions from outside the qrels, and the measures that take them."""

import math
import re
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
import slow_versions
from case_marks import quick_cases
from measure_cases import values_of
from one_test import each
from written_files import written

import pt_fairness as pf
from pt_fairness import FairnessWarning, groups, targets

QRELS = [
    ir_measures.Qrel(q, d, 1, gender) for q in "12"
    for d, gender in (("a", "female"), ("b", "male"))]
RUN = [ir_measures.ScoredDoc(q, d, -float(i)) for q in "12" for i, d in enumerate("ab")]
SHARES = [("1", "female", 0.9), ("1", "male", 0.1), ("2", "male", 1.0)]


def frame(rows: Any = SHARES) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qid", "group", "share"])


def per_topic(*measures: Any, qrels: Any = QRELS) -> list[float]:
    return [m.value for m in ir_measures.iter_calc(list(measures), qrels, RUN)]


pytestmark = pytest.mark.usefixtures("forget_targets")


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_labels_of_the_target_belong_to_the_label_set_of_that_measure_alone():
    targets.register(
        "three", frame([("1", "female", 0.5), ("1", "divers", 0.5), ("2", "male", 1.0)]))
    assert per_topic(pf.MinSkew(target="three") @ 1, pf.MinSkew @ 1) == pytest.approx([
        math.log(0.001 / 0.5), math.log(0.001 / 0.5), math.log(0.001 / 1.0), math.log(0.001 / 0.5)])
    # A group that only the target has can be named, even where the groups are declared.
    source = groups.from_mapping({"a": "female", "b": "male"})
    assert per_topic(pf.Skew(group="divers", target="three", groups=source)) == pytest.approx(
        [math.log(0.001 / 0.5), 0.0])


def test_topics_and_labels_are_text():
    targets.register("numbers", pd.DataFrame(
        {"qid": [1, 1, 2.0], "group": [1, 2, 2.0], "share": ["0.25", 0.75, 1]}))
    qrels = pd.DataFrame([row._replace(iteration={"female": "1", "male": "2"}[row.iteration])
                          for row in QRELS])
    for given in (qrels, qrels.astype({"query_id": int})):
        assert per_topic(pf.Skew(group=1, target="numbers"), qrels=given) == pytest.approx(
            [math.log(2), math.log(500)])


@each("name", ["target.csv", "target.csv.gz"])
def test_from_a_file(tmp_path, name):
    text = ('\ufeffqid, group, share,"note, long",,\n'
            '007, NA , 0.5,"x, y",,\n007,"a, b",.5,,,\n008,NA,1,,,\n')
    path = written(tmp_path / name, text)
    for where in (path, str(path)):
        targets.register("file", where)
        assert targets.get("file").values.tolist() == [
            ["007", "NA", 0.5], ["007", "a, b", 0.5], ["008", "NA", 1.0]]


@each("name, text", [
    ("t.csv", "group,share\nf,0.4\nm,0.6\n"), ("t.tsv", "group\tshare\nf\t0.4\nm\t0.6\n"),
    ("t.jsonl", '{"group": "f", "share": 0.4}\n{"group": "m", "share": 0.6}\n')])
def test_a_file_without_topics_is_for_all(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    targets.register("file", tmp_path / name)
    assert targets.get("file").values.tolist() == [["f", 0.4], ["m", 0.6]]


@each("content, says", [
    (b"", "empty"),
    (b"qid,group\n1,a\n", "has no column 'share'"),
    (b"qid,group,share\n\n1,,1\n", "line 3: group"), (b"qid,group,share\n,a,1\n", "line 2: qid"),
    (b"qid,group,share\n1,a,x\n", "line 2: share .*'x'"),
    (b"qid,group,share\n1,a,2\n1,b,-1\n", "line 3: share .*'-1'"),
    (b"qid,group,share,share\n1,a,1,1\n", "has the column 'share' twice"),
    (b"qid,group,share\n1,caf\xe9,1\n", "line 2: .*UTF-8"),
    (b"qid,group,share\n1,a,0.5\n1,b,0.5,x,y\n", "line 3 .*3 columns")])
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, says):
    with pytest.raises(FileNotFoundError):
        targets.register("file", tmp_path / "missing.csv")
    for name in ("target.csv", "target.csv.gz"):
        file, message = written(tmp_path / name, content), rf"{re.escape(name)}.*{says}"
        with pytest.raises(ValueError, match=message):
            targets.register("file", file)


def test_get_gives_the_latest_that_was_registered():
    given = frame()
    before = given.copy()
    targets.register("one", given)
    pd.testing.assert_frame_equal(given, before)
    pd.testing.assert_frame_equal(targets.get("one").astype({"qid": object, "group": object}),
                                  given.astype({"qid": object, "group": object}))
    targets.register("two", targets.get("one"))
    assert targets.get("two").equals(targets.get("one"))
    assert {"one", "two"} < set(targets.names()) and targets.names() == sorted(targets.names())
    with pytest.raises(ValueError, match=r"'three'.*'one', "):
        targets.get("three")
    measure = pf.RepBias(group="female", target="one") @ 2
    first = per_topic(measure)
    targets.register("one", frame([(q, g, 0.5) for q in "12" for g in ("female", "male")]))
    assert per_topic(measure) == [0.0, 0.0] != first


@each("name", ["qrels", "collection", "uniform", "run", "Qrels", " run ", "", "  ", 3, None])
def test_names_that_are_refused(name):
    with pytest.raises(ValueError, match=f"got {name!r}"):
        targets.register(name, frame())


@each("rows, message", [
    ([("7", "a", 0.5), ("8", "a", 1.0), ("8", "b", 0.25)],
     "target 'bad' for topic '7' must sum to 1, got 0.5"),
    ([("7", "a", 1.0), ("8", "a", 1.0), ("8", "b", 0.25)], "for topic '8' must sum to 1, got 1.25"),
    ([("7", "a", 0.0)], "for topic '7' must sum to 1, got 0"),
    ([("7", "a", 1.0), ("8", "a", 1.5), ("8", "b", -0.5)],
     "at least 0, got '-0.5' for 'b' in topic '8'"),
    ([("7", "a", "most")], "got 'most' for 'a' in topic '7'"),
    ([("7", "a", math.nan)], "got 'nan' for 'a' in topic '7'"),
    ([("7", "a", math.inf)], "got 'inf' for 'a' in topic '7'"),
    ([(7, 1, 0.5), ("7", 1.0, 0.5)], "got two of '1' in topic '7'"),
    ([("7", "a", 1.0), ("8", None, 1.0)], "row 1 of the target 'bad' has no group"),
    ([("7", "-", 1.0)], "row 0 of the target 'bad' has no group"),
    ([("", "a", 1.0)], "row 0 of the target 'bad' has no qid"),
    ([], "has no rows"),
    (frame().rename(columns={"share": "n"}), "'bad' has no column 'share'; .* qid, group, n")])
def test_what_is_no_distribution_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        targets.register("bad", rows if isinstance(rows, pd.DataFrame) else frame(rows))
    assert not [name for name in targets.names() if not name.startswith("trec-fair/")]


@each("measure", [pf.DistKL, pf.AWRF, pf.RepBias(group="female"), pf.rND(protected="female"),
                  pf.rKL(protected="all")])
def test_a_topic_without_shares_is_named(measure):
    targets.register("short", frame(SHARES[:2]))
    with pytest.raises(ValueError, match=r"'short' .*1 of 2, .*'2'"):
        ir_measures.evaluator([measure(target="short")], QRELS)


HALVES = pd.DataFrame({"group": ["female", "male"], "share": [0.25, 0.75]})


def test_one_target_for_all_topics():
    targets.register("all", HALVES)
    targets.register("each", pd.concat([HALVES.assign(qid=qid) for qid in "12"]))
    pd.testing.assert_frame_equal(targets.get("all"), HALVES, check_dtype=False)
    for measure in (pf.AWRF, pf.NDKL, pf.DistKL, pf.rND(protected="female"),
                    pf.RepBias(group="male")):
        assert per_topic(measure(target="all") @ 2) == per_topic(measure(target="each") @ 2)


@pytest.mark.parametrize("of_qrels", [0.0, 0.5, 0.9])
def test_a_mixture_with_the_relevant_documents(of_qrels):
    # One of topic 2's four relevant documents is a woman's; a document without a group and one that
    # is not relevant do not count.
    qrels = [ir_measures.Qrel("2", docno, relevance, gender) for docno, relevance, gender in (
        ("a", 1, "female"), ("b", 1, "male"), ("c", 1, "male"), ("e", 1, "male"), ("f", 1, "-"),
        ("g", 0, "female"))]
    background = pd.DataFrame({"group": ["female", "male"], "share": [0.5, 0.5]})
    targets.register("mixed", background, of_qrels=of_qrels)
    female = of_qrels * 0.25 + (1 - of_qrels) * 0.5
    explicit = {"female": female, "male": 1 - female}
    for measure in (pf.AWRF, pf.NDKL, pf.DistKL, pf.MinSkew, pf.rND(protected="female"),
                    pf.RepBias(group="male")):
        mixed, same = (list(ir_measures.iter_calc([measure(target=target) @ 2], qrels, [
            ir_measures.ScoredDoc("2", docno, -float(i)) for i, docno in enumerate("cab")]))
            for target in ("mixed", explicit))
        assert [one.value for one in mixed] == pytest.approx([one.value for one in same])


def test_a_mixture_is_empty_where_no_relevant_document_has_a_group():
    targets.register("mixed", HALVES, of_qrels=0.5)
    qrels = [*QRELS[:2], ir_measures.Qrel("2", "a", 1, "-")]
    with pytest.warns(FairnessWarning, match="nothing to compare"):
        mixed = per_topic(pf.NDKL(target="mixed") @ 2, qrels=qrels)
    alone = per_topic(pf.NDKL(target="mixed") @ 2, qrels=QRELS[:2])
    assert mixed == [pytest.approx(alone[0]), 0.0] and mixed[0] > 0


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, math.nan])
def test_the_share_of_the_relevant_documents_is_checked(share):
    with pytest.raises(ValueError, match="of_qrels"):
        targets.register("wrong", HALVES, of_qrels=share)


TAKERS = {
    name: measure for name, measure in pf.measures.MEASURES.items()
    if "target" in measure.SUPPORTED_PARAMS}
#: Parameters of the measures that compare a group of their own.
PARAMS = {"protected": "g0", "group": "g1", "by": "group"}
CASES: list[tuple[str, dict[str, Any]]] = [("rKL", {"protected": "all"}), *(
    (name, {param: value for param, value in PARAMS.items() if param in measure.SUPPORTED_PARAMS})
    for name, measure in TAKERS.items())]


@pytest.mark.parametrize("several", [False, True], ids=["one group", "several groups"])
@pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
def test_every_measure_against_the_slow_version(make_case, seed, several):
    pick = np.random.default_rng(seed)
    labels = ["g0", "g1", "g2", "elsewhere"]
    case = make_case(seed, labels=3, several=several)
    table = pick.dirichlet([1, 1, 1, 1], 5) * (pick.random((5, 4)) < 0.7) + [0, 0, 1e-3, 0]
    table /= table.sum(axis=1, keepdims=True)
    explicit = {qid: dict(zip(labels, shares, strict=True))
                for qid, shares in zip("12345", table, strict=True)}
    rows = [(qid, label, share) for qid, shares in explicit.items()
            for label, share in shares.items() if share or qid == "1"]
    targets.register("theirs", frame(rows).sample(frac=1, random_state=seed))
    wanted = [(name, {**params, "cutoff": cutoff}) for name, params in CASES for cutoff in (3, 8)]
    measures = [TAKERS[name](target="theirs", **params) for name, params in wanted]
    found = values_of(measures, case.qrels_frame, case.run_frame)
    for measure, (name, params) in zip(measures, wanted, strict=True):
        for qid, target in explicit.items():
            expected = slow_versions.evaluate(
                name, {"target": target, **params}, case.qrels, case.run)[qid]
            assert found[measure, qid] == pytest.approx(expected, abs=1e-9), (measure, qid)


@each("share", [1e-310, 9e-13])
def test_tiny_shares_are_none(share):
    qrels = [*QRELS, *(ir_measures.Qrel(q, "c", 1, "divers") for q in "12")]
    run = [*RUN, *(ir_measures.ScoredDoc(q, "c", 1.0) for q in "12")]
    shares = {"female": 0.5, "male": 0.5, "divers": share}
    targets.register("tiny", frame([(q, *row) for q in "12" for row in shares.items()]))
    pairs = []
    for name, params in [*CASES, ("rND", {"protected": "female,male"})]:
        params = {param: value.replace("g0", "divers").replace("g1", "divers")
                  for param, value in params.items()}
        if "norm" in TAKERS[name].SUPPORTED_PARAMS:
            params["norm"] = "none"
        without = TAKERS[name](target=shares | {"divers": 0.0}, **params)
        assert TAKERS[name](target=shares, **params) == without
        pairs.append((without, TAKERS[name](target="tiny", **params)))
    values = values_of({*sum(pairs, ())}, qrels, run)
    for without, by_name in pairs:
        for q in "12":
            assert values[by_name, q] == values[without, q] and math.isfinite(values[without, q])
