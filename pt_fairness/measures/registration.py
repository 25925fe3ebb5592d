"""Registry of the measures of this package, and those of ir_measures that it computes."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ir_measures import measures as irm

from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.docstrings import docstring_of

#: The measures of this package by name, in registration order, without aliases.
MEASURES: dict[str, FairnessMeasure] = {}
#: Environment variable; if ``ndeval``, ir_measures computes all measures of ndeval.
ALPHA_VARIABLE = "PT_FAIRNESS_ALPHA"
ALPHA_MEASURES = frozenset({"alpha_nDCG", "alpha_DCG"})
#: The other measures of ndeval, computed by ndeval on runs in trec_eval's order.
NDEVAL_MEASURES = frozenset({"ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"})
#: The modules that hold all measures by name. pyterrier.measures copies the registry of ir_measures
#: when it is imported.
_EXPORTING = ("pt_fairness", "pyterrier.measures")


def register(measure: FairnessMeasure, aliases: Iterable[str] = ()) -> FairnessMeasure:
    """Register a measure in ir_measures, hence in PyTerrier and on the command lines.

    :param aliases: further names of the measure
    :raises ValueError: one of the names is already registered in ir_measures
    """
    names = [measure.NAME, *aliases]
    for name in names:
        if name in irm.registry:
            raise ValueError(f"ir_measures already has a measure named {name!r}; give this one "
                             "another NAME")
    irm.register(measure, names[1:], name=measure.NAME)
    # help() shows the docstring of an object, if it is not that of its class.
    measure.__doc__ = docstring_of(measure)
    MEASURES[measure.NAME] = measure
    for module in filter(None, map(sys.modules.get, _EXPORTING)):
        for name in names:
            vars(module).setdefault(name, measure)
    return measure
