"""Draws the figures of the pages "Gallery", "How certain is a value?" and "Reading a value" with
the Python blocks of the pages themselves.

``python .ci/page_figures.py [--figures FOLDER]`` needs no Java: ``pip install
'pt-fairness[demo,plots]'``.
"""

from __future__ import annotations

import importlib.resources
import io
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))

from PIL import Image
from quickstart import without_native_output
from shared.comparison import arguments, plt

PAGES = [importlib.resources.files("pt_fairness") / "pt_docs" / f"{name}.rst"
         for name in ("gallery", "certainty", "reading")]
#: A block of Python, or the name of an image.
PART = re.compile(r"^\.\. (?:code-block:: python\n\n(?P<code>(?:   .*\n|\n)+)"
                  r"|image:: images/(?P<image>\S+)$)", re.MULTILINE)


def main(arguments_: Sequence[str] | None = None) -> None:
    """Runs the blocks of the pages, and saves the figure of each block under the name of the image
    that follows it.
    """
    given = arguments(__doc__).parse_args(arguments_)
    given.figures.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        names: dict[str, object] = {"__name__": page.name}
        for part in PART.finditer(page.read_text(encoding="utf-8")):
            if part["code"]:
                with without_native_output():
                    exec(compile(textwrap.dedent(part["code"]), page.name, "exec"), names)
            else:
                drawn = io.BytesIO()
                plt.savefig(drawn, dpi=200)  # twice the width on the page
                plt.close()
                # A palette makes the file a third of the size.
                Image.open(drawn).convert("RGB").quantize().save(given.figures / part["image"],
                                                                   optimize=True)
                print(f"figure: {given.figures / part['image']}")


if __name__ == "__main__":
    main()
