"""``pt-fairness table`` and ``report``: verdicts, groups of topics and uncertain labels."""

from __future__ import annotations

from html import unescape

import numpy as np
import pandas as pd
import pytest

from pt_fairness import analysis, cli, evaluate, io, report
from pt_fairness.io.tables import EXACT
from pt_fairness.reporting.sections import of_topic_groups, of_uncertain_labels

DOCS = [f"d{i}" for i in range(30)]
TOPICS = [str(topic) for topic in range(1, 13)]
DOMAINS = dict(zip(TOPICS, ["health", "law", "sport"] * 4, strict=True))
FAIR = ["AWRF@5", "rKL(protected='F')@5"]


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """``command(name, option…)``: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    pool = {qid: rng.choice(DOCS, 12, replace=False) for qid in TOPICS}
    (tmp_path / "qrels").write_text("".join(
        f"{qid} 0 {docno} {rng.integers(0, 2)}\n" for qid, docs in pool.items() for docno in docs))
    for name in "AB":
        (tmp_path / name).write_text("".join(
            f"{qid} Q0 {docno} {rank} {-rank} x\n" for qid, docs in pool.items()
            for rank, docno in enumerate(rng.permutation(docs), 1)))
    shares = rng.beta(0.5, 0.5, len(DOCS)).round(3).clip(0.01, 0.99)
    rows = [(docno, label, share) for docno, p in zip(DOCS, shares, strict=True)
            for label, share in (("F", p), ("M", round(1 - p, 3)))]
    pd.DataFrame(rows, columns=["docno", "group", "weight"]).to_csv("soft.csv", index=False)
    pd.Series(DOMAINS).rename_axis("qid").rename("group").to_csv("domains.csv")

    def run(name, *options):
        code = cli.main([name, "qrels", "A", "B", "--groups", "soft.csv", *options])
        return code, *capsys.readouterr()

    return run


def read(text):
    with open("table.csv", "w", encoding="utf-8") as out:
        out.write(text)
    return pd.read_csv("table.csv", **EXACT)


@pytest.fixture
def values(command):
    """The values of each topic, after the files are written."""
    return evaluate(["A", "B"], "qrels", ["nDCG@5", FAIR[0]], groups="soft.csv", perquery=True,
                    progress=False)


def frames():
    return {name: io.read_run(name) for name in "AB"}


def test_verdicts(command):
    code, out, _ = command("table", "-m", "nDCG@5", FAIR[1], "--baseline", "A", "--tolerance",
                           "nDCG@5=0.01", "--tolerance", f"{FAIR[1]}=0.5")
    table, _ = evaluate(["A", "B"], "qrels", ["nDCG@5", FAIR[1]], groups="soft.csv", baseline="A",
                        tolerance={"nDCG@5": 0.01, FAIR[1]: 0.5}, progress=False)
    verdicts = [f"{measure} verdict" for measure in ("nDCG@5", FAIR[1])]
    assert code == 0 and read(out)[verdicts].loc[1].equals(table[verdicts].loc[1])
    assert table.loc[1, verdicts[1]] == "within"


def test_groups_of_topics(command, values):
    options = ["-m", "nDCG@5", FAIR[0], "--topic-groups", "domains.csv"]
    code, out, _ = command("table", *options, "--ci", "0.9")
    expected = analysis.topic_groups(values, DOMAINS, confidence=0.9)
    assert code == 0
    pd.testing.assert_frame_equal(read(out), expected, check_dtype=False, rtol=1e-12)
    _, out, _ = command("table", *options, "--format", "md")
    assert "| A | nDCG@5 | health | 4 | 0." in out
    assert "Intervals: 95 %, t distribution over topics." in out


def test_uncertain_labels(command):
    code, out, _ = command("table", "-m", *FAIR, "--uncertain", "20", "--baseline", "A")
    expected = analysis.uncertain_labels(frames(), io.read_qrels("qrels"), FAIR, "soft.csv", 20,
                                         baseline="A")
    assert code == 0 and set(expected["name"]) == {"B"}
    expected = expected.rename(columns={"mean": "difference"})
    pd.testing.assert_frame_equal(read(out), expected, check_dtype=False, rtol=1e-12)


def cells(table):
    return ["".join(f"<td>{cell}</td>" for cell in row[1:]) for row in table.to_numpy().tolist()]


def test_report(command, values):
    pytest.importorskip("jinja2")
    code, page, _ = command(
        "report", "-m", "nDCG@5", FAIR[0], "--baseline", "A", "--tolerance", "nDCG@5=1.1",
        "--topic-groups", "domains.csv", "--uncertain", "20", "--ci", "0.9")
    made = report(["A", "B"], "qrels", ["nDCG@5", FAIR[0]], groups="soft.csv", baseline="A",
                  tolerance={"nDCG@5": 1.1}, topic_groups=DOMAINS, uncertain=20, confidence=0.9,
                  progress=False)
    assert code == 0 and page == made.html
    assert page.count('<span class="end">within</span>') == 1  # the other run, by nDCG
    low, high = made.table.set_index("name").loc["B", ["nDCG@5 low", "nDCG@5 high"]]
    assert f'<span class="end about interval">[{low:.4f}, {high:.4f}]</span>' in page
    assert "p-values and intervals" in page
    draws = analysis.uncertain_labels(frames(), io.read_qrels("qrels"), FAIR[0], "soft.csv", 20,
                                      confidence=0.9)
    uncertain = of_uncertain_labels(draws, 20, 0.9)
    for section in (of_topic_groups(values, DOMAINS, 0.9), uncertain):
        assert section["lead"] in unescape(page)
        assert all(row in page for _, table in section["tables"] for row in cells(table))


def test_the_sections_fit_a_phone(command, show):
    _, html, _ = command("report", "-m", *FAIR, "--topic-groups", "domains.csv", "--uncertain", "9")
    page = show(html)
    with page.on(390):
        assert page("return document.documentElement.scrollWidth") <= 390
        assert len(page.find_all("#topic-groups tbody tr, #uncertain tbody tr")) == 8


@pytest.mark.parametrize("options, says", [
    (["--baseline", "A", "--tolerance", "nDCG@5"], "--tolerance 'nDCG@5' is not possible"),
    (["--baseline", "A", "--tolerance", "nDCG@5=a"], "such as nDCG@10=0.01"),
    (["--tolerance", "nDCG@5=0.1"], "is of differences from a baseline; give one, too"),
    (["--test", "t"], "--test is of differences from a baseline; give --baseline, too"),
    (["--uncertain", "9", "--topic-groups", "domains.csv"], "give one of them"),
    (["--uncertain", "9"], "takes measures of this package"),
    (["--uncertain", "1"], "draws=1 is not possible"),
    (["--topic-groups", "soft.csv"], "soft.csv"),
    (["--topic-groups", "A"], "A has no column 'qid'; it needs qid, group")])
def test_wrong_options(command, options, says):
    measure = FAIR[0] if "1" in options else "nDCG@5"
    code, out, err = command("table", "-m", measure, *options)
    assert code == 2 and not out and says in err
