"""The scenarios of Pathiyan Cherumanal et al. (2021)."""

from __future__ import annotations

import itertools
import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from example_files import rows_of, write_run
from ir_measures import nDCG
from scipy import stats

from pt_fairness import evaluate, rKL, rND, rRD

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]

RECIPE, EQUATIONS = "by the recipe", "as the equations say"
#: Tables 3 and 4 of the paper, row by row: minority, proportion-agnostic, majority.
PUBLISHED = {
    0.5: ["-0.4812*", "-0.1434", "0.0000", "-0.1747", "-0.8378*", "-0.1747", "0.1032", "-0.6924*",
          "-0.2572"],
    0.9: ["-0.4554*", "-0.1520", "0.0000", "-0.2003", "-1.0000*", "-0.2003", "0.1032", "-0.5799*",
          "-0.2572"],
}
SETTINGS = ("minority", "proportion-agnostic", "majority")
#: PRO is True, in the order of the topics.
RANKINGS = list(itertools.product([True, False], repeat=5))


def equations(protected, share):
    """Equations 1 to 4 of a ranking, for a protected share of the relevant documents."""
    rnd = rkl = rrd = 0.0
    for i in range(1, len(protected) + 1):
        plus = sum(protected[:i])
        discount = 1 / math.log2(i + 1)
        rnd += discount * abs(plus / i - share)
        rkl += discount * sum(p * math.log2(p / q) for p, q in (
            (plus / i, share), (1 - plus / i, 1 - share)) if p > 0)
        ratio = plus / (i - plus) if 0 < plus < i else 0
        rrd += discount * abs(ratio - share / (1 - share))
    return rnd, rkl, rrd


def alpha_dcg(ranking, alpha):
    return sum((1 - alpha) ** ranking[:i].count(stance) / math.log2(i + 2)
               for i, stance in enumerate(ranking))


@pytest.fixture
def controlled(script):
    tables, extremes, found, table2 = script("pathiyancherumanal2021")()
    assert table2 is None
    return tables, extremes, found.set_index("what")


@pytest.mark.parametrize("setting, con, pro", [
    ("minority", 5, 20), ("majority", 5, 20), ("proportion-agnostic", 5, 5)])
def test_every_ranking_once_and_the_ratio_of_the_setting(script, setting, con, pro):
    run, qrels = script("pathiyancherumanal2021").module.permutations(setting)
    counts = qrels.groupby(["qid", "iteration"]).size().unstack()
    assert (counts["CON"] == con).all() and (counts["PRO"] == pro).all()
    assert len(counts) == run["qid"].nunique() == 32
    assert not any(frame.duplicated(["qid", "docno"]).any() for frame in (run, qrels))
    ranked = run.merge(qrels, on=["qid", "docno"], how="left")
    orders = ranked.groupby("qid", sort=False)["iteration"].agg(tuple)
    assert sorted(orders) == sorted(itertools.product(["PRO", "CON"], repeat=5))
    assert orders["1"] == ("PRO",) * 5 and orders["32"] == ("CON",) * 5
    assert (ranked.groupby("qid")["score"].diff().dropna() < 0).all()


class TestPathiyanCherumanal:
    @pytest.mark.parametrize("alpha", PUBLISHED)
    def test_the_recipe_gives_every_published_cell_and_star(self, controlled, alpha):
        table = controlled[0][alpha]
        names = [f"{setting}: {measure}@5" for measure in ("rND", "rKL", "rRD")
                 for setting in SETTINGS]
        rows = table.set_index("what").loc[names]
        assert rows["published"].tolist() == rows[RECIPE].tolist() == PUBLISHED[alpha]

    def test_the_recipe_gives_the_one_sided_rankings(self, controlled):
        rows = rows_of(controlled[1], "minority: rKL@5")
        assert rows["published"].tolist() == rows[RECIPE].tolist() == ["0.1463", "1.0000"]

    def test_the_recipe_by_hand(self, script):
        by_the_recipe = script("pathiyancherumanal2021").module.by_the_recipe
        counts = [1, 1, 2, 2, 2, 2, 2, 2, 2, 2]  # P C P C C, then the counts stay
        others = [0, 1, 1, 2, 3, 3, 3, 3, 3, 3]
        expected = np.zeros(3)
        for i, plus, minus in zip(range(1, 11), counts, others, strict=True):
            kl = plus / i * np.log2(plus / i / 0.25)
            kl += minus / i * np.log2(minus / i / 0.75) if minus else 0
            ratio = plus / minus if minus else 0
            expected += (abs(plus / (i + 1) - 0.25) / np.log2(i + 1), kl / np.log2(i + 1),
                         abs(ratio - 1 / 3))
        found = by_the_recipe([True, False, True, False, False], 0.25)
        assert found == pytest.approx(tuple(expected), abs=1e-12)

    @pytest.mark.parametrize("alpha", PUBLISHED)
    def test_the_equations(self, controlled, alpha):
        table = controlled[0][alpha].set_index("what")[EQUATIONS]
        diversity = np.round([alpha_dcg(ranking, alpha) for ranking in RANKINGS], 12)
        for setting, pro, share in (("minority", False, 0.2), ("proportion-agnostic", True, 0.5),
                                    ("majority", True, 0.8)):
            values = np.array([equations([stance == pro for stance in ranking], share)
                               for ranking in RANKINGS]).round(12)
            for measure, column in zip(("rND", "rKL", "rRD"), values.T, strict=True):
                tau, p = stats.kendalltau(column, diversity)
                expected = f"{tau:.4f}{'*' if p < 0.05 else ''}"
                assert table[f"{setting}: {measure}@5"] == expected

    def test_the_findings(self, controlled, capsys):
        found = controlled[2]
        # As printed: by the recipe, with the equations.
        assert [tuple(row) for row in found[[RECIPE, EQUATIONS]].to_numpy().tolist()] == [
            (True, False),  # rND in the minority setting
            (True, True),  # rKL in the minority and the majority setting
            (True, True),  # α-nDCG in all settings
            (True, True),  # rKL with α = 0.9
            (False, False),  # rND with α = 0.9: −0.1520 < −0.1434 in the paper's own tables
            (True, False),  # rRD with both α
            (True, True),  # rRD in the proportion-agnostic setting
            (True, True),  # rKL of the one-sided rankings
            (True, False),  # rND of the one-sided rankings: 0.458 of 0.854, and 0.910 of 0.939
            (False, False),  # rRD of the one-sided rankings: minority,
            (False, True),  # proportion-agnostic,
            (True, True),  # and majority
        ]
        assert found[[RECIPE, EQUATIONS]].sum().tolist() == [9, 7]  # as the page says

    @pytest.mark.parametrize("changed, value, most", [
        ("LAST", 5, 2), ("SHARES", {"minority": 1 / 5, "proportion-agnostic": 1 / 2,
                                    "majority": 4 / 5}, 8),
    ])
    def test_another_recipe_gives_fewer_cells(self, script, monkeypatch, changed, value, most):
        """At most 12 of 18 agree with sums to 5, or with 4 : 1."""
        monkeypatch.setattr(script("pathiyancherumanal2021").module, changed, value)
        tables, *_ = script("pathiyancherumanal2021")()
        same = sum((table["published"].str.rstrip("*") == table[RECIPE].str.rstrip("*")).sum()
                   for table in tables.values())
        assert same == most <= 12

    def test_four_cells_depend_on_floats(self, script, monkeypatch):
        module = script("pathiyancherumanal2021").module
        exact = module.by_the_recipe
        monkeypatch.setattr(module, "by_the_recipe",
                            lambda *ranking: tuple(round(value, 12) for value in exact(*ranking)))
        tables, *_ = script("pathiyancherumanal2021")()
        for table in tables.values():
            assert table["what"][table["published"] != table[RECIPE]].tolist() == [
                "proportion-agnostic: rND@5", "proportion-agnostic: rRD@5"]

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

    def test_other_qrels_move_the_values_of_the_equations(self, script, monkeypatch):
        before, *_ = script("pathiyancherumanal2021")()
        module = script("pathiyancherumanal2021").module
        monkeypatch.setattr(module, "RATIOS", {**module.RATIOS, "minority": 2, "majority": 2})
        after, *_ = script("pathiyancherumanal2021")()
        changed = before[0.5][EQUATIONS] != after[0.5][EQUATIONS]
        assert changed[before[0.5]["what"].str.startswith("minority")].any()
        assert not changed[before[0.5]["what"].str.startswith("proportion-agnostic")].any()
        assert (before[0.5][RECIPE] == after[0.5][RECIPE]).all()

    def test_real_scenario(self, script, small, tmp_path, capsys):
        qrels, runs = small
        *_, table = script("pathiyancherumanal2021")(qrels, *runs)
        assert len(table) == 9 and "published" not in table
        assert "5 runs, not the 21 of Touché" in " ".join(capsys.readouterr().out.split())
        columns = ["query_id", "q", "doc_id", "r", "score", "n"]
        frames = [pd.read_csv(run, sep=" ", names=columns, dtype={"query_id": str}) for run in runs]
        columns = ["query_id", "iteration", "doc_id", "relevance"]
        judged = pd.read_csv(qrels, sep=" ", names=columns, dtype={"query_id": str})
        # The sums of the equations; min–max over the runs changes no τ.
        measures = [nDCG @ 5, rKL(norm="none") @ 5]
        values = [ir_measures.calc_aggregate(measures, judged, frame) for frame in frames]
        tau = stats.kendalltau(*[[round(one[m], 12) for one in values] for m in measures])[0]
        assert rows_of(table, r"τ\(rKL@5, nDCG@5\)")[EQUATIONS].iloc[0].rstrip("*") == f"{tau:.4f}"
        assert (tmp_path / "pathiyancherumanal2021-figure2.png").exists()
        # The other way round, a run is another one.
        lines = [line.split() for line in runs[0].read_text().splitlines()]
        write_run(runs[0], [(line[0], line[2], -float(line[4])) for line in lines])
        *_, after = script("pathiyancherumanal2021")(qrels, *runs)
        assert (after[EQUATIONS] != table[EQUATIONS]).any()
        assert (after[RECIPE] != table[RECIPE]).any()

    def test_averages_are_min_max_normalised_over_the_runs(self, script, small, capsys):
        qrels, runs = small
        script("pathiyancherumanal2021")(qrels, *runs)
        printed = capsys.readouterr().out.split("Averages over")[1].split("rND@5, sum")[0]
        rows = [line.split() for line in printed.splitlines() if line.startswith("run")]
        for column in range(3, 6):  # rND, rKL, rRD
            values = [float(row[column]) for row in rows]
            assert (min(values), max(values)) == (0, 1)
        assert len(rows) == 5

    def test_recipe_of_runs(self, script):
        module = script("pathiyancherumanal2021").module
        qrels = pd.DataFrame({"qid": ["1"] * 4 + ["2"], "docno": [*"abcd", "a"], "label": 1,
                              "iteration": ["PRO", "PRO", "PRO", "CON", "PRO"]})
        run = pd.DataFrame({"qid": ["1", "1", "1", "2"], "docno": ["d", "x", "a", "a"],
                            "score": [3.0, 2.0, 1.0, 1.0]})
        found = module.averages_by(module.by_the_recipe, qrels, {"some": run}).iloc[0]
        # CON is the minority of topic 1 with a quarter; topic 2 has one stance and counts as 0.
        expected = module.by_the_recipe([True, False], 0.25)
        assert found.tolist() == ["some", *(pytest.approx(value / 2) for value in expected)]
        released = module.averages_by(module.by_the_released_code, qrels, {"some": run}).iloc[0]
        expected = module.by_the_released_code([True, False], 0.25)
        assert released.tolist() == ["some", *(pytest.approx(value / 2) for value in expected)]

    def test_the_released_code_by_hand(self, script):
        """Sums to 5, rND with i + 1, all with a discount; two documents keep their counts."""
        found = script("pathiyancherumanal2021").module.by_the_released_code([False, True], 0.25)
        expected = np.zeros(3)
        for i, plus in zip(range(1, 6), (0, 1, 1, 1, 1), strict=True):
            kl = 1 / i * np.log2(1 / i / 0.75)
            kl += plus / i * np.log2(plus / i / 0.25) if plus else 0
            expected += np.array([abs(plus / (i + 1) - 0.25), kl, abs(plus - 1 / 3)]) / np.log2(
                i + 1)
        assert found == pytest.approx(tuple(expected), abs=1e-12)

    def test_the_stars_of_table_2(self, script, monkeypatch, capsys):
        module = script("pathiyancherumanal2021").module
        stars = module.published_stars()
        assert len(stars) == 9 and stars["consistent"].all()
        # A star is a p of less than .05; the exact p of .3238 is the largest with one.
        assert stars.set_index("published")["p"].round(4)[["-0.3238*", "0.2857"]].tolist() == [
            0.042, 0.0745]
        monkeypatch.setitem(module.PUBLISHED_REAL, ("rRD@5", "rKL@5"), "0.2857*")
        monkeypatch.setitem(module.PUBLISHED_REAL, ("rRD@5", "nDCG@5"), "-0.2600")
        assert module.published_stars()["consistent"].tolist() == [True] * 5 + [
            False, True, True, False]
        monkeypatch.setattr(module, "OFFICIAL_RUNS", 20)
        assert not module.published_stars()["consistent"].all()

    def test_the_official_runs_stand_beside_the_published_values(self, script, small, monkeypatch):
        qrels, runs = small
        monkeypatch.setattr(script("pathiyancherumanal2021").module, "OFFICIAL_RUNS", 5)
        *_, table = script("pathiyancherumanal2021")(qrels, *runs)
        row = rows_of(table, r"τ\(rKL@5, nDCG@5\)").iloc[0]
        assert row["published"] == "-0.2667"
        assert [*table] == ["what", "published", EQUATIONS, RECIPE, "by the released code"]

    def test_stances_of_unjudged_documents(self, script, tmp_path, capsys):
        """Two runs that differ in unjudged documents only differ with a source of their stances."""
        rows = [(q, docno, docno[:3].upper()) for q in "123"
                for docno in ("pro1", "pro2", "pro3", "con1")]
        (tmp_path / "qrels").write_text("".join(f"{q} {g} {d} 1\n" for q, d, g in rows))
        unjudged = {"left": "con8 con9", "right": "pro8 pro9", "both": "con8 pro9"}
        runs = []
        for name, names in unjudged.items():
            docnos = [*names.split(), "pro1", "con1"]
            if name == "both":
                docnos = docnos[::-1]
            runs.append(write_run(tmp_path / name, [
                (q, docno, -float(i)) for q in "123" for i, docno in enumerate(docnos)]))
        names = [d for _, d, _ in rows[:4]] + ["con8", "con9", "pro8", "pro9"]
        source = tmp_path / "stances.csv"
        source.write_text("docno,group\n" + "".join(f"{d},{d[:3].upper()}\n" for d in names))

        def sums(*options):
            script("pathiyancherumanal2021")(tmp_path / "qrels", *runs, *options)
            printed = capsys.readouterr().out
            assert printed.count("6 of 12") == 3  # unjudged, of the first five
            part = printed.split("rND@5, sum")[1].split("Table 2")[0]
            return {line.split()[0]: line.split()[1:] for line in part.splitlines()[1:] if line}

        judged = sums()
        assert judged["left"] == judged["right"]
        everything = sums("--groups", source)
        qrels = pd.DataFrame(rows, columns=["qid", "docno", "iteration"]).assign(label=1)
        measures = [kind(norm="none") @ 5 for kind in (rND, rKL, rRD)]
        table, _ = evaluate([str(run) for run in runs], qrels, measures, groups=str(source),
                            progress=False)
        for name in unjudged:
            row = table.set_index("name").loc[name, [str(measure) for measure in measures]]
            assert everything[name] == [f"{value:.4f}" for value in row]
        assert everything["left"] != everything["right"]

    def test_groups_from_elsewhere(self, script, small):
        qrels, runs = small
        *_, stances = script("pathiyancherumanal2021")(qrels, *runs)
        *_, sources = script("pathiyancherumanal2021")(qrels, *runs, "--groups", "trec-newswire")
        assert (stances[EQUATIONS] != sources[EQUATIONS]).any()

    def test_runs_of_touche_2022(self, script, shared, tmp_path):
        folder = shared / "data" / "touche2022"
        columns = ["qid", "q", "docno", "label"]
        relevance, stance = (pd.read_csv(folder / f"{kind}.qrels.gz", sep=" ", names=columns)
                             for kind in ("relevance", "stance"))
        qrels = relevance.assign(q=stance.set_index(["qid", "docno"])["label"].replace("NO", "-")
                                 .reindex([*zip(relevance["qid"], relevance["docno"],
                                                strict=True)]).to_numpy())
        qrels.to_csv(tmp_path / "qrels", sep=" ", header=False, index=False)
        names = ["Aldo-Nadi.run3", "Asuna.run1", "Captain-Levi.run5", "Grimjack.run1"]
        runs = [folder / "runs" / f"{name}.gz" for name in names]
        *_, table = script("pathiyancherumanal2021")(tmp_path / "qrels", *runs)
        known = qrels[qrels["q"] != "-"]
        counts = known[known["label"] > 0].groupby(["qid", "q"]).size()
        largest = {share: np.max([equations(ranking, share) for ranking in RANKINGS], axis=0)
                   for sizes in map(counts.get, counts.index.levels[0]) if sizes is not None
                   for share in [sizes.min() / sizes.sum()] if share < 1}
        means = []
        for run in runs:
            frame = pd.read_csv(run, sep=" ", usecols=[0, 2, 4], names=["qid", "docno", "score"])
            frame = frame.merge(known, on=["qid", "docno"])
            frame = frame.sort_values(["score", "docno"], ascending=False)
            total = np.zeros(3)
            for qid in counts.index.levels[0]:
                sizes = counts.get(qid)
                if sizes is not None and len(sizes) > 1:
                    first = frame[frame["qid"] == qid]["q"].head(5)
                    share = sizes.min() / sizes.sum()
                    total += (equations([label == sizes.idxmin() for label in first], share)
                              if len(first) else largest[share])
            means.append(total.round(9))
        rnd, rkl, rrd = np.transpose(means)
        for one, two, values in (("rKL", "rND", (rkl, rnd)), ("rRD", "rND", (rrd, rnd)),
                                 ("rRD", "rKL", (rrd, rkl))):
            row = rows_of(table, rf"τ\({one}@5, {two}@5\)").iloc[0]
            assert float(row[EQUATIONS].rstrip("*")) == round(stats.kendalltau(*values)[0], 4)
