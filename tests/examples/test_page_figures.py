"""The figures of three pages, drawn by the blocks of the pages."""

from __future__ import annotations

import re
from importlib import resources

import pytest

pytestmark = pytest.mark.slow

PAGES = resources.files("pt_fairness") / "pt_docs"
GALLERY = (PAGES / "gallery.rst").read_text(encoding="utf-8")
CERTAINTY = (PAGES / "certainty.rst").read_text(encoding="utf-8")
READING = (PAGES / "reading.rst").read_text(encoding="utf-8")
NAMED = set(re.findall(r"^\.\. image:: images/(\S+)$", GALLERY + CERTAINTY + READING,
                       re.MULTILINE))


def test_every_image_of_the_page_is_drawn_and_nothing_else(script, tmp_path):
    pytest.importorskip("pyterrier_pisa")
    pytest.importorskip("matplotlib")
    image = pytest.importorskip("PIL.Image")
    script("page_figures")()
    assert {path.name for path in tmp_path.iterdir()} == NAMED
    for name in NAMED:
        assert (tmp_path / name).stat().st_size <= 60_000
        with image.open(tmp_path / name) as drawn:
            colours = drawn.convert("RGB").getcolors()
        assert len(colours) > 2, "the figure is not empty"
    with image.open(tmp_path / "strips.png") as strips:
        assert strips.size == (1800, 600)


def test_figures_have_twice_the_resolution_of_their_place_on_the_page():
    image = pytest.importorskip("PIL.Image")
    for page in (path for path in PAGES.iterdir() if path.name.endswith(".rst")):
        text = page.read_text(encoding="utf-8")
        for name, width in re.findall(r"^\.\. image:: images/(\S+)\n(?:   :width: (\d+)\n)?", text,
                                      re.MULTILINE):
            with image.open(PAGES / "images" / name) as stored:
                assert width and stored.width >= 2 * int(width), (page.name, name)


def test_the_stored_images_are_those_of_the_page():
    stored = {path.name for path in (PAGES / "images").iterdir()}
    drawn = ("gallery-", "certainty-", "reading-", "strips")
    assert {name for name in stored if name.startswith(drawn)} == NAMED
    assert sum(len((PAGES / "images" / name).read_bytes()) for name in stored) <= 900_000


def test_every_figure_is_on_the_page():
    plots = pytest.importorskip("pt_fairness.plots")
    drawn = re.findall(r"plots\.(\w+)\(", GALLERY)
    assert set(drawn) == set(plots.__all__) - {"PALETTE"}
