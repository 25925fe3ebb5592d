"""The examples, run as a user runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from example_files import EXAMPLES
from ir_datasets_home import OFFLINE

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


@pytest.fixture
def example(tmp_path):
    """``example(name, argument…)``: what a script prints, in a folder of its own, offline."""
    (tmp_path / "sitecustomize.py").write_text(OFFLINE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "IR_DATASETS_HOME": str(tmp_path / "home"),
                   "IR_DATASETS_DL_TRIES": "1", "PYTHONPATH": path}

    def run(name, *arguments):
        done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], text=True,
                              capture_output=True, cwd=tmp_path, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


@pytest.mark.parametrize("name, arguments", [
    ("quickstart.py", []), ("touche.py", ["generated"]), ("neuclir.py", []),
    ("msmarco_gender.py", []), ("trec_fair.py", []), ("rerankers.py", []), ("fairweb.py", []),
    ("draws2021.py", ["-n", "2"]), ("pathiyancherumanal2021.py", []), ("lipani2021.py", []),
    ("gezici2021.py", []), ("das2019.py", [])])
def test_it_runs(example, name, arguments, tmp_path):
    printed = example(name, *arguments)
    assert printed
    for path in re.findall(r"^figure: (.*)$", printed, re.MULTILINE):
        assert (tmp_path / path).read_bytes().startswith(b"\x89PNG")


def test_newswire_on_a_small_run(example, tmp_path):
    (tmp_path / "qrels").write_text("301 0 FT911-1 1\n301 0 LA010189-1 1\n301 0 FBIS3-1 0\n")
    (tmp_path / "run").write_text("301 Q0 FT911-1 0 2 x\n301 Q0 FR940104-0-1 1 1 x\n")
    printed = example("newswire.py", tmp_path / "qrels", tmp_path / "run")
    rows = dict(line.rsplit(maxsplit=1) for line in printed.splitlines()[1:])
    # FR is the minority's (FT's, first of equals) opposite: shares 1 and 1/2 of FT against 1/2.
    assert float(rows["rND(groups='trec-newswire')@10"]) == pytest.approx(
        0.5 / (0.5 + 0.5 * 0.6309), abs=1e-4)
    assert float(rows["Rprec"]) == 0.5


def test_experiment_and_command_line_agree_to_the_last_digit(shared, robust03, tmp_path):
    import pyterrier as pt

    from pt_fairness import analysis, write_qrels

    qrels, runs = robust03
    runs = {name: runs[name] for name in ("THUIRr0301", "rutcor03100")}
    write_qrels(qrels, tmp_path / "qrels")
    measures = "nDCG@10 Rprec α_nDCG@10 rND@10 rKL@10 rKL(protected='all')@10 nDJS"
    import ir_measures

    undefined = analysis.undefined(qrels, measures.split()).value_counts("measure").to_dict()
    table = pt.Experiment(
        [pt.model.from_ir_measures(run) for run in runs.values()],
        pd.DataFrame({"qid": qrels["query_id"].unique()}), pt.model.from_ir_measures(qrels),
        [ir_measures.parse_measure(m) for m in measures.split()], names=list(runs))
    for name in runs:
        file = shared / "data" / "robust03" / "runs" / f"input.{name}.gz"
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pt_fairness"),
                *(str(tmp_path / "qrels"), str(file), measures, "-p", "-1")],
            capture_output=True,
            text=True,
            check=True,
        )
        row = table.set_index("name").loc[name]
        for line in done.stdout.splitlines():
            measure, value = line.split("\t")
            expected = row[measure]
            if measure in undefined:  # pt.Experiment counts 0
                topics = qrels["query_id"].nunique()
                expected *= topics / (topics - undefined[measure])
            assert expected == pytest.approx(float(value), abs=1e-12)


def read_fairweb(printed):
    """Run, topics and row → value."""
    lines = printed.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("topics"))
    runs, table, topics = lines[start - 1].split()[1:], {}, ""
    for line in lines[start + 1:]:
        named, *values = line.rsplit(maxsplit=len(runs))
        row = re.search(r"(ERR|iRBU|GF .*|GFR)$", named)
        topics = named[:row.start()].strip() or topics
        table |= {(run, topics, row[0]): float(value)
                  for run, value in zip(runs, values, strict=True)}
    return table


def test_fairweb_on_the_pilot(example, shared):
    """Every value is that of the task's tool."""
    folder = shared / "data" / "fairweb1"
    table = read_fairweb(example("fairweb.py", folder))
    assert len(table) == 2 * 26
    tool = pd.read_csv(folder / "ntcireval.tsv", sep="\t").set_index(
        ["run", "topic", "attribute", "measure"])["value"].sort_index()
    names = {"jsd": "GF-JSD", "nmd": "GF-NMD", "rnod": "GF-RNOD"}
    for (run, topic, row), value in table.items():
        printed = tool.loc[run, topic]
        if row in ("ERR", "iRBU"):
            assert set(printed.xs(row, level="measure")) == {value}
        elif row.startswith("GF "):
            _, attribute, divergence = row.split()
            assert printed[attribute, names[divergence]] == value
        else:
            parts = [printed.xs("ERR", level="measure").iloc[0]]
            for attribute in printed.index.unique("attribute"):
                ordinal = (attribute, "GF-RNOD") in printed and \
                    f"GF {attribute} rnod" in {name for *_, name in table}
                parts.append(printed[attribute, "GF-RNOD" if ordinal else "GF-JSD"])
            assert value == pytest.approx(sum(parts) / len(parts), abs=1.1e-4)
