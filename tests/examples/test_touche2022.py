"""The page on Touché 2022, task 2: its numbers are those of its tables, and its tables those of the
script.
"""

from __future__ import annotations

import importlib.resources
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from example_files import write_qrels

from pt_fairness import rerank

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
PAGES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs"
NAMES = ("data", "relevance", "fairness", "power", "correlations", "predicted", "judged",
         "headroom", "rerankers")
TABLES = {name: pd.read_csv(PAGES / "touche2022" / f"{name}.csv", dtype=str).set_index(
    pd.read_csv(PAGES / "touche2022" / f"{name}.csv", dtype=str).columns[0]) for name in NAMES}
TEXT = (PAGES / "touche2022.rst").read_text(encoding="utf-8")
#: The text of the page on one line, without directives, and with the signs of the tables.
PLAIN = " ".join(re.sub(r"^\.\. .*\n(?: {3}.*\n)*", "", TEXT, flags=re.MULTILINE)
                 .replace("``", "").replace("−", "-").split())
SYSTEMS = TABLES["relevance"].index.tolist()
REFERENCES = ["[random order]", "[proportional]", "[largest group first]",
              "[smallest group first]"]
CUT = "nDCG@5", "alpha_nDCG@5", "Annotated@5"
TARGET = ["AWRF@5", "NDKL@5", "DistKL@5", "rKL@5", "nDJS@5"]


def on_page(*sentences: str) -> None:
    for sentence in sentences:
        assert sentence in PLAIN


def parts(table: str, column: str) -> pd.DataFrame:
    """``mean, low, high`` of the cells of a table."""
    texts = TABLES[table][column]
    systems = texts[~texts.index.isin(REFERENCES)]
    found = systems.str.extract(r"^(\S+) \[(\S+), (\S+)\]$").astype(float)
    return found.set_axis(["mean", "low", "high"], axis=1)


def tau(one: str, other: str) -> float:
    return float(TABLES["correlations"].loc[one, other])


def test_every_number_of_the_text_is_in_the_tables():
    text = re.sub(r"`+[^`]*`+|[\w.-]+@5|\w+\.run\d|CLEF 2022|Touché 2022|touche2022|Task 2", "",
                  PLAIN)
    numbers = re.findall(r"[+-]?\d+(?:\.\d+)?", text)
    cells = " ".join(" ".join([*table.index, *table.to_numpy().ravel()])
                     for table in TABLES.values())
    known = {number.lstrip("+-") for number in re.findall(r"[+-]?\d+(?:\.\d+)?", cells)}
    # No change, the cutoff and level of tests, and the level of intervals.
    assert {number.lstrip("+-") for number in numbers} - known <= {"0", "5", "95"}
    assert len(numbers) > 40


def test_the_systems():
    assert TABLES["fairness"].index.tolist() == [*SYSTEMS, *REFERENCES]
    data = TABLES["data"]["number"]
    assert data["systems"] == str(len(SYSTEMS)) and data["pairs of systems"] == "105"
    assert data["systems with the ranking of another system"] == "2"
    awrf = parts("fairness", "AWRF@5")
    random = float(TABLES["fairness"]["AWRF@5"]["[random order]"])
    best = awrf["mean"].idxmax()
    assert awrf["mean"][best] < random < awrf["high"][best]
    on_page(f"random orders, which have {random:.3f}. The highest mean is that of {best}, "
            f"{TABLES['fairness']['AWRF@5'][best]}")
    bias, found = parts("fairness", "absolute BiasP@5"), parts("relevance", "Annotated@5")
    least = bias["mean"].idxmin()
    assert found["mean"].idxmin() == least
    on_page(f"{least} has the smallest absolute BiasP@5, {bias['mean'][least]:.3f}.",
            f"Annotated@5 is {found['mean'][least]:.3f}.")


def test_what_was_avoidable():
    table = TABLES["headroom"].astype(float)
    assert table.index.tolist() == SYSTEMS
    unfair = table["avoidable (%) of rKL@5"]
    on_page(f"Between {unfair.min()} % ({unfair.idxmin()}) and {unfair.max()} % "
            f"({unfair.idxmax()}) of the rKL@5")
    far = table["avoidable (%) of AWRF@5"]
    on_page(f"and between {far.min()} % and {far.max()} % of the distance of AWRF@5 from 1.")
    for measure, end in (("rKL@5", 0), ("AWRF@5", 1)):
        fairest = table[f"fairest of {measure}"]
        assert fairest.nunique() == 1  # the fairest vertex is more relevant than all systems
        on_page(f"{measure} {fairest.iloc[0]}")
        share = 100 * (1 - abs(fairest - end) / abs(table[measure] - end))
        assert np.allclose(share, table[f"avoidable (%) of {measure}"], atol=0.6)


def test_how_near_rerankers_come():
    table = TABLES["rerankers"].astype(float)
    text = " ".join((PAGES / "rerank.rst").read_text(encoding="utf-8").replace("`", "").split())
    assert set(table.index) == {"perfect order", *rerank.__all__}
    first, second, *_ = (share := table["avoidable (%) of AWRF@5"].sort_values()).index
    assert (f"{first} comes nearest: {share[first]} % of its distance from 1 is avoidable, and it "
            "costs no relevance") in text
    assert f"{second} is second with {share[second]} %." in text
    assert table["nDCG@5"][first] == 1 == table["nDCG@5"]["perfect order"]
    largest = table.index[table["AWRF@5"] == table["AWRF@5"].max()]
    assert len(largest) == 4 and largest.str.startswith("det_").all()
    assert f"The four det_* have the largest AWRF@5, {table['AWRF@5'].max()}," in text


def test_discriminative_power():
    single, corrected = TABLES["power"].astype(float).to_numpy().T
    power = pd.DataFrame({"single": single, "corrected": corrected}, TABLES["power"].index)
    assert power["single"].idxmax() == "nDCG@5"
    on_page("nDCG@5 tells most pairs apart, {single} %, and {corrected} % with".format(
        **power.loc["nDCG@5"]))
    five = power.loc[TARGET].sort_values("single", ascending=False)["single"]
    first, *middle, last = [f"{name} {value} %" for name, value in five.items()]
    on_page(f"{first.replace(' ', ' has ', 1)}, {', '.join(middle)} and {last}.")
    assert power["corrected"][TARGET].gt(0).sum() == 1
    on_page(f"nDJS@5 keeps {power['corrected']['nDJS@5']} % of the pairs")
    on_page("EEL@5 and absolute BiasP@5 tell {} % and {} % of".format(
        *power["single"][["EEL@5", "absolute BiasP@5"]]))
    assert power["single"][TARGET].max() < power["single"][["EEL@5", "absolute BiasP@5"]].min()


def test_correlations():
    pairs = [tau(CUT[0], CUT[1]), tau(CUT[0], CUT[2]), tau(CUT[1], CUT[2])]
    assert set(pairs) == {0.94, 0.96}
    exposure, bias = ([tau(name, one) for one in CUT] for name in ("EEL@5", "absolute BiasP@5"))
    on_page("τ is 0.94 or 0.96.", f"at {min(exposure)} to {max(exposure)}.",
            f"τ with these three is {min(bias)} to {max(bias)}, and smaller is better.",
            f"AWRF@5 and NDKL@5 agree at {tau('AWRF@5', 'NDKL@5')}.")
    others = [tau(one, other) for i, one in enumerate(TARGET) for other in TARGET[:i]
              if {one, other} != {"AWRF@5", "NDKL@5"}]
    on_page(f"a τ from {min(others)} to {max(others)}")


def test_the_cost_of_re_ranking():
    predicted = TABLES["predicted"]
    right = predicted["right (%)"][1:].astype(float)
    relevance, fairness = parts("predicted", "nDCG@5"), parts("predicted", "AWRF@5")
    assert len(right) == 9 and relevance["high"][1:].lt(0).sum() == 6
    assert fairness["low"][1:].le(0).all()
    on_page("Nine of the runs have predicted stances", "six of the nine intervals are below 0",
            f"Between {right.min()} % and {right.max()} % of the predictions are right.",
            "nDCG@5 by {:.3f} to {:.3f}".format(*np.sort(relevance["mean"][1:])[[0, -1]]),
            "AWRF@5 changes by {:+.3f} to {:+.3f}.".format(*np.sort(fairness["mean"][1:])[[0, -1]]))
    own = predicted.iloc[0]
    assert own.name == "Grimjack.run3"
    on_page(f"which changes by {own['AWRF@5']}, but its nDCG@5 is better by "
            + own["nDCG@5"].replace("+", "") + ".")
    relevance, fairness = parts("judged", "nDCG@5"), parts("judged", "AWRF@5")
    assert len(fairness) == len(SYSTEMS) and fairness["low"].gt(0).all()
    on_page("by {:+.3f} to {:+.3f}, and all intervals are above 0.".format(
                *np.sort(fairness["mean"])[[0, -1]]),
            "nDCG@5 changes by {:+.3f} to {:+.3f};".format(*np.sort(relevance["mean"])[[0, -1]]))
    system, = relevance.index[relevance["high"] < 0]
    assert not relevance["low"].gt(0).any()
    on_page(f"below 0 for one system, {system.removesuffix(', re-ranked')}.")


def test_the_tables_and_figures_are_those_of_the_script(script, shared, tmp_path):
    folder = shared / "data" / "touche2022"
    found = script("touche2022")(folder / "relevance.qrels.gz", folder / "stance.qrels.gz",
                                 *sorted((folder / "runs").glob("*.gz")))
    assert set(found) == set(NAMES)
    for name in NAMES:
        assert (tmp_path / f"{name}.csv").read_text() == \
            (PAGES / "touche2022" / f"{name}.csv").read_text(), name
    drawn = {path.name for path in tmp_path.glob("*.png")}
    assert drawn == set(re.findall(r"images/(\S+\.png)", TEXT))
    assert all((PAGES / "images" / name).is_file() for name in drawn)
    assert "Touché 2022, task 2" in (tmp_path / "touche2022.html").read_text(encoding="utf-8")


def test_a_small_track(script, tmp_path, capsys):
    """Twelve topics of three systems; one has no predictions, and tags have spaces."""
    rng = np.random.default_rng(2)
    stances = ["FIRST", "SECOND", "NEUTRAL", "NO"]
    docnos = [f"d{i}" for i in range(16)]
    rows = [(str(q), docno, int(rng.integers(0, 3)), str(rng.choice(stances)))
            for q in range(12) for docno in docnos]
    qrels = write_qrels(tmp_path / "relevance", [(q, 0, d, label) for q, d, label, _ in rows])
    labels = write_qrels(tmp_path / "stances", [(q, 0, d, stance) for q, d, _, stance in rows])
    for name in ("a", "b", "c"):
        lines = [f"{q} {'Q0' if name == 'c' else stance} {d} 1 {rng.random()} \"my run\""
                 for q, d, _, stance in rows]
        (tmp_path / name).write_text("\n".join(lines))
    found = script("touche2022")(qrels, labels, *(tmp_path / name for name in "abc"))
    assert found["power"].columns.tolist()[0] == "measure" and len(found["power"]) == 10
    assert found["relevance"]["system"].tolist() == ["a", "b", "c"]
    assert found["fairness"]["system"].tolist() == ["a", "b", "c", *REFERENCES]
    # The predictions of a and b are the judgments; those of passages without stance are left out.
    assert found["predicted"]["right (%)"].tolist() == ["100.0", "100.0"]
    assert found["predicted"]["system"].tolist() == ["a, re-ranked", "b, re-ranked"]
    assert len(found["judged"]) == 3
    counts = found["data"].set_index("what")["number"]
    assert counts["topics"] == 12 and counts["judged passages"] == 12 * 16
    assert "Kendall's τ" in capsys.readouterr().out
