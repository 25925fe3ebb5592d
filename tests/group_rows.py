"""What a group source says of documents, as one line of text."""

from collections.abc import Iterable

from pt_fairness.groups import Groups


def rows(source: Groups, docnos: Iterable[str], qids: Iterable[str] = "1") -> str:
    """``topic document group``, and the weight where there are weights, of each membership.

    :param qids: the topic of each document, or one for all
    """
    documents, topics = [*docnos], [*qids]
    if len(topics) == 1:
        topics *= len(documents)
    frame = source.lookup(topics, documents)
    assert list(frame) == ["qid", "docno", "group", "weight"][:3 + source.weighted]
    if source.weighted:
        frame["weight"] = frame["weight"].map("{:.6g}".format)
    return ", ".join(frame.agg(" ".join, axis=1)) if len(frame) else ""
