"""Sphinx settings that build these pages as a separate site.

``python -m sphinx -b html pt_fairness/pt_docs site``, with the extra ``docs``. PyTerrier's
documentation embeds the pages with its own settings.
"""

from pt_fairness import __version__

project = "pt_fairness"
version = release = __version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
autoclass_content = "both"
html_theme = "furo"
html_title = f"pt_fairness {__version__}"
html_copy_source = False
