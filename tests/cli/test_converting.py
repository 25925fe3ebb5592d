"""``pt-fairness rerank``."""

import re

import pandas as pd
import pytest
from one_test import each
from rerank_cases import WORKED

from pt_fairness import read_run, rerank


@pytest.fixture
def run(folder_of, command):
    """``run(argument…)``: ``rerank`` of the worked example, whose groups are a file."""
    folder_of({
        "bm25.run": "".join(f"1 Q0 {docno} {i} {score} bm25\n"
                            for i, (docno, score, _) in enumerate(WORKED, 1)),
        "stances.csv": "docno,group\n" + "".join(f"{docno},{group}\n"
                                                 for docno, _, group in WORKED if group)})
    return lambda *arguments: command("rerank", "bm25.run", *arguments)


@each("arguments, params, order", [
    (["xquad", "--lam", "0.8"], {"lam": 0.8}, "a e u b c d f g"),
    (["fa_ir", "--alpha", "0.3", "--adjust", "False", "--protected", "C"],
     {"alpha": 0.3, "adjust": False, "protected": "C"}, "a e u b c f d g"),
    (["det_cons", "--target", "{'P': 0.25, 'C': 0.75}"], {"target": {"P": 0.25, "C": 0.75}}, None)])
def test_parameters_by_name(run, arguments, params, order):
    code, out, _ = run(*arguments, "--groups", "stances.csv")
    lines = [line.split() for line in out.splitlines()]
    ranking = getattr(rerank, arguments[0])("stances.csv", **params)(read_run("bm25.run"))
    assert code == 0 and [line[2] for line in lines] == ranking["docno"].tolist()
    assert order is None or [line[2] for line in lines] == order.split()
    assert lines[0] == ["1", "Q0", lines[0][2], "1", "8", arguments[0]]


GROUPS = ["--groups", "stances.csv"]


@each("arguments, message", [
    (["xquad"], "--groups"), (["mmr", *GROUPS], "'mmr'"), (["xquad", *GROUPS, "--lam", "2"], "lam"),
    (["xquad", *GROUPS, "--target", "1+" * 60_000 + "1"], "target"),
    (["xquad", *GROUPS, "--alpha", "1"], "--alpha"), (["plackett_luce", *GROUPS], "--groups")])
def test_errors(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and message in err and err.count("error: ") == 1


def test_an_oracle_is_named(run, folder_of):
    folder_of({"stances": "".join(f"1 {group or '-'} {docno} 1\n" for docno, _, group in WORKED)})
    _, out, err = run("xquad", "--groups", "stances")
    assert "7 of 8" in err and "oracle" in err
    assert out.splitlines()[0].endswith(" xquad-oracle")


def test_policies_need_no_groups_and_ids_no_space(run, command):
    lines = run("plackett_luce", "--sample", "1")[1].splitlines()
    assert " ".join(line.split()[2] for line in lines) == "a u b c d e f g"
    frame = pd.DataFrame({"qid": "1", "docno": ["a", "b c"], "score": [2.0, 1.0]})
    frame.to_parquet("bm25.parquet")
    code, out, err = command("rerank", "bm25.parquet", "plackett_luce")
    assert (code, out) == (2, "") and "'b c'" in err


METHODS = {name: getattr(rerank, name) for name in rerank.__all__}


@each("name", METHODS)
def test_the_help_of_a_method_lists_its_parameters(command, name):
    code, out, _ = command("rerank", name, "--help")
    assert code == 0 and out.startswith(f"usage: pt-fairness rerank RUN {name} ")
    assert command("rerank", "any.run", name, "-h")[1] == out
    for parameter, meaning in METHODS[name].parameters().items():
        assert f"\n  --{parameter} " in out
        assert meaning.default is None or f"(default: {meaning.default})" in " ".join(out.split())
    assert not re.search(r"``|:func:|:param|default: None", out) and "--verbose" not in out
