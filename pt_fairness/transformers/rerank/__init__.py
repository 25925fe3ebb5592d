"""Re-rankers that move documents so that groups are seen as a target says."""

from pt_fairness.transformers.rerank.diversity import xquad
from pt_fairness.transformers.rerank.exposure import fair_exposure
from pt_fairness.transformers.rerank.policies import epsilon_greedy, plackett_luce

__all__ = ["epsilon_greedy", "fair_exposure", "plackett_luce", "xquad"]
