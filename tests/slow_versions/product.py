"""§20: product labels."""

from collections.abc import Iterable

from slow_versions.common import UNANNOTATED, Membership, Source


def product(*sources: Source, judged: Iterable[str] | None = None,
            missing: str | None = None) -> Source:
    """Labels `la|lb`, m = m_a·m_b.

    `judged`: the judged documents, where a source does not declare its labels: G is what they
    have; else all combinations. `missing`: the label of documents that are unannotated in a source.
    """
    known = []
    for source in sources:
        labels = sorted(source.labels)
        if missing is not None and missing not in labels:
            labels.append(missing)
        known.append(labels)

    of: dict[str, Membership] = {}
    for docno in sorted({docno for source in sources for docno in source.of}):
        weights, soft = {"": 1.0}, False
        for source in sources:
            membership = source.of.get(docno, UNANNOTATED)
            shares = membership.shares(source.labels)
            if not shares and missing is not None:
                shares = {missing: 1.0}
            soft = soft or membership.soft
            weights = {
                f"{before}|{label}" if before else label: weight * share
                for before, weight in weights.items() for label, share in shares.items()}
        if weights:  # unannotated in one source: unannotated
            of[docno] = Membership(weights, soft)
    combinations = [""]
    for labels in known:
        combinations = [f"{a}|{b}" if a else b for a in combinations for b in labels]
    if judged is not None:
        combinations = [g for docno in judged for g in of.get(docno, UNANNOTATED).weights]
    return Source(of, frozenset(combinations))
