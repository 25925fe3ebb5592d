"""Slow versions of the random numbers of policies and of the orders that they draw."""

import hashlib
import math
from collections.abc import Sequence

WORD = 2**64
#: Multipliers and key increments of Philox 4×64 with ten rounds (Salmon et al. 2011).
MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
INCREMENTS = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


def philox(counter: Sequence[int], key: Sequence[int]) -> list[int]:
    """Four words for a counter of four words and a key of two."""
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        high_a, low_a = divmod(MULTIPLIERS[0] * a, WORD)
        high_c, low_c = divmod(MULTIPLIERS[1] * c, WORD)
        a, b, c, d = high_c ^ b ^ k, low_c, high_a ^ d ^ m, low_a
        k, m = (k + INCREMENTS[0]) % WORD, (m + INCREMENTS[1]) % WORD
    return [a, b, c, d]


def numbers(seed: int, name: str, sample: int, size: int) -> list[int]:
    """The first `size` random numbers of a name and a sample, each of 53 bits."""
    digest = hashlib.sha256(f"{seed}\n{name}".encode()).digest()
    key = [int.from_bytes(digest[start : start + 8], "little") for start in (0, 8)]
    words: list[int] = []
    block = 1  # numpy counts up before it draws
    while len(words) < size:
        words += philox([block, sample, 0, 0], key)
        block += 1
    return [word >> 11 for word in words[:size]]


def uniforms(seed: int, qid: str, sample: int, size: int) -> list[float]:
    """§5: the numbers between 0 and 1."""
    return [(number + 0.5) * 2.0**-53 for number in numbers(seed, qid, sample, size)]


def plackett_luce(r: Sequence[float], temperature: float, u: Sequence[float]) -> list[int]:
    """§5: the documents by falling key."""
    if temperature == 0:
        return list(range(len(r)))
    keys = [r[d] / temperature - math.log(-math.log(u[d])) for d in range(len(r))]
    return sorted(range(len(r)), key=lambda d: -keys[d])
