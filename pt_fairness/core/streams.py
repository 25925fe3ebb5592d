"""Random numbers that depend on a seed and a name alone, in all versions of numpy."""

from __future__ import annotations

import hashlib

import numpy as np

from pt_fairness.core.arrays import Floats


def uniforms(seed: int, name: str, sample: int, size: int) -> Floats:
    """Return random numbers between 0 and 1 that depend on the arguments alone, ``[size]``.

    The stream of a counter-based generator of Salmon et al. (2011), Philox 4×64, which numpy keeps
    the same in all versions. Other names, other samples and ``size`` have no influence.

    :param seed: the seed
    :param name: what the numbers are for: a topic, or a topic and a document on two lines
    :param sample: the number of the sample, at least 0

    Examples
    --------
    >>> uniforms(0, "1", 0, 3).round(6).tolist()
    [0.627144, 0.860901, 0.656796]
    """
    digest = hashlib.sha256(f"{seed}\n{name}".encode()).digest()[:16]
    key = np.frombuffer(digest, dtype="<u8").astype(np.uint64)
    counter = np.array([0, sample, 0, 0], dtype=np.uint64)
    raw = np.random.Philox(key=key, counter=counter).random_raw(size)
    return ((raw >> np.uint64(11)) + 0.5) * 2.0 ** -53
