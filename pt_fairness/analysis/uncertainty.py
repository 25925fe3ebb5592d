"""Values under uncertain group labels, whose probabilities are the weights of the documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.arguments import (
    kept_annotations,
    measures_without_groups,
    runs_and_qrels,
    runs_of,
)
from pt_fairness.analysis.columns import TIE_DECIMALS
from pt_fairness.analysis.inference import baseline_of, check
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.identifiers import PairIndex
from pt_fairness.core.messages import at_least, one_of, warn
from pt_fairness.core.streams import uniforms
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.scoring import depth_of, score
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import LabelSets, Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

#: The number of ranked and judged documents in the draws that are scored at a time.
CELLS = 1 << 21


class Draws:
    """Values of measures for drawn labels of documents, the same in the judgments and all runs.

    :param runs: the runs, with the groups of their documents
    :param judged: the label set of each judged document, −1 for none
    :param drawn: returns a mask of the label sets of which the documents get drawn labels
    :param by_topic: whether a document has labels of its own in each topic
    :param cells: the number of ranked and judged documents in the draws that are scored at a time
    """

    #: The label of each document in each draw, ``[documents, draws]``; −1 for its own labels.
    labels: Ints

    def __init__(self, annotations: Annotations, runs: Sequence[tuple[Run, Rankings]], judged: Ints,
                 drawn: Callable[[LabelSets], Bools], by_topic: bool,
                 measures: Sequence[FairnessMeasure], cells: int) -> None:
        self._annotations, self._runs = annotations, runs
        self._measures, self._cells = measures, cells
        #: The largest number of topics of a run and draw for which each measure is undefined.
        self.undefined = np.zeros(len(measures), int)
        parts: list[tuple[Ints, LabelSets, Judgments | Run]] = [
            (judged, annotations.sets, annotations.judgments),
            *((ranked.codes, ranked.sets, run) for run, ranked in runs)]
        self._rows = [np.flatnonzero(np.append(drawn(sets), False)[codes])
                      for codes, sets, _ in parts]
        docnos, topic, shares = (np.concatenate(some) for some in zip(*(
            (part.docnos(own), part.topic[own], sets.shares(codes[own], sets.labels))
            for (codes, sets, part), own in zip(parts, self._rows, strict=True)), strict=True))
        index = PairIndex(topic * by_topic, pd.Series(docnos, dtype=object))
        self._numbers = np.split(index.pair, np.cumsum([len(own) for own in self._rows])[:-1])
        #: The share of each label in the documents, ``[documents, labels]``.
        self.shares = shares[index.first]
        #: The topic (empty if labels are the same in all topics) and the docno of each document.
        self.names = [(annotations.judgments.topics[one] if by_topic else "", docno)
                      for one, docno in zip(index.topic, index.docnos(), strict=True)]

    def _codes(self, part: int, codes: Ints, draws: slice) -> Ints:
        """Return the label sets of documents in some draws, ``[draws · n]``.

        :param part: 0 for the judged documents, 1 for those of the first run, …
        :param codes: the label sets before, ``[n]``; −1 stays −1
        """
        rows, drawn = self._rows[part], self.labels[self._numbers[part], draws].T
        codes = np.tile(codes, (len(drawn), 1))
        codes[:, rows] = np.where((codes[:, rows] >= 0) & (drawn >= 0), drawn, codes[:, rows])
        return codes.ravel()

    def _rankings(self, place: int, draws: slice) -> Rankings:
        """Return the rankings of a run in some draws, with a topic for each topic and draw."""
        _, ranked = self._runs[place]
        codes = self._codes(place + 1, ranked.codes, draws)
        relevant = {rel: self._codes(0, known, draws)
                    for rel, known in self._annotations.by_rel.items()}
        found = ranked.repeated(self.labels[:0, draws].shape[1])
        # Fewer label sets make larger blocks of topics.
        single = LabelSets(ranked.sets.labels)
        several = max(some.max(initial=0) for some in (codes, *relevant.values())) >= len(single)
        return replace(found, codes=codes, relevant=relevant,
                       sets=found.sets if several else single)

    def values(self, place: int) -> Floats:
        """Return the values of a run, 0.0 where undefined, ``[measures, draws, T]``."""
        draws = self.labels.shape[1]
        rows = len(self._runs[place][0].topic) + len(self._annotations.judgments.topic)
        pooled = [one for one in self._measures if one.params.get("target") == "collection"]
        values: dict[FairnessMeasure, Floats] = {}
        for some, step in (([one for one in self._measures if one not in pooled],
                            max(1, self._cells // rows)), (pooled, 1)):
            parts = [score(some, self._rankings(place, slice(start, start + step)))
                     for start in range(0, draws if some else 0, step)]
            values |= {one: np.concatenate([part[one] for part in parts]) for one in some}
        scores = np.array([values[one].reshape(draws, -1) for one in self._measures])
        self.undefined = np.maximum(self.undefined, np.isnan(scores).sum(axis=2).max(axis=1))
        return np.nan_to_num(scores)

    def warn_of_undefined(self) -> None:
        """Warn of undefined topics, whose number can differ between draws."""
        if self.undefined.any():
            topics = len(self._annotations.judgments.topics)
            warn("topics for which a measure is undefined have the value 0.0, for every system: "
                 + ", ".join(f"{measure} on up to {count} of {topics} topics" for measure, count
                             in zip(self._measures, self.undefined, strict=True) if count))


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
                                     "name the source of the labels with groups= (--groups)")
    check(confidence)
    at_least(2, "draws", draws)
    one_of("interval", interval, ("rubin", "components"))
    frames, qrels = runs_and_qrels(runs, qrels, topics)
    annotations = kept_annotations(qrels, groups, wanted)
    systems = runs_of(frames, annotations.judgments)
    names = list(systems)
    base = None if baseline is None else baseline_of(baseline, names, names)
    # A label that only the target of a measure adds can be drawn: then lists of other measures are
    # longer.
    depth = None if set(annotations.sets.labels) - {*annotations.labels} else depth_of(wanted)
    found = [(run, annotations.of_run(run, depth)) for run in systems.values()]
    # Every ``rel`` has the same label set of a judged document, or none.
    judged = np.maximum.reduce([np.full(len(annotations.judgments.topic), -1, np.int32),
                                *annotations.by_rel.values()])
    drawn = Draws(annotations, found, judged, lambda sets: sets.weighted,
                  annotations.groups is not None and annotations.groups.by_topic, wanted, CELLS)
    shares = drawn.shares
    if not ((shares > 0) & (shares < 1)).any():
        warn("no label is uncertain: no document has two groups with weights, so all draws are the "
             "same. Give a document a row for each label, with its probability as the weight")
    drawn.labels = np.empty((len(shares), draws + 1), np.min_scalar_type(-shares.shape[1] - 1))
    drawn.labels[:, -1] = shares.round(TIE_DECIMALS).argmax(axis=1)
    last = shares.shape[1] - 1 - (shares[:, ::-1] > 0).argmax(axis=1)
    for i, (limits, (qid, docno)) in enumerate(zip(shares.cumsum(axis=1), drawn.names,
                                                   strict=True)):
        u = uniforms(seed, f"{qid}\n{docno}", 0, draws)
        drawn.labels[i, :-1] = np.minimum(limits.searchsorted(u, side="right"), last[i])
    reference = 0.0 if base is None else drawn.values(names.index(base))
    rows = [{"name": name, "measure": str(measure), **_summary(one, interval, confidence)}
            for place, name in enumerate(names) if name != base
            for measure, one in zip(wanted, drawn.values(place) - reference, strict=True)]
    drawn.warn_of_undefined()
    return pd.DataFrame(rows, columns=["name", "measure", "n", "mean", "low", "high", "label low",
                                       "label high", "share", "error", "most probable"])


def _summary(values: Floats, interval: str, confidence: float) -> dict[str, float]:
    """Return the columns of a system and measure, from ``n`` on.

    :param values: the values in each draw, and with the likeliest labels, ``[draws + 1, T]``
    """
    from scipy import stats
    y = values[:-1]
    n, topics = y.shape
    free = topics - 1 or math.nan  # one topic has no variance
    means, of_topics = y.mean(axis=1, keepdims=True), y.mean(axis=0)
    mean, between = means.mean(), means.var(ddof=1)
    if interval == "rubin":
        within, label = ((y - means) ** 2).sum() / (n * topics * free), between
    else:
        error = ((y - of_topics - means + mean) ** 2).sum() / (free * (n - 1))
        within = ((of_topics - mean) ** 2).sum() / (topics * free)
        label = max(0.0, between - error / topics)
    label *= 1 + 1 / n
    deviation = math.sqrt(within + label)
    share = label / (within + label) if round(deviation, TIE_DECIMALS) else 0.0
    freedom = 1 / ((1 - share) ** 2 / free + share ** 2 / (n - 1))
    half = stats.t.ppf((1 + confidence) / 2, freedom) * deviation
    ends = np.quantile(means, [(1 - confidence) / 2, (1 + confidence) / 2], method="weibull")
    return {"n": topics, "mean": mean, "low": mean - half, "high": mean + half,
            "label low": ends[0], "label high": ends[1], "share": share,
            "error": math.sqrt(between / n), "most probable": float(values[-1].mean())}
