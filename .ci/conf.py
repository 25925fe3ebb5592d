"""Sphinx settings that build the pages in pt_fairness/pt_docs as a separate site.

``python -m sphinx -b html -c .ci pt_fairness/pt_docs site``, with the extra ``docs``. PyTerrier's
documentation embeds the pages with its own settings.
"""

from importlib.metadata import metadata
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from pt_fairness import __version__

project = "pt_fairness"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
autoclass_content = "both"
html_theme = "furo"
html_title = f"pt_fairness {__version__}"
html_copy_source = False
copyright = "The pt_fairness developers. Apache License 2.0"
# The public addresses of pyproject.toml, in the footer.
urls = (text.split(", ") for text in metadata("pt_fairness").get_all("Project-URL", []))
html_theme_options = {"footer_icons": [
    {"name": name, "url": url, "html": name, "class": "footer-link"}
    for name, url in urls if name != "Documentation"]}


class HowTo(SphinxDirective):
    """A question as the title of a section; PyTerrier's documentation lists them on one page."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        section = nodes.section(names=[nodes.fully_normalize_name(self.arguments[0])])
        texts, messages = self.state.inline_text(self.arguments[0], self.lineno)
        section += nodes.title(self.arguments[0], "", *texts)
        self.state.document.note_implicit_target(section, section)
        self.state.nested_parse(self.content, self.content_offset, section)
        return [section, *messages]


class Related(SphinxDirective):
    """The object of a section, which PyTerrier's documentation links to it; nothing is shown."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return []


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives of PyTerrier's documentation."""
    app.add_directive("how-to", HowTo)
    app.add_directive("related", Related)
    return {"parallel_read_safe": True}
