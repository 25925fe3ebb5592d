"""Base class of the measures whose sign is the direction of a bias."""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core.arrays import Floats
from pt_fairness.measures.base import FairnessMeasure


class SignedMeasure(FairnessMeasure):
    """A measure whose sign is the direction of a bias.

    Its mean over topics is the mean bias (MB), with ``abs=True`` the mean absolute bias (MAB).
    """

    RANGE: tuple[float | None, float | None] = (-1.0, 1.0)
    DEFAULT = 0.0

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        if self.params.get("abs") is True:
            self.RANGE = (0.0, self.RANGE[1])

    def signed(self, values: Floats) -> Floats:
        """Return values, ``[R]``, or terms, ``[R, D]``.

        If ``abs`` is true, they have the sign with which no value is negative.
        """
        if not self.param("abs"):
            return values
        total = values.sum(axis=1, keepdims=True) if values.ndim > 1 else values
        return np.where(total < 0, -values, values) + 0.0  # −0 is 0
