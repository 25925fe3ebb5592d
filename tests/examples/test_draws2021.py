"""The simulation of Draws et al. (2021)."""

from __future__ import annotations

import re

import pytest

from pt_fairness import simulation

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


class TestFindings:
    def test_all_hold_except_for_ndr_at_the_end(self, script, sweep):
        module = script("draws2021").module
        found = module.findings(sweep).set_index("finding")
        assert (found["holds"] == "no").tolist() == [True, False, True, False, False, True,
                                                     *[False] * 3]
        exceptions = "; ".join(filter(None, found["except"]))
        assert set(re.findall(r"(n\w+) (?:on|at)", exceptions)) == {"nDR"}
        # As of 1000 rankings: 2.33 and 1.55, 1.81 and 1.70.
        for name in ("S1", "S2"):
            assert f"nDR on {name} from α = -0.9 to -1" in found["except"].iloc[0]
            assert re.search(rf"nDR on {name} \(\d.\d\d at α = -0.9", found["except"].iloc[5])
        assert "S3" not in found["except"].iloc[0] + found["except"].iloc[5]

    def test_other_curves_contradict_them(self, script, sweep):
        module = script("draws2021").module
        swapped = sweep.assign(set=sweep["set"].replace({"S1": "S3", "S3": "S1"}))
        mirrored = sweep.assign(alpha=-sweep["alpha"] + 0.0)
        upside_down = sweep.assign(mean=-sweep["mean"])
        for other, contradicted in ((swapped, {2, 3}), (mirrored, {4, 5, 6, 7, 8}),
                                    (upside_down, {0, 1, 2, 3, 4, 5, 6})):
            holds = module.findings(other)["holds"]
            assert contradicted <= {i for i, one in enumerate(holds) if one == "no"}


class TestDraws:
    def test_published_values(self, script, tmp_path, capsys):
        values, guide = script("draws2021")("-n", 60)
        assert len(values) == 11 and (values["remark"] == "same").all()
        printed = capsys.readouterr().out
        assert re.search(r"all four: higher at α = -1 than at α = 1 +yes", printed)
        assert re.search(r"nDD, nDR, nDKL: highest at α = -1 +no", printed)
        assert "UNEXPLAINED" not in printed and 'published "above 1"' in printed
        assert guide["set"].tolist() == ["S3", "S2", "S1"] and (guide["low bias"] == "nDD").all()
        assert {path.name for path in tmp_path.glob("*.png")} == {
            "draws2021-figure1.png",
            "draws2021-figure2.png",
        }

    def test_another_set_changes_the_values(self, script, monkeypatch):
        before, _ = script("draws2021")("-n", 20)
        monkeypatch.setitem(
            simulation.SETS,
            "S1",
            {"-3": 20, "-2": 20, "-1": 20, "0": 160, "1": 160, "2": 160, "3": 160},
        )
        after, _ = script("draws2021")("-n", 20)
        moved = before.merge(after, on="what").set_index("what")
        assert moved.loc["nDD, α = 1", "ours_x"] != moved.loc["nDD, α = 1", "ours_y"]
        assert "UNEXPLAINED" in moved.loc["nDD, α = 1", "remark_y"]
        assert (moved["published_x"] == moved["published_y"]).all()
