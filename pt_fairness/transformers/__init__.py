"""PyTerrier transformers."""

from pt_fairness.transformers.group_column import Annotate, annotate

__all__ = ["Annotate", "annotate"]


def __dir__() -> list[str]:
    return __all__
