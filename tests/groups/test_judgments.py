"""Which rows of qrels name a group: those of a topic that is judged by group, and of any other."""

import numpy as np
import pandas as pd
import pytest
from group_rows import rows
from hypothesis import given
from hypothesis import strategies as st
from slow_versions.rows import clean_labels, naming_rows
from written_files import written

from pt_fairness import FairnessWarning, groups
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.rankings.trec_order import Judgments

#: PRO and CON judge each of a, b, c and d.
WORKED = "1 PRO a 1\n1 CON a 0\n1 PRO c 1\n1 CON c 0\n1 PRO b 0\n1 CON b 1\n1 PRO d 0\n1 CON d 1\n"
#: Topic 201 is judged by group, 203 has one subtopic, and 204 reads the same either way.
BOTH = ("201 1 a 1\n201 2 a 0\n201 1 b 0\n201 2 b 1\n203 1 a 1\n203 1 b 0\n"
        "204 1 x 1\n204 2 x 1\n204 1 y 1\n")
#: A random topic has up to four documents, and rows of up to three labels.
ROW = st.tuples(st.sampled_from("123"), st.sampled_from("abcd"), st.sampled_from([-1, 0, 0, 1, 2]),
                st.sampled_from(["X", "Y", "Z", "-"]))


def frame_of(found) -> pd.DataFrame:
    return pd.DataFrame(found, columns=["qid", "docno", "label", "iteration"])


def slow(found) -> dict[tuple[str, str], frozenset[str]]:
    """The groups of each document, by topic and document."""
    by_topic: dict[str, dict[str, list]] = {}
    for qid, docno, relevance, label in found:
        by_topic.setdefault(qid, {}).setdefault(docno, []).append((relevance, label))
    return {(qid, docno): clean_labels(label for _, label in named)
            for qid, documents in by_topic.items()
            for docno, named in naming_rows(documents).items()}


@given(st.lists(ROW, min_size=1, max_size=30))
def test_the_slow_version_names_the_same_groups(found):
    frame = frame_of(found)
    expected = slow(found)
    with collecting_warnings():
        judgments = Judgments(frame.set_axis(
            ["query_id", "doc_id", "relevance", "iteration"], axis="columns"))
        codes, labels, _ = judgments.row_groups
        source = groups.from_frame(frame)
    assert {*labels} == {*source.labels} == clean_labels(frame["iteration"])
    seen = {key: set() for key in expected}
    names = judgments.docnos()
    for pair, code in zip(judgments.index.pair, codes, strict=True):
        if code >= 0:
            seen[judgments.topics[judgments.topic[pair]], names[pair]].add(labels[code])
    assert seen == expected
    looked_up = source.lookup(*zip(*expected, strict=True))
    assert {(qid, docno, label) for (qid, docno), some in expected.items() for label in some} \
        == set(looked_up.itertuples(index=False, name=None))


@pytest.mark.parametrize("labels, judged", [("XYXY", True), ("XXXX", False), ("XYXX", False)])
def test_all_documents_judged_for_all_of_several_groups(tmp_path, labels, judged):
    """No document has both senses: a is relevant for none of its groups, b for all."""
    qrels = "".join(f"1 {label} {docno} {relevance}\n" for label, docno, relevance
                    in zip(labels, "aabb", "0011", strict=True))
    with collecting_warnings() as messages:
        source = groups.from_file(written(tmp_path / "all.qrels", qrels))
    assert any("judged by group" in text for _, text in messages) == judged
    assert bool(len(source.lookup(["1"], ["a"]))) != judged


def test_one_line_counts_the_topics(tmp_path):
    with pytest.warns(FairnessWarning) as issued:
        groups.from_file(written(tmp_path / "pro.qrels", WORKED))
        groups.from_file(written(tmp_path / "web.qrels", BOTH))
    one, both = (str(warning.message) for warning in issued)
    assert "judged by group" in one and "pro.qrels" in one
    assert "in 1 of 2 topics" in both and "201: line 2" in both and "203" in both
    assert "--judged-by-group" in both


@pytest.mark.parametrize("judged, expected", [
    (None, "1|2|1|1"), (True, "1|2|1|"), (False, "1 2|1 2|1|1")])
def test_one_reading_for_all_topics(tmp_path, judged, expected):
    path = written(tmp_path / "web.qrels", BOTH)
    table = pd.read_csv(path, sep=" ", names=["qid", "iteration", "docno", "label"], dtype=str)
    for source in (groups.from_file(path, judged=judged),
                   groups.from_frame(table, judged=judged),
                   groups.from_frame(table.rename(columns={"iteration": "group",
                                                           "label": "relevance"}), judged=judged)):
        found = source.lookup(["201", "201", "203", "203"], [*"abab"])
        labels = found.groupby(["qid", "docno"])["group"].agg(" ".join)
        assert "|".join(labels.reindex([("201", "a"), ("201", "b"), ("203", "a"), ("203", "b")],
                                       fill_value="")) == expected


def test_one_reading_needs_relevance(tmp_path):
    path = written(tmp_path / "groups.csv", "docno,group\na,PRO\n")
    for make in (lambda: groups.from_file(path, judged=True),
                 lambda: groups.from_frame(pd.read_csv(path), judged=False),
                 lambda: groups.from_frame(frame_of([("1", "a", "high", "PRO")]), judged=True)):
        with pytest.raises(ValueError, match="judged"):
            make()


def test_a_document_that_a_label_has_twice(tmp_path):
    """Its rows decide nothing, and one warning names the line."""
    path = written(tmp_path / "web.qrels", "1 PRO a 1\n1 CON a 1\n1 PRO b 1\n1 PRO a 0\n")
    with pytest.warns(FairnessWarning) as issued:
        source = groups.from_file(path)
    (text,) = (str(warning.message) for warning in issued)
    assert "web.qrels" in text and "line 4" in text
    found = source.lookup(["1", "1"], [*"ab"])
    assert found["group"].tolist() == ["CON", "PRO", "PRO"]


def test_0_beside_words_is_no_group(tmp_path):
    text = "1 PRO a 1\n1 0 b 1\n1 Q0 c 1\n1 CON d 0\n"
    source = groups.from_file(written(tmp_path / "web.qrels", text))
    assert source.labels == ["CON", "PRO"]
    assert rows(source, "abcd") == rows(groups.from_mapping({"a": "PRO", "d": "CON"}), "abcd")
    assert groups.from_frame(frame_of([("1", "a", 1, "0"), ("1", "b", 1, "Q0")])).labels == []
    numbers = groups.from_file(written(tmp_path / "rounds", "1 0 a 1\n1 0.5 b 1\n1 1 c 0\n"))
    assert numbers.labels == ["0", "0.5", "1"]


@pytest.mark.slow
def test_large_codes_do_not_overflow():
    count = 70_000
    frame = pd.DataFrame({"qid": "1", "docno": np.repeat(np.arange(count), 2).astype(str),
                          "label": np.tile([1, 0], count),
                          "iteration": np.arange(2 * count).astype(str)})
    with collecting_warnings():
        found = groups.from_frame(frame).lookup(["1"], [str(count - 1)])
    assert found["group"].tolist() == [str(2 * count - 2)]
