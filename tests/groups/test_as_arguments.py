"""Group sources as the argument ``groups=``: dictionaries, Series, frames and paths."""

from __future__ import annotations

import pickle
from pathlib import Path

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import AWRF, analysis, evaluate, explain, groups, rKL, with_groups

DOCNOS = [f"d{i}" for i in range(8)]
OF_DOCNO = {docno: "PRO" if i % 3 else ["CON"] for i, docno in enumerate(DOCNOS)}
FRAME = pd.DataFrame({"docno": DOCNOS, "group": ["PRO" if i % 3 else "CON" for i in range(8)]})
QRELS = pd.DataFrame({"qid": "1", "docno": DOCNOS, "label": 1})
RUN = pd.DataFrame({"qid": "1", "docno": DOCNOS, "score": range(8)})
FORMS = {"dictionary": OF_DOCNO, "by topic": {"1": OF_DOCNO},
         "series": FRAME.set_index("docno")["group"], "frame": FRAME, "path": Path("groups.csv"),
         "object": groups.from_frame(FRAME)}


@pytest.fixture(params=FORMS)
def source(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("groups.csv", index=False)
    return FORMS[request.param]


@pytest.fixture(scope="module")
def expected():
    """The values of rKL@5 and AWRF@5 with the groups in the qrels."""
    qrels = QRELS.merge(FRAME.rename(columns={"group": "iteration"}))
    return values_of([rKL @ 5, AWRF @ 5], qrels)


def values_of(measures, qrels=QRELS, **options):
    averages, _ = evaluate({"A": RUN}, qrels, measures, progress=False, **options)
    return averages.iloc[0, 1:].tolist()


def test_of_measures(source, expected):
    measures = [rKL(groups=source) @ 5, AWRF(groups=source) @ 5]
    assert values_of(measures) == expected and measures[0] == rKL(groups=source) @ 5
    found = ir_measures.calc_aggregate(
        pickle.loads(pickle.dumps(measures)),
        QRELS.set_axis(["query_id", "doc_id", "relevance"], axis=1),
        RUN.set_axis(["query_id", "doc_id", "score"], axis=1))
    assert [found[measure] for measure in measures] == expected


def test_of_functions_and_transformers(source, expected):
    value = expected[0]
    assert values_of(["rKL@5"], groups=source) == [value]
    table = pt.Experiment([RUN.assign(rank=range(8, 0, -1))],
                          pd.DataFrame({"qid": ["1"], "query": ["q"]}), QRELS,
                          with_groups("rKL@5", source))
    assert table.iloc[0, 1] == value
    assert explain("rKL@5", RUN, QRELS, "1", groups=source).value == value
    found = analysis.against_random({"A": RUN}, QRELS, "rKL@5", source, draws=2)
    assert found["value"].item() == value
    annotated = pt.fairness.annotate(source)(RUN)
    assert annotated["group"].tolist() == FRAME["group"].tolist()
    assert len(pt.fairness.rerank.det_greedy(source)(RUN)) == 8


@pytest.mark.parametrize("wrong", [["d1"], 3, {"d1"}, range(10**6)])
def test_what_is_no_source_is_refused(wrong):
    for call in (lambda: values_of(["rKL@5"], groups=wrong),
                 lambda: values_of([rKL(groups=wrong) @ 5])):
        with pytest.raises(ValueError, match=r"registered (name|groups).* path .*dict") as error:
            call()
        assert len(str(error.value)) < 400
