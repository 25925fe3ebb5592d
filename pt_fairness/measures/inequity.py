"""Attention against merit, document by document: IAA (Biega et al. 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core import arrays, discounts
from pt_fairness.core.arrays import Floats
from pt_fairness.measures import params
from pt_fairness.measures.documents import (
    BY,
    DocumentMeasure,
    mean_over_lists,
    sum_by_topic,
)
from pt_fairness.measures.exposure import DISCOUNT
from pt_fairness.measures.registration import register
from pt_fairness.rankings.view import View


def inequity(eps: Floats, y: Floats) -> Floats:
    """Return |ε_d − y_d|, which adds up to IAA (Biega et al. 2018, equation 1)."""
    return abs(eps - y)


class _IAA(DocumentMeasure):
    r"""IAA — Inequity of Attention.

    How far each document's share of the exposure is from its share of the merit.

    Formula
    -------
    .. math::

       \frac{1}{2} \sum_d \left| \frac{\varepsilon_d}{\sum \varepsilon}
       - \frac{y_d}{\sum y} \right|, \qquad
       \texttt{norm='none'}: \ \sum_d \left| \varepsilon_d - \frac{y_d}{\max y} \right|

    The sums are over all documents d that are ranked or judged. ε_d is the exposure of d, which the
    paper calls attention: the weight of its rank (``discount``), averaged over the sampled rankings
    of the topic. Ranks are those of the whole list; the weight is 0 after the cutoff. y_d is the
    merit of d: the gain of its relevance (``gains``), 0 for documents that are not relevant. Σε and
    Σy are the sums over all d, max y is the largest y_d.

    With ``by='group'``, d stands for a group: ε_d and y_d are the sums over its annotated
    documents. A document of m groups counts 1/m towards each, or its weights. ``groups`` is used
    with ``by='group'`` only.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair.

    Edge cases
    ----------
    A topic without a relevant document is undefined: 0, with a warning. With ``by='group'``, so is
    every topic if there is only one group. A topic without results has 1. With ``norm='none'`` it
    has Σ y/max y plus the sum of the weights of the first ``cutoff`` ranks; without a cutoff, of
    the first rank. With ``by='group'``, only annotated documents count in both cases.

    Source
    ------
    Biega et al. (2018), equation 1, for one topic. Raj & Ekstrand (2022) report twice the value by
    group.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(IAA.calc_aggregate(qrels, run), 3)
    0.307
    """

    # Slow version: iaa in tests/slow_versions/merit.py
    SOURCE = ("biega2018", "raj2022")
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "gains": params.gains("linear"),
        **DISCOUNT,
        "by": BY,
        "norm": params.one_of("normaliser: max (shares, half their differences) or none", "max",
                              "none"),
        "groups": params.groups(),
    }
    COMPARES = True

    def score(self, view: View) -> Floats:
        name, p, cutoff = self.param("discount"), self.param("p"), self.param("cutoff")
        documents = view.documents(cutoff)
        depth = int(documents.place.max(initial=-1)) + 1
        weights = discounts.discount(name, depth, p)[documents.place]
        eps = self.compared(view, documents, mean_over_lists(view, documents, weights))
        y = self.compared(view, documents, discounts.gain(
            self.param("gains"), documents.relevance, self.param("rel")))
        topic = self.topics(view, documents)
        all_eps, all_y = sum_by_topic(view, topic, eps), sum_by_topic(view, topic, y)
        worst: Any = 1.0
        if self.param("norm") == "none":
            largest = np.zeros(len(view.topics))
            np.maximum.at(largest, topic, y)
            terms = inequity(eps, arrays.ratio(y, largest[topic]))
            worst = arrays.ratio(all_y, largest) \
                + discounts.sum_of_discounts(name, cutoff or 1, p)
        else:
            terms = inequity(arrays.ratio(eps, all_eps[topic]),
                             arrays.ratio(y, all_y[topic])) / 2.0
        values = np.where(all_eps > 0, sum_by_topic(view, topic, terms), worst)
        return np.where(all_y > 0, values, np.nan)


IAA = register(_IAA())
