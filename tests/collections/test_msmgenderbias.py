"""The genders that passages of MS MARCO are biased towards, as annotated."""

import pickle

import pandas as pd
import pytest
from measure_cases import values_of

from pt_fairness import MRecall, groups

NAME = "msmarco-passage/msmgenderbias"
FILE = "msmarco-passage/fair/biases.csv"
CSV = "doc_id,gender_bias\n8210786,M\n7660865,F\n12,N\n"


def test_the_groups(irds, files):
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


@pytest.mark.parametrize(("content", "reason"), [
    ("doc,bias\n1,M\n", "no columns doc_id and gender_bias"),
    ("doc_id,gender_bias\n1,X\n", "which is one of F, M, N"),
    ("doc_id,gender_bias\n1\n", "line 2 has one column"), ("", "it is empty")])
def test_a_damaged_file(irds, files, content, reason):
    path = files.write(FILE, content)
    with pytest.raises(ValueError, match=reason) as error:
        groups.get(NAME).lookup(["1"], ["1"])
    assert f"{path} is damaged" in str(error.value)


def test_without_the_file(irds):
    with pytest.raises(FileNotFoundError, match="could not be downloaded"):
        groups.get(NAME).lookup(["1"], ["1"])


def test_the_real_file(irds, files, shared):
    file = shared / "data/gender/MSMGenderBias.csv"
    if not file.exists():
        pytest.skip(f"no {file}")
    files.write(FILE, file.read_bytes())
    docnos = pd.read_csv(file, dtype=str)["doc_id"]
    found = groups.get(NAME).lookup(["1"] * len(docnos), docnos)["group"].value_counts()
    assert found.to_dict() == {"neutral": 636, "male": 144, "female": 113}
