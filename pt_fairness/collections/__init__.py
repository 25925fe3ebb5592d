"""Collections with group annotations, as ir_datasets ids and as group sources."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

from pt_fairness.core import lazy
from pt_fairness.core.registry import declare

#: The modules with dataset ids, which their ``register(registry)`` registers. A module imports from
#: the modules before it.
MODULES = ("arguments", "passages", "trec")
_TOUCHE = (
    "argsme/2020-04-01/stance", "argsme/2020-04-01/portal", "argsme/1.0/stance",
    "argsme/1.0/portal", "beir/webis-touche2020/stance", "beir/webis-touche2020/v2/stance",
    "clueweb12/touche-2022-task-2/stance",
    "clueweb12/touche-2022-task-2/expanded-doc-t5-query/stance",
    "touche-image/2022-06-13/touche-2022-task-3/stance",
    "argsme/2020-04-01/processed/touche-2022-task-1/stance",
    "argsme/2020-04-01/processed/touche-2022-task-1/portal",
    "argsme/2020-04-01/processed/touche-2022-task-1/quality",
    "argsme/2020-04-01/processed/touche-2022-task-1/coherence")
_TREC_FAIR = (
    "trec-fair/2021/eval/locations", "trec-fair/2021/eval/quality",
    "trec-fair/2022/train/gender", "trec-fair/2022/train/regions",
    "trec-fair/2022/train/source-regions", "trec-fair/2022/train/gender/official",
    "trec-fair/2022/train/regions/official", "trec-fair/2022/train/source-regions/official",
    "trec-fair/2022/train/occupations", "trec-fair/2022/train/years",
    "trec-fair/2022/train/quality", "trec-fair/2022/train/popularity",
    "trec-fair/2022/train/age", "trec-fair/2022/train/alphabet",
    "trec-fair/2022/train/languages")
_FAIR_GENDERS = ("msmarco-passage/dev/fair/gender", "msmarco-passage/trec-dl-2019/fair/gender")
#: The names of the group sources, by the module and the function of each; the function takes the
#: name.
_FUNCTIONS = {
    "arguments.debates": (
        "pt-fairness/debates/stance", "pt-fairness/debates/viewpoint"),
    "trec.newswire": (
        "trec-newswire",),
    "arguments.touche": _TOUCHE,
    "arguments.blogs": (
        "blogs06/trec-blog-2007/opinion", "blogs06/trec-blog-2006-2008/opinion"),
    "trec.trec_fair": _TREC_FAIR,
    "trec.clueweb12": (
        "clueweb12/b13/trec-misinfo-2019/effectiveness",
        "clueweb12/b13/trec-misinfo-2019/credibility"),
    "trec.neuclir": (
        "neuclir/1/trec-2022/language", "neuclir/1/trec-2023/language"),
    "passages.sara": (
        "sara/sensitivity",),
    "passages.genders": (
        *_FAIR_GENDERS, "msmarco-passage/msmgenderbias"),
    "passages.cocktail": (
        "cocktail/nq-utd/source",),
    "passages.grep": (
        "grep-biasir/gender",),
}
SOURCES = {}
for _function, _names in _FUNCTIONS.items():
    SOURCES.update(dict.fromkeys(_names, _function))
#: The module and the function of each source of values.
VALUES = {"clueweb12/b13/clef-ehealth/trustworthiness": "trec.trustworthiness",
          **dict.fromkeys(_FAIR_GENDERS, "passages.neutrality")}
#: The module and the function of each target distribution.
TARGETS = {}
for _name in ("2021/world", "2021/gender", "2022/world", "2022/gender"):
    TARGETS[f"trec-fair/{_name}"] = "trec.target"
    TARGETS[f"trec-fair/{_name}/track"] = "trec.target"
#: The names that need nothing of ir_datasets.
WITHOUT_IR_DATASETS = {"trec-newswire", *TARGETS}
#: The downloads for the groups and the judgments, by the prefix of the names of the sources. The
#: longest prefix counts.
DOWNLOADS = {
    "pt-fairness/": "nothing",
    "trec-newswire": "nothing",
    "trec-fair/2021/": "57 MB: metadata, qrels, topics",
    "trec-fair/2022/": "255 MB: metadata, topics with qrels",
    "argsme/2020-04-01/": "1,433 MB: corpus, qrels, topics",
    "argsme/2020-04-01/processed/": "1,548 MB: corpus, qrels, topics",
    "argsme/2020-04-01/processed/touche-2022-task-1/quality": "1.5 MB: qrels, topics",
    "argsme/2020-04-01/processed/touche-2022-task-1/coherence": "1.5 MB: qrels, topics",
    "argsme/1.0/": "238 MB: corpus, qrels, topics",
    "beir/webis-touche2020/": "227 MB: corpus, qrels and topics in one file",
    "clueweb12/touche-2022-task-2/": "0.3 MB: qrels, topics",
    "clueweb12/b13/trec-misinfo-2019/": "0.9 MB: qrels, topics",
    "touche-image/": "0.6 MB: qrels, topics",
    "blogs06/": "a few MB: qrels, topics",
    "neuclir/1/trec-2022/": "5.4 MB: qrels, topics",
    "neuclir/1/trec-2023/": "6.7 MB: qrels, topics",
    "sara/": "20 MB and the corpus, whose size ir_datasets does not state: corpus, qrels, topics",
    "msmarco-passage/trec-dl-2019/": "1,058 MB: corpus, qrels, topics, word list",
    "msmarco-passage/dev/": "1,078 MB: corpus, qrels, topics, word list",
    "msmarco-passage/msmgenderbias": "9 kB: the groups",
    "cocktail/": "0.4 MB: documents, qrels and topics in one file",
    "grep-biasir/": "0.2 MB: documents with qrels, topics",
}
#: The built-in groups, values and targets.
BUILT_IN = {"groups": SOURCES, "values": VALUES, "targets": TARGETS}


def register_datasets() -> None:
    """Register the dataset ids with ir_datasets, unless they are registered.

    A module that is imported before ir_datasets is incomplete when this is called, and calls it
    again at its end.
    """
    import ir_datasets
    are_complete = all(hasattr(_member(module), "register") for module in MODULES)
    if are_complete and "disks45/nocr/trec8/source" not in set(ir_datasets.registry):
        for module in MODULES:
            _member(module).register(ir_datasets.registry)


def download(url: str, path: Path, md5: str | None = None) -> Any:
    """Return a file that ir_datasets downloads to a path."""
    from ir_datasets.util import Download, RequestsDownload
    return Download([RequestsDownload(url)], expected_md5=md5, cache_path=str(path))


@cache
def make(what: str, name: str) -> Any:
    """Return one of :data:`BUILT_IN`, the same object at every call.

    Documents are read when their groups or values are needed.

    :param what: ``groups``, ``values`` or ``targets``
    """
    names = BUILT_IN[what]
    module, _, function = names[name].partition(".")
    if name not in WITHOUT_IR_DATASETS:
        import ir_datasets  # noqa: F401 - first, because registering imports all of the modules
    return getattr(_member(module), function)(name)


_member = lazy(__name__, {module: f"{__name__}.{module}" for module in MODULES})
for _what in BUILT_IN:
    declare(_what, BUILT_IN[_what], partial(make, _what))
