"""MS MARCO's queries that are sensitive to gender bias, with the genders of passages."""

import pickle
import warnings

import ir_measures
import pytest
from collection_commands import table
from msmarco_passages import GENDERS, QUERIES, TASKS, gender

from pt_fairness import groups, values
from pt_fairness.core.messages import FairnessWarning

#: The discount of the second rank.
DISCOUNT = 1 / 1.584962500721156


@pytest.mark.parametrize("task", TASKS)
def test_queries_and_judgments(irds, msmarco, qrels_of, task):
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert qrels_of(gender(task)) == GENDERS
    dataset, base = irds.load(gender(task)), irds.load(f"msmarco-passage/{task}")
    assert [(query.query_id, query.text) for query in dataset.queries_iter()] == [
        (qid, QUERIES[qid]) for qid in ("1", "2")]
    assert dataset.qrels_defs() == base.qrels_defs()
    assert irds.docs_parent_id(gender(task)) == "msmarco-passage"
    assert dataset.docs_count() == base.docs_count()
    assert dataset.queries_count() is dataset.qrels_count() is None


def test_retrieved_passages_and_their_neutrality(msmarco):
    for task in TASKS:
        found = groups.get(gender(task))
        assert found.labels == ["female", "male", "neutral"] and found.complete
        docnos = ["16", "15", "11"]
        assert found.lookup(["9"] * 3, docnos)["group"].tolist() == ["neutral", "male", "female"]
        neutrality = values.get(gender(task))
        assert neutrality.lookup(["9"] * 3, docnos).tolist() == pytest.approx([1, 2 / 3, 0])
    with pytest.warns(FairnessWarning, match="1 of 1 documents are not in the corpus"):
        assert found.lookup(["9"], ["99"]).empty


def test_the_table_of_the_command_line(irds, msmarco, tmp_path):
    name = gender("dev")
    measures = ["nDCG@5", "AWRF@5", f"AWRF(groups='{name}')@5", f"FaiRR(values='{name}')@2"]
    ndcg, judged, ranked, neutral = table(name, tmp_path, [("1", "15"), ("1", "11"), ("2", "13")],
                                          *measures)
    # 15 is not judged, and 13 has a relevance of 2 of the highest possible.
    assert ndcg == pytest.approx((DISCOUNT + 2 / (2 + DISCOUNT)) / 2)
    # The neutrality of 15 and 11 is 2/3 and 0, that of 13 is 1.
    assert neutral == pytest.approx((2 / 3 + 1) / 2)
    assert 0 < judged < ranked < 1, "the male passage was not judged"


@pytest.mark.slow
def test_pickled_values_find_the_same_in_a_worker(msmarco, offline, tmp_path):
    numbers = values.get(gender("dev"))
    (tmp_path / "values").write_bytes(pickle.dumps(numbers))
    done = offline("-c", "import pickle, sys\nwith open(sys.argv[1], 'rb') as file:\n"
                         "    found = pickle.load(file)\nprint(found.lookup(['1'], ['15']))",
                   tmp_path / "values")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[0.66666667]"


def test_neutrality_in_a_measure(irds, msmarco):
    measure = ir_measures.parse_measure(f"NFaiRR(values='{gender('dev')}')@2")
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate(("11", "15", "16"))]
    qrels = [row for row in irds.load(gender("dev")).qrels_iter() if row.query_id == "1"]
    value = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    assert value == pytest.approx(2 / 3 * DISCOUNT / (1 + 2 / 3 * DISCOUNT))
