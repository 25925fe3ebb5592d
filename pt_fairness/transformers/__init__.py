"""PyTerrier transformers."""

from pt_fairness.transformers import rerank
from pt_fairness.transformers.group_column import Annotate, annotate

__all__ = ["Annotate", "annotate", "rerank"]


def __dir__() -> list[str]:
    return __all__
