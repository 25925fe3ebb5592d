"""Target distributions from outside the qrels."""

from __future__ import annotations

import gzip
import math
import pickle
import subprocess
import sys

import ir_measures
import pandas as pd
import pytest
from target_cases import QRELS, RUN, SHARES, frame, per_topic

from pt_fairness import AWRF, NDKL, DistKL, MinSkew, RepBias, Skew, groups, rKL, rND, targets

pytestmark = pytest.mark.usefixtures("forget_targets")


def test_each_topic_has_its_own_target():
    targets.register("wikidata", frame())
    assert "wikidata" in targets.names()
    # Women have 9 and 0 of 10; one of two documents is a woman's.
    assert per_topic(RepBias(group="female", target="wikidata") @ 2) == pytest.approx(
        [1 / 2 - 2 / 2, 1 / 2 - 0])
    assert per_topic(Skew(group="female", target="wikidata")) == pytest.approx(
        [math.log(0.5 / 0.9), math.log(0.5 / 0.001)])
    assert per_topic(DistKL(target="wikidata", smoothing=0)) == pytest.approx(
        [
            0.5 * math.log2(0.5 / 0.9) + 0.5 * math.log2(0.5 / 0.1),
            0.5 * math.log2(0.5 / 0.001) + 0.5 * math.log2(0.5 / 0.999)]
    )
    assert per_topic(rND(protected="female", target="wikidata", norm="none") @ 1) == pytest.approx(
        [0.1, 1.0])


def test_labels_of_the_target_belong_to_the_label_set_of_that_measure_alone():
    targets.register(
        "three", frame([("1", "female", 0.5), ("1", "divers", 0.5), ("2", "male", 1.0)]))
    with_target, without = (
        per_topic(MinSkew(target="three") @ 1, MinSkew @ 1)[::2], per_topic(MinSkew @ 1))
    assert with_target == pytest.approx([math.log(0.001 / 0.5), math.log(0.001 / 1.0)])
    assert without == pytest.approx([math.log(0.001 / 0.5)] * 2)
    # A group that only the target has can be named, even where the groups are declared.
    source = groups.from_mapping({"a": "female", "b": "male"})
    assert per_topic(Skew(group="divers", target="three", groups=source)) == pytest.approx(
        [math.log(0.001 / 0.5), 0.0])


def test_topics_and_labels_are_text():
    targets.register(
        "numbers",
        pd.DataFrame({"qid": [1, 1, 2.0], "group": [1, 2, 2.0], "share": ["0.25", 0.75, 1]}))
    qrels = [row._replace(iteration={"female": "1", "male": "2"}[row.iteration]) for row in QRELS]
    assert per_topic(Skew(group=1, target="numbers"), qrels=qrels) == pytest.approx(
        [math.log(2), math.log(500)])
    numbered = [row._replace(query_id=int(row.query_id)) for row in qrels]
    assert per_topic(
        Skew(group="1", target="numbers"), qrels=pd.DataFrame(numbered)
    ) == pytest.approx([math.log(2), math.log(500)])


@pytest.mark.parametrize("packed", [False, True])
def test_from_a_file(tmp_path, packed):
    path = tmp_path / ("target.csv.gz" if packed else "target.csv")
    content = '\ufeffqid, group, share,note\n007, NA , 0.5,x\n007,"a, b",.5,\n008,NA,1,\n'.encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    for where in (path, str(path)):
        targets.register("file", where)
        assert targets.get("file").values.tolist() == [
            ["007", "NA", 0.5],
            ["007", "a, b", 0.5],
            ["008", "NA", 1.0]]


@pytest.mark.parametrize(
    "content, says",
    [
        (b"", "is empty; it needs the columns qid, group, share"),
        (b"qid,group\n1,a\n", "has no column 'share'"),
        (b"qid,group,share,share\n1,a,1,1\n", "has the column 'share' twice"),
        (b"qid,group,share\n1,caf\xe9,1\n", "line 2: not UTF-8 text"),
        (b"qid,group,share\n1,a,0.5\n1,b,0.5,x,y\n", "cannot be read as columns")],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, content, says):
    (tmp_path / "target.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"target\.csv.*{says}"):
        targets.register("file", tmp_path / "target.csv")
    (tmp_path / "target.csv.gz").write_bytes(content or b"x")
    with pytest.raises(ValueError, match=r"target\.csv\.gz is damaged"):
        targets.register("file", tmp_path / "target.csv.gz")


def test_columns_that_are_not_needed_may_be_anything(tmp_path):
    (tmp_path / "target.csv").write_text('qid,group,share,"note, long",,\n1,a,1,"x, y",,\n')
    targets.register("file", tmp_path / "target.csv")
    assert targets.get("file").values.tolist() == [["1", "a", 1.0]]


def test_get_gives_what_was_registered():
    given = frame()
    before = given.copy()
    targets.register("one", given)
    pd.testing.assert_frame_equal(given, before)
    pd.testing.assert_frame_equal(
        targets.get("one").astype({"qid": object, "group": object}),
        given.astype({"qid": object, "group": object}))
    targets.register("two", targets.get("one"))
    assert targets.get("two").equals(targets.get("one"))
    assert {"one", "two"} < set(targets.names()) and targets.names() == sorted(targets.names())
    with pytest.raises(
        ValueError, match=r"no targets are registered as 'three'.* Registered are 'one', "
    ):
        targets.get("three")


def test_a_name_takes_its_latest_meaning():
    measure = RepBias(group="female", target="mine") @ 2
    targets.register("mine", frame())
    first = per_topic(measure)
    targets.register("mine", frame([(q, g, 0.5) for q in "12" for g in ("female", "male")]))
    assert per_topic(measure) == [0.0, 0.0] != first


@pytest.mark.parametrize("name", ["wikidata", "with space", "it's", "é"])
def test_round_trips(name):
    targets.register(name, frame())
    for measure in (
        DistKL(target=name) @ 5,
        rKL(target=name, protected="female"),
        AWRF(target=name, groups="trec-newswire"),
    ):
        text = str(measure)
        assert ir_measures.parse_measure(text) == measure and " " not in text
        assert per_topic(ir_measures.parse_measure(str(NDKL(target=name)))) == per_topic(
            NDKL(target=name))
        assert pickle.loads(pickle.dumps(measure)) == measure


def test_a_measure_takes_its_target_along_to_another_process(tmp_path):
    targets.register("travels", frame())
    source = groups.from_mapping({"a": "female", "b": "male"})
    measures = [
        RepBias(group="female", target="travels") @ 2, NDKL(target="travels", groups=source)]
    (tmp_path / "measures").write_bytes(pickle.dumps((measures, QRELS, RUN)))
    code = (
        "import pickle, sys, ir_measures\n"
        "measures, qrels, run = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print([m.value for m in ir_measures.iter_calc(measures, qrels, run)])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "measures")], capture_output=True, text=True,
        check=True)
    assert done.stdout.strip() == str(per_topic(*measures))


def test_a_copy_does_not_change_what_is_registered():
    targets.register("mine", frame())
    packed = pickle.dumps(RepBias(group="female", target="mine"))
    other = frame([(q, "male", 1.0) for q in "12"])
    targets.register("mine", other)
    pickle.loads(packed)
    assert targets.get("mine").values.tolist() == other.values.tolist()


@pytest.mark.parametrize("name", ["qrels", "collection", "uniform", "run", "Qrels", " run "])
def test_the_names_of_the_built_in_targets_are_reserved(name):
    with pytest.raises(
        ValueError,
        match=f"targets cannot be named '{name}': 'qrels', 'collection', 'uniform', 'run' have",
    ):
        targets.register(name, frame())


@pytest.mark.parametrize("name", ["", "  ", 3, None])
def test_a_target_needs_a_name(name):
    with pytest.raises(ValueError, match="targets need a name that is not empty"):
        targets.register(name, frame())


@pytest.mark.parametrize(
    "rows, message",
    [
        (
            [("7", "a", 0.5), ("8", "a", 1.0), ("8", "b", 0.25)],
            "shares of the target 'bad' for topic '7' sum to 0.5; those of"),
        ([("7", "a", 1.0), ("8", "a", 1.0), ("8", "b", 0.25)], "for topic '8' sum to 1.25"),
        ([("7", "a", 0.0)], "for topic '7' sum to 0;"),
        (
            [("7", "a", 1.0), ("8", "a", 1.5), ("8", "b", -0.5)],
            "gives 'b' the share .*-0.5.* for topic '8'; shares are numbers"),
        ([("7", "a", "most")], "gives 'a' the share 'most' for topic '7'"),
        ([("7", "a", math.nan)], "gives 'a' the share .*nan.* for topic '7'"),
        ([("7", "a", math.inf)], "gives 'a' the share .*inf.* for topic '7'"),
        ([("7", "a", 0.5), ("7", "a", 0.5)], "has 'a' twice for topic '7'"),
        ([(7, 1, 0.5), ("7", 1.0, 0.5)], "has '1' twice for topic '7'"),
        ([("7", "a", 1.0), ("8", None, 1.0)], "row 1 of the target 'bad' has no group"),
        ([("7", "-", 1.0)], "row 0 of the target 'bad' has no group"),
        ([("", "a", 1.0)], "row 0 of the target 'bad' has no qid"),
        ([], "has no rows"),
    ],
)
def test_what_is_no_distribution_is_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        targets.register("bad", frame(rows))
    assert not [name for name in targets.names() if not name.startswith("trec-fair/")]


def test_a_missing_column(tmp_path):
    with pytest.raises(
        ValueError,
        match="'bad' has no column 'share'; it needs qid, group, share and has qid, group, n",
    ):
        targets.register("bad", frame().rename(columns={"share": "n"}))
    (tmp_path / "target.csv").write_text("qid\tgroup\tshare\n1\ta\t1\n")
    with pytest.raises(ValueError, match="has no column 'qid'"):
        targets.register("bad", tmp_path / "target.csv")
    with pytest.raises(FileNotFoundError):
        targets.register("bad", tmp_path / "missing.csv")


@pytest.mark.parametrize(
    "measure",
    [DistKL, AWRF, RepBias(group="female"), rND(protected="female"), rKL(protected="all")], ids=str)
def test_a_topic_without_shares_is_named(measure):
    targets.register("short", frame(SHARES[:2]))
    with pytest.raises(
        ValueError,
        match=r"the target 'short' has no shares for topic '2'; it "
        r"needs shares for every topic of the qrels and has them for 1 of 2$",
    ):
        ir_measures.evaluator([measure(target="short")], QRELS)


def test_topics_without_shares_are_counted():
    """Those of the qrels, not those of the target."""
    targets.register("short", frame([(str(q), "female", 1.0) for q in (1, *range(100, 150))]))
    qrels = [row._replace(query_id=str(q)) for q in range(9) for row in QRELS[:2]]
    with pytest.raises(
        ValueError,
        match=r"has no shares for 8 topics, such as '0'; it needs "
        r"shares for every topic of the qrels and has them for 1 of 9$",
    ):
        ir_measures.evaluator([NDKL(target="short")], qrels)


def test_a_name_that_is_not_registered():
    with pytest.raises(
        ValueError,
        match=r"DistKL\(target='wikdata'\) is not possible: target takes .* a registered name",
    ):
        per_topic(DistKL(target="wikdata"))
    with pytest.raises(ValueError, match="target takes"):
        DistKL(target=frame()).validate_params()
