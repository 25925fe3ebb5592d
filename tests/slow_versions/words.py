"""Words of groups in a text, as the authors count them: plain loops, one text at a time.

Rekabsaz et al. 2021: the neutrality. Rekabsaz and Schedl 2020: tc, tf and bool.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence


def counts(text: str, words: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """How many words of each group a text has."""
    of_text = Counter(text.lower().split())
    return {group: sum(of_text[word.lower()] for word in set(some))
            for group, some in words.items()}


def label(found: Mapping[str, int], threshold: int, neutral: str) -> str:
    most = max(found.values())
    winners = [group for group, count in found.items() if count == most]
    if sum(found.values()) <= threshold or len(winners) > 1:
        return neutral
    return winners[0]


def shares(found: Mapping[str, int], threshold: int, neutral: str) -> dict[str, float]:
    total = sum(found.values())
    if total <= threshold:
        return {neutral: 1.0}
    return {group: count / total for group, count in found.items() if count}


def neutrality(found: Mapping[str, int], threshold: int) -> float:
    total, value = sum(found.values()), 1.0
    if total > threshold:
        for count in found.values():
            value -= abs(count / total - 1 / len(found))
    return value


def difference(found: Mapping[str, int], number: str) -> float:
    first, second = found.values()
    if number == "tc":
        return first - second
    if number == "tf":
        return math.log(first + 1) - math.log(second + 1)
    return (first > 0) - (second > 0)
