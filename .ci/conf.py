"""Sphinx settings that build the pages in pt_fairness/pt_docs as a separate site.

``python -m sphinx -b html -c .ci pt_fairness/pt_docs site``, with the extra ``docs``. PyTerrier's
documentation embeds the pages with its own settings.
"""

from importlib.metadata import metadata

from pt_fairness import __version__

project = "pt_fairness"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
autoclass_content = "both"
html_theme = "furo"
html_title = f"pt_fairness {__version__}"
html_copy_source = False
html_static_path, html_css_files = ["static"], ["dark.css"]
copyright = "The pt_fairness developers. Apache License 2.0"
# The public addresses of pyproject.toml, in the footer.
urls = (text.split(", ") for text in metadata("pt_fairness").get_all("Project-URL", []))
html_theme_options = {"footer_icons": [
    {"name": name, "url": url, "html": name, "class": "footer-link"}
    for name, url in urls if name != "Documentation"]}
