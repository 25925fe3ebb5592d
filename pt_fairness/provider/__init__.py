"""The ir_measures provider.

The modules that compute measures import numpy; they are imported when an evaluator is created.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from math import inf
from typing import Any

import ir_measures
from ir_measures import providers

from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.measure_names import (
    ALPHA_MEASURES,
    ALPHA_VARIABLE,
    LARGEST_INT,
    MEASURES,
    NDEVAL_MEASURES,
)
from pt_fairness.measures.params import DEEPEST

#: The largest cutoff of each measure of ndeval: ndeval itself stops at rank 20.
LARGEST_CUTOFFS = {"alpha_nDCG": LARGEST_INT, "alpha_DCG": DEEPEST,
                   **dict.fromkeys(NDEVAL_MEASURES, 20)}

__all__ = ["ALPHA_MEASURES", "ALPHA_VARIABLE", "FAIRNESS", "FairnessProvider", "plug_in"]


class FairnessProvider(providers.Provider):  # type: ignore[misc]
    """Provider of the measures of pt_fairness, and of ndeval's measures in trec_eval's order.

    Qrels and runs are DataFrames, iterables of namedtuples, or dicts, as for every provider of
    ir_measures; they are not modified.
    """

    NAME = "fairness"

    @property
    def SUPPORTED_MEASURES(self) -> list[Any]:  # noqa: N802
        """Every measure of this package, with the defaults of its parameters."""
        return list(MEASURES.values())

    def supports(self, measure: Any) -> bool:
        """Return whether this provider computes ``measure``.

        :raises ValueError: if a parameter of a measure is invalid, or a cutoff that is needed is
            missing, below 1 or too large for the measure
        """
        measure.validate_params()
        if isinstance(measure, FairnessMeasure):
            return True
        if os.environ.get(ALPHA_VARIABLE) == "ndeval" or measure.NAME not in LARGEST_CUTOFFS:
            return False
        is_alpha = measure.NAME in ALPHA_MEASURES
        usable = is_alpha or ir_measures.pyndeval.is_available()
        largest = LARGEST_CUTOFFS[measure.NAME]
        default = largest if is_alpha else 0
        if usable and "cutoff" in measure.SUPPORTED_PARAMS:
            cutoff = measure.params.get("cutoff", default)
            if not 1 <= cutoff <= largest:
                raise ValueError(f"cutoff must be from 1 to {largest:,} here, got {measure}")
        return usable

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the columns of runs that ``measures`` read.

        ``pt.Experiment`` calls this before the first system retrieves, unless
        ``validate="ignore"``. So it also checks the sources of the measures.

        :raises ValueError: if a group source or values do not exist, two sources have the same
            name, or groups lack a label
        """
        from pt_fairness.provider.measure_lists import check_names, check_sources
        measures = list(measures)
        check_names(measures)
        check_sources(measure for measure in measures if isinstance(measure, FairnessMeasure))
        return list(super().run_inputs(measures))

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """Return the columns of the qrels that ``measures`` read."""
        columns = ["query_id", "doc_id", "relevance"]
        for measure in measures:
            for part in getattr(measure, "parts", [measure]):
                if getattr(part, "needs_groups", True) and part.params.get("groups") is None:
                    return [*columns, "iteration"]
        return columns

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        from pt_fairness.provider.evaluator import FairnessEvaluator
        # ir_measures' pipeline passes a set; sorting makes the order of the output deterministic.
        if isinstance(measures, (set, frozenset)):
            named = sorted(measures, key=str)
            measures = sorted(named, key=lambda measure: getattr(measure, "place", -inf))
        measures = list(measures)
        for measure in measures:
            if not self.supports(measure):
                raise ValueError(f"measures must be of the provider {self.NAME!r}, got {measure}")
        frame = ir_measures.util.QrelsConverter(qrels).as_pd_dataframe()
        return FairnessEvaluator(measures, frame)


FAIRNESS = FairnessProvider()


def plug_in() -> None:
    """Register the provider with ir_measures.

    In the default pipeline of ir_measures, it is inserted before pyndeval.
    """
    if providers.registry.get(FAIRNESS.NAME) is not FAIRNESS:
        providers.register(FAIRNESS)
    # A version of ir_measures that reads entry points imports this module before it creates the
    # pipeline, and adds the provider itself.
    pipeline = getattr(ir_measures, "DefaultPipeline", None)
    if pipeline is None or any(isinstance(provider, FairnessProvider)
                               for provider in pipeline.providers):
        return
    place = pipeline.providers.index(ir_measures.pyndeval)
    pipeline.providers.insert(place, FAIRNESS)
