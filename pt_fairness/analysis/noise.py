"""The effect of wrong group labels on measures and on the order of systems."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    kept_annotations,
    measures_without_groups,
    runs_of,
    systems_of,
    warn_of_undefined,
)
from pt_fairness.arrays import Floats
from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.identifiers import PairIndex, words_of
from pt_fairness.io.named_runs import RunInputs
from pt_fairness.measures.scoring import score
from pt_fairness.messages import shown
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.run import Run
from pt_fairness.tables import TIE_DECIMALS, is_constant


class _Noise:
    """Draw wrong labels for the annotated documents of the qrels and of some runs.

    A document that several runs return for a topic has the same label in all of them.
    """

    def __init__(self, annotations: Annotations, runs: Sequence[Run]) -> None:
        self._annotations = annotations
        judgments, labels, judged = annotations.judgments, annotations.labels, annotations.judged
        #: The runs and the groups of their documents, without a cutoff, so that the draws do not
        #: depend on the cutoffs of the measures.
        self._runs = [(run, annotations.of_run(run, None)) for run in runs]
        topic = np.concatenate([judgments.topic, *(run.topic for run in runs)])
        docnos = np.concatenate([judgments.docnos(slice(None)),
                                 *(run.docnos(slice(None)) for run in runs)])
        documents = PairIndex(topic, pd.Series(docnos, dtype=object))
        ends = np.cumsum([len(judged), *(len(run.topic) for run in runs)])
        #: The index of each judged document, and of the documents of each run.
        self._items = np.split(documents.pair, ends[:-1])
        member = [annotations.sets.shares(judged, labels) > 0,
                  *(found.sets.shares(found.codes, labels) > 0 for _, found in self._runs)]
        #: The labels of each document, a mask ``[documents, L]``.
        self._member = np.concatenate(member)[documents.first]
        annotated = np.flatnonzero(self._member.any(axis=1))
        # Sorted, so that the draws do not depend on the order of rows and runs.
        place = np.argsort(np.argsort(judgments.topics))[documents.topic[annotated]]
        words = words_of(documents.docnos(annotated))
        self._annotated = annotated[np.lexsort((*words.T[::-1], place))]

    def draw(self, eps: float, rng: np.random.Generator) -> list[Rankings]:
        """Return the rankings of each run with wrong labels for a share ``eps`` of the documents.

        Only annotated documents are drawn. A wrong label is one other label in place of the true
        ones. For the same seed, the documents drawn for a smaller ``eps`` are a subset of those for
        a larger one.
        """
        wrong = rng.permutation(self._annotated)[:round(eps * len(self._annotated))]
        member = self._member[wrong]
        replaced = np.full(len(self._member), -1)
        replaced[wrong] = np.where(member, -1.0, rng.random(member.shape)).argmax(axis=1)
        judged, *drawn = (replaced[items] for items in self._items)
        relevant = {rel: np.where((judged >= 0) & (codes >= 0), judged, codes)
                    for rel, codes in self._annotations.by_rel.items()}
        rankings = []
        for (run, found), labels in zip(self._runs, drawn, strict=True):
            codes = np.where(labels >= 0, labels, found.codes)
            true = self._annotations.rankings(run, found._replace(codes=codes))
            rankings.append(replace(true, judged=replace(true.judged, relevant=relevant)))
        return rankings


def label_noise(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                groups: Any, eps: float | Sequence[float], draws: int = 100,
                seed: int = 0, *, topics: Any = None) -> pd.DataFrame:
    """Simulate wrong group labels, and return the change of measures and of the order of systems.

    Automatic and crowd-sourced labels contain errors: Draws et al. (2021), section 5.3. In each
    draw, a share ``eps`` of the annotated (topic, document) pairs, judged or retrieved, has one
    other label instead of its own. Each other label is equally likely. All systems and measures use
    the same wrong labels. The row of a measure depends neither on the other measures nor on the
    order of the input. The function prints a progress bar.

    :param runs: as of :func:`pt_fairness.evaluate`
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param measures: measures of this package without a ``groups`` parameter, or their names
    :param groups: the source of the true labels; ``None`` for the ``iteration`` of the qrels
    :param eps: one share or several, in [0, 1]
    :param draws: the number of draws, at least 2
    :param seed: the seed of the draws
    :param topics: the topics of transformers, as of :func:`pt_fairness.evaluate`
    :returns: ``eps, measure`` and

        * ``bias``: the mean change of a system's mean value, averaged over the systems
        * ``sd``: the standard deviation of that mean value over the draws, averaged over the
          systems
        * ``tau``: the mean of Kendall's τ between the true and the wrong mean values of the
          systems, over the draws for which τ is defined; NaN if there are none, as for one system

        A topic for which a measure is undefined has the value 0.0, with a warning
    :raises ValueError: a measure or run that is not possible, fewer than two labels, or a share
        outside [0, 1]

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "PRO", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "score": [4, 3, 2, 1]})
    >>> analysis.label_noise({"A": run}, qrels, "BiasP@3", None, [0.0, 1.0], draws=2)
       eps  measure  bias   sd  tau
    0  0.0  BiasP@3   0.0  0.0  NaN
    1  1.0  BiasP@3  -2.0  0.0  NaN
    """
    from tqdm import tqdm
    wanted = measures_without_groups(measures, "label_noise",
                                     "name the source of the labels with groups=")
    shares = np.atleast_1d(np.asarray(eps, float)).tolist()
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"eps={shown(eps)}: each share of wrong labels has to be in [0, 1]")
    if draws < 2:
        raise ValueError(f"draws={draws}: a standard deviation needs at least two draws")
    frames, qrels = systems_of(runs, qrels, topics)
    annotations = kept_annotations(qrels, groups, wanted)
    if len(annotations.labels) < 2:
        raise ValueError("a wrong label needs at least two labels, and the documents have "
                         f"{', '.join(annotations.labels) or 'none'}")
    systems = list(runs_of(frames, annotations.judgments).values())
    noise = _Noise(annotations, systems)
    undefined = np.zeros(len(wanted), int)

    def means(eps: float, *seeds: int) -> Floats:
        """Return the mean value of each measure and system, ``[measures, systems]``."""
        found = [score(wanted, one) for one in noise.draw(eps, np.random.default_rng(seeds))]
        scores = np.array([[values[measure] for values in found] for measure in wanted])
        np.maximum(undefined, np.isnan(scores).sum(axis=2).max(axis=1), out=undefined)
        return np.asarray(np.nan_to_num(scores).mean(axis=2))

    true = means(0.0, seed)
    each = tqdm(list(itertools.product(shares, range(draws))), desc="label noise", unit="draw")
    drawn = np.array([means(share, seed, i) for share, i in each])
    rows = [_row(share, measure, true[m], values[:, m])
            for share, values in zip(shares, drawn.reshape(-1, draws, *true.shape), strict=True)
            for m, measure in enumerate(wanted)]
    warn_of_undefined(wanted, undefined, len(annotations.judgments.topics))
    return pd.DataFrame(rows, columns=["eps", "measure", "bias", "sd", "tau"])


def _row(share: float, measure: FairnessMeasure, true: Floats, drawn: Floats) -> tuple[Any, ...]:
    """Return a row of the result: ``eps, measure, bias, sd, tau``.

    :param true: the mean values, ``[systems]``
    :param drawn: the mean values with wrong labels, ``[draws, systems]``
    """
    return (share, str(measure), (drawn - true).mean(), drawn.std(axis=0, ddof=1).mean(),
            pd.Series([_tau(true, values) for values in drawn]).mean())


def _tau(x: Floats, y: Floats) -> float:
    """Return Kendall's τ, or NaN if all values of ``x`` or of ``y`` are equal."""
    from scipy import stats
    if is_constant(x) or is_constant(y):
        return math.nan
    return float(stats.kendalltau(x.round(TIE_DECIMALS), y.round(TIE_DECIMALS)).statistic)
