"""``pt-fairness explain``: what is printed is enough to compute each value again."""

from __future__ import annotations

import io
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from one_test import each
from scipy.stats import binom, chi2

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


def test_a_measure_without_numbers_of_the_topic_has_its_ranks_alone(explained):
    _, _, _, empty, columns, *ranks = explained("nDCG@6", 1).splitlines()
    assert not empty and columns.split()[:2] == ["rank", "docno"] and len(ranks) == 6


def test_each_grade_of_peer_has_its_numbers(explained, folder):
    where = folder / "run", folder / "qrels", "1"
    frame = explain("PEER(weights={1:0.4,2:0.6})@6", *where).frame
    for grade in (1, 2):
        alone = explain(f"PEER(weights={{{grade}:1.0}})@6", *where).frame
        assert frame[f"grade {grade}: H"][0] == alone[f"grade {grade}: H"][0]


@each("name", ["rND", "rKL", "rRD", "nDD"])
def test_the_contributions_of_a_norm_by_range(folder, name):
    frame = explain(f"{name}(norm='range')@6", folder / "run", folder / "qrels", "1").frame
    first = frame.iloc[0]
    counting = frame[frame["counts"]]
    even = counting["discount"] * first["fairest sum"] / counting["discount"].sum()
    by_hand = (counting["product"] - even) / (first["least fair sum"] - first["fairest sum"])
    np.testing.assert_allclose(counting["contribution"], by_hand, atol=1e-12)


class Printed:
    """The columns of the command's CSV, to five digits."""

    def __init__(self, text):
        frame = pd.read_csv(io.StringIO(text))
        for column in frame.select_dtypes("number"):
            frame[column] = [float(f"{number:.5g}") for number in frame[column]]
        self.ranks, self.topic = frame[frame["counts"]], frame.iloc[0]
        self.log = 1 / np.log2(np.arange(len(self.ranks)) + 2)

    def __getitem__(self, name):
        return self.ranks[name].to_numpy(float)

    def of(self, name):
        """The numbers of the groups."""
        return np.array([self.topic[f"{name} of {label}"] for label in LABELS], float)

    def two(self, term):
        """The sum of a term of the protected share over the prefixes, divided by Z."""
        share, target = self["protected share"], self.topic["protected target"]
        return (self.log * [term(p, target) for p in share]).sum() / self.topic["Z"]

    def all(self, divergence, target):
        shares = np.column_stack([self[f"share of {label}"] for label in LABELS])
        terms = [divergence(row, self.of(target)) for row in shares]
        return (self.log * terms).sum() / self.topic["Z"]


def binary(p, t):
    return kl([p, 1 - p], [t, 1 - t])


def odds(p, t):
    ratio = 0 if p == 1 else p / (1 - p)
    return abs(ratio - t / (1 - t))


def log_ratio(f):
    t = f.topic
    return (math.log(t["protected exposure"] / t["protected due"] + 1e-6)
            - math.log(t["other exposure"] / t["other due"] + 1e-6))


def peer(f):
    n, ranks = f.of("documents"), f.of("mean rank")
    mean = (n * ranks).sum() / n.sum()
    H = (n.sum() - 1) * (n * (ranks - mean) ** 2).sum() / f.topic["sum of squares"]
    return chi2.sf(H, (n > 0).sum() - 1)


def ndcg_and_awrf(f):
    ndcg = (f["discount"] * (f["label"] >= 1)).sum() / f.topic["ideal"]
    return ndcg * float(f.topic["AWRF"])


def documents(term):
    """A sum over documents, of which those that the ranking lacks are one number."""
    return lambda f: (term(f["exposure"], f["target exposure"]).sum()
                      + f.topic["summand of other documents"])


def skews(f):
    return np.log(f.of("smoothed share") / f.of("smoothed target"))


def stance(f):
    group = f.ranks["group"].map({"g0": 1, "g1": -1}).fillna(0)
    return (group * (f.ranks["label"] >= 1)).to_numpy()


def number(f):
    return f.ranks["group"].map({"g0": 1, "g1": 0.25}).fillna(0).to_numpy()


def running(f):
    return number(f).cumsum() / np.arange(1, len(f.ranks) + 1)


def chances(f):
    """The probability to stop at each rank, for relevance up to 2."""
    s = (2.0 ** f["label"] - 1) / 4
    return s * np.cumprod(np.append(1, 1 - s[:-1]))


def gf(f, target):
    shares = np.column_stack([f[f"share of {label}"] for label in LABELS])
    return chances(f) * [1 - jsd(row, target) for row in shares]


def neutrality(f):
    """``missing`` is of documents without a value, and one without a group has the mean 1."""
    return np.where(f.ranks["group"].isna(), 1, number(f))


def binomial(f):
    share = f["protected share"]
    i = np.arange(1, len(share) + 1)
    return binom.cdf(np.rint(share * i), i, f.topic["protected target"])


#: How a value is computed from the columns, by the papers and not by the names of the formula.
BY_HAND = {
    "rND": lambda f: f.two(lambda p, t: abs(p - t)),
    "nDD": lambda f: f.two(lambda p, t: abs(p - t)),
    "rKL": lambda f: f.two(binary), "rRD": lambda f: f.two(odds), "nDR": lambda f: f.two(odds),
    "nDKL": lambda f: f.two(lambda p, t: binary(max(p, 0.001), t)),
    "nDJS": lambda f: f.all(jsd, "target"),
    "NDKL": lambda f: f.all(kl, "smoothed target") * math.log(2),
    "ExposureRatio": lambda f: np.divide(
        min(f.of("attention") / f.of("target")), max(f.of("attention") / f.of("target"))),
    "AWRF": lambda f: 1 - jsd(f.of("attention"), f.of("target")),
    "DistKL": lambda f: kl(f.of("smoothed share"), f.of("smoothed target")),
    "DistFair": lambda f: 1 - kl(f.of("smoothed share"), f.of("smoothed target"))
    / f.topic["largest"],
    "RADio": lambda f: math.sqrt(jsd(f.of("mixed attention"), f.of("mixed target"))),
    "MinSkew": lambda f: skews(f).min(), "MaxSkew": lambda f: skews(f).max(),
    "Skew": lambda f: skews(f)[1],
    "RepBias": lambda f: ((f.ranks["group"] == "g0").sum() - f.topic["u"]) / 6,
    "logDP": log_ratio, "logEUR": log_ratio, "logRUR": log_ratio,
    "EEL": documents(lambda e, t: (e - t) ** 2), "EED": documents(lambda e, t: e ** 2),
    "EER": documents(lambda e, t: e * t),
    "IAA": lambda f: abs(f["exposure"] - f["merit"]).sum() / 2
    + f.topic["summand of other documents"],
    "ARP": lambda f: np.ptp(f.of("pairs won") / np.maximum(f.of("mixed pairs"), 1e-9)),
    "PEER": peer,
    "RaB": lambda f: number(f).mean(), "ARaB": lambda f: running(f).mean(),
    "RankingBias": lambda f: running(f).mean() - f.topic["mean of the background"],
    "FaiRR": lambda f: (neutrality(f) * f.log).sum(),
    "NFaiRR": lambda f: (neutrality(f) * f.log).sum() / f.topic["divisor"],
    "BiasP": lambda f: stance(f).sum() / 6, "BiasDCG": lambda f: (stance(f) * f.log).sum(),
    "BiasRBP": lambda f: (stance(f) * 0.2 * 0.8 ** np.arange(len(f.ranks))).sum(),
    "FAIR": lambda f: (binomial(f) > f.topic["level"]).all(),
    "PreF": lambda f: binomial(f).mean(), "TrecFair": ndcg_and_awrf,
    "Annotated": lambda f: f.ranks["group"].notna().mean(),
    "MRecall": lambda f: f.of("found").sum() >= min(6, f.of("wanted").sum()),
    "OfGroup": lambda f: f["contribution"].sum(),
    "GF": lambda f: gf(f, f.of("target")).sum(),
    "GFR": lambda f: (chances(f) / np.arange(1, len(f.ranks) + 1)
                      + gf(f, [1 / 3] * 3)).sum() / 2}


@pytest.mark.parametrize("measure", quick_cases(EACH, every=2))
def test_the_columns_give_the_value_by_the_formula_of_the_paper(explained, measure):
    by_hand = BY_HAND[measure.partition("(")[0]]
    frame = Printed(explained(f"{measure}@6", 3, "--format", "csv"))
    assert by_hand(frame) == pytest.approx(frame.topic["topic value"], abs=1e-3)
    assert (frame.ranks["reason"].isna()).all()


def test_every_measure_is_computed_by_hand():
    assert BY_HAND.keys() == MEASURES.keys() and len(EACH) == len(MEASURES)


def test_products_and_contributions(folder):
    frame, value, _, _ = explain("rKL@6", folder / "run", folder / "qrels", "1")
    np.testing.assert_allclose(frame["product"], frame["divergence"] * frame["discount"])
    ranked = frame[frame["counts"]]
    np.testing.assert_allclose(ranked["contribution"], ranked["product"] / frame["Z"][0])
    out = frame[~frame["counts"]]
    assert not out.empty and out["product"].isna().all() and (out["reason"] == "no group").all()
    assert frame["fairest"][0] <= frame["topic value"][0] == value
    judged = explain("nDCG(judged_only=True)@4", folder / "run", folder / "qrels", "1").frame
    assert set(judged["reason"][~judged["counts"]]) <= {"not judged"}


def test_the_forms_have_the_columns_of_the_function(explained, folder):
    frame = explain("AWRF@6", folder / "run", folder / "qrels", "1").frame
    of_csv = pd.read_csv(io.StringIO(explained("AWRF@6", 1, "--format", "csv")))
    assert list(of_csv) == list(frame) and len(of_csv) == len(frame)
    of_json = pd.read_json(io.StringIO(explained("AWRF@6", 1, "--format", "json")))
    assert list(of_json) == list(frame)
    assert of_json["formula"].tolist() == frame["formula"].tolist()


def test_groups_and_a_file(explained, folder):
    (folder / "g.csv").write_text("docno,group\n" + "".join(f"d{i},x{i % 2}\n" for i in range(16)))
    assert explained("rND@6", 2, "--groups", "g.csv", "-o", "out.txt") == ""
    value = explain("rND@6", folder / "run", folder / "qrels", "2", groups=folder / "g.csv").value
    assert f"rND@6 of topic 2: {value:.5g}\n" in (folder / "out.txt").read_text()


def test_measures_that_need_no_qrels(explained):
    shown = explained("RaB(values={'g0':1})@3", 1, "--groups", "explained", qrels="none")
    assert "Σ summand / divisor" in shown


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


def test_a_topic_without_results(explained, folder):
    (folder / "qrels9").write_text((folder / "qrels").read_text() + "9 g0 d1 1\n9 g1 d2 1\n")
    assert "where" not in explained("rND@5", 9, qrels="qrels9")
    frame, value, formula, reason = explain("rND@5", folder / "run", folder / "qrels9", "9")
    assert frame.empty and (value, formula, reason) == (1, "", "")
