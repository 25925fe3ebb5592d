"""The value of a measure for one topic, rank by rank."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.arguments import loaded_qrels, one_run
from pt_fairness.analysis.ranking_shares import Shown
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.identifiers import texts_of, with_text_ids
from pt_fairness.core.messages import collecting_warnings, shown, warn
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.evaluator import ManyRunsEvaluator
from pt_fairness.provider.measure_lists import parsed, take_groups
from pt_fairness.rankings.trec_order import Judgments, Run

#: The measures of ir_measures that are a sum over ranks, each rank divided by a number that
#: depends on the qrels alone.
SUMS = frozenset({
    "AP", "AP_IA", "ERR", "ERR_IA", "NRBP", "P", "P_IA", "R", "RBP", "RR", "Rprec", "SDCG",
    "alpha_DCG", "alpha_nDCG", "nDCG", "nERR_IA", "nNRBP",
})


def explain(measure: Any, run: Any, qrels: pd.DataFrame, qid: Any, *,
            groups: Any = None, topics: Any = None) -> pd.DataFrame:
    """Return how each rank of a ranking adds to the value of a measure, for one topic.

    Where the measure is a sum or a mean over the ranks, the column ``contribution`` holds what each
    rank adds to the value. The contributions add up to the value of the provider. These are, in
    this package: rND, rKL, rRD, nDD, nDR, nDKL, nDJS, NDKL, BiasP, BiasRBP, BiasDCG, RaB, ARaB,
    FaiRR, NFaiRR, PreF, GF, GFR and Annotated; in ir_measures: P, AP, RR, R, Rprec, nDCG, ERR, RBP,
    SDCG, alpha_nDCG, alpha_DCG and the other measures of ndeval except StRecall.

    For any other measure, the column ``value`` holds the value so far: that of the measure with the
    rank as its cutoff.

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
    :returns: a row for each rank, in trec_eval's order, down to the cutoff of the measure or, if
        that is later, to the last document that counts. Without a cutoff, all ranks.

        * ``rank``: 1, 2, …
        * ``docno``
        * ``label``: the relevance, 0 for an unjudged document
        * ``group``: the groups of the document, separated by ``", "``; missing if it has none
        * ``counts``: whether the measure evaluates the document. A measure of condensed lists
          evaluates the first ``cutoff`` annotated documents. With ``judged_only`` these are the
          first judged documents. Other measures evaluate the first ``cutoff`` documents.
        * ``share of g`` for each group g: its share, in [0, 1], of the documents that count, down
          to this rank. A document of m groups counts 1/m towards each. If the measure has a
          parameter ``discount``, the shares are of the discounts of the ranks. NaN above the first
          annotated document.
        * ``protected share``: the same for the protected side, if the measure compares two sides. A
          document counts 1 if any of its groups is protected.
        * ``target of g`` and ``protected target``: the target shares before any smoothing, equal in
          all rows; only if the measure has a target. NaN if the target is empty.
        * ``contribution`` or ``value``. A rank that does not count contributes 0 and repeats
          the value so far; this is NaN above the first document that counts.

        If fewer documents count than the cutoff, the last value so far can differ from the value of
        a measure that counts the missing ranks too, such as RepBias. In a list in which no document
        counts, all contributions are NaN. Where the provider of a measure breaks ties otherwise
        than trec_eval, the value is that of trec_eval's order, with a warning.

        GFR with several attributes has columns such as ``share of gender: F``. ``attrs`` holds
        ``measure`` (without the source of ``groups``) and ``qid`` as text, the ``value`` of the
        provider and, if the measure compares two sides, the labels of the ``protected`` one. For
        rND, rKL, rRD, nDD, nDR and nDKL it also holds the value of the ``fairest`` possible ranking
        of as many documents, NaN for an undefined topic and for documents with weights.
    :raises ValueError: several measures, a topic that is not in the qrels, several rankings of the
        topic, a group source that does not exist, or a measure that does not fit the qrels

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import explain
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "x", "c"], "score": [3.0, 2.0, 1.0]})
    >>> frame = explain("rND@5", run, qrels, "1")
    >>> frame[["rank", "docno", "counts", "share of CON", "target of CON"]].round(3)
       rank docno  counts  share of CON  target of CON
    0     1     a    True           0.0          0.333
    1     2     x   False           0.0          0.333
    2     3     c    True           0.5          0.333
    >>> frame["contribution"].round(3).tolist(), round(frame.attrs["value"], 3)
    ([0.307, 0.0, 0.097], 0.403)
    """
    wanted = parsed(measure)
    if len(wanted) != 1:
        raise ValueError(f"measure={shown(measure)}: explain takes one measure, and {len(wanted)} "
                         "are given")
    judged = with_text_ids(loaded_qrels(qrels), "qrels", "query_id", "doc_id")
    columns, judged, _ = take_groups(wanted, judged, groups)
    ((one, name),) = columns.items()
    judgments, topic = Judgments(judged), str(texts_of(pd.Series([qid]))[0])
    if topic not in judgments.topics:
        raise ValueError(f"the qrels have no topic {shown(topic)}; they have topics such as "
                         f"{judgments.topics[0]!r}")
    ranked, rows = _of_topic(one_run(run, topics), topic, judgments)
    place = judgments.topics.index(topic)
    parts = getattr(one, "parts", [one])
    of_groups = [part for part in parts if getattr(part, "needs_groups", True)]
    parts_shown = [Shown(part, judgments, ranked, place, groups) for part in of_groups or parts[:1]]
    first = parts_shown[0]
    scores = _Scores(one, judged, rows, topic)
    labels = zip(*(part.groups() for part in parts_shown), strict=True)
    frame = pd.DataFrame({
        "rank": np.arange(1, first.depth + 1), "docno": rows["doc_id"].head(first.depth),
        "label": first.relevance,
        "group": pd.Series([", ".join(itertools.chain(*some)) or None for some in labels],
                           dtype="str"),
        "counts": np.isin(np.arange(first.depth), first.counted)})
    for part in parts_shown:
        source = f"{part.measure['groups']}: " if len(parts_shown) > 1 else ""
        frame = frame.assign(**part.columns(source))
    column, values = scores.by_rank(ranked, place, first.counted, first.depth)
    frame[column] = values
    known = {"protected": first.protected, "fairest": first.fairest}
    frame.attrs = {"measure": name, "qid": topic, "value": scores.value,
                   **{key: value for key, value in known.items() if value is not None}}
    return frame


def _of_topic(run: pd.DataFrame, topic: str, judgments: Judgments) -> tuple[Run, pd.DataFrame]:
    """Return the ranking of a topic, and its ``query_id, doc_id, score`` in the order of the ranks.

    :raises ValueError: the run has several rankings of the topic
    """
    frame = run[texts_of(run["query_id"]) == topic]
    if "iteration" in run and run["iteration"].nunique() > 1:
        raise ValueError(f"the run has several rankings of topic {topic!r}; explain takes one: "
                         "choose the rows of one sample by the column 'iteration'")
    if not len(frame):
        warn(f"the run returned nothing for topic {topic!r}", "empty run")
    ranked = Run(frame, judgments, _warn_of_topic)
    rows = pd.DataFrame({"query_id": topic, "doc_id": texts_of(frame["doc_id"]),
                         "score": frame["score"].to_numpy(float)})
    rows = rows.drop_duplicates("doc_id", keep="last").set_index("doc_id", drop=False)
    return ranked, rows.loc[ranked.docnos(slice(None))].reset_index(drop=True)


def _warn_of_topic(message: str, cause: str) -> None:
    """Issue a warning, but none that the run has few topics: it has been cut to one."""
    if cause not in ("few topics", "empty run"):
        warn(message, cause)


class _Scores:
    """Values of a measure for the prefixes of one ranking.

    :param ranked: the ranking; ``query_id, doc_id, score`` in the order of the ranks
    """

    def __init__(self, measure: Any, qrels: pd.DataFrame, ranked: pd.DataFrame,
                 topic: str) -> None:
        self._measure, self._qrels, self._ranked, self._topic = measure, qrels, ranked, topic
        self._evaluator = ManyRunsEvaluator([measure], qrels)
        with collecting_warnings() as warnings:
            given = self._of(self._evaluator, [measure]).item()
        for cause, message in warnings:
            _warn_of_topic(message, cause)
        # With distinct scores, providers that break ties otherwise rank as trec_eval does.
        self._ranked = ranked.assign(score=np.arange(len(ranked), 0, -1.0))
        with collecting_warnings():  # have been given
            #: The value of the whole ranking.
            self.value: float = self._of(self._evaluator, [measure]).item()
        if not np.isclose(self.value, given, rtol=0, atol=1e-9, equal_nan=True):
            warn(f"{measure} is {given:.6g} for topic {topic!r}, because its provider breaks ties "
                 "otherwise than trec_eval; the explanation is that of trec_eval's order, with the "
                 f"value {self.value:.6g}")

    def by_rank(self, ranked: Run, place: int, counted: Ints, depth: int) -> tuple[str, Floats]:
        """Return ``'contribution'`` or ``'value'``, and this number for each rank, ``[depth]``.

        :param ranked: the ranking
        :param place: the index of the topic
        :param counted: the 0-based ranks of the documents that count
        """
        measure, n = self._measure, len(counted)
        with collecting_warnings():  # about prefixes; those about the measure have been given
            if isinstance(measure, FairnessMeasure) and measure.is_sum:
                values = np.full(depth, 0.0 if n else np.nan)
                values[counted] = self._evaluator.contributions(ranked, n)[measure][place]
                return "contribution", values
            if measure.NAME not in SUMS \
                    and "cutoff" in getattr(measure, "inner", measure).SUPPORTED_PARAMS:
                measures = [type(measure)(**measure.params | {"cutoff": k})
                            for k in range(1, n + 1)]
                at_cutoffs = self._of(ManyRunsEvaluator(measures, self._qrels), measures)
                so_far = np.isin(np.arange(depth), counted).cumsum()
                return "value", np.append(np.nan, at_cutoffs)[so_far]
            of_prefixes = self._of(self._evaluator, [measure], range(1, depth + 1))[:, 0]
            if measure.NAME in SUMS:
                return "contribution", np.diff(of_prefixes, prepend=0.0)
            return "value", of_prefixes

    def _of(self, evaluator: ManyRunsEvaluator, measures: Sequence[Any],
            depths: Iterable[int | None] = (None,)) -> Floats:
        """Return the values of measures for the first documents, ``[depths, measures]``.

        :param depths: the numbers of documents; ``None`` for all
        """
        values = []
        for depth in depths:
            found = {one.measure: one.value for one in evaluator.iter_calc(self._ranked[:depth])
                     if one.query_id == self._topic}
            values.append([found.get(measure, measure.DEFAULT) for measure in measures])
        return np.array(values, float).reshape(len(values), len(measures))
