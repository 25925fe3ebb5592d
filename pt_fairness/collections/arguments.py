"""Arguments on controversial questions: the debates of this package, and Touché.

Debates: a small collection of arguments that is part of the package and works offline.

It has ten controversial questions with fifteen arguments each. An argument has a graded relevance,
a stance towards the question of its topic, and a viewpoint from −3 (strongly opposing) to +3
(strongly supporting).

Touché: arguments on controversial questions, with their stances and debate portals.

**Stances in args.me.** Task 1 ranks arguments of the args.me corpus. The stance of an argument is
that of its premise towards its *own conclusion*, which need not be the claim of the topic: a PRO
argument for "gun control does not work" opposes the topic "Should guns be controlled?". The same
holds for the stances of BEIR's version. Stances can be corrected by topic with
:meth:`pt_fairness.groups.Groups.override`.

The stances of the judged documents of a dataset id are looked up once and cached in a table in the
folder of the qrels. Documents that are missing from the corpus are looked up again while it exists.

**Pairs of sentences.** Task 1 of 2022 ranks pairs of sentences of args.me. The docno of a pair is
those of its sentences, separated by a comma. A sentence belongs to the argument that its docno
begins with, such as ``Sc065954f-Ae72bc9c6`` in ``Sc065954f-Ae72bc9c6__PREMISE__41``. The stances
and the portals of a pair are those of the arguments of its sentences: two groups if they differ.
The quality and the coherence of a pair are in the judgments.
"""

# Without "from __future__ import annotations": PyTerrier compares the types of documents' fields.
import itertools
import os
from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import (
    JsonlDocs,
    JsonlQueries,
    ToucheComparativeStance,
    ToucheControversialStance,
    TrecQrel,
    TrecQrels,
)
from ir_datasets.formats import touche as formats
from ir_datasets.formats.argsme import ArgsMeSourceDomain, ArgsMeStance
from ir_datasets.util import LocalDownload, home_path

from pt_fairness.collections.variants import (
    UNCOUNTED,
    Documentation,
    annotated,
    graded,
    look_up,
    looked_up,
    variant,
)
from pt_fairness.io.files import temporary_folder, writable

DEBATES = "pt-fairness/debates"
#: The fields that can be groups, and their labels.
_DEBATE_FIELDS: dict[str, tuple[Any, ...]] = {
    "stance": ("PRO", "CON"), "viewpoint": tuple(range(-3, 4))}
_DEBATE_FILES = Path(__file__).parent / "debates"
_DEBATE_TEXT = (
    "Ten controversial questions, each with fifteen short arguments that have a stance and a "
    "viewpoint from -3 (strongly opposing) to 3 (strongly supporting) towards it, and graded "
    "judgments.")
_DEBATE_LEVELS = {0: "not relevant", 1: "relevant: an argument on the question",
           2: "highly relevant: a good argument on the question"}


class DebateArgument(NamedTuple):
    """An argument: its conclusion, premise, stance (``-`` if neutral) and viewpoint."""

    doc_id: str
    title: str
    text: str
    stance: str
    viewpoint: int

    def default_text(self) -> str:
        """Return the conclusion and the premise."""
        return f"{self.title}\n{self.text}"


class DebateDocs(JsonlDocs):  # type: ignore[misc]
    """The arguments, with a docstore in a temporary folder where the home cannot be written."""

    _docstore_path: Path

    def docs_store(self, *args: Any, **kwargs: Any) -> Any:
        path = self._docstore_path
        if not os.path.exists(path) and not writable(path):
            self._docstore_path = Path(temporary_folder()) / path.name
        return super().docs_store(*args, **kwargs)


def debates(name: str) -> Any:
    """Return the stances or viewpoints of the arguments as groups."""
    from pt_fairness import groups
    field = name.rpartition("/")[2]
    return groups.from_irds(DEBATES, field, _DEBATE_FIELDS[field], name)


def _register_debates(registry: Any) -> None:
    """Register ``pt-fairness/debates`` and its variants ``/stance`` and ``/viewpoint``."""
    docs = DebateDocs(_debate_file("docs.jsonl"), doc_cls=DebateArgument, namespace=DEBATES,
                      lang="en", docstore_path=home_path() / DEBATES / "docs.pklz4")
    queries = JsonlQueries(_debate_file("queries.jsonl"), lang="en")
    qrels = TrecQrels(_debate_file("qrels.tsv"), _DEBATE_LEVELS)
    about = Documentation("Debates", _DEBATE_TEXT)
    registry.register(DEBATES, Dataset(docs, queries, qrels, about))
    for field in _DEBATE_FIELDS:
        convert = partial(_with_field, docs, field)
        variant(registry, DEBATES, field, convert, f"with {field}s",
                f"The iteration field holds the {field} of the argument.")


def _debate_file(name: str) -> Any:
    return LocalDownload(_DEBATE_FILES / name, mkdir=False)


def _with_field(docs: Any, field: str, _: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    arguments = {argument.doc_id: argument for argument in docs.docs_iter()}
    for row in rows:
        group = getattr(arguments[row.doc_id], field)
        yield row._replace(iteration=str(group))


STANCES = tuple(stance.name for stance in ArgsMeStance)
PORTALS = tuple(domain.name for domain in ArgsMeSourceDomain)
_UNANNOTATED = ToucheComparativeStance.NO
#: The stances in the qrels of Task 2, without the value for no stance.
_COMPARATIVE = tuple(stance.name for stance in ToucheComparativeStance if stance != _UNANNOTATED)
#: The stances of the tasks whose qrels hold them, by dataset id.
_JUDGED_STANCES = {
    "clueweb12/touche-2022-task-2": _COMPARATIVE,
    "clueweb12/touche-2022-task-2/expanded-doc-t5-query": _COMPARATIVE,
    "touche-image/2022-06-13/touche-2022-task-3": tuple(
        stance.name for stance in ToucheControversialStance),
}
#: The tasks of each corpus whose documents have a stance.
_TASKS = {
    "argsme/2020-04-01": (
        "touche-2020-task-1", "touche-2021-task-1", "touche-2020-task-1/uncorrected"),
    "argsme/1.0": ("touche-2020-task-1/uncorrected",),
    "beir/webis-touche2020": ("",),
    "beir/webis-touche2020/v2": ("",),
}
#: The corpus of sentences, and the task with judgments of pairs.
_SENTENCES = "argsme/2020-04-01/processed"
_PAIRS = f"{_SENTENCES}/touche-2022-task-1"
#: The levels of quality and of coherence, lowest first.
_LEVELS = {level: str(level) for level in range(3)}
_TEXT = {
    "stance": "The iteration field holds the stance of the document, which in args.me is the "
              "stance of an argument towards its own conclusion. That need not be the claim of the "
              "topic.",
    "portal": "The iteration field holds the debate portal that the argument is from: "
              f"{', '.join(PORTALS)}.",
}
_TEXT_OF_PAIRS = {
    "stance": "The iteration field holds the stances of the arguments that the sentences are from, "
              "which are their stances towards their own conclusions.",
    "portal": "The iteration field holds the debate portals that the arguments of the sentences "
              "are from.",
    "quality": "The iteration field holds the quality of the pair, from 0 to 2.",
    "coherence": "The iteration field holds the coherence of the pair, from 0 to 2.",
}


def premise_stance(argument: Any) -> Any:
    """Return the stance of an argument of args.me: that of its premise."""
    return argument.premises[0].stance if argument.premises else None


#: The field of an argument, or a function of it, and the labels.
FIELDS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "stance": (premise_stance, STANCES),
    "portal": ("source_domain", PORTALS),
}


def touche(name: str) -> Any:
    """Return a field of the documents of a corpus, or of judgments, as groups."""
    from pt_fairness.groups import FromIrds
    dataset_id, _, field = name.rpartition("/")
    if dataset_id in _JUDGED_STANCES:
        return FromIrds(name, "iteration", _JUDGED_STANCES[dataset_id], name)
    if field not in FIELDS:
        return FromIrds(name, "iteration", _LEVELS, name, order=_LEVELS)
    if dataset_id == _PAIRS:
        from pt_fairness.collections.document_groups import SentencePairs
        return SentencePairs(touche(f"{_SENTENCES}/{field}"), name)
    argument_field, labels = FIELDS[field]
    if dataset_id.startswith("argsme/"):
        return FromIrds(dataset_id, argument_field, labels, name)
    return FromIrds(dataset_id, field, labels, name)


def _register_touche(registry: Any) -> None:
    """Register variants of the Touché ids of ir_datasets, such as ``…/stance``."""
    # ir_datasets 0.6.3 prints the path of Touché's qrels to standard output.
    vars(formats)["print"] = lambda *values, **options: None
    for corpus, tasks in _TASKS.items():
        metadata = {} if corpus == "argsme/2020-04-01" else UNCOUNTED
        for field in ("stance", "portal") if corpus.startswith("argsme/") else ("stance",):
            convert = partial(looked_up, touche, f"{corpus}/{field}")
            for task in tasks:
                base_id = f"{corpus}/{task}" if task else corpus
                variant(registry, base_id, field, convert, f"with {field}s", _TEXT[field],
                        metadata=metadata)
    for base_id in _JUDGED_STANCES:
        variant(registry, base_id, "stance", _judged, "with stances",
                "The iteration field holds the stance that the document was judged to have. Where "
                "it was judged for several, there is a row for each of which it is relevant.",
                metadata=UNCOUNTED)
    for field, text in _TEXT_OF_PAIRS.items():
        if field in FIELDS:
            of_pairs = partial(_of_pairs, f"{_PAIRS}/{field}")
            variant(registry, _PAIRS, field, of_pairs, f"with {field}", text, metadata=UNCOUNTED)
        else:
            levels = partial(graded, field, attrgetter(field), _LEVELS)
            variant(registry, _PAIRS, field, levels, f"with {field}", text)


def _judged(_: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with the highest relevance of each document over its stances.

    nDCG needs one relevance for each document. A relevant document keeps only the stances for which
    it is relevant.
    """
    ascending = sorted(rows, key=attrgetter("relevance"))
    highest = {(row.query_id, row.doc_id): row.relevance for row in ascending}
    for row in rows:
        relevance = highest[row.query_id, row.doc_id]
        if row.relevance > 0 or relevance <= 0:
            stance = "-" if row.stance is _UNANNOTATED else row.stance.name
            yield TrecQrel(row.query_id, row.doc_id, relevance, stance)


def _of_pairs(name: str, qrels: Any, rows: list[Any]) -> Iterator[TrecQrel]:
    """Yield judgments with a field of the arguments of their sentences as groups."""
    from pt_fairness.collections.document_groups import REST, SENTENCES
    groups = touche(name)
    pairs = [row.doc_id.split(SENTENCES) for row in rows]
    sentences = itertools.chain.from_iterable(pairs)
    arguments = [sentence.partition(REST)[0] for sentence in sentences]
    look_up(groups.arguments, qrels, arguments)
    return annotated(groups, rows)


def register(registry: Any) -> None:
    """Register the dataset ids with ir_datasets."""
    _register_debates(registry)
    _register_touche(registry)
