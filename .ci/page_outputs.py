"""Run the code of the pages and write what it prints into them: ``python .ci/page_outputs.py``.

With ``--check``, name the pages whose outputs are not up to date; names of pages (``reading``)
restrict both. The blocks of Python of a page run one after the other in a folder of their own, and
so do the commands of two pages. The block of plain text after a block is its output. A block with
a caption is a file of this name.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import traceback
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))

from quickstart import without_native_output

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"^\.\. code-block:: (python|bash|text)\n((?:   :.*\n)*)\n((?:   .*\n|\n)+)",
                   re.MULTILINE)
FENCE = re.compile(r"^```(python|text)()\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
#: Pages whose commands run as they stand.
COMMANDS = ("command_line", "contributing")


def output(code: str, names: dict[str, Any]) -> str:
    """Return what a block of Python prints."""
    printed = io.StringIO()
    with without_native_output(), contextlib.redirect_stdout(printed):
        exec(compile(code, "block", "exec"), names)
    return printed.getvalue()


def command_output(commands: str) -> str:
    """Return what commands print."""
    done = subprocess.run(["bash", "-euc", commands], capture_output=True, text=True, check=True)
    return done.stdout


def block_output(page: Path, kind: str, options: str, code: str, names: dict[str, Any]) -> str:
    """Return what a block prints; nothing if it is a file, which is written, or does not run."""
    caption = re.match(r" *:caption: (\S+\.py)$", options.strip("\n"))
    if caption:
        Path(caption[1]).write_text(code, encoding="utf-8")
    elif kind == "python" and not options:
        return output(code, names)
    elif kind == "bash" and page.stem in COMMANDS:
        return command_output(code)
    return ""


def updated(page: Path) -> str:
    """Return a page with what its code prints now."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": page.stem}
    indent = "" if page == README else "   "
    last, pieces, printed = 0, [], ""
    for block in (FENCE if page == README else BLOCK).finditer(text):
        if block[1] != "text":
            printed = block_output(page, block[1], block[2], textwrap.dedent(block[3]), names)
        elif printed:
            lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
            body = textwrap.indent("\n".join(lines), indent)
            pieces += [text[last:block.start(3)], body, "\n" if page == README else "\n\n"]
            last, printed = block.end(3), ""
    return "".join([*pieces, text[last:]])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    docs = ROOT / "pt_fairness" / "pt_docs"
    pages = [README, *(path for path in sorted(docs.glob("*.rst")) if path.stem != "agreement")]
    stale = 0
    for page in pages:
        if given.pages and page.stem not in given.pages:
            continue
        old = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            try:
                new = updated(page)
            except Exception:
                traceback.print_exc()
                print("a block fails:", page.name)
                stale += 1
                continue
        if new != old:
            stale += given.check
            print("not up to date, run python .ci/page_outputs.py:" if given.check else "written:",
                  page.name)
            if not given.check:
                page.write_text(new, encoding="utf-8")
    return int(stale > 0)


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    sys.exit(main())
