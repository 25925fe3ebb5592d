"""The genders of passages, by their words and as annotated."""

import hashlib
import pickle

import pandas as pd
import pytest
from measure_cases import values_of

from pt_fairness import MRecall, groups
from pt_fairness.collections import sources as reading

NAME = "msmarco-passage/msmgenderbias"
FILE = "msmarco-passage/fair/biases.csv"
CSV = "doc_id,gender_bias\n8210786,M\n7660865,F\n12,N\n"


def test_annotated_genders(irds, files):
    source = groups.get(NAME)
    assert source.labels == ["female", "male", "neutral"] and source.complete, "before it is read"
    files.write(FILE, CSV)
    docnos = ["12", "8210786", "13", "7660865"]
    found = source.lookup(["1"] * 4, docnos)
    assert [*zip(found["docno"], found["group"], strict=True)] == [
        ("12", "neutral"), ("8210786", "male"), ("7660865", "female")]
    assert pickle.loads(pickle.dumps(source)).lookup(["1"], ["12"])["group"].tolist() == ["neutral"]
    qrels = pd.DataFrame({"query_id": "1", "doc_id": docnos, "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=[4.0, 3.0, 2.0, 1.0])
    measure = MRecall(value="share", groups=NAME) @ 2
    assert values_of([measure], qrels, run) == {(measure, "1"): pytest.approx(2 / 3)}


@pytest.mark.slow
def test_the_real_annotations(irds, files, shared):
    file = shared / "data/gender/MSMGenderBias.csv"
    if not file.exists():
        pytest.skip(f"no {file}")
    files.write(FILE, file.read_bytes())
    docnos = pd.read_csv(file, dtype=str)["doc_id"]
    found = groups.get(NAME).lookup(["1"] * len(docnos), docnos)["group"].value_counts()
    assert found.to_dict() == {"neutral": 636, "male": 144, "female": 113}


@pytest.mark.slow
def test_the_hashes_are_those_of_the_authors_files(irds, shared):
    names = {"dev.tsv": "msmarco-passage-dev.fair.tsv", "words.csv": "words.csv",
             "trec-dl-2019.tsv": "trec-dl-2019.fair.tsv", "biases.csv": "MSMGenderBias.csv"}
    for file, (_, md5) in reading.FILES.items():
        content = (shared / "data" / "gender" / names[file]).read_bytes()
        assert hashlib.md5(content).hexdigest() == md5
