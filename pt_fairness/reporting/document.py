"""The report on an experiment: one HTML page of tables, figures and a paragraph for a paper."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness import analysis
from pt_fairness import groups as sources
from pt_fairness.analysis import tables
from pt_fairness.analysis.corrections import CONFIDENCE, Corrections
from pt_fairness.analysis.exposure import legend
from pt_fairness.analysis.human_labels import human_labels
from pt_fairness.analysis.inputs import best, compares_groups, loaded_qrels, topic_source
from pt_fairness.analysis.notes import Facts, comparable, marks, p_values, short_p
from pt_fairness.analysis.statistics import CORRECTION, check_level, check_tests
from pt_fairness.analysis.tables import Table
from pt_fairness.core import __version__
from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import at_least, collecting_warnings, plural, warn
from pt_fairness.evaluation import evaluate
from pt_fairness.evaluation.plan import inputs_of, refuse_pipes
from pt_fairness.groups.combinations import ModelLabels, model_labels
from pt_fairness.io.files import Path, written_whole
from pt_fairness.io.runs import RunInputs
from pt_fairness.provider.measure_lists import takes_groups
from pt_fairness.reporting import conclusions, frames
from pt_fairness.reporting.frames import Experiment, decimal

#: The number of documents of a ranking that the report shows.
DEPTH = 20
#: The heads of the answer that differ from its columns.
ANSWER_HEADS = {"place": "", "same": "not told apart from", "random": "its documents shuffled"}
#: The caption of the plane, and a sentence for each kind of mark in it.
PLANE = ("A point is a system. The better end of a measure is at the top or on the right. No other "
         "system is better by both measures than a filled point.")
CAPTIONS = {"baseline": "The thick circle is the baseline.",
            "interval": "The lines through a point are intervals.",
            "ideal": "A green dashed line is the ideal value.",
            "reference": "Other dashed lines are orders of the relevant documents.",
            "front": "A blue line is the front that the judgments allow."}
#: The sections that options add: their ids, titles and leads.
ZERO = ("zero", "Bias against 0",
        "The mean of each signed measure, and a two-sided one-sample t-test of a mean of 0.")
TOPIC_GROUPS = ("topic-groups", "Groups of topics",
    "Means over the topics of each group with BCa intervals, and their range, the largest minus "
    "the smallest mean. Chance is the mean range where the topics exchange their groups at random; "
    "the p-value of this test is not corrected.")
UNCERTAIN = ("uncertain", "Uncertain labels",
    "Each draw gives every document one label. The interval from low to high covers the choice of "
    "the topics and the labels, and the share is the part of its variance that the labels have. "
    "The interval from label low to label high covers the labels alone.")
#: The code of the process that prints the JavaScript of the figures. Its end frees the memory.
BUNDLE = "import sys, vl_convert; print(vl_convert.javascript_bundle(sys.stdin.read()))"


class Section(NamedTuple):
    """A section of the page: its id, its title, a lead, and blocks of the template."""

    name: str
    title: str
    lead: str
    blocks: list[dict[str, Any]]


class Cell(NamedTuple):
    """A cell of the table of averages."""

    text: str
    #: The distance from the better end, by which rows are sorted.
    far: float
    best: bool
    #: ▲, ▼ or ≠.
    mark: str
    #: What is below the number: interval, p-value and verdict.
    lines: list[str]


@dataclass(eq=False, repr=False)
class Report:
    """A report as HTML. In a notebook, it is shown as the output of a cell."""

    #: The whole page, which needs no other file and no network.
    html: str
    #: The averages as :func:`pt_fairness.evaluate` returns them, with reference rankings.
    table: pd.DataFrame
    #: The paragraph on the experiment for a paper, with citations by author and year.
    paragraph: str
    #: The same paragraph in LaTeX, with ``\cite``.
    latex: str
    #: The BibTeX entries of all that the paragraph cites.
    bibtex: str
    #: What is known of topics, groups, tests and failed runs.
    facts: Facts

    def save(self, path: Path) -> None:
        """Write the report to a file, which is replaced atomically.

        :raises OSError: if the file cannot be written
        """
        with written_whole(path) as out:
            out.write(self.html.encode("utf-8"))

    def _repr_html_(self) -> str:
        # The frame keeps the style and the ids of the page apart from the notebook.
        return (f'<iframe srcdoc="{escape(self.html)}" title="Fairness report" '
                'sandbox="allow-scripts" style="width: 100%; height: 45rem; border: 1px solid '
                '#767676"></iframe>')


def report(runs: RunInputs, qrels: Any, measures: Any, topics: Any = None, *,
           groups: Any = None, names: Sequence[str] | None = None,
           labels: Mapping[Any, str] | None = None, human: Any = None, human_topics: Any = None,
           baseline: int | str | None = None, test: Literal["t", "randomisation"] = "t",
           correction: str | None = CORRECTION, confidence: float | None = None,
           tolerance: float | Mapping[Any, float] | None = None, uncertain: int | None = None,
           topic_groups: Any = None, test_zero: bool = False, depth: int = DEPTH,
           undefined: Literal["drop", "count"] = "drop", title: str = "Fairness report",
           front: bool = False, n_jobs: int = 1, progress: bool = True, seed: int = 0) -> Report:
    """Evaluate runs, and report on them in one HTML file.

    The page has the table of averages, figures of measures, groups and topics, and a paragraph for
    a paper with BibTeX. Its tables need no JavaScript. It loads nothing from the network. The same
    arguments give the same bytes.

    The arguments that :func:`evaluate` has are described there.

    :param runs: the runs, without pipes, because runs are read twice
    :param qrels: the qrels, or ``None`` for measures that need no relevance
    :param measures: measures of ir_measures or of this package, or their names
    :param topics: the topics that count, with the queries that the page shows; by default all
        topics of the qrels, without queries
    :param groups: the group source of the measures whose parameter ``groups`` is not set
    :param names: a name for each run, unless ``runs`` is a dictionary
    :param labels: a dictionary from measures to the names that the page shows
    :param human: human labels of documents at random, if ``groups`` are the labels of a model, for
        corrected values: a file, a list of files, a frame or a dictionary. The result of
        :func:`pt_fairness.groups.model_labels` has its own
    :param human_topics: human labels of whole topics, in the same forms
    :param baseline: the run to test the others against: its position, name or path
    :param test: ``'t'`` or ``'randomisation'``, the test of the comparison
    :param correction: the correction of the p-values for several systems; ``None`` for none
    :param confidence: the confidence level of intervals of the averages, which are left out by
        default. Intervals of differences have the level 0.95 by default
    :param tolerance: the difference from the baseline that does not matter, for a verdict below
        each average: see :func:`pt_fairness.analysis.compare`
    :param uncertain: the number of draws of uncertain labels, for a section with the result of
        :func:`pt_fairness.analysis.uncertain_labels`. The weights of ``groups`` are the
        probabilities
    :param topic_groups: groups of topics, for a section with their means: see ``by`` in
        :func:`pt_fairness.analysis.intervals`
    :param test_zero: whether to test each signed measure against 0, in a section with the result of
        :func:`pt_fairness.analysis.bias_test`
    :param undefined: ``'drop'`` leaves the topics for which a measure is undefined out of its
        averages, tests and intervals; ``'count'`` gives them the value 0.0
    :param depth: the number of documents of each ranking to show, from 1 to 100
    :param title: the title of the page
    :param front: whether the plane shows the front that the judgments allow, the result of
        :func:`pt_fairness.analysis.frontier`
    :param n_jobs: the number of processes of the evaluation
    :param progress: whether to show a progress bar on standard error
    :param seed: the seed of resamples, draws and random orders
    :returns: the report, with ``html`` and ``save(path)``
    :raises ValueError: if :func:`evaluate` raises one, the depth is out of its range, a run is a
        pipe, or options do not go together
    :raises ImportError: if Jinja2 or vl-convert-python is not installed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import report
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["d1", "d2"], "label": 1,
    ...                       "iteration": ["PRO", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["d2", "d1"], "score": [2.0, 1.0]})
    >>> page = report({"mine": run}, qrels, ["nDCG@2", "AWRF@2"], progress=False)
    >>> page.save("report.html")
    >>> page.paragraph[:33]
    'We evaluate 1 system on 1 topic b'
    """
    at_least(1, "depth", depth, most=100)
    at_least(2, "uncertain", uncertain, "no draws")
    level = confidence if confidence is not None else CONFIDENCE
    check_level(level)
    model, people = groups, None
    is_name = isinstance(groups, str) and groups in sources.names()
    source = sources.get(groups) if is_name else groups
    if isinstance(source, ModelLabels):
        model, human = source.model, source.human
    if human is not None or human_topics is not None:
        if groups is None:
            raise ValueError("groups must be the labels of a model with human labels, got None")
        if test_zero or (uncertain, topic_groups, tolerance) != (None, None, None):
            raise ValueError("uncertain, topic_groups, tolerance and test_zero must be left out "
                             "with human labels, which correct the averages alone")
        people = human_labels(human, human_topics)
        groups = model_labels(model, people.every)
    named, judged, measures, groups = inputs_of(runs, qrels, measures, topics, groups, names,
                                                progress)
    refuse_pipes(named)
    check_tests(measures, baseline, tolerance, test_zero)
    if topic_groups is not None:
        topic_groups = topic_source(topic_groups)
    relevant = None if qrels is None else judged
    references = qrels is not None and any(map(compares_groups, measures))
    evaluation = evaluate(named, relevant, measures, groups=groups, baseline=baseline, test=test,
                          correction=correction, references=references, undefined=undefined,
                          n_jobs=n_jobs, progress=progress, seed=seed)
    judged = with_text_ids(loaded_qrels(judged), "qrels", "query_id", "doc_id")
    experiment = Experiment(evaluation, measures, judged, groups, named.topics, labels)
    perquery = experiment.perquery
    scored = {name: named[name] for name in experiment.systems}
    ends = compared = None
    comparison = experiment.facts.comparison
    if people is not None:
        columns = dict(zip(experiment.columns, measures, strict=True))
        experiment.correct(Corrections(scored, judged, columns, model, people, seed))
        for message in experiment.corrections.warnings:
            warn(message)
    elif confidence is not None:
        ends = analysis.intervals(perquery, confidence=confidence, seed=seed)
    if comparison is not None and len(scored) > 1 and people is None:
        with collecting_warnings():  # the notes of the table have them
            compared = analysis.compare(perquery, comparison.baseline, None, level, seed=seed,
                                        tolerance=tolerance)
    verdicts = None if tolerance is None else compared
    table = evaluation.table(labels=labels, intervals=ends, verdicts=verdicts, p_values=True)
    found = conclusions.answer(experiment, scored, relevant, groups, seed)
    hidden = table.hidden
    corrections = experiment.corrections
    if corrections is not None and not corrections.complete:
        hidden = []  # the sentences are by the model's labels
    sections = [_answer(experiment, found, hidden)] if len(found) else []
    if corrections is not None:
        baseline = None if comparison is None else comparison.baseline
        corrected = corrections.table(evaluation.averages, level, baseline)
        sections.append(_corrected(experiment, corrected))
    systems = frames.systems(experiment, ends)
    data = {"systems": systems, "values": frames.values(experiment)}
    shares = frames.shares(experiment)
    if len(shares):
        data["shares"] = shares
        sections.append(_shown(experiment))
    sections.append(_systems(experiment, table, ends, verdicts))
    if len(measures) > 1:
        data["fronts"] = frames.fronts(experiment, judged, groups) if front else pd.DataFrame()
        sections.append(_plane(experiment, systems, data["fronts"]))
    if test_zero:
        tests = analysis.bias_test(perquery, correction)
        sections.append(Section(*ZERO, [_results(experiment, tests)]))
    if topic_groups is not None:
        means = analysis.intervals(perquery, by=topic_groups, confidence=level, seed=seed)
        gaps = analysis.topic_gaps(perquery, topic_groups, seed=seed)
        blocks = [_results(experiment, means), _results(experiment, gaps)]
        sections.append(Section(*TOPIC_GROUPS, blocks))
    if uncertain is not None:
        grouped = [measure for measure in measures if takes_groups(measure)]
        drawn = analysis.uncertain_labels(scored, judged, grouped, groups, uncertain,
                                          confidence=level, seed=seed)
        sections.append(Section(*UNCERTAIN, [_results(experiment, drawn)]))
    if experiment.sources and qrels is not None:
        data["judged"] = frames.judged(experiment)
        sections.append(_judgments(experiment))
    if compared is not None:
        data["differences"] = frames.differences(experiment, compared)
    with collecting_warnings():  # the evaluation has issued them
        ranked = [frames.ranked(scored, judged, source.groups, depth)
                  for source in experiment.sources]
    if ranked:
        known = judged if qrels is not None else judged[:0]
        data["documents"] = frames.documents(experiment, ranked, known)
    sections.append(_topics(experiment, compared, ranked))
    text = conclusions.paragraph(experiment, found, hidden)
    paper = conclusions.plain(text), conclusions.latex(text), conclusions.bibtex(text)
    sections.append(_paper(*paper))
    html = _rendered(title, experiment, sections, data, depth)
    return Report(html, evaluation.averages, *paper, evaluation.facts)


def _answer(experiment: Experiment, found: pd.DataFrame, hidden: Sequence[str]) -> Section:
    """Return the section with the fairest and the least fair system, and what is not known.

    :param found: what :func:`pt_fairness.reporting.conclusions.answer` returns
    :param hidden: the sentences on groups that systems hide
    """
    unknown = [column for column in ("p", "random") if found[column].isna().all()]
    if not experiment.corrected:
        unknown.append("correction")
    frame = found.assign(p=found["p"].map(short_p)).drop(columns=unknown)
    frame["measure"] = frame["measure"].map(experiment.column_labels)
    for column in ("system", "same"):
        frame[column] = [conclusions.named(systems, experiment) for systems in frame[column]]
    frame = frame.rename(columns=ANSWER_HEADS)
    lead = "The fairest and the least fair system by each measure of groups or values."
    if "random" not in unknown:
        lead += " The last column is the mean if the documents of that system are shuffled."
    findings = experiment.corrections.disagreements() if experiment.corrected else []
    found_lines = _block("findings", lines=[*hidden, *findings])
    caveats = _block("notes", lines=conclusions.caveats(experiment))
    blocks = [_table(frame), found_lines, caveats]
    return Section("answer", "Answer", lead, blocks)


def _corrected(experiment: Experiment, frame: pd.DataFrame) -> Section:
    """Return the section on corrected values.

    :param frame: the table of the corrections
    """
    corrections: Any = experiment.corrections
    if "checked" in frame:
        counts = frame["checked"].astype(str).str.replace("<NA>", "–")
        frame = frame.assign(checked=counts)
    copied = tables.table(frame, experiment.column_labels)
    blocks = [_results(experiment, frame), *_copies(copied)]
    return Section("corrected", "Corrected values", corrections.summary(), blocks)


def _copies(table: Table) -> list[dict[str, Any]]:
    """Return the blocks with a table to copy."""
    forms = {"LaTeX": table.latex, "CSV": table.csv, "Markdown": table.md}
    return [_block("copy", title=f"The table as {form}", text=text) for form, text in forms.items()]


def _systems(experiment: Experiment, table: Table, ends: pd.DataFrame | None,
             verdicts: pd.DataFrame | None) -> Section:
    """Return the section with the table of averages, its notes and its copies.

    :param ends: the intervals of the averages
    :param verdicts: the comparison with a tolerance
    """
    averages = experiment.averages.set_index("name", drop=False)
    columns = experiment.columns
    compared = comparable(averages[["name", *columns]], experiment.facts)
    is_best: Any = best(compared)
    is_best[experiment.corrected] = False
    mark: Any = marks(averages, experiment.facts)
    far: Any = experiment.distances(averages)
    lines: Any = defaultdict(list)
    if ends is not None:
        for row in ends.dropna().itertuples():
            interval = f"[{decimal(row.low)}, {decimal(row.high)}]"
            lines[row.name, row.measure].append(interval)
    for column in columns:
        p: Any = p_values(averages, column)
        for name in [] if p is None else p.dropna().index:
            lines[name, column].append(f"p {short_p(p[name])}")
    if verdicts is not None:
        for row in verdicts.dropna(subset="verdict").itertuples():
            lines[row.name, row.measure].append(row.verdict)
    rows: list[Any] = []
    for name in averages.index:
        rows.append([name])
        for column in columns:
            place: Any = name, column
            text = decimal(averages.at[place])
            if name in experiment.facts.fewer.get(column, ()):
                text += f" (n={experiment.facts.fewer[column][name]})"
            cell = Cell(text, far.at[place], is_best.at[place], mark.at[place], lines[place])
            rows[-1].append(cell)
    count = len(experiment.systems)
    heads = [("system", ""), *zip(experiment.labels, experiment.meanings, strict=True)]
    bodies = [rows[:count], rows[count:]]
    notes = table.notes[len(table.hidden):]
    blocks = [_block("table", heads=heads, bodies=bodies), _block("notes", lines=notes)]
    lead = "Averages over the topics. The best value of each measure is bold."
    if experiment.facts.references:
        lead += " The rows in brackets are orders of the relevant documents, as if all were found."
    if experiment.corrected:
        lead += " Values by the model's labels are corrected above, and never bold."
    else:
        blocks += _copies(table)
    return Section("systems", "Systems", lead, blocks)


def _block(kind: str, **content: Any) -> dict[str, Any]:
    """Return a block of the template."""
    return {"kind": kind, **content}


def _figure(name: str, caption: str, *frames: str) -> dict[str, Any]:
    """Return the block of a figure.

    :param name: the name of its specification
    :param frames: the names of its frames
    """
    return _block("figure", name=name, caption=caption, frames=frames)


def _table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the block of a table whose first column is the head of its rows."""
    texts = frame.map(lambda value: decimal(value) if isinstance(value, float) else str(value))
    heads = [(head, "") for head in frame.columns]
    return _block("table", heads=heads, bodies=[texts.to_numpy().tolist()])


def _topic_table(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the block of a table with a row for each topic, whose ids are the index."""
    return _table(frame.rename_axis("topic").reset_index())


def _results(experiment: Experiment, frame: pd.DataFrame) -> dict[str, Any]:
    """Return the block of a table of results.

    :param frame: ``name, measure`` and other columns
    """
    frame = frame.assign(measure=frame["measure"].map(experiment.column_labels))
    for column in frame.columns.intersection(["p", "corrected"]) if "p" in frame else ():
        frame[column] = frame[column].map(short_p)
    return _table(frame.rename(columns={"name": "system", "n": "topics"}))


def _group_figure(experiment: Experiment, control: str,
                  figure: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a figure with the choice of its group source, and the key of the groups.

    :param control: the id of the choice
    """
    names = [source.name for source in experiment.sources]
    controls = _block("controls", controls=[("groups", control, names, 0)])
    return [controls, _block("key", sources=experiment.sources), figure]


def _shown(experiment: Experiment) -> Section:
    """Return the section on the groups that the systems show."""
    tables = {}
    for (name, _), table in experiment.facts.shares.items():
        expected = table["expected"].map("{:.1f}".format)
        table = table.assign(expected=expected, p=table["p"].map(short_p))
        tables[name] = _table(table.rename(columns={"name": "system"}))
    caption = ("The share of each group in the attention that a system gives: the first documents "
               "with a group, by the discounts of their ranks. The top bar and the dashed lines "
               "are the shares of the relevant documents.")
    blocks = _group_figure(experiment, "shown-source", _figure("shares", caption, "shares"))
    blocks += [_block("numbers", title="The numbers of the groups", tables=tables),
               _block("notes", lines=legend(experiment.facts.shares))]
    by = " by the model's labels" if experiment.corrected else ""
    return Section("shown", f"Who is shown{by}", "Which groups get the attention of each system.",
                   blocks)


def _plane(experiment: Experiment, systems: pd.DataFrame, fronts: pd.DataFrame) -> Section:
    """Return the section with the plane of two measures, whose caption names what is drawn."""
    labels = experiment.labels
    drawn = {*systems["kind"]}
    *_, ideals = systems["value"]
    if not np.isfinite(ideals).any():
        drawn.remove("ideal")
    if np.isfinite([*systems["low"]]).any():
        drawn.add("interval")
    if len(fronts):
        drawn.add("front")
    captions = [text for kind, text in CAPTIONS.items() if kind in drawn]
    caption = " ".join([PLANE, *captions, "The table of systems has the numbers."])
    horizontal = "horizontal", "horizontal", labels, experiment.other
    vertical = "vertical", "vertical", labels, experiment.main
    blocks = [_block("controls", controls=[horizontal, vertical]),
              _figure("plane", caption, "systems", "fronts")]
    return Section("relevance", "Relevance against fairness", "", blocks)


def _judgments(experiment: Experiment) -> Section:
    """Return the section on the relevant documents of each group."""
    tables = {}
    for source in experiment.sources:
        table = source.distribution.pivot(index="qid", columns="group", values="relevant")
        numbers = table.loc[experiment.topics, source.labels]
        table = numbers.map("{:.4g}".format)
        tables[source.name] = _topic_table(table)
    caption = "A document of several groups counts in equal parts, or by its weights."
    blocks = _group_figure(experiment, "source", _figure("judged", caption, "judged"))
    blocks.append(_block("numbers", title="The numbers of relevant documents", tables=tables))
    return Section("judgments", "Judgments", "Relevant documents of each group by topic.", blocks)


def _topics(experiment: Experiment, compared: pd.DataFrame | None,
            ranked: Sequence[pd.DataFrame]) -> Section:
    """Return the section on topics.

    :param compared: the differences from the baseline
    :param ranked: the first documents of the systems with the groups of each source
    """
    labels = experiment.labels
    measure = "measure", "measure", labels, experiment.main
    topic = "topic", "topic", experiment.topic_texts, 0
    blocks = [_block("controls", controls=[measure, topic])]
    if compared is not None:
        caption = ("Differences from the baseline over the topics, with intervals. Filled points "
                   "are significant.")
        table = _results(experiment, compared.loc[:, :"effect"])
        blocks += [_figure("differences", caption, "differences", "systems"),
                   _block("numbers", title="The differences", tables={"": table})]
    caption = ("A stroke is the value of a topic, and the point is the chosen topic. The best "
               "system is at the top.")
    values = frames.topic_values(experiment)
    tables = {}
    for column, label in experiment.column_labels.items():
        tables[label] = _topic_table(values[column].unstack(sort=False))
    blocks += [_figure("values", caption, "values", "systems"),
               _block("numbers", title="The values", tables=tables)]
    if ranked:
        counts = frames.counts(experiment, ranked)
        tables = {title: _topic_table(table) for title, table in counts.items()}
        caption = ("The first documents of each system for the chosen topic, the best system at "
                   "the top. A dot is a relevant document. Documents that do not count for the "
                   "measure are faint. Of several rankings of a topic, the first is shown.")
        title = "The numbers of documents of each group"
        blocks += [_block("key", sources=experiment.sources),
                   _figure("strips", caption, "documents", "values"),
                   _block("numbers", title=title, tables=tables)]
    lead = f"The systems differ most by {labels[experiment.main]} on the first topics."
    return Section("topics", "Topics", lead, blocks)


def _paper(paragraph: str, latex: str, bibtex: str) -> Section:
    """Return the section with the paragraph and what it cites."""
    blocks = [_block("notes", lines=[paragraph]),
              _block("copy", title="The paragraph in LaTeX", text=latex),
              _block("copy", title="BibTeX", text=bibtex)]
    return Section("paper", "For the paper", "", blocks)


def _rendered(title: str, experiment: Experiment, sections: Sequence[Section],
              data: Mapping[str, pd.DataFrame], depth: int) -> str:
    """Return the page as HTML.

    All text is escaped. A policy in the page allows its own style and script alone, and no request.

    :param data: the frames of the figures
    :param depth: the number of documents of a ranking
    :raises ImportError: if Jinja2 is not installed
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise ImportError("report needs Jinja2: pip install 'pt-fairness[report]'") from None
    params = experiment.params(depth)
    blocks = [block for section in sections for block in section.blocks]
    drawn = [block for block in blocks if block["kind"] == "figure"]
    figures = [block | {"specification": _specification(block["name"], params)} for block in drawn]
    records = {}
    for name, frame in data.items():
        text = frame.to_json(orient="records", double_precision=TIE_DECIMALS)  # NaN is null
        records[name] = json.loads(text)
    text = json.dumps({"figures": figures, "data": records}, allow_nan=False)
    packed = gzip.compress(text.encode("utf-8"), mtime=0)
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True,
                              lstrip_blocks=True)
    template = environment.from_string(_file("page.html.j2"))
    return template.render(title=title, experiment=experiment, sections=sections, plural=plural,
                           version=__version__, style=_file("style.css"), script=_script(),
                           hash=_hash, figures=base64.b64encode(packed).decode("ascii"))


def _specification(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the specification of a figure in Vega-Lite, with the value of each parameter."""
    base = json.loads(_file("specs/base.json"))
    specification = base | json.loads(_file(f"specs/{name}.json"))
    for param in specification["params"]:
        param["value"] = params.get(param["name"], 0)
    return specification


def _file(name: str) -> str:
    """Return the text of a file of the page."""
    return (resources.files("pt_fairness.reporting") / "page" / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return the JavaScript of the page: Vega, and what embeds the figures.

    :raises ImportError: if vl-convert-python is not installed
    """
    if find_spec("vl_convert") is None:
        raise ImportError("report needs vl-convert-python: pip install 'pt-fairness[report]'")
    command = [sys.executable, "-X", "utf8", "-c", BUNDLE]
    done = subprocess.run(command, input=_file("page.js"), stdout=subprocess.PIPE, check=True,
                          encoding="utf-8")
    return done.stdout.replace("</script", r"<\/script")


def _hash(text: str) -> str:
    """Return the hash of a style or script for the policy of the page."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return base64.b64encode(digest).decode("ascii")
