"""Groups of Wikipedia articles from the metadata of the TREC Fair Ranking tracks.

A metadata file has a JSON object for each of up to 6.5 million articles. A source reads the file
when its groups are first needed, and keeps the weights of the labels in a table beside it.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

import ir_datasets
import numpy as np
import pandas as pd
from scipy import sparse

from pt_fairness.core.messages import UNANNOTATED, listed, warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.io.files import written_whole

_QUALITY = ("Stub", "Start", "C", "B", "GA", "FA")
_CONTINENTS = ("Africa", "Antarctica", "Asia", "Europe", "Latin America and the Caribbean",
               "Northern America", "Oceania")
#: The UN subregions, with Oceania as one, as in the evaluation code of the track.
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


class Field(NamedTuple):
    """A field of the metadata that holds groups: a label, a list of labels or counts by label."""

    key: str
    #: The label set, ascending if it has an order.
    labels: tuple[str, ...]
    ordered: bool = False
    #: Labels in the file that are replaced, and their replacements.
    merged: Mapping[str, str] = {}
    #: Whether the weight of a label in a document is its count, or how many labels it replaces.
    weighted: bool = False
    #: The label in the file that stands for unknown groups and is counted; ``''`` for none.
    unknown: str = ""
    #: The label of all other values in the file; ``''`` for no label.
    default: str = ""


_PAGE_REGIONS = Field("page_subcont_regions", _REGIONS, merged=_OCEANIA)
_SOURCE_REGIONS = Field("source_subcont_regions", _REGIONS, merged=_OCEANIA, weighted=True)
#: The key and the labels of the fields that have an order, by the names of the sources.
_ORDERED = {
    "trec-fair/2021/eval/quality": ("quality_score_disc", _QUALITY),
    "trec-fair/2022/train/years": (
        "years_category", ("Pre-1900s", "20th century", "21st century")),
    "trec-fair/2022/train/quality": ("qual_cat", _QUALITY),
    "trec-fair/2022/train/popularity": (
        "relative_pageviews_category", ("Low", "Medium-Low", "Medium-High", "High")),
    "trec-fair/2022/train/age": (
        "creation_date_category", ("2001-2006", "2007-2011", "2012-2016", "2017-2022")),
    "trec-fair/2022/train/alphabet": (
        "first_letter_category", ("a-d", "e-k", "l-r", "s-")),
    "trec-fair/2022/train/languages": (
        "num_sitelinks_category", ("English only", "2-4 languages", "5+ languages")),
}
#: All fields.
FIELDS = {
    **{name: Field(key, labels, True) for name, (key, labels) in _ORDERED.items()},
    "trec-fair/2021/eval/locations": Field("geographic_locations", _CONTINENTS),
    "trec-fair/2022/train/gender": Field("gender_category", _GENDERS),
    "trec-fair/2022/train/regions": _PAGE_REGIONS,
    "trec-fair/2022/train/source-regions": _SOURCE_REGIONS,
    "trec-fair/2022/train/occupations": Field("occupations", _OCCUPATIONS),
    # As the evaluation code of the track reads them.
    "trec-fair/2022/train/gender/official": Field(
        "gender", _GENDERS, merged=_SEXES, default="Non-binary"),
    "trec-fair/2022/train/regions/official": _PAGE_REGIONS._replace(weighted=True),
    "trec-fair/2022/train/source-regions/official": _SOURCE_REGIONS._replace(unknown="UNK"),
}
#: The attribute of ir_datasets' document handler that holds the metadata file.
_METADATA = {"trec-fair/2021/eval": "_mlc", "trec-fair/2022/train": "_metadata_dlc"}
#: The labels of unknown groups in the metadata.
_UNKNOWN = {*UNANNOTATED, "UNK", "Unknown", None}


class FromMetadata(Groups):
    """Groups from a field of a metadata file.

    Labels outside the label set count as unannotated, with a warning.

    :param name: the name of the groups
    """

    complete = True

    def __init__(self, name: str) -> None:
        self._field = field = FIELDS[name]
        super().__init__(name, field.labels, field.labels if field.ordered else None)
        self.weighted = field.weighted
        self._warned = False

    def _content(self) -> Any:
        return self.name, self._field

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        pages, weights = self._weights
        docnos = np.asarray(docnos, object)
        document, texts = pd.factorize(docnos)
        numbers = pd.to_numeric(texts, errors="coerce")
        place = pages[:-1].searchsorted(numbers)
        # An id has only one form: "12", and not "012" or "12.0".
        nearest = pages[place]
        is_known = nearest.astype(str) == texts
        lacking = texts[~is_known]
        if len(lacking) and not self._warned:
            self._warned = True
            warn(f"{self.name}: {len(lacking)} of {len(texts)} documents are not in the metadata "
                 f"(the first: {lacking[0]!r}) and count as unannotated")
        item = np.flatnonzero(is_known[document])
        page = place[document[item]]
        rows = weights[page]
        cells = rows[:, :-1].tocoo()
        unknown = np.full(len(docnos), np.nan)
        unknown[item] = rows[:, [-1]].toarray().ravel()
        weight = cells.data.astype(float) if self.weighted else None
        labels = cells.col.astype(np.int64)
        return Memberships(item[cells.row], labels, list(self._field.labels), weight, unknown)

    @cached_property
    def _weights(self) -> tuple[Any, Any]:
        """The sorted document ids, and the weight of each label and of unknown groups for each.

        The weights are sparse, ``[documents, labels + 1]``.
        """
        dataset_id = "/".join(self.name.split("/")[:3])
        handler = ir_datasets.load(dataset_id).docs_handler()
        source = getattr(handler, _METADATA[dataset_id])
        # Parsing takes minutes.
        table = f"{source.path(force=False)}.{self.digest()}.npz"
        if os.path.exists(table):
            pages, *parts = np.load(table).values()
            return pages, sparse.csr_matrix(tuple(parts), (len(pages), len(self._field.labels) + 1))
        pages, weights = self._read(source)
        with suppress(OSError), written_whole(table) as file:  # the folder may be read-only
            np.savez_compressed(file, pages, weights.data, weights.indices, weights.indptr)
        return pages, weights

    def _read(self, source: Any) -> tuple[Any, Any]:
        """Read the ids and the weights from the metadata file."""
        key, labels, _, merged, _, counted, default = self._field
        codes: dict[str | None, int | None] = dict.fromkeys(_UNKNOWN)
        codes |= {label: code for code, label in enumerate((*labels, counted)) if label}
        codes |= {label: codes[replacement] for label, replacement in merged.items()}
        rest = codes.get(default)
        pages, row, column, weight = array("q"), array("i"), array("B"), array("i")
        others: dict[str, bool] = {}
        log = ir_datasets.log.easy()
        with source.stream() as lines:
            for line in log.pbar(lines, desc=f"metadata ({self.name})", unit="doc", quiet=True):
                record = json.loads(line)
                value = record.get(key) or ()
                for label in [value] if isinstance(value, str) else value:
                    code = codes.get(label, rest)
                    if code is not None:
                        row.append(len(pages))
                        column.append(code)
                        weight.append(value[label] if isinstance(value, dict) else 1)
                    elif label not in codes:
                        others[label] = True
                pages.append(record["page_id"])
        if others:
            warn(f"{self.name}: the metadata have labels other than {listed(labels)}, which count "
                 f"as unannotated: {listed(others)}")
        shape = len(pages), len(labels) + 1
        weights = sparse.coo_matrix((weight, (row, column)), shape).tocsr()
        # The evaluation code of the track takes the first line of each document.
        distinct, first = np.unique(pages, return_index=True)
        weights = weights[first]
        weights.eliminate_zeros()
        return distinct, weights
