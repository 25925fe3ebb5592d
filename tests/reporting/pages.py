"""The tables and the figures of a page, and difficult names."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser
from typing import Any

from pt_fairness.reporting import Report

MEASURES = ["nDCG@5", "rKL@5", "AWRF@5", "BiasP(pro='A & B',con='constructor')@5", "alpha_nDCG@5"]
SCRIPT = "<script>alert(1)</script>"
#: Names that are markup, LaTeX, properties of JavaScript's objects, or long.
RUNS = ["BM25", SCRIPT, '"><img src=x onerror=alert(2)>', "__proto__", "constructor", "toString",
        "空 système 🎉 $_{a} 'b'", "x" * 80]
DOCNOS = [SCRIPT, "</script><!--", "dö & 'co'", "__proto__", *(f"d{i}" for i in range(15))]
QIDS = ["1", "</script>", "toString", "4", "5", "only A"]
LABELS = ["A & B", "constructor", "__proto__"]


class Tags(HTMLParser):
    """The tags of a page with their attributes, and the tables as lists of rows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.feed(page)
        for table in self.tables:
            table[-1].pop()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append("")
        elif tag == "small":
            self.handle_data("|")

    def handle_endtag(self, tag):
        if tag == "table":
            self.tables[-1][-1].append("")  # takes what follows

    def handle_data(self, data):
        if self.tables and self.tables[-1] and self.tables[-1][-1]:
            self.tables[-1][-1][-1] += data.replace("\n", "")


def figures(page: Report) -> dict[str, dict[str, Any]]:
    """Return the specifications of the figures of a page with their frames, by name."""
    packed = re.search(r'id="figures">([^<]*)</script>', page.html)
    content = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    specifications = {}
    for figure in content["figures"]:
        data = {name: content["data"][name] for name in figure["frames"]}
        specifications[figure["name"]] = figure["specification"] | {"datasets": data}
    return specifications
