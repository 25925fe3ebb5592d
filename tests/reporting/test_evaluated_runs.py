"""The page shows what explain returns: every measure, target and kind of groups, on lists that are
longer than the page is deep.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pt_fairness import evaluate, explain, groups, report, targets
from pt_fairness.evaluation.plan import make_plan
from pt_fairness.evaluation.workers import Scorer
from pt_fairness.measures import MEASURES
from pt_fairness.provider.measure_lists import parsed, with_groups
from pt_fairness.reporting.evaluated_runs import Experiment

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

DEPTH = 4
TARGETS = ["qrels", "collection", "uniform", "run", {"g0": 0.2, "g1": 0.5, "g2": 0.3}]
NEEDED: dict[str, Any] = {"measure": "nDCG", "group": "g1",
                          "values": {"g0": 1.0, "g1": 0.25}, "attributes": {"paged": "jsd"}}
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("FAIR", {"p": 0.3}), ("PreF", {"p": 0.3, "protected": "g1"}),
    *((name, {"by": "group", "target": target}) for name in ("EEL", "EED", "EER")
      for target in ("qrels", "uniform")),
    ("IAA", {"by": "group"}), ("rKL", {"protected": "all", "target": "run"}),
    ("rKL", {"protected": "all"}), ("rND", {"protected": "g1", "norm": "none", "step": 2}),
    ("rKL", {"norm": "range"}), ("nDR", {"norm": "range"}), ("nDD", {"protected": "majority"}),
    ("nDD", {"norm": "protected-first"}),
    ("nDJS", {"norm": "none"}), ("BiasP", {"abs": True}), ("AWRF", {"unannotated": "keep"}),
    *((name, {"background": "qrels"}) for name in ("NFaiRR", "RankingBias")),
]


def measures() -> list[Any]:
    wanted = []
    for name, measure in MEASURES.items():
        params = {one: value for one, value in NEEDED.items() if one in measure.SUPPORTED_PARAMS}
        if name == "TrecFair":
            targets.register("paged", pd.DataFrame({"group": ["g0", "g1", "g2"],
                                                    "share": [0.2, 0.5, 0.3]}))
            params["attributes"] = {"paged": "paged"}
        if "pro" in measure.SUPPORTED_PARAMS:
            params |= {"pro": "g0", "con": "g1"}
        some = TARGETS if "target" in measure.SUPPORTED_PARAMS and name not in (
            "EEL", "EED", "EER") else [None]
        wanted += [measure(**params, **({} if target is None else {"target": target}))
                   for target in some]
        wanted += [measure(**params | more) for other, more in OTHERS if other == name]
    # Cutoffs on the page and below it.
    return [measure @ (7 if i % 2 else 3) for i, measure in enumerate(dict.fromkeys(wanted))]


@pytest.fixture(scope="module", params=["source",
                                        pytest.param("qrels", marks=pytest.mark.exhaustive)])
def case(request):
    """The runs, qrels, group source and measures of a report."""
    rng = np.random.default_rng(8)
    docnos = [f"d{i:02}" for i in range(30)]
    # Half of the documents that the page does not show have the rarest group.
    label = {docno: ["g0", "g0", "g1", "g2"][i % 4] for i, docno in enumerate(docnos) if i % 7 != 3}
    several = {docno: [label[docno], "g2"] if i % 6 == 0 else [label[docno]]
               for i, docno in enumerate(docnos) if docno in label}
    qids = ["1", "2", "3"]
    judged = [(qid, docno, int(rng.integers(0, 3)) if qid != "3" else 0)
              for qid in qids for docno in docnos[:20]]
    runs = {name: pd.DataFrame([(qid, docno, rng.random()) for qid in qids
                                for docno in rng.permutation(docnos)[:24]],
                               columns=["qid", "docno", "score"]) for name in ("one", "two")}
    source = groups.from_mapping(several, name="paged")
    groups.register("paged", source)
    if request.param == "source":
        yield runs, pd.DataFrame(judged, columns=["qid", "docno", "label"]), source
    else:
        rows = [(*row, group) for row in judged for group in several.get(row[1], ["-"])]
        columns = ["qid", "docno", "label", "iteration"]
        yield runs, pd.DataFrame(rows, columns=columns), None
    groups.unregister("paged")


#: Choose measures and topics one after the other for the second system, and return what is shown.
SHOWN = """
const choose = (id, value) => {
  document.getElementById(id).value = String(value);
  document.getElementById(id).dispatchEvent(new Event('change'));
};
const texts = (cells) => [...cells].map((cell) => cell.innerText.trim());
const table = document.getElementById('steps');
return arguments[0].map(([measure, topic]) => {
  choose('measure', measure);
  choose('run', 1);
  choose('topic', data.topics.indexOf(topic));
  return [document.getElementById('measure').selectedOptions[0].text,
    document.getElementById('steps-caption').innerText, texts(table.querySelectorAll('thead th')),
    [...table.tBodies[0].rows].map((row) => texts(row.cells)),
    texts(table.querySelectorAll('tfoot td')),
    [...document.querySelectorAll('#strips tr[data-run="1"] td[data-doc]')].map(
      (cell) => cell.className),
    document.getElementById('strips-caption').innerText];
});
"""


def explained(measure, case, name, qid):
    runs, qrels, source = case
    (one,) = with_groups([measure], source) if source is not None else [measure]
    return explain(one, runs[name], qrels, qid)


def test_the_numbers_targets_and_sides_of_the_report(case):
    runs, qrels, source = case
    every = 1 if source is None else 8
    wanted = measures() if source is None else with_groups(measures(), source)
    averages, perquery = evaluate(runs, qrels, wanted, progress=False)
    scorer = Scorer(make_plan(qrels, parsed(wanted), 1))
    experiment = Experiment(runs, scorer, averages, perquery, DEPTH)
    strip = experiment.strips[1]
    for i, measure in [*enumerate(measures())][::every]:
        own = experiment.columns[i].source
        for t, qid in [((0, "1"), (2, "3"))[i % 3 == 0]]:
            frame = explained(measure, case, "two", qid).head(DEPTH)
            column = "contribution" if "contribution" in frame else "value"
            numbers = experiment.numbers[1][experiment.columns[i].measure]
            numbers = numbers[strip.topic == t][:len(frame)]
            assert numbers == pytest.approx(frame[column].to_numpy(), abs=1e-9, nan_ok=True), (
                measure, qid)
            if own is None:
                continue
            labels = experiment.sources[own].labels
            targets, sides = (one[1] if experiment.columns[i].of_run else one for one in
                              (experiment.columns[i].targets, experiment.columns[i].protected))
            shares = [frame[one].iloc[0] for one in frame if one.startswith("target of ")]
            assert (targets is not None) == bool(shares), measure
            if shares:
                found = [math.nan if one is None else one for one in targets[t]]
                assert found == pytest.approx(shares, abs=1e-6, nan_ok=True), (measure, qid)
            protected = [labels[one] for one in sides[t]] if sides is not None else []
            assert protected == frame.attrs.get("protected", []), (measure, qid)
            fairest = experiment.columns[i].fairest
            assert (fairest[1][t] if fairest else None) == pytest.approx(
                frame.attrs.get("fairest"), abs=1e-9, nan_ok=True), (measure, qid)


@pytest.mark.parametrize("case", ["source"], indirect=True)
def test_the_page_in_a_browser(case, show):
    runs, qrels, source = case
    # One of each name; the numbers of the others are compared above.
    wanted = [*{measure.NAME: measure for measure in measures()}.values()]
    page = show(report(runs, qrels, wanted, groups=source, depth=DEPTH, progress=False).html)
    known = page("return data.measures.map(one => [one.name, one.source])")
    chosen = [[i, qid] for i in range(len(wanted)) for qid in ("1", "3")[: 2 if i % 4 == 0 else 1]]
    found = iter(page(SHOWN, chosen))
    for i, (measure, (column, own)) in enumerate(zip(wanted, known, strict=True)):
        for qid in ("1", "3")[: 2 if i % 4 == 0 else 1]:
            option, caption, heads, rows, foot, framed, said = next(found)
            assert option == column and caption.startswith(f"{column} of two for topic {qid}: ")
            frame = explained(measure, case, "two", qid).head(DEPTH)
            fairest = frame.attrs.get("fairest", math.nan)
            assert caption.partition("ranking has ")[2] == (
                "" if math.isnan(fairest) else shown(fairest)), (column, qid)
            counts = [one == "counts" for one in framed]
            assert counts[:len(frame)] == frame["counts"].tolist(), (column, qid)
            assert not any(counts[len(frame):]), (column, qid)
            assert f"Framed: the first {measure.params['cutoff']} documents" in said
            assert ("documents with a group" in said) == getattr(measure, "condensed", False)
            kind = "contribution" if "contribution" in frame else "value"
            for row, (_, expected) in zip(rows, frame.iterrows(), strict=False):
                cells = dict(zip(heads, row, strict=False))
                assert cells["docno"] == expected["docno"]
                assert (cells["counts"] == "yes") == expected["counts"], (column, qid)
                text = row[len(heads) - 1].replace("−", "-")
                number = math.nan if text == "–" else float(text)
                assert number == pytest.approx(expected[kind], abs=1e-4, nan_ok=True), (column, qid)
                for name in expected.index if own is not None else ():
                    if name.startswith("share of "):
                        label = name.removeprefix("share of ")
                        (head,) = [one for one in heads if one.startswith(f"{label} so far")]
                        assert cells[head] == shown(expected[name]), (column, qid)
                        assert head.endswith("(protected)") == (
                            label in frame.attrs.get("protected", ())), (column, qid)
            shares = [one for one in frame if one.startswith("target of ") and own is not None]
            assert foot[:len(shares)] == [shown(frame[one].iloc[0]) for one in shares], column


def shown(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4f}".replace("-", "−")
