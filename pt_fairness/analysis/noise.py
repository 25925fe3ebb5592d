"""What wrong group labels would change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.collection import annotations_of, judgments_of, ranked, tell, without_groups
from pt_fairness.analysis.statistics import mean_of
from pt_fairness.analysis.tables import TIE_DECIMALS, is_constant
from pt_fairness.identifiers import PairIndex
from pt_fairness.measures.scoring import rels_of, score
from pt_fairness.numerics import Bools, Floats, Ints
from pt_fairness.provider.evaluator import check_labels
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelsets import LabelSets
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.run import Run
from pt_fairness.text import warn

if TYPE_CHECKING:
    from pt_fairness.groups import Groups


class _Noise:
    """Draw wrong labels for the annotated documents of the qrels and of some runs.

    A document that several runs return for a topic is one document.
    """

    def __init__(self, annotations: Annotations, runs: Sequence[Run]) -> None:
        self._annotations = annotations
        judgments, labels = annotations.judgments, annotations.labels
        judged = annotations.judged
        # The whole lists: what is drawn must not depend on how deep the measures look.
        #: The runs and the groups of their documents.
        self._runs = [(run, annotations.of_run(run, None)) for run in runs]
        new = [np.flatnonzero((run.pair < 0) & (found.codes >= 0)) for run, found in self._runs]
        topic = np.concatenate([run.topic[rows] for run, rows in zip(runs, new, strict=True)])
        docnos = np.concatenate([run.docnos(rows) for run, rows in zip(runs, new, strict=True)])
        unjudged = PairIndex(topic, pd.Series(docnos, dtype=object))
        #: For each run, the number of each document: of its pair, or after those if unjudged.
        self._items = []
        start = 0
        for run, rows in zip(runs, new, strict=True):
            item = run.pair.astype(np.int64)
            item[rows] = len(judged) + unjudged.pair[start:start + len(rows)]
            start += len(rows)
            self._items.append(item)
        #: Which labels each document has, ``[documents, L]``.
        self._member = np.concatenate([
            _members(annotations.sets, judged, labels),
            np.concatenate([_members(found.sets, found.codes[rows], labels)
                            for rows, (_, found) in zip(new, self._runs, strict=True)]
                           )[unjudged.first]])
        annotated = np.flatnonzero(self._member.any(axis=1))
        # In an order that does not depend on the order of rows and runs.
        place = np.argsort(np.argsort(judgments.topics))
        topic = place[np.concatenate([judgments.topic, unjudged.topic])[annotated]]
        docnos = np.concatenate([judgments.docnos(slice(None)), unjudged.docnos()])[annotated]
        self._annotated = annotated[np.lexsort((docnos.astype(str), topic))]

    def draw(self, eps: float, rng: np.random.Generator) -> list[Rankings]:
        """Return the rankings of each run if a share ``eps`` of the annotated documents is wrong.

        A wrong document has one other label instead of its own. With the same generator, what is
        wrong for a smaller ``eps`` is wrong, in the same way, for a larger one.
        """
        wrong = rng.permutation(self._annotated)[:round(eps * len(self._annotated))]
        member = self._member[wrong]
        replaced = np.full(len(self._member) + 1, -1)
        replaced[wrong] = np.where(member, -1.0, rng.random(member.shape)).argmax(axis=1)
        judged = replaced[:len(self._annotations.judgments.topic)]
        rankings = []
        for (run, found), item in zip(self._runs, self._items, strict=True):
            codes = np.where(replaced[item] >= 0, replaced[item], found.codes)
            true = self._annotations.rankings(run, found._replace(codes=codes))
            relevant = {rel: np.where((judged >= 0) & (codes >= 0), judged, codes)
                        for rel, codes in true.judged.relevant.items()}
            rankings.append(replace(true, judged=replace(true.judged, relevant=relevant)))
        return rankings


def _members(sets: LabelSets, codes: Ints, labels: Sequence[str]) -> Bools:
    """Return which labels documents have, ``[len(codes), len(labels)]``."""
    return (sets.shares(np.maximum(codes, 0), labels) > 0) & (codes >= 0)[:, None]


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
    added = {label for measure in wanted for label in measure.added_labels}
    annotations = _of_kept_topics(qrels, groups, rels_of(wanted), added)
    systems = list(ranked(runs, annotations.judgments, "label_noise").values())
    if not systems:
        raise ValueError("label_noise needs at least one run")
    for measure in wanted:
        check_labels(measure, annotations, tell)
    noise = _Noise(annotations, systems)
    undefined_topics = dict.fromkeys(wanted, 0)

    def means(views: list[Rankings]) -> Floats:
        found = [score(wanted, view) for view in views]
        scores = np.array([[values[measure] for values in found] for measure in wanted])
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


def _of_kept_topics(qrels: pd.DataFrame, groups: str | Groups | None, rels: Iterable[int | None],
                    added: Iterable[str]) -> Annotations:
    """Annotations without the topics that the groups drop.

    :raises ValueError: no topic is left; fewer than two labels
    """
    annotations = annotations_of(judgments_of(qrels), groups, rels, added)
    if annotations.groups is not None and annotations.groups.topics is not None:
        kept = annotations.groups.to_qrels(qrels)
        if kept.empty:
            raise ValueError(f"{annotations.groups!r} drops all topics of the qrels")
        annotations = annotations_of(judgments_of(kept), groups, rels, added)
    if len(annotations.labels) < 2:
        raise ValueError(f"a wrong label needs two labels, and there is {', '.join(annotations.labels) or 'none'}")
    return annotations


def _tau(x: Floats, y: Floats) -> float:
    from scipy import stats
    if is_constant(x) or is_constant(y):
        return math.nan
    return float(stats.kendalltau(x.round(TIE_DECIMALS), y.round(TIE_DECIMALS)).statistic)
