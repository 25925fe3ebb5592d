"""Values under drawn labels: uncertain labels, whose probabilities are weights, and wrong ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    kept_annotations,
    measures_without_groups,
    runs_and_qrels,
    runs_of,
)
from pt_fairness.analysis.label_sampler import (
    CHAINS,
    effective_draws,
    r_hat,
    sample,
    warn_of_relevance,
)
from pt_fairness.analysis.statistics import check_baseline, check_level
from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Floats, Ints, uniforms
from pt_fairness.core.identifiers import PairIndex
from pt_fairness.core.messages import at_least, is_whole, one_of, shown, warn
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.measure import FairnessMeasure, depth_of, score
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import LabelSets, Rankings
from pt_fairness.rankings.trec_order import Run

#: The number of ranked and judged documents in the draws that are scored at a time.
CELLS = 1 << 21
#: The runs, with the groups of their documents.
_Systems = Sequence[tuple[Run, Rankings]]
#: The advice on groups in errors.
_SOURCE = "name the source of the labels with groups= (--groups)"
#: The columns of :func:`uncertain_labels`.
_COLUMNS = ("name", "measure", "n", "mean", "low", "high", "label low", "label high", "share",
            "error", "most probable")
#: The columns of the values of weights, and of those of a model's labels; both without draws.
EXPECTED, LABELLED = "expected memberships", "as labelled"
#: The further columns for a model's labels.
_OF_MODELS = (LABELLED, "n_eff", "r_hat")
#: Why a column of values without draws differs from the mean.
WHY = {
    EXPECTED: f"The {EXPECTED}, as in a table of averages, count a document towards each group "
              "with its probability; a draw gives it one label. By AWRF, rKL and other measures "
              "that are not linear, such mixtures are fairer than lists of single labels.",
    LABELLED: "The values as labelled are those of the model's labels, and the human ones where "
              "there are some. The errors of the model mix the groups, so that such values are "
              "too fair or too unfair; the mean over the draws is corrected for them.",
}
#: Warn of fewer independent draws, and of a larger R̂.
LEAST_DRAWS, LARGEST_R_HAT = 50, 1.1


class Draws:
    """Values of measures for drawn labels of documents, the same in the judgments and all runs.

    :param systems: the runs, with the groups of their documents
    :param judged: the label set of each judged document, −1 for none
    :param drawn: returns a mask of the label sets whose documents get drawn labels. The last
        element is that of documents without labels, False.
    :param by_topic: whether a document has labels of its own in each topic
    """

    #: The label of each document in each draw, ``[documents, draws]``; −1 for its own labels.
    labels: Ints

    def __init__(self, annotations: Annotations, systems: _Systems,
                 judged: Ints, drawn: Callable[[LabelSets], Bools], by_topic: bool,
                 measures: Sequence[FairnessMeasure]) -> None:
        self.systems = systems
        self._measures = measures
        #: The largest number of topics of each run and draw for which each measure is undefined.
        self._undefined: list[Ints] = []
        judgments = self._judgments = annotations.judgments
        parts: list[Any] = [(judgments, judged, annotations.sets)]
        parts += [(run, ranked.codes, ranked.sets) for run, ranked in systems]
        # The documents of each part with drawn labels.
        self._rows = []
        topics = []
        docnos = []
        shares = []
        for documents, codes, sets in parts:
            is_drawn = drawn(sets)
            rows = np.flatnonzero(is_drawn[codes])
            of_rows = sets.shares(codes[rows], sets.labels)
            self._rows.append(rows)
            topics.append(documents.topic[rows])
            docnos.append(documents.docnos(rows))
            shares.append(of_rows)
        topic = np.concatenate(topics)
        names = pd.Series(np.concatenate(docnos), dtype=object)
        index = PairIndex(topic * by_topic, names)
        ends = np.cumsum([len(rows) for rows in self._rows])
        self._numbers = np.split(index.pair, ends[:-1])
        #: The share of each label in the documents, ``[documents, labels]``.
        self.shares = np.concatenate(shares)[index.first]
        of_documents = pd.Series(topic).groupby(index.pair)
        #: The topic of each document; the first in the qrels if labels are the same in all topics.
        self.topic = of_documents.min().to_numpy()
        self.docnos = index.docnos()
        qids = judgments.names[index.topic]
        if not by_topic:
            qids[:] = ""
        #: The topic (empty if labels are the same in all topics) and the docno of each document.
        self.names = list(zip(qids, self.docnos, strict=True))

    def _codes(self, part: int, codes: Ints, labels: Ints) -> Ints:
        """Return the label sets of documents in some draws, ``[draws · n]``.

        :param part: 0 for the judged documents, 1 for those of the first run, …
        :param codes: the label sets before, ``[n]``; −1 stays −1
        :param labels: :attr:`labels` in these draws
        """
        rows = self._rows[part]
        numbers = self._numbers[part]
        drawn = labels[numbers].T
        codes = np.tile(codes, (len(drawn), 1))
        before = codes[:, rows]
        is_new = (before >= 0) & (drawn >= 0)
        codes[:, rows] = np.where(is_new, drawn, before)
        return codes.ravel()

    def _rankings(self, place: int, labels: Ints) -> Rankings:
        """Return the rankings of a run in some draws. Each draw has topics of its own.

        :param labels: :attr:`labels` in these draws
        """
        ranked = self.systems[place][1]
        codes = self._codes(place + 1, ranked.codes, labels)
        relevant = {rel: self._codes(0, of_rel, labels) for rel, of_rel in ranked.relevant.items()}
        times = labels.shape[1]
        repeated = ranked.repeated(times)
        sets = ranked.sets
        # Fewer label sets make larger blocks of topics.
        single = LabelSets(sets.labels)
        largest = [of_documents.max(initial=-1) for of_documents in (codes, *relevant.values())]
        if max(largest) < len(single):
            sets = single
        return replace(repeated, codes=codes, relevant=relevant, sets=sets)

    def values(self, place: int) -> Floats:
        """Return the values of a run, 0.0 where undefined, ``[measures, draws, T]``."""
        run = self.systems[place][0]
        documents = len(run.topic) + len(self._judgments.topic)
        step = max(1, CELLS // documents)
        if any(measure.params.get("target") == "collection" for measure in self._measures):
            step = 1  # a target of all topics is that of one draw
        draws = self.labels.shape[1]
        parts = []
        for start in range(0, draws, step):
            labels = self.labels[:, start:start + step]
            rankings = self._rankings(place, labels)
            scores = score(self._measures, rankings)
            parts.append([scores[measure] for measure in self._measures])
        of_measures = np.concatenate(parts, axis=1)
        values = of_measures.reshape(len(of_measures), draws, -1)
        undefined = np.isnan(values).sum(axis=2)
        self._undefined.append(undefined.max(axis=1))
        return np.nan_to_num(values)

    def warn_of_undefined(self) -> None:
        """Warn of undefined topics, whose number can differ between draws."""
        topics = len(self._judgments.topics)
        largest = np.max(self._undefined, axis=0)
        counts = [f"{measure} on up to {count} of {topics} topics"
                  for measure, count in zip(self._measures, largest, strict=True) if count]
        if counts:
            warn("topics for which a measure is undefined have the value 0.0, for every system: "
                 + ", ".join(counts))


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
    topic that comes first in the qrels. The human labels have to be those of a random sample. The
    sampler assumes that relevant and other documents of a topic have the same shares of labels. If
    the human labels depend on relevance, a warning says that the values can be wrong.
    :func:`pt_fairness.groups.with_error_rates` goes the same way, with error rates that are known.

    *Weights* of a document are read as the probabilities of its labels, and drawn one by one;
    documents without weights are certain. This is right if the probabilities are calibrated for
    each document and topic. Error rates over all topics are not: the drawn lists are too mixed.

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
    :param groups: the group source; ``None`` for the ``iteration`` of the qrels, whose labels are
        certain
    :param draws: the number of draws, at least 2. For labels of a model, it is even and at least 4
    :param interval: how the interval is calculated; ``'rubin'`` for labels of a model
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
        * for labels of a model, ``as labelled``: the mean with the model's labels, and the human
          ones where there are some; ``n_eff``, the number of independent draws that are worth as
          much (Geyer 1992), which then replaces n in L and ``error``; and ``r_hat`` (Gelman & Rubin
          1992), near 1 if two chains from different starts agree. NaN if all draws are equal
        * for weights, ``expected memberships``: the mean with the weights themselves, as
          :func:`pt_fairness.evaluate` returns it; NaN for measures that refuse weights

        A topic for which a measure is undefined has the value 0.0, with a warning
    :raises ValueError: a measure, a run or an option that is not possible, or no document has a
        label of the model and a human one

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
    source = annotations.groups
    ranked = runs_of(frames, annotations.judgments)
    names = list(ranked)
    base = -1
    if baseline is not None:
        if is_whole(baseline) and baseline < len(names):
            baseline = names[baseline]
        check_baseline(baseline, names)
        base = names.index(baseline)
    depth = depth_of(measures)
    if not set(annotations.sets.labels) <= set(annotations.labels):
        # A label that only the target of a measure adds can be drawn: then lists of other measures
        # are longer.
        depth = None
    systems = [(run, annotations.of_run(run, depth)) for run in ranked.values()]
    columns = [*_COLUMNS]
    agreement = None
    if isinstance(source, (ModelLabels, WithErrorRates)):
        if interval != "rubin":
            raise ValueError("interval='components' is not possible for the labels of a model: the "
                             "shares of the labels are estimated from the same topics; use 'rubin'")
        drawn, agreement = _draws_of_model(annotations, systems, measures, draws, seed)
        columns += _OF_MODELS
    else:
        drawn = _draws_of_weights(annotations, systems, measures, draws, seed)
    weighted = source is not None and source.weighted
    if weighted:
        columns.append(EXPECTED)
    base_system = []
    reference: Any = 0.0
    if base >= 0:
        base_system = [systems[base]]
        reference = drawn.values(base)
    rows = []
    for place, name in enumerate(names):
        if place == base:
            continue
        compared = [systems[place], *base_system]
        values = drawn.values(place) - reference
        for measure, of_measure in zip(measures, values, strict=True):
            if agreement is None:
                summary = _summary(of_measure[:-1], interval, confidence, draws)
                summary["most probable"] = of_measure[-1].mean()
            else:
                summary = _summary_of_chains(of_measure, agreement, confidence)
            if weighted:
                summary[EXPECTED] = _expected(measure, compared)
            rows.append({"name": name, "measure": str(measure), **summary})
    drawn.warn_of_undefined()
    table = pd.DataFrame(rows, columns=columns)
    if agreement is not None:
        _warn_of_chains(table)
    return table


def _draws_of_model(annotations: Annotations, systems: _Systems,
                    measures: Sequence[FairnessMeasure], draws: int,
                    seed: int) -> tuple[Draws, Floats]:
    """Return draws of the labels of a model, and their agreement with it: see :func:`sample`."""
    source: Any = annotations.groups
    labels = annotations.labels
    drawn = Draws(annotations, systems, annotations.pair_codes, lambda sets: sets.any_of(labels),
                  source.by_topic, measures)
    draws = max(2 * CHAINS, draws + draws % CHAINS)
    topics = annotations.judgments.topics
    drawn.labels, agreement = sample(source, labels, topics, drawn.topic, drawn.docnos, draws, seed)
    if isinstance(source, ModelLabels):
        warn_of_relevance(source.human, annotations.judgments)
    return drawn, agreement


def _draws_of_weights(annotations: Annotations, systems: _Systems,
                      measures: Sequence[FairnessMeasure], draws: int, seed: int) -> Draws:
    """Return draws of the labels that weights make uncertain; warn if none is uncertain."""
    source = annotations.groups
    by_topic = source is not None and source.by_topic
    # A group source gives a document one label set, for every ``rel`` up to its relevance.
    codes = np.full_like(annotations.judgments.topic, -1)
    for of_rel in annotations.by_rel.values():
        codes = np.maximum(codes, of_rel)
    drawn = Draws(annotations, systems, codes, lambda sets: np.append(sets.weighted, False),
                  by_topic, measures)
    if not ((drawn.shares > 0) & (drawn.shares < 1)).any():
        warn("no label is uncertain: no document has two groups with weights, so all draws are "
             "the same. For labels of a model and a sample of human labels, give "
             "groups.model_labels(model, human); for probabilities, a row for each label of a "
             "document, with its probability as the weight")
    drawn.labels = _drawn(drawn, draws, seed)
    return drawn


def _expected(measure: FairnessMeasure, systems: _Systems) -> float:
    """Return the mean of a measure without draws: documents count by their weights.

    It is NaN for a measure that refuses weights.

    :param systems: the system, and the baseline to return the difference from, if any
    """
    if measure.refuses_weights:
        return math.nan
    values = [score([measure], ranked)[measure] for _, ranked in systems]
    mean, *of_base = np.nan_to_num(values).mean(axis=1)
    return float(mean - sum(of_base))


def _drawn(documents: Draws, draws: int, seed: int) -> Ints:
    """Return a label of each document in each draw, and last its likeliest, ``[n, draws + 1]``."""
    shares = documents.shares
    n, size = shares.shape
    dtype = np.min_scalar_type(-size - 1)
    labels = np.empty((n, draws + 1), dtype)
    labels[:, -1] = shares.round(TIE_DECIMALS).argmax(axis=1)
    limits = shares.cumsum(axis=1)
    total = limits[:, -1:]
    # Rounding of the sum must not lead to a label after the last one that is possible.
    limits[limits == total] = np.inf
    for drawn, limit, (qid, docno) in zip(labels, limits, documents.names, strict=True):
        u = uniforms(seed, f"{qid}\n{docno}", 0, draws)
        drawn[:-1] = limit.searchsorted(u, side="right")
    return labels


def _summary(y: Floats, interval: str, confidence: float, effective: float) -> dict[str, float]:
    """Return the columns of a system and measure, from ``n`` to ``error``.

    :param y: the values in each draw, ``[draws, T]``
    :param effective: the number of independent draws
    """
    from scipy.stats import t
    n, topics = y.shape
    free = topics - 1 or math.nan  # one topic has no variance
    means = y.mean(axis=1, keepdims=True)
    of_topics = y.mean(axis=0)
    mean = means.mean()
    between = means.var(ddof=1)
    if interval == "rubin":
        squares = (y - means) ** 2
        within = squares.sum() / (n * topics * free)
        label = between
    else:
        residuals = y - of_topics - means + mean
        squares = residuals ** 2
        error = squares.sum() / (free * (n - 1))
        squares = (of_topics - mean) ** 2
        within = squares.sum() / (topics * free)
        label = max(0.0, between - error / topics)
    label *= 1 + 1 / effective
    variance = within + label
    deviation = math.sqrt(variance)
    share = 0.0
    if round(deviation, TIE_DECIMALS):
        share = label / variance
    freedom = 1 / ((1 - share) ** 2 / free + share ** 2 / (n - 1))
    lower = (1 - confidence) / 2
    upper = (1 + confidence) / 2
    half = deviation * t.ppf(upper, freedom)
    low, high = np.quantile(means, [lower, upper], method="weibull")
    return {
        "n": topics, "mean": mean, "low": mean - half, "high": mean + half, "label low": low,
        "label high": high, "share": share, "error": math.sqrt(between / effective),
    }


def _summary_of_chains(values: Floats, agreement: Floats, confidence: float) -> dict[str, float]:
    """Return the columns of a system and measure for labels of the sampler, from ``n`` on.

    :param values: the values in each draw, with the most frequent labels, and with those that the
        documents have, ``[draws + 2, T]``
    :param agreement: the share of drawn labels that equal the model's, ``[chains, states]``
    """
    y = values[:-2]
    means = y.mean(axis=1)
    chains = means.reshape(agreement.shape)
    effective = effective_draws(chains)
    of_chains = r_hat(chains)
    of_labels = r_hat(agreement)
    independent = len(y) if math.isnan(effective) else effective
    summary = _summary(y, "rubin", confidence, independent)
    summary["most probable"] = values[-2].mean()
    summary[LABELLED] = values[-1].mean()
    summary["n_eff"] = effective
    summary["r_hat"] = np.fmax(of_chains, of_labels)
    return summary


def _warn_of_chains(table: pd.DataFrame) -> None:
    """Warn of values whose draws depend on the start, or are worth few independent ones."""
    few = (table["r_hat"] > LARGEST_R_HAT) | (table["n_eff"] < LEAST_DRAWS)
    if few.any():
        first = table[few].iloc[0]
        warn(f"the draws of {few.sum()} of {len(table)} values are too few or disagree, such as "
             f"{first['measure']} of {first['name']}: r_hat should be at most {LARGEST_R_HAT} and "
             f"n_eff at least {LEAST_DRAWS}. Take more draws, or label more documents by hand")


def label_noise(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                groups: Any, eps: float | Sequence[float], draws: int = 100,
                seed: int = 0, *, topics: Any = None) -> pd.DataFrame:
    """Simulate wrong group labels, and return the change of measures and of the order of systems.

    Automatic and crowd-sourced labels contain errors: Draws et al. (2021), section 5.3. In each
    draw, a share ``eps`` of the annotated (topic, document) pairs, judged or retrieved, has one
    other label instead of its own. Each other label is equally likely. All systems and measures use
    the same wrong labels. The row of a measure depends neither on the other measures nor on the
    order of the input. The function prints a progress bar for each share.

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
    measures = measures_without_groups(measures, "label_noise", _SOURCE)
    shares = np.array(eps, float, ndmin=1).tolist()
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"eps={shown(eps)}: each share of wrong labels has to be in [0, 1]")
    at_least(2, "draws", draws)
    frames, judged = runs_and_qrels(runs, qrels, topics)
    annotations = kept_annotations(judged, groups, measures)
    labels = annotations.labels
    if len(labels) < 2:
        raise ValueError("a wrong label needs at least two labels, and the documents have "
                         f"{', '.join(labels) or 'none'}")
    ranked = runs_of(frames, annotations.judgments)
    systems = [(run, annotations.of_run(run, None)) for run in ranked.values()]
    drawn = Draws(annotations, systems, annotations.pair_codes, lambda sets: sets.any_of(labels),
                  True, measures)
    member = drawn.shares[:, :len(labels)] > 0
    right = _means_with_noise(drawn, member, 0.0, [seed])
    seeds = [(seed, i) for i in range(draws)]
    rows = []
    for share in shares:
        values = _means_with_noise(drawn, member, share, seeds)
        for measure, true, wrong in zip(measures, right, values, strict=True):
            changes = wrong - true
            deviations = wrong.std(axis=1, ddof=1)
            order = pd.Series(true[:, 0].round(TIE_DECIMALS))
            orders = pd.DataFrame(wrong.round(TIE_DECIMALS))
            tau = math.nan
            if len(order) > 1:
                tau = orders.corrwith(order, method="kendall").mean()
            rows.append((share, str(measure), changes.mean(), deviations.mean(), tau))
    drawn.warn_of_undefined()
    return pd.DataFrame(rows, columns=["eps", "measure", "bias", "sd", "tau"])


def _means_with_noise(drawn: Draws, member: Bools, share: float, seeds: Sequence[Any]) -> Floats:
    """Return mean values with wrong labels for a share of the documents, for each seed.

    For the same seed, the documents for a smaller share are a subset of those for a larger one.

    :param member: the labels of each document, ``[documents, labels]``
    :returns: ``[measures, systems, seeds]``
    """
    from tqdm import tqdm
    n = len(member)
    # Sorted, so that the draws do not depend on the order of rows and runs.
    numbers = sorted(range(n), key=drawn.names.__getitem__)
    documents = np.array(numbers, np.intp)
    drawn.labels = np.full((n, len(seeds)), -1)
    count = round(share * n)
    for seed, labels in zip(seeds, drawn.labels.T, strict=True):
        rng = np.random.default_rng(seed)
        wrong = rng.permutation(documents)[:count]
        is_true = member[wrong]
        random = rng.random(is_true.shape)
        random[is_true] = -1.0
        labels[wrong] = random.argmax(axis=1)
    places = range(len(drawn.systems))
    bar = tqdm(places, desc=f"label noise, eps={share:g}", unit="run")
    means = [drawn.values(place).mean(axis=2) for place in bar]
    return np.stack(means, axis=1)
