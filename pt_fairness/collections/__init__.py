"""Collections with group annotations, as ir_datasets ids and as group sources."""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt_fairness.groups import Groups

#: The modules with dataset ids; importing one imports ir_datasets.
MODULES = ("debates", "newswire", "touche", "blogs")
#: The group sources by name, and the module whose ``source(name)`` makes them.
SOURCES = {
    "pt-fairness/debates/stance": "debates",
    "pt-fairness/debates/viewpoint": "debates",
    "trec-newswire": "newswire",
    "argsme/2020-04-01/stance": "touche",
    "argsme/2020-04-01/portal": "touche",
    "argsme/1.0/stance": "touche",
    "argsme/1.0/portal": "touche",
    "beir/webis-touche2020/stance": "touche",
    "beir/webis-touche2020/v2/stance": "touche",
    "clueweb12/touche-2022-task-2/stance": "touche",
    "clueweb12/touche-2022-task-2/expanded-doc-t5-query/stance": "touche",
    "touche-image/2022-06-13/touche-2022-task-3/stance": "touche",
    "blogs06/trec-blog-2007/opinion": "blogs",
    "blogs06/trec-blog-2006-2008/opinion": "blogs",
}


def register_datasets() -> None:
    """Add the dataset ids to ir_datasets' registry; once."""
    import ir_datasets
    if "disks45/nocr/trec8/source" in set(ir_datasets.registry):
        return
    for module in MODULES:
        importlib.import_module(f"{__name__}.{module}").register(ir_datasets.registry)


def register_groups() -> None:
    """Add the names of the group sources to the registry of groups; once."""
    from pt_fairness import groups
    for name in SOURCES.keys() - groups.names():
        groups.register_built_in(name, partial(source, name))


def source(name: str) -> Groups:
    """Make one of the :data:`SOURCES`; documents are read when a measure needs their groups."""
    module = SOURCES[name]
    if module != "newswire":  # which needs nothing of ir_datasets
        import ir_datasets  # noqa: F401 - first, because registering imports all of the modules
    groups: Groups = importlib.import_module(f"{__name__}.{module}").source(name)
    return groups
