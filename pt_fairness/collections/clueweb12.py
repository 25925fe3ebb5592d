"""ClueWeb12-B13: what health pages say of a treatment, and how far they can be trusted.

The groups and values are in the judgments; the corpus, which is licensed, is not needed.

**TREC 2019 Decision track** (``trec-misinfo-2019``). Relevant pages were judged for what they say
of the treatment in the topic, and for their credibility (https://trec.nist.gov/data/misinfo2019.html).

**CLEF eHealth 2016 and 2017** (``clef-ehealth``). The pages were judged for their trustworthiness,
from 0 to 100. Participants of 2017 were asked to leave out the documents that were judged in 2016.
Where a document was nevertheless judged for the same topic in both years, the judgment of 2017
counts, both its relevance and its trustworthiness, as in ir_measures' own measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import itemgetter
from typing import Any

import ir_datasets
from ir_datasets.formats import TrecQrel

from pt_fairness.collections.variants import UNCOUNTED, graded, variant
from pt_fairness.io import irds as reading

_MISINFO = "clueweb12/b13/trec-misinfo-2019"
_EHEALTH = "clueweb12/b13/clef-ehealth"
#: The positions of the fields in a judgment, because ir_datasets 0.6.3 calls the credibility
#: ``redibility``.
_POSITIONS = {"effectiveness": 3, "credibility": 4}
#: The groups of each field by level; ``-`` for no group. The order is ascending.
_LEVELS = {
    "effectiveness": {-2: "-", -1: "-", 0: "-", 1: "ineffective", 2: "inconclusive",
                      3: "effective"},
    "credibility": {-2: "-", -1: "-", 0: "not-credible", 1: "credible"},
}
_TEXT = {
    "effectiveness": "The iteration field holds what the page says of the treatment: ineffective, "
                     "inconclusive or effective. Pages that say nothing of it, and pages that are "
                     "not relevant, have no group.",
    "credibility": "The iteration field holds the credibility of the page: not-credible or "
                   "credible. Pages that are not relevant have no group.",
}
_HIGHEST_TRUST = 100


def source(name: str) -> Any:
    """Return the effectiveness or the credibility of the judged pages, by topic, as groups."""
    from pt_fairness import groups
    labels = [label for label in _LEVELS[name.rpartition("/")[2]].values() if label != "-"]
    return groups.from_irds(name, "iteration", labels, name, order=labels)


def values(name: str) -> Any:
    """Return the trustworthiness of the judged pages, by topic."""
    import pandas as pd

    from pt_fairness.values import from_frame
    rows = reading.judgments(ir_datasets.load(name).qrels_handler())
    frame = pd.DataFrame([(row.query_id, row.doc_id, float(row.iteration)) for row in rows],
                         columns=["qid", "docno", "value"])
    return from_frame(frame, name)


def register(registry: Any) -> None:
    """Register the fields of the judgments as variants of the ids of ir_datasets."""
    for field, text in _TEXT.items():
        convert = partial(graded, field, itemgetter(_POSITIONS[field]), _LEVELS[field])
        variant(registry, _MISINFO, field, convert, f"with {field}", text)
    variant(registry, _EHEALTH, "trustworthiness", _trusted, "with trustworthiness",
            "The iteration field holds the trustworthiness of the page, from 0 to 100. Where it "
            "was judged in 2016 and in 2017, the judgment of 2017 counts.", metadata=UNCOUNTED)


def _trusted(qrels: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    # ir_datasets reads 2016 before 2017.
    for row in {(row.query_id, row.doc_id): row for row in rows}.values():
        if not 0 <= row.trustworthiness <= _HIGHEST_TRUST:
            raise reading.invalid(qrels, row, "the trustworthiness", row.trustworthiness,
                                  f"from 0 to {_HIGHEST_TRUST}")
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, str(row.trustworthiness))
