"""Labels as text, and reserved words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from pt_fairness.core.messages import shown

#: The label of TREC Fair for the share of a document whose group is unknown.
UNKNOWN_GROUP = "@UNKNOWN"
#: The texts for "no group" in TREC formats; a missing value means the same.
UNANNOTATED = ("", "-", UNKNOWN_GROUP)
#: The values of the second column in qrels without groups.
TREC_DEFAULTS = {"0", "Q0"}
#: The built-in targets.
TARGET_WORDS = ("qrels", "collection", "uniform", "run")
#: The built-in values of the parameter ``background``.
BACKGROUND_WORDS = ("run", "qrels")
#: The largest relevance, and minus the smallest one: trec_eval counts relevant documents by level.
LARGEST_LABEL = 1_000_000
#: The tolerance for shares of a target to sum to 1: files hold six decimals.
SUM_TOLERANCE = 1e-5


def label_text(label: Any) -> str:
    """Return a label as text: ``1`` and ``1.0`` are ``'1'``."""
    if not isinstance(label, (str, bool)) and hasattr(label, "is_integer") and label.is_integer():
        return str(int(label))
    return str(label)


def label_texts(labels: Iterable[Any], what: str) -> list[str]:
    """Return labels as text.

    :param what: the name of the parameter in the error
    :raises ValueError: ``labels`` is one text
    """
    if isinstance(labels, str):
        raise ValueError(f"{what}={shown(labels)} is one text; it has to be a list of labels, such "
                         f"as [{shown(labels)}]")
    return list(map(label_text, labels))


def distinct_labels(labels: Iterable[Any], what: str) -> list[str]:
    """Return labels as text, in the same order.

    :param what: the name of the parameter in the error
    :raises ValueError: ``labels`` is one text, or has a label twice
    """
    texts = label_texts(labels, what)
    for text, count in Counter(texts).items():
        if count > 1:
            raise ValueError(f"{what}={shown(texts)} has the label {text!r} twice; it has to hold "
                             "each label once")
    return texts
