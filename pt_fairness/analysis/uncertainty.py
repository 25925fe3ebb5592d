"""Values under uncertain group labels, whose probabilities are the weights of the documents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.comparisons import baseline_of
from pt_fairness.analysis.confidence import check, one_of
from pt_fairness.analysis.inputs import (
    kept_annotations,
    measures_without_groups,
    runs_of,
    systems_of,
    warn_of_undefined,
)
from pt_fairness.arrays import Floats, Ints
from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.identifiers import PairIndex
from pt_fairness.io.named_runs import RunInputs
from pt_fairness.measures.scoring import depth_of, score
from pt_fairness.rankings.annotations import Annotations, Ranked
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.labelsets import LabelSets
from pt_fairness.rankings.run import Run
from pt_fairness.streams import uniforms
from pt_fairness.tables import TIE_DECIMALS

#: The number of ranked and judged documents in the draws that are scored at a time.
CELLS = 1 << 21


class _Draws:
    """The labels of uncertain documents in each draw, and their likeliest labels.

    :param runs: the runs, with the groups of their documents
    """

    def __init__(self, annotations: Annotations, runs: Sequence[tuple[Run, Ranked]], draws: int,
                 seed: int) -> None:
        self._annotations, judgments = annotations, annotations.judgments
        # Every ``rel`` has the same label set of a judged document, or none.
        judged = np.maximum.reduce([np.full(len(judgments.topic), -1, np.int32),
                                    *annotations.by_rel.values()])
        parts: list[tuple[Ints, LabelSets, Judgments | Run]] = [
            (judged, annotations.sets, judgments),
            *((ranked.codes, ranked.sets, run) for run, ranked in runs)]
        rows = [np.flatnonzero(np.append(sets.weighted, False)[codes]) for codes, sets, _ in parts]
        docnos = np.concatenate([part[2].docnos(own)
                                 for part, own in zip(parts, rows, strict=True)])
        topic = np.concatenate([part[2].topic[own] for part, own in zip(parts, rows, strict=True)])
        by_topic = annotations.groups is not None and annotations.groups.by_topic
        index = PairIndex(topic if by_topic else np.zeros_like(topic),
                          pd.Series(docnos, dtype=object))
        ends = np.cumsum([len(own) for own in rows])
        #: The uncertain judged documents and those of each run: their rows and their numbers.
        self.uncertain = list(zip(rows, np.split(index.pair, ends[:-1]), strict=True))
        labels = annotations.sets.labels
        share = np.concatenate([sets.shares(codes[own], labels) for (codes, sets, _), own
                                in zip(parts, rows, strict=True)])[index.first]
        #: The label of each uncertain document in each draw, and its likeliest one,
        #: ``[documents, draws + 1]``.
        self.labels = np.empty((len(index), draws + 1), np.min_scalar_type(-len(labels) - 1))
        self.labels[:, -1] = share.round(TIE_DECIMALS).argmax(axis=1)
        last = len(labels) - 1 - (share[:, ::-1] > 0).argmax(axis=1)
        limits = share.cumsum(axis=1)
        names = [judgments.topics[one] if by_topic else "" for one in index.topic]
        for i, (name, docno) in enumerate(zip(names, index.docnos(), strict=True)):
            u = uniforms(seed, f"{name}\n{docno}", 0, draws)
            self.labels[i, :-1] = np.minimum(limits[i].searchsorted(u, side="right"), last[i])

    def codes(self, part: int, codes: Ints, draws: slice) -> Ints:
        """Return the label sets of documents in some draws, ``[draws · n]``.

        :param part: 0 for the judged documents, 1 for those of the first run, …
        :param codes: the label sets before, ``[n]``; −1 stays −1
        """
        rows, numbers = self.uncertain[part]
        drawn = self.labels[numbers, draws].T
        codes = np.tile(codes, (len(drawn), 1))
        codes[:, rows] = np.where(codes[:, rows] >= 0, drawn, -1)
        return codes.ravel()

    def rankings(self, part: int, run: Run, ranked: Ranked, draws: slice) -> Rankings:
        """Return the rankings of a run in some draws, with a topic for each topic and draw."""
        codes = self.codes(part, ranked.codes, draws)
        relevant = {rel: self.codes(0, known, draws)
                    for rel, known in self._annotations.by_rel.items()}
        found = self._annotations.rankings(run, ranked).repeated(self.labels[:0, draws].shape[1])
        # Fewer label sets make larger blocks of topics.
        single = LabelSets(ranked.sets.labels)
        several = max(some.max(initial=0) for some in (codes, *relevant.values())) >= len(single)
        return replace(found, lists=replace(found.lists, codes=codes),
                       judged=replace(found.judged, relevant=relevant),
                       sets=found.sets if several else single)

    def values(self, part: int, run: Run, ranked: Ranked,
               measures: Sequence[FairnessMeasure]) -> Floats:
        """Return the value of each measure, draw and topic, ``[measures, draws + 1, T]``.

        It is NaN where it is undefined.
        """
        topics, draws = len(self._annotations.judgments.topics), self.labels.shape[1]
        values = np.empty((len(measures), draws, topics))
        pooled = np.array([one.params.get("target") == "collection" for one in measures])
        rows = len(run.topic) + len(self._annotations.judgments.topic)
        for some, step in ((~pooled, max(1, CELLS // rows)), (pooled, 1)):
            chosen = np.flatnonzero(some).tolist()
            for start in range(0, draws, step) if chosen else ():
                draw = slice(start, start + step)
                found = score([measures[i] for i in chosen],
                              self.rankings(part, run, ranked, draw))
                for i in chosen:
                    values[i, draw] = found[measures[i]].reshape(-1, topics)
        return values


def uncertain_labels(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                     groups: Any, draws: int = 200,
                     interval: Literal["rubin", "components"] = "rubin", confidence: float = 0.95,
                     baseline: int | str | None = None, seed: int = 0, *,
                     topics: Any = None) -> pd.DataFrame:
    """Return intervals of mean values that cover uncertain labels and the choice of topics.

    The weights of a document are read as the probabilities of its labels; documents without weights
    are certain. In each draw, every uncertain document has one label. All systems and measures,
    judged and retrieved documents, and populations and targets use the same labels. The unit is the
    document, with one label in all topics; or the topic and document, if the group source depends
    on the topic.

    With V the variance of the mean over topics and L = (1 + 1/n)·B that of the labels (B the
    variance of the mean over n draws), the interval is the mean ± t·√(V + L), with the degrees of
    freedom of Rubin. ``'rubin'``, the mean of V over the draws, is conservative: too wide where
    topics have documents of their own, since exact probabilities carry more than one labelling.
    ``'components'`` estimates V and L by an analysis of variance. It is right if the probabilities
    are exact and the documents independent; with five topics it covers 92 % instead of 95 %. For
    200 draws, the error of √L is about 5 %.

    Source: Rubin (1987), chapter 3.

    :param runs: as of :func:`pt_fairness.evaluate`
    :param qrels: ``qid, docno, label`` (or ir_measures' names)
    :param measures: measures of this package without a ``groups`` parameter, or their names. Those
        that refuse weights are possible, too
    :param groups: the group source with weights, such as that of
        :func:`pt_fairness.groups.with_error_rates`; ``None`` for the ``iteration`` of the qrels,
        whose labels are certain
    :param draws: the number of draws, at least 2
    :param interval: how the interval is calculated
    :param confidence: the confidence level
    :param baseline: a system, by name or position, to return differences from; it has no row
    :param seed: the seed of the draws
    :param topics: the topics of transformers, as of :func:`pt_fairness.evaluate`
    :returns: ``name, measure, n`` (topics) and

        * ``mean``: the mean over draws and topics, ``low, high``: its interval, for topics like
          these; NaN for one topic
        * ``label low, label high``: the quantiles of the mean over the draws, for *these* topics.
          For fewer than 39 draws, those at 95 % are the smallest and the largest mean
        * ``share``: the share of the variance that is the labels', L/(V + L), from 0 to 1
        * ``error``: the standard error of ``mean`` because of the number of draws
        * ``most probable``: the mean with the likeliest label of each document

        A topic for which a measure is undefined has the value 0.0, with a warning
    :raises ValueError: a measure, a run or an option that is not possible

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis, groups
    >>> source = groups.from_mapping({"a": {"F": 0.7, "M": 0.3}, "b": "M", "c": "M"})
    >>> qrels = pd.DataFrame({"qid": [*"112233"], "docno": [*"abbcac"], "label": 1})
    >>> run = qrels.assign(score=[2, 1, 1, 2, 2, 1])
    >>> found = analysis.uncertain_labels({"A": run}, qrels, "AWRF@2", source)
    >>> found[["mean", "low", "high", "label low", "label high", "share"]].round(3)
        mean    low   high  label low  label high  share
    0  0.835  0.552  1.117      0.689        0.89  0.526
    """
    wanted = measures_without_groups(measures, "uncertain_labels",
                                     "name the source of the labels with groups=")
    check(confidence, draws, option="draws", least=2)
    one_of("interval", interval, ("rubin", "components"))
    frames, qrels = systems_of(runs, qrels, topics)
    annotations = kept_annotations(qrels, groups, wanted)
    systems = runs_of(frames, annotations.judgments)
    names = list(systems)
    base = None if baseline is None else baseline_of(baseline, names, None)
    # A label that only the target of a measure adds can be drawn: then lists of other measures are
    # longer.
    depth = None if set(annotations.sets.labels) - {*annotations.labels} else depth_of(wanted)
    found = [(run, annotations.of_run(run, depth)) for run in systems.values()]
    drawn = _Draws(annotations, found, draws, seed)
    undefined = np.zeros(len(wanted), int)

    def values(place: int) -> Floats:
        scored = drawn.values(place + 1, *found[place], wanted)
        np.maximum(undefined, np.isnan(scored).sum(axis=2).max(axis=1), out=undefined)
        return np.nan_to_num(scored)

    reference = 0.0 if base is None else values(names.index(base))
    rows = []
    for place, name in enumerate(names):
        if name != base:
            summaries = [_summary(one, interval, confidence) for one in values(place) - reference]
            rows += [{"name": name, "measure": str(measure), **summary}
                     for measure, summary in zip(wanted, summaries, strict=True)]
    warn_of_undefined(wanted, undefined, len(annotations.judgments.topics))
    return pd.DataFrame(rows, columns=["name", "measure", "n", "mean", "low", "high", "label low",
                                       "label high", "share", "error", "most probable"])


def _summary(values: Floats, interval: str, confidence: float) -> dict[str, float]:
    """Return the columns of a system and measure, from ``n`` on.

    :param values: the values in each draw, and with the likeliest labels, ``[draws + 1, T]``
    """
    from scipy import stats
    y, likeliest = values[:-1], float(values[-1].mean())
    n, topics = y.shape
    means, of_topics = y.mean(axis=1), y.mean(axis=0)
    mean, between = means.mean(), means.var(ddof=1)
    if topics == 1:
        low = high = share = math.nan
    else:
        if interval == "rubin":
            within, label = y.var(axis=1, ddof=1).mean() / topics, between
        else:
            residual = y - of_topics - means[:, None] + mean
            error = (residual ** 2).sum() / ((topics - 1) * (n - 1))
            within, label = of_topics.var(ddof=1) / topics, max(0.0, between - error / topics)
        label *= 1 + 1 / n
        low = high = mean
        share, deviation = 0.0, math.sqrt(within + label)
        if round(deviation, TIE_DECIMALS):
            share = label / (within + label)
            free = 1 / ((1 - share) ** 2 / (topics - 1) + share ** 2 / (n - 1))
            half = stats.t.ppf((1 + confidence) / 2, free) * deviation
            low, high = mean - half, mean + half
    ends = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], method="weibull")
    return {"n": topics, "mean": mean, "low": low, "high": high, "label low": ends[0],
            "label high": ends[1], "share": share, "error": math.sqrt(between / n),
            "most probable": likeliest}
