"""Measure parameters whose values are lists or dictionaries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pt_fairness.core.labels import SUM_TOLERANCE, TARGET_WORDS
from pt_fairness.core.registry import NamedObject, name_of
from pt_fairness.measures.params import Param, SourceParam, groups, label, target

#: The divergences of an attribute.
DIVERGENCES = ("jsd", "nmd", "rnod")
_GROUPS, _LABEL, _TARGET = groups(), label("a label"), target()


def _ordered(value: Any) -> Any:
    labels = value.split(",") if isinstance(value, str) else value
    if not isinstance(labels, (list, tuple)):
        return value
    labels = [_LABEL.canonical(one) for one in labels]
    joined = all(isinstance(one, str) and "," not in one for one in labels)
    return ",".join(one.strip() for one in labels) if joined else value


def _are_different(value: str) -> bool:
    labels = value.split(",")
    return all(labels) and len({*labels}) == len(labels)


#: The order of the labels.
ORDER = Param(str, "the labels from the lowest to the highest, joined by commas; by default the "
              "order that the Groups object declares, else numeric order",
              "different labels without commas in them, joined by commas, the lowest first",
              canonical=_ordered, accepts=_are_different)


def _by_grade(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        weights = {int(grade): float(weight) for grade, weight in value.items()}
        same = len(weights) == len(value) and all(int(grade) == float(grade) for grade in value)
    except (TypeError, ValueError):
        return value
    return dict(sorted(weights.items())) if same else value


def _are_weights(value: dict[Any, Any]) -> bool:
    return all(isinstance(grade, int) and grade >= 0 for grade in value) \
        and all(isinstance(weight, float) and weight >= 0 for weight in value.values()) \
        and abs(math.fsum(value.values()) - 1.0) <= SUM_TOLERANCE


#: The weights of relevance grades.
WEIGHTS = Param(dict, "weight of each relevance grade; by default all documents of at least rel "
                "are one grade of weight 1",
                "a dictionary from whole numbers of at least 0 to weights that are not negative "
                "and sum to 1, such as {0:0.5,1:0.5}", canonical=_by_grade, accepts=_are_weights)


def _by_source(value: Any, canonical: Callable[[Any], Any] = lambda one: one) -> Any:
    if not isinstance(value, dict):
        return value
    named = {_GROUPS.canonical(source): canonical(one) for source, one in value.items()}
    return {source: named[source] for source in sorted(named, key=lambda one: str(name_of(one)))}


#: The group sources of the attributes, each with its divergence.
ATTRIBUTES = SourceParam(
    dict, "group sources, each with its divergence",
    "a dictionary from names of registered groups to "
    f"{' or '.join(map(repr, DIVERGENCES))}, such as {{'gender':'jsd'}}",
    canonical=_by_source, required=True, by="groups",
    accepts=lambda v: all(map(_GROUPS.validate, v))
    and all(one in DIVERGENCES for one in v.values()))


def _targets(value: Any) -> Any:
    return _by_source(value, _TARGET.canonical)


#: The targets of group sources.
TARGETS = SourceParam(
    dict, "target of each group source; uniform where none is given",
    "a dictionary from names of registered groups to targets, such as "
    "{'gender':'qrels'}", default={}, canonical=_targets,
    by="groups", of="target", words=TARGET_WORDS,
    accepts=lambda v: all(map(_GROUPS.validate, v))
    and all(map(_TARGET.validate, v.values())))


#: The group sources of the attributes, each with its registered target.
FIXED_TARGETS = SourceParam(
    dict, "group sources, each with a registered target that is the same for all topics",
    "a dictionary from names of registered groups to names of registered "
    "targets, such as {'gender':'census'}",
    canonical=_targets, required=True, by="groups", of="target",
    accepts=lambda v: bool(v) and all(map(_GROUPS.validate, v))
    and all(not isinstance(one, dict) and one not in TARGET_WORDS
            and _TARGET.validate(one) for one in v.values()))


def _sources(value: Any) -> Any:
    """Return group sources as a tuple, sorted by name; ``''`` for none."""
    sources = value.split(",") if isinstance(value, str) else value
    if not isinstance(sources, (list, tuple)):
        sources = [sources]
    sources = [_GROUPS.canonical(source) for source in sources if source != ""]
    if all(isinstance(source, (str, NamedObject)) for source in sources):
        return tuple(sorted(sources, key=name_of)) or ""
    return value


#: Group sources of which a document counts 1 in each of its labels.
WHOLE = SourceParam(
    str, "the attributes, joined by commas, in which a document of m labels counts 1 for "
    "each of them instead of 1/m", "names of attributes, joined by commas", default="",
    canonical=_sources, by="groups")
