"""What the whole simulation of Draws et al. costs: ``python tests/benchmarks/simulate.py``."""

import resource
import sys
import time
from pathlib import Path

from timing import report

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))
from draws2021 import simulate


def main() -> int:
    """S1, S2, S3 × 21 values of α × 1000 rankings × four measures; returns how many bounds were
    missed.
    """
    start = time.perf_counter()
    simulate(draws=1000)
    took = time.perf_counter() - start
    # Kilobytes on Linux, bytes on macOS.
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << 30 if sys.platform == "darwin" else 1 << 20)
    return report([("seconds for the whole simulation", took, "under 60", took < 60),
                   ("GiB of memory, libraries included", memory, "under 2", memory < 2)])


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
