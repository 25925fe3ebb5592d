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

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]
PAGES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs"
NAMES = ("data", "relevance", "fairness", "power", "correlations", "predicted", "judged",
         "headroom", "rerankers")
TABLES = {name: pd.read_csv(PAGES / "touche2022" / f"{name}.csv", dtype=str).set_index(
    pd.read_csv(PAGES / "touche2022" / f"{name}.csv", dtype=str).columns[0]) for name in NAMES}
TEXT = (PAGES / "touche2022.rst").read_text(encoding="utf-8")
#: The text of the page on one line, without directives, and with the signs of the tables.
PLAIN = " ".join(re.sub(r"^\.\. .*\n(?: {3}.*\n)*", "", TEXT, flags=re.MULTILINE)
                 .replace("``", "").replace("−", "-").split())
REFERENCES = ["[random order]", "[proportional]", "[largest group first]",
              "[smallest group first]"]


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


def test_the_numbers_of_the_page_on_re_ranking():
    table = TABLES["rerankers"].astype(float)
    text = (PAGES / "rerank.rst").read_text(encoding="utf-8").replace("`", "")
    assert set(table.index) == {"perfect order", *rerank.__all__}
    (first, nearest), (second, next_) = table["avoidable (%) of AWRF@5"].nsmallest(2).items()
    for words in (f"{first} comes nearest: {nearest} %", f"{second} is second with {next_} %",
                  f"the largest AWRF@5, {table['AWRF@5'].max()}"):
        assert words in " ".join(text.split())


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
