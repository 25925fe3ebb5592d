"""Text for errors and warnings."""

from __future__ import annotations

import pytest

from pt_fairness.core import messages


@pytest.mark.parametrize("names, expected", [
    ([], ""),
    (["A"], "'A'"),
    (dict.fromkeys("AB"), "'A', 'B'"),
    ((f"g{i}" for i in range(10)), ", ".join(f"'g{i}'" for i in range(10))),
    ((f"g{i}" for i in range(11)), ", ".join(f"'g{i}'" for i in range(10)) + " and 1 more"),
    (["A", "it's", 3], """'A', "it's", 3""")])
def test_names_are_listed_up_to_a_number(names, expected):
    assert messages.listed(names) == expected


def test_long_values_are_cut():
    assert messages.shown("it's") == '"it\'s"' and messages.shown([1.5]) == "[1.5]"
    for most in (messages.MOST_CHARACTERS, messages.MOST_CHARACTERS + 1):
        text = "x" * most
        cut = "…" if most > messages.MOST_CHARACTERS else ""
        assert messages.shown(text) == repr(text[:messages.MOST_CHARACTERS]) + cut
    assert messages.shown([*range(500)]) == repr([*range(500)])[:messages.MOST_CHARACTERS] + "…"
