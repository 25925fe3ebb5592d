"""TREC tracks with groups: newswire, Fair Ranking, Decision and NeuCLIR; and CLEF eHealth.

**Newswire** (disks 4 and 5 without CR). The source of an article, from its docno. The documents are
not needed.

**Fair Ranking 2021 and 2022.** Continents, gender and other groups of articles of the English
Wikipedia. They are in a metadata file of the track, which is downloaded with the judgments; the
articles are not read. The shares and populations of the target distributions are those of the
tracks' public evaluation code: trec2021-fair-public and trec2022-fair-public.

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
from operator import attrgetter, itemgetter
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
    from pt_fairness.collections.variants import labelled, variant
    convert = partial(labelled, newswire, "trec-newswire")
    text = ("The iteration field holds the source of the document, which its docno begins with: "
            f"{', '.join(_NEWSWIRE)}.")
    for base_id in ("disks45/nocr/trec8", _ROBUST, *_FOLDS):
        variant(registry, base_id, "source", convert, "with sources", text)


_QUALITY = ("Stub", "Start", "C", "B", "GA", "FA")
_CONTINENTS = ("Africa", "Antarctica", "Asia", "Europe", "Latin America and the Caribbean",
               "Northern America", "Oceania")
#: The UN subregions, those of Oceania merged as in the evaluation code of the track.
_REGIONS = (
    "Antarctica", "Caribbean", "Central America", "Central Asia", "Eastern Africa", "Eastern Asia",
    "Eastern Europe", "Middle Africa", "Northern Africa", "Northern America", "Northern Europe",
    "Oceania", "South America", "South-eastern Asia", "Southern Africa", "Southern Asia",
    "Southern Europe", "Western Africa", "Western Asia", "Western Europe")
_OCEANIA = dict.fromkeys(("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia"),
                         "Oceania")
_GENDERS = ("Man", "Non-binary", "Woman")
#: The genders of the evaluation code of the track, by the text in the metadata.
_SEXES = {"male": "Man", "female": "Woman", "transgender male": "Man",
          "transgender female": "Woman", "cisgender male": "Man", "cisgender female": "Woman"}
_OCCUPATIONS = (
    "activist", "agricultural worker", "artist", "athlete", "biologist", "businessperson",
    "chemist", "civil servant", "clergyperson", "computer scientist", "designer", "earth scientist",
    "educator", "engineer", "health professional", "humanities scholar", "information professional",
    "journalist", "jurist", "linguist", "mathematician", "media professional", "military personnel",
    "musician", "performing artist", "physicist", "politician", "scientist", "social scientist",
    "sportsperson (non-athlete)", "transportation occupation", "writer")

_REGIONS_OF_PAGE = {"key": "page_subcont_regions", "labels": _REGIONS, "merged": _OCEANIA}
_REGIONS_OF_SOURCES = {"key": "source_subcont_regions", "labels": _REGIONS, "merged": _OCEANIA,
                       "counts": True, "weighted": True}
#: The fields of 2022 whose labels have an order: the key in the metadata and the labels.
_ORDERED = {
    "years": ("years_category", ("Pre-1900s", "20th century", "21st century")),
    "quality": ("qual_cat", _QUALITY),
    "popularity": ("relative_pageviews_category", ("Low", "Medium-Low", "Medium-High", "High")),
    "age": ("creation_date_category", ("2001-2006", "2007-2011", "2012-2016", "2017-2022")),
    "alphabet": ("first_letter_category", ("a-d", "e-k", "l-r", "s-")),
    "languages": ("num_sitelinks_category", ("English only", "2-4 languages", "5+ languages")),
}
#: The fields of each dataset id, by suffix, with the arguments of ``document_groups.Field``.
_FIELDS: dict[str, dict[str, dict[str, Any]]] = {
    "trec-fair/2021/eval": {
        "locations": {"key": "geographic_locations", "labels": _CONTINENTS},
        "quality": {"key": "quality_score_disc", "labels": _QUALITY, "ordered": True},
    },
    "trec-fair/2022/train": {
        "gender": {"key": "gender_category", "labels": _GENDERS},
        "regions": _REGIONS_OF_PAGE,
        "source-regions": _REGIONS_OF_SOURCES,
        "occupations": {"key": "occupations", "labels": _OCCUPATIONS},
    },
}
for _suffix, (_key, _labels) in _ORDERED.items():
    _field = {"key": _key, "labels": _labels, "ordered": True}
    _FIELDS["trec-fair/2022/train"][_suffix] = _field
#: The fields as the evaluation code of the track reads them, where that differs. They are sources
#: without a dataset id: qrels have no place for weights.
_OFFICIAL: dict[str, dict[str, Any]] = {
    "gender": {"key": "gender", "labels": _GENDERS, "default": "Non-binary", "merged": _SEXES},
    "regions": {**_REGIONS_OF_PAGE, "weighted": True},
    "source-regions": {**_REGIONS_OF_SOURCES, "unknown": "UNK"},
}
#: The attribute of ir_datasets' document handler that holds the metadata file.
_METADATA = {"trec-fair/2021/eval": "_mlc", "trec-fair/2022/train": "_metadata_dlc"}
_MEANING = {
    "locations": "the continents of the places that the article is about",
    "regions": "the UN subregions of the places that the article is about",
    "source-regions": "the UN subregions of the sources that the article cites",
    "gender": "the gender of the person that the article is about",
    "occupations": "the occupations of the person that the article is about",
    "years": "the time that the article is about",
    "quality": "the predicted quality of the article",
    "popularity": "how often the article was viewed",
    "age": "the years in which the article was created",
    "alphabet": "the first letter of the title",
    "languages": "the number of languages in which there is an article",
}


def trec_fair(name: str) -> Any:
    """Return a field of the metadata as groups."""
    from pt_fairness.collections.document_groups import Field, FromMetadata
    dataset_id = "trec-fair/2021/eval" if "/2021/" in name else "trec-fair/2022/train"
    fields = {}
    for suffix, field in _FIELDS[dataset_id].items():
        source = f"{dataset_id}/{suffix}"
        fields[source] = Field(**field)
    if dataset_id == "trec-fair/2022/train":
        for suffix, field in _OFFICIAL.items():
            source = f"{dataset_id}/{suffix}/official"
            fields[source] = Field(**field, official=True)
    attribute = _METADATA[dataset_id]
    return FromMetadata(name, fields[name], fields.values(), dataset_id, attribute)


def _register_trec_fair(registry: Any) -> None:
    """Register the fields as variants of ``trec-fair/2021/eval`` and ``trec-fair/2022/train``."""
    from pt_fairness.collections.variants import UNCOUNTED, labelled, variant
    for base_id, fields in _FIELDS.items():
        for suffix in fields:
            convert = partial(labelled, trec_fair, f"{base_id}/{suffix}")
            text = (f"The iteration field holds {_MEANING[suffix]}. An article with several groups "
                    "has a row for each of them.")
            variant(registry, base_id, suffix, convert, f"with {suffix}", text, metadata=UNCOUNTED)


#: The population of each UN subregion; those of Oceania are one.
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
    "trec-fair/2022/world": {region: n / _PEOPLE for region, n in _POPULATION.items()},
    "trec-fair/2022/gender": {"Woman": 0.495, "Man": 0.495, "Non-binary": 0.01},
}
#: The share of the relevant documents in the targets of the tracks.
OF_QRELS = 0.5


def target(name: str) -> Any:
    """Return a target of the tracks."""
    import pandas as pd

    from pt_fairness.targets import Target
    shares = TARGETS[name.removesuffix("/track")]
    frame = pd.DataFrame(shares.items(), columns=["group", "share"])
    of_qrels = OF_QRELS if name.endswith("/track") else 0.0
    return Target(name, frame, of_qrels)


_MISINFO = "clueweb12/b13/trec-misinfo-2019"
_EHEALTH = "clueweb12/b13/clef-ehealth"
#: The positions of the fields in a judgment, because ir_datasets 0.6.3 calls the credibility
#: ``redibility``.
_POSITIONS = {"effectiveness": 3, "credibility": 4}
#: The groups of each field by level; ``-`` for no group. The order is ascending.
_JUDGED_LEVELS = {
    "effectiveness": {-2: "-", -1: "-", 0: "-", 1: "ineffective", 2: "inconclusive",
                      3: "effective"},
    "credibility": {-2: "-", -1: "-", 0: "not-credible", 1: "credible"},
}
_JUDGED_TEXT = {
    "effectiveness": "The iteration field holds what the page says of the treatment: ineffective, "
                     "inconclusive or effective. Pages that say nothing of it, and pages that are "
                     "not relevant, have no group.",
    "credibility": "The iteration field holds the credibility of the page: not-credible or "
                   "credible. Pages that are not relevant have no group.",
}
_HIGHEST_TRUST = 100


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

    from pt_fairness.io import irds as reading
    from pt_fairness.values import from_frame
    handler = ir_datasets.load(name).qrels_handler()
    rows = reading.judgments(handler)
    frame = pd.DataFrame(rows, columns=["qid", "docno", "relevance", "value"])
    del frame["relevance"]
    frame["value"] = frame["value"].astype(float)
    return from_frame(frame, name)


def _register_clueweb12(registry: Any) -> None:
    """Register the fields of the judgments as variants of the ids of ir_datasets."""
    from pt_fairness.collections.variants import UNCOUNTED, graded, variant
    for field, text in _JUDGED_TEXT.items():
        levels = _JUDGED_LEVELS[field]
        value_of = itemgetter(_POSITIONS[field])
        convert = partial(graded, field, value_of, levels)
        variant(registry, _MISINFO, field, convert, f"with {field}", text)
    variant(registry, _EHEALTH, "trustworthiness", _trusted, "with trustworthiness",
            "The iteration field holds the trustworthiness of the page, from 0 to 100. Where it "
            "was judged in 2016 and in 2017, the judgment of 2017 counts.", metadata=UNCOUNTED)


def _trusted(qrels: Any, rows: list[Any]) -> Iterator[Any]:
    from ir_datasets.formats import TrecQrel

    from pt_fairness.io import irds as reading
    # ir_datasets reads 2016 before 2017.
    last = {(row.query_id, row.doc_id): row for row in rows}
    for row in last.values():
        trust = row.trustworthiness
        if not 0 <= trust <= _HIGHEST_TRUST:
            raise reading.invalid(qrels, row, "the trustworthiness", trust,
                                  f"from 0 to {_HIGHEST_TRUST}")
        yield TrecQrel(row.query_id, row.doc_id, row.relevance, str(trust))


#: The languages by their names in the qrels, and the corpus of each.
LANGUAGES = {"zho": "zh", "fas": "fa", "rus": "ru"}
CORPORA = {language: f"neuclir/1/{language}" for language in LANGUAGES.values()}


def neuclir(name: str) -> Any:
    """Return the languages of documents as groups."""
    from pt_fairness.collections.document_groups import Languages
    return Languages(name, CORPORA, "neuclir/1/languages.tsv")


def _register_neuclir(registry: Any) -> None:
    """Register ``neuclir/1/trec-2022/language`` and ``neuclir/1/trec-2023/language``."""
    from ir_datasets.datasets.base import Dataset, FilteredQueries
    from ir_datasets.datasets.neuclir import NAME, QREL_DEFS
    from ir_datasets.formats import ExctractedCCMultiMtQuery, ExctractedCCQueries, TrecQrels
    from ir_datasets.util import DownloadConfig, Lazy, home_path

    from pt_fairness.collections.variants import Documentation, GroupQrels, graded
    folder = home_path() / NAME
    files = DownloadConfig.context(NAME, folder)
    base = registry[f"{NAME}/1/multi"]
    edition = registry[f"{NAME}/1/multi/trec-2023"]
    qrels = TrecQrels(files["trec-2022/qrels"], QREL_DEFS)
    # The translations are those of the topics of 2023.
    topics = ExctractedCCQueries(files["trec-2022/queries"], filter_lwq=False,
                                 cls=ExctractedCCMultiMtQuery, namespace=NAME)
    judged = Lazy(lambda: {row.query_id for row in qrels.qrels_iter()})
    language = attrgetter("iteration")
    to_groups = partial(graded, "language", language, LANGUAGES)
    text = ("The judgments of all three languages. The iteration field holds the language of the "
            f"document: {', '.join(CORPORA)}.")
    for year, queries, judgments in (
            ("2022", FilteredQueries(topics, judged), qrels),
            ("2023", edition.queries_handler(), edition.qrels_handler())):
        about = Documentation(f"NeuCLIR at TREC {year}, with languages", text)
        with_groups = GroupQrels(judgments, to_groups)
        dataset = Dataset(base.docs_handler(), queries, with_groups, about)
        dataset_id = f"{NAME}/1/trec-{year}/language"
        registry.register(dataset_id, dataset)


def register(registry: Any) -> None:
    """Register the dataset ids with ir_datasets."""
    _register_newswire(registry)
    _register_trec_fair(registry)
    _register_clueweb12(registry)
    _register_neuclir(registry)
