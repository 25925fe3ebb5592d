"""How often a table names a group that no system hides, and a system that hides one.

``python tests/benchmarks/shares.py [TABLES]`` simulates 200 tables of 15 systems, 4 groups and 50
topics for each setting without a hiding system, and 20 with one. A relevant document has a group by
the shares 50, 30, 15 and 5 %. A system shows ten documents: as many relevant ones as P@10 says,
drawn at random, and others, which have the same groups or the two large ones alone. A hiding system
shows no document of a group, or half of those that a fair one would.
"""

import itertools
import sys

import numpy as np
import pandas as pd
from scipy.special import binom

from pt_fairness.analysis.exposure import sentences, tail

SHARES = np.array([0.5, 0.3, 0.15, 0.05])
GROUPS = np.array(["A", "B", "C", "D"])
SYSTEMS, TOPICS, DEPTH, OTHERS = 15, 50, 10, 60


def table(pick: np.random.Generator, relevant: int, precision: float, small: bool,
          hidden: str = "", kept: float = 0.0) -> list[str]:
    """Return the sentences of a table of which the first system hides a group.

    :param small: whether documents that are not relevant have the two small groups, too
    :param kept: the share of the documents of the hidden group that are shown all the same
    """
    others = SHARES if small else np.array([0.625, 0.375, 0, 0])
    group = np.hstack([pick.choice(4, (TOPICS, relevant), p=SHARES),
                       pick.choice(4, (TOPICS, OTHERS), p=others)])
    member = group[:, :, None] == np.arange(4)  # [topics, documents, groups]
    order = pick.random((SYSTEMS, *group.shape))
    if hidden:  # what is hidden comes behind all that is as relevant, and is not shown
        order[0] += (GROUPS[group] == hidden) & (pick.random(group.shape) >= kept)
    rank = np.concatenate([part.argsort(axis=2).argsort(axis=2)
                           for part in np.split(order, [relevant], axis=2)], axis=2)
    hits = np.minimum(pick.binomial(DEPTH, precision, (SYSTEMS, TOPICS, 1)), relevant)
    chosen = rank < np.where(np.arange(relevant + OTHERS) < relevant, hits, DEPTH - hits)
    chosen &= order < 1
    r = chosen[:, :, :relevant].sum(axis=2, keepdims=True)
    members = member[:, :relevant].sum(axis=1)
    chance = binom(relevant - members, r) / binom(relevant, r) * (members > 0)
    absent = (members > 0) & ~(chosen[:, :, :, None] & member).any(axis=2)
    rows = chance.transpose(0, 2, 1).reshape(-1, TOPICS)
    times = absent.sum(axis=1).ravel()
    frame = pd.DataFrame({
        "name": np.repeat(np.arange(SYSTEMS), 4), "group": np.tile(GROUPS, SYSTEMS),
        "topics": np.tile((members > 0).sum(axis=0), SYSTEMS), "absent": times,
        "expected": rows.sum(axis=1), "p": tail(rows, times)})
    return sentences({("the qrels", DEPTH): frame})


def report(what: str, measured: float, asked: str, holds: bool) -> int:
    print(f"{'ok  ' if holds else 'MISS'}  {what:<78} {measured:>9.3f}   {asked}")
    return not holds


def main() -> int:
    """Print the rates of all settings; return how many bounds were missed."""
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    pick = np.random.default_rng(0)
    missed = 0
    for relevant, precision, small in itertools.product(
            (3, 8, 20, 80), (0.15, 0.35, 0.6, 1.0), (True, False)):
        name = f"{relevant} relevant, P@10 {precision}, {'all' if small else 'two'} groups"
        wrong = np.mean([bool(table(pick, relevant, precision, small)) for _ in range(tables)])
        missed += report(f"false sentence: {name}", wrong, "at most 0.08", wrong <= 0.08)
        for group, kept in itertools.product("DCB" if small else "", (0.0, 0.5)):
            found = np.mean([any(text.startswith(f"0 shows no {group}") for text in
                                 table(pick, relevant, precision, small, group, kept))
                             for _ in range(tables // 10)])
            whole = kept == 0 and relevant >= 8 and precision >= 0.35
            missed += report(f"named, hides {1 - kept:.0%} of {group}: {name}", found,
                                 "1" if whole else "any", found == 1 or not whole)
    return missed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
