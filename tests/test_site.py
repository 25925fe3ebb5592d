"""The pages as a site of their own: the footer, and the cheat sheet on paper."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path

import pytest

# Sphinx and what it brings.
pytestmark = [pytest.mark.newest, pytest.mark.slow]

PAGES = resources.files("pt_fairness") / "pt_docs"
SETTINGS = Path(__file__).parents[1] / ".ci" / "conf.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The cheat sheet alone, with the settings of the site."""
    source, built = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    (source / "cheat_sheet.rst").write_bytes((PAGES / "cheat_sheet.rst").read_bytes())
    (source / "index.rst").write_text("Index\n=====\n\n.. toctree::\n\n   cheat_sheet\n")
    subprocess.run([sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "-c",
                    SETTINGS.parent, source, built], check=True)
    return built


@pytest.mark.parametrize("paper", ["A4", "letter"])
def test_the_cheat_sheet_prints_to_one_sheet(site, tmp_path, paper):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no browser: install Debian's package chromium")
    page = (site / "cheat_sheet.html").read_text(encoding="utf-8")
    assert "size: portrait" in page
    sized = site / f"{paper}.html"
    sized.write_text(page.replace("size: portrait", f"size: {paper} portrait"), encoding="utf-8")
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu",
                    f"--user-data-dir={tmp_path / 'profile'}", "--no-pdf-header-footer",
                    f"--print-to-pdf={tmp_path / 'sheet.pdf'}", sized.as_uri()],
                   check=True, capture_output=True, timeout=120)
    printed = (tmp_path / "sheet.pdf").read_bytes()
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1


def test_the_footer_has_the_public_addresses_of_the_project_and_no_others(site):
    page = (site / "index.html").read_text(encoding="utf-8")
    footer = page[page.index('<div class="bottom-of-page">'):]
    urls = dict(one.split(", ") for one in metadata.metadata("pt_fairness").get_all("Project-URL"))
    assert "Apache License 2.0" in footer
    assert set(re.findall(r'href="(https://github[^"]+)"', footer)) == {
        url for name, url in urls.items() if name != "Documentation"} | {
        "https://github.com/pradyunsg/furo"} & set(re.findall(r'href="([^"]+)"', footer))
