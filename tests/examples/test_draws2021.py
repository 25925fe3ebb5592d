"""The simulation of Draws et al. (2021)."""

from __future__ import annotations

import pytest

from pt_fairness import simulation

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


class TestDraws:
    def test_published_values(self, script, tmp_path, capsys):
        values, guide = script("draws2021")("-n", 60)
        assert len(values) == 11 and (values["remark"] == "same").all()
        printed = capsys.readouterr().out
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
