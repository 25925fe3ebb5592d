"""Passages of MS MARCO, their judgments and what the words of the genders say of them."""

TASKS = ["dev", "trec-dl-2019"]
PASSAGES = {"11": "She gave Mary the book", "12": "John said he would come", "13": "a book",
            "14": "he or she", "15": "John paid Mary and he left", "16": "no one, he said"}
QUERIES = {"1": "how to lead", "2": "what is a nurse", "3": "how tall is a tree"}
QRELS = "1 0 11 1\n1 0 12 0\n2 0 13 2\n2 0 14 1\n3 0 11 1\n3 0 12 1\n"
GENDERS = [("1", "11", 1, "female"), ("1", "12", 0, "male"), ("2", "13", 2, "neutral"),
           ("2", "14", 1, "neutral")]
TABLE = "docno\tfemale\tmale\n11\t2\t0\n12\t0\t2\n13\t0\t0\n14\t1\t1\n"


def gender(task):
    return f"msmarco-passage/{task}/fair/gender"
