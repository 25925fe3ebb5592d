"""The folders of the examples and of the scripts of the pages."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
CI = ROOT / ".ci"
DATA = EXAMPLES / "data"
