"""Target distributions from outside the qrels."""

from __future__ import annotations

import gzip
import math
import pickle

import ir_measures
import pandas as pd
import pytest
from one_test import each
from target_cases import QRELS, SHARES, frame, per_topic

from pt_fairness import AWRF, DistKL, MinSkew, RepBias, Skew, groups, rKL, rND, targets

pytestmark = pytest.mark.usefixtures("forget_targets")


def test_each_topic_has_its_own_target():
    targets.register("wikidata", frame())
    assert "wikidata" in targets.names()
    # Women have 9 and 0 of 10; one of two documents is a woman's.
    assert per_topic(RepBias(group="female", target="wikidata") @ 2) == pytest.approx(
        [1 / 2 - 2 / 2, 1 / 2 - 0])
    assert per_topic(Skew(group="female", target="wikidata")) == pytest.approx(
        [math.log(0.5 / 0.9), math.log(0.5 / 0.001)])
    assert per_topic(DistKL(target="wikidata", smoothing=0)) == pytest.approx([
        0.5 * math.log2(0.5 / 0.9) + 0.5 * math.log2(0.5 / 0.1),
        0.5 * math.log2(0.5 / 0.001) + 0.5 * math.log2(0.5 / 0.999)])
    assert per_topic(rND(protected="female", target="wikidata", norm="none") @ 1) == pytest.approx(
        [0.1, 1.0])


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_labels_of_the_target_belong_to_the_label_set_of_that_measure_alone():
    targets.register(
        "three", frame([("1", "female", 0.5), ("1", "divers", 0.5), ("2", "male", 1.0)]))
    assert per_topic(MinSkew(target="three") @ 1, MinSkew @ 1) == pytest.approx([
        math.log(0.001 / 0.5), math.log(0.001 / 0.5), math.log(0.001 / 1.0), math.log(0.001 / 0.5)])
    # A group that only the target has can be named, even where the groups are declared.
    source = groups.from_mapping({"a": "female", "b": "male"})
    assert per_topic(Skew(group="divers", target="three", groups=source)) == pytest.approx(
        [math.log(0.001 / 0.5), 0.0])


def test_topics_and_labels_are_text():
    targets.register("numbers", pd.DataFrame(
        {"qid": [1, 1, 2.0], "group": [1, 2, 2.0], "share": ["0.25", 0.75, 1]}))
    qrels = pd.DataFrame([row._replace(iteration={"female": "1", "male": "2"}[row.iteration])
                          for row in QRELS])
    for given in (qrels, qrels.astype({"query_id": int})):
        assert per_topic(Skew(group=1, target="numbers"), qrels=given) == pytest.approx(
            [math.log(2), math.log(500)])


@each("name", ["target.csv", "target.csv.gz"])
def test_from_a_file(tmp_path, name):
    text = ('\ufeffqid, group, share,"note, long",,\n'
            '007, NA , 0.5,"x, y",,\n007,"a, b",.5,,,\n008,NA,1,,,\n')
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
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
    path, packed = tmp_path / "target.csv", tmp_path / "target.csv.gz"
    with pytest.raises(FileNotFoundError):
        targets.register("file", tmp_path / "missing.csv")
    path.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    for file, message in ((path, rf"target\.csv.*{says}"), (packed, rf"csv\.gz.*{says}")):
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
    with pytest.raises(ValueError, match=r"no targets are registered as 'three'.* are 'one', "):
        targets.get("three")
    measure = RepBias(group="female", target="one") @ 2
    first, packed = per_topic(measure), pickle.dumps(measure)
    targets.register("one", frame([(q, g, 0.5) for q in "12" for g in ("female", "male")]))
    assert per_topic(measure) == [0.0, 0.0] != first
    pickle.loads(packed)  # a copy does not change what is registered
    assert per_topic(measure) == [0.0, 0.0]


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


@each("measure", [DistKL, AWRF, RepBias(group="female"), rND(protected="female"),
                  rKL(protected="all")])
def test_a_topic_without_shares_is_named(measure):
    targets.register("short", frame(SHARES[:2]))
    with pytest.raises(ValueError, match=r"'short' must have .*got 1 of 2, without topic '2'"):
        ir_measures.evaluator([measure(target="short")], QRELS)
