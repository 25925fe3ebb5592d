"""Made-up rankings: reference rankings, random orders, and rankings that prefer some labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    REFERENCES,
    compares_groups,
    direction,
    distance,
    group_annotations,
    loaded_qrels,
    one_run,
    ranked_runs,
    runs_and_qrels,
)
from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Floats, Ints, uniforms
from pt_fairness.core.identifiers import PYTERRIER, with_text_ids
from pt_fairness.core.messages import at_least, collecting_warnings, one_of
from pt_fairness.groups.memberships import LabelSets
from pt_fairness.io.runs import RunInputs
from pt_fairness.measures.descriptions import ranking_values
from pt_fairness.measures.measure import FairnessMeasure, fairest, score
from pt_fairness.provider.evaluator import FairnessEvaluator, GroupedMeasures, grouped
from pt_fairness.provider.measure_lists import parsed, take_groups
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

__all__ = ["biased_rankings", "rankings"]

__dir__ = __all__.copy

#: The kinds of reference rankings.
KINDS = tuple(REFERENCES)
#: The number of documents that are scored at a time, which limits the memory.
DOCUMENTS = 1 << 20
#: How many of ten documents have the second group, and the number of judged documents of a topic.
PLACES, JUDGED = (5, 4, 3, 2, 1, 0), 50
#: The parameters that name a group, for the groups A and B.
NAMED = {"protected": "B", "group": "B", "pro": "A", "con": "B", "cutoff": 10}


def reference_rankings(qrels: Any, run: Any = None, groups: Any = None,
                       kinds: Sequence[str] = KINDS, rel: int = 1, depth: int | None = None,
                       draws: int = 100, seed: int = 0, *,
                       topics: Any = None) -> dict[str, pd.DataFrame]:
    """Return rankings to compare a system with: the same documents in other orders.

    The *pool* of a topic is its annotated documents with a relevance of at least ``rel``, in
    descending order of relevance and then of docno: what a perfect system returns. With ``run``,
    it is the annotated documents that the run returns, in trec_eval's order: what this system
    found. A topic with an empty pool is left out.

    * ``random``: uniformly random orders of the pool, as samples of one run.
    * ``proportional``: at each rank i, the next document of the label set with the largest
      ``Σ_g m_g (i T_g − c_g)``. T is the share of each group in the pool, c the number of
      documents of each group so far, m the share of each group in the next document.
    * ``largest-group-first``, ``smallest-group-first``: one label set after the other, by their
      number of documents.

    Ties between label sets (to nine decimals) go to the set whose sorted labels come first.

    :param qrels: qrels in any form that :func:`pt_fairness.evaluate` reads
    :param run: a run with one ranking of each topic, in any form that
        :func:`pt_fairness.evaluate` reads; ``None`` for the relevant documents
    :param groups: the group source; ``None`` for the ``iteration`` of the qrels
    :param kinds: the kinds to return
    :param rel: the lowest relevance of the pool; unused with ``run``
    :param depth: the number of documents to keep; ``None`` for all
    :param draws: the number of random orders
    :param seed: the seed of the random orders
    :param topics: the topics of a transformer
    :returns: a run ``qid, docno, score, rank`` for each kind; ``random`` has a column
        ``iteration``, the number of the draw
    :raises ValueError: if a kind is unknown, if ``depth`` or ``draws`` is below 1, if the run has
        several rankings of a topic, or if the qrels lack groups

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import reference_rankings
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON", "CON"]})
    >>> runs = reference_rankings(qrels)
    >>> " ".join(runs["proportional"]["docno"]), " ".join(runs["largest-group-first"]["docno"])
    ('d b c a', 'd c b a')
    """
    for kind in kinds:
        one_of("kinds", kind, KINDS)
    at_least(1, "depth", depth, "all documents")
    at_least(1, "draws", draws)
    if run is None and topics is not None:
        raise ValueError("topics must be None without a run")
    judgments = Judgments(loaded_qrels(qrels))
    annotations = group_annotations(judgments, groups, [rel])
    sets = annotations.sets
    if run is None:
        judged = pd.DataFrame({"query_id": judgments.names[judgments.topic]})
        judged["doc_id"] = judgments.docnos()
        judged["score"] = judgments.relevance
        ranking = Run(judged, judgments, lambda message, cause: None)
        judged_codes = annotations.judged_codes[rel]
        codes = judged_codes[ranking.pair]
    else:
        ranking = Run(one_run(run, topics), judgments)
        if ranking.sampled:
            raise ValueError("the run has several rankings of a topic; choose the rows of one by "
                             "the column 'iteration'")
        rankings = annotations.rankings(ranking, None)
        codes = rankings.codes
        sets = rankings.sets
    distinct, code = np.unique(codes, return_inverse=True)
    shares = sets.shares(distinct, annotations.labels)
    labels = [tuple(np.flatnonzero(share)) for share in shares]
    number, _ = pd.Series(labels).factorize(sort=True)
    number = number[code]
    shares = shares[code]
    annotated = np.flatnonzero(codes >= 0)
    pools = _pools(ranking, annotated, judgments.topics)
    runs = {}
    for kind in sorted({*kinds}, key=KINDS.index):
        orders: list[Ints] = []
        if kind == "random":
            for draw in range(draws):
                orders += _shuffled(ranking, pools, draw, seed)
        else:
            orders += [_ordered(kind, rows, number, shares) for rows in pools.values()]
        orders = [rows[:depth] for rows in orders]
        rank = np.concatenate([np.arange(len(rows)) for rows in orders])
        order = np.concatenate(orders)
        frame = ranking.frame(order)
        frame = frame.rename(columns=PYTERRIER)
        frame = frame.assign(score=-rank.astype(float), rank=rank)
        if kind == "random":
            documents = len(rank) // draws
            frame["iteration"] = np.repeat(np.arange(draws), documents)
        runs[kind] = frame
    return runs


def _pools(run: Run, rows: Ints, topics: Sequence[str], prefix: str = "") -> dict[str, Ints]:
    """Return the documents of each topic, by a name that seeds their random orders.

    :param rows: the indices of the documents, ascending
    :param prefix: the prefix of the names
    """
    numbers = range(1, len(topics))
    ends = np.searchsorted(run.topic[rows], numbers)
    documents = np.split(rows, ends)
    names = [prefix + qid for qid in topics]
    return dict(zip(names, documents, strict=True))


def _shuffled(run: Run, pools: Mapping[str, Ints], draw: int, seed: int) -> list[Ints]:
    """Return the documents of each topic in a random order, each ranking by itself."""
    orders = []
    for name, rows in pools.items():
        random = uniforms(seed, name, draw, len(rows))
        ranking = run.ranking[rows]
        order = np.lexsort((random, ranking))
        orders.append(rows[order])
    return orders


def _ordered(kind: str, rows: Ints, sets: Ints, shares: Floats) -> Ints:
    """Return the documents of a topic in the order of a kind, ``[n]``.

    :param kind: one of :data:`KINDS` but ``'random'``
    :param rows: the indices of the documents, ``[n]``
    :param sets: the number of the label set of each document of all topics, in the order of labels
    :param shares: the share of each group in each document of all topics
    """
    sets = sets[rows]
    counts = np.bincount(sets)
    size = counts[sets]
    if kind == "largest-group-first":
        size = -size
    if kind != "proportional":
        places = np.lexsort((sets, size))
        return rows[places]
    places = np.argsort(sets, kind="stable")
    rows = rows[places]
    shares = shares[rows]
    # The next document of each set, and the end of the set.
    _, size = np.unique(sets, return_counts=True)
    ends = size.cumsum()
    following = ends - size
    number = max(len(rows), 1)
    total = shares.sum(axis=0)
    target = total / number
    so_far = np.zeros_like(target)
    order = []
    for rank in range(1, len(rows) + 1):
        lacking = rank * target - so_far
        need = shares.take(following, axis=0, mode="clip") @ lacking
        # Sums that are equal in exact arithmetic differ by rounding.
        need = np.where(following < ends, need.round(9), -inf)
        k = need.argmax()
        order.append(following[k])
        so_far += shares[following[k]]
        following[k] += 1
    return rows[order]


def against_random(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                   groups: Any = None, depth: int | None = None, draws: int = 1000,
                   seed: int = 0, *, topics: Any = None, progress: bool = True) -> pd.DataFrame:
    """Compare each system with random orders of the documents that it found.

    A value has two causes: which documents a system found, and how it orders them. Each draw puts
    the annotated documents of every ranking into a random order; unannotated documents keep their
    ranks. A value that random orders often reach is no evidence about the order. Measures that
    weigh relevance (GFR, EEL by group) also change with the ranks of the relevant documents.

    :param runs: runs in any form that :func:`pt_fairness.evaluate` reads
    :param qrels: qrels in any form that :func:`pt_fairness.evaluate` reads
    :param measures: measures of this package that compare groups, or their names
    :param groups: the group source of measures without a ``groups`` parameter; ``None`` for the
        ``iteration`` of the qrels
    :param depth: the number of documents of each ranking to keep; ``None`` for all
    :param draws: the number of random orders, at least 1
    :param seed: the seed of the random orders, which otherwise depend only on the names of the
        systems and topics
    :param topics: the topics of transformers
    :param progress: whether to show a progress bar on standard error
    :returns: a row for each system and measure:

        * ``name, measure``
        * ``value``: the mean over topics
        * ``fairest``: the value of the fairest possible rankings, for rND, rKL, rRD, nDD, nDR and
          nDKL; NaN for other measures
        * ``random, sd``: the mean and the standard deviation of this mean over the draws
        * ``fairer``: the share of the draws that are fairer than the system, from 0 to 1; a draw of
          equal value counts one half. Of signed measures, the smaller absolute value is fairer.
        * ``p``: the two-sided p-value of the order of the system: small if it is less fair than
          random orders, and if it is fairer
        * ``n``: the number of topics of the mean. Topics for which the measure is undefined, and
          those that the group source drops, are left out. Without a topic, the values are NaN.
    :raises ValueError: if a measure does not compare groups, or if ``depth`` or ``draws`` is below
        1

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON", "CON"]})
    >>> run = qrels[["qid", "docno"]].assign(score=[4.0, 3.0, 2.0, 1.0])
    >>> found = analysis.against_random({"A": run}, qrels, "rND@4", progress=False)
    >>> found[["value", "random", "fairer", "p"]].round(2)
       value  random  fairer     p
    0    0.7    0.54    0.83  0.68
    """
    from tqdm import tqdm
    at_least(1, "depth", depth, "all documents")
    at_least(1, "draws", draws)
    measures = parsed(measures)
    for measure in measures:
        if not compares_groups(measure):
            raise ValueError(f"measures must be of this package and compare groups, got {measure}")
    judged = with_text_ids(loaded_qrels(qrels), "qrels", "query_id", "doc_id")
    frames, judged = runs_and_qrels(runs, judged, topics)
    columns, judged, _ = take_groups(measures, judged, groups)
    judgments = Judgments(judged)
    sharing = defaultdict(list)
    for measure in columns:
        names = tuple(part.param("groups") for part in measure.parts)
        sharing[names].append(measure)
    users = [(same, grouped(same, judgments)) for same in sharing.values()]
    missing = FairnessEvaluator(list(columns), judged).undefined()
    rows = []
    ranked = ranked_runs(frames, judgments)
    for system, run in tqdm(ranked.items(), "against random", unit="run", disable=not progress):
        for same, sources in users:
            defined = [~missing[measure] for measure in same]
            for measure, row in _compared(system, run, sources, same, defined, depth, draws, seed):
                rows.append({"name": system, "measure": columns[measure], **row})
    return pd.DataFrame(rows)


def _compared(system: str, run: Run, sources: Sequence[GroupedMeasures],
              measures: Sequence[FairnessMeasure], defined: Sequence[Bools], depth: int | None,
              draws: int, seed: int) -> Iterator[tuple[FairnessMeasure, dict[str, float]]]:
    """Yield each measure with its columns ``value`` to ``n`` of :func:`against_random`.

    :param sources: the group sources of the measures
    :param defined: a mask of the topics for which each measure is defined, ``[T]``
    """
    documents = len(run.place)
    depth = depth or documents
    rankings = []
    annotated = np.zeros(documents, bool)
    for source in sources:
        ranked = source.annotations.rankings(run, None)
        codes = np.where(run.place < depth, ranked.codes, -1)
        length = np.minimum(ranked.looked_up, depth)
        rankings.append(replace(ranked, codes=codes, looked_up=length))
        annotated |= ranked.sets.any_of(ranked.labels)[codes]
    places = np.flatnonzero(annotated)
    pools = _pools(run, places, rankings[0].topics, f"{system}\n")
    size = documents + len(rankings[0].relevance)
    batch = DOCUMENTS // size + 1
    sums = []
    for first in range(0, draws + 1, batch):
        orders: list[Ints] = []
        for number in range(first, min(first + batch, draws + 1)):
            order = np.arange(documents)
            if number:  # 0 is the system itself
                shuffled = _shuffled(run, pools, number - 1, seed)
                order[places] = np.concatenate(shuffled)
            orders.append(order + len(orders) * documents)
        rows = np.concatenate(orders)
        scores: dict[FairnessMeasure, Floats] = {}
        for source, ranked in zip(sources, rankings, strict=True):
            drawn = ranked.repeated(len(orders)).reordered(rows)
            scores |= score(source.measures, drawn)
        totals = []
        for measure, topics in zip(measures, defined, strict=True):
            values = measure.compose([scores[part] for part in measure.parts])
            values = np.nan_to_num(values)
            by_order = values.reshape(len(orders), -1)
            totals.append(by_order[:, topics].sum(axis=1))
        sums.append(totals)
    for measure, topics, total in zip(measures, defined, np.hstack(sums), strict=True):
        n = topics.sum()
        means = total / (n or nan)
        least = _least(measure, rankings[0], topics)
        summary = _summary(measure, means)
        yield measure, {"value": means[0], "fairest": least, **summary, "n": n}


def _least(measure: FairnessMeasure, rankings: Rankings, counts: Bools) -> float:
    """Return the mean value of the fairest possible rankings; NaN if it is unknown."""
    values = fairest(measure, rankings)
    if values is None or not counts.any():
        return nan
    scores = score([measure], rankings)[measure]
    values = np.where(np.isnan(scores), 0.0, values)
    values = values[counts]
    return float(values.mean())


def _summary(measure: FairnessMeasure, means: Floats) -> dict[str, float]:
    """Return the columns ``random, sd, fairer, p`` of a system and measure.

    :param means: the mean value of the system, then of each draw, ``[1 + draws]``
    """
    if np.isnan(means).any():
        return dict.fromkeys(["random", "sd", "fairer", "p"], nan)
    random = pd.Series(means[1:])
    difference = (random - means[0]).round(TIE_DECIMALS)
    smaller = (difference <= 0).sum()
    larger = (difference >= 0).sum()
    tail = 1 + min(smaller, larger)
    far = distance(means, direction(measure) or "")
    worse = (far[1:] - far[0]).round(TIE_DECIMALS)
    points = 1 - np.sign(worse)
    fairer = points.mean() / 2
    p = min(1.0, 2 * tail / len(means))
    return {"random": random.mean(), "sd": random.std(), "fairer": fairer, "p": p}


def biased_rankings(counts: Sequence[int], weights: Any, draws: int = 1000,
                    seed: int | np.random.SeedSequence = 0) -> Ints:
    """Return random rankings of a set of documents that prefer some labels.

    The documents are drawn one rank after the other, without replacement, with probabilities in
    proportion to their weights.

    Source: Draws et al. (2021), section 4.1, where the weights are 1.0001 − α and 1.0001 + α for a
    bias α.

    :param counts: the number of documents of each label, ``[L]``
    :param weights: the weight of a document of each label, above 0, ``[L]``; or ``[draws, L]`` if
        it differs between the rankings
    :param draws: the number of rankings
    :param seed: the seed of the draws
    :returns: the label at each rank, an index of ``counts``, ``[draws, N]``, where N is the sum of
        ``counts``
    :raises ValueError: if a weight is not a number above 0, or a count is below 0

    Examples
    --------
    >>> from pt_fairness import simulation
    >>> codes = simulation.biased_rankings([5, 5], [1.5, 0.5], draws=1000)
    >>> codes.shape
    (1000, 10)
    >>> bool((codes[:, 0] == 0).mean() > 0.7)
    True
    """
    numbers = np.asarray(weights, float)
    possible = (numbers > 0) & (numbers < inf)
    if not possible.all():
        raise ValueError(f"weights must be numbers above 0, got {numbers.min()} to {numbers.max()}")
    labels = np.arange(len(counts))
    documents = np.repeat(labels, counts)
    # Sorted exponential waiting times are draws without replacement (Efraimidis & Spirakis 2006).
    rng = np.random.default_rng(seed)
    waiting = rng.standard_exponential((draws, len(documents)))
    waiting /= numbers[..., documents]
    return documents[waiting.argsort(axis=1)]


def rankings(codes: Ints, labels: Iterable[str]) -> Rankings:
    """Build the input of the measures from the label at each rank.

    Each ranking is a separate topic, and contains all documents of the topic. All documents are
    judged, with relevance 1.

    :param codes: the label of the document at each rank, an index of ``labels``, ``[draws, N]``
    :param labels: the label set, in any order

    Examples
    --------
    >>> import numpy as np
    >>> from pt_fairness import nDJS, simulation
    >>> from pt_fairness.measures.measure import score
    >>> codes = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    >>> score([nDJS], simulation.rankings(codes, ["a", "b"]))[nDJS].round(3).tolist()
    [0.126, 0.202]
    """
    sets = LabelSets([*labels])
    draws, depth = codes.shape
    topics = np.arange(draws)
    start = topics * depth
    length = np.full(draws, depth)
    topic = np.repeat(topics, depth)
    flat = codes.ravel().astype(np.int32)
    pair = np.arange(codes.size)
    qids = [*map(str, topics + 1)]
    relevance = np.ones_like(pair)
    judged = {1: flat, None: flat}
    return Rankings(qids, topics, start, length, topic, pair, flat, lambda: pair, topic, relevance,
                    judged, sets, sorted(sets.labels))


def ladder(measure: Any) -> pd.DataFrame:
    """Return the values of a measure for ten documents that show less and less of a group.

    A topic has 50 relevant documents of the groups A and B. The target share of B is 0.5 or 0.2:
    that is its share in the relevant documents, and the target of measures whose default are equal
    shares. Rankings have 5, 4, 3, 2, 1 or 0 documents of B among ten, spread evenly, or the same
    documents with B at the end.

    :param measure: a measure that compares groups, or its name; the parameters that name a group
        (``protected``, ``group``, ``pro``, ``con``) and a missing cutoff of 10 are filled in
    :returns: a row for each target and order, and a column for each share of B in the ranking
    :raises ValueError: if the measure does not compare groups, or needs other parameters

    Examples
    --------
    >>> from pt_fairness import analysis
    >>> values = analysis.ladder("AWRF").round(2)
    >>> values.loc["50 %", "spread"].tolist()
    [1.0, 0.99, 0.96, 0.91, 0.83, 0.69]
    >>> values.loc["20 %", "at the end"].tolist()
    [0.98, 0.99, 1.0, 0.99, 0.97, 0.89]
    """
    (measure,) = parsed(measure)
    if not compares_groups(measure):
        raise ValueError(f"measure must compare groups, got {measure}")
    supported = measure.SUPPORTED_PARAMS
    named = {name: value for name, value in NAMED.items() if name in supported}
    equal_shares = "target" in supported and supported["target"].default == "uniform"
    spread = [_spread(places) for places in PLACES]
    at_the_end = ["".join(sorted(ranking)) for ranking in spread]
    columns = [f"{10 * places} %" for places in PLACES]
    rows = pd.Index(["spread", "at the end"], name="order")
    tables = {}
    for share in (0.5, 0.2):
        if equal_shares:
            named["target"] = {"A": 1 - share, "B": share}
        filled = measure(**named | measure.params)
        count = int(share * JUDGED)
        relevant = (JUDGED - count) * "A" + count * "B"
        with collecting_warnings():
            values = ranking_values(filled, *spread, *at_the_end, relevant=relevant)
        cells = np.reshape(values, (2, -1))
        tables[f"{100 * share:.0f} %"] = pd.DataFrame(cells, rows, columns)
    return pd.concat(tables, names=["target"])


def _spread(places: int) -> str:
    """Return the group of each of ten documents, with B spread evenly."""
    order = np.full(10, "A")
    middles = np.arange(places) + 0.5
    ranks = 10 * middles / places
    order[ranks.astype(int)] = "B"
    return "".join(order)
