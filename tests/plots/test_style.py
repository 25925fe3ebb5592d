"""Colours for every kind of colour vision."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from pt_fairness import plots

#: Simulations of dichromacy, as matrices of linear RGB (Viénot, Brettel & Mollon 1999).
DICHROMACY = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def seen(colour: str, matrix) -> np.ndarray:
    linear = np.array(
        [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    )
    linear = np.clip(np.asarray(matrix) @ linear, 0, 1)
    return np.array(
        [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear]
    )


def distance(one: str, two: str, kind: str) -> float:
    return np.linalg.norm(seen(one, DICHROMACY[kind]) - seen(two, DICHROMACY[kind]))


@pytest.mark.parametrize("kind", DICHROMACY)
def test_colours_differ_for_the_colour_blind(kind):
    for one, two in itertools.combinations(plots.PALETTE, 2):
        assert distance(one, two, kind) > 0.1, (one, two)


def test_simulated_red_and_green_are_similar():
    red, green = "#D62728", "#7F6A00"
    assert distance(red, green, "protan") < np.linalg.norm(np.subtract(to_rgb(red), to_rgb(green)))
