"""Checks of sources, names and labels before anything is computed."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_fairness import AWRF, RaB, RepBias, TrecFair, groups, rKL, rND, values
from pt_fairness.provider.checks import check_names, check_sources, refuse_unknown

FRAME = pd.DataFrame({"docno": ["d1", "d2"], "group": ["A", "B"]})


def test_sources_that_exist_pass():
    source = groups.from_frame(FRAME)
    check_sources([rND(groups=source, protected="A") @ 5, AWRF @ 5,
                   RaB(values=values.from_mapping({"d1": 1.0})) @ 5])


@pytest.mark.parametrize(("measure", "named"), [
    (rND(groups="nowhere") @ 5, "nowhere"), (RaB(values="nothing") @ 5, "nothing"),
    (TrecFair(attributes={"nowhere": "trec-fair/2021/world"}) @ 5, "nowhere")])
def test_a_source_that_does_not_exist_is_named(measure, named):
    with pytest.raises(ValueError, match=named):
        check_sources([rKL @ 5, measure])


def test_a_label_that_a_source_does_not_declare_is_named():
    source = groups.from_frame(FRAME)
    with pytest.raises(ValueError, match=r"protected='C' names no group.*'A', 'B'"):
        check_sources([rND(groups=source, protected="C") @ 5])


def test_two_objects_of_one_name_are_an_error():
    one = groups.from_frame(FRAME, name="mine")
    two = groups.from_frame(FRAME.assign(group="A"), name="mine")
    check_names([rND(groups=one) @ 5, rKL(groups=one) @ 5, RepBias(group="A", groups=one)])
    with pytest.raises(ValueError, match=r"two groups of this call are named 'mine'.*another name"):
        check_names([rND(groups=one) @ 5, rKL(groups=two) @ 5])


def test_what_is_wrong_for_every_run_is_an_error():
    wrong, short, other = ("unknown groups", "none of the 5 ids"), ("unknown groups", "none"), (
        "ties", "a tie")
    refuse_unknown([[other], [other]])
    refuse_unknown([[wrong, other], [other]])
    with pytest.raises(ValueError, match=r"^none of the 5 ids$"):
        refuse_unknown([[short], [wrong, other]])
