"""Arguments of an evaluation: without qrels, as of pt.Experiment, and with groups in columns."""

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from one_test import each

import pt_fairness as pf
from pt_fairness.evaluation.plan import needs_qrels, position
from pt_fairness.provider import FairnessProvider

DOCNOS = [f"d{i}" for i in range(40)]
PICK = np.random.default_rng(0)
GROUP = dict(zip(DOCNOS, PICK.choice([*"ABC"], 40), strict=True))
RUN = pd.concat([pd.DataFrame({"qid": str(q), "docno": PICK.permutation(DOCNOS)[:15],
                               "score": range(15, 0, -1)}) for q in range(6)])
#: Parameters that the measures need, or that fit the groups.
GIVEN = {"group": "A", "values": {"A": 1, "B": 0.5, "C": 0}, "pro": "A", "con": "B",
         "measure": "nDCG", "attributes": "letters"}
TARGETS = ["qrels", "collection", "uniform", "run", {"A": 0.5, "B": 0.5}, "half"]


def qrels_of(seed):
    pick = np.random.default_rng(seed)
    return pd.concat([pd.DataFrame({"qid": str(q), "docno": pick.permutation(DOCNOS)[:20],
                                    "label": pick.integers(0, 3, 20)}) for q in range(6)])


def cases():
    """Yield every measure with every target, protected group and background."""
    for listed in FairnessProvider().SUPPORTED_MEASURES:
        kind = type(listed)
        known = kind.SUPPORTED_PARAMS
        own = {name: value for name, value in GIVEN.items() if name in known
               and (known[name].required or name in ("pro", "con"))}
        if own.get("attributes"):
            own["attributes"] = {"letters": "jsd"} if kind.NAME == "GFR" else {"letters": "uniform"}
        every = [own, *({**own, "target": one} for one in TARGETS if "target" in known),
                 *({**own, "protected": "A", **target} for target in
                   ({}, *({"target": one} for one in TARGETS if "target" in known))
                   if "protected" in known),
                 *({**own, "background": one} for one in ("run", "qrels") if "background" in known)]
        yield from (kind(**params) @ 10 for params in every)


def is_possible(measure):
    """Whether a measure takes its target."""
    try:
        pf.evaluate(RUN[:1], qrels_of(0), [measure], groups="letters", progress=False)
    except ValueError:
        return False
    return True


@pytest.fixture
def letters(registered_groups, forget_targets):
    registered_groups("letters", pf.groups.from_mapping(GROUP))
    pf.targets.register("half", pd.DataFrame({"qid": [str(q) for q in range(6)] * 2,
                                              "group": ["A"] * 6 + ["C"] * 6, "share": 0.5}))
    pf.targets.register("mixed", pf.targets.get("half"), of_qrels=0.5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_the_value_is_that_with_any_qrels(letters, every):
    measures = {one: needs_qrels(one) for one in [*cases()][::every] if is_possible(one)}
    free = [one for one, needs in measures.items() if not needs]
    assert len(free) * every > 50 and len(measures) * every > 150
    tables = [pf.evaluate(RUN, qrels_of(seed), [*measures], groups="letters",
                          progress=False).perquery for seed in range(2)]
    with_qrels = [one.pivot(index="qid", columns="measure", values="value") for one in tables]
    without = pf.evaluate(RUN, None, free, groups="letters", progress=False).perquery
    without = without.pivot(index="qid", columns="measure", values="value")
    for one in free:
        for found in with_qrels:
            assert found[str(one)].tolist() == pytest.approx(without[str(one)].tolist(), abs=1e-12)
    needy = [one for one, needs in measures.items() if needs]
    for one in needy[::8]:
        with pytest.raises(ValueError, match="without qrels") as error:
            pf.evaluate(RUN, None, ["AWRF@3", one], groups="letters", progress=False)
        assert str(one) in str(error.value) and "AWRF@3" not in str(error.value)
    for one in needy:
        # FAIR of one group of three is 1 for almost all rankings; ARP needs qrels to know which
        # groups have a relevant document.
        first, *others = (found[str(one)].round(12).tolist() for found in with_qrels)
        assert one.NAME in ("FAIR", "ARP") or any(other != first for other in others)


def test_a_baseline_is_a_name_a_path_or_the_name_of_one_file():
    runs = {"run": "a/run.gz", "other": "b/other.gz", "twice": "b/run.gz", "frame": RUN}
    found = [position(baseline, runs) for baseline in ("run", "b/run.gz", "other.gz", 3)]
    assert found == [0, 2, 1, 3]
    for baseline in ("run.gz", "c/other.gz", "nothing", 4):
        with pytest.raises(ValueError, match="baseline"):
            position(baseline, runs)


def test_all_groups_need_no_relevant_documents(letters):
    """Which group is the minority depends on the relevant documents; all groups do not."""
    measure = pf.rKL(protected="all", target="uniform") @ 5
    assert needs_qrels(pf.rKL(target="uniform") @ 5) and not needs_qrels(measure)
    assert needs_qrels(pf.AWRF(target="mixed")) and not needs_qrels(pf.AWRF(target="half"))
    without, known = (pf.evaluate(RUN, qrels, [measure], groups="letters", progress=False)[0]
                      for qrels in (None, qrels_of(0)))
    assert without.iloc[0, 1] == pytest.approx(known.iloc[0, 1], abs=1e-12)


@each("arguments, message", [
    ({"measures": ["nDCG@5", "rKL@5", "AWRF@5"], "groups": GROUP},
     "^nDCG@5, rKL@5 cannot be computed without qrels"),
    ({"measures": ["AWRF@5"]}, "AWRF@5: without qrels, the groups are in groups= or in a column"),
    ({"measures": ["AWRF(target='mixed')@5"], "groups": GROUP},
     "^AWRF.* cannot be computed without qrels"),
    ({"measures": ["AWRF@5"], "groups": GROUP, "references": True}, "references must have qrels")])
def test_what_needs_qrels(letters, arguments, message):
    with pytest.raises(ValueError, match=message):
        pf.evaluate({"A": RUN}, progress=False, **arguments)


RANKED = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "score": [2.0, 1.0, 1.0]})
JUDGED = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "c"], "label": 1,
                       "iteration": ["PRO", "CON", "PRO"]})


class TestBeforeTheFirstSystemRetrieves:
    @pytest.fixture
    def asked(self):
        return []

    @pytest.fixture
    def arguments(self, asked):
        def retrieve(queries):
            asked.extend(queries["qid"])
            return RANKED
        topics = pd.DataFrame({"qid": ["1", "2"], "query": "q"})
        return {"runs": {"A": pt.apply.generic(retrieve)}, "topics": topics, "progress": False}

    @each("options, word", [
        ({"measures": ["AWRF(groups='no-such')@2"]}, "no-such"),
        ({"measures": ["AWRF@2"], "groups": "no-such"}, "no-such"),
        ({"measures": ["ERR_IA@30"]}, "ERR_IA@30"),
        ({"measures": ["AWRF@2"], "qrels": 3}, "qrels"),
        ({"measures": ["AWRF@2"], "baseline": "B"}, "baseline"),
        ({"measures": ["nDCG@2"], "qrels": None}, "nDCG@2")])
    def test_errors_come(self, arguments, asked, options, word):
        for function in pf.evaluate, pf.report:
            with pytest.raises(ValueError, match=word):
                function(**arguments | {"qrels": JUDGED} | options)
        assert not asked

    @each("function, options, word", [
        (pf.report, {"confidence": 2, "measures": "AWRF@2"}, "confidence"),
        (pf.report, {"uncertain": 1, "measures": "AWRF@2"}, "uncertain"),
        (pf.report, {"tolerance": -1, "baseline": "A", "measures": "AWRF@2"}, "tolerance"),
        (pf.report, {"test_zero": True, "measures": "AWRF@2"}, "BiasP"),
        (pf.report, {"topic_groups": 3, "measures": "AWRF@2"}, "topics"),
        (pf.analysis.against_random, {"groups": "no-such", "measures": "AWRF@2"}, "no-such"),
        (pf.analysis.document_exposure, {"by": "group", "groups": "no-such", "qrels": None},
         "no-such"),
        (pf.analysis.inequality, {"discount": "log3", "qrels": None}, "discount"),
        (pf.analysis.label_noise, {"groups": "no-such", "measures": "AWRF@2", "eps": 0.1},
         "no-such"),
        (pf.analysis.ranked_groups, {"groups": "no-such"}, "no-such"),
        (pf.analysis.uncertain_labels, {"groups": "no-such", "measures": "AWRF@2"}, "no-such"),
        (pf.explain, {"qid": "3", "measure": "AWRF@2"}, "qid")])
    def test_errors_of_analyses_come(self, arguments, asked, function, options, word):
        runs = {"run" if function is pf.explain else "runs": arguments["runs"]}
        given = {"qrels": JUDGED, "topics": arguments["topics"]} | options
        with pytest.raises(ValueError, match=word):
            function(**runs, **given)
        assert not asked


class TestColumnGroup:
    """A column ``group`` of runs or qrels, without ``groups=``."""

    plain = JUDGED.drop(columns="iteration")

    @each("where", ["A", "the qrels", "the qrels, A"])
    def test_it_holds_the_groups(self, where):
        group = ["PRO", "CON", "PRO"]
        run = RANKED.assign(group=group) if "A" in where else RANKED
        qrels = self.plain.assign(group=group) if "qrels" in where else self.plain
        measures = ["AWRF@2", "alpha_nDCG@2"]
        with pytest.warns(pf.FairnessWarning, match=f"column group of {where}"):
            result = pf.evaluate({"A": run}, qrels, measures, progress=False)
        expected, _ = pf.evaluate({"A": RANKED}, JUDGED, measures, progress=False)
        assert result.averages.equals(expected) and result.facts.groups == "the column group"

    @pytest.mark.filterwarnings("error")
    def test_other_groups_go_before_it(self):
        run = RANKED.assign(group="X")
        found, _ = pf.evaluate({"A": run}, JUDGED, "AWRF@2", progress=False)
        assert found.equals(pf.evaluate({"A": RANKED}, JUDGED, "AWRF@2", progress=False)[0])
        pf.evaluate({"A": run}, self.plain, "nDCG@2", progress=False)  # needs no groups

    def test_two_frames_that_differ(self):
        runs = {"A": RANKED.assign(group="PRO"), "B": RANKED.assign(group=["PRO", "CON", "PRO"])}
        with pytest.raises(ValueError, match="'b' for topic '1'"):
            pf.evaluate(runs, self.plain, "AWRF@2", progress=False)
