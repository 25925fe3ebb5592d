"""Values under drawn labels, compared with groups that are drawn document by document."""

from __future__ import annotations

import math
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import parse_measure
from slow_versions import uncertainty as slow

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import uncertain_labels

COLUMNS = ["n", "mean", "low", "high", "label low", "label high", "share", "error"]
SOFT = {"a": {"F": 0.7, "M": 0.3}, "b": "M", "c": {"F": 0.2, "M": 0.8},
        "d": {"F": 0.5, "M": 0.5}, "e": "F"}  # fmt: skip
#: Measures of all kinds: parity, exposure of groups and documents, tests, pairs, whole lists.
MEASURES = [
    "rKL@3", "rND(target='collection')@4", "AWRF(target='qrels')@3", "AWRF(target='collection')",
    "DistKL(target={'F':0.5,'X':0.5})@3", "BiasP(pro='F',con='M')@4", "nDJS", "nDKL@5",
    "RepBias(group='F')@3", "EEL(by='group')@4", "EED@3", "logEUR(protected='F')@5", "FAIR@5",
    "PEER@5", "ARP@4", "IAA@3", "Annotated@5", "MinSkew@3",
]  # fmt: skip
ROWS = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


def run_of(lists):
    rows = [(str(q), d, -r) for q, docs in enumerate(lists, 1) for r, d in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def qrels_of(lists):
    rows = [(str(q), d, 1) for q, docs in enumerate(lists, 1) for d in docs]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


RUN = run_of(["abcd", "deab", "cbea", "bedc", "ebac", "bcae"])
QRELS = qrels_of(["abd", "ade", "bce", "ab", "cde", "be"])


class TestWorkedValues:
    def test_intervals(self):
        measure = "AWRF(target='qrels')@3"
        rows = {
            interval: uncertain_labels(
                {"A": RUN}, QRELS, measure, groups.from_mapping(SOFT), interval=interval).iloc[0]
            for interval in ("rubin", "components")
        }
        row = rows["rubin"]
        assert row[["name", "measure", "n"]].tolist() == ["A", measure, 6]
        names = ["mean", "label low", "label high", "share", "low", "high", "most probable"]
        expected = [0.953215, 0.852595, 0.984176, 0.627759, 0.850385, 1.056044, 0.984176]
        assert row[names].tolist() == pytest.approx(expected, abs=1e-6)
        found = rows["components"][["low", "high"]].tolist()
        assert found == pytest.approx([0.886705, 1.019724], abs=1e-6)

    def test_numbers_of_a_document(self):
        found = slow.uniforms(0, "\na", 0, 2)
        assert found == pytest.approx([0.344552, 0.219010], abs=1e-6)


def with_labels(probabilities, labels):
    """Hard groups: the given labels of the uncertain documents, and the certain ones."""
    rows = [
        {"qid": qid, "docno": docno, "group": label}
        for (qid, docno), found in probabilities.items()
        for label in ([labels[qid, docno]] if isinstance(found, dict) else found)]
    every = sorted({label for found in probabilities.values() for label in found})
    rows += [{"qid": "other", "docno": "other", "group": label} for label in every]
    return groups.from_frame(pd.DataFrame(rows))


def values_of(measures, source, qrels, run):
    """The value of each measure and topic, 0 where it is undefined."""
    found = {}
    wanted = [measure(groups=source) if measure.needs_groups else measure for measure in measures]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        judged, ranked = (frame.rename(columns=ROWS) for frame in (qrels, run))
        for one in ir_measures.iter_calc(wanted, judged, ranked):
            found[wanted.index(one.measure), one.query_id] = one.value
    return [[found[i, qid] for qid in qrels["qid"].unique()] for i in range(len(measures))]


@pytest.mark.filterwarnings("ignore:topics for which a measure is undefined")
@pytest.mark.parametrize("by_topic", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_slow_version(seed, by_topic):
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(9)]
    kinds = [lambda: {"F": 0.4, "M": 0.35, "X": 0.25}, lambda: {"M": 2.0, "F": 1.0},
             lambda: ["F"], lambda: ["F", "X"], lambda: []]  # fmt: skip

    def groups_of(docno):
        return kinds[rng.choice(len(kinds), p=[0.3, 0.3, 0.2, 0.1, 0.1])]()

    if by_topic:
        given = {str(q): {docno: groups_of(docno) for docno in docs} for q in range(1, 4)}
        frame = [(q, d, g, w) for q, some in given.items() for d, found in some.items()
                 for g, w in (found.items() if isinstance(found, dict)
                              else ((g, math.nan) for g in found))]  # fmt: skip
        certain = [row[:3] for row in frame if math.isnan(row[3])]
        soft = groups.from_frame(
            pd.DataFrame([r for r in frame if not math.isnan(r[3])],
                         columns=["qid", "docno", "group", "weight"])
        )  # fmt: skip
        source = soft.override(pd.DataFrame(certain, columns=["qid", "docno", "group"]))
        probabilities = {(q, d): found for q, some in given.items() for d, found in some.items()}
    else:
        given = {docno: groups_of(docno) for docno in docs}
        source = groups.from_mapping(given)
        probabilities = {(str(q), d): given[d] for q in range(1, 4) for d in docs}
    qrels = qrels_of([rng.choice(docs, 6, replace=False) for _ in range(3)])
    qrels["label"] = rng.integers(0, 3, len(qrels))
    runs = {name: run_of([rng.choice(docs, 7, replace=False) for _ in range(3)]) for name in "AB"}
    # Two rankings of each topic in one of the runs.
    second = run_of([rng.choice(docs, 5, replace=False) for _ in range(3)])
    runs["B"] = pd.concat([runs["B"].assign(iteration=0), second.assign(iteration=1)])
    measures = [parse_measure(name) for name in MEASURES]
    draws = 6
    drawn = {
        key: slow.labels_of(found, key[0] if by_topic else "", key[1], draws, seed)
        for key, found in probabilities.items() if isinstance(found, dict)}
    likeliest = {
        key: slow.most_probable(found) for key, found in probabilities.items()
        if isinstance(found, dict)}
    for name, run in runs.items():
        by_draw = [
            values_of(
                measures, with_labels(probabilities, {key: some[m] for key, some in drawn.items()}),
                qrels, run)
            for m in range(draws)
        ]
        probable = values_of(measures, with_labels(probabilities, likeliest), qrels, run)
        for interval in ("rubin", "components"):
            result = uncertain_labels(
                runs, qrels, measures, source, draws, interval, 0.9, seed=seed)
            rows = result[result["name"] == name].set_index("measure")
            for i, measure in enumerate(measures):
                expected = slow.summary([values[i] for values in by_draw], interval, 0.9)
                row = rows.loc[str(measure)]
                assert row["most probable"] == pytest.approx(np.mean(probable[i]), abs=1e-9)
                for column in COLUMNS:
                    assert row[column] == pytest.approx(
                        expected[column], abs=1e-9, nan_ok=True), (measure, column)


@pytest.mark.filterwarnings("ignore:topics for which a measure is undefined")
class TestProperties:
    def test_order_and_other_systems_and_measures_do_not_matter(self):
        source = groups.from_mapping(SOFT)
        runs = {"A": RUN, "B": RUN.assign(score=-RUN["score"])}
        measures = ["rKL@3", "AWRF(target='collection')@3", "BiasP(pro='F',con='M')@2"]
        every = uncertain_labels(runs, QRELS, measures, source, 20)
        shuffled = {name: runs[name].sample(frac=1, random_state=0) for name in "BA"}
        judged = QRELS.sample(frac=1, random_state=1)
        for row in every.to_dict("records"):
            name, measure = row["name"], row["measure"]
            alone = uncertain_labels({name: shuffled[name]}, judged, measure, source, 20)
            assert alone.to_dict("records")[0] == pytest.approx(row)

    def test_certain_labels(self):
        certain = groups.from_mapping({"a": "F", "b": "M", "c": {"M": 1}, "d": ["F", "M"]})
        table = QRELS.assign(iteration=np.where(QRELS["docno"].isin(["a", "e"]), "F", "M"))
        for source, qrels in ((certain, QRELS), (None, table)):
            row = uncertain_labels({"A": RUN}, qrels, "AWRF@3", source, 5).iloc[0]
            assert row[["share", "error"]].tolist() == pytest.approx([0, 0], abs=1e-12)
            assert row["label low"] == pytest.approx(row["label high"])
            assert row["mean"] == pytest.approx(row["most probable"])
            assert row["low"] < row["mean"] < row["high"]

    def test_one_topic_and_equal_values(self):
        source = groups.from_mapping(SOFT)
        qrels, run = QRELS[QRELS["qid"] == "1"], RUN[RUN["qid"] == "1"]
        row = uncertain_labels({"A": run}, qrels, "AWRF@3", source, 5).iloc[0]
        assert row["n"] == 1 and row[["low", "high", "share"]].isna().all()
        assert row["label low"] < row["label high"]
        row = uncertain_labels({"A": RUN}, QRELS, "Annotated@3", source, 5).iloc[0]
        assert row["low"] == row["high"] == row["mean"] == 1 and row["share"] == 0

    def test_differences_from_a_baseline(self):
        source = groups.from_mapping(SOFT)
        runs = {"A": RUN, "B": RUN.assign(score=-RUN["score"]), "twin": RUN}
        plain = uncertain_labels(runs, QRELS, "AWRF@3", source, 10).set_index("name")
        for baseline in ("A", 0):
            result = uncertain_labels(runs, QRELS, "AWRF@3", source, 10, baseline=baseline)
            assert result["name"].tolist() == ["B", "twin"]
            for column in ("mean", "most probable"):
                expected = plain.loc["B", column] - plain.loc["A", column]
                assert result[column][0] == pytest.approx(expected)
            assert (result.loc[1, ["mean", "low", "high", "share", "error"]] == 0).all()

    def test_a_document_has_one_label_in_all_topics_unless_groups_depend_on_them(self):
        docs = [f"d{i}" for i in range(8)]
        qrels = qrels_of([docs, docs])
        soft = pd.DataFrame([(d, g, 0.5) for d in docs for g in "FM"],
                            columns=["docno", "group", "weight"])  # fmt: skip
        by_topic = pd.concat([soft.assign(qid=qid) for qid in "12"])
        run = {"A": run_of([docs, docs[::-1]])}
        measure = "RepBias(group='F',target='uniform')@8"
        same, own = (
            uncertain_labels(run, qrels, measure, groups.from_frame(frame), 50).iloc[0]
            for frame in (soft, by_topic))
        # Both topics hold the same documents, so that their values are equal in each draw.
        assert same["share"] == pytest.approx(1) and own["share"] < 0.9
        product = groups.product(groups.from_frame(soft), groups.from_frame(
            by_topic[["qid", "docno"]].drop_duplicates().assign(group="x")
        ))  # fmt: skip
        assert product.by_topic and not groups.from_frame(soft).by_topic

    def test_error_rates_are_drawn(self):
        docs = [f"d{i}" for i in range(400)]
        # In both topics, 60 % of the labels are F, of which 80 % are right.
        labels = {docno: "FFFMM"[i % 5] for i, docno in enumerate(docs)}
        source = groups.with_error_rates(
            groups.from_mapping(labels), {"F": {"F": 0.8, "M": 0.2}, "M": {"M": 1.0}})
        qrels = qrels_of([docs[:200], docs[200:]])
        row = uncertain_labels(
            {"A": qrels.assign(score=1)}, qrels, "BiasP(pro='F',con='M')@200", source, 200).iloc[0]
        assert row["mean"] == pytest.approx(2 * 0.6 * 0.8 - 1, abs=0.04)
        assert row["as labelled"] == pytest.approx(0.2)

    @pytest.mark.filterwarnings("default:topics for which")
    def test_undefined_topics_warn_once(self):
        source = groups.from_mapping({"a": {"F": 0.5, "M": 0.5}, "b": "M"})
        with pytest.warns(FairnessWarning, match="rND@2 on up to 6 of 6 topics") as caught:
            row = uncertain_labels({"A": RUN}, QRELS, "rND@2", source, 10).iloc[0]
        assert len(caught) == 1 and row["label low"] == 0

    def test_draws_in_parts(self, monkeypatch):
        arguments = {"A": RUN}, QRELS, ["rKL@3", "EED@3"], groups.from_mapping(SOFT), 30
        whole = uncertain_labels(*arguments)
        monkeypatch.setattr("pt_fairness.analysis.drawn_labels.CELLS", 200)
        pd.testing.assert_frame_equal(uncertain_labels(*arguments), whole)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"draws": 1}, "draws=1 is not possible; it takes a whole number of at least 2"),
        ({"draws": 2.5}, "draws=2.5"),
        ({"interval": "t"}, "interval='t' is not possible; it takes 'rubin' or 'components'"),
        ({"confidence": 95}, "confidence level 95 is not possible"),
        ({"baseline": "C"}, "no system is named 'C'"),
        ({"measures": "nDCG@5"}, "uncertain_labels takes measures of this package"),
        ({"measures": "rKL(groups='trec-newswire')@5"}, "without a groups parameter"),
        ({"runs": {}}, "there are no runs"),
        ({"measures": "BiasP(pro='F',con='Z')@5"}, "'Z'")],
)
def test_wrong_input(options, says):
    arguments = {"runs": {"A": RUN}, "measures": "AWRF@3", "groups": groups.from_mapping(SOFT)}
    with pytest.raises(ValueError, match=says):
        uncertain_labels(qrels=QRELS, **{**arguments, **options})


@pytest.mark.parametrize("source", [
    None, groups.from_frame(pd.DataFrame({"docno": [*"ab"], "group": [*"AB"],
                                          "weight": [0.6, 0.9]}))])
def test_certain_labels_are_a_warning(source):
    """A probability of one label alone is a weight of 1, as the shares of a document sum to 1."""
    qrels = pd.DataFrame({"qid": [*"1122"], "docno": [*"abab"], "label": 1,
                          "iteration": [*"ABAB"]})
    with pytest.warns(FairnessWarning, match=r"no label is uncertain.*its probability"):
        found = uncertain_labels({"A": qrels.assign(score=1.0)}, qrels, "AWRF@2", source, 5)
    assert found["label low"][0] == found["label high"][0] == found["mean"][0]
