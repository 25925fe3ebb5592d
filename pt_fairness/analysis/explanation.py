"""The value of a measure for one topic, rank by rank: documents that count, shares and targets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import compress
from math import nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import annotations_of, loaded_qrels, one_run
from pt_fairness.core import arrays
from pt_fairness.core.arrays import Floats
from pt_fairness.core.identifiers import texts_of, with_text_ids
from pt_fairness.core.messages import (
    TREC_DEFAULTS,
    collecting_warnings,
    did_you_mean,
    listed,
    shown,
    warn,
)
from pt_fairness.measures.measure import FairnessMeasure, nothing_to_compare, rels_of
from pt_fairness.provider.evaluator import QuickEvaluator
from pt_fairness.provider.measure_lists import parsed, take_groups
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run
from pt_fairness.rankings.view import View

#: The measures of ir_measures that are a sum over ranks, each rank divided by a number that
#: depends on the qrels alone.
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


def source_of_numbers(measure: Any) -> str:
    """Return the way in which :func:`explain` computes the number of each rank.

    :returns: ``'terms'``: a term of the sum, of a measure of this package; ``'prefixes'``: the
        difference between the values of two prefixes of the ranking; ``'cutoffs'``: the value with
        the rank as cutoff; ``''``: the value of a prefix, if there is no cutoff to vary
    """
    inner = getattr(measure, "inner", measure)  # that of OfGroup
    if isinstance(measure, FairnessMeasure) and measure.is_sum:
        return "terms"
    if inner.NAME in SUMS:
        return "prefixes"
    return "cutoffs" if "cutoff" in inner.SUPPORTED_PARAMS else ""


def at_cutoffs(measure: Any, last: int) -> list[Any]:
    """Return a measure at the cutoffs from 1 to ``last``."""
    return [type(measure)(**measure.params | {"cutoff": k}) for k in range(1, last + 1)]


def explain(measure: Any, run: Any, qrels: pd.DataFrame, qid: Any, *,
            groups: Any = None, topics: Any = None) -> Explanation:
    """Return how each rank of a ranking adds to the value of a measure, for one topic.

    Where the measure is a sum or a mean over the ranks, the column ``contribution`` holds what each
    rank adds to the value. The contributions add up to the value of the provider. These are, in
    this package: rND, rKL, rRD, nDD, nDR, nDKL, nDJS, NDKL, BiasP, BiasRBP, BiasDCG, RaB, ARaB,
    FaiRR, NFaiRR, PreF, GF, GFR and Annotated; in ir_measures: P, AP, RR, R, Rprec, nDCG, ERR, RBP,
    SDCG, alpha_nDCG, alpha_DCG and the other measures of ndeval except StRecall.

    For any other measure, the column ``value`` holds the value so far: that of the measure with the
    rank as its cutoff.

    For a measure of this package, further columns hold the parts of its value, and the formula with
    these numbers. ``pt-fairness explain`` prints them.

    :param measure: a measure, or its name
    :param run: a run with one ranking of the topic, in any form that
        :func:`pt_fairness.evaluate` takes
    :param qrels: ``qid, docno, label`` (or ir_measures' names) of all topics and, for measures
        without groups of their own, ``iteration``
    :param qid: the topic
    :param groups: the group source of a measure without a ``groups`` parameter of its own, as
        :func:`pt_fairness.evaluate` takes it. α-nDCG and the other measures of ndeval take their
        subtopics from it, too. For a measure of relevance, it only determines the columns ``group``
        and ``share of g``.
    :param topics: the topics of a transformer, as of :func:`pt_fairness.evaluate`
    :returns: a named tuple ``(frame, value, formula, reason)``, and ``frame`` has a row for each
        rank, in trec_eval's order, down to the cutoff of the measure or, if that is later, to the
        last document that counts. Without a cutoff, all ranks.

        * ``rank``: 1, 2, …
        * ``docno``
        * ``label``: the relevance, 0 for an unjudged document
        * ``group``: the groups of the document, separated by ``", "``; missing if it has none
        * ``counts``: whether the measure evaluates the document. A measure of condensed lists
          evaluates the first ``cutoff`` annotated documents. With ``judged_only`` these are the
          first judged documents. Other measures evaluate the first ``cutoff`` documents.
        * ``reason``: why the document does not count
        * ``share of g`` for each group g: its share, in [0, 1], of the documents that count, down
          to this rank. A document of m groups counts 1/m towards each. If the measure has a
          parameter ``discount``, the shares are of the discounts of the ranks. NaN above the first
          annotated document.
        * ``protected share``: the same for the protected side, if the measure compares two sides. A
          document counts 1 if any of its groups is protected.
        * the parts of the value at the rank, such as ``divergence``, ``discount`` and ``product``
          of a prefix measure or ``discount`` of AWRF; NaN where the document does not count
        * ``contribution`` or ``value``. A rank that does not count contributes 0 and repeats
          the value so far; this is NaN above the first document that counts.

        The other columns are of the topic, equal in all rows:

        * ``measure`` (without the source of ``groups``), ``qid``
        * ``topic value`` and ``formula``: ``value`` and ``formula`` of the tuple
        * ``where``: what the names in the formula mean
        * ``protected``, the protected groups, separated by ``", "``, if the measure compares two
          sides; ``fairest``, the value of the fairest possible ranking of as many documents, of
          rND, rKL, rRD, nDD, nDR and nDKL: NaN for documents with weights
        * ``target of g`` and ``protected target``: the target shares before any smoothing; only if
          the measure has a target. NaN if the target is empty.
        * the parts of the value, such as ``Z``, or ``attention of g`` of AWRF

        If fewer documents count than the cutoff, the last value so far can differ from the value of
        a measure that counts the missing ranks too, such as RepBias. In a list in which no document
        counts, all contributions are NaN. Where the provider of a measure breaks ties otherwise
        than trec_eval, the value is that of trec_eval's order, with a warning.

        GFR with several attributes has columns such as ``share of gender: F``.
    :raises ValueError: several measures, a topic that is not in the qrels, several rankings of the
        topic, a group source that does not exist, or a measure that does not fit the qrels

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
        raise ValueError(f"measure={shown(measure)}: explain takes one measure, and "
                         f"{len(measures)} are given")
    judged = loaded_qrels(qrels)
    judged = with_text_ids(judged, "qrels", "query_id", "doc_id")
    columns, judged, _ = take_groups(measures, judged, groups)
    ((measure, name),) = columns.items()
    judgments = Judgments(judged)
    (topic,) = texts_of(pd.Series([qid]))
    frame = one_run(run, topics)
    ranked = _of_topic(frame, topic, judgments)
    place = judgments.topics.index(topic)
    parts = getattr(measure, "parts", [measure])
    of_groups = [part for part in parts if getattr(part, "needs_groups", True)]
    compared = of_groups or parts[:1]
    ranks = [Ranks(part, judgments, ranked, place, groups) for part in compared]
    first = ranks[0]
    numbers = Numbers(ranks)
    scores = _Scores(measure, judged, ranked, topic)
    facts = {"measure": name, "qid": topic, "topic value": scores.value, "formula": "",
             "where": ""}
    formula = "Σ {contribution}"
    reason = ""
    if isinstance(measure, FairnessMeasure):
        formula = measure.formula() or formula
        facts["where"] = measure.where()
        (evaluator,) = scores.evaluator.fairness
        views = evaluator.views(ranked, slice(place, place + 1))
        for part, view in views.items():
            prefix = "" if part == measure else part.prefix
            numbers.add_notes(view, prefix)
        if evaluator.undefined()[measure][place]:
            reason = first.nothing
    column, values = scores.by_rank(place, first)
    numbers.columns[column] = values
    if first.comparable and not reason:
        facts["formula"] = numbers.put_into(formula)
    protected = first.protected
    if protected is not None:
        facts["protected"] = ", ".join(protected)
    fairest = first.fairest
    if fairest is not None:
        facts["fairest"] = fairest
    frame = _documents(ranks, ranked)
    frame = frame.assign(**numbers.columns, **facts, **numbers.of_topic)
    return Explanation(frame, scores.value, facts["formula"], reason)


def _of_topic(run: pd.DataFrame, topic: str, judgments: Judgments) -> Run:
    """Return the ranking of a topic.

    :raises ValueError: the qrels do not have the topic, or the run has several rankings of it
    """
    topics = judgments.topics
    is_of_topic = texts_of(run["query_id"]) == topic
    frame = run[is_of_topic]
    if topic not in topics:
        message = f"the qrels have no topic {shown(topic)}; they have topics such as {topics[0]!r}"
        if len(frame):
            message += ". The run has it, but a topic without judged documents has no value"
        raise ValueError(f"{message}.{did_you_mean(topic, topics)}")
    if "iteration" in run and run["iteration"].nunique() > 1:
        raise ValueError(f"the run has several rankings of topic {topic!r}; explain takes one: "
                         "choose the rows of one sample by the column 'iteration'")
    if frame.empty:
        warn(f"the run returned nothing for topic {topic!r}", "empty run")
    return Run(frame, judgments, _warn_of_topic)


def _documents(ranks: Sequence[Ranks], ranked: Run) -> pd.DataFrame:
    """Return a row for each rank, with the columns from ``rank`` to ``reason``.

    :param ranks: those of each group source
    """
    first = ranks[0]
    depth = first.depth
    frame = pd.DataFrame({"rank": range(1, depth + 1)})
    frame["docno"] = ranked.docnos(slice(depth))
    frame["label"] = first.relevance
    labels = zip(*(of_part.groups() for of_part in ranks), strict=True)
    texts = [", ".join(filter(None, of_rank)) or None for of_rank in labels]
    frame["group"] = pd.Series(texts, dtype="str")
    frame["counts"] = frame.index.isin(first.places)
    frame["reason"] = np.where(frame["counts"], "", first.reason)
    return frame


def _warn_of_topic(message: str, cause: str) -> None:
    """Issue a warning, but none that the run has few topics: it has been cut to one."""
    if cause not in ("few topics", "empty run"):
        warn(message, cause)


class Ranks:
    """The ranks of one ranking, with the groups of its documents from one source.

    :param measure: a measure, or a part of a composed one
    :param topic: the index of the topic
    :param source: the group source of a measure that has none of its own; ``None`` for the qrels
    """

    def __init__(self, measure: Any, judgments: Judgments, run: Run, topic: int,
                 source: Any = None) -> None:
        self.measure = measure
        self._of_package = isinstance(measure, FairnessMeasure)
        params = measure.params
        # Without a cutoff, TrecFair cuts the list at ``ideal``.
        cutoff = depth = params.get("cutoff", params.get("ideal"))
        judged_only = not self._of_package and params.get("judged_only")
        if judged_only or getattr(measure, "depth", 1) is None:
            depth = None
        added = getattr(measure, "added_labels", ())
        annotations = annotations_for(measure, judgments, source)
        rankings = annotations.of_run(run, depth)
        rankings = rankings.of_labels(added)
        view = self._view = View(rankings, slice(topic, topic + 1))
        (codes,), (relevance,), _ = view.full(None)
        length = len(codes)
        counts = np.ones(length, bool)
        #: Why a document does not count.
        self.reason = "no group"
        if self._of_package:
            counts = measure.counting(view)[0]
        elif judged_only:
            self.reason = "not judged"
            counts = run.pair[:length] >= 0
            # trec_eval takes documents of negative relevance for unjudged ones, ndeval does not.
            if not measure.NAME.startswith("alpha_"):
                counts &= relevance >= 0
        #: The 0-based rank of each document that counts.
        self.places = np.flatnonzero(counts)[:cutoff]
        has_group = codes[self.places] >= 0
        #: Whether a document counts; if the measure compares groups, one that has a group.
        self.comparable = len(has_group) > 0
        if self._of_package and measure.needs_groups and not measure.EVEN:
            self.comparable = bool(has_group.any())
        last = int(self.places.max(initial=-1))
        shown_ranks = min(length, cutoff or length)
        #: The number of ranks that are shown.
        self.depth = max(last + 1, shown_ranks)
        self._codes = codes[:self.depth]
        self.relevance = relevance[:self.depth]
        #: Whether the measure is of this package, and there are labels that it can compare.
        self._compares = self._of_package and bool(view.labels)
        self._side = None
        if self._compares:
            side = measure.side(view)
            if side is not None and side.present[0]:
                self._side = side

    def groups(self) -> list[str]:
        """Return the groups of the document at each rank, separated by commas."""
        view = self._view
        texts = [", ".join(compress(view.labels, is_member)) for is_member in view.member]
        texts.append("")  # of the code −1, a document without a group
        return [texts[code] for code in self._codes]

    def shares(self, prefix: str) -> dict[str, Floats]:
        """Return the shares so far, ``[depth]``, by column.

        :param prefix: the prefix of the labels in the names of the columns
        """
        view = self._view
        shares = self._so_far(view.share)
        names = [f"{SHARE}{prefix}{label}" for label in view.labels]
        columns = dict(zip(names, shares.T, strict=True))
        if self._side is not None:
            degree = self._side.sets[0].astype(float)
            shares = self._so_far(degree[:, None])
            columns[PROTECTED_SHARE] = shares[:, 0]
        return columns

    def targets(self, prefix: str) -> dict[str, float]:
        """Return the target shares by column; ``prefix`` is as of :meth:`shares`."""
        view = self._view
        targets = {}
        target = self.measure.target(view) if self._of_package else None
        if target is not None:
            shares = target[0]
            shares = np.where(shares.any(), shares, nan)
            names = [f"{TARGET}{prefix}{label}" for label in view.labels]
            targets = dict(zip(names, shares, strict=True))
        side = self._side
        if side is not None and side.total[0]:
            targets[PROTECTED_TARGET] = side.share[0]
        return targets

    @property
    def nothing(self) -> str:
        """Why the measure is undefined for the topic, if it is."""
        view = self._view
        rel = self.measure.param("rel")
        reason = nothing_to_compare(self.measure, view.labels)
        if reason or rel is None:
            return reason or "its judgments have nothing to compare with"
        if view.highest_relevance[0] < rel:
            return "no document is relevant"
        counts = view.relevant(rel)[0] @ view.member
        groups = compress(view.labels, counts)
        present = listed(groups)
        if present:
            return f"its relevant documents have only the groups {present}"
        return "no relevant document has a group"

    def _so_far(self, shares: Floats) -> Floats:
        """Return the mean row of the documents that count down to each rank, ``[depth, …]``.

        :param shares: a row for each label set, ``[S, …]``
        """
        measure = self.measure
        places = self.places
        if not (self._of_package and measure.EVEN):
            places = places[self._codes[places] >= 0]
        weights = np.zeros(self.depth)
        weights[places] = 1.0
        if self._of_package and "discount" in measure.SUPPORTED_PARAMS:
            discount = measure.param("discount")
            of_rank = arrays.discount(discount, self.depth, measure.param("p"))
            ranks = np.arange(len(places)) if measure.condensed else places
            weights[places] = of_rank[ranks]
        columns = shares.shape[1]
        # An unannotated document, whose code is −1, counts for all groups alike.
        equal = np.full(columns, 1.0 / max(columns, 1))
        shares = np.vstack([shares, equal])
        weights = weights[:, None]
        total = weights.cumsum(axis=0)
        weighted = weights * shares[self._codes]
        sums = weighted.cumsum(axis=0)
        with np.errstate(invalid="ignore"):
            return sums / total

    @property
    def fairest(self) -> float | None:
        """The value of the fairest possible ranking; ``None`` if it is not known."""
        values = self.measure.fairest(self._view) if self._compares else None
        return None if values is None else float(values[0])

    @property
    def protected(self) -> list[str] | None:
        """The protected groups; ``None`` if the measure does not compare two sides."""
        if self._side is None:
            return None
        return list(compress(self._view.labels, self._side.labels[0]))


class Numbers:
    """The parts of a value: columns, numbers of the topic, and the formula with these numbers.

    :param ranks: those of each group source; the documents that count are those of the first
    """

    def __init__(self, ranks: Sequence[Ranks]) -> None:
        self._places = ranks[0].places
        self._depth = ranks[0].depth
        #: The numbers at the ranks, ``[depth]``, by column.
        self.columns: dict[str, Any] = {}
        #: The numbers of the topic.
        self.of_topic: dict[str, float] = {}
        self._of_labels: dict[str, Floats] = {}
        for of_part in ranks:
            prefix = of_part.measure.prefix if len(ranks) > 1 else ""
            self.columns |= of_part.shares(prefix)
            self.of_topic |= of_part.targets(prefix)

    def add_notes(self, view: View, prefix: str) -> None:
        """Add the notes of a view.

        :param prefix: the prefix of their names
        """
        for name, (labels, values) in (view.notes or {}).items():
            name = prefix + name
            numbers = np.ravel(values).astype(float)
            if labels is not None:
                names = [f"{name} of {label}" for label in labels]
                self.of_topic |= zip(names, numbers, strict=True)
                self._of_labels[name] = numbers
            elif np.ndim(values) > 1:
                column = self.columns[name] = np.full(self._depth, nan)
                column[self._places] = numbers
            else:
                self.of_topic[name] = numbers[0]

    def put_into(self, formula: str) -> str:
        """Return a formula in names and in numbers.

        :param formula: as of :meth:`FairnessMeasure.formula`
        :returns: such as ``Σ product / Z = (0.33 + 0.21) / 1.42``; ``''`` if a number is missing
        """
        names = re.sub("[{}]", "", formula)
        parts = {name: column[self._places] for name, column in self.columns.items()}
        parts |= self._of_labels
        for name, values in parts.items():
            values = values[~np.isnan(values)]
            texts = list(map(number, values))
            total = " + ".join(texts)
            if len(texts) > MOST_SUMMANDS:
                total = number(values.sum())
            formula = formula.replace(f"Σ {{{name}}}", f"({total})")
            formula = formula.replace(f"{{{name}}}", f"[{', '.join(texts)}]")
        for name, value in self.of_topic.items():
            formula = formula.replace(f"{{{name}}}", number(value))
        if "{" in formula:
            return ""
        return f"{names} = {formula}"


def number(value: float) -> str:
    """Return a number as text with five significant digits."""
    return f"{value:.{DIGITS}g}"


def annotations_for(measure: Any, judgments: Judgments, source: Any) -> Annotations:
    """Return the groups of the judged documents for a measure.

    :param source: the group source of a measure that has none of its own; ``None`` for the qrels,
        which then may have no groups
    """
    rels: Iterable[int | None] = ()
    if isinstance(measure, FairnessMeasure):
        rels = rels_of([measure])
        if measure.needs_groups:
            groups = measure.param("groups")
            return annotations_of(judgments, groups, rels, measure.added_labels)
    if source is not None:
        return annotations_of(judgments, source, rels)
    has_groups = not set(judgments.row_labels[1]) <= TREC_DEFAULTS
    return Annotations(judgments, None, rels, needed=has_groups)


class _Scores:
    """Values of a measure for the prefixes of one ranking."""

    def __init__(self, measure: Any, qrels: pd.DataFrame, ranked: Run, topic: str) -> None:
        self._measure = measure
        self._qrels = qrels
        self._run = ranked
        self._topic = topic
        self.evaluator = QuickEvaluator([measure], qrels)
        everything = slice(None)
        scores = ranked.scores(everything)
        #: The ranking. With distinct scores, providers that break ties otherwise rank as trec_eval.
        self._ranked = ranked.frame(everything)
        with collecting_warnings() as warnings:
            of_provider = self._value(self._ranked.assign(score=scores))
        for cause, message in warnings:
            _warn_of_topic(message, cause)
        with collecting_warnings():  # issued above
            #: The value of the whole ranking.
            self.value = self._value(self._ranked)
        if not np.isclose(self.value, of_provider, rtol=0, atol=1e-9, equal_nan=True):
            warn(f"{measure} is {of_provider:.6g} for topic {topic!r}, because its provider breaks "
                 "ties otherwise than trec_eval; the explanation is that of trec_eval's order, "
                 f"with the value {self.value:.6g}")

    def by_rank(self, topic: int, ranks: Ranks) -> tuple[str, Floats]:
        """Return ``'contribution'`` or ``'value'``, and this number for each rank, ``[depth]``.

        :param topic: the index of the topic
        """
        measure = self._measure
        places = ranks.places
        depth = ranks.depth
        n = len(places)
        source = source_of_numbers(measure)
        with collecting_warnings():  # prefixes repeat the warnings about the measure
            if source == "terms":
                terms = self.evaluator.contributions(self._run, n)[measure]
                values = np.full(depth, 0.0 if n else nan)
                values[places] = terms[topic]
                return "contribution", values
            if source == "cutoffs":
                measures = at_cutoffs(measure, n)
                evaluator = QuickEvaluator(measures, self._qrels)
                by_cutoff = self._values(evaluator, self._ranked)
                of_cutoffs = [by_cutoff.get(cut, cut.DEFAULT) for cut in measures]
                so_far = np.isin(np.arange(depth), places).cumsum()
                return "value", np.append(nan, of_cutoffs)[so_far]
            values = np.array([self._value(self._ranked[:k]) for k in range(1, depth + 1)])
        if source == "prefixes":
            return "contribution", np.diff(values, prepend=0.0)
        return "value", values

    def _value(self, run: pd.DataFrame) -> float:
        """Return the value of the measure for a run of the topic."""
        values = self._values(self.evaluator, run)
        return values.get(self._measure, self._measure.DEFAULT)

    def _values(self, evaluator: QuickEvaluator, run: pd.DataFrame) -> dict[Any, float]:
        """Return the values of measures for a run of the topic."""
        return {metric.measure: metric.value for metric in evaluator.iter_calc(run)
                if metric.query_id == self._topic}
