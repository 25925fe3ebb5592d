"""TREC tracks with groups: newswire, Fair Ranking, Decision and NeuCLIR; and CLEF eHealth.

**Newswire** (disks 4 and 5 without CR). The source of an article, from its docno. The documents are
not needed.

**Fair Ranking 2021 and 2022.** Continents, gender and other groups of articles of the English
Wikipedia. They are in a metadata file of the track, which is downloaded with the judgments; the
articles are not read. The shares and populations of the target distributions are from the tracks'
public evaluation code: trec2021-fair-public and trec2022-fair-public.

**Decision 2019** (``trec-misinfo-2019``). Relevant pages of ClueWeb12-B13 were judged for what they
say of the treatment in the topic, and for their credibility
(https://trec.nist.gov/data/misinfo2019.html). The corpus, which is licensed, is not needed.

**CLEF eHealth 2016 and 2017** (``clef-ehealth``). Pages of ClueWeb12-B13 were judged for their
trustworthiness, from 0 to 100. Participants of 2017 were asked to leave out the documents that were
judged in 2016. Where a document was judged for the same topic in both years, the relevance and the
trustworthiness of 2017 count, as in ir_measures' own measures. The corpus is not needed.

**NeuCLIR 2022 and 2023.** The language of news in Chinese, Persian and Russian, judged for the same
topics. ir_datasets has the judgments of 2022 by language; ``neuclir/1/trec-2022/language`` has all
of them, and the topics with judgments in at least one language. The language of an unjudged
document is known if ir_datasets has the corpora: docnos do not tell it.

Importing this module imports neither ir_datasets nor pandas: the groups of newswire need neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

#: Foreign Broadcast Information Service, Federal Register, Financial Times, Los Angeles Times.
_NEWSWIRE = ("FBIS", "FR", "FT", "LA")
_ROBUST = "disks45/nocr/trec-robust-2004"
_FOLDS = [f"{_ROBUST}/fold{number}" for number in range(1, 6)]


def newswire(name: str) -> Any:
    """Return the sources of documents as groups, from the prefix of the docno."""
    from pt_fairness import groups
    prefixes = "|".join(_NEWSWIRE)
    return groups.from_pattern(rf"^({prefixes})\d", _NEWSWIRE, name)


def _register_newswire(registry: Any) -> None:
    """Register ``…/source`` for the TREC-8 and Robust04 ids of ir_datasets."""
    from pt_fairness.collections.arguments import labelled, variant
    convert = partial(labelled, "trec-newswire")
    for base_id in ("disks45/nocr/trec8", _ROBUST, *_FOLDS):
        variant(registry, base_id, "source", convert)


def trec_fair(name: str) -> Any:
    """Return a field of the metadata as groups."""
    from pt_fairness.collections.sources import FromMetadata
    return FromMetadata(name)


def _register_trec_fair(registry: Any) -> None:
    """Register the fields as variants of ``trec-fair/2021/eval`` and ``trec-fair/2022/train``."""
    from pt_fairness.collections import SOURCES
    from pt_fairness.collections.arguments import variant
    for name, function in SOURCES.items():
        # Qrels cannot hold the weights of the official sources.
        if function == "trec.trec_fair" and not name.endswith("/official"):
            base_id, _, field = name.rpartition("/")
            variant(registry, base_id, field)


#: The population of each UN subregion, with Oceania as one.
_POPULATION = {
    "Antarctica": 1_106, "Caribbean": 42_517_000, "Central America": 167_387_000,
    "Central Asia": 64_370_000, "Eastern Africa": 373_202_000, "Eastern Asia": 1_620_807_000,
    "Eastern Europe": 294_162_000, "Middle Africa": 135_750_000, "Northern Africa": 210_002_000,
    "Northern America": 355_361_000, "Northern Europe": 100_404_000, "Oceania": 38_304_000,
    "South America": 406_740_000, "South-eastern Asia": 618_793_000, "Southern Africa": 60_425_000,
    "Southern Asia": 1_749_046_000, "Southern Europe": 155_827_000, "Western Africa": 331_255_000,
    "Western Asia": 245_707_000, "Western Europe": 192_060_000}
_PEOPLE = sum(_POPULATION.values())
#: The background distributions, by the name of the target. With ``/track`` appended, half of the
#: target is the distribution of the topic's relevant documents.
TARGETS = {
    "trec-fair/2021/world": {
        "Africa": 0.155070563, "Antarctica": 1.54424e-07, "Asia": 0.600202585,
        "Europe": 0.103663858, "Latin America and the Caribbean": 0.08609797,
        "Northern America": 0.049616733, "Oceania": 0.005348137},
    "trec-fair/2021/gender": {"female": 0.495, "male": 0.495, "third": 0.01},
    "trec-fair/2022/gender": {"Woman": 0.495, "Man": 0.495, "Non-binary": 0.01},
}
TARGETS["trec-fair/2022/world"] = {region: n / _PEOPLE for region, n in _POPULATION.items()}
#: The share of the relevant documents in the targets of the tracks.
_RELEVANT = 0.5


def target(name: str) -> Any:
    """Return a target of the tracks."""
    import pandas as pd

    from pt_fairness.targets import Target
    shares = TARGETS[name.removesuffix("/track")]
    frame = pd.DataFrame(shares.items(), columns=["group", "share"])
    return Target(name, frame, _RELEVANT if name.endswith("/track") else 0.0)


_MISINFO = "clueweb12/b13/trec-misinfo-2019"
_EHEALTH = "clueweb12/b13/clef-ehealth"
#: The groups of each field by level; ``-`` for none. The order is ascending. The fields are the
#: fourth and the fifth of a judgment; ir_datasets 0.6.3 misspells ``credibility``.
_JUDGED_LEVELS = {
    "effectiveness": {-2: "-", -1: "-", 0: "-", 1: "ineffective", 2: "inconclusive",
                      3: "effective"},
    "credibility": {-2: "-", -1: "-", 0: "not-credible", 1: "credible"},
}


def clueweb12(name: str) -> Any:
    """Return the effectiveness or the credibility of the judged pages, by topic, as groups."""
    from pt_fairness import groups
    _, _, field = name.rpartition("/")
    levels = _JUDGED_LEVELS[field]
    labels = [label for label in levels.values() if label != "-"]
    return groups.from_irds(name, "iteration", labels, name, order=labels)


def trustworthiness(name: str) -> Any:
    """Return the trustworthiness of the judged pages, by topic."""
    import ir_datasets
    import pandas as pd

    from pt_fairness.values import from_frame
    rows = ir_datasets.load(name).qrels_iter()
    frame = pd.DataFrame(rows, columns=["qid", "docno", "relevance", "value"])
    frame["value"] = frame["value"].astype(float)
    return from_frame(frame, name)


def _register_clueweb12(registry: Any) -> None:
    """Register the fields of the judgments as variants of the ids of ir_datasets."""
    from pt_fairness.collections.arguments import graded, variant
    for place, (field, levels) in enumerate(_JUDGED_LEVELS.items(), 3):
        variant(registry, _MISINFO, field, partial(graded, place, levels))
    variant(registry, _EHEALTH, "trustworthiness", _trusted)


def _trusted(rows: list[Any]) -> Iterator[Any]:
    from ir_datasets.formats import TrecQrel

    # ir_datasets reads 2016 before 2017.
    last = {(row.query_id, row.doc_id): row for row in rows}
    for row in last.values():
        yield TrecQrel(*row[:3], str(row.trustworthiness))


#: The languages by their names in the qrels, and the corpus of each.
LANGUAGES = {"zho": "zh", "fas": "fa", "rus": "ru"}
CORPORA = {language: f"neuclir/1/{language}" for language in LANGUAGES.values()}


def neuclir(name: str) -> Any:
    """Return the languages of documents as groups."""
    from pt_fairness.collections.sources import Languages
    return Languages(name, CORPORA)


def _register_neuclir(registry: Any) -> None:
    """Register ``neuclir/1/trec-2022/language`` and ``neuclir/1/trec-2023/language``."""
    from ir_datasets.datasets.base import Dataset, FilteredQueries
    from ir_datasets.datasets.neuclir import NAME, QREL_DEFS
    from ir_datasets.formats import ExctractedCCMultiMtQuery, ExctractedCCQueries, TrecQrels
    from ir_datasets.util import DownloadConfig, Lazy, home_path

    from pt_fairness.collections.arguments import GroupQrels, graded
    files = DownloadConfig.context(NAME, home_path() / NAME)
    docs = registry[f"{NAME}/1/multi"].docs_handler()
    edition = registry[f"{NAME}/1/multi/trec-2023"]
    qrels = TrecQrels(files["trec-2022/qrels"], QREL_DEFS)
    # The translations are from the topics of 2023.
    topics = ExctractedCCQueries(files["trec-2022/queries"], filter_lwq=False,
                                 cls=ExctractedCCMultiMtQuery, namespace=NAME)
    judged = Lazy(lambda: {row.query_id for row in qrels.qrels_iter()})
    convert = partial(graded, 3, LANGUAGES)
    for year, queries, judgments in (
            ("2022", FilteredQueries(topics, judged), qrels),
            ("2023", edition.queries_handler(), edition.qrels_handler())):
        dataset = Dataset(docs, queries, GroupQrels(judgments, convert))
        registry.register(f"{NAME}/1/trec-{year}/language", dataset)


def register(registry: Any) -> None:
    """Register the dataset ids with ir_datasets."""
    _register_newswire(registry)
    _register_trec_fair(registry)
    _register_clueweb12(registry)
    _register_neuclir(registry)
