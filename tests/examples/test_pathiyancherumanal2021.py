"""The scenarios of Pathiyan Cherumanal et al. (2021)."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from example_files import rows_of, write_run
from ir_measures import nDCG
from scipy import stats

from pt_fairness import rKL, simulation

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


class TestPathiyanCherumanal:
    def test_controlled_scenario(self, script, capsys):
        tables, extremes, table2 = script("pathiyancherumanal2021")()
        assert table2 is None
        for alpha, tau in ((0.5, "-0.8378"), (0.9, "-1.0000")):
            row = rows_of(tables[alpha], "proportion-agnostic: rKL@5").iloc[0]
            assert row["ours"] == row["published"] == tau and row["remark"] == "same"
            # Beside the settings that the text does not determine stands no published value.
            others = ~tables[alpha]["what"].str.startswith("proportion-agnostic")
            assert tables[alpha]["published"].isna().tolist() == others.tolist()
            released = rows_of(tables[alpha], "majority: rND@5 as released").iloc[0]
            assert released["ours"] == "0.0000"
        assert extremes["ours"].iloc[1] == 1
        assert "UNEXPLAINED" not in capsys.readouterr().out

    def test_qrels_without_stances(self, command, tmp_path, capsys):
        (tmp_path / "qrels").write_text("1 0 d1 1\n")
        (tmp_path / "run").write_text("1 Q0 d1 1 1 x\n")
        with pytest.raises(SystemExit):
            command("pathiyancherumanal2021.py", "qrels", "run")
        found = capsys.readouterr()
        assert found.out == ""
        assert found.err.splitlines()[-1] == (
            "pathiyancherumanal2021.py: error: qrels holds no stances in its second column; name "
            "their source with --groups")

    def test_other_qrels_move_our_values(self, script, monkeypatch):
        before, *_ = script("pathiyancherumanal2021")()
        monkeypatch.setattr(simulation, "RATIO", 2)
        after, *_ = script("pathiyancherumanal2021")()
        changed = before[0.5]["ours"] != after[0.5]["ours"]
        assert changed[before[0.5]["what"].str.startswith("minority")].any()
        assert not changed[before[0.5]["what"].str.startswith("proportion-agnostic")].any()

    def test_the_released_divisor(self, script):
        module = script("pathiyancherumanal2021").module
        run = pd.DataFrame({"qid": "1", "docno": list("abcde"), "rank": range(5)})
        qrels = pd.DataFrame(
            {
                "qid": "1",
                "docno": list("abcdef"),
                "label": 1,
                "iteration": ["P", "C", "P", "C", "C", "C"],
            }
        )
        expected = sum(
            abs(found / (i + 1) - 2 / 6) / np.log2(i + 1)
            for i, found in zip(range(1, 6), [1, 1, 2, 2, 2], strict=True)
        )
        assert module.rnd_as_released(run, qrels, "P")["1"] == pytest.approx(expected)

    def test_real_scenario(self, script, small, tmp_path, capsys):
        qrels, runs = small
        _, _, table = script("pathiyancherumanal2021")(qrels, *runs)
        assert len(table) == 9
        assert "5 runs, not the 21 of Touché" in " ".join(capsys.readouterr().out.split())
        columns = ["query_id", "q", "doc_id", "r", "score", "n"]
        frames = [pd.read_csv(run, sep=" ", names=columns, dtype={"query_id": str}) for run in runs]
        columns = ["query_id", "iteration", "doc_id", "relevance"]
        judged = pd.read_csv(qrels, sep=" ", names=columns, dtype={"query_id": str})
        values = [
            ir_measures.calc_aggregate([nDCG @ 5, rKL @ 5], judged, frame) for frame in frames
        ]
        tau = stats.kendalltau(
            *[[round(one[m], 12) for one in values] for m in (rKL @ 5, nDCG @ 5)]
        )[0]
        assert rows_of(table, r"τ\(rKL@5, nDCG@5\)")["ours"].iloc[0] == f"{tau:.4f}"
        assert (tmp_path / "pathiyancherumanal2021-figure2.png").exists()
        # The other way round, a run is another one.
        lines = [line.split() for line in runs[0].read_text().splitlines()]
        write_run(runs[0], [(line[0], line[2], -float(line[4])) for line in lines])
        _, _, after = script("pathiyancherumanal2021")(qrels, *runs)
        assert (after["ours"] != table["ours"]).any()

    def test_the_official_runs_stand_beside_the_published_values(self, script, small, monkeypatch):
        qrels, runs = small
        monkeypatch.setattr(script("pathiyancherumanal2021").module, "OFFICIAL_RUNS", 5)
        _, _, table = script("pathiyancherumanal2021")(qrels, *runs)
        assert rows_of(table, r"τ\(rKL@5, nDCG@5\)")["published"].iloc[0] == "-0.2667"

    def test_groups_from_elsewhere(self, script, small):
        qrels, runs = small
        _, _, stances = script("pathiyancherumanal2021")(qrels, *runs)
        _, _, sources = script("pathiyancherumanal2021")(qrels, *runs, "--groups", "trec-newswire")
        assert (stances["ours"] != sources["ours"]).any()
