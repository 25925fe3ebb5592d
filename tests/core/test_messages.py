"""Text for errors and warnings."""

from __future__ import annotations

import pytest

from pt_fairness.core import messages


@pytest.mark.parametrize("names, expected", [
    ([], ""), (dict.fromkeys("AB"), "'A', 'B'"), (["A", "it's", 3], """'A', "it's", 3"""),
    (range(10), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9"),
    (iter(range(11)), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more")])
def test_names_are_listed_up_to_a_number(names, expected):
    assert messages.listed(names) == expected


def test_long_values_are_cut():
    most = messages.MOST_CHARACTERS
    assert messages.shown("it's") == '"it\'s"' and messages.shown([1.5]) == "[1.5]"
    assert messages.shown("x" * most) == repr("x" * most)
    assert messages.shown("x" * (most + 1)) == repr("x" * most) + "…"
    assert messages.shown([*range(500)]) == repr([*range(500)])[:most] + "…"
