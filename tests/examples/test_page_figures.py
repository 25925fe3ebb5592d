"""The figures of three pages, drawn by the blocks of the pages."""

import re
from importlib import resources

import pytest
from PIL import Image

pytestmark = pytest.mark.slow

PAGES = resources.files("pt_fairness") / "pt_docs"
DRAWN_ON = ("gallery", "certainty", "reading")
TEXT = "\n".join((PAGES / f"{name}.rst").read_text(encoding="utf-8") for name in DRAWN_ON)
NAMED = set(re.findall(r"^\.\. image:: images/(\S+)$", TEXT, re.MULTILINE))


def test_every_image_of_the_pages_is_drawn_and_nothing_else(script, tmp_path):
    script("page_figures")()
    assert {path.name for path in tmp_path.iterdir()} == NAMED
    for name in NAMED:
        with Image.open(tmp_path / name) as drawn:
            assert len(drawn.convert("RGB").getcolors()) > 2, "the figure is not empty"
