"""A small collection in the format of MS MARCO's passages, for the example and the tests."""

from __future__ import annotations

import io
import random
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

#: The topics of the made-up collection: a query, and a word of all of its passages.
TOPICS = {
    "1": ("what does a nurse do", "nurse"),
    "2": ("how to become an engineer", "engineer"),
    "3": ("who leads a company", "company"),
    "4": ("how to care for a baby", "baby"),
    "5": ("what does a pilot earn", "pilot"),
    "6": ("how to find a good teacher", "teacher"),
    "7": ("is cooking a good profession", "cooking"),
    "8": ("who does research in physics", "physics"),
}
#: What passages say: with a word of the topic, a pronoun and its possessive.
SENTENCES = (
    "{He} has worked as a {word} for many years .",
    "About {word} , {he} says that {his} day begins early .",
    "The pay of a {word} depends on the place and on experience .",
    "{His} colleagues think that {he} does a good {word} 's work .",
    "A {word} needs training to become one , and often a licence .",
    "What people ask about {word} most often is how to begin .",
    "Nobody leads alone , and how to earn trust takes years to find out .",
    "There are schools for that , and books .",
    "{He} told {his} story to a newspaper .",
)
PRONOUNS = {"f": {"he": "she", "his": "her", "He": "She", "His": "Her"},
            "m": {"he": "he", "his": "his", "He": "He", "His": "His"}}


def write(home: Path, passages: Mapping[str, str], queries: Mapping[str, str], qrels: str,
          fair: Sequence[str], words: str = "he,m\nhis,m\nJohn,m\nshe,f\nher,f\nMary,f\n") -> None:
    """Write passages, queries and judgments where ir_datasets looks for those of MS MARCO.

    :param qrels: the judgments of dev and of TREC DL 2019
    :param fair: the queries that are sensitive to gender bias
    :param words: a word and its gender in each line
    """
    folder = home / "msmarco-passage"
    lines = {qid: f"{qid}\t{text}\n" for qid, text in queries.items()}
    for task in ("dev", "trec-dl-2019"):
        (folder / task).mkdir(parents=True, exist_ok=True)
        (folder / task / "qrels").write_text(qrels)
    (folder / "fair").mkdir(exist_ok=True)
    for task in ("dev", "trec-dl-2019"):
        (folder / "fair" / f"{task}.tsv").write_text("".join(lines[qid] for qid in fair))
    (folder / "fair/words.csv").write_text(words)
    (folder / "trec-dl-2019/queries.tsv").write_text("".join(lines.values()))
    _archive(folder / "queries.tar.gz", "queries.dev.tsv", "".join(lines.values()))
    _archive(folder / "collectionandqueries.tar.gz", "collection.tsv", "".join(
        f"{docno}\t{text}\n" for docno, text in passages.items()))


def _archive(path: Path, member: str, text: str) -> None:
    content = text.encode()
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo(member)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))


def make(home: Path) -> None:
    """Write a made-up collection: eight topics with twenty passages each."""
    pick = random.Random(2021)
    passages, qrels = {}, []
    for qid, (_, word) in TOPICS.items():
        for docno in range(len(passages), len(passages) + 20):
            passages[str(docno)] = " ".join(
                sentence.format_map({"word": word, **PRONOUNS[pick.choice("fm")]})
                for sentence in pick.choices(SENTENCES, k=pick.randint(1, 9)))
            qrels.append(f"{qid} 0 {docno} {pick.choice([0, 0, 1, 2, 3])}\n")
    write(home, passages, {qid: query for qid, (query, _) in TOPICS.items()}, "".join(qrels),
          [*TOPICS])
