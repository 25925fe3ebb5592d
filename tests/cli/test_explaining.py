"""``pt-fairness explain``: what is printed is enough to compute each value again."""

import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from scipy.stats import chi2

from pt_fairness import FairnessWarning, evaluate, explain, groups, targets
from pt_fairness.measures import MEASURES

LABELS = ["g0", "g1", "g2"]
VALUES = "values={'g0':1,'g1':0.25}"
PARAMS = {
    "RepBias": "group='g0'", "Skew": "group='g1'", "OfGroup": "measure='nDCG',group='g0'",
    "TrecFair": "attributes={'explained':'thirds'}", "GFR": "attributes={'explained':'jsd'}",
    **dict.fromkeys(["BiasP", "BiasRBP", "BiasDCG"], "pro='g0',con='g1'"),
    **dict.fromkeys(["RaB", "ARaB", "RankingBias", "FaiRR", "NFaiRR"], VALUES)}
#: Every measure, and the parameters that change how a value comes about.
EACH = [f"{name}({PARAMS[name]})" if name in PARAMS else name for name in MEASURES]
VARIANTS = [
    "rND(norm='none')", "rND(norm='range')", "rRD(norm='range')", "nDKL(norm='protected-first')",
    "rND(step=2)", "rKL(protected='all')", "rKL(protected='all',target='run')",
    "rKL(protected='all',norm='none')", "nDJS(norm='none')", "nDJS(protected='g1')",
    "AWRF(base=3.0)", "AWRF(unannotated='keep',discount='trec')", "DistFair(empty='smooth')",
    "ExposureRatio(target='run')", "RADio(divergence='kl')", "BiasP(abs=True,con='g0',pro='g1')",
    "BiasRBP(abs=True,con='g0',pro='g1')",
    "RepBias(abs=True,group='g2')", f"RankingBias({VALUES},abs=True,background='qrels')",
    f"NFaiRR({VALUES},background='qrels')",
    "EEL(norm='bound')", "EEL(by='group')", "EED(by='group',norm='bound')", "EER(norm='bound')",
    "IAA(by='group')", "IAA(norm='none')", "FAIR(value='prefixes')", "FAIR(p=0.9)",
    "MRecall(value='share')", "PEER(weights={1:0.4,2:0.6})", "ARP(pairs='errors')",
    "OfGroup(group='g0',measure='AP',others='dropped')", "GF(target='qrels')",
    "TrecFair(attributes={'explained':'thirds'},value='awrf')",
    "TrecFair(attributes={'explained':'thirds'},value='ndcg')", "GFR(attributes={})", "nDCG", "P",
    "AP", "alpha_nDCG"]


def kl(p, q):
    return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a > 0)


def jsd(p, q):
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    return (kl(p, middle) + kl(q, middle)) / 2


#: What the formulas hold besides numbers and signs.
FUNCTIONS = {"KL": kl, "JSD": jsd, "ln": math.log, "log2": math.log2, "sqrt": math.sqrt,
             "chi2": lambda x, f: chi2.sf(x, f), "inf": math.inf}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Qrels and a run of three topics, with documents without judgments and without groups."""
    folder = tmp_path_factory.mktemp("explained")
    rng = np.random.default_rng(11)
    known = {f"d{i}": LABELS[rng.integers(3)] for i in range(16) if i % 5 != 2}
    lines = [f"{qid} {known.get(f'd{i}', '-')} d{i} {rng.integers(3)}\n"
             for qid in (1, 2, 3) for i in range(13)]
    (folder / "qrels").write_text("".join(lines))
    order = [(qid, docno) for qid in (1, 2, 3) for docno in rng.permutation(16)[:11]]
    (folder / "run").write_text("".join(
        f"{qid} Q0 d{docno} {i} {100 - i} x\n" for i, (qid, docno) in enumerate(order)))
    groups.register("explained", groups.from_mapping(known))
    targets.register("thirds", pd.DataFrame({"group": LABELS, "share": [1 / 3] * 3}))
    yield folder
    groups.unregister("explained")
    targets.REGISTRY._registered.pop("thirds")


@pytest.fixture
def explained(folder, monkeypatch, command):
    """``explained(measure, qid, option…)``: what the command prints, with exit code 0."""
    monkeypatch.chdir(folder)

    def run(measure, qid, *options, qrels="qrels", run="run"):
        code, out, err = command("explain", qrels, run, "-m", measure, "--topic", qid, *options)
        assert code == 0, err
        return out
    return run


@pytest.mark.parametrize("measure", quick_cases([*EACH, *VARIANTS], every=3))
def test_the_printed_formula_gives_the_value(explained, measure, folder):
    measure = f"{measure}@6"
    head, names, numbers, *_ = explained(measure, 1).splitlines()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        _, perquery = evaluate("run", "qrels", [measure], progress=False)
    value = perquery.set_index("qid")["value"]["1"]
    assert head.endswith(f" of topic 1: {value:.5g}") and names.startswith("= ")
    computed = eval(numbers.removeprefix("= "), dict(FUNCTIONS))
    assert computed == pytest.approx(value, abs=1e-3), (names, numbers)


def test_the_contributions_of_a_norm_by_range(folder):
    frame = explain("rKL(norm='range')@6", folder / "run", folder / "qrels", "1").frame
    first = frame.iloc[0]
    counting = frame[frame["counts"]]
    assert set(frame["reason"][~frame["counts"]]) == {"no group"}
    even = counting["discount"] * first["fairest sum"] / counting["discount"].sum()
    by_hand = (counting["product"] - even) / (first["least fair sum"] - first["fairest sum"])
    np.testing.assert_allclose(counting["contribution"], by_hand, atol=1e-12)


def test_groups_and_a_file(explained, folder):
    (folder / "g.csv").write_text("docno,group\n" + "".join(f"d{i},x{i % 2}\n" for i in range(16)))
    assert explained("rND@6", 2, "--groups", "g.csv", "-o", "out.txt") == ""
    value = explain("rND@6", folder / "run", folder / "qrels", "2", groups=folder / "g.csv").value
    assert f"rND@6 of topic 2: {value:.5g}\n" in (folder / "out.txt").read_text()


def test_topics_without_value_and_other_errors(explained, folder, command):
    lines = ("4 g0 d1 1", "4 g1 d2 0", "5 g0 d1 0", "5 g1 d2 0", "6 - d1 1", "6 g1 d2 0")
    (folder / "few").write_text((folder / "qrels").read_text() + "\n".join(lines) + "\n")
    (folder / "more").write_text((folder / "run").read_text()
                                 + "".join(f"{qid} Q0 d1 0 1 x\n" for qid in (4, 5, 6, 7)))
    for measures, qid, says in [
            (["rND@5"], 4, "rND@5 of topic 4 is undefined: .*'g0'"),
            (["logDP@5"], 5, "undefined: "), (["ARP@5"], 6, "undefined: "), (["rND@5"], 7, "'7'"),
            (["rND@5", "nDCG"], 1, "nDCG"), (["rND@5"], 11, "'11'"), (["rNDD@5"], 1, "rNDD")]:
        code, _, err = command("explain", "few", "more", "-m", *measures, "--topic", qid)
        assert code == 2 and re.search(says, err), err
    code, _, err = command("explain", "none", "run", "-m", "nDCG", "--topic", 1)
    assert code == 2 and "nDCG" in err and "qrels" in err
