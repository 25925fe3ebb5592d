"""Groups from ir_datasets."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import fingerprint
from pt_fairness.groups.base import Groups, is_no_group
from pt_fairness.groups.table import Annotated, Table
from pt_fairness.text import UNANNOTATED, label_text, warn

#: The groups of a document, and the reason if it has none: ``''`` if none needs a warning.
Found = tuple[tuple[str, ...], str]
MISSING, _NOTHING, _OTHER = "missing", "nothing", "other: "


def from_irds(dataset_id: str, field: str | Callable[[Any], Any],
              labels: Iterable[Any] | None = None, name: str | None = None,
              *, entity: str | None = None, order: Iterable[Any] | None = None) -> Groups:
    """Return groups from a field of the documents, or of the judgments, of an ir_datasets id.

    Nothing is read before groups are needed. Documents are then read from the docstore.

    :param field: the name of the field; or, for nested fields, a function of a document (of a
        judgment if the id has no documents), such as
        ``lambda argument: [premise.stance for premise in argument.premises[:1]]``. Several values
        are several groups. The label of an enumeration member is its name. ``None``, ``''`` and
        ``-`` are no group. A measure with a function can be pickled only if the function can, that
        is, if it is defined in a module.
    :param labels: the label set; other values are no group
    :param name: the name of the groups; by default ``dataset_id/field``, or derived from a hash of
        the content if ``field`` is a function
    :param entity: ``'docs'`` or ``'qrels'``, for a field that both have; by default ``'docs'``
    :param order: the labels in ascending order, if they have an order
    :raises ValueError: ``entity`` is neither, or ``order`` lacks a label; once groups are needed,
        the dataset or field does not exist

    Examples
    --------
    >>> from pt_fairness import groups
    >>> stances = groups.from_irds("pt-fairness/debates", "stance", labels=["PRO", "CON"])
    >>> stances.lookup(["1", "1"], ["d01-01", "d01-02"])
      qid   docno group
    0   1  d01-01   PRO
    1   1  d01-02   CON
    """
    return FromIrds(dataset_id, field, labels, name, entity, order)


class FromIrds(Groups):
    """A field of the documents, or of the judgments, of an ir_datasets id; see :func:`from_irds`.

    Documents are cached once read.
    """

    def __init__(self, dataset_id: str, field: str | Callable[[Any], Any],
                 labels: Iterable[Any] | None = None, name: str | None = None,
                 entity: str | None = None, order: Iterable[Any] | None = None) -> None:
        if entity not in (None, "docs", "qrels"):
            raise ValueError(f"entity={entity!r} is not possible: a field is one of the 'docs' or "
                             "of the 'qrels'")
        super().__init__(f"{dataset_id}/{field}" if name is None and isinstance(field, str)
                         else name, labels, order)
        self.dataset_id, self.field, self.entity = dataset_id, field, entity
        self.complete = labels is not None
        self._found: dict[str, Found] = {}
        self._judged: Table | None = None
        self._told = False

    def _content(self) -> Any:
        return self.dataset_id, self.field, self.labels, self.entity, self.order

    def state(self) -> str:
        # The dataset id identifies a corpus, but judgments may be files of the user.
        judged = self._in_judgments(self._dataset())
        return "" if judged is None else fingerprint.of_value(judged.content())

    def _dataset(self) -> Any:
        import ir_datasets
        try:
            return ir_datasets.load(self.dataset_id)
        except KeyError:
            raise ValueError(f"ir_datasets has no dataset {self.dataset_id!r}") from None

    def _entity(self, dataset: Any) -> str:
        """Return the entity that has the field, ``'docs'`` or ``'qrels'``.

        :raises ValueError: neither has it
        """
        fields = {entity: getattr(dataset, f"{entity}_cls")()._fields
                  for entity in ("docs", "qrels") if dataset.has(entity)}
        if self.entity is not None:
            fields = {self.entity: fields.get(self.entity, ())}
        for entity, known in fields.items():
            if self.field in known or (callable(self.field) and known):
                return entity
        held = " and ".join(f"{', '.join(known)} ({entity})" for entity, known in fields.items())
        raise ValueError(f"{self.dataset_id!r} has no field {self.field!r}; it has "
                         f"{held or 'none'}")

    def _groups(self, record: Any) -> Found:
        """Return the groups of a document or judgment."""
        try:
            value = self.field(record) if callable(self.field) else getattr(record, self.field)
        except Exception as error:  # the user's function
            raise ValueError(f"the function for the groups of {record.doc_id!r} in "
                             f"{self.dataset_id} raised {error!r}") from error
        if isinstance(value, str) and value == "-":
            return (), ""  # no group, and nothing to warn of
        several = isinstance(value, (list, tuple, set, frozenset))
        texts = [one.name if isinstance(one, enum.Enum) else label_text(one)
                 for one in (value if several else [value]) if not is_no_group(one)]
        groups = tuple(text for text in texts if text not in UNANNOTATED
                       and (self.labels is None or text in self.labels))
        if groups:
            return groups, ""
        return (), f"{_OTHER}{texts[0]}" if texts else _NOTHING

    def fetch(self, docnos: Iterable[str]) -> dict[str, Found]:
        """Return the groups of documents by docno; documents read before are cached."""
        docnos = list(dict.fromkeys(docnos))
        unread = [docno for docno in docnos if docno not in self._found]
        if unread:
            from ir_datasets import log

            from pt_fairness import reading
            read: dict[str, Found] = dict.fromkeys(unread, ((), MISSING))
            documents = reading.documents(self.dataset_id, unread)
            for document in log.easy().pbar(documents, desc=self.name, total=len(unread),
                                            unit="doc", quiet=True):
                if document.doc_id in read:
                    read[document.doc_id] = self._groups(document)
            self._found.update(read)
        return {docno: self._found[docno] for docno in docnos}

    def remember(self, found: Mapping[str, Found]) -> None:
        """Add results of an earlier :meth:`fetch` to the cache."""
        self._found.update(found)

    def _tell(self, found: Mapping[str, Found]) -> None:
        """Warn of documents without groups, once per object."""
        reasons = pd.Series({docno: why for docno, (_, why) in found.items() if why}, dtype=object)
        if self._told or reasons.empty:
            return
        self._told = True
        other = reasons[reasons.str.startswith(_OTHER)]
        parts = [(reasons[reasons == MISSING], "not in the corpus", ""),
                 (reasons[reasons == _NOTHING], "without a value", ""),
                 (other, f"with a value other than {', '.join(self.labels or ())}",
                  f" has {other.iloc[0].removeprefix(_OTHER)!r}" if len(other) else "")]
        details = "; ".join(f"{len(part)} {what} (the first: {part.index[0]!r}{more})"
                            for part, what, more in parts if len(part))
        warn(f"{self.name}: {len(reasons)} of {len(found)} documents have no group and count as "
             f"unannotated: {details}")

    def _in_judgments(self, dataset: Any) -> Table | None:
        """Return the groups in the judgments; ``None`` if the field is one of the documents.

        The judgments are read once.
        """
        if self._entity(dataset) == "qrels" and self._judged is None:
            self._judged = self._judgments(dataset)
        return self._judged

    def _judgments(self, dataset: Any) -> Table:
        """Read the groups in the judgments.

        If any judgment of a topic and document has a positive relevance, the others are ignored.
        """
        from pt_fairness import reading
        rows = reading.judgments(dataset.qrels_handler())
        positive = {(row.query_id, row.doc_id) for row in rows if row.relevance > 0}
        triples = [(row.query_id, row.doc_id, group) for row in rows
                   if row.relevance > 0 or (row.query_id, row.doc_id) not in positive
                   for group in self._groups(row)[0]]
        frame = pd.DataFrame(triples, columns=["qid", "docno", "group"], dtype=object)
        return Table.of_frame(frame)

    def annotate(self, qids: Any, docnos: Any) -> Annotated:
        judged = self._in_judgments(self._dataset())
        if judged is not None:
            return judged.find(qids, docnos)
        found = self.fetch(map(str, pd.unique(np.asarray(docnos, dtype=object))))
        self._tell(found)
        pairs = [(docno, group) for docno, (groups, _) in found.items() for group in groups]
        frame = pd.DataFrame(pairs, columns=["docno", "group"], dtype=object)
        return Table.of_frame(frame).find(qids, docnos)
