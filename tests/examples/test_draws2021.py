"""The simulation of Draws et al. (2021)."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pt_fairness import simulation

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

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
            simulation.SETS, "S1",
            {"-3": 20, "-2": 20, "-1": 20, "0": 160, "1": 160, "2": 160, "3": 160})
        after, _ = script("draws2021")("-n", 20)
        moved = before.merge(after, on="what").set_index("what")
        assert moved.loc["nDR, α = 1", "ours_x"] != moved.loc["nDR, α = 1", "ours_y"]
        assert moved.loc["nDR, α = 1", ["remark_x", "remark_y"]].tolist() == ["same", "differs"]
        assert (moved["published_x"] == moved["published_y"]).all()
