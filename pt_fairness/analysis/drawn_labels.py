"""Values of measures under drawn labels: labels that are uncertain, and simulated wrong labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    kept_annotations,
    measures_without_groups,
    ranked_runs,
    runs_and_qrels,
)
from pt_fairness.analysis.label_sampler import (
    CHAINS,
    effective_draws,
    r_hat,
    sample,
    warn_of_relevance,
)
from pt_fairness.analysis.statistics import check_baseline, check_level
from pt_fairness.core.arrays import TIE_DECIMALS, Floats, Ints, ratio, uniforms
from pt_fairness.core.messages import at_least, is_whole, one_of, shown, warn
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.measure import FairnessMeasure, depth_of, score
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Run

#: The advice on groups in errors.
_SOURCE = "name the source of the labels with groups= (--groups)"
#: The columns of values without draws: with the weights, and with the labels of a model.
EXPECTED, LABELLED = "expected memberships", "as labelled"
#: Why a column of values without draws differs from the mean.
WHY = {
    EXPECTED: f"The {EXPECTED}, as in a table of averages, count a document towards each group "
              "with its probability; a draw gives it one label. By AWRF, rKL and other measures "
              "that are not linear, such mixtures are fairer than rankings of single labels.",
    LABELLED: "The values as labelled use the labels of the model, and human labels where there "
              "are some. The errors of the model mix the groups, so that such values are too fair "
              "or too unfair; the mean over the draws is corrected for them.",
}
#: Warn of fewer independent draws, and of a larger R̂.
LEAST_DRAWS, LARGEST_R_HAT = 50, 1.1


class Documents:
    """The judged and ranked documents whose labels are drawn.

    :param depth: the number of annotated documents of each ranking; ``None`` for all
    :param by_topic: whether a document has a label of its own in each topic
    :param weighted: whether only the labels of documents with weights are drawn
    """

    def __init__(self, annotations: Annotations, runs: Iterable[Run], depth: int | None,
                 by_topic: bool, weighted: bool = False) -> None:
        judgments = annotations.judgments
        self._relevant = annotations.judged_codes
        self._rankings = []
        parts: list[Any] = [(judgments, annotations.pair_codes, annotations.sets)]
        for run in runs:
            rankings = annotations.rankings(run, depth)
            self._rankings.append(rankings)
            parts.append((run, rankings.codes, rankings.sets))
        names = []
        tables = []
        for part, codes, sets in parts:
            qids = np.where(by_topic, judgments.names[part.topic], "")
            name = pd.MultiIndex.from_arrays([qids, part.docnos()])
            names.append(name)
            drawn = sets.any_of(annotations.labels)
            if weighted:
                drawn[:-1] = sets.weighted
            rows = drawn[codes]
            shares = sets.shares(codes[rows], sets.labels)
            table = pd.DataFrame(shares, name[rows])
            tables.append(table.assign(topic=part.topic[rows]))
        table = pd.concat(tables).groupby(level=[0, 1]).min()
        #: The topic of each document; the first in the qrels if it has one label in all topics.
        self.topic = table.pop("topic").to_numpy()
        #: The topic (empty if labels are the same in all topics) and the docno of each document.
        self.names = table.index
        #: The share of each label in the documents, ``[documents, labels]``.
        self.shares = table.to_numpy()
        # The number of the document in each row of the judgments and of each run, −1 for none.
        self._numbers = list(map(table.index.get_indexer, names))

    def values(self, measures: Sequence[FairnessMeasure], labels: Ints,
               bar: str | None = None) -> Floats:
        """Return the values of systems, 0.0 where undefined, ``[draws + 1, systems, measures, T]``.

        The last values are for the documents' own labels. Warn of undefined topics, whose number
        can differ between draws.

        :param labels: the label of each document, ``[documents, draws]``; −1 for its own labels
        :param bar: the text of a progress bar; ``None`` for no bar
        """
        from tqdm import tqdm
        labels = np.pad(labels, [(0, 1), (0, 1)], constant_values=-1)
        judged, *ranked = self._numbers
        scored = []
        for drawn in tqdm(labels.T, bar, unit="draw", disable=bar is None):
            relevant = {rel: _relabelled(codes, drawn[judged])
                        for rel, codes in self._relevant.items()}
            for rankings, numbers in zip(self._rankings, ranked, strict=True):
                codes = _relabelled(rankings.codes, drawn[numbers])
                scores = score(measures, replace(rankings, codes=codes, judged_codes=relevant))
                scored.append([scores[measure] for measure in measures])
        values = np.reshape(scored, (labels.shape[1], len(ranked), len(measures), -1))
        missing = np.isnan(values)
        undefined = missing.sum(axis=3).max(axis=(0, 1))
        counts = [f"{measure} on up to {count} of {values.shape[3]} topics"
                  for measure, count in zip(measures, undefined, strict=True) if count]
        if counts:
            warn("topics for which a measure is undefined have the value 0.0, for every system: "
                 + ", ".join(counts))
        return np.nan_to_num(values)


def _relabelled(codes: Ints, labels: Ints) -> Ints:
    """Return codes with the labels of a draw, −1 for documents that keep their codes."""
    return np.where((codes < 0) | (labels < 0), codes, labels)


def uncertain_labels(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                     groups: Any, draws: int = 200,
                     interval: Literal["rubin", "components"] = "rubin", confidence: float = 0.95,
                     baseline: int | str | None = None, seed: int = 0, *,
                     topics: Any = None) -> pd.DataFrame:
    """Return intervals of mean values that cover uncertain labels and the choice of topics.

    In each draw, every uncertain document has one label. All systems and measures, judged and
    retrieved documents, and populations and targets use the same labels. The unit is the document,
    with one label in all topics; or the topic and document, if the group source depends on the
    topic.

    *Labels of a model*, from :func:`pt_fairness.groups.model_labels`: the true labels of all judged
    and ranked documents are drawn together, by a Gibbs sampler that estimates how often the model
    errs, from the human labels, and the shares of the labels in each topic. Other runs are other
    documents, and so other draws. A document with one label in all topics has the shares of the
    topic that comes first in the qrels. The human labels must be a random sample. The sampler
    assumes that relevant and other documents of a topic have the same shares of labels. If the
    human labels depend on relevance, a warning says that the values can be wrong.
    :func:`pt_fairness.groups.with_error_rates` goes the same way, with error rates that are known.

    *Weights* of a document are read as the probabilities of its labels, and drawn one by one;
    documents without weights are certain. This is right if the probabilities are calibrated for
    each document and topic. Error rates over all topics are not: the drawn rankings are too mixed.

    With V the variance of the mean over topics and L = (1 + 1/n)·B the variance of the labels (B
    the variance of the mean over n draws), the interval is the mean ± t·√(V + L), with the degrees
    of freedom of Rubin. ``'rubin'``, the mean of V over the draws, is conservative: too wide where
    topics have documents of their own, since exact probabilities carry more than one labelling.
    ``'components'`` estimates V and L by an analysis of variance. It is right if the probabilities
    are exact and the documents independent; with five topics it covers 92 % instead of 95 %. For
    200 draws, the error of √L is about 5 %.

    Source: Rubin (1987), chapter 3.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads
    :param qrels: ``qid, docno, label`` (or ir_measures' names)
    :param measures: measures of this package without a ``groups`` parameter, or their names,
        including those that refuse weights
    :param groups: the group source; ``None`` for the ``iteration`` of the qrels, whose labels are
        certain
    :param draws: the number of draws, at least 2. For labels of a model, it is even and at least 4
    :param interval: how the interval is calculated; ``'rubin'`` for labels of a model
    :param confidence: the confidence level
    :param baseline: a system, by name or position, to return differences from; it is left out
    :param seed: the seed of the draws
    :param topics: the topics of transformers
    :returns: ``name, measure, n`` (topics) and

        * ``mean``: the mean over draws and topics, ``low, high``: its interval, for topics like
          these; NaN for one topic
        * ``label low, label high``: the quantiles of the mean over the draws, for *these* topics.
          For fewer than 39 draws, at 95 % they are the smallest and the largest mean
        * ``share``: the share of the labels in the variance, L/(V + L), from 0 to 1
        * ``error``: the standard error of ``mean`` because of the number of draws
        * ``most probable``: the mean with the likeliest label of each document
        * for labels of a model, ``as labelled``: the mean with the labels of the model, and human
          labels where there are some; ``n_eff``, the number of independent draws that are worth as
          much (Geyer 1992), which then replaces n in L and ``error``; and ``r_hat`` (Gelman & Rubin
          1992), near 1 if two chains from different starts agree. NaN if all draws are equal
        * for weights, ``expected memberships``: the mean with the weights themselves, as
          :func:`pt_fairness.evaluate` returns it; NaN for measures that refuse weights

        A topic for which a measure is undefined has the value 0.0, with a warning
    :raises ValueError: if a measure has a ``groups`` parameter or is of another package, if an
        option is out of range, or if no document has a label of the model and a human one

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
    measures = measures_without_groups(measures, "uncertain_labels", _SOURCE)
    check_level(confidence)
    at_least(2, "draws", draws)
    one_of("interval", interval, ("rubin", "components"))
    frames, judged = runs_and_qrels(runs, qrels, topics)
    annotations = kept_annotations(judged, groups, measures)
    judgments = annotations.judgments
    source: Any = annotations.groups
    has_model = isinstance(source, (ModelLabels, WithErrorRates))
    if has_model and interval != "rubin":
        raise ValueError("interval must be 'rubin' for the labels of a model, whose shares are "
                         f"estimated from the same topics, got {interval!r}")
    ranked = ranked_runs(frames, judgments)
    systems = list(ranked)
    against: Any = baseline
    if is_whole(against) and against < len(systems):
        against = systems[against]
    if against is not None:
        check_baseline(against, systems)
    depth = depth_of(measures)
    if len(annotations.sets.labels) > len(annotations.labels):
        # A label that only the target of a measure adds can be drawn: then rankings of other
        # measures are longer.
        depth = None
    by_topic = getattr(source, "by_topic", False)
    documents = Documents(annotations, ranked.values(), depth, by_topic, weighted=not has_model)
    if has_model:
        draws = max(2 * CHAINS, draws + draws % CHAINS)
        docnos = documents.names.get_level_values(1).to_numpy(object)
        labels, agreement = sample(source, annotations.labels, judgments.topics, documents.topic,
                                   docnos, draws, seed)
        if isinstance(source, ModelLabels):
            warn_of_relevance(source.human, judgments)
    else:
        labels = _weight_draws(documents, draws, seed)
    values = documents.values(measures, labels)
    if against is not None:
        place = systems.index(against)
        values = np.delete(values - values[:, [place]], place, axis=1)
        del systems[place]
    values[-1][:, [measure.refuses_weights for measure in measures]] = math.nan
    cells = pd.MultiIndex.from_product([systems, map(str, measures)], names=["name", "measure"])
    values = values.reshape(len(values), len(cells), values.shape[-1])
    means = values.mean(axis=2)
    effective: Any = draws
    columns = {"most probable": means[draws]}
    if has_model:
        chains = means[:draws].T.reshape(-1, *agreement.shape)
        independent = np.array(list(map(effective_draws, chains)))
        effective = np.nan_to_num(independent, nan=draws)
        agreed = np.fmax(list(map(r_hat, chains)), r_hat(agreement))
        few = np.count_nonzero((agreed > LARGEST_R_HAT) | (independent < LEAST_DRAWS))
        if few:
            warn(f"the draws of {few} of {len(cells)} values are too few or disagree: r_hat should "
                 f"be at most {LARGEST_R_HAT} and n_eff at least {LEAST_DRAWS}. Take more draws, "
                 "or label more documents by hand")
        columns |= {LABELLED: means[draws + 1], "n_eff": independent, "r_hat": agreed}
    if getattr(source, "weighted", False):
        columns[EXPECTED] = means[-1]
    summary = _summary(values[:draws], interval, confidence, effective)
    return pd.DataFrame(summary | columns, cells).reset_index()


def _weight_draws(documents: Documents, draws: int, seed: int) -> Ints:
    """Return a label of each document in each draw, and last its likeliest, ``[n, draws + 1]``.

    Warn if all labels are certain.
    """
    shares = documents.shares
    if not len(shares):
        warn("no label is uncertain: no document has two groups with weights, so all draws are "
             "the same. For labels of a model and a sample of human labels, give "
             "groups.model_labels(model, human); for probabilities, a row for each label of a "
             "document, with its probability as the weight")
    limits = shares.cumsum(axis=1)
    # Rounding of the sum must not lead to a label after the last one that is possible.
    limits[limits == limits[:, -1:]] = np.inf
    labels = np.empty((len(shares), draws + 1), np.int32)
    labels[:, -1] = shares.round(TIE_DECIMALS).argmax(axis=1)
    for row, limit, (qid, docno) in zip(labels, limits, documents.names, strict=True):
        u = uniforms(seed, f"{qid}\n{docno}", 0, draws)
        row[:-1] = limit.searchsorted(u, side="right")
    return labels


def _summary(y: Floats, interval: str, confidence: float, effective: Any) -> dict[str, Any]:
    """Return the columns of systems and measures from ``n`` to ``error``.

    :param y: the values in each draw, ``[draws, cells, T]``
    :param effective: the number of independent draws
    """
    from scipy.stats import t
    n, _, topics = y.shape
    free = topics - 1 or math.nan  # the variance of one topic is undefined
    means = y.mean(axis=2)
    mean = means.mean(axis=0)
    between = label = means.var(axis=0, ddof=1)
    within = y.var(axis=2).mean(axis=0) / free
    if interval == "components":
        averages = y.mean(axis=0)
        residuals = (y - averages).var(axis=2) / free
        label = np.maximum(0.0, between - residuals.sum(axis=0) / (n - 1))
        within = averages.var(axis=1) / free
    label = label * (1 + 1 / effective)
    variance = within + label
    share = ratio(label, variance.round(2 * TIE_DECIMALS))
    freedom = 1 / ((1 - share) ** 2 / free + share ** 2 / (n - 1))
    tail = (1 - confidence) / 2
    half = t.ppf(1 - tail, freedom) * np.sqrt(variance)
    low, high = np.quantile(means, [tail, 1 - tail], axis=0, method="weibull")
    return {
        "n": topics, "mean": mean, "low": mean - half, "high": mean + half, "label low": low,
        "label high": high, "share": share, "error": np.sqrt(between / effective),
    }


def label_noise(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                groups: Any, eps: float | Sequence[float], draws: int = 100,
                seed: int = 0, *, topics: Any = None) -> pd.DataFrame:
    """Simulate wrong group labels, and return the change of measures and of the order of systems.

    Automatic and crowd-sourced labels contain errors: Draws et al. (2021), section 5.3. In each
    draw, a share ``eps`` of the annotated (topic, document) pairs, judged or retrieved, has one
    other label instead of its own. Each other label is equally likely. All systems and measures use
    the same wrong labels. The row of a measure depends neither on the other measures nor on the
    order of the input. The function prints a progress bar.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param measures: measures of this package without a ``groups`` parameter, or their names
    :param groups: the source of the true labels; ``None`` for the ``iteration`` of the qrels
    :param eps: one share or several, in [0, 1]
    :param draws: the number of draws, at least 2
    :param seed: the seed of the draws
    :param topics: the topics of transformers
    :returns: ``eps, measure`` and

        * ``bias``: the mean change of a system's mean value, averaged over the systems
        * ``sd``: the standard deviation of that mean value over the draws, averaged over the
          systems
        * ``tau``: the mean of Kendall's τ between the true and the wrong mean values of the
          systems, over the draws for which τ is defined; NaN if there are none, such as for one
          system

        A topic for which a measure is undefined has the value 0.0, with a warning
    :raises ValueError: if a measure has a ``groups`` parameter or is of another package, if a share
        is outside [0, 1], or if there are fewer than two labels

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
    measures = measures_without_groups(measures, "label_noise", _SOURCE)
    shares = np.array(eps, float, ndmin=1)
    if (shares.clip(0, 1) != shares).any():
        raise ValueError(f"eps must be one or several shares in [0, 1], got {shown(eps)}")
    at_least(2, "draws", draws)
    frames, judged = runs_and_qrels(runs, qrels, topics)
    annotations = kept_annotations(judged, groups, measures)
    possible = annotations.labels
    if len(possible) < 2:
        raise ValueError(f"the documents must have at least two labels, got {possible}")
    ranked = ranked_runs(frames, annotations.judgments)
    documents = Documents(annotations, ranked.values(), None, by_topic=True)
    member = documents.shares[:, :len(possible)] > 0
    counts = np.rint(shares * len(member))
    labels = []
    for draw in range(draws):
        rng = np.random.default_rng((seed, draw))
        rank = rng.permutation(len(member)).argsort()
        random = rng.random(member.shape)[rank]
        other = np.where(member, -1.0, random).argmax(axis=1).astype(np.int32)
        # The documents for a smaller share are a subset of the documents for a larger share.
        labels += [np.where(rank < count, other, -1) for count in counts]
    means = documents.values(measures, np.transpose(labels), "label noise").mean(axis=3)
    rows = []
    for (i, share), (j, measure) in itertools.product(enumerate(shares), enumerate(measures)):
        true = pd.Series(means[-1, :, j])
        drawn = pd.DataFrame(means[i:-1:len(shares), :, j])
        tau = math.nan
        if len(true) > 1:
            orders = drawn.round(TIE_DECIMALS)
            tau = orders.corrwith(true.round(TIE_DECIMALS), axis=1, method="kendall").mean()
        bias = (drawn - true).mean()
        rows.append((share, str(measure), bias.mean(), drawn.std().mean(), tau))
    return pd.DataFrame(rows, columns=["eps", "measure", "bias", "sd", "tau"])
