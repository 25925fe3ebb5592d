"""The paragraph on an experiment for a paper, in text and LaTeX, with BibTeX."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from contextlib import suppress

import ir_measures
import pandas as pd

from pt_fairness import groups as group_sources
from pt_fairness.analysis.notes import on_replaced_shares
from pt_fairness.analysis.tables import latex_escaped
from pt_fairness.core import __version__
from pt_fairness.core.messages import enumerated, first_names, plural
from pt_fairness.groups.combinations import ModelLabels
from pt_fairness.measures.descriptions import BIBLIOGRAPHY, ideal_in_words, target_and_protected
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.reporting.answer import results
from pt_fairness.reporting.frames import Experiment, Source

#: The papers of measures of ir_measures, by the name of the measure.
PAPERS = {"Bpref": ("buckley2004",), "ERR": ("chapelle2009",), "RBP": ("moffat2008",),
          "alpha_DCG": ("clarke2008",), "alpha_nDCG": ("clarke2008",), "nDCG": ("jarvelin2002",)}
#: The citation key of this package, and its entry.
SOFTWARE = "ptfairness"
_ENTRY = f"""\
@software{{{SOFTWARE},
  author = {{{{The pt\\_fairness developers}}}},
  title = {{{{pt\\_fairness: fairness, viewpoint-diversity and bias measures for PyTerrier and
           ir\\_measures}}}},
  version = {{{__version__}}},
  year = {{2026}},
}}"""
#: A citation in a text: the keys of its references between two characters of private use.
_CITATION = re.compile("\ue000(.*?)\ue001")


def paragraph(experiment: Experiment, found: pd.DataFrame, hidden: Sequence[str]) -> str:
    """Return the paragraph, with citations.

    :param found: what :func:`pt_fairness.reporting.answer.answer` returns
    :param hidden: the sentences on groups that systems hide
    """
    facts = experiment.facts
    cited = []
    described = []
    for label, column, measure in zip(experiment.names, experiment.columns, experiment.measures,
                                      strict=True):
        name = label if label == column else f"{label}, which is {column}"
        papers = getattr(measure, "SOURCE", PAPERS.get(measure.NAME, ()))
        cited.append(name + _cite(*papers))
        if isinstance(measure, FairnessMeasure):
            described.append(_description(label, measure, column in facts.several))
    sentences = [f"We evaluate {plural(len(experiment.systems), 'system')} on "
                 f"{plural(len(experiment.topics), 'topic')} by {enumerated(cited)}.", *described]
    for source in experiment.sources:
        sentences += _group_sentences(experiment, source)
    if facts.comparison is not None:
        holm = _cite("holm1979") if "Holm" in str(facts.comparison) else ""
        sentences.append(f"Differences from {facts.comparison.baseline} are tested over the topics "
                         f"({facts.comparison}){holm}.")
    sentences += results(experiment, found)
    labels = dict(zip(experiment.columns, experiment.names, strict=True))
    sentences += [*on_replaced_shares(facts, experiment.columns, labels), *hidden]
    sentences.append(f"The values were computed with pt_fairness {__version__}{_cite(SOFTWARE)} "
                     f"and ir_measures {ir_measures.__version__}{_cite('macavaney2022')}.")
    return " ".join(sentences)


def _cite(*keys: str) -> str:
    """Return a citation behind a word, ``''`` without references."""
    return f" (\ue000{','.join(keys)}\ue001)" if keys else ""


def _description(label: str, measure: FairnessMeasure, several: bool) -> str:
    """Return what a measure asks, what its ideal value means, and its target.

    :param several: whether ``protected`` is not set, and there are more than two groups
    """
    question = measure.SHORT_DESC.rstrip(".")
    details = [ideal_in_words(measure), target_and_protected(measure, several)]
    return f"{label}: {question} ({'; '.join(filter(None, details))})."


def _group_sentences(experiment: Experiment, source: Source) -> list[str]:
    """Return the groups of a source, and how good the labels of a model are."""
    users = ""
    if len(experiment.sources) > 1:
        names = [experiment.names[place] for place in source.measures]
        users = f" of {enumerated(names)}"
    sentences = [f"The groups{users} are from {source.name} ({first_names(source.labels)})."]
    groups = None if source.groups is None else group_sources.get(source.groups)
    if isinstance(groups, ModelLabels):
        with suppress(ValueError):  # if no document has both labels
            sentences.append(_agreement(groups))
    return sentences


def _agreement(groups: ModelLabels) -> str:
    """Return how far the labels of a model agree with human ones.

    :raises ValueError: if no document has both labels
    """
    rates = group_sources.error_rates(groups.model, groups.human)
    share, low, high, n = rates.summary.loc["accuracy"]
    kappa, kappa_low, kappa_high, compared = rates.summary.loc["kappa"]
    name = os.path.basename(groups.model.made_of or groups.model.registered)
    interval = "" if math.isnan(kappa) else f" (κ {kappa:.2f} [{kappa_low:.2f}, {kappa_high:.2f}])"
    text = (f"The labels of {name} agree with {n:.0f} human labels in {share:.1%} "
            f"[{100 * low:.1f}, {100 * high:.1f}]{interval}.")
    if compared < n:
        text += (f" {n - compared:.0f} of these documents are without a label of the model: they "
                 "count as wrong, and κ leaves them out.")
    return text.replace("%", " %")


def plain(text: str) -> str:
    """Return a text with citations by author and year."""
    short = {key: reference.short for key, reference in BIBLIOGRAPHY.items()}
    short[SOFTWARE] = "the pt_fairness developers"
    return _CITATION.sub(lambda match: "; ".join(short[key] for key in match[1].split(",")), text)


def latex(text: str) -> str:
    """Return a text in LaTeX, with ``\\cite``."""
    return _CITATION.sub(r"\\cite{\1}", latex_escaped(text))


def bibtex(text: str) -> str:
    """Return the BibTeX entries of all that a text cites, sorted by key."""
    keys = {key for keys in _CITATION.findall(text) for key in keys.split(",")}
    entries = [_ENTRY if key == SOFTWARE else BIBLIOGRAPHY[key].bibtex for key in sorted(keys)]
    return "\n\n".join(entries) + "\n"
