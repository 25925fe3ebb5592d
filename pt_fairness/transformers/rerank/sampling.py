"""Random numbers, and the orders that policies draw with them.

Documents are numbered by the old order, from 0. Shapes: ``n`` documents, best first.
"""

from __future__ import annotations

import hashlib

import numpy as np

from pt_fairness.numerics import Floats, Ints


def uniforms(seed: int, qid: str, sample: int, size: int) -> Floats:
    """Return random numbers between 0 and 1 that depend on the arguments alone, ``[size]``.

    The stream of a counter-based generator of Salmon et al. (2011), Philox 4×64, which numpy keeps
    the same in all versions. Other topics, other samples and ``size`` have no influence.

    :param seed: the seed of the policy
    :param qid: the topic
    :param sample: the number of the sample, at least 0

    Examples
    --------
    >>> uniforms(0, "1", 0, 3).round(6).tolist()
    [0.627144, 0.860901, 0.656796]
    """
    digest = hashlib.sha256(f"{seed}\n{qid}".encode()).digest()[:16]
    key = np.frombuffer(digest, dtype="<u8").astype(np.uint64)
    counter = np.array([0, sample, 0, 0], dtype=np.uint64)
    raw = np.random.Philox(key=key, counter=counter).random_raw(size)
    return ((raw >> np.uint64(11)) + 0.5) * 2.0 ** -53


def plackett_luce_order(r: Floats, temperature: float, u: Floats) -> Ints:
    """Return an order drawn without replacement in proportion to ``exp(r / temperature)``, ``[n]``.

    The documents are sorted by ``r / temperature`` plus standard Gumbel noise, which has the same
    distribution as drawing one by one.

    :param r: the normalised scores, ``[n]``
    :param temperature: at least 0; 0 keeps the order
    :param u: uniform random numbers, ``[n]``
    """
    if temperature == 0:
        return np.arange(len(r))
    with np.errstate(divide="ignore", over="ignore"):  # infinite keys are in order, too
        keys = r / temperature - np.log(-np.log(u))
    return np.argsort(-keys, kind="stable")


def epsilon_greedy_order(n: int, k: int, epsilon: float, u: Floats) -> Ints:
    """Return the order after random swaps, ``[n]``.

    Each of the first ``k`` ranks is swapped, with probability ``epsilon``, with one of the ranks
    below it.

    :param u: uniform random numbers, ``[2 k]``: for each rank whether it is swapped, and with which
    """
    order = np.arange(n)
    rank = np.arange(min(k, n - 1))
    below = n - 1 - rank
    # A random number just below 1 is rounded to 1.
    other = rank + 1 + np.minimum((u[1::2][:len(rank)] * below).astype(np.int64), below - 1)
    for i in np.flatnonzero(u[0::2][:len(rank)] < epsilon).tolist():
        order[[i, other[i]]] = order[[other[i], i]]
    return order
