"""The target and the protected group of a measure in words."""

from __future__ import annotations

from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.params import literal

#: The targets in words.
TARGETS = {
    "qrels": "the distribution of the groups in the relevant documents of the topic",
    "collection": "the distribution of the groups in the relevant documents of all topics",
    "uniform": "equal shares of all groups",
    "run": "the distribution of the groups in the whole ranking",
    "ideal": "the exposure of the groups under ideal rankings",
}


def choices(measure: FairnessMeasure, several: bool = False) -> str:
    """Return the target and the protected group of a measure in words; ``''`` if it has neither.

    :param several: whether ``protected`` is not set, and there are more than two groups

    Examples
    --------
    >>> from pt_fairness import AWRF, EEL, FAIR, nDD, rND
    >>> [one.target_word for one in (EEL, EEL(by="group"), FAIR, FAIR(p=0.5), nDD)]
    [None, 'ideal', 'qrels', None, 'run']
    >>> choices(AWRF @ 5)
    'target: equal shares of all groups'
    >>> choices(rND(target={"CON": 0.5, "PRO": 0.5}, protected="CON"))
    "target: {'CON':0.5,'PRO':0.5}; protected: CON"
    """
    if list(measure.parts) != [measure]:
        return "; ".join(f"{part['groups']}: {choices(part)}" for part in measure.parts
                         if part.needs_groups)
    target, kind = measure.target_word, measure.POPULATION
    chosen = measure.param("protected") or measure.param("pro") or (
        measure.param("group") if measure.COMPARES else None)
    words = {"minority": f"the group with the fewest {kind} documents, of those that have any, "
                         "per topic",
             "majority": f"the group with the most {kind} documents, per topic",
             "all": "none, all groups are compared",
             measure.param("pro"): f"{chosen} against {measure.param('con')}"}
    told = [] if target is None else [f"target: {TARGETS.get(str(target), literal(target))}"]
    told += [f"protected: {words.get(chosen, chosen)}"] if chosen else []
    told += ["the others count as one"] * several
    return "; ".join(told)
