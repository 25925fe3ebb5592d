"""The answer of a report: which system is the fairest, and what the data do not establish."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import pandas as pd

from pt_fairness.analysis import against_random
from pt_fairness.analysis.columns import ALPHA, LEAST_TESTED, TOO_FEW
from pt_fairness.analysis.inputs import compares_groups
from pt_fairness.analysis.notes import (
    BETTER,
    DIFFERENT,
    WORSE,
    note_on_oracles,
    short_p,
    topics_of_test,
)
from pt_fairness.core.messages import collecting_warnings, enumerated, plural
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates
from pt_fairness.groups.labels_of_models import FromTransformer
from pt_fairness.reporting.evaluated_runs import Experiment
from pt_fairness.reporting.paragraph import as_text, aspect_of, short_names
from pt_fairness.reporting.sections import (
    Cell,
    annotated_within,
    decimal,
    of_model,
    undefined_measures,
)

#: The numbers of each measure as text, by outcome and measure; the cells of each system.
Clauses = dict[str, dict[str, str]]
Cells = Sequence[Sequence[Cell]]

#: The group sources that hold the labels of a model.
LABELS_OF_MODELS = (ModelLabels, FromTransformer, WithErrorRates)
#: The number of random orders.
DRAWS = 1000
#: The answer mentions a share of annotated documents if it is smaller than this.
HALF = 0.5
#: A link: the id of its target and its text, between private-use characters.
_LINK = re.compile("\ue000(.*?)\ue001(.*?)\ue002")
#: The words for a mark of significance: of the fairest system, and of its relevance.
_FAIRER = {BETTER: "it is significantly fairer by", DIFFERENT: "it differs significantly by",
           "": "no significant difference was found by"}
_RELEVANCE = {BETTER: "significantly less than {}", WORSE: "significantly more than {}",
              "": "no significant difference"}
_BY_CHANCE = "no difference was found by"
#: The open question of each outcome.
_OPEN = {_FAIRER[""]: "Whether the fairest system is fairer than the baseline",
         _FAIRER[DIFFERENT]: "Which system is nearer to the ideal value, which means can be on "
                             "either side of",
         _BY_CHANCE: "Whether the order of the fairest system is fairer, or less fair, than a "
                     "random one"}


def link(target: str, text: str) -> str:
    """Return a link to an element of the page."""
    return f"\ue000{target}\ue001{text}\ue002"


def as_html(text: str) -> str:
    """Return a text with links as HTML."""
    return _LINK.sub(r'<a href="#\1">\2</a>', escape(text))


def answer_of(experiment: Experiment, rows: Sequence[tuple[str, Sequence[Cell]]],
              runs: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return the answer, the open questions, and the section on random orders.

    :param rows: the name and the cells of each system
    :param runs: the runs by name
    :param seed: the seed of the random orders
    :returns: the ``answer`` and the lines of ``unknown`` as HTML, and a list of ``sections``
    """
    cells = [of_system for _, of_system in rows]
    table = AverageTable(experiment, cells)
    against_baseline = table.against_baseline()
    by_chance, sections = _random_orders(table, runs, seed)
    sentences = table.labels_of_model() + table.winners()
    if against_baseline:
        test = f"{experiment.baseline} ({experiment.comparison['test']})"
        sentences.append(f"The fairest system of each measure against the baseline {test}: "
                         f"{_grouped(against_baseline)}")
    if by_chance:
        sentences.append(f"The fairest system of each measure against {DRAWS:,} random orders of "
                         f"the annotated documents that it returned: {_grouped(by_chance)}")
    sentences += table.costs()
    topics = plural(len(experiment.topics), "topic")
    sentences.append(f"All values are averages over {topics}.")
    lines = []
    clauses = against_baseline | by_chance
    for outcome, of_measures in clauses.items():
        if outcome in _OPEN:
            measures = enumerated(of_measures)
            lines.append(f"{_OPEN[outcome]}: {measures}.")
    lines += table.untested()
    lines += _limits(table)
    answer = as_html(" ".join(sentences))
    unknown = [as_html(line) for line in lines]
    return {"answer": answer, "unknown": unknown, "sections": sections}


class AverageTable:
    """Sentences on the fairest systems of the table of averages.

    :param experiment: the evaluated runs
    :param cells: the cells of each system
    """

    def __init__(self, experiment: Experiment, cells: Cells) -> None:
        self.experiment = experiment
        self.systems = experiment.systems
        self.cells = cells
        columns = experiment.columns
        self.names = short_names([(column.name, column.measure) for column in columns])
        self.baseline = None
        if experiment.baseline is not None and len(self.systems) > 1:
            self.baseline = self.systems.index(experiment.baseline)
        best: dict[str, dict[int, list[int]]] = defaultdict(dict)
        for j, column in enumerate(columns):
            places = [i for i, of_system in enumerate(cells) if of_system[j].best]
            if places:
                aspect = aspect_of(column.measure)
                best[aspect][j] = places
        #: The indices of the systems with the best value, by the index of the measure.
        self.fairest = best["fairness"] | best["bias"] | best["divergence"]
        self.most_relevant = best["relevance"]

    def value(self, i: int, j: int) -> str:
        """Return the value of a system, linked to its cell."""
        return link(f"s{i}-m{j}", self.cells[i][j].text)

    def p_value(self, i: int, j: int) -> str:
        """Return the p-value of a system against the baseline, linked to its cell."""
        text, _, _ = self.cells[i][j].about.partition(";")
        return link(f"s{i}-m{j}", text or "no p-value")

    def labels_of_model(self) -> list[str]:
        """Return a sentence on the measures whose groups are the labels of a model."""
        names = []
        for column, name in zip(self.experiment.columns, self.names, strict=True):
            sources = [self.experiment.sources[i].annotations.groups for i in column.sources]
            if any(isinstance(source, LABELS_OF_MODELS) for source in sources):
                names.append(name)
        if not names:
            return []
        return [f"The values of {enumerated(names)} are by the labels of a model, and not "
                "corrected for its errors."]

    def winners(self) -> list[str]:
        """Return sentences on which systems are the fairest."""
        if not self.fairest:
            return ["No measure of fairness has a value, so no system is called the fairest."]
        by_system: Clauses = defaultdict(dict)
        for j, places in self.fairest.items():
            verb = "is the fairest system by"
            if len(self.systems) == 1:
                verb = "is the only system, with"
            elif len(places) > 1:
                verb = "are the fairest systems, and equal, by"
            equal = enumerated(self.systems[place] for place in places)
            i = places[0]
            cell = self.cells[i][j]
            text = f"{cell.text} {cell.interval}".rstrip()
            value = link(f"s{i}-m{j}", text)
            _, _, end = self.experiment.columns[j].end.partition(" ")
            by_system[f"{equal} {verb}"][self.names[j]] = f"{value}; {end}"
        sentences = [_grouped(by_system)]
        if len(by_system) > 1:
            sentences.insert(0, "The measures of fairness disagree.")
        return sentences

    def against_baseline(self) -> Clauses:
        """Compare the fairest system of each measure with the baseline."""
        clauses: Clauses = defaultdict(dict)
        if self.baseline is None:
            return clauses
        for j, places in self.fairest.items():
            outcome = "the baseline is the fairest, or one of them, by"
            numbers = ""
            if self.baseline not in places:
                i = places[0]
                outcome = _FAIRER[self.cells[i][j].mark]
                numbers = f"{self.value(self.baseline, j)}, {self.p_value(i, j)}"
            measure = self.names[j]
            clauses[outcome][measure] = numbers
        return clauses

    def costs(self) -> list[str]:
        """Return a sentence on the relevance of each fairest system."""
        if not self.most_relevant:
            return []
        j, most = next(iter(self.most_relevant.items()))
        highest = most[0]
        sentences = []
        for i in dict.fromkeys(itertools.chain(*self.fairest.values())):
            system = self.systems[i]
            text = f"{system} has {self.names[j]} {self.value(i, j)}"
            if i in most:
                text += ", the highest"
            else:
                text += f"; the highest is {self.value(highest, j)}, of {self.systems[highest]}"
            if self.baseline not in (None, i):
                mark = self.cells[i][j].mark
                outcome = _RELEVANCE[mark].format(system)
                value = self.value(self.baseline, j)
                text += f"; the baseline has {value} ({outcome}, {self.p_value(i, j)})"
            sentences.append(f"{text}.")
        return sentences

    def untested(self) -> list[str]:
        """Return the open questions that no test of the table answers."""
        lines = []
        if len(self.systems) == 1:
            lines.append("Whether another system is fairer: there is one system.")
        elif self.baseline is None:
            lines.append("Whether the systems differ: there is no baseline to test them against.")
        elif len(self.systems) > 2:
            lines.append("Whether the systems differ from each other: each was tested against the "
                         "baseline alone.")
        if len(self.fairest) > 1:
            lines.append("How much of this is chance: no p-value is corrected for the number of "
                         "measures.")
        if not self.most_relevant:
            lines.append("What fairness costs in relevance: there is no measure of it.")
        return lines


def _limits(table: AverageTable) -> list[str]:
    """Return the limits of the results, such as few topics or documents without a group."""
    experiment = table.experiment
    names = [experiment.names[j] for j in table.fairest]
    lines = note_on_oracles(experiment.table)
    if any(topics_of_test(experiment.table, name) < LEAST_TESTED for name in names):
        lines.append(TOO_FEW)
    if experiment.broken:
        broken = enumerated(experiment.broken)
        lines.append(f"How fair {broken} is: there was an error.")
    lines += [link("judgments", text) for text in undefined_measures(experiment)]
    for text in annotated_within(experiment, HALF):
        annotated = link("paragraph", text)
        lines.append(f"How the documents without a group would change the values: {annotated}")
    for source in experiment.sources:
        for text in of_model(source.annotations.groups, experiment.corrected):
            lines.append(link("paragraph", as_text(text)))
    return lines


def _orders(table: AverageTable, runs: Mapping[str, Any], seed: int) -> Iterator[Any]:
    """Yield the fairest system, the index of the measure, and its row of random orders."""
    columns = table.experiment.columns
    by_system: dict[str, dict[str, int]] = defaultdict(dict)
    for j, (i, *_) in table.fairest.items():
        measure = columns[j].measure
        if compares_groups(measure):
            places = by_system[table.systems[i]]
            places[str(measure)] = j
    for system, places in by_system.items():
        run = {system: runs[system]}
        measures = [columns[j].measure for j in places.values()]
        with collecting_warnings():  # the evaluation has issued them
            orders = against_random(run, table.experiment.plan.qrels, measures, draws=DRAWS,
                                    seed=seed, progress=False)
        for order in orders.to_dict("records"):
            yield system, places[order["measure"]], order


def _random_orders(table: AverageTable, runs: Mapping[str, Any],
                   seed: int) -> tuple[Clauses, list[dict[str, Any]]]:
    """Return clauses that compare each fairest system with random orders, and the section."""
    clauses: Clauses = defaultdict(dict)
    rows: list[Sequence[str]] = []
    for system, j, order in _orders(table, runs, seed):
        outcome = _BY_CHANCE
        if order["p"] < ALPHA:
            side = "fairer" if order["fairer"] < 0.5 else "less fair"
            outcome = f"its order is {side} by"
        share = f"{order['fairer']:.1%}"
        p = short_p(order["p"])
        cell = f"random-{len(rows)}"
        fairer = link(f"{cell}-5", share)
        p_value = link(f"{cell}-6", p)
        name = table.names[j]
        clauses[outcome][name] = f"{fairer} of the orders are fairer, two-sided p {p_value}"
        values = [decimal(order[column]) for column in ("value", "random", "sd")]
        rows.append((system, table.experiment.names[j], *values, share, p))
    if not rows:
        return clauses, []
    heads = ["system", "measure", "value", "random orders", "SD", "fairer", "p"]
    lead = (f"The fairest system of each measure, of equal ones the first, and {DRAWS:,} random "
            "orders of the annotated documents that it returned: their mean, its standard "
            "deviation, the share of them that are fairer, where an equal one counts half, and a "
            "two-sided p, not corrected for several measures. Undefined topics count 0.")
    frame = pd.DataFrame(rows, columns=heads)
    section = {"id": "random", "title": "Random orders", "tables": [("", frame)], "lead": lead}
    return clauses, [section]


def _grouped(clauses: Clauses) -> str:
    """Return a sentence with the outcomes, and the measures and numbers of each."""
    texts = []
    for outcome, measures in clauses.items():
        numbers = [f"{name} ({text})" if text else name for name, text in measures.items()]
        texts.append(f"{outcome} {enumerated(numbers)}")
    return f"{'; '.join(texts)}."
