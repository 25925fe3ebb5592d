"""Side-by-side timing: machines are noisy, so only ratios of times taken in turn mean something."""

import time
from collections.abc import Callable, Sequence
from typing import Any


def seconds(*tasks: Callable[[], Any], rounds: int = 5) -> list[float]:
    """The shortest time of each task over some rounds in which they take turns."""
    best = [float("inf")] * len(tasks)
    for _ in range(rounds):
        for i, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def report(rows: Sequence[tuple[str, float, str, bool]]) -> int:
    """Prints what was measured beside what is asked for.

    :param rows: what, measured, asked for, whether it holds
    :returns: how many do not hold
    """
    for what, measured, asked, holds in rows:
        print(f"{'ok  ' if holds else 'MISS'}  {what:<78} {measured:>9.3f}   {asked}")
    return sum(not holds for *_, holds in rows)
