"""Names of columns, split into the measure and what a comparison adds to it."""

from __future__ import annotations

import pytest

from pt_fairness.analysis import names
from pt_fairness.analysis.names import split_suffix

SUFFIXES = [names.WINS, names.LOSSES, names.P_VALUE, names.REJECT, names.CORRECTED, names.LOW,
            names.HIGH, names.VERDICT, " corrected"]


@pytest.mark.parametrize("suffix", ["", *SUFFIXES])
@pytest.mark.parametrize("measure", ["rKL@5", "mrt", "BiasP(pro='a\\x20-',con='b')@5", "x +1", ""])
def test_the_suffix_of_a_column(measure, suffix):
    assert split_suffix(measure + suffix) == (measure, suffix)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_suffix_is_taken_off_once_and_as_it_is_written(suffix):
    assert split_suffix(f"rKL@5{suffix}{suffix}") == (f"rKL@5{suffix}", suffix)
    assert split_suffix(f"rKL@5{suffix}@5") == (f"rKL@5{suffix}@5", "")
    assert split_suffix(f"rKL@5{suffix.replace(' ', '_')}")[1] == ""


def test_no_two_columns_of_a_measure_have_one_name():
    columns = [measure + suffix for measure in ("rKL@5", "rKL@50") for suffix in ("", *SUFFIXES)]
    assert len({*columns}) == len(columns)


def test_keys_of_attrs_are_different():
    keys = [names.MEASURES, names.GROUPS, names.TOPICS, names.UNDEFINED,
            names.UNDEFINED_EVERYWHERE, names.SEVERAL, names.COMPARISON, names.INTERVAL,
            names.TOLERANCE, names.REFERENCES, names.SYSTEMS, names.BROKEN]
    assert len({*keys}) == len(keys)
