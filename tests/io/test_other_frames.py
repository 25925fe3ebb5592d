"""Frames of other libraries, and those of recommender systems, wherever frames are taken."""

import pandas as pd
import pyarrow
import pytest

import pt_fairness as pf
from pt_fairness.io.qrels_files import load_qrels

RUN = pd.DataFrame({"qid": ["7"] * 3, "docno": ["a", "b", "c"], "score": [3.0, 2.0, 1.0]})
QRELS = pd.DataFrame({"qid": ["7"] * 2, "docno": ["a", "b"], "label": [1, 0]})
GROUPS = pd.DataFrame({"docno": ["a", "b", "c"],
                       "group": [["indie"], ["major"], ["indie", "major"]]})
NUMBERS = pd.DataFrame({"docno": ["a", "b", "c"], "value": [0.1, 0.2, 0.3]})
SHARES = pd.DataFrame({"group": ["indie", "major"], "share": [0.25, 0.75]})
MEASURES = ["nDCG@3", "AWRF@3", "AWRF(target='frames')@3", "RaB(values='frames')@3",
            "NFaiRR(values='frames',background='frames')@3"]


class Stream:
    """What has an Arrow stream and nothing else."""

    def __init__(self, frame):
        self._table = pyarrow.Table.from_pandas(frame)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def of_polars(frame):
    return pytest.importorskip("polars").from_pandas(frame)


def of_datasets(frame):
    return pytest.importorskip("datasets").Dataset.from_pandas(frame)


def with_types_of_arrow(frame):
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def averages(kind):
    pf.values.register("frames", pf.values.from_frame(kind(NUMBERS)))
    pf.targets.register("frames", kind(SHARES))
    pf.runs.register("frames", kind(RUN))
    sources = kind(GROUPS), pf.groups.from_frame(kind(GROUPS)), kind(GROUPS)
    try:
        return [pf.evaluate(run, kind(QRELS), MEASURES, groups=source, progress=False).averages
                for run, source in zip((kind(RUN), [kind(RUN)], {"run 0": kind(RUN)}), sources,
                                       strict=True)]
    finally:
        pf.values.unregister("frames")
        pf.runs.unregister("frames")


KINDS = {"polars": of_polars, "arrow": pyarrow.Table.from_pandas, "datasets": of_datasets,
         "stream": Stream, "types of arrow": with_types_of_arrow}


@pytest.fixture(scope="module")
def of_pandas():
    expected, *_ = averages(lambda frame: frame)
    assert expected.iloc[0, 1:].notna().all()
    return expected


@pytest.mark.parametrize("kind", KINDS)
def test_frames_of_other_libraries_have_the_values_of_pandas(kind, of_pandas):
    for table in averages(KINDS[kind]):
        pd.testing.assert_frame_equal(table, of_pandas)
    assert pf.AWRF(groups=KINDS[kind](GROUPS)) == pf.AWRF(groups=pf.groups.from_frame(GROUPS))


@pytest.mark.parametrize("kind", KINDS)
def test_other_frames_of_votes_texts_and_topics(kind):
    frame_of = KINDS[kind]
    votes = pd.DataFrame({"docno": ["a", "a"], "annotator": ["u", "v"], "label": ["PRO", "PRO"]})
    assert pf.groups.from_votes(frame_of(votes)) == pf.groups.from_votes(votes)
    texts = pd.DataFrame({"docno": ["a"], "text": ["she and she"]})
    words = {"female": ["she"], "male": ["he"]}
    assert pf.groups.from_text(frame_of(texts), words).lookup(["7"], ["a"]).size == 3
    assert pf.values.from_text(frame_of(texts), words, "tc").lookup(["7"], ["a"]).tolist() == [2.0]
    topics = pd.DataFrame({"qid": ["7"], "query": ["who"]})

    def answer(frame):
        return frame.assign(group=frame["query"] + " " + frame["text"])

    source = pf.groups.from_transformer(answer, frame_of(texts), frame_of(topics))
    assert source.lookup(["7"], ["a"])["group"].tolist() == ["who she and she"]


@pytest.mark.parametrize("kind", KINDS)
def test_other_frames_of_qrels_and_of_groups_of_topics(kind, capsys):
    pf.write_qrels(KINDS[kind](QRELS))
    assert capsys.readouterr().out == "7 0 a 1\n7 0 b 0\n"
    values_of_topics = pd.DataFrame({"name": "A", "qid": [*"123"], "measure": "P@5",
                                     "value": [0.5, 0.0, 1.0]})
    topics = pd.DataFrame({"qid": [*"123"], "group": [*"xyx"]})
    means = pf.analysis.intervals(values_of_topics, by=KINDS[kind](topics))
    assert means["mean"].tolist() == [0.75, 0.0]


@pytest.mark.parametrize("user, item", [("user_id", "item_id"), ("user", "item")])
def test_users_and_items_are_topics_and_documents(user, item):
    names = {"qid": user, "docno": item}
    frames = [frame.rename(columns=names) for frame in (RUN, QRELS, GROUPS)]
    tables = [pf.evaluate({"run": run}, qrels, ["nDCG@3", "AWRF@3"], groups=source,
                          progress=False).averages
              for run, qrels, source in (frames, [RUN, QRELS, GROUPS])]
    pd.testing.assert_frame_equal(*tables)


def test_a_user_beside_a_document_is_no_topic():
    frame = pd.DataFrame({"docno": ["a"], "user": ["u"], "group": ["X"]})
    assert not pf.groups.from_frame(frame).by_topic


def test_a_lazy_frame_is_collected():
    lazy = of_polars(GROUPS).lazy()
    assert pf.AWRF(groups=lazy) == pf.AWRF(groups=GROUPS)
    assert load_qrels(of_polars(QRELS).lazy()).equals(QRELS)


def test_a_dictionary_of_splits_needs_a_choice():
    splits = pytest.importorskip("datasets").DatasetDict({"train": of_datasets(GROUPS)})
    for take in (pf.groups.get, pf.groups.from_frame, lambda one: pf.AWRF(groups=one), load_qrels):
        with pytest.raises(ValueError, match="'train'"):
            take(splits)
    by_name = {"run": of_datasets(RUN)}
    table, expected = (pf.evaluate(systems, QRELS, ["nDCG@3"], progress=False).averages
                       for systems in (type(splits)(by_name), by_name))
    pd.testing.assert_frame_equal(table, expected)
