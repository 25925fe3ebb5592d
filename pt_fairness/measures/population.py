"""What a ranking is compared with: the protected group of every topic and the target distribution.

Shared by the measures of every family. Shapes: ``R`` lists, ``S`` label sets, ``L`` groups of the
label set G.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.late import np, numerics
from pt_fairness.text import TARGET_WORDS

if TYPE_CHECKING:
    from pt_fairness.numerics import Bools, Floats, Ints
    from pt_fairness.rankings.view import View


#: The targets that are estimated from documents.
ESTIMATED = ("qrels", "collection", "run")


class TwoGroups(NamedTuple):
    """The protected and the unprotected documents of the population of each list."""

    #: Whether the documents of a label set are protected, ``[R, S]``; a share in [0, 1] for those
    #: with weights.
    protected: Any
    #: The protected and all documents of the population, ``[R]``; shares if it is a distribution.
    plus: Floats
    total: Floats
    #: Whether there is something to compare with, ``[R]``.
    defined: Bools


#: Sums of weights that differ by less are equal.
EQUAL = 1e-9


def degrees(view: View) -> Floats:
    """Return how far a document of each label set is in each group, ``[S, L]``.

    That is its share if it has weights; otherwise it is wholly in each of its groups.
    """
    return np.where(view.weighted[:, None], view.share, view.member)


def rarest(view: View, counts: Ints, most: bool) -> tuple[Ints, Bools]:
    """Return the label with the fewest documents among those that have any, ``[R]``.

    Of equals it is the first. A document counts for each of its labels; one with weights counts its
    shares.

    :param counts: the documents of each label set, ``[R, S]``
    :param most: return the label with the most documents instead
    :returns: the labels, and whether two labels have documents, ``[R]``
    """
    if not view.labels:
        return np.zeros(len(view), np.intp), np.zeros(len(view), bool)
    sizes = counts @ degrees(view)
    present = sizes > 0
    keys = np.where(present, -sizes if most else sizes, sizes.max(initial=0) + 1)
    least = keys.min(axis=1, keepdims=True)
    return (keys <= least + EQUAL).argmax(axis=1), present.sum(axis=1) >= 2


def split(measure: FairnessMeasure, view: View, counts: Ints) -> tuple[Any, Bools]:
    """Return which label sets are protected, and for which lists that can be said.

    :param counts: the documents of each label set that 'minority' and 'majority' count, ``[R, S]``
    :returns: ``[R, S]``, a share in [0, 1] for label sets with weights; and ``[R]``
    """
    wanted = extreme(measure)
    if wanted is not None:
        best, two = rarest(view, counts, wanted == "majority")
        if not view.labels:
            return np.zeros((len(view), len(view.member)), bool), two
        return (degrees(view) if view.weighted.any() else view.member)[:, best].T, two
    chosen = np.isin(view.labels, named(measure, view))
    sets: Any = (view.member & chosen).any(axis=1)
    if view.weighted.any():
        sets = np.where(view.weighted, view.share @ chosen, sets)
    return np.broadcast_to(sets, (len(view), len(view.member))), np.ones(len(view), bool)


def extreme(measure: FairnessMeasure) -> str | None:
    """Return ``'minority'`` or ``'majority'`` if that is the protected group, else ``None``."""
    wanted = measure.param("protected") if "protected" in measure.SUPPORTED_PARAMS else None
    return wanted if wanted in ("minority", "majority") else None


def two_groups(measure: FairnessMeasure, view: View) -> TwoGroups:
    """Return the protected and the unprotected part of a measure's target.

    The ``group`` of the measure, if it has one, is protected.
    """
    relevant = view.relevant(measure.param("rel"))
    protected, known = split(measure, view, relevant)
    target = measure.param("target")
    if target in ("qrels", "run"):
        counts = view.in_run if target == "run" else relevant
        plus, total = (counts * protected).sum(axis=1), counts.sum(axis=1)
    else:
        chosen = protected_of_labels(measure, view, relevant)
        if target == "collection":
            plus = view.pooled_in(measure.param("rel"), chosen)
            total = np.full(len(view), view.pooled(measure.param("rel")).sum())
        else:
            shares = distribution(measure, view)
            plus, total = (shares * chosen).sum(axis=1), shares.sum(axis=1)
    defined = known & ((total > 0) | (target == "run"))
    return TwoGroups(protected, plus.astype(float), total.astype(float), defined)


def protected_of_labels(measure: FairnessMeasure, view: View, counts: Ints) -> Bools:
    """Return which labels are protected, ``[R, L]``.

    :param counts: the documents of each label set that 'minority' and 'majority' count, ``[R, S]``
    """
    wanted = extreme(measure)
    if wanted is not None:
        best, _ = rarest(view, counts, wanted == "majority")
        return np.asarray(np.arange(len(view.labels)) == best[:, None])
    chosen = np.isin(view.labels, named(measure, view))
    return np.broadcast_to(chosen, (len(view), len(view.labels)))


def named(measure: FairnessMeasure, view: View) -> list[str]:
    """Return the labels that ``protected`` or ``group`` names."""
    return [name for parameter, name in measure.named_labels(view.labels)
            if parameter in ("protected", "group")]


def population(measure: FairnessMeasure, view: View) -> Floats:
    """Return the documents of each group in an estimated target, ``[R, L]`` or ``[1, L]``."""
    target = measure.param("target")
    if target == "collection":
        return view.pooled(measure.param("rel"))[None]
    return (view.in_run if target == "run" else view.relevant(measure.param("rel"))) @ view.share


def distribution(measure: FairnessMeasure, view: View) -> Floats:
    """Return the target share of each group, unsmoothed, ``[R, L]``.

    A row is 0 if the population is empty.
    """
    target: Any = measure.param("target")
    size = (len(view), len(view.labels))
    if isinstance(target, dict):
        return np.broadcast_to(np.array([target.get(name, 0.0) for name in view.labels]), size)
    if target == "uniform":
        return np.full(size, 1.0 / max(size[1], 1))
    if target not in TARGET_WORDS:
        from pt_fairness import targets
        return targets.shares(target, view.qids, view.labels)
    shares = population(measure, view)
    return np.broadcast_to(numerics.ratio(shares, shares.sum(axis=-1, keepdims=True)), size)


def unfairest_of_run(bound: float, cutoff: int | None, step: int = 1) -> float:
    """Return the value of a topic for which nothing was returned, where the run is the population.

    Without a normaliser, it is ``bound`` times the sum of the discounts of the evaluated ranks of
    ``cutoff`` documents; ``bound`` itself without a cutoff.

    :param bound: the largest term of all populations without shares below ``SMALLEST_SHARE``
    """
    if cutoff is None:
        return bound
    return bound * numerics.discounted_sum(numerics.evaluated_ranks(cutoff, step))


def one_if_zero(worst: Floats) -> Floats:
    """Return ``worst``, 1 in place of 0: a system must not look fair by returning nothing."""
    return np.where(worst > 0, worst, 1.0)
