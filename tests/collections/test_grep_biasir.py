"""Grep-BiasIR, on small files in its format."""

import pytest

from pt_fairness import groups

ID = "grep-biasir"
HEADER = "q_id,d_id,relevant,query,doc_title,document,content_gender,exp_stereotype\n"
ROWS = {
    "Appearance": '0,0,1,hair rules,"Rules, Women",“Her” braids,F,Towards Female\n'
                  '0,1,1,hair rules,"Rules, Men","His\nbraids",M,No Annotation Agreement\n'
                  "0,2,0,hair rules,Rules,Braids,N,No Annotation Agreement\n",
    "Sex & Relationship": "94,560,1,good partner,Partners,She and he,both,Towards female\n"
                          "94,561,0,good partner,Partners,He and she,botrh,Towards Male\n",
}
QUERIES = "q_id,category,query\n0,Appearance,hair rules\n94,Sex & Relationship,good partner\n"


@pytest.fixture
def written(files):
    """The files in the folder of ir_datasets."""
    from pt_fairness.collections import passages
    for category in passages.GREP_FILES:
        text = HEADER + ROWS.get(category, "")
        files.write(f"{ID}/queries-documents_{category}.csv", text.encode())
    files.write(f"{ID}/queries.csv", QUERIES.encode())
    return files


def test_documents_queries_and_judgments(irds, written, qrels_of):
    assert qrels_of(ID) == [("0", "0", 1, "0"), ("0", "1", 1, "0"), ("0", "2", 0, "0"),
                            ("94", "560", 1, "0"), ("94", "561", 0, "0")]
    assert qrels_of(f"{ID}/gender") == [
        ("0", "0", 1, "female"), ("0", "1", 1, "male"), ("0", "2", 0, "neutral"),
        ("94", "560", 1, "female"), ("94", "560", 1, "male"),
        ("94", "561", 0, "female"), ("94", "561", 0, "male")]
    dataset = irds.load(f"{ID}/gender")
    assert [tuple(query) for query in dataset.queries_iter()] == [
        ("0", "Appearance", "hair rules"), ("94", "Sex & Relationship", "good partner")]
    docs = list(dataset.docs_iter())
    assert [doc.doc_id for doc in docs] == ["0", "1", "2", "560", "561"]
    assert docs[1] == ("1", "Rules, Men", "His\nbraids", "M", "No Annotation Agreement")
    assert docs[0].default_text() == "Rules, Women “Her” braids"
    assert dataset.docs_store().get("560").stereotype == "Towards female"
    source = groups.get(f"{ID}/gender")
    assert source.labels == ["female", "male", "neutral"]
    assert source.lookup(["0", "94"], ["2", "560"])["group"].tolist() == [
        "neutral", "female", "male"]
