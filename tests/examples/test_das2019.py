"""The tables of Das & Lease (2019)."""

from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from example_files import write_qrels, write_run
from ir_measures import parse_measure
from scipy import stats

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestDas:
    def rprec(self, path: Path, **changed) -> Path:
        """129 runs whose N[R-Prec] is that of table 1 at the places that the table names, and
        between them in between.
        """
        places = {
            1: 1.0, 2: 0.88, 3: 0.8552, 4: 0.8472, 15: 0.6854, 56: 0.6, 125: 0.0868, 127: 0.0536,
            129: 0.0}
        places.update({int(key[2:]): value for key, value in changed.items()})
        values = np.interp(
            range(1, 130), sorted(places), [places[place] for place in sorted(places)])
        pd.DataFrame({"run": [f"r{i}" for i in range(129)], "Rprec": 0.1 + 0.4 * values}).to_csv(
            path, sep="\t", index=False)
        return path

    def assert_same(self, table: pd.DataFrame) -> None:
        """All that can differ is the same; min–max forces the ends."""
        forced = table["remark"].str.startswith("forced")
        assert table["what"][forced].tolist() == [
            "SN1: N[R-Prec]", "SN129: N[R-Prec]", "SN129: gmean (recomputed)"]
        assert (table["remark"][~forced] == "same").all() and len(table) == 9 * 3

    def test_published_rprec(self, script, tmp_path, capsys):
        table = script("das2019")("--rprec", self.rprec(tmp_path / "rprec.tsv"))[
            "published R-Precision"]
        self.assert_same(table)
        assert table["what"].str.contains("recomputed").sum() == 18
        printed = capsys.readouterr().out
        assert "as the paper prints it (not measured)" in printed
        assert re.findall(r"^same: within (.*)$", printed, re.M)[1:] == ["±5e-05", "±0.0001"]

    def test_another_rprec_changes_the_values(self, script, tmp_path):
        table = script("das2019")("--rprec", self.rprec(tmp_path / "rprec.tsv", SN2=0.9))[
            "published R-Precision"]
        moved = table[table["remark"].str.contains("other runs or values")]
        assert moved["what"].str.startswith("SN2: ").all() and len(moved) == 3
        assert moved["ours"].iloc[0] == "0.9000"

    def test_real_rprec(self, script, shared):
        table = script("das2019")("--rprec", shared / "data" / "trec8" / "published-rprec.tsv")[
            "published R-Precision"]
        self.assert_same(table)
        ours = table["ours"][table["what"].str.contains("N\\[R-Prec\\]")].tolist()
        assert ours == [
            "1.0000", "0.8800", "0.8552", "0.8472", "0.6854", "0.6000", "0.0868", "0.0536",
            "0.0000"]

    def test_what_the_printed_tables_say(self, script, capsys):
        found = script("das2019")()
        table = found["printed tables"]
        assert len(table) == 2 * (9 + 8) and not table["remark"].str.contains("DIFFERS").any()
        printed = capsys.readouterr().out
        assert "largest difference: 0.00010 in table 1, 0.00007 in table 2\n" in printed
        assert "the Fair of SB5 as 0.3040 and as 0.3039" in printed
        assert re.findall(r"Fair\) of its . systems is (\S+);", printed) == ["-1.00000"] * 2
        columns = found["findings"].set_index("what")
        # Table 3 has τ > 0 for TREC-8. Of the three best by mean in table 2, one is by R-Prec.
        for paper, bound in (("paper: TREC-8", "(τ < 0)"), ("paper: Blogs07", "(2 of 3)")):
            fails, = columns.index[columns[paper] != "holds"]
            assert fails.endswith(bound)

    def by_hand(self, qrels, runs, count, pool, cutoff, target=None):
        """Mean divergences of the add-1 shares of four sources, by loops."""
        judged = [line.split() for line in qrels.read_text().splitlines()]
        relevant = {(qid, docno) for qid, _, docno, label in judged if label == "1"}
        topics = sorted({row[0] for row in judged})
        sources = ("FBIS", "FR", "FT", "LA")
        target = dict.fromkeys(sources, 0.25) if target is None else target
        found = []
        for run in runs:
            ranked = {}
            for line in run.read_text().splitlines():
                qid, _, docno, _, score, _ = line.split()
                ranked.setdefault(qid, []).append((-float(score), docno))
            lists = []
            for qid in topics:
                first = [docno for _, docno in sorted(ranked.get(qid, []))][:cutoff]
                lists.append([docno for docno in first
                              if count == "retrieved" or (qid, docno) in relevant])
            if pool == "all":
                lists = [[docno for docnos in lists for docno in docnos]]
            values = []
            for docnos in lists:
                value = 0.0
                for name in sources:
                    share = (sum(one.startswith(name) for one in docnos) + 1) / (len(docnos) + 4)
                    value += share * np.log2(share / target[name])
                values.append(value)
            found.append(np.mean(values))
        return (max(found) - np.array(found)) / (max(found) - min(found))

    @pytest.mark.parametrize("pool", ["mean", "all"])
    @pytest.mark.parametrize("count", ["retrieved", "relevant"])
    def test_each_reading_by_hand(self, script, small, count, pool):
        qrels, runs = small
        judged = [line.split() for line in qrels.read_text().splitlines()]
        for which, cutoff in (("relevant", 3), ("judged", 10)):
            docnos = [row[2] for row in judged if which == "judged" or row[3] == "1"]
            counts = pd.Series(docnos).str.extract("^([A-Z]+)", expand=False).value_counts() + 1
            found = script("das2019")(qrels, *runs, "--count", count, "--pool", pool, "--cutoff",
                                      cutoff, "--dataset", which)["systems"].set_index("name")
            names = [run.name for run in runs]
            np.testing.assert_allclose(found["Fair"][names],
                                       self.by_hand(qrels, runs, count, pool, cutoff), atol=1e-12)
            np.testing.assert_allclose(
                found["Fair (dataset)"][names],
                self.by_hand(qrels, runs, count, pool, cutoff, counts / counts.sum()), atol=1e-12)

    def test_a_dataset_from_a_file(self, script, small, tmp_path, capsys):
        qrels, runs = small
        sizes = tmp_path / "sizes.tsv"
        counts = pd.Series({"FBIS": 130471, "FR": 55630, "FT": 210158, "LA": 131896})
        counts.rename_axis("group").rename("documents").to_csv(sizes, sep="\t")
        found = script("das2019")(qrels, *runs, "--dataset", sizes, "--cutoff", 10)["systems"]
        found = found.set_index("name")
        expected = self.by_hand(qrels, runs, "relevant", "mean", 10,
                                (counts + 1) / (counts + 1).sum())
        np.testing.assert_allclose(found["Fair (dataset)"][[run.name for run in runs]], expected,
                                   atol=1e-12)
        assert "documents of the dataset: those of the file" in " ".join(
            capsys.readouterr().out.split())
        sizes.write_text("source,documents\nFT,3\n")
        with pytest.raises(SystemExit):
            script("das2019")(qrels, *runs, "--dataset", sizes)
        assert "needs the columns group and documents" in capsys.readouterr().err

    def test_search_tries_all_readings(self, script, small, capsys):
        qrels, runs = small
        found = script("das2019")(qrels, *runs, "--search", "--count", "retrieved", "--cutoff", 10)
        table = found["search"]
        assert len(table.drop_duplicates(["count", "pool", "cutoff"])) == 2 * 2 * 3 == len(table)
        assert table["difference of Fair"].is_monotonic_increasing
        same = table.set_index(["count", "pool", "cutoff"]).loc["retrieved", "mean", 10]
        assert same["largest gmean"] == pytest.approx(found["systems"]["gmean"].max())
        tau = stats.kendalltau(found["systems"]["R-Prec"], found["systems"]["Fair"])[0]
        assert same["τ(uniform)"] == pytest.approx(tau)
        # The line through the systems of table 1.
        module = script("das2019").module
        line = module.published_table("sources").assign(**{"R-Prec": 0.0, "Fair (dataset)": 0.0})
        assert module.distance(line, "sources") == pytest.approx(0)
        assert module.distance(line.assign(Fair=line["Fair"] + 0.1), "sources") == pytest.approx(.1)
        first = table.iloc[0]
        counted = "relevant retrieved" if first["count"] == "relevant" else "retrieved"
        assert f"on these 5 runs: {counted} documents of" in capsys.readouterr().out
        needed = "--search needs qrels and runs"
        opinions = [qrels, *runs, "--opinions", "--count", "retrieved"]
        for wrong, error in ((["--search"], needed), ([qrels, "--search"], needed),
                             (opinions, "--count retrieved is not possible with --opinions")):
            with pytest.raises(SystemExit):
                script("das2019")(*wrong)
            assert error in capsys.readouterr().err

    def test_tables_of_sources(self, script, small, tmp_path, capsys):
        qrels, runs = small
        found = script("das2019")(qrels, *runs, "--cutoff", 10)
        systems = found["systems"]
        assert len(systems) == 5 and systems["R-Prec"].is_monotonic_decreasing
        assert (systems["Fair"].min(), systems["Fair"].max(), systems["N[R-Prec]"].max()) == (
            0, 1, 1)
        np.testing.assert_allclose(systems["mean"], (systems["N[R-Prec]"] + systems["Fair"]) / 2)
        np.testing.assert_allclose(
            systems["gmean"], np.sqrt(systems["N[R-Prec]"] * systems["Fair"]))
        printed = capsys.readouterr().out
        assert "5 runs, not the 129" in printed and "No runs were given" not in printed
        assert "Counted: relevant retrieved documents of the first 10" in printed
        assert len(re.findall("^what +published", printed, re.M)) == 1  # the printed tables
        counts = re.findall(r"^(?:FBIS|FR|FT|LA) +(\S+)", printed, re.M)
        assert counts and all(count.isdigit() for count in counts)
        for column in ("Fair (dataset)", "mean"):
            tau = stats.kendalltau(systems["R-Prec"], systems[column])[0]
            row = found["table 3"][found["table 3"]["what"] == f"τ(R-Prec, {column})"].iloc[0]
            assert row["ours"] == f"{tau:.5f}"
        assert {"das2019-figure1-sources.png", "das2019-figure2-sources.png"} <= {
            path.name for path in tmp_path.glob("*.png")}
        assert found["findings"]["these 5 runs"].isin(["holds", "does not hold"]).all()

    def test_the_papers_systems_by_number(self, script, small, monkeypatch):
        """As many runs as the paper has: SNn is the n-th run by R-Precision."""
        qrels, runs = small
        module = script("das2019").module
        monkeypatch.setitem(module.OFFICIAL_RUNS, "sources", (5, "TREC-8"))
        values = {"SN1": (1.0, 0.3, 0.65, 0.5), "SN4": (0.5, 0.4, 0.45, 0.4)}
        monkeypatch.setitem(module.PUBLISHED, "sources", values)
        leaders = dict.fromkeys(module.COLUMNS, ("SN1", "SN4"))
        monkeypatch.setitem(module.LEADERS, "sources", leaders)
        found = script("das2019")(qrels, *runs)
        systems = found["systems"]
        rows = found["table 1"].set_index("what")
        for place in (1, 4):
            system = systems.iloc[place - 1]
            for column, value in zip(module.COLUMNS, values[f"SN{place}"], strict=True):
                row = rows.loc[f"SN{place} ({system['name']}): {column}"]
                assert row["published"] == f"{value:.4f}"
                assert row["ours"] == f"{system[column]:.4f}"
        assert len(rows) == 2 * 4
        assert found["table 3"]["published"].iloc[0] == "0.01623"
        difference = abs(systems["Fair"].iloc[[0, 3]].to_numpy() - [0.3, 0.4]).mean()
        assert module.distance(systems, "sources") == pytest.approx(difference)

    def test_tables_of_opinions(self, script, tmp_path, capsys):
        rng = np.random.default_rng(0)
        posts = [f"BLOG06-20051206-000-{i:010}" for i in range(30)]
        pairs = [(q, post) for q in range(901, 907) for post in posts]
        qrels = write_qrels(
            tmp_path / "opinions", [(q, 0, post, int(rng.integers(-1, 5))) for q, post in pairs])
        runs = [
            write_run(tmp_path / f"r{i}", [(q, post, rng.random()) for q, post in pairs])
            for i in range(4)]
        found = script("das2019")(qrels, *runs, "--opinions")
        assert "table 2" in found
        assert "not the 104 of TREC 2007 Blog" in capsys.readouterr().out
        judged = script("das2019").module.opinion_qrels(str(qrels))
        assert judged["label"].isin([0, 1]).all()
        assert judged.groupby("iteration")["label"].max().to_dict() == {
            "-": 0, "mixed": 1, "negative": 1, "none": 1, "positive": 1}

    def test_real_runs(self, script, shared):
        folder = shared / "data" / "robust03"
        runs = [
            folder / "runs" / f"input.{name}.gz" for name in ("humR03dc", "NLPR03vb10", "uic0301")]
        found = script("das2019")(folder / "qrels.txt.gz", *runs, "--cutoff", 10, "--count",
                                  "retrieved")
        systems = found["systems"].set_index("name")
        # By their mean DistKL(target='uniform')@10: humR03dc 0.329838, NLPR03vb10 0.458335, uic0301
        # between. A topic without results adds the largest value, and 0 with empty='smooth'.
        qrels = pt.io.read_qrels(str(folder / "qrels.txt.gz"))
        largest = 11 / 14 * np.log2(44 / 14) + 3 / 14 * np.log2(4 / 14)
        divergence = {}
        for path, value in zip(runs, (0.329838, 0.458335, None), strict=True):
            run = pt.io.read_results(str(path))
            if value is None:
                measure = parse_measure("DistKL(groups='trec-newswire')@10")
                topics = qrels[["qid"]].drop_duplicates()
                value = pt.Experiment([run], topics, qrels, [measure], names=["x"])[str(measure)][0]
            name = path.name.removeprefix("input.").removesuffix(".gz")
            empty = qrels["qid"].nunique() - run["qid"].nunique()
            divergence[name] = value - largest * empty / qrels["qid"].nunique()
        low, high = min(divergence.values()), max(divergence.values())
        for name, value in divergence.items():
            assert systems["Fair"][name] == pytest.approx((high - value) / (high - low), abs=1e-4)

    def test_the_readings_of_the_page(self, script, shared):
        """Two rows of the table of papers.rst."""
        page = (importlib.resources.files("pt_fairness") / "pt_docs" / "papers.rst").read_text(
            encoding="utf-8")
        folder = shared / "data" / "robust03"
        runs = sorted((folder / "runs").glob("*.gz"))
        module = script("das2019").module
        for count in ("retrieved", "relevant"):
            cells = r"\n +- (.*)" * 3
            row = re.search(rf"- \*?\*?{count}, mean\*?\*?\n +- none{cells}", page)
            systems = script("das2019")(folder / "qrels.txt.gz", *runs, "--count", count)["systems"]
            tau = stats.kendalltau(systems["R-Prec"], systems["Fair"])[0]
            measured = (tau, systems["gmean"].max(), module.distance(systems, "sources"))
            written = [float(value.replace("−", "-")) for value in row.groups()]
            assert measured == pytest.approx(written, abs=0.0051) and len(runs) == 9

    def test_a_system_that_returns_nothing_is_fair_and_not_relevant(self, script, small):
        """The last system of tables 1 and 2."""
        qrels, runs = small
        runs[0].write_text("0 Q0 FBIS3-0 0 1 x\n")
        found = script("das2019")(qrels, *runs, "--cutoff", 3)
        systems = found["systems"].set_index("name")
        assert systems["Fair"]["run0"] == 1 and systems["N[R-Prec]"]["run0"] == 0

    def test_qrels_alone(self, script, small, tmp_path, capsys):
        qrels, _ = small
        found = script("das2019")(qrels)
        assert "systems" not in found and "table 1" not in found
        rows = [line.split() for line in qrels.read_text().splitlines()]
        relevant = [row[2] for row in rows if row[3] == "1"]
        counts = found["figure 1"].set_index("group")["relevant"].to_dict()
        assert counts == {group: sum(docno.startswith(group) for docno in relevant)
                          for group in ("FBIS", "FR", "FT", "LA")}
        assert (tmp_path / "das2019-figure1-sources.png").exists()
        printed = capsys.readouterr().out
        holds = min(counts, key=counts.get) == "FR"
        assert ("The paper calls FR scarce: holds." in printed) == holds
        assert "No runs were given: tables 1 to 3 and figure 2 are left out." in printed

    def test_opinion_qrels_alone(self, script, tmp_path, capsys):
        labels = [1, 1, 1, 2, 3, 4, 4, 0, -1]
        qrels = write_qrels(tmp_path / "opinions", [
            (901, 0, f"BLOG06-20051206-000-{i:010}", label) for i, label in enumerate(labels)])
        found = script("das2019")("--opinions", qrels)["figure 1"].set_index("group")["relevant"]
        assert found.to_dict() == {"mixed": 1, "negative": 1, "none": 3, "positive": 2}
        assert "The paper calls none abundant: holds." in capsys.readouterr().out

    def test_federal_register_is_scarce_in_trec_8(self, script, shared, capsys):
        found = script("das2019")(shared / "data" / "trec8" / "qrels.trec8.adhoc.txt.gz")
        counts = found["figure 1"].set_index("group")["relevant"]
        assert counts.to_dict() == {"FBIS": 1667, "FR": 206, "FT": 1670, "LA": 1185}
        assert "The paper calls FR scarce: holds." in capsys.readouterr().out
