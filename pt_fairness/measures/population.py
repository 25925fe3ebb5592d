"""Protected groups and target distributions that rankings are compared with.

Shapes: ``R`` lists, ``S`` label sets, ``L`` groups of the
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
    """The protected label sets and the population counts of each list."""

    #: Mask of the protected label sets, ``[R, S]``. Label sets with weights have a share in [0, 1].
    protected: Any
    #: The number of protected documents and of all documents in the population, ``[R]``. They are
    #: shares if the target is a distribution.
    plus: Floats
    total: Floats
    #: Mask of the lists that have a protected group and, unless the target is the run, a non-empty
    #: population, ``[R]``.
    defined: Bools


#: Absolute tolerance within which sums of weights count as equal.
EQUAL = 1e-9


def degrees(view: View) -> Floats:
    """Return the degree of membership of each label set in each group, ``[S, L]``.

    It is the share of the group if the label set has weights, and otherwise 1 for each of its
    groups.
    """
    return np.where(view.weighted[:, None], view.share, view.member)


def rarest(view: View, counts: Ints, most: bool) -> tuple[Ints, Bools]:
    """Return the index of the label with the fewest documents in each list, ``[R]``.

    Labels without documents are skipped. Ties go to the first label. A document counts 1 for each
    of its labels, or its shares if it has weights.

    :param counts: the number of documents of each label set, ``[R, S]``
    :param most: return the label with the most documents instead
    :returns: the label indices, and a mask of the lists in which at least two labels have
        documents, both ``[R]``
    """
    if not view.labels:
        return np.zeros(len(view), np.intp), np.zeros(len(view), bool)
    return rarest_label(counts @ degrees(view), most)


def rarest_label(sizes: Floats, most: bool = False) -> tuple[Ints, Bools]:
    """Return the index of the label with the smallest size in each list, ``[R]``.

    Labels of size 0 are skipped. Ties go to the first label.

    :param sizes: the size of each label, ``[R, L]``, where L is at least 1
    :param most: return the label with the largest size instead
    :returns: the label indices, and a mask of the lists in which at least two labels have a size
        above 0, both ``[R]``
    """
    present = sizes > 0
    keys = np.where(present, -sizes if most else sizes, sizes.max(initial=0) + 1)
    least = keys.min(axis=1, keepdims=True)
    return (keys <= least + EQUAL).argmax(axis=1), present.sum(axis=1) >= 2


def split(measure: FairnessMeasure, view: View, counts: Ints) -> tuple[Any, Bools]:
    """Return the protected label sets of each list.

    :param counts: the number of documents of each label set, ``[R, S]``, which determines
        'minority' and 'majority'
    :returns: a mask of the protected label sets, ``[R, S]``, with a share in [0, 1] for label sets
        with weights; and a mask of the lists that have a protected group, ``[R]``
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
    """Return the protected label sets and the population counts of a measure's target.

    If the measure has a parameter ``group``, that group is protected.
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
    """Return a mask of the protected labels of each list, ``[R, L]``.

    :param counts: the number of documents of each label set, ``[R, S]``, which determines
        'minority' and 'majority'
    """
    wanted = extreme(measure)
    if wanted is not None:
        best, _ = rarest(view, counts, wanted == "majority")
        return np.asarray(np.arange(len(view.labels)) == best[:, None])
    chosen = np.isin(view.labels, named(measure, view))
    return np.broadcast_to(chosen, (len(view), len(view.labels)))


def named(measure: FairnessMeasure, view: View) -> list[str]:
    """Return the labels given by the parameters ``protected`` and ``group``."""
    return [name for parameter, name in measure.named_labels(view.labels)
            if parameter in ("protected", "group")]


def population(measure: FairnessMeasure, view: View) -> Floats:
    """Return the number of documents of each group in an estimated target.

    :returns: ``[R, L]``, or ``[1, L]`` for the target ``'collection'``
    """
    target = measure.param("target")
    if target == "collection":
        return view.pooled(measure.param("rel"))[None]
    return (view.in_run if target == "run" else view.relevant(measure.param("rel"))) @ view.share


def _shares(counts: Floats) -> Floats:
    """Return the share of each group in each row, 0 in empty rows."""
    return numerics.ratio(counts, counts.sum(axis=-1, keepdims=True))


def distribution(measure: FairnessMeasure, view: View) -> Floats:
    """Return the target share of each group, unsmoothed, ``[R, L]``.

    All shares of a row are 0 if its population is empty.
    """
    target: Any = measure.param("target")
    size = (len(view), len(view.labels))
    if isinstance(target, dict):
        return np.broadcast_to(np.array([target.get(name, 0.0) for name in view.labels]), size)
    if target == "uniform":
        return np.full(size, 1.0 / max(size[1], 1))
    if target not in TARGET_WORDS:
        from pt_fairness import targets
        shares = targets.shares(target, view.qids, view.labels)
        of_qrels = targets.find(target).of_qrels
        if not of_qrels:
            return shares
        relevant = _shares(view.relevant(measure.param("rel")) @ view.share)
        known = relevant.any(axis=1, keepdims=True)
        return np.where(known, of_qrels * relevant + (1 - of_qrels) * shares, 0.0)
    return np.broadcast_to(_shares(population(measure, view)), size)


def unfairest_of_run(bound: float, cutoff: int | None, step: int = 1) -> float:
    """Return the unnormalised value of a topic without results for ``target='run'``.

    It is ``bound`` times the sum of the discounts of the evaluated ranks up to ``cutoff``. Without
    a cutoff it is ``bound``.

    :param bound: the largest term over all populations without shares below ``SMALLEST_SHARE``
    """
    if cutoff is None:
        return bound
    return bound * numerics.discounted_sum(numerics.evaluated_ranks(cutoff, step))


def one_if_zero(worst: Floats) -> Floats:
    """Replace 0 in ``worst`` with 1, so that returning nothing never scores as fair."""
    return np.where(worst > 0, worst, 1.0)
