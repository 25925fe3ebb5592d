"""The target and the protected group of a measure in words."""

from __future__ import annotations

from typing import Any

from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.declarations.params import literal
from pt_fairness.measures import expected_exposure, of_group, statistical_tests, viewpoint

#: The targets in words.
TARGETS = {
    "qrels": "the distribution of the groups in the relevant documents of the topic",
    "collection": "the distribution of the groups in the relevant documents of all topics",
    "uniform": "equal shares of all groups",
    "run": "the distribution of the groups in the whole ranking",
    "ideal": "the exposure of the groups under ideal rankings",
}


def target_of(measure: FairnessMeasure) -> Any:
    """Return the target of a measure of groups, ``None`` if it has none.

    It is a key of :data:`TARGETS`, a registered name or shares.

    Examples
    --------
    >>> from pt_fairness import EEL, FAIR, nDD
    >>> [target_of(one) for one in (EEL, EEL(by="group"), FAIR, FAIR(p=0.5), nDD)]
    [None, 'ideal', 'qrels', None, 'run']
    """
    given = isinstance(measure, statistical_tests.BinomialMeasure) \
        and measure.param("p") is not None
    target = measure.param("target") if measure.needs_groups and not given else None
    if isinstance(measure, expected_exposure.ExposureMeasure) and target == "qrels":
        return "ideal"
    of_run = isinstance(measure, (viewpoint.ViewpointMeasure, type(viewpoint.nDJS)))
    return "run" if of_run else target


def choices(measure: FairnessMeasure, several: bool = False) -> str:
    """Return the target and the protected group of a measure in words; ``''`` if it has neither.

    :param several: whether ``protected`` is not set, and there are more than two groups

    Examples
    --------
    >>> from pt_fairness import AWRF, rND
    >>> choices(AWRF @ 5)
    'target: equal shares of all groups'
    >>> choices(rND(target={"CON": 0.5, "PRO": 0.5}, protected="CON"))
    "target: {'CON':0.5,'PRO':0.5}; protected: CON"
    """
    if list(measure.parts) != [measure]:
        return "; ".join(f"{part['groups']}: {choices(part)}" for part in measure.parts
                         if part.needs_groups)
    target = target_of(measure)
    kind = "ranked" if isinstance(measure, viewpoint.ViewpointMeasure) else "relevant"
    chosen = measure.param("protected") or measure.param("pro") or (
        None if isinstance(measure, of_group.OfGroupMeasure) else measure.param("group"))
    words = {"minority": f"the group with the fewest {kind} documents, per topic",
             "majority": f"the group with the most {kind} documents, per topic",
             "all": "none, all groups are compared",
             measure.param("pro"): f"{chosen} against {measure.param('con')}"}
    told = [] if target is None else [f"target: {TARGETS.get(str(target), literal(target))}"]
    told += [f"protected: {words.get(chosen, chosen)}"] if chosen else []
    if several:
        told += ["the others count as one" + ": protected='all' compares all"
                 * measure.SUPPORTED_PARAMS["protected"].validate("all")]
    return "; ".join(told)
