"""Collections with group annotations, as ir_datasets ids and as group sources."""

from __future__ import annotations

import importlib
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt_fairness.groups import Groups
    from pt_fairness.values import Values

#: The modules with dataset ids; importing one imports ir_datasets.
MODULES = ("debates", "newswire", "touche", "blogs", "msmarco")
#: The module of each group source, whose ``source(name)`` creates it.
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
    "msmarco-passage/dev/fair/gender": "msmarco",
    "msmarco-passage/trec-dl-2019/fair/gender": "msmarco",
}
#: The module of each source of values, whose ``values(name)`` creates it.
VALUES = {
    "msmarco-passage/dev/fair/gender": "msmarco",
    "msmarco-passage/trec-dl-2019/fair/gender": "msmarco",
}


def register_datasets() -> None:
    """Register the dataset ids with ir_datasets, unless they are registered."""
    import ir_datasets
    if "disks45/nocr/trec8/source" in set(ir_datasets.registry):
        return
    for module in MODULES:
        importlib.import_module(f"{__name__}.{module}").register(ir_datasets.registry)


def register_groups() -> None:
    """Register the group sources as built-in groups, unless they are registered."""
    from pt_fairness import groups
    for name in SOURCES.keys() - groups.names():
        groups.register_built_in(name, partial(source, name))


def register_values() -> None:
    """Register the sources of values as built-in values, unless they are registered."""
    from pt_fairness import values
    for name in VALUES.keys() - set(values.names()):
        values.register_built_in(name, partial(values_source, name))


def source(name: str) -> Groups:
    """Return one of the :data:`SOURCES`; documents are read when their groups are needed."""
    groups: Groups = _module(SOURCES[name]).source(name)
    return groups


def values_source(name: str) -> Values:
    """Return one of the :data:`VALUES`; documents are read when their values are needed."""
    values: Values = _module(VALUES[name]).values(name)
    return values


def _module(name: str) -> ModuleType:
    if name != "newswire":  # which works without ir_datasets
        import ir_datasets  # noqa: F401 - first, because registering imports all of the modules
    return importlib.import_module(f"{__name__}.{name}")
