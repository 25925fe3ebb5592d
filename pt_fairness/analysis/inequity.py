"""Inequity of attention, amortised over topics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import annotations_of, judgments_of, runs_of, systems_of
from pt_fairness.core import arrays, discounts
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.expected_exposure import IAA
from pt_fairness.provider.parsing import parsed
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run


def amortised_inequity(runs: RunInputs, qrels: pd.DataFrame,
                       measures: Any = IAA, *, topics: Any = None) -> pd.DataFrame:
    """Return the inequity of attention of every system, amortised over the topics.

    A document (or group) with too little attention for one topic can have more for another:
    ``Σ_d |Σ_q (ε_qd − y_qd)| / 2Q``, where ε_qd is its share of the attention and y_qd its share of
    the merit for topic q. The Q topics are those with a document of some merit. A topic for which
    the system returns nothing is counted with zero attention. For one topic with results the value
    is that of ``IAA``, and for several it is at most the mean of ``IAA``.

    Source: Biega et al. (2018), equation 1.

    :param runs: as of :func:`pt_fairness.evaluate`; with several rankings of a topic, too
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, for groups without a
        ``groups`` parameter, ``iteration``
    :param measures: ``IAA`` with any parameters but ``norm='none'``, or several
    :param topics: the topics of transformers, as of :func:`pt_fairness.evaluate`
    :returns: ``name, measure, inequity`` (0 to 1; 0 is fair; NaN without topics) and ``n``, the
        number of topics Q
    :raises ValueError: another measure, or ``runs`` is no dictionary of frames

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": ["1", "1", "2", "2"], "docno": ["a", "b"] * 2, "label": 1})
    >>> same = qrels.assign(score=[2, 1, 2, 1])
    >>> alternating = qrels.assign(score=[2, 1, 1, 2])
    >>> analysis.amortised_inequity({"same": same, "alternating": alternating}, qrels).round(3)
              name measure  inequity  n
    0         same     IAA     0.113  2
    1  alternating     IAA     0.000  2
    """
    wanted = parsed(measures)
    for measure in wanted:
        if not isinstance(measure, type(IAA)) or measure.param("norm") != "max":
            raise ValueError(f"{measure} is not possible here: amortised_inequity takes IAA with "
                             "norm='max'")
    frames, qrels = systems_of(runs, qrels, topics)
    judgments = judgments_of(qrels)
    systems = runs_of(frames, judgments)
    annotations = {measure: annotations_of(judgments, measure.param("groups"), [None])
                   if measure.needs_groups else None for measure in wanted}
    rows = [(name, str(measure), *_amortised(measure, run, judgments, annotations[measure]))
            for name, run in systems.items() for measure in wanted]
    return pd.DataFrame(rows, columns=["name", "measure", "inequity", "n"])


def _amortised(measure: FairnessMeasure, run: Run, judgments: Judgments,
               annotations: Annotations | None) -> tuple[float, int]:
    """Return the amortised inequity of a run and the number of topics.

    :param annotations: the groups that are compared; ``None`` to compare documents
    """
    cutoff, topics = measure.param("cutoff"), len(judgments.topics)
    rows = np.flatnonzero(run.place < (math.inf if cutoff is None else cutoff))
    place = run.place[rows]
    weights = discounts.discount(measure.param("discount"), int(place.max(initial=-1)) + 1,
                                measure.param("p"))
    gains = discounts.gain(measure.param("gains"), judgments.relevance, measure.param("rel"))
    # First the ranked documents, then the judged ones. The attention is the sum over the rankings
    # of a topic, which has the same shares as their mean.
    topic = np.concatenate([run.topic[rows], judgments.topic])
    attention = np.concatenate([weights[place], np.zeros(len(gains))])
    merit = np.concatenate([np.zeros(len(rows)), gains])
    kept = np.ones(topics, bool)
    if annotations is None:
        docnos = np.concatenate([run.docnos(rows), judgments.docnos(slice(None))])
        item = pd.factorize(docnos)[0]
    else:
        found = annotations.of_run(run, None)
        codes = np.concatenate([found.codes[rows], annotations.pair_codes])
        shares = found.sets.shares(codes, annotations.labels)
        document, item = np.nonzero(shares)
        topic = topic[document]
        attention, merit = (values[document] * shares[document, item]
                            for values in (attention, merit))
        if annotations.groups is not None and annotations.groups.topics is not None:
            kept = np.isin(judgments.topics, list(annotations.groups.topics))
    all_attention, all_merit = (np.bincount(topic, values, minlength=topics)
                                for values in (attention, merit))
    kept &= all_merit > 0
    difference = kept[topic] * (arrays.ratio(attention, all_attention[topic])
                                - arrays.ratio(merit, all_merit[topic]))
    n = int(kept.sum())
    total = float(abs(np.bincount(item, difference)).sum())
    return (total / (2 * n) if n else math.nan), n
