"""Judgments of Touché 2020 with the stances of their arguments."""

from __future__ import annotations

ARGSME = "argsme/2020-04-01"
TASK = f"{ARGSME}/touche-2020-task-1"
QRELS = "1 0 a1 2\n1 0 a2 1\n1 0 a3 0\n2 0 a4 -2\n2 0 a5 1\n"
STANCES = [("1", "a1", 2, "PRO"), ("1", "a2", 1, "CON"), ("1", "a3", 0, "CON"),
           ("2", "a4", -2, "PRO"), ("2", "a5", 1, "CON")]


def named(rows, labels):
    return [(*row[:3], label) for row, label in zip(rows, labels, strict=True)]
