"""Tuning: the fairest setting of a pipeline that loses little relevance, or the other way round."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import NEAR_ZERO, TIE_DECIMALS, direction_of, from_best
from pt_fairness.core.arrays import ROUNDING
from pt_fairness.core.messages import collecting_warnings, first_names, listed, shown, warn
from pt_fairness.evaluation.plan import oracles
from pt_fairness.io.document_files import load_qrels, of_topics
from pt_fairness.io.run_files import load_topics
from pt_fairness.provider.measure_lists import parsed, refuse_unknown, take_groups

#: The kinds of bounds in ``constraint``.
BOUNDS = ("within", "at most", "at least")


def tune(pipeline: Any, params: Mapping[Any, Mapping[str, Sequence[Any]]], topics: Any,
         qrels: Any, measure: Any, constraint: Mapping[Any, tuple[str, float]] | None = None, *,
         baseline: Any = None, groups: Any = None, verbose: bool = False,
         batch_size: int | None = None) -> tuple[pd.DataFrame, Any]:
    """Find the best setting of a pipeline by a measure, among those that satisfy constraints.

    The best value is the one nearest to the better end: the smallest rKL, the largest AWRF, the
    BiasP nearest to 0. ``pt.GridScan`` evaluates all settings. ``pt.GridSearch`` always takes the
    largest value. Evaluate the pipeline on topics that it was not tuned on. A warning says if it
    re-ranks by the labels that evaluate it.

    :param pipeline: the pipeline
    :param params: the values to try for each parameter of each transformer of the pipeline, as of
        ``pt.GridScan``: ``{transformer: {"lam": [0.1, 0.5]}}``. All combinations are tried
    :param topics: the topics to tune on: a frame ``qid, query``, a dataset of ``pt.get_dataset``,
        an id of ir_datasets, or the path of a file
    :param qrels: as of :func:`pt_fairness.evaluate`; those of other topics are left out
    :param measure: the measure, or its name
    :param constraint: a bound for each of some measures. ``("within", t)``: at most t worse than
        the best of all settings, or than the baseline; ``("at most", x)`` and ``("at least", x)``:
        by value, for a signed measure by its absolute value
    :param baseline: a transformer that ``("within", t)`` compares with
    :param groups: as of :func:`pt_fairness.evaluate`
    :param verbose: whether to show a progress bar
    :param batch_size: the number of topics that are retrieved at once; ``None`` for all
    :returns: a table, and the pipeline, whose parameters are set to the best setting. The table is
        that of ``pt.GridScan``: a row for each setting with its parameters, such as ``tran_0_lam``,
        and the averages of the measures; with ``allowed`` (it satisfies the constraints) and
        ``chosen``. Of equally good settings the better one by the measures of the constraints is
        chosen, then the first
    :raises ValueError: no setting satisfies the constraints, or a parameter, a measure, a bound or
        a group source is wrong. The parameters of the pipeline are then as before

    Examples
    --------
    >>> import pandas as pd
    >>> import pyterrier as pt
    >>> from ir_measures import nDCG
    >>> from pt_fairness import rerank, rKL, tune
    >>> qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [2, 2, 1, 1],
    ...                       "iteration": ["PRO", "PRO", "CON", "CON"]})
    >>> results = qrels.rename(columns={"iteration": "group"}).assign(score=[4.0, 3.0, 2.0, 1.0])
    >>> topics = pd.DataFrame({"qid": ["1"], "query": ["zoos"]})
    >>> mixed = rerank.xquad()
    >>> table, pipeline = tune(pt.Transformer.from_df(results) >> mixed,
    ...                        {mixed: {"lam": [0.0, 0.5, 1.0]}}, topics, qrels, rKL @ 4,
    ...                        {nDCG @ 4: ("within", 0.05)})
    >>> table.round(3)
       tran_0_lam  rKL@4  nDCG@4  allowed  chosen
    0         0.0  0.653   1.000     True   False
    1         0.5  0.653   1.000     True   False
    2         1.0  0.406   0.969     True    True
    """
    import pyterrier as pt
    target, *several = parsed(measure)
    if several:
        raise ValueError(f"measure={shown(measure)} is a list; tune takes one measure, and "
                         "constraint= bounds further ones")
    bounds = {}
    for name, bound in (constraint or {}).items():
        if not isinstance(bound, tuple) or bound[0] not in BOUNDS:
            raise ValueError(f"the bound {shown(bound)} of {name} is not possible; it is "
                             f"{listed(BOUNDS)} with a number, such as ('within', 0.01)")
        (bounded,) = parsed(name)
        bounds[str(bounded)] = bound
    topics = load_topics(topics)
    with collecting_warnings():  # a warning that further topics are left out
        judged = of_topics(load_qrels(qrels), topics)
    judged = pt.model.to_ir_measures(judged)
    columns, judged, _ = take_groups(parsed([target, *bounds]), judged, groups)
    judged = pt.model.from_ir_measures(judged)
    if oracles({"": pipeline}, columns, judged):
        warn("the pipeline re-ranks by the labels that evaluate it: an oracle, unless a system can "
             "know these labels. Re-rank by labels of a model, and evaluate by the judged ones")
    names = {str(measure): column for measure, column in columns.items()}
    options = {"batch_size": batch_size, "verbose": verbose}
    # params is read before GridScan sets parameters, which changes the hashes of its keys.
    tuned = [(transformer, name) for transformer in params for name in params[transformer]]
    values = [params[transformer][name] for transformer, name in tuned]
    setting = tuple(transformer.get_parameter(name) for transformer, name in tuned)
    try:
        with collecting_warnings() as messages:
            table = pt.GridScan(pipeline, params, topics, judged, list(columns), **options)
            compared = table
            if baseline is not None:
                compared = pt.Experiment([baseline], topics, judged, list(columns), **options)
        refuse_unknown([messages])
        for cause, message in dict.fromkeys(messages):
            warn(message, cause)
        is_transformer = table.columns.str.fullmatch(r"tran_\d+")
        table = table.loc[:, ~is_transformer]
        table = table.rename(columns=names)
        table = _with_choice(table, compared.rename(columns=names), bounds, [*names.values()])
        every = itertools.product(*values)  # in the order of pt.GridScan
        setting = next(itertools.compress(every, table["chosen"]))
    finally:
        for (transformer, name), value in zip(tuned, setting, strict=True):
            transformer.set_parameter(name, value)
    return table, pipeline


def _with_choice(table: pd.DataFrame, compared: pd.DataFrame,
                 bounds: Mapping[str, tuple[str, float]], columns: Sequence[str]) -> pd.DataFrame:
    """Return a table with the columns ``allowed`` and ``chosen``.

    :param table: a row for each setting
    :param compared: the settings, or the baseline
    :param columns: the columns of the measures, that of the tuned measure first
    :raises ValueError: no setting satisfies the bounds
    """
    allowed = table[columns[0]].notna()
    distances = pd.DataFrame()
    for column in columns:
        direction = str(direction_of(column))
        values = distance = from_best(table[column], direction)
        distances[column] = distance.round(TIE_DECIMALS)
        kind, limit = bounds.get(column, ("", np.inf))
        if kind == "within":
            limit += from_best(compared[column], direction).min()
        elif direction != NEAR_ZERO:
            values = table[column]
        if kind == "at least":
            values = -values
            limit = -limit
        allowed &= values <= limit + ROUNDING
    if not allowed.any():
        raise ValueError(f"no setting satisfies the constraints on {first_names([*bounds])}; widen "
                         f"one, or try further values:\n{table.to_string(index=False)}")
    possible = distances[allowed]
    order = possible.sort_values(list(columns), kind="stable")
    is_chosen = table.index == order.index[0]
    return table.assign(allowed=allowed, chosen=is_chosen)
