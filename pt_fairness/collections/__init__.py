"""Collections with group annotations, as ir_datasets ids and as group sources."""

from __future__ import annotations

import importlib
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt_fairness.groups import Groups
    from pt_fairness.values import Values

#: The module of each group source, whose ``source(name)`` creates it. The ``register(registry)`` of
#: the module registers its dataset ids.
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
    "trec-fair/2021/eval/locations": "trec_fair",
    "trec-fair/2021/eval/quality": "trec_fair",
    "trec-fair/2022/train/gender": "trec_fair",
    "trec-fair/2022/train/regions": "trec_fair",
    "trec-fair/2022/train/source-regions": "trec_fair",
    "trec-fair/2022/train/gender/official": "trec_fair",
    "trec-fair/2022/train/regions/official": "trec_fair",
    "trec-fair/2022/train/source-regions/official": "trec_fair",
    "trec-fair/2022/train/occupations": "trec_fair",
    "trec-fair/2022/train/years": "trec_fair",
    "trec-fair/2022/train/quality": "trec_fair",
    "trec-fair/2022/train/popularity": "trec_fair",
    "trec-fair/2022/train/age": "trec_fair",
    "trec-fair/2022/train/alphabet": "trec_fair",
    "trec-fair/2022/train/languages": "trec_fair",
    "argsme/2020-04-01/processed/touche-2022-task-1/stance": "touche",
    "argsme/2020-04-01/processed/touche-2022-task-1/portal": "touche",
    "argsme/2020-04-01/processed/touche-2022-task-1/quality": "touche",
    "argsme/2020-04-01/processed/touche-2022-task-1/coherence": "touche",
    "clueweb12/b13/trec-misinfo-2019/effectiveness": "clueweb12",
    "clueweb12/b13/trec-misinfo-2019/credibility": "clueweb12",
    "neuclir/1/trec-2022/language": "neuclir",
    "neuclir/1/trec-2023/language": "neuclir",
    "sara/sensitivity": "sara",
    "msmarco-passage/dev/fair/gender": "msmarco",
    "msmarco-passage/trec-dl-2019/fair/gender": "msmarco",
}
#: The module of each source of values, whose ``values(name)`` creates it.
VALUES = {
    "clueweb12/b13/clef-ehealth/trustworthiness": "clueweb12",
    "msmarco-passage/dev/fair/gender": "msmarco",
    "msmarco-passage/trec-dl-2019/fair/gender": "msmarco",
}


def register_datasets() -> None:
    """Register the dataset ids with ir_datasets, unless they are registered."""
    import ir_datasets
    if "disks45/nocr/trec8/source" in set(ir_datasets.registry):
        return
    for module in dict.fromkeys(SOURCES.values()):
        importlib.import_module(f"{__name__}.{module}").register(ir_datasets.registry)


def register_groups() -> None:
    """Register the group sources as built-in groups, unless they are registered."""
    from pt_fairness import groups
    for name in SOURCES.keys() - groups.names():
        groups.register_built_in(name, partial(source, name))


def register_targets() -> None:
    """Register the target distributions of the collections, unless they are registered."""
    import pandas as pd

    from pt_fairness import targets
    from pt_fairness.collections.trec_fair_targets import OF_QRELS, TARGETS
    for name, shares in TARGETS.items():
        frame = pd.DataFrame(shares.items(), columns=["group", "share"])
        for spelling, of_qrels in ((name, 0.0), (f"{name}/track", OF_QRELS)):
            if spelling not in targets.names():
                targets.register(spelling, frame, of_qrels=of_qrels)


def register_values() -> None:
    """Register the sources of values as built-in values, unless they are registered."""
    from pt_fairness import values
    for name in VALUES.keys() - set(values.names()):
        values.register_built_in(name, partial(values_source, name))


def source(name: str) -> Groups:
    """Return one of the :data:`SOURCES`; documents are read when their groups are needed."""
    return _module(SOURCES[name]).source(name)


def values_source(name: str) -> Values:
    """Return one of the :data:`VALUES`; documents are read when their values are needed."""
    return _module(VALUES[name]).values(name)


def _module(name: str) -> ModuleType:
    if name != "newswire":  # which works without ir_datasets
        import ir_datasets  # noqa: F401 - first, because registering imports all of the modules
    return importlib.import_module(f"{__name__}.{name}")
