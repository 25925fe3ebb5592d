"""Values of measures under drawn labels: labels that are uncertain, and simulated wrong labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.human_labels import check, labelled
from pt_fairness.analysis.inputs import (
    kept_annotations,
    measures_without_groups,
    ranked_runs,
    runs_and_qrels,
)
from pt_fairness.analysis.label_sampler import CHAINS, diagnostics
from pt_fairness.analysis.statistics import LEAST_INTERVAL, check_level, place_of
from pt_fairness.core.arrays import TIE_DECIMALS, Floats, Ints, ranges, ratio, uniforms
from pt_fairness.core.messages import at_least, one_of, shown, warn
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates
from pt_fairness.io.runs import RunInputs, named
from pt_fairness.measures.measure import FairnessMeasure, depth_of, score
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Run

#: The advice on groups in errors.
_SOURCE = "name the source of the labels with groups= (--groups)"
#: The labels in a draw of a document that keeps its groups, and of one that has no group.
OWN, NO_GROUP = -1, -2
#: Warn of fewer independent draws, and of a larger R̂.
LEAST_DRAWS, LARGEST_R_HAT = 50, 1.1


class Documents:
    """The judged and ranked documents whose labels are drawn.

    :param depth: the number of annotated documents of each ranking; ``None`` for all
    :param by_topic: whether a document has a label of its own in each topic
    :param drawn: whose labels are drawn: ``'annotated'`` documents, ``'weighted'`` ones, or
        ``'all'``
    """

    def __init__(self, annotations: Annotations, runs: Iterable[Run], depth: int | None,
                 by_topic: bool, drawn: str = "annotated") -> None:
        judgments = annotations.judgments
        pairs = np.arange(len(judgments.topic))
        relevance = np.append(judgments.relevance, math.nan)
        parts: list[Any] = [(judgments, pairs, pairs, annotations.pair_codes, annotations.sets)]
        self._rankings = []
        for run in runs:
            ranked = annotations.rankings(run, depth)
            rows = ranges(run.start, ranked.looked_up)
            parts.append((run, rows, run.pair, ranked.codes, ranked.sets))
            self._rankings.append(ranked)
        tables = []
        ends = [0]
        for part, rows, pair, codes, sets in parts:
            if drawn != "all":
                chosen = sets.any_of(annotations.labels)
                if drawn == "weighted":
                    chosen[:-1] = sets.weighted
                rows = rows[chosen[codes[rows]]]
            topic = part.topic[rows]
            shares = sets.shares(codes[rows], sets.labels)
            table = pd.DataFrame(shares, rows + ends[-1])
            table["qid"] = judgments.names[topic]
            table["docno"] = part.docnos(rows)
            table["topic"] = topic
            table["relevance"] = relevance[pair[rows]]
            tables.append(table)
            ends.append(ends[-1] + len(codes))
        table = pd.concat(tables).sort_values("topic", kind="stable")
        if not by_topic:
            table["qid"] = table.groupby("docno")["qid"].transform("first")
        document = table.groupby(["qid", "docno"]).ngroup()
        is_repeated = document.duplicated()
        first = table[~is_repeated]
        #: A row for each document, sorted by topic and docno: ``qid, docno, relevance``, NaN if it
        #: is not judged. A document with one label in all topics has the first in the qrels.
        self.table = first.sort_values(["qid", "docno"], ignore_index=True)
        #: The share of each label in the documents, ``[documents, labels]``.
        self.shares = self.table[range(len(annotations.sets.labels))].to_numpy()
        # The number of the document in each row of the judgments and of each run, −1 for none.
        numbers = np.full(ends[-1], -1)
        numbers[table.index] = document
        judged, *self._numbers = np.split(numbers, ends[1:-1])
        self._relevant = {}
        for rel, codes in annotations.judged_codes.items():
            counts = codes >= 0
            if drawn == "all" and rel is not None:
                counts = judgments.relevance >= rel
            self._relevant[rel] = codes, np.where(counts, judged, -1)

    def values(self, measures: Sequence[FairnessMeasure], labels: Ints, bar: str) -> Floats:
        """Return the values of systems, NaN where undefined, ``[draws + 1, systems, measures, T]``.

        The last values are for the documents' own groups.

        :param labels: the label of each document, ``[documents, draws]``, or :data:`OWN` or
            :data:`NO_GROUP`
        :param bar: the text of the progress bar
        """
        from tqdm import tqdm
        labels = np.pad(labels, [(0, 1), (0, 1)], constant_values=OWN)
        scored = []
        for drawn in tqdm(labels.T, bar, unit="draw"):
            relevant = {}
            for rel, (codes, numbers) in self._relevant.items():
                relevant[rel] = _relabelled(codes, drawn[numbers])
            for rankings, numbers in zip(self._rankings, self._numbers, strict=True):
                codes = _relabelled(rankings.codes, drawn[numbers])
                rankings = replace(rankings, codes=codes, judged_codes=relevant)
                scores = score(measures, rankings)
                scored.append([scores[measure] for measure in measures])
        shape = labels.shape[1], len(self._rankings), len(measures), -1
        return np.reshape(scored, shape)


def _relabelled(codes: Ints, labels: Ints) -> Ints:
    """Return codes with the labels of a draw."""
    drawn = np.where(labels == NO_GROUP, -1, labels)
    return np.where(labels == OWN, codes, drawn)


def uncertain_labels(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                     groups: Any, draws: int = 200,
                     interval: Literal["rubin", "components"] = "rubin", confidence: float = 0.95,
                     baseline: int | str | None = None,
                     undefined: Literal["drop", "count"] = "drop", seed: int = 0, *,
                     topics: Any = None) -> pd.DataFrame:
    """Return intervals of mean values that cover uncertain labels and the choice of topics.

    In each draw, every uncertain document has one label. All systems and measures, judged and
    retrieved documents, and populations and targets use the same labels. The unit is the document,
    with one label in all topics; or the topic and document, if the group source depends on the
    topic.

    *Labels of a model*, from :func:`pt_fairness.groups.model_labels`: the true labels of all judged
    and ranked documents with a label are drawn together by a Gibbs sampler, in two chains. It
    estimates the shares of the labels by topic and by grade of relevance, and how often the model
    errs, also by topic and grade. Labels and errors may depend on relevance. The human labels must
    be a random sample of the judged and ranked documents. Other runs are other documents, and so
    other draws. A document with one label in all topics counts in the topic that comes first in the
    qrels. A document without a label stays unannotated. A label that means no group can be drawn:
    the document then leaves the list, and the next one moves in, so runs are read to their ends.
    :func:`pt_fairness.groups.with_error_rates` goes the same way, with error rates that are known.

    Such a correction fails where labels depend on the *rank* beyond relevance, and above all where
    a system knows the true groups better than the model does, such as a re-ranker by curated
    labels. No correction by shares and error rates can see that: ``AWRF@10`` was wrong by 0.06,
    ``rKL@10`` by 0.20, and 0 to 10 % of the intervals held the value. Check whole topics by hand
    instead.

    *Weights* of a document are read as the probabilities of its labels, and drawn one by one;
    documents without weights are certain. This is right if the probabilities are calibrated for
    each document and topic. Error rates over all topics are not: the drawn rankings are too mixed.

    A topic for which a measure is undefined in a draw is left out of that draw.

    With V the variance of the mean over topics and L = (1 + 1/n)·B the variance of the labels (B
    the variance of the mean over n draws), the interval is the mean ± t·√(V + L), with the degrees
    of freedom of Rubin. With ``'rubin'``, V is its mean over the draws. This is conservative: the
    interval is too wide if topics share no documents, because exact probabilities say more than
    the labels of one draw. ``'components'`` estimates V and L by an analysis of variance, from the
    topics that are defined in every draw. It is right if the probabilities are exact and the
    documents independent; with five topics it covers 92 % instead of 95 %. For 200 draws, the error
    of √L is about 5 %.

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
    :param undefined: ``'count'`` for the value 0.0 where a measure is undefined, instead of leaving
        the topic out
    :param seed: the seed of the draws
    :param topics: the topics of transformers
    :returns: ``name, measure, n`` (topics that are defined in a draw) and

        * ``mean``: the mean over draws and topics, ``low, high``: its interval, for topics like
          these; NaN for fewer than three topics
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

        All are NaN, with a warning, if fewer than two draws have a topic with a value
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
    check_level(confidence)
    at_least(2, "draws", draws)
    one_of("interval", interval, ("rubin", "components"))
    one_of("undefined", undefined, ("drop", "count"))
    runs = named(runs, topics=topics)
    if baseline is not None:
        place_of(baseline, list(runs))
    drawn = LabelDraws(runs, qrels, measures, groups)
    if drawn.known is not None and interval != "rubin":
        raise ValueError("interval must be 'rubin' for the labels of a model, whose shares are "
                         f"estimated from the same topics, got {interval!r}")
    if isinstance(drawn.source, ModelLabels):
        check(drawn.known, drawn.source, drawn.labels)
    drawn.draw(draws, seed, undefined)
    return drawn.table(confidence, baseline, interval)


class LabelDraws:
    """Runs, judgments and documents whose labels are drawn, and the values under the draws."""

    #: The values under each draw, the likeliest labels, the labels of the model (if there is one)
    #: and the documents' own groups, ``[draws + 2 or 3, systems, measures, T]``.
    values: Floats
    #: The number of draws.
    draws: int
    #: The share of drawn labels that equal the model's, ``[CHAINS, draws / CHAINS]``.
    agreement: Floats | None = None

    def __init__(self, runs: RunInputs, qrels: pd.DataFrame, measures: Any, groups: Any) -> None:
        self.measures = measures_without_groups(measures, "uncertain_labels", _SOURCE)
        frames, judged = runs_and_qrels(runs, qrels, None)
        annotations = kept_annotations(judged, groups, self.measures)
        self.labels = annotations.labels
        source: Any = annotations.groups
        self.source = source
        ranked = ranked_runs(frames, annotations.judgments)
        self.systems = list(ranked)
        self.by_topic = getattr(source, "by_topic", False)
        depth = depth_of(self.measures)
        if len(annotations.sets.labels) != len(self.labels):
            # A label that only the target of a measure adds can be drawn: then rankings of other
            # measures are longer.
            depth = None
        has_model = isinstance(source, (ModelLabels, WithErrorRates))
        drawn = "all" if has_model else "weighted"
        for limit in (depth, None):
            self.documents = Documents(annotations, ranked.values(), limit, self.by_topic, drawn)
            #: The documents with the labels of the model; ``None`` for weights.
            self.known: Any = None
            if has_model:
                self.known = labelled(source, self.labels, self.documents.table)
            if limit is None or self.known is None or self.known.labels == len(self.labels):
                break  # else a document can be without a group, and the next one moves in

    def draw(self, draws: int, seed: int, undefined: str = "drop") -> None:
        """Draw labels and evaluate them; with a progress bar."""
        if self.known is None:
            labels = _weight_draws(self.documents, self.by_topic, draws, seed)
        else:
            draws = max(2 * CHAINS, draws + draws % CHAINS)
            labels, self.agreement = self.known.draw(draws, seed)
            labels = labels[:len(self.documents.table)]
            labels[labels == len(self.labels)] = NO_GROUP
        self.draws = draws
        self.values = self.documents.values(self.measures, labels, "values of drawn labels")
        if undefined == "count":
            self.values = np.nan_to_num(self.values)
        refuses = [measure.refuses_weights for measure in self.measures]
        self.values[-1][:, refuses] = math.nan

    def table(self, confidence: float, baseline: int | str | None = None,
              interval: str = "rubin") -> pd.DataFrame:
        """Return what :func:`uncertain_labels` returns."""
        systems, values = [*self.systems], self.values
        if baseline is not None:
            place = place_of(baseline, systems)
            systems.pop(place)
            differences = values - values[:, [place]]
            values = np.delete(differences, place, axis=1)
        names = map(str, self.measures)
        cells = pd.MultiIndex.from_product([systems, names], names=["name", "measure"])
        values = values.reshape(len(values), len(cells), -1)
        defined = np.ma.masked_invalid(values)
        means = defined.mean(axis=2)
        drawn = means[:self.draws]
        single = means[self.draws:].filled(math.nan)
        columns = {"most probable": single[0]}
        n_eff: Any = math.nan
        if self.agreement is not None:
            chains = np.ma.filled(drawn, drawn.mean(axis=0)).T
            chains = chains.reshape(-1, *self.agreement.shape)
            n_eff, r_hat = np.transpose(list(map(diagnostics, chains)))
            _, label_r_hat = diagnostics(self.agreement)
            r_hat = np.fmax(r_hat, label_r_hat)
            few = np.count_nonzero((r_hat > LARGEST_R_HAT) | (n_eff < LEAST_DRAWS))
            if few:
                warn(f"the draws of {few} of {len(cells)} values are too few or disagree: r_hat "
                     f"should be at most {LARGEST_R_HAT} and n_eff at least {LEAST_DRAWS}. Take "
                     "more draws, or label more documents by hand")
            columns |= {"as labelled": single[1], "n_eff": n_eff, "r_hat": r_hat}
        if getattr(self.source, "weighted", False):
            columns["expected memberships"] = single[-1]
        summary = _summary(values[:self.draws], interval, confidence, n_eff)
        return pd.DataFrame(summary | columns, cells).reset_index()


def _weight_draws(documents: Documents, by_topic: bool, draws: int, seed: int) -> Ints:
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
    names = documents.table[["qid", "docno"]].itertuples(index=False)
    for row, limit, (qid, docno) in zip(labels, limits, names, strict=True):
        document = f"{qid * by_topic}\n{docno}"
        u = uniforms(seed, document, 0, draws)
        row[:-1] = limit.searchsorted(u, side="right")
    return labels


@np.errstate(divide="ignore")  # one topic, or no draw with a value
def _summary(values: Floats, interval: str, confidence: float, effective: Any) -> dict[str, Any]:
    """Return the columns ``n`` to ``error`` of :func:`uncertain_labels`.

    :param values: the values in each draw, NaN where undefined, ``[draws, cells, T]``
    :param effective: the number of independent draws; NaN for all that have a value
    """
    from scipy.stats import t
    from scipy.stats.mstats import mquantiles
    defined = ~np.isnan(values)
    if interval == "components":
        defined[:] = defined.all(axis=0)
    defined_topics = defined.any(axis=0)
    topics = defined_topics.sum(axis=1)
    defined_draws = defined.any(axis=2)
    n = defined_draws.sum(axis=0)
    few = n < 2
    if few.any():
        warn(f"{few.sum()} of {len(few)} values are NaN: the measure is defined for a topic in "
             "fewer than two draws")
        defined[:, few] = False
    y = np.ma.array(values, mask=~defined)
    means = y.mean(axis=2)
    between = label = means.var(axis=0, ddof=1).filled(math.nan)
    if interval == "components":
        averages = y.mean(axis=0)
        residuals = (y - averages).var(axis=2, ddof=1) / topics
        error = residuals.sum(axis=0).filled(math.nan) / (n - 1)
        label = np.maximum(0.0, between - error)
        variances = averages.var(axis=1, ddof=1)
        within = variances / topics
    else:
        within = y.var(axis=2, ddof=1) / y.count(axis=2)
        within = within.mean(axis=0)
    effective = np.where(np.isnan(effective), n, effective)
    label = label * (1 + 1 / effective)
    topic_variance = within.filled(math.nan)
    variance = topic_variance + label
    share = ratio(label, variance.round(2 * TIE_DECIMALS))
    topic_part = (1 - share) ** 2 / (topics - 1)
    label_part = share ** 2 / (n - 1)
    freedom = 1 / (topic_part + label_part)
    tail = (1 - confidence) / 2
    half = t.ppf(1 - tail, freedom) * np.sqrt(variance)
    half[topics < LEAST_INTERVAL] = math.nan
    mean = means.mean(axis=0).filled(math.nan)
    quantiles = mquantiles(means, [tail, 1 - tail], 0, 0, axis=0)
    label_low, label_high = quantiles.filled(math.nan)
    columns = {"n": topics, "mean": mean, "low": mean - half, "high": mean + half}
    columns |= {"label low": label_low, "label high": label_high}
    return columns | {"share": share, "error": np.sqrt(between / effective)}


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
    shares = np.atleast_1d(np.array(eps, float))
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
    is_member = documents.shares[:, :len(possible)] > 0
    counts = np.rint(shares * len(is_member))
    labels = []
    for draw in range(draws):
        rng = np.random.default_rng((seed, draw))
        rank = rng.permutation(len(is_member)).argsort()
        random = rng.random(is_member.shape)[rank]
        other = np.where(is_member, -1.0, random).argmax(axis=1)
        # The documents for a smaller share are a subset of the documents for a larger share.
        labels += [np.where(rank < count, other, OWN) for count in counts]
    values = documents.values(measures, np.transpose(labels), "label noise")
    missing = np.isnan(values).sum(axis=3).max(axis=(0, 1))
    if missing.any():
        names = [str(measures[number]) for number in np.flatnonzero(missing)]
        warn("topics for which a measure is undefined have the value 0.0, for every system: up to "
             f"{missing.max()} of {values.shape[3]} topics for {', '.join(names)}")
    means = np.nan_to_num(values).mean(axis=3)
    true = means[-1]
    true_order = true.round(TIE_DECIMALS)
    rows = []
    for (i, share), (j, measure) in itertools.product(enumerate(shares), enumerate(measures)):
        drawn = pd.DataFrame(means[i:-1:len(shares), :, j])
        tau = math.nan
        if drawn.shape[1] > 1:
            order = pd.Series(true_order[:, j])
            tau = drawn.round(TIE_DECIMALS).corrwith(order, axis=1, method="kendall").mean()
        bias = (drawn - true[:, j]).mean().mean()
        sd = drawn.std().mean()
        rows.append((share, str(measure), bias, sd, tau))
    return pd.DataFrame(rows, columns=["eps", "measure", "bias", "sd", "tau"])
