"""What re-rankers share: the documents that they move, and the column ``group`` of results."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyterrier as pt

from pt_fairness import targets
from pt_fairness.core.arrays import Bools, Floats, Ints, positions, ratio
from pt_fairness.core.identifiers import IR_MEASURES, codes_of, texts_of
from pt_fairness.core.messages import listed, shown, warn
from pt_fairness.groups import Groups, Memberships, get
from pt_fairness.groups.memberships import LabelSets, Table
from pt_fairness.measures import params
from pt_fairness.measures.params import Param
from pt_fairness.rankings.trec_order import last_rows, scores_of, trec_order


@dataclass(frozen=True)
class Candidates:
    """The documents of one topic that a re-ranker moves, in the old order.

    These are the annotated documents, or all documents for a policy without groups. Shapes: ``n``
    documents, ``G`` groups.
    """

    qid: str
    #: The indices of the documents in the order of :class:`Results`, ascending, ``[n]``.
    places: Ints
    #: The documents as text, ``[n]``.
    docnos: Any
    #: The scores, rounded to float32, ``[n]``.
    score: Floats
    #: The groups that these documents have, sorted, ``[G]``.
    labels: list[str]
    #: The share of each document in each group, ``[n, G]``; rows sum to 1.
    shares: Floats
    #: Whether the shares of each document are weights of the group source, ``[n]``.
    weighted: Bools
    #: The target share of each group, ``[G]``; they sum to 1, or are all 0 if the target lacks the
    #: groups.
    target: Floats
    #: The number of ranks to fill, at most ``n``.
    k: int

    @property
    def comparable(self) -> bool:
        """Whether there are two groups or more, and a target for them."""
        return len(self.labels) > 1 and bool(self.target.any())

    def finite(self) -> Floats:
        """Return the scores, ``[n]``.

        :raises ValueError: if a score is infinite
        """
        is_finite = np.isfinite(self.score)
        wrong = ~is_finite
        if wrong.any():
            first = wrong.argmax()
            raise ValueError(f"scores must be finite in float32, got {self.score[first]} for "
                             f"document {self.docnos[first]!r} of topic {self.qid!r}")
        return self.score

    def normalised(self) -> Floats:
        """Return the scores scaled to [0, 1], ``[n]``; all 1 if they are equal.

        :raises ValueError: if a score is infinite
        """
        score = self.finite()
        low = score[-1]
        high = score[0]
        if low == high:
            return np.ones(len(score))
        return (score - low) / (high - low)


class Results:
    """A results frame in trec_eval's order.

    Topics are in order of first appearance. Of several rows with the same topic and document, the
    last one counts.

    :param frame: columns ``qid, docno, score``
    :raises ValueError: if a score is NaN or not a number, or an identifier is missing
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        topic, topics = codes_of(frame["qid"], "results")
        self.qids = list(topics)
        docnos = frame["docno"]
        run = frame[["qid", "docno", "score"]]
        renamed = run.rename(columns=IR_MEASURES)
        score = scores_of(renamed)
        rows = last_rows(topic, docnos, self.qids, warn)
        order, _ = trec_order(topic[rows], score[rows], docnos.iloc[rows])
        rows = rows[order]
        self._frame = frame.iloc[rows]
        self._docnos = texts_of(docnos.iloc[rows])
        with np.errstate(over="ignore"):
            rounded = score[rows].astype(np.float32)
        self._score = rounded.astype(float)
        #: The number of documents of each topic, ``[T]``.
        self.length = np.bincount(topic[rows], minlength=len(self.qids))

    def annotations(self, groups: Groups | None) -> tuple[LabelSets, Ints]:
        """Return the label sets, and the code of the set of each document, −1 without groups.

        :param groups: the group source; ``None`` for the column ``group``
        :raises ValueError: if a value of this column is neither a label nor a list of labels
        """
        qids = np.array(self.qids, object)
        topics = np.repeat(qids, self.length)
        if groups is None:
            table = Table.read(self._frame[["qid", "docno", "group"]], "the column group")
            memberships = table.find(topics, self._docnos)
        else:
            memberships = Memberships(*groups.annotate(topics, self._docnos))
        sets = LabelSets(sorted(memberships.labels))
        return sets, sets.annotated(memberships, len(self._docnos))

    def condensed(self, annotations: tuple[LabelSets, Ints], target: Any,
                  k: int | None) -> list[Candidates]:
        """Return the annotated documents of each topic.

        :param annotations: the groups of the documents, from :meth:`annotations`
        :param target: ``'uniform'``, ``'run'``, a registered target or the share of each label;
            other words mean ``'uniform'``
        :param k: the number of ranks to fill; ``None`` for all
        :raises ValueError: if the registered target lacks a topic
        """
        sets, codes = annotations
        table = _target_table(target, self.qids, sets.labels)
        topics = []
        ends = np.cumsum(self.length)
        every_place = np.arange(len(codes))
        for number, places in enumerate(np.split(every_place, ends)[:-1]):
            annotated = codes[places] >= 0
            places = places[annotated]
            set_codes = codes[places]
            row, label, share = sets.entries(set_codes)
            present, column = np.unique(label, return_inverse=True)
            labels = [sets.labels[code] for code in present]
            shares = np.zeros((len(places), len(present)), order="F")
            shares[row, column] = share
            target_shares = table[number, present]
            if target == "run":
                target_shares = shares.sum(axis=0)
            target_shares = ratio(target_shares, target_shares.sum())
            weighted = sets.weighted[set_codes]
            docnos = self._docnos[places]
            score = self._score[places]
            count = len(places[:k])
            topic = Candidates(self.qids[number], places, docnos, score, labels, shares, weighted,
                               target_shares, count)
            topics.append(topic)
        return topics

    def written(self, topics: Sequence[Candidates], *draws: Sequence[Ints]) -> pd.DataFrame:
        """Return the results in a new order, or in several, one after the other.

        :param topics: the documents that are moved among their ranks
        :param draws: for each new order, the first documents of each topic as indices; the others
            follow in the old order
        :returns: all columns, with new values of ``rank`` (int64, 0-based) and ``score`` (float64,
            from the number of documents of the topic to 1); rows by topic and rank
        """
        order = [self._ordered(topics, orders) for orders in draws]
        sizes = self.length
        topic = np.repeat(np.arange(len(sizes)), sizes)
        rank = positions(topic).astype("int64")
        score = (sizes[topic] - rank).astype(float)
        rows = np.concatenate(order)
        frame = self._frame.iloc[rows].reset_index(drop=True)
        frame["score"] = np.tile(score, len(draws))
        frame["rank"] = np.tile(rank, len(draws))
        return frame

    def _ordered(self, topics: Sequence[Candidates], orders: Sequence[Ints]) -> Ints:
        """Return the index of the document at each place of a new order."""
        order = np.arange(len(self._docnos))
        for topic, first in zip(topics, orders, strict=True):
            places = topic.places
            following = np.delete(places, first)
            order[places] = np.append(places[first], following)
        return order


def _target_table(target: Any, qids: list[str], labels: list[str]) -> Floats:
    """Return the target share of each label for each topic, not rescaled, ``[T, L]``."""
    if isinstance(target, targets.Target):
        registered = targets.shares(target, qids, target.labels)
        table = pd.DataFrame(registered, columns=target.labels)
        return table.reindex(columns=labels, fill_value=0.0).to_numpy()
    shares = [1.0] * len(labels)  # words other than 'uniform' are computed by topic
    if isinstance(target, dict):
        shares = [target.get(label, 0.0) for label in labels]
    return np.tile(shares, (len(qids), 1))


class Queues:
    """The documents of each group that are not placed yet, in the old order.

    :param member: whether each document is in each group, ``[n, G]``
    """

    def __init__(self, member: Bools) -> None:
        self._none = len(member)
        self._left = np.ones(self._none + 1, bool)
        # A last document that is never placed marks the end.
        self._queues = [iter([*np.flatnonzero(column), self._none]) for column in member.T]
        first = list(map(next, self._queues))
        #: The best document of each group, ``[G]``; ``n`` for a group without documents.
        self.best = np.array(first, np.intp)

    @property
    def left(self) -> Bools:
        """Whether each group has documents, ``[G]``."""
        return self.best < self._none

    def place(self, document: int) -> None:
        """Remove a document."""
        self._left[document] = False
        for group in np.flatnonzero(self.best == document):
            while not self._left[self.best[group]]:
                self.best[group] = next(self._queues[group])


#: The parameter ``groups`` of a re-ranker.
GroupSource = str | os.PathLike[str] | Groups | None


class ReRanker(pt.Transformer):  # type: ignore[misc]
    """A transformer that moves the documents of results.

    A subclass is declared with the label of its box in a diagram of a pipeline. It declares
    :attr:`PARAMS`, passes the parameters of its constructor to this one, and implements
    :meth:`order`.

    :param verbose: whether to show a progress bar over topics
    :param parameters: the values of the other parameters
    :raises ValueError: if a value is not allowed
    """

    #: The parameters beside ``groups``, ``target``, ``k`` and ``verbose``.
    PARAMS: ClassVar[dict[str, Param]] = {}
    #: The targets that are words.
    TARGETS: ClassVar[tuple[str, ...]] = ("uniform", "run")

    k: int | None

    def __init_subclass__(cls, label: str = "") -> None:
        super().__init_subclass__()
        # Without a URL, PyTerrier downloads the index of its documentation to look for one.
        cls.schematic = {"label": label, "help_url": None}
        # Sphinx would show the signature of pt.Transformer.__new__, which accepts any argument.
        _, *parameters = inspect.signature(cls.__init__).parameters.values()
        cls.__signature__ = inspect.Signature(parameters)

    def __init__(self, *, verbose: bool, **parameters: Any) -> None:
        for name, value in parameters.items():
            setattr(self, name, self._checked(name, value))
        self.verbose = verbose

    def _checked(self, name: str, value: Any) -> Any:
        """Return the canonical value of a parameter.

        :raises ValueError: if the value is not allowed
        """
        if value is None and self.parameters()[name].default is None:
            return None
        if name == "groups":
            return get(value)
        shared = {"k": params.cutoff(), "target": params.target("uniform", self.TARGETS)}
        param = (shared | self.PARAMS)[name]
        canonical = param.canonical(params.plain(value))
        if not param.validate(canonical):
            raise ValueError(f"{name} must be {param.allowed}, got {shown(value)}")
        if name == "target" and isinstance(canonical, str) and canonical not in self.TARGETS:
            canonical = targets.find(canonical)
            if canonical.of_qrels:
                raise ValueError(f"target must be registered without of_qrels, got {value!r}: "
                                 "re-rankers do not read qrels")
        return canonical

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return results in the new order.

        :param inp: columns ``qid, docno, score`` and, without ``groups``, ``group``
        :returns: all columns of ``inp`` with new values of ``rank`` and ``score``; rows by topic
            and rank
        """
        results, topics = self.read(inp)
        orders = self.map_topics(topics, self.order)
        return results.written(topics, orders)

    def read(self, inp: pd.DataFrame) -> tuple[Results, list[Candidates]]:
        """Return results and the documents to move for each topic.

        :raises ValueError: if a score is NaN, or all documents are without a group
        """
        pt.validate.columns(inp, includes=["qid", "docno", "score"])
        results = Results(inp)
        one_group = np.zeros(results.length.sum(), np.int32)
        return results, results.condensed((LabelSets([""]), one_group), "uniform", self.k)

    def map_topics(self, topics: list[Candidates],
                   function: Callable[[Candidates], Any]) -> list[Any]:
        """Return the result of a function for each topic, with a progress bar if ``verbose``."""
        topics = pt.tqdm(topics, desc=repr(self), unit="query", disable=not self.verbose)
        return list(map(function, topics))

    def order(self, topic: Candidates) -> Ints:
        """Return the indices of the first documents in the new order; others follow in the old.

        :param topic: the documents of a topic
        """
        raise NotImplementedError

    @classmethod
    def parameters(cls) -> dict[str, inspect.Parameter]:
        """Return the parameters of the constructor but for ``verbose``, by name."""
        signature = inspect.signature(cls)
        parameters = dict(signature.parameters)
        del parameters["verbose"]
        return parameters

    # PyTerrier executes a common prefix of several pipelines once if its transformers are equal.
    def _key(self) -> list[Any]:
        return [getattr(self, name) for name in self.parameters()]

    def __eq__(self, another: object) -> bool:
        return isinstance(another, type(self)) and self._key() == another._key()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        options = []
        for name, parameter in self.parameters().items():
            value = getattr(self, name)
            if value != parameter.default:
                options.append(f"{name}={getattr(value, 'name', value)!r}")
        return f"rerank.{type(self).__name__}({', '.join(options)})"


class GroupReRanker(ReRanker):
    """A re-ranker that moves the annotated documents; the others keep their ranks."""

    groups: Groups | None
    target: Any

    def read(self, inp: pd.DataFrame) -> tuple[Results, list[Candidates]]:
        column = ["group"] if self.groups is None else []
        pt.validate.columns(inp, includes=["qid", "docno", "score", *column])
        results = Results(inp)
        sets, codes = results.annotations(self.groups)
        if len(inp) and (codes == -1).all():
            raise ValueError(f"{self._source} must have groups of the documents, got none for all "
                             f"{len(inp)} documents: topics or docnos may differ")
        self._check_labels(sets.labels)
        topics = results.condensed((sets, codes), self.target, self.k)
        without = [topic.qid for topic in topics if len(topic.labels) > 1 and not topic.comparable]
        if without:
            warn(f"{len(without)} of {len(topics)} topics (the first is {without[0]!r}) keep their "
                 "order: the target has a share of 0 for each group of their documents")
        return results, topics

    @property
    def declared(self) -> list[str] | None:
        """The labels that the group source declares; ``None`` if it declares none."""
        return None if self.groups is None else self.groups.labels

    @property
    def _source(self) -> str:
        return str(self.groups or "the column group")

    def named_labels(self, labels: Sequence[str]) -> dict[str, str]:
        """Return the labels that parameters name, each with the name of the parameter.

        :param labels: the known labels
        """
        if not isinstance(self.target, dict):
            return {}
        return {label: "target" for label, share in self.target.items() if share}

    def _check_labels(self, labels: Sequence[str]) -> None:
        """Warn of labels in the parameters that no document has.

        :param labels: the labels of the documents
        :raises ValueError: if the group source declares its labels, and a label is not among them
        """
        known = sorted({*labels, *(self.declared or ())})
        for label, parameter in self.named_labels(known).items():
            if not labels or label in known:
                continue
            message = (f"{parameter} names the group {label!r}, which {self._source} does not "
                       f"have; it has {listed(known)}")
            if self.declared is not None:
                raise ValueError(message)
            warn(message)

    def order(self, topic: Candidates) -> Ints:
        if topic.comparable:
            return self.reorder(topic)
        return np.arange(topic.k)

    def reorder(self, topic: Candidates) -> Ints:
        """Return the indices of the first documents in the new order; others follow in the old.

        :param topic: the documents of a topic, of two groups or more with a target
        """
        raise NotImplementedError


class Annotate(pt.Transformer):  # type: ignore[misc]
    """Add a column ``group`` to results; see :func:`annotate`."""

    # Without a URL, PyTerrier downloads the index of its documentation to look for one.
    schematic = {"label": "Annotate", "help_url": None}

    def __init__(self, groups: Any) -> None:
        self.groups = get(groups)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Add the column ``group`` to a frame with the columns ``qid`` and ``docno``."""
        pt.validate.columns(inp, includes=["qid", "docno"])
        qids = texts_of(inp["qid"])
        docnos = texts_of(inp["docno"])
        memberships = Memberships(*self.groups.annotate(qids, docnos))
        item, labels, _ = memberships.sorted_rows()
        rows = pd.Series(labels, item)
        several = rows.index.duplicated(keep=False)
        lists = rows[several].groupby(level=0).agg(sorted)
        group = np.full(len(inp), None, object)
        group[item] = labels
        group[lists.index] = lists
        dtype = "object" if len(lists) else "str"
        return inp.assign(group=pd.Series(group, inp.index, dtype))

    # PyTerrier executes a common prefix of several pipelines once if its transformers are equal.
    def __eq__(self, another: object) -> bool:
        return isinstance(another, Annotate) and self.groups == another.groups

    def __hash__(self) -> int:
        return hash(self.groups)

    def __repr__(self) -> str:
        return f"pt.fairness.annotate({self.groups.name!r})"


def annotate(groups: Any) -> Annotate:
    """Return a transformer that adds a column ``group`` to results, to inspect or filter them.

    The value is a label, a sorted list of labels if the document has several groups, and missing if
    it has none.

    :param groups: a group source of :func:`pt_fairness.evaluate`
    :raises ValueError: if the name is unknown, or the file does not exist

    Examples
    --------
    >>> import pandas as pd
    >>> import pyterrier as pt
    >>> results = pd.DataFrame({"qid": "1", "docno": ["FT911-1", "LA010189-1"]})
    >>> pt.fairness.annotate("trec-newswire")(results)
      qid       docno group
    0   1     FT911-1    FT
    1   1  LA010189-1    LA
    """
    return Annotate(groups)
