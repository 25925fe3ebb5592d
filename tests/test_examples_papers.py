"""The scripts that repeat the papers: their values, and that these come from the input."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import P, nDCG, parse_measure
from scipy import stats

from pt_fairness import FairnessWarning, analysis, rKL, simulation

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
DATA = EXAMPLES / "data"

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


@pytest.fixture
def script(monkeypatch, tmp_path):
    """``script(name)(*arguments)``: the main function of an example, with figures in a folder of
    the test.
    """
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name):
        module = importlib.import_module(name)

        def run(*arguments):
            return module.main([*map(str, arguments), "--figures", str(tmp_path)])
        run.module = module  # type: ignore[attr-defined]
        return run
    return load


def write_qrels(path: Path, rows) -> Path:
    path.write_text(
        "".join(f"{qid} {group} {docno} {label}\n" for qid, group, docno, label in rows)
    )
    return path


def write_run(path: Path, rows) -> Path:
    path.write_text(
        "".join(
            f"{qid} Q0 {docno} {rank} {score} x\n" for rank, (qid, docno, score) in enumerate(rows)
        )
    )
    return path


@pytest.fixture
def small(tmp_path):
    """Newswire-like qrels with stances and five runs, as files."""
    rng = np.random.default_rng(5)
    names = {"FBIS": "FBIS3-{}", "FR": "FR940104-{}", "FT": "FT911-{}", "LA": "LA010189-{}"}
    documents = [pattern.format(i) for pattern in names.values() for i in range(5)]
    qrels = write_qrels(
        tmp_path / "qrels",
        [
            (q, rng.choice(["PRO", "CON"]), docno, int(rng.random() < 0.5))
            for q in range(12)
            for docno in documents
        ],
    )
    runs = [
        write_run(
            tmp_path / f"run{i}",
            [(q, docno, rng.random()) for q in range(12) for docno in documents],
        )
        for i in range(5)
    ]
    return qrels, runs


def rows_of(table: pd.DataFrame, pattern: str) -> pd.DataFrame:
    found = table[table["what"].str.contains(pattern, regex=True)]
    assert len(found)
    return found


@pytest.mark.parametrize(
    "command",
    [
        ["draws2021.py", "-n", "5"],
        ["pathiyancherumanal2021.py"],
        ["lipani2021.py"],
        ["gezici2021.py"],
        ["das2019.py", "--help"],
    ],
)
def test_runs_as_a_command(command, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / command[0]), *command[1:]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "published" in done.stdout
    for name in re.findall(r"^figure: (.*)$", done.stdout, re.MULTILINE):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_das_wants_input(script, capsys):
    with pytest.raises(SystemExit):
        script("das2019")()
    assert "give qrels and runs, or --rprec" in capsys.readouterr().err


class TestDraws:
    def test_published_values(self, script, tmp_path, capsys):
        values, guide = script("draws2021")("-n", 250)
        assert len(values) == 11 and (values["remark"] == "same").all()
        printed = capsys.readouterr().out
        assert "UNEXPLAINED" not in printed and 'published "above 1"' in printed
        assert guide["set"].tolist() == ["S3", "S2", "S1"] and (guide["low bias"] == "nDD").all()
        assert {path.name for path in tmp_path.glob("*.png")} == {
            "draws2021-figure1.png",
            "draws2021-figure2.png",
        }

    def test_another_set_moves_our_values(self, script, monkeypatch):
        before, _ = script("draws2021")("-n", 50)
        monkeypatch.setitem(
            simulation.SETS,
            "S1",
            {"-3": 20, "-2": 20, "-1": 20, "0": 160, "1": 160, "2": 160, "3": 160},
        )
        after, _ = script("draws2021")("-n", 50)
        moved = before.merge(after, on="what").set_index("what")
        assert moved.loc["nDD, α = 1", "ours_x"] != moved.loc["nDD, α = 1", "ours_y"]
        assert "UNEXPLAINED" in moved.loc["nDD, α = 1", "remark_y"]
        assert (moved["published_x"] == moved["published_y"]).all()


class TestPathiyanCherumanal:
    def test_controlled_scenario(self, script, capsys):
        tables, extremes, table2 = script("pathiyancherumanal2021")()
        assert table2 is None
        for alpha, tau in ((0.5, "-0.8378"), (0.9, "-1.0000")):
            row = rows_of(tables[alpha], "proportion-agnostic: rKL@5").iloc[0]
            assert row["ours"] == row["published"] == tau and row["remark"] == "same"
            released = rows_of(tables[alpha], "majority: rND@5 as released").iloc[0]
            assert released["ours"] == "0.0000" and released["remark"] == "same"
            reasons = tables[alpha].set_index("what")["remark"]
            # The divisor of the released code is a reason where it gives the published value, and
            # nowhere else.
            divisor = reasons[reasons.str.contains("which gives the published value")]
            assert divisor.index.tolist() == ["majority: rND@5"]
            others = reasons.drop(divisor.index)
            assert others[others != "same"].str.contains("not determined by the text").all()
        assert extremes["ours"].iloc[1] == "1.0000"
        assert "UNEXPLAINED" not in capsys.readouterr().out

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
        expected = sum(abs(found / (i + 1) - 2 / 6) / np.log2(i + 1)
                       for i, found in zip(range(1, 6), [1, 1, 2, 2, 2], strict=True))
        assert module.rnd_as_released(run, qrels, "P")["1"] == pytest.approx(expected)

    def test_real_scenario(self, script, small, tmp_path, capsys):
        qrels, runs = small
        _, _, table = script("pathiyancherumanal2021")(qrels, *runs)
        assert len(table) == 9 and "5 runs, not the 21" in table["remark"].iloc[0]
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

    def test_groups_from_elsewhere(self, script, small):
        qrels, runs = small
        _, _, stances = script("pathiyancherumanal2021")(qrels, *runs)
        _, _, sources = script("pathiyancherumanal2021")(qrels, *runs, "--groups", "trec-newswire")
        assert (stances["ours"] != sources["ours"]).any()


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

    def test_another_rprec_moves_our_values(self, script, tmp_path):
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

    def test_tables_of_sources(self, script, small, tmp_path):
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
        assert "5 runs, not the 129" in found["table 1"]["remark"].iloc[1]
        for column in ("Fair (dataset)", "mean"):
            tau = stats.kendalltau(systems["R-Prec"], systems[column])[0]
            row = found["table 3"][found["table 3"]["what"] == f"τ(R-Prec, {column})"].iloc[0]
            assert row["ours"] == f"{tau:.5f}"
        assert {"das2019-figure1-sources.png", "das2019-figure2-sources.png"} <= {
            path.name for path in tmp_path.glob("*.png")
        }
        # Another cutoff looks at other documents.
        assert (
            script("das2019")(qrels, *runs, "--cutoff", 3)["systems"]["Fair"] != systems["Fair"]
        ).any()

    def test_tables_of_opinions(self, script, tmp_path):
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
        assert (
            "table 2" in found
            and "not the 104 of TREC 2007 Blog" in found["table 3"]["remark"].iloc[0]
        )
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
        assert fair["input.humR03dc"] == 1 and fair["input.uic0301"] == 0
        run = pt.io.read_results(str(runs[2]))
        measure = parse_measure("DistKL(groups='trec-newswire')@10")
        qrels = pt.io.read_qrels(str(folder / "qrels.txt.gz"))
        most = pt.Experiment(
            [run], qrels[["qid"]].drop_duplicates(), qrels, [measure], names=["x"]
        )[str(measure)][0]
        assert fair["input.NLPR03vb10"] == pytest.approx(
            (most - 0.458335) / (most - 0.329838), abs=1e-4
        )


class TestLipani:
    def test_published_rows(self, script, capsys):
        published = script("lipani2021")()["published"]
        assert len(published) == 66 and (published["remark"] == "same").all()
        assert "UNEXPLAINED" not in capsys.readouterr().out

    def test_another_ratio_moves_our_value(self, script, monkeypatch, tmp_path):
        module = script("lipani2021").module
        rows = pd.read_csv(DATA / "lipani2021-published.csv")
        rows.loc[3, "model_ratio"] += 0.2
        rows.to_csv(tmp_path / "lipani2021-published.csv", index=False)
        monkeypatch.setattr(module, "DATA", tmp_path)
        published = module.published_rows()
        assert np.flatnonzero(published["remark"] != "same").tolist() == [3]

    def test_statistics_of_the_sample(self, script, tmp_path):
        found = script("lipani2021")()
        results = pd.read_csv(DATA / "lipani2021-results.csv")
        shares = pd.read_csv(DATA / "lipani2021-targets.csv").pivot(
            index="qid", columns="group", values="share"
        )
        model = (results[results["rank"] <= 10]["group"] == "female").groupby(
            results["topic"]
        ).sum() / 10
        for name, target in (
            ("K", shares["female"]),
            ("R", (results["group"] == "female").groupby(results["topic"]).mean()),
        ):
            exact = target * 10 - np.floor(target * 10)
            assert (abs(exact - 0.5) > 1e-9).sum() > 30
            rounded = np.where(abs(exact - 0.5) > 1e-9, (target * 10).round() / 10, np.nan)
            bias = (model - rounded).dropna()
            own = (found["biases"]["name"] == name) & (found["biases"]["group"] == "female")
            ours = found["biases"][own].set_index("qid")["bias"]
            np.testing.assert_allclose(ours[bias.index], bias, atol=1e-12)
        summary = analysis.bias_summary(script("lipani2021").module.as_perquery(found["biases"]))
        row = summary[(summary["name"] == "K") & (summary["measure"] == "male")].iloc[0]
        assert rows_of(found["table 1"], "K, male: MAB")["ours"].iloc[0] == f"{row['MAB']:.3f}"
        assert {"lipani2021-figure2.png", "lipani2021-figure3.png"} <= {
            path.name for path in tmp_path.glob("*.png")
        }

    def test_lists_are_sorted_by_bias(self, script):
        found = script("lipani2021")()
        for key in ("table 2", "table 3"):
            parts = dict(iter(found[key].groupby("column")))
            assert (parts["towards males"]["bias"] < 0).all() and parts["towards males"][
                "bias"
            ].is_monotonic_increasing
            assert (parts["towards females"]["bias"] > 0).all() and parts["towards females"][
                "bias"
            ].is_monotonic_decreasing
            assert (parts["unbiased"]["bias"] == 0).all() and parts["unbiased"]["target"].is_unique

    def test_another_document_moves_our_value(self, script, tmp_path):
        results = pd.read_csv(DATA / "lipani2021-results.csv")
        before = script("lipani2021")()["biases"]
        row = results.index[(results["topic"] == "nurse") & (results["rank"] == 1)]
        results.loc[row, "group"] = "male" if results.loc[row[0], "group"] == "female" else "female"
        results.to_csv(tmp_path / "results.csv", index=False)
        after = script("lipani2021")(tmp_path / "results.csv", DATA / "lipani2021-targets.csv")[
            "biases"
        ]
        changed = before[(before["model"] - after["model"]).abs() > 1e-9]
        assert set(changed["qid"]) == {"nurse"} and len(changed) == 4


class TestGezici:
    def test_performance_is_that_of_relevance(self, script):
        module = script("gezici2021").module
        results, leaning = module.read(
            DATA / "gezici2021-results.csv", DATA / "gezici2021-topics.csv"
        )
        values = module.all_measured(results, leaning)["performance"].query(
            "measure == 'P@10' and name == 'Engine 1'"
        )
        own = results[results["engine"] == "Engine 1"]
        qrels = pd.DataFrame({"query_id": own["topic"], "doc_id": own["rank"].astype(str),
                              "relevance": (own["stance"] != "not relevant").astype(int)})
        run = pd.DataFrame(
            {"query_id": own["topic"], "doc_id": own["rank"].astype(str), "score": -own["rank"]}
        )
        expected = {one.query_id: one.value for one in ir_measures.iter_calc([P @ 10], qrels, run)}
        assert values.set_index("qid")["value"].to_dict() == pytest.approx(expected)

    def test_stance_bias_by_hand(self, script, capsys):
        found = script("gezici2021")()
        results = pd.read_csv(DATA / "gezici2021-results.csv")
        sign = results["stance"].map({"pro": 1.0, "against": -1.0}).fillna(0.0)
        weights = {
            "P@10": 0.1,
            "RBP": 0.2 * 0.8 ** (results["rank"] - 1),
            "DCG@10": 1 / np.log2(results["rank"] + 1),
        }
        for measure, weight in weights.items():
            bias = (sign * weight).groupby([results["topic"], results["engine"]]).sum().unstack()
            for kind, table in (("MB", bias), ("MAB", bias.abs())):
                means, tests = found[f"stance, {kind}"]
                assert (
                    rows_of(means, f"{measure}, Engine 2")["ours"].iloc[0]
                    == f"{table['Engine 2'].mean():.4f}"
                )
                p = tests.set_index("two-tailed paired t-test").loc[
                    f"stance, {kind}: {measure}", "our p"
                ]
                assert p == pytest.approx(
                    stats.ttest_rel(table["Engine 2"], table["Engine 1"]).pvalue
                )
        assert "UNEXPLAINED" not in capsys.readouterr().out

    def test_ideology_by_hand(self, script):
        module = script("gezici2021").module
        results = pd.DataFrame(
            [
                (engine, topic, rank + 1, stance)
                for engine in ("E1", "E2")
                for topic, stances in (
                    ("c", ["pro", "pro", "against"]),
                    ("n", ["pro", "pro", "pro"]),
                    ("l", ["pro", "neutral", "not relevant"]),
                )
                for rank, stance in enumerate(stances)
            ],
            columns=["engine", "topic", "rank", "stance"],
        )
        leaning = pd.Series({"c": "conservative", "l": "liberal", "n": "both or neither"})
        values = module.all_measured(results, leaning)["ideology, MB"].query(
            "measure == 'P@10' and name == 'E1'"
        )
        # For a conservative topic pro is conservative (+), for a liberal one liberal (−); the third
        # drops out.
        assert values.set_index("qid")["value"].to_dict() == pytest.approx({"c": 0.1, "l": -0.1})

    def test_another_stance_moves_our_values(self, script, tmp_path):
        results = pd.read_csv(DATA / "gezici2021-results.csv")
        row = results.index[(results["engine"] == "Engine 1") & (results["stance"] == "against")][0]
        results.loc[row, "stance"] = "pro"
        results.to_csv(tmp_path / "results.csv", index=False)
        before, after = (
            script("gezici2021")(),
            script("gezici2021")(tmp_path / "results.csv", DATA / "gezici2021-topics.csv"),
        )
        for key, (means, _) in before.items():
            changed = means["ours"] != after[key][0]["ours"]
            assert changed[means["what"].str.endswith("Engine 1")].any() == (key != "performance")
            assert not changed[means["what"].str.endswith("Engine 2")].any()
            assert (means["published"] == after[key][0]["published"]).all()

    def test_figures(self, script, tmp_path):
        script("gezici2021")()
        assert {path.name for path in tmp_path.glob("*.png")} == {
            f"gezici2021-figure{number}.png" for number in (3, 4, 5, 6)
        }

    @pytest.mark.parametrize(
        "change, error",
        [
            ({"stance": "for"}, "'for' is no stance; it is one of 'pro', 'against'"),
            ({"engine": "one"}, "1 engines"),
            ({"topic": "t99"}, "no leaning for topic 't99'"),
        ],
    )
    def test_wrong_input(self, script, tmp_path, change, error):
        pd.read_csv(DATA / "gezici2021-results.csv").assign(**change).to_csv(
            tmp_path / "results.csv", index=False
        )
        with pytest.raises(ValueError, match=error):
            script("gezici2021")(tmp_path / "results.csv", DATA / "gezici2021-topics.csv")


class TestNewswireTau:
    def test_paragraph_of_small_runs(self, script, small, tmp_path):
        module = script("newswire_tau").module
        qrels, runs = small
        text = module.main([str(qrels), *map(str, runs)])
        assert text.startswith("Over 5 systems and 12 topics") and text.count("\n| ") == 2 + len(
            module.FAIRNESS
        )
        assert "cut to its first 20 documents" in text and "not corrected for 10 tests" in text
        judged = module.annotated_qrels(str(qrels), "trec-newswire")
        found = module.read_runs([str(run) for run in runs])
        twice = tmp_path / "again" / runs[0].name
        twice.parent.mkdir()
        twice.write_bytes(runs[0].read_bytes())
        assert list(module.read_runs([runs[0], twice])) == [str(runs[0]), str(twice)]
        averages, _ = module.experiment(found, judged, [module.RELEVANCE, *module.FAIRNESS])
        tau = stats.kendalltau(
            averages["nDCG@10"], averages["AWRF(groups='trec-newswire')@10"].round(12)
        )[0]
        assert f"| AWRF@10 | 1 | {tau:.4f}" in text

    def test_runs_are_cut_to_the_shortest(self, script, small):
        module = script("newswire_tau").module
        qrels, runs = small
        # One run has fewer documents for one topic, and ties that trec_eval breaks by docno.
        kept = [line.split() for line in runs[0].read_text().splitlines()]
        lines = [" ".join(line) for line in kept if line[0] != "3" or line[2] <= "FT911-2"]
        runs[0].write_text("".join(f"{line}\n" for line in lines))
        tied = [line.split() for line in runs[1].read_text().splitlines()]
        write_run(runs[1], [(line[0], line[2], round(float(line[4]), 1)) for line in tied])
        judged, found = module.annotated_qrels(qrels, module.SOURCE), module.read_runs(runs)
        cut, depth = module.same_depth(found, judged)
        assert depth == sum(line.startswith("3 ") for line in lines) == 13
        assert {name: set(run.groupby("qid").size()) for name, run in cut.items()} == {
            name: {13} for name in found
        }
        measures = [module.RELEVANCE, *module.FAIRNESS]
        before, after = (
            module.experiment(one, judged, measures)[0].set_index("name") for one in (found, cut)
        )
        changed = {
            measure.NAME
            for measure in measures
            if (before[str(measure)] != after[str(measure)]).any()
        }
        assert changed == {"nDD", "nDR", "nDKL", "nDJS"}

    def test_no_run_is_cut_below_the_cutoff(self, script, small):
        module = script("newswire_tau").module
        qrels, runs = small
        runs[0].write_text("".join(f"{line}\n" for line in runs[0].read_text().splitlines()[:4]))
        _, depth = module.same_depth(
            module.read_runs(runs), module.annotated_qrels(qrels, module.SOURCE)
        )
        assert depth == module.CUTOFF

    def test_the_readme_has_what_the_command_prints(self, script, shared):
        folder = shared / "data" / "robust03"
        runs = map(str, sorted((folder / "runs").iterdir()))
        text = script("newswire_tau").module.main([str(folder / "qrels.txt.gz"), *runs])
        assert text in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_difference_without_a_reason_is_called_so(script, capsys):
    comparison = script("comparison").module
    table = comparison.beside(
        [
            ("a", 1.0, 1.0, ""),
            ("b", 1.0, 1.1, ""),
            ("c", 1.0, 1.1, "because"),
            ("d", 1.0, float("nan"), ""),
            ("e", (0.0, 1.0), (0.0, 1.2), ""),
        ],
        0.01,
    )
    assert table["remark"].tolist() == [
        "same",
        *["DIFFERS, UNEXPLAINED"],
        "because",
        *["DIFFERS, UNEXPLAINED"] * 2,
    ]
    assert table["difference"].iloc[4] == "+0.2000"
    assert "note 2: because" in capsys.readouterr().out


def test_a_warning_is_given_once_for_all_runs(script):
    comparison = script("comparison").module
    qrels = pd.DataFrame(
        {"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": 1, "iteration": ["P", "C", "P"]}
    )
    run = qrels[["qid", "docno"]].assign(score=[2.0, 1.0, 1.0])
    with pytest.warns(FairnessWarning, match="nothing to compare") as caught:
        comparison.experiment({"A": run, "B": run, "C": run}, qrels, [rKL @ 5])
    assert len(caught) == 1
