"""What the tests of many runs share: measures, and evaluation without warnings."""

import warnings
from importlib.util import find_spec

import pandas as pd
import pytest
from ir_measures import AP, ERR_IA, Judged, NumRel, NumRet, P, Rprec, alpha_nDCG, nDCG

from pt_fairness import FairnessWarning, evaluate, nDJS, nDKL, rKL, rND

OURS = [rND @ 5, rKL(protected="all") @ 5, nDKL, nDJS]
MEASURES = [nDCG @ 5, *OURS, AP(rel=2), alpha_nDCG @ 5, P @ 3, Rprec, NumRet, NumRet(rel=1), NumRel,
            Judged @ 5, ERR_IA @ 5]

several = pytest.mark.skipif(find_spec("joblib") is None, reason="several processes need joblib")
#: One process, and several.
PROCESSES = [1, pytest.param(2, marks=several)]


def trec_run(run):
    """Return the text of a run file."""
    rows = run.itertuples(index=False)
    return "".join(f"{qid} Q0 {docno} 0 {score!r} tag\n" for qid, docno, score in rows)


def evaluate_quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return evaluate(*arguments, progress=False, **options)


def assert_same(one, other):
    for mine, theirs in zip(one, other, strict=True):
        pd.testing.assert_frame_equal(mine, theirs, check_exact=True)
