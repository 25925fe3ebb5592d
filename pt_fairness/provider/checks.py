"""Checks that group sources, values and labels are what the measures need."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from pt_fairness import groups, values
from pt_fairness.core.messages import UNKNOWN, Warn, listed, shown
from pt_fairness.core.registry import name_of
from pt_fairness.io.files import is_pipe
from pt_fairness.measures.base import FairnessMeasure, registry_of
from pt_fairness.rankings.annotations import Annotations


def check_sources(measures: Iterable[FairnessMeasure]) -> None:
    """Check that group sources and values exist, and that groups have the labels of parameters.

    Pipes are not read. Labels are checked where the group source declares all of its labels.

    :raises ValueError: a source does not exist or cannot be read, or lacks a label
    """
    for measure in (part for whole in measures for part in whole.parts):
        for param, value in measure.sources():
            if param == "values" and not _is_pipe(value):
                values.get(value)
        for attribute in measure.joint:
            groups.get(attribute)
        given = measure.param("groups")
        if given is not None and measure.needs_groups and not _is_pipe(given):
            source = groups.get(given)
            if source.complete and source.labels is not None:
                check_declared(measure, source, source.labels)


def check_names(measures: Iterable[Any]) -> None:
    """Check that no two objects that measures hold have the same name.

    :raises ValueError: two group sources, targets, values or runs do
    """
    seen: dict[tuple[str, str], Any] = {}
    for measure in measures:
        for param, given in measure.sources() if isinstance(measure, FairnessMeasure) else ():
            found, name = registry_of(param).find(given), name_of(given)
            other = found if found is None else seen.setdefault((param, name), found)
            if found is not None and other != found:
                raise ValueError(f"two {found.WHAT} of this call are named {name!r}: "
                                 f"{other!r} and {found!r}; give one of them another name")


def _is_pipe(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike)) and is_pipe(source)


def check_declared(measure: FairnessMeasure, source: groups.Groups, labels: Sequence[str]) -> None:
    """Check that a group source has the labels that the parameters of a measure name.

    :param labels: the labels of the source
    :raises ValueError: the source lacks a label
    """
    known = [*labels, *measure.added_labels]
    for parameter, label in measure.named_labels(known):
        if label not in known:
            raise ValueError(f"{parameter}={shown(label)} names no group of {source!r}; its groups "
                             f"are {listed(labels) or 'no groups'}")


def check_weights(measures: Sequence[FairnessMeasure], source: groups.Groups) -> None:
    """Check that measures can use weights.

    :param source: a group source with weights
    :raises ValueError: a measure is not defined for weights
    """
    for measure in measures:
        if measure.refuses_weights:
            sums = "norm" in measure.SUPPORTED_PARAMS and not measure(norm="none").refuses_weights
            advice = "norm='none' or " if sums else ""
            raise ValueError(f"{measure} is not defined for documents with weights, which "
                             f"{source!r} has; use {advice}groups without weights")


def check_labels(measure: FairnessMeasure, annotations: Annotations, warn: Warn) -> None:
    """Check that the labels in the parameters of a measure are in the label set G.

    :param warn: issues the warnings
    :raises ValueError: a label is not in G, and the group source declares its labels
    """
    if annotations.groups is not None and annotations.declared is not None:
        check_declared(measure, annotations.groups, annotations.labels)
    known = [*annotations.labels, *measure.added_labels]
    held = listed(annotations.labels) or "no groups"
    for parameter, label in measure.named_labels(known):
        if label not in known:
            words = f"; {parameter} takes {measure.SUPPORTED_PARAMS[parameter].allowed}" \
                if parameter == "protected" else ""
            warn(f"{parameter}={shown(label)} names a group that no judged document has; the qrels "
                 f"hold {held}{words}", f"{UNKNOWN}label {label}")
    added = [label for label in measure.added_labels if label not in annotations.labels]
    if added:
        undeclared = "" if annotations.declared is None else \
            f" and {annotations.groups!r} does not declare"
        warn(f"the target of {measure} has a share for {listed(added)}, which no judged document "
             f"has as its group{undeclared}; the judged documents have {held}", f"target {added}")


def refuse_unknown(warnings: Sequence[Sequence[tuple[str, str]]]) -> None:
    """Raise an error for a group source that knows no document, and a label that no document has.

    :param warnings: the causes and messages of the warnings of each run
    :raises ValueError: such a warning applies to every run
    """
    for cause, _ in warnings[0]:
        texts = [dict(some)[cause] for some in warnings if cause in dict(some)]
        if cause.startswith(UNKNOWN) and len(texts) == len(warnings):
            raise ValueError(max(texts, key=len))  # that of a run without documents is shorter
