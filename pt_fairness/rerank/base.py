"""Base classes of re-rankers."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyterrier as pt

from pt_fairness import targets
from pt_fairness.core.arrays import Ints
from pt_fairness.core.labels import TARGET_WORDS
from pt_fairness.core.messages import listed, shown, warn
from pt_fairness.groups import Groups, get
from pt_fairness.measures import params
from pt_fairness.measures.params import Param
from pt_fairness.rerank.results import Condensed, Results

#: The parameter ``groups`` of a re-ranker.
GroupSource = str | os.PathLike[str] | Groups | None


class ReRanker(pt.Transformer):  # type: ignore[misc]
    """A transformer that moves the documents of results.

    A subclass is declared with the label of its box in a diagram of a pipeline. It declares
    :attr:`PARAMS`, passes the parameters of its constructor to this one, and implements
    :meth:`order`.

    :param verbose: whether to show a progress bar over topics
    :param given: the values of the other parameters
    :raises ValueError: a value that is not allowed
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
        # Sphinx would show that of pt.Transformer.__new__, which takes anything.
        _, *own = inspect.signature(cls.__init__).parameters.values()
        cls.__signature__ = inspect.Signature(own)

    def __init__(self, *, verbose: bool, **given: Any) -> None:
        for name, value in given.items():
            setattr(self, name, self._checked(name, value))
        self.verbose = verbose

    def _checked(self, name: str, value: Any) -> Any:
        """Return the canonical value of a parameter.

        :raises ValueError: a value that is not allowed
        """
        if name == "groups":
            return None if value is None else get(value)
        if name == "k" and value is None:
            return None
        if name == "target" and isinstance(value, str) and value in TARGET_WORDS \
                and value not in self.TARGETS:
            raise ValueError(f"{type(self).__name__}(target={shown(value)}) is not possible: a "
                             "re-ranker has no qrels; use "
                             f"{' or '.join(map(repr, self.TARGETS))}, the shares, such as "
                             "{'PRO':0.5,'CON':0.5}, or in Python the name that "
                             "pt_fairness.targets.register gave them")
        param = {"k": params.cutoff(), "target": params.target("uniform", self.TARGETS),
                 **self.PARAMS}[name]
        canonical = param.canonical(params.plain(value))
        if not param.validate(canonical):
            raise ValueError(f"{type(self).__name__}({name}={shown(value)}) is not possible: "
                             f"{name} takes {param.allowed}")
        if name == "target" and isinstance(canonical, str) and canonical not in self.TARGETS:
            target = targets.find(canonical)
            if target.of_qrels:
                raise ValueError(f"{type(self).__name__}(target={shown(value)}) is not possible: "
                                 f"{target.of_qrels:.0%} of this target is the distribution of "
                                 "the relevant documents, and a re-ranker has no qrels; it takes "
                                 "targets without of_qrels")
            return target
        return canonical

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return results in the new order.

        :param inp: columns ``qid, docno, score`` and, without ``groups``, ``group``
        :returns: all columns of ``inp`` with new values of ``rank`` and ``score``; rows by topic
            and rank
        """
        results, lists = self.read(inp)
        return results.written(lists, self.for_each(lists, self.order))

    def read(self, inp: pd.DataFrame) -> tuple[Results, list[Condensed]]:
        """Return results and the list of documents to move for each topic.

        :raises ValueError: a score is NaN, or no document has a group
        """
        pt.validate.columns(inp, includes=["qid", "docno", "score"])
        results = Results(inp)
        return results, results.whole(self.k)

    def for_each(self, lists: list[Condensed], function: Callable[[Condensed], Any]) -> list[Any]:
        """Return the result of a function for each list, with a progress bar if it is wanted."""
        return [function(one) for one in pt.tqdm(lists, desc=repr(self), unit="query",
                                                 disable=not self.verbose)]

    def order(self, one: Condensed) -> Ints:
        """Return the indices of the first documents in the new order; others follow in the old.

        :param one: the documents of a topic
        """
        raise NotImplementedError

    @classmethod
    def parameters(cls) -> dict[str, inspect.Parameter]:
        """Return the parameters of the constructor but for ``verbose``, by name."""
        return {name: one for name, one in inspect.signature(cls).parameters.items()
                if name != "verbose"}

    # PyTerrier executes a common prefix of several pipelines once if its transformers are equal.
    def _key(self) -> list[Any]:
        return [getattr(self, name) for name in self.parameters()]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, ReRanker) \
            and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        values = {name: getattr(self, name) for name, parameter in self.parameters().items()
                  if getattr(self, name) != parameter.default}
        options = ", ".join(f"{name}={getattr(value, 'name', value)!r}"
                            for name, value in values.items())
        return f"rerank.{type(self).__name__}({options})"


class GroupReRanker(ReRanker):
    """A re-ranker that moves the annotated documents; the others keep their ranks."""

    groups: Groups | None
    target: Any

    def read(self, inp: pd.DataFrame) -> tuple[Results, list[Condensed]]:
        column = ["group"] if self.groups is None else []
        try:
            pt.validate.columns(inp, includes=["qid", "docno", "score", *column])
        except pt.validate.InputValidationError as error:
            if not column or "group" in inp:
                raise
            raise pt.validate.InputValidationError(
                "the groups of documents are missing: give groups= (--groups), or add a "
                "column group with pt.fairness.annotate.", error.modes) from None
        results = Results(inp)
        sets, codes = results.annotations(self.groups)
        if len(inp) and (codes < 0).all():
            raise ValueError(f"none of the {len(inp)} documents has a group in {self._source}; "
                             "check that it is meant for these topics and docnos")
        self._check_labels(sets.labels)
        lists = results.condensed((sets, codes), self.target, self.k)
        without = [one.qid for one in lists if len(one.labels) > 1 and not one.target.any()]
        if without:
            warn(f"the target has no share for any group of the documents of {len(without)} of "
                 f"{len(lists)} topics (the first is {without[0]!r}), which keep their order")
        return results, lists

    @property
    def _source(self) -> str:
        return "the column group" if self.groups is None else repr(self.groups)

    def named_labels(self, labels: Sequence[str]) -> list[tuple[str, str]]:
        """Return a pair of parameter and label for each label that the parameters name.

        :param labels: the known labels
        """
        explicit = self.target if isinstance(self.target, dict) else {}
        return [("target", label) for label, share in explicit.items() if share > 0]

    def _check_labels(self, found: Sequence[str]) -> None:
        """Warn of labels in the parameters that no document has.

        :param found: the labels of the documents
        :raises ValueError: the group source declares its labels, and a label is none of them
        """
        declared = None if self.groups is None else self.groups.labels
        known = sorted({*found, *(declared or ())})
        for parameter, label in self.named_labels(known):
            if found and label not in known:
                names = f"{parameter} names the group {label!r}, which"
                if declared is not None:
                    raise ValueError(f"{names} {self._source} does not have; its groups are "
                                     f"{listed(known)}")
                warn(f"{names} no document has in {self._source}; the documents have "
                     f"{listed(known)}")

    def order(self, one: Condensed) -> Ints:
        return self.reorder(one) if one.comparable else np.arange(one.k)

    def reorder(self, one: Condensed) -> Ints:
        """Return the indices of the first documents in the new order; others follow in the old.

        :param one: the documents of a topic, of at least two groups with a target
        """
        raise NotImplementedError
