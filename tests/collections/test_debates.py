"""The collection that ships with the package."""

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import targets
from pt_fairness.measures import MEASURES

STANCE = {True: "PRO", False: "CON"}


@pytest.fixture(scope="module")
def docs():
    return {doc.doc_id: doc for doc in ir_datasets.load("pt-fairness/debates").docs_iter()}


def test_size_and_balance(docs):
    dataset = ir_datasets.load("pt-fairness/debates")
    assert len(docs) == 150 and len(list(dataset.queries_iter())) == 10
    for query in dataset.queries_iter():
        prefix = f"d{int(query.query_id):02d}-"
        own = [doc for doc in docs.values() if doc.doc_id.startswith(prefix)]
        assert len(own) == 15
        assert {doc.stance for doc in own} >= {"PRO", "CON"}
        assert min(doc.viewpoint for doc in own) == -3 and max(doc.viewpoint for doc in own) == 3
        relevant = {docs[q.doc_id].stance for q in dataset.qrels_iter()
                    if q.query_id == query.query_id and q.relevance > 0}
        assert relevant >= {"PRO", "CON"}
    assert {q.relevance for q in dataset.qrels_iter()} == {0, 1, 2}


def test_stance_is_the_sign_of_the_viewpoint(docs):
    for doc in docs.values():
        assert doc.stance == ("-" if doc.viewpoint == 0 else STANCE[doc.viewpoint > 0])
        assert len(doc.text.split()) >= 40 and doc.default_text() == f"{doc.title}\n{doc.text}"


def test_every_measure_stands_in_one_experiment():
    dataset = pt.get_dataset("irds:pt-fairness/debates/stance")
    qrels = dataset.get_qrels()
    # One system ranks the arguments as they were written, the other those of one stance first.
    written = qrels.assign(score=-qrels.groupby("qid").cumcount().astype(float))
    one_sided = written.assign(score=written["score"] + 1000 * (qrels["iteration"] == "PRO"))
    given = {"measure": "nDCG", "group": "CON", "values": {"PRO": 1, "CON": -1},
             "attributes": {"pt-fairness/debates/stance": "jsd"}}
    only_con = {"values": {"PRO": 0, "CON": 1}}  # FaiRR and NFaiRR take no numbers below 0
    targets.register("even stances", pd.DataFrame({"group": ["PRO", "CON"], "share": 0.5}))
    track = {"attributes": {"pt-fairness/debates/stance": "even stances"}}
    others = {"FaiRR": only_con, "NFaiRR": only_con, "TrecFair": track}
    measures = [kind(**{name: value
                        for name, value in others.get(kind.NAME, given).items()
                        if name in kind.SUPPORTED_PARAMS}) @ 5
                for kind in MEASURES.values()]
    names = ["as written", "one-sided"]
    table = pt.Experiment([written, one_sided], dataset.get_topics(), qrels, measures, names=names)
    table = table.set_index("name")
    for measure in measures:
        fair, unfair = (abs(table.loc[name, str(measure)] - measure.IDEAL) for name in names)
        assert fair <= unfair or measure.NAME == "Annotated", measure
        low, high = measure.RANGE
        assert table[str(measure)].between(-float("inf") if low is None else low,
                                           float("inf") if high is None else high).all()


@pytest.mark.parametrize("field", ["stance", "viewpoint"])
def test_variants_carry_the_group_in_the_iteration(docs, field):
    plain = list(ir_datasets.load("pt-fairness/debates").qrels_iter())
    groups = list(ir_datasets.load(f"pt-fairness/debates/{field}").qrels_iter())
    assert [q[:3] for q in plain] == [q[:3] for q in groups]
    assert {q.iteration for q in plain} == {"0"}
    assert [q.iteration for q in groups] == [str(getattr(docs[q.doc_id], field)) for q in groups]


def test_pyterrier_asks_and_prints_nothing(capsys):
    dataset = pt.get_dataset("irds:pt-fairness/debates/stance")
    qrels, topics = dataset.get_qrels(), dataset.get_topics()
    assert capsys.readouterr().out == ""
    assert list(qrels.columns) == ["qid", "docno", "label", "iteration"]
    assert list(topics.columns) == ["qid", "query"]
    texts = dataset.text_loader(["title"])(pd.DataFrame({"docno": ["d01-01"]}))
    assert texts["title"][0] == "Zoos save species from extinction"
