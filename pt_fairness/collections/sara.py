"""SARA: Enron emails, and whether they are sensitive (McKechnie & McDonald 2024).

The sensitivity is a field of the emails. That of judged emails is looked up once and cached in a
table in the folder of the qrels. ir_datasets takes the emails and the qrels from different files;
judged emails that the corpus lacks have no group, and are counted in a warning.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pt_fairness.collections.variants import UNCOUNTED, looked_up, variant

ID = "sara"
#: The groups by the sensitivity in the corpus.
LABELS = {0: "non-sensitive", 1: "sensitive"}


def sensitivity(email: Any) -> Any:
    """Return the label of an email; of an unknown sensitivity, the number itself."""
    return LABELS.get(email.sensitivity, email.sensitivity)


def source(name: str) -> Any:
    """Return the sensitivity of emails as groups."""
    from pt_fairness.groups import FromIrds
    return FromIrds(ID, sensitivity, LABELS.values(), name)


def register(registry: Any) -> None:
    """Register ``sara/sensitivity``."""
    # ir_datasets 0.6.3 counts the qrels of an earlier version.
    variant(registry, ID, "sensitivity", partial(looked_up, source, f"{ID}/sensitivity"),
            "with sensitivity", "The iteration field holds the sensitivity of the email: "
            f"{' or '.join(LABELS.values())}.", metadata=UNCOUNTED)
