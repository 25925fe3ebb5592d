"""Touché with the real args.me corpus, with either of its judgments, and without it."""

from __future__ import annotations

import itertools
import json
import re

import pytest

pytestmark = pytest.mark.slow


def test_touche_with_a_generated_corpus_without_the_real_one(offline, touche):
    done = offline(touche.__file__)
    assert done.returncode == 0, done.stderr
    assert "args.me cannot be had" in done.stderr
    first, head, *rows = done.stdout.splitlines()
    assert first.startswith("A generated corpus, not args.me")
    assert head.split() == ["name", "BM25", "QLD"]
    table = {row.split()[0]: [float(value) for value in row.split()[1:]] for row in rows}
    assert list(table) == [
        "nDCG@5", "alpha_nDCG@5",
        *(f"{measure}(groups='argsme/2020-04-01/stance')@5" for measure in ("rKL", "rND", "rRD"))]
    assert all(0 < value < 1 for values in table.values() for value in values)


def test_touche_with_the_judgments_of_the_paper(files, offline, touche):
    touche.generate(files.home)
    corpus = [json.loads(file.read_text())["arguments"]
              for file in (files.home / touche.CORPUS).glob("*.json")]
    files.write("argsme/1.0.json", json.dumps({"arguments": [*itertools.chain(*corpus)]}))
    qrels = (files.home / "touche/2020/task-1/qrels.qrels").read_text()
    files.write("touche/2020/task-1/qrels-argsme-1.0-uncorrected.qrels", re.sub(
        "(?m) ([0-9])$", lambda match: f" {int(match[1]) ** 2}.0", qrels))
    real = offline(touche.__file__, touche.TASKS[1])
    first, _, *rows = real.stdout.splitlines()
    assert first == "The real args.me corpus: argsme/1.0/touche-2020-task-1/uncorrected/stance"
    corrected = offline(touche.__file__, touche.TASKS[0]).stdout.splitlines()[2:]
    assert [row.split()[1:] for row in rows] != [row.split()[1:] for row in corrected]
    wrong = offline(touche.__file__, "argsme/1.0")
    assert wrong.returncode == 1 and wrong.stderr.startswith("argsme/1.0 is not possible; give ")
