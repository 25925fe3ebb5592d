"""The groups of this package by name."""

from __future__ import annotations

import pickle

from pt_fairness import groups


def test_a_source_of_this_package_is_one_object_in_a_process():
    """What it has read of a corpus is not read again by each evaluation."""
    source = groups.get("pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(source)) is source
    other = groups.from_irds("pt-fairness/debates", "viewpoint", name="pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(other)) == other != source
