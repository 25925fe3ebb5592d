"""Labels of measures in tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pt_fairness.analysis.columns import column_of
from pt_fairness.analysis.directions import direction_of, mark_of
from pt_fairness.analysis.names import (
    FAR_DOWN,
    MEASURES,
    SEVERAL,
    TOLERANCE,
    UNDEFINED,
    UNDEFINED_EVERYWHERE,
    split_suffix,
)
from pt_fairness.analysis.per_query import is_per_query, of_one_measure
from pt_fairness.core.messages import shown
from pt_fairness.provider.parsing import parsed_or_none

#: Names of columns that are not measures.
_RESERVED = ("name", "qid", "measure", "value")


def rename(table: pd.DataFrame, labels: Mapping[Any, str]) -> pd.DataFrame:
    """Rename the measures of a table, and keep which end of each is better.

    What the renamed columns stand for is in ``attrs["measures"]`` of the result, as text. Whatever
    bolds, ranks, colours or tests reads it there. pandas drops ``attrs`` in some operations, and
    most files do not hold them: there, ``↑``, ``↓`` or ``→0`` at the end of a name says which end
    is better. The forms of ``pt-fairness table`` add these marks to renamed columns.

    :param table: averages or a per-query frame of ``pt.Experiment`` or :func:`evaluate`. The
        columns of a comparison with a baseline (``rKL@10 p-value``) are renamed with their measure.
    :param labels: a dictionary from measures, objects or names, to labels
    :returns: a new table
    :raises ValueError: ``labels`` is no dictionary, the table does not have a measure, or a label
        is not possible: it is no text, another column has it, or it ends with the wrong mark

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import highlight, rename
    >>> table = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.9, 0.5], "rKL@5": [0.4, 0.1]})
    >>> renamed = rename(table, {"rKL@5": "Unfairness"})
    >>> renamed
      name  nDCG@5  Unfairness
    0    A     0.9         0.4
    1    B     0.5         0.1
    >>> renamed.attrs["measures"]
    {'Unfairness': 'rKL@5'}
    """
    if not isinstance(labels, Mapping):
        raise ValueError(f"labels are a {type(labels).__name__} here; they have to be a dictionary "
                         "from measures to labels, such as {'rKL@10': 'Unfairness'}")
    per_query = is_per_query(table)
    names = {of_one_measure(table, measure)[1] if per_query else column_of(table, measure): label
             for measure, label in labels.items()}
    every = list(dict.fromkeys(table["measure"].map(str) if per_query else map(str, table.columns)))
    _check_labels(names, every, table)
    if per_query:
        codes, known_names = pd.factorize(table["measure"].map(str))
        renamed = table.assign(measure=pd.Index(
            [names.get(name, name) for name in known_names], dtype="str").take(codes))
    else:
        renamed = table.rename(columns={
            column: names[base] + suffix for column in table.columns
            for base, suffix in [split_suffix(str(column))] if base in names})
    known = dict(table.attrs.get(MEASURES, {}))
    known |= {new: known.get(name, name) for name, new in names.items()}
    renamed.attrs = {**table.attrs, MEASURES: {name: text for name, text in known.items()
                                               if name not in names or name in names.values()}}
    for key in {UNDEFINED, UNDEFINED_EVERYWHERE, SEVERAL, FAR_DOWN, TOLERANCE} & table.attrs.keys():
        renamed.attrs[key] = {names.get(name, name): fact
                              for name, fact in table.attrs[key].items()}
    return renamed


def _check_labels(names: Mapping[str, str], every: list[str], table: pd.DataFrame) -> None:
    """Check the labels of columns.

    :param names: the new names of columns by old name
    :param every: the names of all columns, or of all measures of a per-query frame
    :raises ValueError: a label is not possible
    """
    kept = [name for name in every if name not in names]
    for old, new in names.items():
        if not isinstance(new, str) or not new.strip():
            raise ValueError(f"the label of {old} is {shown(new)}; a label is a text that is not "
                             "empty")
        if new in kept or new in _RESERVED or list(names.values()).count(new) > 1:
            raise ValueError(f"{new!r} cannot be the label of {old}: another column has this name; "
                             "choose a different label")
        if split_suffix(new)[1]:
            raise ValueError(f"{new!r} cannot be the label of {old}: it ends with "
                             f"{split_suffix(new)[1]!r}, as the columns of a comparison do")
        mark = direction_of(old, table)
        if parsed_or_none(new) is None and mark is not None and mark_of(new) not in (None, mark):
            raise ValueError(f"{new!r} cannot be the label of {old}: the mark of {old} is {mark}")
