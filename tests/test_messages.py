"""Text for errors and warnings."""

from __future__ import annotations

import pytest

from pt_fairness import messages


@pytest.mark.parametrize("names, most, expected", [
    ([], 10, ""),
    (["A"], 10, "'A'"),
    (dict.fromkeys("AB"), 10, "'A', 'B'"),
    ((f"g{i}" for i in range(10)), 10, ", ".join(f"'g{i}'" for i in range(10))),
    ((f"g{i}" for i in range(11)), 10, ", ".join(f"'g{i}'" for i in range(10)) + " and 1 more"),
    (["A", "it's", 3], 2, """'A', "it's" and 1 more"""),
])
def test_names_are_listed_up_to_a_number(names, most, expected):
    assert messages.listed(names, most) == expected
