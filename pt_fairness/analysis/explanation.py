"""Explain the value of a measure for one topic: documents that count, shares, targets, formula."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import compress
from math import nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import group_annotations, loaded_qrels, one_run
from pt_fairness.core.arrays import Bools, Floats, discount
from pt_fairness.core.identifiers import texts_of, with_text_ids
from pt_fairness.core.messages import (
    TREC_DEFAULTS,
    collecting_warnings,
    did_you_mean,
    listed,
    warn,
)
from pt_fairness.core.registry import name_of
from pt_fairness.measures.coverage import Annotated
from pt_fairness.measures.measure import FairnessMeasure, nothing_to_compare, rels_of
from pt_fairness.provider.evaluator import QuickEvaluator
from pt_fairness.provider.measure_lists import parsed, take_groups
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

#: The measures of ir_measures that are a sum over the ranks, divided by a number that only depends
#: on the qrels.
SUMS = frozenset({
    "AP", "AP_IA", "ERR", "ERR_IA", "NRBP", "P", "P_IA", "R", "RBP", "RR", "Rprec", "SDCG",
    "alpha_DCG", "alpha_nDCG", "nDCG", "nERR_IA", "nNRBP",
})
#: The prefixes of the columns of :func:`explain` that hold shares and targets.
SHARE, TARGET = "share of ", "target of "
#: The significant digits of the numbers in formulas.
DIGITS = 5
#: Sums of more summands are shown as one number.
MOST_SUMMANDS = 30
#: The causes of warnings about the other topics of a run.
OTHER_TOPICS = ("few topics",)
#: Values of a provider count as equal within this distance.
SAME = 1e-9
#: The columns of the protected side.
PROTECTED_SHARE, PROTECTED_TARGET = "protected share", "protected target"


class Explanation(NamedTuple):
    """How the value of a measure for a topic comes about: the result of :func:`explain`."""

    #: A row for each rank.
    frame: pd.DataFrame
    #: The value of the provider.
    value: float
    #: The formula in names and in numbers of five digits, such as ``Σ product / Z = (0.33 + 0.21) /
    #: 1.42``; empty if it is unknown, or if no document counts.
    formula: str
    #: Why the measure is undefined for the topic; empty if it is defined.
    reason: str


def explain(measure: Any, run: Any, qrels: pd.DataFrame, qid: Any, *,
            groups: Any = None, topics: Any = None) -> Explanation:
    """Explain the value of a measure for one topic, rank by rank.

    If the measure is a sum or a mean over the ranks, the column ``contribution`` holds what each
    rank adds to the value. These measures are, in this package: rND, rKL, rRD, nDD, nDR, nDKL,
    nDJS, NDKL, BiasP, BiasRBP, BiasDCG, RaB, ARaB, FaiRR, NFaiRR, PreF, GF, GFR and Annotated; in
    ir_measures: P, AP, RR, R, Rprec, nDCG, ERR, RBP, SDCG, alpha_nDCG, alpha_DCG and the other
    measures of ndeval except StRecall.

    For any other measure, the column ``value`` holds the value so far: the measure with the rank as
    its cutoff.

    For a measure of this package, further columns hold the parts of its value.

    :param measure: a measure or its name
    :param run: a run with one ranking of the topic, in any form that
        :func:`pt_fairness.evaluate` reads
    :param qrels: ``qid, docno, label`` (or ir_measures' names) of all topics and, for measures
        without a group source, ``iteration``
    :param qid: the topic
    :param groups: the group source of a measure without a parameter ``groups``, and of the
        subtopics of α-nDCG and the other measures of ndeval. For a measure of relevance, it only
        determines the columns ``group`` and ``share of g``.
    :param topics: the topics of a transformer
    :returns: a named tuple ``(frame, value, formula, reason)``. ``frame`` has a row for each rank,
        in trec_eval's order, down to the cutoff of the measure or, if that is later, to the last
        document that counts; without a cutoff, down to the last rank.

        * ``rank``: 1, 2, …
        * ``docno``
        * ``label``: the relevance, 0 for an unjudged document
        * ``group``: the groups of the document, separated by ``", "``; missing without a group
        * ``counts``: whether the measure evaluates the document. A measure of condensed rankings
          evaluates the first ``cutoff`` annotated documents, a measure with ``judged_only`` the
          first judged documents, and any other the first ``cutoff`` documents.
        * ``reason``: why the document does not count
        * ``share of g`` for each group g: its share, in [0, 1], of the documents that count, down
          to this rank. A document of m groups counts 1/m towards each. If the measure has a
          parameter ``discount``, documents count the discounts of their ranks. NaN above the first
          annotated document.
        * ``protected share``: the share of the protected side, if the measure compares two sides. A
          document counts 1 if any of its groups is protected.
        * the parts of the value at the rank, such as ``divergence``, ``discount`` and ``product``
          of a prefix measure; NaN where the document does not count
        * ``contribution`` or ``value``. A rank that does not count contributes 0 and repeats the
          value so far, which is NaN above the first document that counts.

        The other columns are equal in all rows:

        * ``measure`` (without the source of ``groups``), ``qid``
        * ``topic value`` and ``formula``: ``value`` and ``formula`` of the tuple
        * ``where``: what the names in the formula mean
        * ``protected``: the protected groups, separated by ``", "``, if the measure compares two
          sides
        * ``protected target`` and ``target of g``: the target shares before any smoothing, if the
          measure has a target. NaN if the target is empty.
        * ``fairest``: the value of the fairest possible ranking of as many documents, for rND, rKL,
          rRD, nDD, nDR and nDKL. NaN for documents with weights.
        * the parts of the value, such as ``Z``, or ``attention of g`` of AWRF

        If fewer documents count than the cutoff, the last value so far can differ from the value of
        a measure that also counts the missing ranks, such as RepBias. If no document counts, all
        contributions are NaN. If the provider of a measure breaks ties otherwise than trec_eval,
        ``value`` is computed in trec_eval's order, with a warning. GFR with several attributes has
        columns such as ``share of gender: F``.
    :raises ValueError: if there are several measures or several rankings of the topic, or if the
        qrels lack the topic or do not fit the measure

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import explain
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "x", "c"], "score": [3.0, 2.0, 1.0]})
    >>> frame, value, formula, _ = explain("rND@5", run, qrels, "1")
    >>> frame[["rank", "docno", "counts", "share of CON", "target of CON"]].round(3)
       rank docno  counts  share of CON  target of CON
    0     1     a    True           0.0          0.333
    1     2     x   False           0.0          0.333
    2     3     c    True           0.5          0.333
    >>> frame["contribution"].round(3).tolist(), round(value, 3)
    ([0.307, 0.0, 0.097], 0.403)
    >>> formula
    'Σ product / Z = (0.33333 + 0.10515) / 1.0873'
    """
    measures = parsed(measure)
    if len(measures) != 1:
        raise ValueError(f"measure must be one measure, got {len(measures)}")
    every_judgment = loaded_qrels(qrels)
    judged = with_text_ids(every_judgment, "qrels", "query_id", "doc_id")
    names, judged, source = take_groups(measures, judged, groups)
    ((measure, name),) = names.items()
    judgments = Judgments(judged)
    (topic,) = texts_of(pd.Series([qid]))
    if topic not in judgments.topics:
        raise ValueError(f"qid must be a topic with judged documents, such as "
                         f"{judgments.topics[0]!r}, got {topic!r}."
                         f"{did_you_mean(topic, judgments.topics)}")
    rows = one_run(run, topics)
    qids = texts_of(rows["query_id"])
    rows = rows[qids == topic]
    if rows.empty:
        warn(f"the run returned nothing for topic {topic!r}")
    place = judgments.topics.index(topic)
    block = slice(place, place + 1)
    with collecting_warnings() as warnings:
        ranking = Run(rows, judgments)
        evaluator = QuickEvaluator([measure], judged)
        # With distinct scores, providers that break ties otherwise rank as trec_eval.
        every = slice(None)
        ranked = ranking.frame(every)
        scored = ranked.assign(score=ranking.scores(every))
        (provided,) = _values([measure], evaluator, scored, topic)
    for cause, message in dict(warnings).items():
        if cause not in OTHER_TOPICS:
            warn(message, cause)
    if ranking.sampled:
        raise ValueError(f"the run has several rankings of topic {topic!r}; choose the rows of one "
                         "by the column 'iteration'")
    views: dict[Any, Rankings] = {}
    formula = "Σ {contribution}"
    where = reason = ""
    with collecting_warnings():  # issued above
        (value,) = _values([measure], evaluator, ranked, topic)
        if isinstance(measure, FairnessMeasure):
            (fair,) = evaluator.fairness
            views = fair.noted(ranking, block)
            formula = measure.formula() or formula
            where = measure.where()
        grouped = _grouped(measure, views, judgments, ranking, block, source)
        first, view = next(iter(grouped.items()))
        frame = _documents(measure, view, ranking)
        counts = frame["counts"].to_numpy()
        if isinstance(measure, FairnessMeasure) and fair.undefined()[measure][place]:
            reason = _reason(first, view)
        if getattr(measure, "is_sum", False):
            contributions = fair.contributions(ranking, counts.sum())
            terms = contributions[measure][place]
            column = "contribution"
            other = 0.0 if counts.any() else nan
            values = _spread(terms, counts, other)
        else:
            column, values = _so_far(measure, evaluator, judged, ranked, topic, counts)
    if abs(value - provided) > SAME:
        warn(f"{measure} is {provided:.6g} for topic {topic!r}, because its provider breaks ties "
             "otherwise than trec_eval; the explanation is in trec_eval's order, with the value "
             f"{value:.6g}")
    columns, constants, numbers = _notes(measure, views, counts)
    shares, targets = _shares(grouped, counts)
    numbers[column] = values[counts]
    compared = counts
    if isinstance(measure, FairnessMeasure) and first.needs_groups and not first.EVEN:
        has_group = shares["group"].notna()
        compared = counts & has_group
    if reason:
        value = nan
    if reason or not compared.any():
        formula = ""
    formula = _filled(formula, numbers | constants)
    facts = {"measure": name, "qid": topic, "topic value": value, "formula": formula,
             "where": where}
    columns = shares | columns | {column: values}
    frame = frame.assign(**columns, **facts | targets | constants | targets)
    return Explanation(frame, value, formula, reason)


def _values(measures: Sequence[Any], evaluator: QuickEvaluator, run: pd.DataFrame,
            topic: str) -> list[float]:
    """Return the values of measures for the run of a topic."""
    metrics = evaluator.iter_calc(run)
    values = {metric.measure: metric.value for metric in metrics if metric.query_id == topic}
    return [values.get(measure, measure.DEFAULT) for measure in measures]


def _so_far(measure: Any, evaluator: QuickEvaluator, qrels: pd.DataFrame, run: pd.DataFrame,
            topic: str, counts: Bools) -> tuple[str, Floats]:
    """Return ``'contribution'`` or ``'value'``, and this number for each rank, ``[depth]``.

    :param run: the ranking of the topic
    :param counts: a mask of the documents that count, ``[depth]``
    """
    inner = getattr(measure, "inner", measure)  # of OfGroup
    is_sum = inner.NAME in SUMS
    if not is_sum and "cutoff" in inner.SUPPORTED_PARAMS:
        cutoffs = range(1, counts.sum() + 1)
        measures = [measure(cutoff=k) for k in cutoffs]
        evaluator = QuickEvaluator(measures, qrels)
        values = _values(measures, evaluator, run, topic)
        so_far = np.append(nan, values)
        return "value", so_far[counts.cumsum()]
    depths = range(1, len(counts) + 1)
    values_at = [_values([measure], evaluator, run[:k], topic) for k in depths]
    prefixes = np.ravel(values_at)
    if is_sum:
        return "contribution", np.diff(prefixes, prepend=0.0)
    return "value", prefixes


def _spread(values: Floats, counts: Bools, other: float = nan) -> Floats:
    """Return the values of the documents that count, and another one elsewhere, ``[depth]``."""
    column = np.full(len(counts), other)
    column[counts] = values
    return column


def _grouped(measure: Any, views: Mapping[Any, Rankings], judgments: Judgments, run: Run,
             block: slice, source: Any) -> dict[FairnessMeasure, Rankings]:
    """Return the views with the groups to show, by the part of the measure that compares them.

    If no part compares groups, documents have the groups of ``source``, or of the qrels.

    :param views: the views of the parts of the measure
    """
    grouped = {part: view for part, view in views.items() if part.needs_groups}
    if grouped:
        return grouped
    part = Annotated(groups=source)
    depth = _cutoff(measure)
    if isinstance(measure, FairnessMeasure):
        part, *_ = measure.parts
        depth = None
    elif measure.params.get("judged_only"):
        depth = None
    if part.needs_groups:
        source = part.param("groups")
    if source is None and TREC_DEFAULTS.issuperset(judgments.row_labels[1]):
        annotations = Annotations(judgments, None, rels_of([part]), needed=False)
    else:
        annotations = group_annotations(judgments, source, rels_of([part]))
    rankings = annotations.rankings(run, depth)
    return {part: rankings.block(block.start, block.stop)}


def _cutoff(measure: Any) -> Any:
    """Return the cutoff of a measure; without one, TrecFair cuts rankings at ``ideal``."""
    return measure.params.get("cutoff", measure.params.get("ideal"))


def _documents(measure: Any, view: Rankings, run: Run) -> pd.DataFrame:
    """Return a row for each rank, with the columns ``rank`` to ``reason`` of :func:`explain`.

    The last row is the rank at the cutoff or, if that is later, the last document that counts.
    """
    (codes,), (relevance,), _ = view.full(None)
    ranks = np.arange(len(codes))
    counts = np.ones(len(codes), bool)
    reason = "no group"
    if isinstance(measure, FairnessMeasure):
        counts = (codes >= 0) | (not measure.condensed)
        if measure.param("others") == "dropped":
            is_group = np.array(view.labels) == measure.param("group")
            counts = np.append(view.member @ is_group, False)[codes]
    elif measure.params.get("judged_only"):
        reason = "not judged"
        counts = run.pair >= 0
        # trec_eval takes documents of negative relevance for unjudged ones, ndeval does not.
        if not measure.NAME.startswith("alpha_"):
            counts &= relevance >= 0
    cutoff = _cutoff(measure) or len(codes)
    counts = counts & (counts.cumsum() <= cutoff)
    depth = max(cutoff, *ranks[counts] + 1, 0)
    frame = pd.DataFrame({"rank": ranks + 1, "docno": run.docnos(ranks)})
    frame["label"] = relevance
    frame["group"] = ""
    frame["counts"] = counts
    frame["reason"] = np.where(counts, "", reason)
    return frame[:depth]


def _prefix(part: FairnessMeasure) -> str:
    """Return the prefix of the names of the numbers of a part of a measure."""
    return f"{name_of(part.param('groups'))}: "


def _notes(measure: Any, views: Mapping[Any, Rankings],
           counts: Bools) -> tuple[dict[str, Floats], dict[str, float], dict[str, Any]]:
    """Return the numbers of each rank, ``[depth]``, those of the topic, and those of the formula.

    :param views: the view of each part of the measure
    """
    columns = {}
    constants: dict[str, float] = {}
    numbers = {}
    for part, view in views.items():
        prefix = "" if part == measure else _prefix(part)
        for name, (labels, values) in (view.notes or {}).items():
            name = prefix + name
            flat = np.ravel(values).astype(float)
            numbers[name] = flat
            if labels is not None:
                names = [f"{name} of {label}" for label in labels]
                constants |= zip(names, flat, strict=True)
            elif np.ndim(values) > 1:
                columns[name] = _spread(flat, counts)
            else:
                numbers[name] = flat[0]
                constants[name] = flat[0]
    return columns, constants, numbers


def _shares(grouped: Mapping[FairnessMeasure, Rankings],
            counts: Bools) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the shares down to each rank, ``[depth]``, and what they are compared with, by column.

    :param grouped: the views with the groups to show, by part of the measure
    """
    columns: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    groups: list[str] = []
    members = []
    for part, view in grouped.items():
        prefix = _prefix(part) if len(grouped) > 1 else ""
        labels = [prefix + label for label in view.labels]
        names = [SHARE + label for label in labels]
        shares = view.share
        side = part.side(view)
        if side is not None and side.present[0]:
            names.append(PROTECTED_SHARE)
            shares = np.column_stack([shares, side.sets[0]])
            facts["protected"] = ", ".join(compress(labels, side.labels[0]))
            if side.total[0]:
                facts[PROTECTED_TARGET] = side.share[0]
        fairest = part.fairest(view)
        if fairest is not None:
            facts["fairest"] = float(fairest[0])
        target = part.target(view)
        if target is not None:
            wanted = np.where(target[0].any(), target[0], nan)
            targets = [TARGET + label for label in labels]
            facts |= zip(targets, wanted, strict=True)
        (codes,), *_ = view.full(len(counts))
        has_group = codes >= 0
        name = part.param("discount") or "none"
        discounts = discount(name, len(counts), part.param("p"))
        is_weighed = counts & (part.EVEN | has_group)
        weights = discounts[counts.cumsum() - 1] * is_weighed
        # An unannotated document, whose code is −1, counts for all groups alike.
        equal = np.full((1, len(names)), 1 / max(len(labels), 1))
        documents = np.vstack([shares, equal])[codes]
        weighted = pd.DataFrame(documents * weights[:, None], columns=names)
        total = weights.cumsum()
        columns |= weighted.cumsum().div(total, axis=0)
        groups += view.labels
        is_member = documents[:, :len(labels)] > 0
        members.append(is_member & has_group[:, None])
    rows = np.hstack(members)
    texts = [", ".join(compress(groups, is_member)) for is_member in rows]
    group = pd.Series(texts, dtype="str")
    columns["group"] = group.where(group != "")
    return columns, facts


def _reason(measure: FairnessMeasure, view: Rankings) -> str:
    """Return why a measure is undefined for a topic."""
    rel = measure.param("rel")
    reason = nothing_to_compare(measure, view.labels)
    if reason or rel is None:
        return reason or "its judgments leave nothing to compare with"
    if view.highest_relevance[0] < rel:
        return "no document is relevant"
    counts = view.relevant(rel)[0] @ view.member
    if not counts.any():
        return "no relevant document has a group"
    if counts.all():
        return "its target or its judgments leave nothing to compare with"
    present = listed(compress(view.labels, counts))
    return f"its relevant documents have only the groups {present}"


def _filled(formula: str, numbers: Mapping[str, Any]) -> str:
    """Return a formula in names and in numbers.

    :param formula: as :meth:`FairnessMeasure.formula` returns it
    :param numbers: a number or an array by name
    :returns: such as ``Σ product / Z = (0.33 + 0.21) / 1.42``; ``''`` if a number is missing or
        the divisor is 0
    """
    filled = formula
    for name, values in numbers.items():
        flat = np.ravel(values)
        texts = [number(value) for value in flat if not np.isnan(value)]
        total = " + ".join(texts)
        if len(texts) > MOST_SUMMANDS:
            total = number(np.nansum(values))
        text = f"[{', '.join(texts)}]"
        if not np.ndim(values):
            text = number(values)
        filled = filled.replace(f"Σ {{{name}}}", f"({total})")
        filled = filled.replace(f"{{{name}}}", text)
    if not formula or "{" in filled or re.search(r"/ 0(?![.\d])", filled):
        return ""
    names = re.sub("[{}]", "", formula)
    return f"{names} = {filled}"


def number(value: float) -> str:
    """Return a number as text with five significant digits."""
    return f"{value:.{DIGITS}g}"
