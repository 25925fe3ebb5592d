"""§17 RaB, ARaB, FaiRR, NFaiRR (Rekabsaz & Schedl 2020; Rekabsaz et al. 2021), §18 RankingBias.

Kulshrestha et al. 2017. `values`: label → number, or None for the topic's registered numbers.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from slow_versions.common import Topic, maybe_absolute

LabelValues = Mapping[str, float] | None


def numbers(topic: Topic, docnos: Iterable[str], values: LabelValues,
            missing: float) -> list[float]:
    """v of each document; one without value has `missing`."""
    found = []
    for docno in docnos:
        if values is not None:
            shares = topic.shares(docno)  # Σ m_dg·number, labels not named: 0
            v = (
                sum(share * values.get(g, 0.0) for g, share in shares.items()) if shares
                else missing)
        else:
            v = topic.values.get(docno, missing)
        found.append(v)
    return found


def mean(found: Sequence[float]) -> float:
    return sum(found) / len(found)


def background_of(topic: Topic, background: str, rel: int) -> Sequence[str]:
    """B: 'run' (the uncut list), 'qrels' (r ≥ `rel`), or a registered run."""
    if background == "run":
        return topic.ranking
    if background == "qrels":
        return [docno for docno, relevance in topic.judged.items() if relevance >= rel]
    return topic.backgrounds.get(background, [])


def rab(topic: Topic, *, values: LabelValues = None, cutoff: int | None = None,
        missing: float = 0.0, abs: bool = False) -> float | None:
    """RaB = mean v of the first n."""
    found = numbers(topic, topic.ranking[:cutoff], values, missing)
    return maybe_absolute(mean(found), abs) if found else 0.0


def mean_of_prefixes(found: Sequence[float]) -> float:
    """1/n Σ_{t≤n} RaB@t."""
    return mean([mean(found[:t]) for t in range(1, len(found) + 1)])


def arab(topic: Topic, *, values: LabelValues = None, cutoff: int | None = None,
         missing: float = 0.0, abs: bool = False) -> float | None:
    """ARaB = 1/n Σ_{t≤n} RaB@t."""
    found = numbers(topic, topic.ranking[:cutoff], values, missing)
    return maybe_absolute(mean_of_prefixes(found), abs) if found else 0.0


def discounted(found: Iterable[float]) -> float:
    """Σ v_i/log2(i+1)."""
    return sum(v / math.log2(i + 1) for i, v in enumerate(found, start=1))


def fairr(topic: Topic, *, values: LabelValues = None, cutoff: int | None = None,
          missing: float = 1.0) -> float | None:
    """FaiRR = Σ_{i≤n} v_i/log2(i+1)."""
    found = numbers(topic, topic.ranking[:cutoff], values, missing)
    return discounted(found)


def nfairr(topic: Topic, *, values: LabelValues = None, cutoff: int | None = None, rel: int = 1,
           missing: float = 1.0, background: str = "run") -> float | None:
    """NFaiRR = FaiRR / FaiRR of the min(k, |B|) largest v of B, descending."""
    candidates = background_of(topic, background, rel)
    if not candidates:
        return 0.0 if background == "run" else None  # nothing returned; B empty
    ideal = numbers(topic, candidates, values, missing)
    found = numbers(topic, topic.ranking[:cutoff], values, missing)
    largest = discounted(sorted(ideal, reverse=True)[:cutoff])
    return discounted(found) / largest if largest else 0.0


def ranking_bias(topic: Topic, *, values: LabelValues = None, cutoff: int | None = None,
                 rel: int = 1, missing: float = 0.0, background: str = "run",
                 abs: bool = False) -> float | None:
    """RankingBias = ARaB@k − mean v over B."""
    candidates = background_of(topic, background, rel)
    if not candidates:
        return 0.0 if background == "run" else None
    found = numbers(topic, topic.ranking[:cutoff], values, missing)
    output = mean_of_prefixes(found) if found else 0.0
    return maybe_absolute(output - mean(numbers(topic, candidates, values, missing)), abs)
