"""What wrong group labels would change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.collection import annotations_of, judgments_of, ranked, tell, without_groups
from pt_fairness.analysis.statistics import mean_of
from pt_fairness.analysis.tables import TIE_DECIMALS, is_constant
from pt_fairness.numerics import Floats, Ints
from pt_fairness.ranking import Annotations, PairIndex, Rankings, Run, warn, words_of

if TYPE_CHECKING:
    from pt_fairness.groups import Groups


class _WrongLabels:
    """Annotations of which some are replaced.

    :param codes: ``[pairs]``, the label set of each judged pair where it is replaced, −1 elsewhere
    """

    def __init__(self, annotations: Annotations, codes: Ints) -> None:
        self._annotations, self._codes = annotations, codes
        self.judgments, self.sets, self.labels = annotations.judgments, annotations.sets, annotations.labels

    def relevant(self, rel: int) -> Ints:
        """As :meth:`Annotations.relevant`."""
        codes = self._annotations.relevant(rel)
        return np.where((self._codes >= 0) & (codes >= 0), self._codes, codes)


class _Noise:
    """Draws wrong labels for the annotated documents of the qrels and of some runs; a document that several runs return
    for a topic is one document.
    """

    def __init__(self, annotations: Annotations, runs: Sequence[Run]) -> None:
        self._annotations = annotations
        judged = annotations.judged
        # The whole lists: what is drawn must not depend on how deep the measures look.
        listed = [annotations.of_run(run, None) for run in runs]
        new = [np.flatnonzero((run.pair < 0) & (codes >= 0)) for run, (codes, _) in zip(runs, listed, strict=True)]
        docnos = np.concatenate([run.docnos(rows) for run, rows in zip(runs, new, strict=True)])
        topic = np.concatenate([run.topic[rows] for run, rows in zip(runs, new, strict=True)])
        unjudged = PairIndex(topic, words_of(pd.Series(docnos, dtype="str")))
        self._pairs = len(judged)
        self._codes = np.concatenate([judged, np.concatenate(
            [codes[rows] for rows, (codes, _) in zip(new, listed, strict=True)])[unjudged.first]])
        #: Per run: the run, its documents' label sets, the number of each document, the lengths of its lists.
        self._runs = []
        start = 0
        for run, rows, (codes, length) in zip(runs, new, listed, strict=True):
            item = run.pair.astype(np.int64)
            item[rows] = self._pairs + unjudged.pair[start:start + len(rows)]
            start += len(rows)
            self._runs.append((run, codes, item, length))
        own = annotations.sets.label_codes(annotations.labels)
        #: The label set of each label alone.
        self._alone = annotations.sets.code(np.arange(len(own)), own, len(own))
        self._member = annotations.sets.member(annotations.labels)
        annotated = np.flatnonzero(np.append(self._member.any(axis=1), False)[self._codes])
        # In an order that neither the rows nor the runs have a part in.
        topics = np.argsort(np.argsort(annotations.judgments.topics))
        topic = np.concatenate([annotations.judgments.topic, topic[unjudged.first]])[annotated]
        docnos = np.concatenate([annotations.judgments.docnos(slice(None)), docnos[unjudged.first]])[annotated]
        words = words_of(pd.Series(docnos, dtype="str"))
        self._annotated = annotated[np.lexsort((*words.T[::-1], topics[topic]))]

    def draw(self, eps: float, rng: np.random.Generator) -> list[Rankings]:
        """What the measures see of each run if a share ``eps`` of the annotated documents has one other label instead.

        With the same generator, what is wrong for a smaller ``eps`` is wrong, in the same way, for a larger one.
        """
        wrong = rng.permutation(self._annotated)[:round(eps * len(self._annotated))]
        keys = np.where(self._member[self._codes[wrong]], -1.0, rng.random((len(wrong), self._member.shape[1])))
        replaced = np.full(len(self._codes) + 1, -1)
        replaced[wrong] = self._alone[keys.argmax(axis=1)]
        annotations = _WrongLabels(self._annotations, replaced[:self._pairs])
        return [Rankings(run, annotations, np.where(replaced[item] >= 0, replaced[item], codes), length)
                for run, codes, item, length in self._runs]


def label_noise(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, measures: Any, groups: str | Groups | None,
                eps: float | Sequence[float], n: int = 100, seed: int = 0) -> pd.DataFrame:
    """How far measures, and the order of the systems, move if a share of the group labels is wrong.

    Automatic and crowd-sourced labels are: the limitation that Draws et al. (2021), section 5.3, name first. ``n`` times, a
    share ``eps`` of the annotated (topic, document) pairs, judged or retrieved, gets one label that it does not have, each
    with the same probability. All systems and all measures see the same wrong labels, so what a measure's row says does not
    depend on the other measures, nor on any order. Prints a progress bar.

    :param runs: frames by system name (``qid, docno, score``, or ir_measures' names)
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``, ``iteration``
    :param measures: of this package, without a ``groups`` parameter
    :param groups: where the true labels come from; ``None`` for ``iteration``
    :param eps: one share or several, in [0, 1]
    :param n: how many times the labels are drawn, at least 2
    :param seed: the same seed gives the same result
    :returns: ``eps, measure, bias, sd, tau``: the mean change of a system's mean value, the standard deviation of that value
        over the draws (the mean of both over the systems), and the mean of Kendall's τ between the systems' true and wrong
        values over the draws that have one: NaN where none has (one system, or the same value of all). A topic that is
        undefined has the value 0.0, with a warning
    :raises ValueError: a measure that is not known or not possible, fewer than two labels, a share
        outside of [0, 1], runs that are no frames by name
    """
    from tqdm import tqdm
    wanted = without_groups(measures, "label_noise", "say with groups= where the labels come from")
    shares = np.atleast_1d(np.asarray(eps, float)).tolist()
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"eps={eps!r}: each share of wrong labels has to be in [0, 1]")
    if n < 2:
        raise ValueError(f"n={n}: at least two draws are needed for a standard deviation")
    annotations = _of_kept_topics(qrels, groups)
    systems = list(ranked(runs, annotations.judgments, "label_noise").values())
    if not systems:
        raise ValueError("label_noise needs at least one run")
    for measure in wanted:
        annotations.check(measure, tell)
    noise = _Noise(annotations, systems)
    undefined_topics = dict.fromkeys(wanted, 0)

    def means(views: list[Rankings]) -> Floats:
        scores = np.array([[measure.scores(view) for view in views] for measure in wanted])
        for measure, count in zip(wanted, np.isnan(scores).sum(axis=2).max(axis=1), strict=True):
            undefined_topics[measure] = max(undefined_topics[measure], int(count))
        return np.asarray(np.nan_to_num(scores).mean(axis=2))

    true = means(noise.draw(0.0, np.random.default_rng(seed)))
    rows = []
    with tqdm(total=len(shares) * n, desc="label noise", unit="draw") as bar:
        for share in shares:
            draws = []
            for i in range(n):
                draws.append(means(noise.draw(share, np.random.default_rng([seed, i]))))
                bar.update()
            values = np.array(draws)
            for m, measure in enumerate(wanted):
                taus = [tau for tau in (_tau(true[m], drawn) for drawn in values[:, m]) if not math.isnan(tau)]
                rows.append({"eps": share, "measure": str(measure), "bias": (values[:, m] - true[m]).mean(),
                             "sd": values[:, m].std(axis=0, ddof=1).mean(), "tau": mean_of(np.array(taus))})
    if any(undefined_topics.values()):
        warn("topics with nothing to compare with have the value 0.0, for every system: "
             + ", ".join(f"{measure} on up to {count} of {len(annotations.judgments.topics)} topics"
                         for measure, count in undefined_topics.items() if count))
    return pd.DataFrame(rows, columns=["eps", "measure", "bias", "sd", "tau"])


def _of_kept_topics(qrels: pd.DataFrame, groups: str | Groups | None) -> Annotations:
    """Annotations without the topics that the groups drop.

    :raises ValueError: no topic is left; fewer than two labels
    """
    annotations = annotations_of(judgments_of(qrels), groups)
    if annotations.groups is not None and annotations.groups.topics is not None:
        kept = annotations.groups.to_qrels(qrels)
        if kept.empty:
            raise ValueError(f"{annotations.groups!r} drops all topics of the qrels")
        annotations = annotations_of(judgments_of(kept), groups)
    if len(annotations.labels) < 2:
        raise ValueError(f"a wrong label needs two labels, and there is {', '.join(annotations.labels) or 'none'}")
    return annotations


def _tau(x: Floats, y: Floats) -> float:
    from scipy import stats
    if is_constant(x) or is_constant(y):
        return math.nan
    return float(stats.kendalltau(x.round(TIE_DECIMALS), y.round(TIE_DECIMALS)).statistic)
