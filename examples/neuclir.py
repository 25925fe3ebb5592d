"""Language fairness of multilingual retrieval: ``python examples/neuclir.py [RUN RUN …]``.

The runs are TREC files for the topics of TREC NeuCLIR 2023 (``--year 2022`` for those of 2022). The
script prints relevance, language fairness and the share of each language for each run, and draws
the languages in the first documents of a topic. ir_datasets downloads topics and qrels, 6 MB.

Without runs, the script writes a small collection in NeuCLIR's format, and makes two runs over it
with PISA (``pip install 'pt-fairness[demo]'``): one ranks all documents by their scores, the other
takes documents of each language in turn.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import pyterrier as pt
from ir_measures import nDCG
from matplotlib.axes import Axes
from shared import comparison
from shared.inputs import file, read_runs

from pt_fairness import AWRF, PEER, analysis, evaluate, plots

#: How many documents of a topic count.
DEPTH = 20
YEARS = (2022, 2023)
#: What ir_datasets calls a language, and what the collection does.
LANGUAGES = {"zh": "zho", "fa": "fas", "ru": "rus"}
#: The topics of the small collection, and words about each in the three languages.
TOPICS = {
    "wind energy": {"zh": "风能 发电 电力 涡轮机", "fa": "انرژی باد توربین برق",
                    "ru": "энергия ветра турбина электричество"},
    "earthquake": {"zh": "地震 建筑 救援 震中", "fa": "زلزله ساختمان امداد مرکز",
                   "ru": "землетрясение здание спасатели эпицентр"},
    "vaccine": {"zh": "疫苗 接种 医院 病毒", "fa": "واکسن تزریق بیمارستان ویروس",
                "ru": "вакцина прививка больница вирус"},
    "football final": {"zh": "足球 决赛 球队 进球", "fa": "فوتبال فینال تیم گل",
                       "ru": "футбол финал команда гол"},
    "oil price": {"zh": "石油 价格 市场 出口", "fa": "نفت قیمت بازار صادرات",
                  "ru": "нефть цена рынок экспорт"},
}
#: The numbers of words about the topic in the documents of a topic, by relevance.
ABOUT = {3: 6, 1: 3, 0: 1}


def dataset_id(year: int) -> str:
    """The id whose qrels have the language of each document."""
    return f"neuclir/1/trec-{year}/language"


def table(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, groups: str) -> pd.DataFrame:
    """Relevance, language fairness and the share of each language in the first documents."""
    # Groups by name are also those of unjudged documents, if ir_datasets has the corpora.
    measures = {"nDCG": nDCG @ DEPTH, "PEER": PEER(groups=groups) @ DEPTH,
                "AWRF": AWRF(groups=groups) @ DEPTH}
    averages, _ = evaluate(runs, qrels, list(measures.values()), progress=False)
    values = averages.set_index("name").set_axis([f"{name}@{DEPTH}" for name in measures], axis=1)
    ranked = analysis.ranked_groups(runs, qrels, groups=groups, depth=DEPTH)
    shares = pd.crosstab(ranked["name"], ranked["group"], normalize="index")
    return values.join(shares.reindex(columns=list(LANGUAGES), fill_value=0.0))


def figure(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, groups: str) -> Axes:
    """The languages in the first documents of the topic with most relevant ones."""
    ranked = analysis.ranked_groups(runs, qrels, groups=groups, depth=DEPTH)
    return plots.strips(ranked, qrels.loc[qrels["label"] > 0, "qid"].mode()[0])


# --------------------------------------------------------------------------------------------------
# The small collection, in the files that ir_datasets reads.


def documents() -> Iterator[tuple[str, dict[str, str], str, int]]:
    """The documents: their language, their fields, the topic and the relevance for it."""
    pick = random.Random(2022)
    for title, words in TOPICS.items():
        for language, text in words.items():
            noise = [word for other in TOPICS if other != title
                     for word in TOPICS[other][language].split()]
            # Twice as many in Russian, about as in NeuCLIR.
            for _ in range(16 if language == "ru" else 8):
                relevance = pick.choice(list(ABOUT))
                chosen = pick.choices(text.split(), k=ABOUT[relevance]) + pick.choices(noise, k=6)
                pick.shuffle(chosen)
                space = "" if language == "zh" else " "
                docno = str(uuid.UUID(int=pick.getrandbits(128)))
                yield language, {
                    "id": docno, "title": space.join(chosen[:3]), "text": space.join(chosen[3:]),
                    "url": f"https://news.example/{docno}", "time": "2021-07-07T18:25:00+00:00",
                    "cc_file": "crawl-data/CC-NEWS/2021/07/CC-NEWS-20210707.warc.gz",
                }, title, relevance


def topic_json(number: int, title: str, words: dict[str, str]) -> str:
    """A topic with its translations, by people and by a machine."""
    def one(language: str, source: str, text: str) -> dict[str, str]:
        return {"lang": language, "source": source, "topic_title": text,
                "topic_description": text, "topic_narrative": text}

    translations = [one(LANGUAGES[language], source, text) for language, text in words.items()
                    for source in ("human translation", "machine translation")]
    return json.dumps({"topic_id": str(number), "languages_with_qrels": list(LANGUAGES.values()),
                       "topics": [one("eng", "original", title), *translations]},
                      ensure_ascii=False) + "\n"


def write_collection(home: Path) -> dict[str, list[dict[str, str]]]:
    """Write the collection where ir_datasets looks for it, and return its documents by language."""
    numbers = {title: number for number, title in enumerate(TOPICS)}
    corpora: dict[str, list[dict[str, str]]] = {language: [] for language in LANGUAGES}
    judged = []
    for i, (language, document, title, relevance) in enumerate(documents()):
        corpora[language].append(document)
        if i % 4:  # the others are unjudged
            judged.append(f"{numbers[title]} {LANGUAGES[language]} {document['id']} {relevance}\n")
    for language, part in corpora.items():
        folder = home / "neuclir" / "1" / LANGUAGES[language]
        folder.mkdir(parents=True, exist_ok=True)
        with gzip.open(folder / "docs.jsonl.gz", "wt", encoding="utf-8") as output:
            output.writelines(json.dumps(document, ensure_ascii=False) + "\n" for document in part)
    for year in YEARS:
        folder = home / "neuclir" / f"trec-{year}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "topics.jsonl").write_text("".join(
            topic_json(numbers[title], title, words) for title, words in TOPICS.items()),
            encoding="utf-8")
        qrels = folder / ("qrels" if year == 2022 else "qrels.final.gains")
        qrels.write_text("".join(judged))
        if year == 2023:
            with tarfile.open(folder / "qrels.tar.gz", "w:gz") as archive:
                archive.add(qrels, qrels.name)
    return corpora


def tokens(text: str) -> dict[str, int]:
    """The words of a text and their counts; of Chinese, the pairs of characters."""
    return Counter(token for word in text.split() for token in (
        [word] if word[0] < "\u4e00" else map("".join, itertools.pairwise(word))))


def write_runs(corpora: dict[str, list[dict[str, str]]], folder: Path) -> list[Path]:
    """Retrieve with the translated topics, and write two runs."""
    from quickstart import PisaIndex, without_native_output
    frame = pd.DataFrame({"docno": document["id"], "language": language,
                          "toks": tokens(f"{document['title']} {document['text']}")}
                         for language, part in corpora.items() for document in part)
    topics = pd.DataFrame({"qid": str(number), "query": title, "query_toks":
                           tokens(" ".join(words.values()))}
                          for number, (title, words) in enumerate(TOPICS.items()))

    def bm25(name: str, part: pd.DataFrame) -> pd.DataFrame:
        index = PisaIndex(str(folder / name), stemmer="none", threads=1)
        index.index(part[["docno", "toks"]].to_dict("records"))
        return index.bm25(threads=1, num_results=40)(topics)

    with without_native_output():
        by_score = bm25("all", frame)
        parts = pd.concat([bm25(language, part) for language, part in frame.groupby("language")])
    in_turn = parts.sort_values(["qid", "rank", "score"], ascending=[True, True, False])
    in_turn["rank"] = in_turn.groupby("qid").cumcount()
    in_turn["score"] = -in_turn["rank"].astype(float)
    paths = []
    for name, run in (("by score", by_score), ("in turn", in_turn)):
        paths.append(folder / name)
        pt.io.write_results(run, str(paths[-1]), run_name=name.replace(" ", "-"))
    return paths


def main(arguments: Sequence[str] | None = None) -> pd.DataFrame | None:
    """Print the table and return it; ``None`` if another process does so."""
    parser = comparison.arguments(__doc__)
    parser.add_argument("runs", nargs="*", type=file)
    parser.add_argument("--year", type=int, choices=YEARS, default=2023)
    given = parser.parse_args(arguments)
    if not given.runs:
        print("A generated collection in NeuCLIR's format, not NeuCLIR:", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            runs = write_runs(write_collection(home), home)
            # In another process, because ir_datasets looks into one folder for as long as it runs.
            subprocess.run(
                [sys.executable, __file__, *map(str, runs), "--year", str(given.year),
                 "--figures", str(given.figures)],
                env={**os.environ, "IR_DATASETS_HOME": folder}, check=True)
        return None
    groups = dataset_id(given.year)
    qrels, runs = pt.get_dataset(f"irds:{groups}").get_qrels(), read_runs(given.runs)
    values = table(runs, qrels, groups)
    print(values.round(4).to_string())
    comparison.save(figure(runs, qrels, groups), given.figures, f"neuclir-{given.year}")
    return values


if __name__ == "__main__":
    main()
