"""Collections with group annotations, as ir_datasets ids and as group sources."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pt_fairness.groups import Groups
    from pt_fairness.targets import Target
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
    "msmarco-passage/msmgenderbias": "msmarco",
    "cocktail/nq-utd/source": "cocktail",
}
#: The module of each source of values, whose ``values(name)`` creates it.
VALUES = {
    "clueweb12/b13/clef-ehealth/trustworthiness": "clueweb12",
    "msmarco-passage/dev/fair/gender": "msmarco",
    "msmarco-passage/trec-dl-2019/fair/gender": "msmarco",
}
#: The module of each target distribution, whose ``targets(name)`` creates it.
TARGETS = {f"trec-fair/{name}{end}": "trec_fair_targets"
           for name in ("2021/world", "2021/gender", "2022/world", "2022/gender")
           for end in ("", "/track")}
#: What the registries of groups, values and targets hold from the start, by name.
BUILT_IN = {"groups": SOURCES, "values": VALUES, "targets": TARGETS}


def ensure_home() -> None:
    """Give ir_datasets a temporary home folder if it cannot create its own.

    It creates the folder when it is imported. The debates of this package need no such folder.
    """
    from pt_fairness.core.messages import warn
    from pt_fairness.io.files import temporary_folder, writable
    home = os.environ.get("IR_DATASETS_HOME") or os.path.expanduser("~/.ir_datasets")
    if not os.path.exists(home) and not writable(home):
        os.environ["IR_DATASETS_HOME"] = folder = temporary_folder()
        warn(f"ir_datasets cannot create its home folder {home}, and has the temporary folder "
             f"{folder} until this process ends; set IR_DATASETS_HOME to keep what it downloads")


def register_datasets() -> None:
    """Register the dataset ids with ir_datasets, unless they are registered."""
    import ir_datasets
    if "disks45/nocr/trec8/source" in set(ir_datasets.registry):
        return
    for module in dict.fromkeys(SOURCES.values()):
        importlib.import_module(f"{__name__}.{module}").register(ir_datasets.registry)


def make(what: str, name: str) -> Groups | Values | Target:
    """Return one of :data:`BUILT_IN`; documents are read when their groups or values are needed.

    :param what: ``groups``, ``values`` or ``targets``
    """
    module = BUILT_IN[what][name]
    if module not in ("newswire", "trec_fair_targets"):  # which work without ir_datasets
        import ir_datasets  # noqa: F401 - first, because registering imports all of the modules
    maker = "source" if what == "groups" else what
    return getattr(importlib.import_module(f"{__name__}.{module}"), maker)(name)
