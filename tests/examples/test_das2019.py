"""The tables of Das & Lease (2019)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from example_files import write_qrels, write_run
from ir_measures import parse_measure
from scipy import stats

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


class TestDas:
    def rprec(self, path: Path, **changed) -> Path:
        """129 runs whose N[R-Prec] is that of table 1 at the places that the table names, and
        between them in between.
        """
        places = {
            1: 1.0,
            2: 0.88,
            3: 0.8552,
            4: 0.8472,
            15: 0.6854,
            56: 0.6,
            125: 0.0868,
            127: 0.0536,
            129: 0.0,
        }
        places.update({int(key[2:]): value for key, value in changed.items()})
        values = np.interp(
            range(1, 130), sorted(places), [places[place] for place in sorted(places)]
        )
        pd.DataFrame({"run": [f"r{i}" for i in range(129)], "Rprec": 0.1 + 0.4 * values}).to_csv(
            path, sep="\t", index=False
        )
        return path

    def assert_same(self, table: pd.DataFrame) -> None:
        """All that can differ is the same; min–max forces the ends."""
        forced = table["remark"].str.startswith("forced")
        assert table["what"][forced].tolist() == [
            "SN1: N[R-Prec]",
            "SN129: N[R-Prec]",
            "SN129: gmean (recomputed)",
        ]
        assert (table["remark"][~forced] == "same").all() and len(table) == 9 * 3

    def test_published_rprec(self, script, tmp_path, capsys):
        table = script("das2019")("--rprec", self.rprec(tmp_path / "rprec.tsv"))[
            "published R-Precision"
        ]
        self.assert_same(table)
        assert table["what"].str.contains("recomputed").sum() == 18
        printed = capsys.readouterr().out
        assert "as the paper prints it (not measured)" in printed
        assert re.findall(r"^same: within (.*)$", printed, re.M) == ["±5e-05", "±0.0001"]

    def test_another_rprec_changes_the_values(self, script, tmp_path):
        table = script("das2019")("--rprec", self.rprec(tmp_path / "rprec.tsv", SN2=0.9))[
            "published R-Precision"
        ]
        moved = table[table["remark"].str.contains("other runs or values")]
        assert moved["what"].str.startswith("SN2: ").all() and len(moved) == 3
        assert moved["ours"].iloc[0] == "0.9000"

    def test_real_rprec(self, script, shared):
        table = script("das2019")("--rprec", shared / "data" / "trec8" / "published-rprec.tsv")[
            "published R-Precision"
        ]
        self.assert_same(table)
        ours = table["ours"][table["what"].str.contains("N\\[R-Prec\\]")].tolist()
        assert ours == [
            "1.0000",
            "0.8800",
            "0.8552",
            "0.8472",
            "0.6854",
            "0.6000",
            "0.0868",
            "0.0536",
            "0.0000",
        ]

    def test_tables_of_sources(self, script, small, tmp_path, capsys, monkeypatch):
        qrels, runs = small
        found = script("das2019")(qrels, *runs, "--cutoff", 10)
        systems = found["systems"]
        assert len(systems) == 5
        assert (systems["Fair"].min(), systems["Fair"].max(), systems["N[R-Prec]"].max()) == (
            0,
            1,
            1,
        )
        np.testing.assert_allclose(systems["mean"], (systems["N[R-Prec]"] + systems["Fair"]) / 2)
        np.testing.assert_allclose(
            systems["gmean"], np.sqrt(systems["N[R-Prec]"] * systems["Fair"])
        )
        # Fair by hand: one minus the normalised mean divergence of the add-one shares from the
        # uniform distribution.
        divergences = []
        for run in runs:
            frame = pd.read_csv(run, sep=" ", names=["qid", "q", "docno", "r", "score", "n"])
            top = (
                frame.sort_values(["qid", "score"], ascending=[True, False]).groupby("qid").head(10)
            )
            counts = (
                top.groupby(["qid", top["docno"].str.extract("^([A-Z]+)", expand=False)])
                .size()
                .unstack(fill_value=0)
            )
            shares = (counts.reindex(columns=["FBIS", "FR", "FT", "LA"], fill_value=0) + 1) / 14
            divergences.append((shares * np.log2(shares / 0.25)).sum(axis=1).mean())
        low, high = min(divergences), max(divergences)
        np.testing.assert_allclose(
            systems["Fair"], [1 - (value - low) / (high - low) for value in divergences]
        )
        printed = capsys.readouterr().out
        assert "5 runs, not the 129" in printed
        assert not re.search(r"\bpublished {2}", printed)
        counts = re.findall(r"^(?:FBIS|FR|FT|LA) +(\S+)", printed, re.M)
        assert counts and all(count.isdigit() for count in counts)
        for column in ("Fair (dataset)", "mean"):
            tau = stats.kendalltau(systems["R-Prec"], systems[column])[0]
            row = found["table 3"][found["table 3"]["what"] == f"τ(R-Prec, {column})"].iloc[0]
            assert row["ours"] == f"{tau:.5f}"
        assert {"das2019-figure1-sources.png", "das2019-figure2-sources.png"} <= {
            path.name for path in tmp_path.glob("*.png")
        }
        # The published values stand beside ours for as many runs as the paper has.
        monkeypatch.setitem(script("das2019").module.OFFICIAL_RUNS, "sources", (5, "TREC-8"))
        official = script("das2019")(qrels, *runs, "--cutoff", 10)
        assert official["table 3"]["published"].iloc[0] == "0.01623"
        assert (official["table 3"]["ours"] == found["table 3"]["ours"]).all()
        # Another cutoff looks at other documents.
        assert (
            script("das2019")(qrels, *runs, "--cutoff", 3)["systems"]["Fair"] != systems["Fair"]
        ).any()

    def test_tables_of_opinions(self, script, tmp_path, capsys):
        rng = np.random.default_rng(0)
        posts = [f"BLOG06-20051206-000-{i:010}" for i in range(30)]
        pairs = [(q, post) for q in range(901, 907) for post in posts]
        qrels = write_qrels(
            tmp_path / "opinions", [(q, 0, post, int(rng.integers(-1, 5))) for q, post in pairs]
        )
        runs = [
            write_run(tmp_path / f"r{i}", [(q, post, rng.random()) for q, post in pairs])
            for i in range(4)
        ]
        found = script("das2019")(qrels, *runs, "--opinions")
        assert "table 2" in found
        assert "not the 104 of TREC 2007 Blog" in capsys.readouterr().out
        judged = script("das2019").module.opinion_qrels(str(qrels))
        assert judged["label"].isin([0, 1]).all()
        assert judged.groupby("iteration")["label"].max().to_dict() == {
            "-": 0,
            "mixed": 1,
            "negative": 1,
            "none": 1,
            "positive": 1,
        }

    def test_real_runs(self, script, shared):
        folder = shared / "data" / "robust03"
        runs = [
            folder / "runs" / f"input.{name}.gz" for name in ("humR03dc", "NLPR03vb10", "uic0301")
        ]
        found = script("das2019")(folder / "qrels.txt.gz", *runs, "--cutoff", 10)
        # By their mean DistKL(target='uniform')@10: humR03dc 0.329838, NLPR03vb10 0.458335, uic0301
        # between 0.329838 and 0.6.
        fair = found["systems"].set_index("name")["Fair"]
        assert fair["humR03dc"] == 1 and fair["uic0301"] == 0
        run = pt.io.read_results(str(runs[2]))
        measure = parse_measure("DistKL(groups='trec-newswire')@10")
        qrels = pt.io.read_qrels(str(folder / "qrels.txt.gz"))
        most = pt.Experiment(
            [run], qrels[["qid"]].drop_duplicates(), qrels, [measure], names=["x"]
        )[str(measure)][0]
        assert fair["NLPR03vb10"] == pytest.approx(
            (most - 0.458335) / (most - 0.329838), abs=1e-4
        )
