"""The simulation of Draws et al. (2021)."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
import slow_versions
from ir_measures import parse_measure

from pt_fairness import nDJS, simulation
from pt_fairness.measures.measure import score

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]

#: Draws et al. (2021), section 4.2, as (smallest, largest) over the sets.
PUBLISHED = {
    ("nDD", -1.0): (1.0, 1.0), ("nDD", 0.0): (0.08, 0.08), ("nDD", 1.0): (0.55, 0.85),
    ("nDR", 0.0): (0.04, 0.04), ("nDR", 1.0): (0.19, 0.24),
    ("nDKL", -1.0): (1.0, 1.0), ("nDKL", 0.0): (0.03, 0.03), ("nDKL", 1.0): (0.40, 0.78),
    ("nDJS", -1.0): (0.18, 0.21), ("nDJS", 0.0): (0.03, 0.03), ("nDJS", 1.0): (0.07, 0.09)}
#: The rankings of each mean in the fixture ``sweep``.
DRAWS = 400
#: The findings that differ with enough rankings, by their beginning.
DIFFER = ("nDD, nDR, nDKL: lowest", "nDD, nDR, nDKL: steeper", "nDR: less steep", "nDR: steeper",
          "nDR: reaches")


@pytest.fixture
def found(script, sweep):
    return script("draws2021").module.findings(sweep, DRAWS).set_index("finding")


def ends(where, name):
    """The range of α in which two measures differ on a set."""
    text = re.search(rf"on {name}, α = (\S+) to ([^;]+)", where)
    return float(text[1]), float(text[2])


class TestFindings:
    def test_a_finding_that_fails_anywhere_differs(self, found):
        holds = found["result"] == "holds"
        assert [name for name in found.index[~holds] if not name.startswith(DIFFER)] == []
        assert (holds == (found["where"] == "")).all() and len(found) == 18

    def test_where_ndr_is_steeper_or_less_steep(self, found, sweep):
        """By hand: the rises above the value at α = 0, wherever the sentence speaks."""
        means = sweep.pivot(index="alpha", columns=["measure", "set"], values="mean")
        rises = means - means.loc[0.0]
        for finding, other, sign in (("nDR: less steep than nDD", "nDD", 1),
                                     ("nDR: steeper than nDKL", "nDKL", -1)):
            assert found["result"][finding] == "differs"
            for name in ("S1", "S2", "S3"):
                gap = sign * (rises["nDR", name] - rises[other, name])
                wrong = gap.index[gap > 0]
                assert ends(found["where"][finding], name) == (wrong.min(), wrong.max())
        # As of 1000 rankings: up to -0.6, -0.7, -0.8, and from 0.5, 0.5, 0.6.
        assert ends(found["where"]["nDR: less steep than nDD"], "S3")[1] < -0.7
        assert 0.4 <= ends(found["where"]["nDR: steeper than nDKL"], "S1")[0] <= 0.6

    def test_the_end_of_the_curves(self, found):
        steeper = found["where"]["nDD, nDR, nDKL: steeper on S1 than on S2, and on S2 than on S3"]
        assert "nDD on S1 and S2, α = -1;" in steeper
        assert set(re.findall(r"α = (\S+?)(?:;|$)", steeper)) == {"-1"}
        assert "S1: 2." in found["where"]["nDR: reaches its maximal means at α = -1"]

    def test_the_least_vulnerable_measure(self, found):
        row = [name for name in found.index if name.startswith("nDR: least vulnerable")]
        shares = re.findall(r"(\w+) (0\.\d\d)", row[0])
        assert shares == [("nDR", "0.80"), ("nDD", "0.66"), ("nDKL", "0.52")]

    def test_other_curves_contradict_them(self, script, sweep):
        module = script("draws2021").module
        swapped = sweep.assign(set=sweep["set"].replace({"S1": "S3", "S3": "S1"}))
        mirrored = sweep.assign(alpha=-sweep["alpha"] + 0.0)
        upside_down = sweep.assign(mean=-sweep["mean"])
        names = {"nDD": "nDKL", "nDKL": "nDD", "nDR": "nDJS", "nDJS": "nDR"}
        renamed = sweep.assign(measure=sweep["measure"].replace(names))
        failed = set()
        for other, rows in ((swapped, {1, 3, 14, 16}), (mirrored, {2}),
                            (upside_down, {0, 1, 2, 8, 15}), (renamed, {9, 10, 11, 12, 13})):
            table = module.findings(other, DRAWS)
            wrong = set(np.flatnonzero(table["result"] == "differs"))
            assert rows <= wrong
            failed |= wrong
        # Every finding can fail.
        assert failed == set(range(18))


class TestDraws:
    def test_published_values(self, script, tmp_path, capsys):
        values, guide = script("draws2021")("-n", 60)
        remarks = values.set_index("what")["remark"]
        assert len(values) == 11 and set(remarks) == {"same", "differs"}
        # It hardly varies over the rankings: 0.561 is not 0.55.
        assert remarks["nDD, α = 1"] == "differs"
        assert (remarks[["nDD, α = -1", "nDKL, α = -1", "nDR, α = 1"]] == "same").all()
        printed = capsys.readouterr().out
        assert re.search(r"nDD, nDR, nDKL: higher at α = -1 than at α = 1 +holds", printed)
        assert re.search(r"nDR: less steep than nDD +differs", printed)
        assert "What we decided" in printed
        assert guide["set"].tolist() == ["S3", "S2", "S1"] and (guide["low bias"] == "nDD").all()
        assert {path.name for path in tmp_path.glob("*.png")} == {
            "draws2021-figure1.png", "draws2021-figure2.png"}

    def test_the_sampling_error(self, script, sweep):
        """A value is the same if half a unit and two standard errors reach it."""
        module = script("draws2021").module
        rows = module.values(sweep, DRAWS).set_index("what")
        part = sweep[(sweep["measure"] == "nDD") & (sweep["alpha"] == 0)]
        error = 2 * part["sd"].max() / np.sqrt(DRAWS)
        assert rows["sampling error"]["nDD, α = 0"] == f"±{error:.4f}"
        moved = sweep.assign(mean=sweep["mean"] + 0.01)
        assert (module.values(moved, DRAWS)["remark"] == "differs").sum() > 6
        assert (module.values(moved, 4)["remark"] == "same").sum() > (
            module.values(moved, DRAWS)["remark"] == "same").sum()

    def test_another_set_changes_the_values(self, script, monkeypatch):
        before, _ = script("draws2021")("-n", 20)
        monkeypatch.setitem(
            script("draws2021").module.SETS, "S1",
            {"-3": 20, "-2": 20, "-1": 20, "0": 160, "1": 160, "2": 160, "3": 160})
        after, _ = script("draws2021")("-n", 20)
        moved = before.merge(after, on="what").set_index("what")
        assert moved.loc["nDR, α = 1", "ours_x"] != moved.loc["nDR, α = 1", "ours_y"]
        assert moved.loc["nDR, α = 1", ["remark_x", "remark_y"]].tolist() == ["same", "differs"]
        assert (moved["published_x"] == moved["published_y"]).all()


def streams(name, alpha, seed=0):
    """The seeds of the rankings of a group, of the rankings of all labels, and of the choices."""
    return np.random.SeedSequence(seed, spawn_key=tuple(f"{name} {alpha}".encode())).spawn(3)


class TestSimulate:
    def test_published_values(self, sweep):
        """Section 4.2, as the smallest and the largest mean over the sets."""
        means = sweep.groupby(["measure", "alpha"])["mean"].agg(["min", "max", "count"])
        for case, expected in PUBLISHED.items():
            *found, count = means.loc[case]
            assert count == 3 and found == pytest.approx(expected, abs=0.015), case
        assert means.loc[("nDR", -1), "min"] > 1

    def test_means_are_those_of_single_rankings(self, script):
        """The slow version of each measure, ranking by ranking."""
        sets = {"T": {"-3": 3, "-2": 2, "0": 4, "1": 3}}
        measures = [*map(parse_measure, (
            "nDD(protected='-3,-2,-1')",
            "nDKL(protected='-3,-2,-1',norm='protected-first')@6"))]
        frame = script("draws2021").module.simulate(sets, [0.3], measures, 25, 4)
        labels = list(sets["T"])
        weights = [0.7001, 0.7001, 1.3001, 1.3001]
        codes = simulation.biased_rankings([3, 2, 4, 3], weights, 25, streams("T", 0.3, 4)[0])
        for measure, row in zip(measures, frame.itertuples(), strict=True):
            values = []
            for ranking in codes:
                qrels = [("1", f"d{i:02}", 1, labels[code]) for i, code in enumerate(ranking)]
                run = [("1", f"d{i:02}", -float(i)) for i in range(len(ranking))]
                values.append(slow_versions.evaluate(measure.NAME, measure.params, qrels, run)["1"])
            assert row.mean == pytest.approx(np.mean(values), abs=1e-12)
            assert row.sd == pytest.approx(np.std(values, ddof=1), abs=1e-12)

    def test_one_protected_viewpoint_is_drawn_for_measures_of_all_labels(self, script):
        sets = {"T": dict.fromkeys(["-3", "-2", "-1", "0"], 4)}
        frame = script("draws2021").module.simulate(sets, [-1.0], [nDJS], 30)
        _, seed, choice = streams("T", -1.0)
        one = np.random.default_rng(choice).choice(3, 30)
        weights = np.where(np.arange(4) == one[:, None], 2.0001, 1e-4)
        codes = simulation.biased_rankings([4] * 4, weights, 30, seed)
        assert (codes[:, 0] == one).mean() > 0.9
        expected = score([nDJS], simulation.rankings(codes, list(sets["T"])))[nDJS].mean()
        assert frame["mean"][0] == pytest.approx(expected, abs=1e-6)

    def test_rows_depend_on_the_seed_and_not_on_each_other(self, script):
        module = script("draws2021").module
        among = module.simulate(alphas=[-0.5, 0.5], draws=20)
        alone = module.simulate({"S2": module.SETS["S2"]}, [0.5], [nDJS], 20)
        rows = among.query("set == 'S2' and alpha == 0.5 and measure == 'nDJS'")
        pd.testing.assert_frame_equal(alone, rows.reset_index(drop=True))
        other = module.simulate({"S2": module.SETS["S2"]}, [0.5], [nDJS], 20, 1)
        assert other["mean"][0] != alone["mean"][0]
        twins = dict.fromkeys(("S2", "S4"), module.SETS["S2"])
        assert module.simulate(twins, [0.5, 0.1], [nDJS], 20)["mean"].nunique() == 4
