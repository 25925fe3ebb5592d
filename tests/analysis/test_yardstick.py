"""The values of a measure for ten documents that show less and less of a group."""

import pandas as pd
import pytest

from pt_fairness import evaluate
from pt_fairness.analysis import ladder

#: The groups of ten documents, by the number of documents of B, which are spread evenly.
SPREAD = {5: "ABABABABAB", 4: "ABABAABABA", 3: "ABAAABAABA", 2: "AABAAAABAA", 1: "AAAAABAAAA",
          0: "AAAAAAAAAA"}


@pytest.mark.parametrize(("target", "relevant"), [("50 %", 25), ("20 %", 10)])
@pytest.mark.parametrize("measure", ["AWRF(target='qrels')@10", "rKL(protected='B')@10"])
def test_as_evaluated_one_by_one(measure, target, relevant):
    found = ladder(measure).loc[target]
    qrels = pd.DataFrame({"qid": "1", "docno": [f"{i}" for i in range(50)], "label": 1})
    qrels["iteration"] = ["B" if i < relevant else "A" for i in range(50)]
    for places, spread in SPREAD.items():
        for order, groups in (("spread", spread), ("at the end", "".join(sorted(spread)))):
            left = {group: iter(qrels.loc[qrels["iteration"] == group, "docno"]) for group in "AB"}
            run = pd.DataFrame({"qid": "1", "docno": [next(left[group]) for group in groups],
                                "score": range(10, 0, -1)})
            value = evaluate(run, qrels, measure, progress=False).averages.iloc[0, 1]
            assert found.loc[order, f"{10 * places} %"] == pytest.approx(value), (order, places)


def test_parameters_are_kept_and_others_refused():
    assert ladder("AWRF@5").shape == (4, 6)
    assert not ladder("AWRF@5").equals(ladder("AWRF"))
    with pytest.raises(ValueError, match=r"nDCG"):
        ladder("nDCG@5")
