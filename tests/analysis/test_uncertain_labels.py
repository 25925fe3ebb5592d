"""Values under drawn labels, compared with groups that are drawn document by document."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_measures import parse_measure
from slow_versions import uncertainty as slow

from pt_fairness import FairnessWarning, evaluate, groups
from pt_fairness.analysis import uncertain_labels

COLUMNS = ["n", "mean", "low", "high", "label low", "label high", "share", "error"]
SOFT = groups.from_mapping({"a": {"F": 0.7, "M": 0.3}, "b": "M", "c": {"F": 0.2, "M": 0.8},
                            "d": {"F": 0.5, "M": 0.5}, "e": "F"})  # fmt: skip
#: Measures of all kinds: parity, exposure of groups and documents, tests, pairs, whole lists.
MEASURES = [
    "rKL@3", "rND(target='collection')@4", "AWRF(target='qrels')@3", "AWRF(target='collection')",
    "DistKL(target={'F':0.5,'X':0.5})@3", "BiasP(pro='F',con='M')@4", "nDJS", "nDKL@5",
    "RepBias(group='F')@3", "EEL(by='group')@4", "EED@3", "logEUR(protected='F')@5", "FAIR@5",
    "PEER@5", "ARP@4", "IAA@3", "Annotated@5", "MinSkew@3",
]  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore:topics with nothing to compare")


def run_of(lists):
    rows = [(str(q), d, -r) for q, docs in enumerate(lists, 1) for r, d in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def qrels_of(lists):
    return run_of(lists).drop(columns="score").assign(label=1)


RUN = run_of(["abcd", "deab", "cbea", "bedc", "ebac", "bcae"])
QRELS = qrels_of(["abd", "ade", "bce", "ab", "cde", "be"])


def test_worked_values():
    measure = "AWRF(target='qrels')@3"
    row = uncertain_labels({"A": RUN}, QRELS, measure, SOFT).iloc[0]
    assert row[["name", "measure", "n"]].tolist() == ["A", measure, 6]
    names = ["mean", "label low", "label high", "share", "low", "high", "most probable"]
    expected = [0.953215, 0.852595, 0.984176, 0.627759, 0.850385, 1.056044, 0.984176]
    assert row[names].tolist() == pytest.approx(expected, abs=1e-6)
    row = uncertain_labels({"A": RUN}, QRELS, measure, SOFT, interval="components").iloc[0]
    assert [row["low"], row["high"]] == pytest.approx([0.886705, 1.019724], abs=1e-6)
    assert slow.uniforms(0, "\na", 0, 2) == pytest.approx([0.344552, 0.219010], abs=1e-6)


def with_labels(groups_of, labels):
    """Hard groups: the given labels of the uncertain documents, and the certain ones."""
    rows = [(*key, label) for key, known in groups_of.items()
            for label in ([labels[key]] if key in labels else known)]
    every = {label for known in groups_of.values() for label in known}
    rows += [("other", "other", label) for label in sorted(every)]
    return groups.from_frame(pd.DataFrame(rows, columns=["qid", "docno", "group"]))


def values_of(measures, source, qrels, run):
    """The value of each measure and topic, NaN where it is undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        _, perquery = evaluate({"A": run}, qrels, measures, groups=source, undefined="drop",
                                progress=False)
    found = perquery.set_index(["measure", "qid"])["value"]
    return [[found.get((str(measure), qid), math.nan) for qid in qrels["qid"].unique()]
            for measure in measures]


def random_groups(rng, docs, by_topic):
    """A source, and the groups of each topic and document: probabilities, or certain labels."""
    kinds = [{"F": 0.4, "M": 0.35, "X": 0.25}, {"M": 2.0, "F": 1.0}, ["F"], ["F", "X"], []]
    pick = rng.choice(5, (3 if by_topic else 1, len(docs)), p=[0.3, 0.3, 0.2, 0.1, 0.1])
    known = {(str(q), d): kinds[pick[(q - 1) * by_topic, i]] for q in (1, 2, 3)
             for i, d in enumerate(docs)}  # fmt: skip
    if not by_topic:
        return groups.from_mapping({d: known["1", d] for d in docs}), known
    frame = pd.DataFrame(
        [(*key, g, of[g] if isinstance(of, dict) else math.nan)
         for key, of in known.items() for g in of], columns=["qid", "docno", "group", "weight"])
    certain = frame["weight"].isna()
    return groups.from_frame(frame[~certain]).override(frame[certain].iloc[:, :3]), known


@pytest.mark.parametrize("by_topic", [False, True])
@pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
def test_slow_version(seed, by_topic):
    rng = np.random.default_rng(seed)
    docs, draws = [f"d{i}" for i in range(9)], 4
    source, groups_of = random_groups(rng, docs, by_topic)

    def lists(n):
        return [rng.choice(docs, n, replace=False) for _ in range(3)]

    qrels = qrels_of(lists(6))
    qrels["label"] = rng.integers(0, 3, len(qrels))
    # Two rankings of each topic in one of the runs.
    several = pd.concat([run_of(lists(n)).assign(iteration=n) for n in (7, 5)])
    runs = {"A": run_of(lists(7)), "B": several}
    measures = [parse_measure(name) for name in MEASURES]
    uncertain = {key: known for key, known in groups_of.items() if isinstance(known, dict)}
    drawn = {key: slow.labels_of(known, key[0] if by_topic else "", key[1], draws, seed)
             for key, known in uncertain.items()}  # fmt: skip
    labels = [{key: of[m] for key, of in drawn.items()} for m in range(draws)]
    labels.append({key: slow.most_probable(known) for key, known in uncertain.items()})
    tables = {interval: uncertain_labels(runs, qrels, measures, source, draws, interval, 0.9,
                                         seed=seed).set_index(["name", "measure"])
              for interval in ("rubin", "components")}  # fmt: skip
    for name, run in runs.items():
        values = [values_of(measures, with_labels(groups_of, of), qrels, run) for of in labels]
        for (interval, table), (i, measure) in itertools.product(
                tables.items(), enumerate(measures)):  # fmt: skip
            *of_draws, probable = [of[i] for of in values]
            row, expected = table.loc[name, str(measure)], slow.summary(of_draws, interval, 0.9)
            assert row["most probable"] == pytest.approx(
                    pd.Series(probable).mean(), abs=1e-9, nan_ok=True)
            assert row[COLUMNS].tolist() == pytest.approx(
                [expected[column] for column in COLUMNS], abs=1e-9, nan_ok=True), measure


def test_order_and_other_systems_and_measures_do_not_matter():
    runs = {"A": RUN, "B": RUN.assign(score=-RUN["score"])}
    measures = ["rKL@3", "AWRF(target='collection')@3", "BiasP(pro='F',con='M')@2"]
    every = uncertain_labels(runs, QRELS, measures, SOFT, 20)
    shuffled = {name: runs[name].sample(frac=1, random_state=0) for name in "BA"}
    judged = QRELS.sample(frac=1, random_state=1)
    for row in every.to_dict("records"):
        alone = {row["name"]: shuffled[row["name"]]}
        table = uncertain_labels(alone, judged, row["measure"], SOFT, 20)
        assert table.to_dict("records")[0] == pytest.approx(row)


def test_certain_labels():
    certain = groups.from_mapping({"a": "F", "b": "M", "c": {"M": 1}, "d": ["F", "M"]})
    # A probability of one label alone is a weight of 1: the shares of a document sum to 1.
    alone = groups.from_frame(pd.DataFrame({"docno": [*"ab"], "group": [*"FM"],
                                            "weight": [0.6, 0.9]}))
    table = QRELS.assign(iteration=np.where(QRELS["docno"].isin(["a", "e"]), "F", "M"))
    for source, qrels in ((certain, QRELS), (alone, QRELS), (None, table)):
        with pytest.warns(FairnessWarning, match="uncertain"):
            row = uncertain_labels({"A": RUN}, qrels, "AWRF@3", source, 5).iloc[0]
        assert row[["share", "error"]].tolist() == pytest.approx([0, 0], abs=1e-12)
        same = row[["label low", "label high", "mean", "most probable"]].tolist()
        assert same == pytest.approx([row["mean"]] * 4) and row["low"] < row["mean"] < row["high"]


def test_one_topic_and_equal_values():
    qrels, run = QRELS[QRELS["qid"] == "1"], RUN[RUN["qid"] == "1"]
    row = uncertain_labels({"A": run}, qrels, "AWRF@3", SOFT, 5).iloc[0]
    assert row["n"] == 1 and row[["low", "high", "share"]].isna().all()
    assert row["label low"] < row["label high"]
    row = uncertain_labels({"A": RUN}, QRELS, "Annotated@3", SOFT, 5).iloc[0]
    assert row["low"] == row["high"] == row["mean"] == 1 and row["share"] == 0


def test_differences_from_a_baseline():
    runs = {"A": RUN, "B": RUN.assign(score=-RUN["score"]), "twin": RUN}
    plain = uncertain_labels(runs, QRELS, "AWRF@3", SOFT, 10).set_index("name")
    result = uncertain_labels(runs, QRELS, "AWRF@3", SOFT, 10, baseline="A").set_index("name")
    assert result.index.tolist() == ["B", "twin"]
    for column in ("mean", "most probable", "expected memberships"):
        expected = plain.loc["B", column] - plain.loc["A", column]
        assert result.loc["B", column] == pytest.approx(expected)
    assert (result.loc["twin", ["mean", "low", "high", "share", "error"]] == 0).all()


def test_undefined_topics():
    """rND of one group is undefined: documents a and b are both M where a is drawn so."""
    source = groups.from_mapping({"a": {"F": 0.5, "M": 0.5}, "b": "M", "c": {"F": 0.5, "M": 0.5}})
    run, qrels = run_of(["ab", "ab", "cb"]), qrels_of(["ab", "ab", "cb"])
    left, counted = (
        uncertain_labels({"A": run}, qrels, "rND@1", source, 20, undefined=undefined).iloc[0]
        for undefined in ("drop", "count"))
    assert counted["mean"] < left["mean"] and left["n"] == counted["n"] == 3
    qrels = qrels[qrels["qid"] == "1"]
    row = uncertain_labels({"A": run}, qrels, "rND@1", source, 20).iloc[0]
    assert row["n"] == 1 and row["mean"] == left["mean"]
    with pytest.warns(FairnessWarning, match="NaN"):
        alike = groups.from_mapping({"a": "M", "b": "M", "c": {"F": 0.5, "M": 0.5}})
        row = uncertain_labels({"A": run}, qrels, "rND@1", alike, 20).iloc[0]
    assert row[COLUMNS[1:]].isna().all() and row["n"] == 0


@pytest.mark.parametrize("options, says", [
    ({"draws": 1}, "draws.* 2"),
    ({"undefined": "keep"}, "undefined.*'keep'"),
    ({"interval": "t"}, "interval.*'t'"),
    ({"confidence": 95}, "confidence.*95"),
    ({"baseline": "C"}, "baseline.*'C'"),
    ({"measures": "nDCG@5"}, r"uncertain_labels.*nDCG@5"),
    ({"measures": "BiasP(pro='F',con='Z')@5"}, "'Z'"),
])  # fmt: skip
def test_wrong_input(options, says):
    arguments = {"runs": {"A": RUN}, "measures": "AWRF@3", "groups": SOFT, **options}
    with pytest.raises(ValueError, match=says):
        uncertain_labels(qrels=QRELS, **arguments)
