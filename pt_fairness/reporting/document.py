"""The report on an experiment: template, style, scripts and data in one file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from html import escape
from importlib import resources
from typing import Any, Literal, ParamSpec

import pandas as pd

from pt_fairness import analysis
from pt_fairness.analysis.columns import ALPHA, CORRECTION
from pt_fairness.analysis.tables import rename
from pt_fairness.core import __version__
from pt_fairness.core.messages import at_least, collecting_warnings, warn
from pt_fairness.evaluation.experiment import Options, evaluated
from pt_fairness.evaluation.plan import inputs_of
from pt_fairness.io.files import Path, is_pipe, written_whole
from pt_fairness.io.run_files import RunInputs
from pt_fairness.provider.measure_lists import takes_groups
from pt_fairness.reporting.answer import answer_of
from pt_fairness.reporting.evaluated_runs import Experiment
from pt_fairness.reporting.sections import (
    as_json,
    content_of,
    data_of,
    of_topic_groups,
    of_uncertain_labels,
    of_zero_tests,
)

#: The number of documents of a ranking that the report shows.
DEPTH = 20
#: The largest size of a page with numbers at ranks, and the part of it that is kept for the notes
#: on measures, in bytes.
MOST_BYTES, NOTES_BYTES = 5_000_000, 20_000
#: The confidence level of the intervals of topic groups and of uncertain labels by default.
CONFIDENCE = 0.95
#: The scripts in the order in which they run.
SCRIPTS = ("common.js", "table.js", "plane.js", "strips.js", "address.js", "steps.js", "narrow.js",
           "print.js")
#: The number of patterns and of colours of groups, and of groups that the key names.
PATTERNS, NAMED = 8, 12
#: The first arguments of pt.Experiment.
EXPERIMENT = ("retr_systems", "topics", "qrels", "eval_metrics")
#: The arguments of pt.Experiment that do not change the page.
WITHOUT_EFFECT = {"batch_size", "dataframe", "filter_by_qrels", "highlight", "perquery", "plan",
                  "precompute_prefix", "round", "save_format", "save_mode", "validate"}
#: The arguments of pt.Experiment that take one value only, with the value and the alternative.
REFUSED = {
    "correction_alpha": (ALPHA, "a report tests at the level of .05; the p-values are those of any "
                         "level"),
    "filter_by_topics": (True, "a report with topics is of these topics; for all topics of the "
                         "qrels, give the results as runs and leave out the topics: "
                         "report(runs, qrels, measures)"),
    "save_dir": (None, "a report saves no runs; call pt.Experiment(save_dir=…) and give the paths "
                 "of its files as runs, and save the page with report(…).save(path)"),
}
_Arguments = ParamSpec("_Arguments")


@dataclass(eq=False, repr=False)
class Report:
    """A report as HTML. In a notebook, it is shown as the output of a cell.

    :param html: the page
    :param broken: the errors of the runs that could not be evaluated, by name
    :param table: the averages
    :param paragraph: the paragraph for a paper as text
    :param latex: the same in LaTeX
    :param bibtex: the BibTeX entries of what it cites
    """

    #: The whole page, which needs no other file and no network.
    html: str
    #: The errors of the runs that could not be evaluated, by name.
    broken: dict[str, str]
    #: The averages as :func:`pt_fairness.evaluate` returns them, with reference rankings.
    table: pd.DataFrame
    #: The paragraph on the experiment for a paper, with citations by author and year.
    paragraph: str
    #: The same paragraph in LaTeX, with ``\cite``.
    latex: str
    #: The BibTeX entries of all that the paragraph cites.
    bibtex: str

    def save(self, path: Path) -> None:
        """Write the report to a file, which is replaced atomically.

        :raises OSError: the file cannot be written
        """
        with written_whole(path) as out:
            html = self.html.encode("utf-8")
            out.write(html)

    def _repr_html_(self) -> str:
        # The frame separates the style and the names of the page from those of the notebook.
        return (f'<iframe srcdoc="{escape(self.html)}" title="Fairness report" '
                'sandbox="allow-scripts" style="width: 100%; height: 45rem; border: 1px solid '
                '#767676"></iframe>')

    def __repr__(self) -> str:
        return f"<Report of {len(self.html)} characters; save(path) writes it to a file>"


def _as_experiment(function: Callable[_Arguments, Report]) -> Callable[_Arguments, Report]:
    """Decorate :func:`report` to accept the keyword arguments of pt.Experiment."""
    @wraps(function)
    def taking(*values: Any, **options: Any) -> Report:
        if {"retr_systems", "eval_metrics"} & options.keys():
            names = [name for name in EXPERIMENT[len(values):] if name in options]
            values += tuple(options.pop(name) for name in names)
        if "verbose" in options:
            options.setdefault("progress", bool(options.pop("verbose")))
        for name in REFUSED.keys() & options.keys():
            value, instead = REFUSED[name]
            if options.pop(name) != value:
                raise ValueError(f"{name}= of pt.Experiment is not possible here: {instead}")
        options = {name: value for name, value in options.items() if name not in WITHOUT_EFFECT}
        return function(*values, **options)
    return taking


@_as_experiment
def report(runs: RunInputs, qrels: Any, measures: Any, experiment_measures: Any = None, *,
           topics: Any = None, groups: Any = None, baseline: int | str | None = None,
           names: Sequence[str] | None = None, labels: Mapping[Any, str] | None = None,
           correction: str | None = CORRECTION, depth: int = DEPTH, n_jobs: int = 1,
           progress: bool = True, title: str = "Fairness report",
           test: Literal["t", "randomisation"] = "t", confidence: float | None = None,
           tolerance: float | Mapping[Any, float] | None = None, topic_groups: Any = None,
           uncertain: int | None = None,
           undefined: Literal["count", "drop"] = "count", seed: int = 0,
           test_zero: bool = False) -> Report:
    """Evaluate runs, and report on them in one HTML file.

    The report has the answer in words with what is not established, the table of averages, a plot
    of the systems by any two measures, the relevant documents of each group by topic, the first
    documents of all systems for each topic, the numbers of :func:`explain` at each rank, and a
    paragraph for a paper with BibTeX. The file loads nothing from the network. The same arguments
    give the same bytes.

    The numbers at the ranks of a measure are left out if they would make the page larger than
    5 MB; the report says so.

    All arguments of ``pt.Experiment`` are possible, also by their names, such as ``eval_metrics``.
    ``save_dir``, ``filter_by_topics=False`` and another ``correction_alpha`` are refused;
    ``verbose`` is ``progress``; those that change only what ``pt.Experiment`` returns or how it
    computes it (``perquery``, ``highlight``, ``round``, ``batch_size``, …) have no effect.

    :param runs: as of :func:`evaluate`, but no pipes, because runs are read twice
    :param qrels: as of :func:`evaluate`; ``None`` if no measure needs relevance, which the index
        of the measures says
    :param measures: measures of ir_measures or of this package, or their names
    :param experiment_measures: the measures, where the arguments are in the order of
        ``pt.Experiment``: ``report(systems, topics, qrels, measures)``
    :param topics: the topics of transformers, and the queries that stand beside the topics: the
        path of a file (TREC topics in SGML or XML, or a topic and its query in each line), a frame
        with ``qid, query``, a dataset of ``pt.get_dataset``, or the id of a dataset of ir_datasets.
        A dataset whose documents have titles, and are on this machine, shows them, too
    :param groups: the group source of the measures whose parameter ``groups`` is not set
    :param baseline: the run to test the others against: its position, name or path
    :param names: a name for each run, where ``runs`` is no dictionary
    :param labels: a dictionary from measures to the names that the report shows
    :param correction: the correction of the p-values for several systems, a method of
        ``statsmodels.stats.multitest.multipletests``; ``None`` for none
    :param depth: the number of documents of each ranking to show, from 1 to 100
    :param n_jobs: the number of processes of the evaluation
    :param progress: whether to show a progress bar on standard error
    :param title: the title of the report
    :param test: the test of the comparison, as of :func:`evaluate`
    :param confidence: the confidence level of intervals of the averages, as of :func:`evaluate`:
        beside each average in the table, and as lines in the plot of two measures
    :param tolerance: the difference from the baseline that does not matter, as of :func:`evaluate`:
        the word of the verdict is below each average
    :param topic_groups: groups of topics, as of :func:`pt_fairness.analysis.topic_groups`, for a
        section with their means
    :param uncertain: the number of draws of uncertain labels, for a section on the measures of this
        package with the intervals and shares of
        :func:`pt_fairness.analysis.uncertain_labels`. The weights of ``groups`` are the
        probabilities
    :param undefined: as of :func:`evaluate`: ``'drop'`` leaves the topics for which a measure of
        this package is undefined out of its averages, tests and intervals. Not with ``uncertain``
    :param seed: the random seed
    :param test_zero: whether to test each signed measure against 0, in a section of its own:
        :func:`pt_fairness.analysis.bias_summary`, with p-values corrected by ``correction``
    :returns: the report, with ``save(path)``, the ``table`` of averages, the ``paragraph`` as text
        and in ``latex`` with ``bibtex`` and, for notebooks, ``_repr_html_``
    :raises ValueError: what :func:`evaluate` raises, a depth out of range, a pipe, or topics that
        cannot be read or are not those of the qrels
    :raises ImportError: Jinja2 is not installed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import report
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["d1", "d2"], "label": 1})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["d2", "d1"], "score": [2.0, 1.0]})
    >>> opinions = pd.DataFrame({"docno": ["d1", "d2"], "group": ["PRO", "CON"]})
    >>> opinions.to_csv("opinions.csv", index=False)
    >>> page = report({"mine": run}, qrels, ["nDCG@2", "AWRF@2"], groups="opinions.csv",
    ...               progress=False)
    >>> page.save("report.html")
    >>> page.paragraph[:35]
    'We evaluate 1 system on 1 topic. We'
    """
    at_least(1, "depth", depth, most=100)
    if uncertain is not None and undefined == "drop":
        raise ValueError("undefined topics cannot be left out with uncertain labels, which count "
                         "them as 0; give one of them")
    options = Options(baseline, correction, test, confidence, True, tolerance, undefined, labels,
                      seed)
    by_name, judged, measures, groups = inputs_of(
        runs, qrels, measures, experiment_measures, topics, groups, names, progress,
        topics_needed=False)
    for name, run in by_name.items():
        if not isinstance(run, pd.DataFrame) and is_pipe(run):
            raise ValueError(f"the run {name!r} is a pipe, and a report reads runs twice; save it "
                             "to a file")
    averages, perquery, scorer = evaluated(by_name, judged, measures, groups, options, n_jobs,
                                           progress)
    if labels is not None:
        averages = rename(averages, labels)
        perquery = rename(perquery, labels)
    queries = topics if experiment_measures is None else qrels
    experiment = Experiment(by_name, scorer, averages, perquery, depth, queries)
    experiment.corrected = uncertain is not None
    sections = []
    level = confidence or CONFIDENCE
    if test_zero:
        sections.append(of_zero_tests(perquery, correction))
    if topic_groups is not None:
        sections.append(of_topic_groups(perquery, topic_groups, level, seed))
    if uncertain is not None:
        scored = {name: by_name[name] for name in experiment.systems}
        of_groups = [measure for measure in measures if takes_groups(measure)]
        with collecting_warnings() as issued:
            table = analysis.uncertain_labels(scored, judged, of_groups, groups, uncertain,
                                              confidence=level, seed=seed)
        section = of_uncertain_labels(table, uncertain, level)
        for cause, message in issued:
            warn(message, cause)
            section["lead"] += f" Warning: {message}."
        sections.append(section)
    content = content_of(experiment)
    content |= answer_of(experiment, content["table"]["rows"], by_name, seed)
    content["title"] = title
    content["sections"] += sections
    without_data = render(content, {}).encode("utf-8")
    room = MOST_BYTES - NOTES_BYTES - len(without_data)
    data = data_of(experiment, room)
    html = render(content, data)
    return Report(html, experiment.broken, averages, content["paragraph"], content["latex"],
                  content["bibtex"])


def render(content: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return the page as HTML.

    All text is escaped. A policy in the page allows its own script alone, and no request.

    :param content: the variables of the template
    :param data: what the scripts show, for JSON
    :raises ImportError: Jinja2 is not installed
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from jinja2.utils import htmlsafe_json_dumps
    except ImportError:
        raise ImportError("the report needs Jinja2: pip install 'pt-fairness[report]'") from None
    files = resources.files("pt_fairness.reporting") / "page"

    def text(name: str) -> str:
        return (files / name).read_text(encoding="utf-8")

    script = "\n" + "\n".join(map(text, SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest())
    environment = Environment(autoescape=True, undefined=StrictUndefined,
                              keep_trailing_newline=True)
    template = environment.from_string(text("page.html.j2"))
    return template.render(
        **content, version=__version__, named=NAMED, group_class=group_class,
        digest=digest.decode("ascii"), style=text("style.css"), script=script,
        data=htmlsafe_json_dumps(data, dumps=as_json))


def group_class(group: int) -> str:
    """Return the CSS classes of a group: eight patterns, whose colours change every eight groups.

    The groups after the first twelve look the same.
    """
    if group >= NAMED:
        return "fill other"
    pattern = group % PATTERNS
    colour = (pattern + group // PATTERNS) % PATTERNS
    return f"fill c{colour} p{pattern}"
