"""Slow reference implementation of the ranking fairness measures: plain loops, one short function
per formula.

§ names a part: 1 conventions, 2 parity, 3 viewpoint diversity, 4 distributional fairness, 5 stance
bias, 6 representation bias. Papers: Pathiyan Cherumanal et al. 2021 and Yang & Stoyanovich 2017
(rND, rKL, rRD), Draws et al. 2021 (nDD, nDR, nDKL, nDJS), Das & Lease 2019 (DistKL, DistFair),
Sapiezynski et al. 2019 (AWRF), Gezici et al. 2021 (BiasP, BiasRBP, BiasDCG), Lipani et al. 2021
(RepBias), Geyik et al. 2019 (NDKL, Skew, MinSkew, MaxSkew).

Documents are represented by the frozenset of their groups. A *protected* document is True, an
unprotected one False.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Groups = frozenset[str]
Shares = dict[str, float]  # label -> share (Fraction or float)
Term = Callable[
    [int, int], float
]  # (protected, unprotected documents so far) -> how far from the population
Formula = Callable[
    [int, int, float, float], float
]  # the same, and (protected, unprotected) of the population

ZERO_SHARE = 0.001  # §1 "Shares of zero", §3 (Draws et al. 2021, footnote 5), and Skew
TOLERANCE = 1e-9  # §6
BRUTE_FORCE_LIMIT = 10  # longest list whose maximum is found by trying every sequence


@dataclass
class Document:
    """A ranked document: its groups (empty: unannotated) and its relevance (0 if unjudged)."""

    docno: str
    groups: Groups
    relevance: int


@dataclass
class Topic:
    """All that a measure sees of one topic (§1)."""

    ranking: list[Document]  # uncondensed
    condensed: list[Groups]  # the annotated ones, in the same order
    relevant: list[Groups]  # population 'qrels': annotated documents judged relevant
    pooled: list[Groups]  # population 'collection': the same of all topics
    labels: list[str]  # the label set G, sorted


# --- evaluation


def evaluate(
    name: str,
    params: Mapping[str, Any],
    qrels: Iterable[tuple[str, str, int, Any]],
    run: Iterable[tuple[str, str, float]],
    groups: Callable[[str, str], Iterable[Any]] | None = None,
    labels: Iterable[Any] = (),
) -> dict[str, float]:
    """The value of measure `name` for every topic of the qrels."""
    qrels = list(qrels)
    topics = read_topics(qrels, list(run), groups, labels, params)
    return {qid: float(MEASURES[name](topic, params)) for qid, topic in topics.items()}


def read_topics(qrels, run, groups, labels, params) -> dict[str, Topic]:
    """§1: rankings, groups, label set and populations."""
    rows: dict[str, dict[str, list[tuple[int, Any]]]] = defaultdict(lambda: defaultdict(list))
    for qid, docno, relevance, iteration in qrels:
        rows[qid][docno].append((relevance, iteration))

    def groups_of(qid: str, docno: str) -> Groups:
        if groups is not None:
            return clean_labels(groups(qid, docno))
        return clean_labels(iteration for _, iteration in rows[qid].get(docno, []))

    label_set = {label for qid in rows for docno in rows[qid] for label in groups_of(qid, docno)}
    if groups is None and label_set <= {"0", "Q0"}:
        raise ValueError("the qrels hold no group annotations")
    label_set |= clean_labels(labels)
    if isinstance(params.get("target"), Mapping):
        label_set |= clean_labels(params["target"])

    rel = params.get("rel", 1)
    relevant = {qid: [] for qid in rows}
    for qid in rows:
        for docno, judgments in rows[qid].items():
            if max(relevance for relevance, _ in judgments) < rel:
                continue
            if groups is not None:
                found = groups_of(qid, docno)
            else:
                found = clean_labels(
                    iteration for relevance, iteration in judgments if relevance >= rel
                )
            if found:
                relevant[qid].append(found)
    pooled = [found for qid in rows for found in relevant[qid]]

    rankings = order_run(run)
    topics = {}
    for qid in rows:
        ranking = []
        for docno in rankings.get(qid, []):
            judgments = rows[qid].get(docno, [])
            relevance = max((relevance for relevance, _ in judgments), default=0)
            ranking.append(Document(docno, groups_of(qid, docno) & label_set, relevance))
        condensed = [document.groups for document in ranking if document.groups]
        topics[qid] = Topic(ranking, condensed, relevant[qid], pooled, sorted(label_set))
    return topics


def clean_labels(values: Iterable[Any]) -> Groups:
    """§1: labels are strings, 1 and 1.0 are '1'; None, NaN, '' and '-' are no label."""
    found = set()
    for value in values:
        if value is None or value != value or value in ("", "-"):
            continue
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        found.add(str(value))
    return frozenset(found)


def order_run(run: Iterable[tuple[str, str, float]]) -> dict[str, list[str]]:
    """§1: float32(score) descending, then docno descending in byte order; a document's last row
    counts.
    """
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for qid, docno, score in run:
        if math.isnan(score):
            raise ValueError(f"NaN score of document {docno!r} for topic {qid!r}")
        scores[qid][docno] = float32(score)
    return {
        qid: sorted(found, key=lambda docno: (found[docno], docno.encode("utf-8")), reverse=True)
        for qid, found in scores.items()
    }


def float32(number: float) -> float:
    """The number rounded to single precision, ±inf if it is too large for that."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


# --- small things


def weight(i: int) -> float:
    """§1: w_i."""
    return 1 / math.log2(i + 1)


def depth(length: int, params: Mapping[str, Any]) -> int:
    """§1 "Cutoff": n = min(k, length), or the length."""
    cutoff = params.get("cutoff")
    return length if cutoff is None else min(cutoff, length)


def places_of(n: int, step: int = 1) -> list[int]:
    """§2: I = {step, 2·step, … ≤ n}, or {n} if step > n."""
    return list(range(step, n + 1, step)) if step <= n else [n]


def normalised(value: float, normaliser: float) -> float:
    """§1: 0/0 in a normalised value is 0."""
    return 0.0 if normaliser == 0 else value / normaliser


def ratio(above: float, below: float) -> float:
    """§2: a fraction with a zero above or below is 0."""
    return 0.0 if above == 0 or below == 0 else above / below


def kl(p: Sequence[float], t: Sequence[float], log: Callable[[float], float] = math.log2) -> float:
    """Kullback-Leibler divergence KL(p ‖ t), with 0·log 0 = 0."""
    total = 0.0
    for share, target in zip(p, t, strict=True):
        if share > 0:
            total += float(share) * log(float(share) / float(target))
    return total


def jsd(p: Sequence[float], t: Sequence[float], log: Callable[[float], float] = math.log2) -> float:
    """Jensen-Shannon divergence (Draws et al. 2021)."""
    middle = [(float(share) + float(target)) / 2 for share, target in zip(p, t, strict=True)]
    return kl(p, middle, log) / 2 + kl(t, middle, log) / 2


def smooth_zeros(shares: Mapping[str, float]) -> Shares:
    """§1 "Shares of zero": zeros become 0.001 and the others are scaled."""
    zeros = sum(1 for share in shares.values() if share == 0)
    if zeros == 0:
        return dict(shares)
    return {
        g: ZERO_SHARE if share == 0 else float(share) * (1 - ZERO_SHARE * zeros)
        for g, share in shares.items()
    }


def label_counts(documents: Iterable[Groups], labels: Iterable[str]) -> dict[str, Fraction]:
    """§1 "Several groups", over all of G: a document counts 1/m towards each of its m groups."""
    counts = {label: Fraction(0) for label in labels}
    for groups in documents:
        for label in groups:
            counts[label] += Fraction(1, len(groups))
    return counts


def label_shares(documents: Sequence[Groups], labels: Iterable[str]) -> Shares:
    """Share of each label among the documents; the shares of nothing are 0."""
    counts = label_counts(documents, labels)
    return {g: count / len(documents) if documents else Fraction(0) for g, count in counts.items()}


def is_protected(groups: Groups, protected: Iterable[str]) -> bool:
    """§1 "Several groups", two-group measures: protected if any of its groups is."""
    return any(label in groups for label in protected)


def count_protected(documents: Iterable[Groups], protected: set[str]) -> tuple[int, int]:
    """(protected, unprotected) documents."""
    flags = [is_protected(groups, protected) for groups in documents]
    return flags.count(True), flags.count(False)


# --- targets


def population(topic: Topic, target: str) -> list[Groups]:
    """The documents that the targets 'qrels', 'collection' and 'run' are estimated from (§2)."""
    return {"qrels": topic.relevant, "collection": topic.pooled, "run": topic.condensed}[target]


def target_is_empty(topic: Topic, target: Any) -> bool:
    """§1 "Undefined": nothing to compare with. A population that is the run itself never makes a
    topic undefined.
    """
    if target in ("uniform", "run") or isinstance(target, Mapping):
        return not topic.labels
    return not population(topic, target)


def explicit_shares(target: Mapping[Any, float], labels: Iterable[str]) -> Shares:
    """§2: an explicit target; labels that it lacks have share 0."""
    shares = dict.fromkeys(labels, 0.0)
    for key, share in target.items():
        for label in clean_labels([key]):
            shares[label] += share
    return shares


def target_shares(topic: Topic, target: Any) -> Shares:
    """§2, over all of G: plain share of each label in the target."""
    if isinstance(target, Mapping):
        return explicit_shares(target, topic.labels)
    if target == "uniform":
        return {label: Fraction(1, len(topic.labels)) for label in topic.labels}
    return label_shares(population(topic, target), topic.labels)


def two_group_target(topic: Topic, target: Any, protected: set[str]) -> tuple[float, float]:
    """§2, two groups: (S⁺, S⁻), as numbers of documents, numbers of labels (uniform) or shares
    (explicit).
    """
    if isinstance(target, Mapping):
        shares = explicit_shares(target, topic.labels)
        return (
            sum(share for label, share in shares.items() if label in protected),
            sum(share for label, share in shares.items() if label not in protected),
        )
    if target == "uniform":
        return count_protected([frozenset([label]) for label in topic.labels], protected)
    return count_protected(population(topic, target), protected)


def protected_labels(
    protected: str, documents: Iterable[Groups], labels: Iterable[str]
) -> set[str] | None:
    """§2 `protected`. None: 'minority' or 'majority' of documents that hold fewer than two labels.
    """
    if protected in ("minority", "majority"):
        sizes: dict[str, int] = defaultdict(int)
        for groups in documents:
            for label in groups:
                sizes[label] += 1
        if len(sizes) < 2:
            return None
        extreme = min(sizes.values()) if protected == "minority" else max(sizes.values())
        return {min(label for label in sizes if sizes[label] == extreme)}
    if protected in labels:
        return {protected}
    return {part.strip() for part in protected.split(",")}


# --- two-group terms


def difference_term(a: int, b: int, plus: float, minus: float) -> float:
    """rND, nDD: | S⁺_{1..i}/i − S⁺/N |."""
    return abs(a / (a + b) - plus / (plus + minus))


def ratio_term(a: int, b: int, plus: float, minus: float) -> float:
    """rRD, nDR: | S⁺_{1..i}/S⁻_{1..i} − S⁺/S⁻ |."""
    return abs(ratio(a, b) - ratio(plus, minus))


def kl_term(a: int, b: int, plus: float, minus: float) -> float:
    """rKL: KL( (S⁺_{1..i}/i, S⁻_{1..i}/i) ‖ (S⁺/N, S⁻/N) )."""
    return kl([a / (a + b), b / (a + b)], [plus / (plus + minus), minus / (plus + minus)])


def smoothed_kl_term(a: int, b: int, plus: float, minus: float) -> float:
    """nDKL: as rKL, but P = (0, 1) becomes (0.001, 0.999) (§3; Draws et al. 2021, footnote 5)."""
    if a == 0:
        return kl([ZERO_SHARE, 1 - ZERO_SHARE], [plus / (plus + minus), minus / (plus + minus)])
    return kl_term(a, b, plus, minus)


def discounted_sum(sequence: Sequence[bool], places: Sequence[int], term: Term) -> float:
    """Σ_{i∈I} w_i · term(protected, unprotected among the first i)."""
    total = 0.0
    for i in places:
        a = list(sequence[:i]).count(True)
        total += weight(i) * term(a, i - a)
    return total


# --- exact maxima


def brute_max(
    term: Term, n: int, places: Sequence[int], supply: tuple[int, int] | None = None
) -> float:
    """Largest discounted sum of all sequences of n protected and unprotected documents, by trying
    each.

    `supply`: (protected, unprotected) documents of the whole run, for the first n places of its
    permutations.
    """
    best = 0.0
    for sequence in itertools.product((True, False), repeat=n):
        if supply is not None and (
            sequence.count(True) > supply[0] or sequence.count(False) > supply[1]
        ):
            continue
        best = max(best, discounted_sum(sequence, places, term))
    return best


def dp_max(
    term: Term, n: int, places: Sequence[int], supply: tuple[int, int] | None = None
) -> float:
    """The same maximum by dynamic programming: the best sum for each number of protected documents
    so far.
    """
    best = {0: 0.0}
    for i in range(1, n + 1):
        following: dict[int, float] = {}
        for a_before, value in best.items():
            for a in (a_before, a_before + 1):
                if supply is not None and (a > supply[0] or i - a > supply[1]):
                    continue
                following[a] = max(value, following.get(a, 0.0))
        if i in places:
            following = {a: value + weight(i) * term(a, i - a) for a, value in following.items()}
        best = following
    return max(best.values())


def exact_max(
    term: Term, n: int, places: Sequence[int], supply: tuple[int, int] | None = None
) -> float:
    """§2 Z = 'max': by brute force where that is feasible."""
    if n <= BRUTE_FORCE_LIMIT:
        return brute_max(term, n, places, supply)
    return dp_max(term, n, places, supply)


def bind(formula: Formula, plus: float, minus: float) -> Term:
    """The formula for one population."""
    return lambda a, b: formula(a, b, plus, minus)


#: §1: a system must not look fair by returning nothing, even where no k documents are unfair.
LOOKS_FAIR = 1.0

#: The largest terms of all populations whose shares are at least 0.001.
LARGEST_TERMS: dict[Formula, float] = {
    difference_term: 1.0,
    ratio_term: 999.0,
    kl_term: -math.log2(0.001),
    smoothed_kl_term: -math.log2(0.001),
}


def nothing_of_run(largest_term: float, cutoff: int | None, step: int = 1) -> float:
    """norm='none', target 'run', nothing returned: Σ_{i∈I} w_i of the cutoff · the largest term.

    Without a cutoff, 1 stands for the sum.
    """
    discounts = 1.0 if cutoff is None else sum(weight(i) for i in places_of(cutoff, step))
    return discounts * largest_term


# --- §2 rND, rKL, rRD


def parity(topic: Topic, params: Mapping[str, Any], formula: Formula) -> float:
    """§2: 1/Z Σ_{i∈I} w_i · formula."""
    target, norm, step = (
        params.get("target", "qrels"),
        params.get("norm", "max"),
        params.get("step", 1),
    )
    protected = protected_labels(params.get("protected", "minority"), topic.relevant, topic.labels)
    if protected is None or target_is_empty(topic, target):
        return 0.0
    plus, minus = two_group_target(topic, target, protected)
    if not topic.condensed:
        if norm == "max":
            return 1.0
        if target == "run":
            return nothing_of_run(LARGEST_TERMS[formula], params.get("cutoff"), step)
        if params.get("cutoff") is None:
            return 1.0
    if formula is kl_term and target != "run" and 0 in (plus, minus):
        # A run's prefixes hold no label that the run lacks: its divergence from itself is never
        # infinite.
        smooth = smooth_zeros({"+": plus / (plus + minus), "-": minus / (plus + minus)})
        plus, minus = smooth["+"], smooth["-"]
    term = bind(formula, plus, minus)
    if not topic.condensed:
        return exact_max(term, params["cutoff"], places_of(params["cutoff"], step)) or LOOKS_FAIR

    n = depth(len(topic.condensed), params)
    places = places_of(n, step)
    value = discounted_sum(
        [is_protected(groups, protected) for groups in topic.condensed], places, term
    )
    if norm == "none":
        return value
    supply = (plus, minus) if target == "run" else None
    return normalised(value, exact_max(term, n, places, supply))


def rnd(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rND."""
    return parity(topic, params, difference_term)


def rrd(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rRD."""
    return parity(topic, params, ratio_term)


def rkl(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rKL."""
    if params.get("protected", "minority") == "all":
        return rkl_all(topic, params)
    return parity(topic, params, kl_term)


def rkl_all(topic: Topic, params: Mapping[str, Any]) -> float:
    """§2 rKL(protected='all'): the divergence over all of G at once."""
    target, norm, step = (
        params.get("target", "qrels"),
        params.get("norm", "max"),
        params.get("step", 1),
    )
    if target_is_empty(topic, target):
        return 0.0
    shares = target_shares(topic, target)
    if target != "run":
        shares = smooth_zeros(shares)
    if not topic.condensed:
        k = params.get("cutoff")
        if norm == "max":
            return 1.0
        if target == "run":
            return nothing_of_run(LARGEST_TERMS[kl_term], k, step)
        return LOOKS_FAIR if k is None else max_all(shares, places_of(k, step)) or LOOKS_FAIR

    n = depth(len(topic.condensed), params)
    places = places_of(n, step)
    value = discounted_kl_all(topic.condensed, topic.labels, shares, places)
    if norm == "none":
        return value
    if target != "run":
        return normalised(value, max_all(shares, places))
    if step == 1 and all(len(groups) == 1 for groups in topic.condensed):
        return normalised(
            value, max_all_of_run(label_counts(topic.condensed, topic.labels), places)
        )
    return normalised(value, dp_max_all_of_run(topic.condensed, places))


def discounted_kl_all(
    documents: Sequence[Groups],
    labels: Sequence[str],
    target: Mapping[str, float],
    places: Sequence[int],
) -> float:
    """Σ_{i∈I} w_i · KL(P_i ‖ T) over all labels."""
    total = 0.0
    for i in places:
        prefix = label_shares(documents[:i], labels)
        total += weight(i) * kl([prefix[g] for g in labels], [target[g] for g in labels])
    return total


def max_all(target: Mapping[str, float], places: Sequence[int]) -> float:
    """§2: −log2(min share)·Σ w_i."""
    return -math.log2(min(target.values())) * sum(weight(i) for i in places)


def max_all_of_run(sizes: Mapping[str, int], places: Sequence[int]) -> float:
    """§2, target='run': label blocks in ascending population size.

    The exact maximum for step 1 and documents of one group each. A longer step may skip the places
    where a small block stands out, and documents of several groups do not form label blocks: a
    larger sum may exist then.
    """
    blocks = sorted(int(size) for size in sizes.values() if size > 0)
    total = 0.0
    for i in places:
        left, prefix = i, []
        for size in blocks:
            prefix.append(min(size, left))
            left -= prefix[-1]
        total += weight(i) * kl(
            [count / i for count in prefix], [size / sum(blocks) for size in blocks]
        )
    return total


def dp_max_all_of_run(documents: Sequence[Groups], places: Sequence[int]) -> float:
    """The exact maximum over the permutations of any run, by dynamic programming.

    A state is how many documents of each kind (set of groups) have been ranked so far; its value is
    the best sum.
    """
    labels = sorted(set().union(*documents))
    target = label_shares(documents, labels)
    kinds = sorted(set(documents), key=sorted)
    supply = [documents.count(kind) for kind in kinds]
    best = {tuple(0 for _ in kinds): 0.0}
    for i in range(1, max(places) + 1):
        following: dict[tuple[int, ...], float] = {}
        for before, value in best.items():
            for j in range(len(kinds)):
                if before[j] < supply[j]:
                    state = (*before[:j], before[j] + 1, *before[j + 1 :])
                    following[state] = max(value, following.get(state, 0.0))
        if i in places:
            for state in following:
                ranked = [
                    kind for kind, count in zip(kinds, state, strict=True) for _ in range(count)
                ]
                prefix = label_shares(ranked, labels)
                following[state] += weight(i) * kl(
                    [prefix[g] for g in labels], [target[g] for g in labels]
                )
        best = following
    return max(best.values())


def brute_max_all(target: Mapping[str, float], n: int, places: Sequence[int]) -> float:
    """The maximum that `max_all` gives, by trying every sequence of n labels."""
    labels = sorted(target)
    sequences = itertools.product([frozenset([label]) for label in labels], repeat=n)
    return max(discounted_kl_all(sequence, labels, target, places) for sequence in sequences)


def brute_max_all_of_run(documents: Sequence[Groups], places: Sequence[int]) -> float:
    """The same maximum by trying every permutation of the run's documents."""
    labels = sorted(set().union(*documents))
    target = label_shares(documents, labels)
    return max(
        discounted_kl_all(order, labels, target, places)
        for order in itertools.permutations(documents)
    )


# --- §3 nDD, nDR, nDKL, nDJS


def viewpoint(topic: Topic, params: Mapping[str, Any], formula: Formula) -> float:
    """§3 (Draws et al. 2021): 1/Z Σ w_i · formula, the population being the whole condensed run."""
    norm = params.get("norm", "max")
    if not topic.condensed:
        if norm == "none":
            return nothing_of_run(LARGEST_TERMS[formula], params.get("cutoff"))
        return 1.0
    protected = protected_labels(params.get("protected", "minority"), topic.condensed, topic.labels)
    if protected is None:
        return 0.0
    supply = count_protected(topic.condensed, protected)
    if 0 in supply:
        return 0.0
    n = depth(len(topic.condensed), params)
    places = places_of(n)
    term = bind(formula, *supply)
    value = discounted_sum(
        [is_protected(groups, protected) for groups in topic.condensed], places, term
    )
    if norm == "none":
        return value
    if norm == "protected-first":
        return normalised(
            value, discounted_sum([True] * supply[0] + [False] * supply[1], places, term)
        )
    return normalised(value, exact_max(term, n, places, supply))


def ndd(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDD."""
    return viewpoint(topic, params, difference_term)


def ndr(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDR."""
    return viewpoint(topic, params, ratio_term)


def ndkl_draws(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDKL."""
    return viewpoint(topic, params, smoothed_kl_term)


def ndjs(topic: Topic, params: Mapping[str, Any]) -> float:
    """§3 nDJS = Σ w_i · JSD(P_i ‖ Q) / Σ w_i; norm='none' leaves out the division."""
    norm = params.get("norm", "bound")
    if not topic.condensed:
        return nothing_of_run(1.0, params.get("cutoff")) if norm == "none" else 1.0  # JSD ≤ 1
    whole = label_shares(topic.condensed, topic.labels)
    places = places_of(depth(len(topic.condensed), params))
    value = 0.0
    for i in places:
        prefix = label_shares(topic.condensed[:i], topic.labels)
        value += weight(i) * jsd(
            [prefix[g] for g in topic.labels], [whole[g] for g in topic.labels]
        )
    return value if norm == "none" else value / sum(weight(i) for i in places)


# --- §1 Annotated


def annotated(topic: Topic, params: Mapping[str, Any]) -> float:
    """§1 Annotated@k: share of the first min(k, length) documents of the uncondensed list that have
    a group.
    """
    n = depth(len(topic.ranking), params)
    return sum(1 for document in topic.ranking[:n] if document.groups) / n if n else 0.0


# --- §4 DistKL, DistFair, AWRF


def laplace(counts: Mapping[str, float], smoothing: float) -> Shares:
    """§4: (c_g + λ)/(n + λ|G|); for n = 0 that is 1/|G|, whatever λ is."""
    total = float(sum(counts.values())) + smoothing * len(counts)
    return {
        g: (float(count) + smoothing) / total if total else 1 / len(counts)
        for g, count in counts.items()
    }


def distribution_target(topic: Topic, params: Mapping[str, Any]) -> Shares:
    """§4 T: 'uniform' and explicit as they are, the estimated ones Laplace-smoothed; then no zeros
    (§1).
    """
    target = params.get("target", "uniform")
    if target == "uniform" or isinstance(target, Mapping):
        return smooth_zeros(target_shares(topic, target))
    counts = label_counts(population(topic, target), topic.labels)
    return smooth_zeros(laplace(counts, params.get("smoothing", 1)))


def distribution_kl(
    counts: Mapping[str, float], target: Mapping[str, float], smoothing: float
) -> float:
    """§4 DistKL = KL(P ‖ T), base 2, P the Laplace-smoothed counts."""
    shares = laplace(counts, smoothing)
    return kl([shares[g] for g in target], [target[g] for g in target])


def largest_distribution_kl(n: int, target: Mapping[str, float], smoothing: float) -> float:
    """§4: max over g of DistKL(all n documents in g)."""
    return max(
        distribution_kl({h: n if h == g else 0 for h in target}, target, smoothing) for g in target
    )


def discounted_counts(
    documents: Sequence[Groups], labels: Sequence[str], discount: str
) -> dict[str, float]:
    """§4 c_g: a document counts 1, or n·w_i/Σw with discount='log2', shared by its groups."""
    if discount == "none":
        return label_counts(documents, labels)
    total = sum(weight(i) for i in range(1, len(documents) + 1))
    counts = dict.fromkeys(labels, 0.0)
    for i, groups in enumerate(documents, start=1):
        for label in groups:
            counts[label] += len(documents) * weight(i) / total / len(groups)
    return counts


def dist_kl(topic: Topic, params: Mapping[str, Any]) -> float:
    """§4 DistKL."""
    smoothing = params.get("smoothing", 1)
    if target_is_empty(topic, params.get("target", "uniform")):
        return 0.0
    target = distribution_target(topic, params)
    if not topic.condensed:
        if params.get("target") == "run":
            return -math.log2(0.001)
        cutoff = params.get("cutoff")
        if cutoff is None:
            return LOOKS_FAIR
        return largest_distribution_kl(cutoff, target, smoothing) or LOOKS_FAIR
    n = depth(len(topic.condensed), params)
    counts = discounted_counts(topic.condensed[:n], topic.labels, params.get("discount", "none"))
    return distribution_kl(counts, target, smoothing)


def dist_fair(topic: Topic, params: Mapping[str, Any]) -> float:
    """§4 DistFair = 1 − DistKL / max over g of DistKL(all n documents in g)."""
    if target_is_empty(topic, params.get("target", "uniform")) or not topic.condensed:
        return 0.0
    n = depth(len(topic.condensed), params)
    largest = largest_distribution_kl(
        n, distribution_target(topic, params), params.get("smoothing", 1)
    )
    return 1 - normalised(dist_kl(topic, params), largest)


def awrf(topic: Topic, params: Mapping[str, Any]) -> float:
    """§4 AWRF = 1 − JSD(exposure ‖ T)."""
    target, base = params.get("target", "uniform"), params.get("base", 2)
    if target_is_empty(topic, target) or not topic.condensed:
        return 0.0
    n = depth(len(topic.condensed), params)
    exposure = dict.fromkeys(topic.labels, 0.0)
    for i, groups in enumerate(topic.condensed[:n], start=1):
        geometric = params.get("discount", "log2") == "geometric"
        attention = params.get("p", 0.85) ** (i - 1) if geometric else weight(i)
        for label in groups:
            exposure[label] += attention / len(groups)
    total = sum(exposure.values())
    shares = target_shares(topic, target)
    return 1 - jsd(
        [exposure[g] / total for g in topic.labels], [shares[g] for g in topic.labels]
    ) / math.log2(base)


# --- §5 BiasP, BiasRBP, BiasDCG


def stances(topic: Topic, params: Mapping[str, Any]) -> list[int]:
    """§5 s_1, …, s_n: +1 relevant and `pro`, −1 relevant and `con`, else 0; 1 − 1 if both (Gezici
    et al. 2021, equation 3).
    """
    n = depth(len(topic.ranking), params)
    signs = []
    for document in topic.ranking[:n]:
        sign = 0
        if document.relevance >= params.get("rel", 1):
            if params.get("pro", "PRO") in document.groups:
                sign += 1
            if params.get("con", "CON") in document.groups:
                sign -= 1
        signs.append(sign)
    return signs


def maybe_absolute(value: float, params: Mapping[str, Any]) -> float:
    """§5 `abs`."""
    return abs(value) if params.get("abs", False) else value


def bias_p(topic: Topic, params: Mapping[str, Any]) -> float:
    """§5 BiasP@n = 1/n Σ s_i, n being the cutoff or the list's length."""
    signs = stances(topic, params)
    n = len(signs) if params.get("cutoff") is None else params["cutoff"]
    return maybe_absolute(normalised(sum(signs), n), params)


def bias_rbp(topic: Topic, params: Mapping[str, Any]) -> float:
    """§5 BiasRBP = (1−p) Σ p^{i−1} s_i."""
    p = params.get("p", 0.8)
    value = (1 - p) * sum(
        p ** (i - 1) * sign for i, sign in enumerate(stances(topic, params), start=1)
    )
    return maybe_absolute(value, params)


def bias_dcg(topic: Topic, params: Mapping[str, Any]) -> float:
    """§5 BiasDCG = Σ s_i / log2(i+1)."""
    value = sum(sign / math.log2(i + 1) for i, sign in enumerate(stances(topic, params), start=1))
    return maybe_absolute(value, params)


# --- §6 RepBias


def unbiased_target(mu: float, n: int, count: int) -> float:
    """§6, Lipani et al. 2021, equation (4), times n: μ·n rounded, halves to the neighbour nearer to
    the model.
    """
    below = math.floor(mu * n)
    fraction = mu * n - below
    if abs(fraction - 0.5) <= TOLERANCE:
        return min((below, below + 1), key=lambda x: abs(x - count))
    return below if fraction < 0.5 else below + 1


def rep_bias(topic: Topic, params: Mapping[str, Any]) -> float:
    """§6 RepBias = model − unbiased target (Lipani et al. 2021, equations 3 to 5, the sign of its
    tables).
    """
    target, group = params.get("target", "qrels"), {params["group"]}
    if target_is_empty(topic, target):
        return 0.0
    n = len(topic.condensed) if params.get("cutoff") is None else params["cutoff"]
    if n == 0:
        return 0.0
    plus, minus = two_group_target(topic, target, group)
    count, _ = count_protected(topic.condensed[:n], group)
    mu = normalised(plus, plus + minus)
    return maybe_absolute((count - unbiased_target(mu, n, count)) / n, params)


# --- NDKL, Skew, MinSkew, MaxSkew


def ndkl(topic: Topic, params: Mapping[str, Any]) -> float:
    """Geyik et al. 2019: Σ w_i · KL(P_i ‖ T) / Σ w_i over all of G, natural logarithm."""
    target = params.get("target", "uniform")
    if target_is_empty(topic, target):
        return 0.0
    shares = target_shares(topic, target)
    if not topic.condensed:
        if target == "run":
            return -math.log2(0.001)
        if params.get("cutoff") is None:
            return LOOKS_FAIR
        return -math.log(min(smooth_zeros(shares).values())) or LOOKS_FAIR
    if target != "run":  # a run's divergence from itself is never infinite
        shares = smooth_zeros(shares)
    places = places_of(depth(len(topic.condensed), params))
    total = 0.0
    for i in places:
        prefix = label_shares(topic.condensed[:i], topic.labels)
        total += weight(i) * kl(
            [prefix[g] for g in topic.labels], [shares[g] for g in topic.labels], math.log
        )
    return total / sum(weight(i) for i in places)


def skews(topic: Topic, params: Mapping[str, Any]) -> dict[str, float] | None:
    """Geyik et al. 2019, Skew@k of every label; None: undefined topic."""
    target = params.get("target", "uniform")
    if target_is_empty(topic, target):
        return None
    shares = target_shares(topic, target)
    found = label_shares(topic.condensed[: depth(len(topic.condensed), params)], topic.labels)
    return {
        g: math.log(float(found[g] or ZERO_SHARE) / float(shares[g] or ZERO_SHARE))
        for g in topic.labels
    }


def skew(topic: Topic, params: Mapping[str, Any]) -> float:
    """Skew@k = ln(share of `group` in the first n / its target share), a share of 0 being 0.001."""
    found = skews(topic, params)
    return 0.0 if found is None else found.get(params["group"], 0.0)


def min_skew(topic: Topic, params: Mapping[str, Any]) -> float:
    """MinSkew@k: the smallest Skew over G."""
    found = skews(topic, params)
    return 0.0 if found is None else min(found.values())


def max_skew(topic: Topic, params: Mapping[str, Any]) -> float:
    """MaxSkew@k: the largest Skew over G."""
    found = skews(topic, params)
    return 0.0 if found is None else max(found.values())


MEASURES: dict[str, Callable[[Topic, Mapping[str, Any]], float]] = {
    "rND": rnd,
    "rKL": rkl,
    "rRD": rrd,
    "nDD": ndd,
    "nDR": ndr,
    "nDKL": ndkl_draws,
    "nDJS": ndjs,
    "Annotated": annotated,
    "DistKL": dist_kl,
    "DistFair": dist_fair,
    "AWRF": awrf,
    "BiasP": bias_p,
    "BiasRBP": bias_rbp,
    "BiasDCG": bias_dcg,
    "RepBias": rep_bias,
    "NDKL": ndkl,
    "Skew": skew,
    "MinSkew": min_skew,
    "MaxSkew": max_skew,
}
