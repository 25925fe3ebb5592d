"""Re-rankers that move documents so that groups are seen as a target says."""

from pt_fairness.transformers.rerank.diversity import xquad

__all__ = ["xquad"]
