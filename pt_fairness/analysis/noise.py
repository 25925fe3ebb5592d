"""The effect of wrong group labels on measures and on the order of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.arguments import (
    kept_annotations,
    measures_without_groups,
    runs_and_qrels,
    runs_of,
)
from pt_fairness.analysis.columns import TIE_DECIMALS
from pt_fairness.analysis.uncertainty import Draws
from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import at_least, shown
from pt_fairness.io.run_files import RunInputs


def label_noise(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                groups: Any, eps: float | Sequence[float], draws: int = 100,
                seed: int = 0, *, topics: Any = None) -> pd.DataFrame:
    """Simulate wrong group labels, and return the change of measures and of the order of systems.

    Automatic and crowd-sourced labels contain errors: Draws et al. (2021), section 5.3. In each
    draw, a share ``eps`` of the annotated (topic, document) pairs, judged or retrieved, has one
    other label instead of its own. Each other label is equally likely. All systems and measures use
    the same wrong labels. The row of a measure depends neither on the other measures nor on the
    order of the input. The function prints a progress bar
    for each share.

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
    from scipy import stats
    from tqdm import tqdm
    wanted = measures_without_groups(measures, "label_noise",
                                     "name the source of the labels with groups= (--groups)")
    shares = np.atleast_1d(np.asarray(eps, float)).tolist()
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"eps={shown(eps)}: each share of wrong labels has to be in [0, 1]")
    at_least(2, "draws", draws)
    frames, qrels = runs_and_qrels(runs, qrels, topics)
    annotations = kept_annotations(qrels, groups, wanted)
    if len(annotations.labels) < 2:
        raise ValueError("a wrong label needs at least two labels, and the documents have "
                         f"{', '.join(annotations.labels) or 'none'}")
    systems = [(run, annotations.of_run(run, None))
               for run in runs_of(frames, annotations.judgments).values()]
    drawn = Draws(annotations, systems, annotations.pair_codes,
                  lambda sets: sets.any_of(annotations.labels)[:-1], True, wanted, 1)
    # Sorted, so that the draws do not depend on the order of rows and runs.
    documents = np.array(sorted(range(len(drawn.names)), key=drawn.names.__getitem__), np.intp)
    member = drawn.shares[:, :len(annotations.labels)] > 0

    def means(eps: float, seeds: Sequence[Any]) -> Floats:
        """Return the mean values with wrong labels for a share of the documents, for each seed.

        For the same seed, the documents for a smaller share are a subset of those for a larger one.

        :returns: ``[systems, measures, seeds]``
        """
        drawn.labels = np.full((len(documents), len(seeds)), -1)
        for i, own in enumerate(seeds):
            rng = np.random.default_rng(own)
            wrong = rng.permutation(documents)[:round(eps * len(documents))]
            drawn.labels[wrong, i] = np.where(member[wrong], -1.0, rng.random(
                (len(wrong), member.shape[1]))).argmax(axis=1)
        return np.array([drawn.values(place).mean(axis=2) for place in tqdm(
            range(len(systems)), desc=f"label noise, eps={eps:g}", unit="run")])

    true = means(0.0, [seed])
    rows = []
    for share in shares:
        values = means(share, [(seed, i) for i in range(draws)])
        rows += [(share, str(measure), (own - sure).mean(), own.std(axis=1, ddof=1).mean(),
                  pd.Series([stats.kendalltau(sure[:, 0].round(TIE_DECIMALS),
                                              one.round(TIE_DECIMALS)).statistic
                             for one in own.T]).mean())
                 for measure, sure, own in zip(wanted, true.swapaxes(0, 1), values.swapaxes(0, 1),
                                               strict=True)]
    drawn.warn_of_undefined()
    return pd.DataFrame(rows, columns=["eps", "measure", "bias", "sd", "tau"])
