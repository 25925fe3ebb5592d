"""NDKL in the units of rKL, and against other software."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from measure_cases import of_lists

from pt_fairness import NDKL, rKL


def test_ndkl_is_rkl_in_other_units(values):
    lists = ["ABCAB", "AAAAA", "CBCBC"]
    plain, measure = (
        rKL(protected="all", norm="none", target="collection") @ 5,
        NDKL(target="collection") @ 5,
    )
    found = values([plain, measure], *of_lists(lists))
    factor = math.log(2) / sum(1 / math.log2(i + 1) for i in range(1, 6))
    assert [found[measure, q] for q in "012"] == pytest.approx(
        [factor * found[plain, q] for q in "012"], abs=1e-12
    )


@pytest.mark.newest
@pytest.mark.parametrize("seed", range(5))
def test_ndkl_against_fairranktune(values, seed):
    """FairRankTune 0.0.7 has the same formula, but always compares with the groups of the list that
    it is given.

    That is ``target='run'`` without a cutoff; it knows no other target, and cutting the list first
    changes what it compares with, where here the whole run stays the target. It adds 1e-7 to all
    shares instead of leaving 0 · log 0 at 0, hence the tolerance. Its AWRF is another measure:
    attention per document of each group, combined to a ratio or a difference.
    """
    from FairRankTune.Metrics.NDKL import NDKL as THEIRS
    labels = "".join(np.random.default_rng(seed).choice(list("ABC"), 25, p=[0.6, 0.3, 0.1])) + "C"
    whole, first, uniform = NDKL(target="run"), NDKL(target="run") @ 10, NDKL
    found = values([whole, first, uniform], *of_lists([labels]))

    def theirs(part: str) -> float:
        return float(THEIRS(pd.DataFrame({"ranking": range(len(part))}), dict(enumerate(part))))

    assert found[whole, "0"] == pytest.approx(theirs(labels), abs=1e-4)
    assert found[first, "0"] != pytest.approx(theirs(labels[:10]), abs=1e-3)
    assert found[uniform, "0"] != pytest.approx(theirs(labels), abs=1e-3)
