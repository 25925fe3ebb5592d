"""The decision trees of the page on choosing a measure: each measure answers what its path asks."""

from __future__ import annotations

import importlib.resources
import re
import warnings

import pandas as pd
import pytest
from ir_measures import parse_measure

from pt_fairness import evaluate, reference_rankings

PAGE = importlib.resources.files("pt_fairness") / "pt_docs" / "choosing.rst"
#: The trees of the page in their order: its own, and those of two papers.
TREES = ("choosing", "pathiyancherumanal2021", "raj2022")
#: The relevant documents of a topic: PRO and CON one to one, and four to one; three groups.
EVEN, MINORITY, THREE = "P" * 5 + "C" * 5, "P" * 20 + "C" * 5, "AAABBBCCC"
HALVES = "target={'CON':0.5,'PRO':0.5}"
LABELS = {"P": "PRO", "C": "CON"}


def leaves(name):
    trees = PAGE.read_text(encoding="utf-8").split(".. container:: decisions\n")[1:]
    text = dict(zip(TREES, trees, strict=True))[name]
    return re.findall(r"^ +\| :py:data:`(.+) <pt_fairness\.\w+>`$", text, re.MULTILINE)


def at(spec, cutoff):
    """The measure of a leaf with another cutoff."""
    return parse_measure(f"{spec.partition('@')[0]}@{cutoff}")


def numbered(kinds):
    """The docnos of kinds of documents: P0, P1, C0, …"""
    return [f"{kind}{kinds[:i].count(kind)}" for i, kind in enumerate(kinds)]


def qrels_of(pool):
    """Relevant documents; those of a kind in lower case are not relevant."""
    docnos = numbered(pool)
    return pd.DataFrame({"qid": "1", "docno": docnos,
                         "label": [int(docno[0].isupper()) for docno in docnos],
                         "iteration": [LABELS.get(d[0].upper(), d[0].upper()) for d in docnos]})


def values(measure, pool, *lists):
    """The value of each ranking, or of a list of rankings as samples of a policy."""
    found = []
    for one in lists:
        samples = [one] if isinstance(one, str) else one
        run = pd.concat([pd.DataFrame({"qid": "1", "docno": sample.split(),
                                       "score": range(9, 9 - len(sample.split()), -1),
                                       "iteration": str(i)}) for i, sample in enumerate(samples)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table, _ = evaluate({"one": run}, qrels_of(pool), [measure], progress=False)
        found.append(table.iloc[0, 1])
    return found


def ranked(kinds):
    return " ".join(numbered(kinds))


def distances(spec, pool, *lists):
    """How far the value of each ranking is from the ideal value, @5."""
    measure = at(spec, 5)
    return [abs(value - measure.IDEAL) for value in
            values(measure, pool, *(ranked(one) if isinstance(one, str) else one
                                    for one in lists))]


def a_share(spec):
    """The group is missing: far from fair, and farther than a random order; its share is fair."""
    missing, *right = distances(spec, MINORITY, "PPPPP", "PPPPC", "CPPPP")
    measure = at(spec, 5)
    draws = reference_rankings(qrels_of(MINORITY), kinds="random", draws=500)
    random = evaluate(draws, qrels_of(MINORITY), [measure], progress=False)[0].iloc[0, 1]
    assert right == pytest.approx([0, 0], abs=1e-12)
    assert missing > 2 * abs(random) and missing >= 0.2


def prefixes(spec):
    """The order counts, and so does the share."""
    late, soon = distances(spec, MINORITY, "CPPPP", "PCPPP")
    assert late > soon
    block, mixed = distances(spec, EVEN, "PPPCC", "PCPCP")
    assert block > mixed


def prefixes_of_all(spec):
    blocks, mixed, other = distances(spec, THREE, "AABBC", "ABCAB", "BACBA")
    assert blocks > mixed == pytest.approx(other)  # no group is treated in another way


def whole_ranking(spec):
    """A ranking of one kind first against one of the same documents in turn, whatever is judged."""
    for pool in (EVEN, MINORITY):
        block, mixed = distances(spec, pool, "PPPPPCCCCC", "PCPCPCPCPC")
        assert block > mixed + 0.1


def whole_ranking_of_all(spec):
    blocks, mixed = distances(spec, THREE, "AAABBBCCC", "ABCABCABC")
    assert blocks > mixed


def outside(spec):
    """Equal shares are fairer than those of the relevant documents, which do not count."""
    one, few, half = distances(spec, MINORITY, "PPPPP", "PPPPC", "PCPCP")
    assert one > few > half
    assert distances(spec, EVEN, "PPPPP", "PPPPC", "PCPCP") == pytest.approx([one, few, half])


def by_rank(spec):
    outside(spec)
    first, last = distances(spec, EVEN, "CPPPP", "PPPPC")
    assert first < last


def not_by_rank(spec):
    outside(spec)
    assert len({round(one, 12) for one in distances(spec, EVEN, "CPPPP", "PPCPP", "PPPPC")}) == 1


def documents(spec):
    """Relevant documents first; which of two equal ones is first does not count by group."""
    last, first = values(at(spec, 4), "PPpp", "p0 p1 P0 P1", "P0 P1 p0 p1")
    fairer = -1 if spec == "EER@10" else 1
    assert fairer * last > fairer * first or spec == "EED@10"
    if spec != "EER@10":
        one, both = values(at(spec, 2), "PP", "P0 P1", ["P0 P1", "P1 P0"])
        assert both < one


def of_groups(spec):
    block, mixed = distances(spec, EVEN, "PPPCC", "PCPCP")
    assert block > mixed + 0.05
    one, both = distances(spec, "PC", ["P0 C0"], ["P0 C0", "C0 P0"])
    assert both == pytest.approx(0) and one > 0
    documents_alone = distances("EEL", EVEN, "PPPCC", "PCPCP")
    assert documents_alone[0] == pytest.approx(documents_alone[1])


def ratio(spec):
    block, mixed = distances(spec, EVEN, "PPPCC", "PCPCP")
    assert block > mixed
    assert distances(spec, EVEN, "PPPPP")[0] > 10  # extreme for an empty side


def sides(spec):
    measure = at(spec, 4)
    pro, con, mixed = values(measure, EVEN, *map(ranked, ("PPPC", "CCCP", "PCCP")))
    assert pro == -con > 0 and abs(mixed) < pro
    assert values(measure, MINORITY, ranked("PPPC")) == [pro]  # compared with nothing


def whatever_their_shares(spec):
    lists = ("PPPPP", "CCCCC", "PPPCC", "PCPCP")
    pro, con, block, mixed = distances(spec, EVEN, *lists)
    assert pro == con == pytest.approx(1) and pro > block > mixed
    assert distances(spec, MINORITY, *lists) == pytest.approx([pro, con, block, mixed])


def as_the_relevant(spec):
    """The minority alone is less fair than the majority alone; α-nDCG does not tell them apart."""
    minority, majority, fair = distances(spec, MINORITY, "CCCCC", "PPPPP", "PCPPP")
    assert minority > majority > fair
    one, other = values(parse_measure("alpha_nDCG@5"), MINORITY, ranked("CCCCC"), ranked("PPPPP"))
    assert one == pytest.approx(other)


CLAIMS = {
    "choosing": {
        "Skew(group='CON',target='qrels')@10": a_share, "RepBias(group='CON')@10": a_share,
        "rKL@10": prefixes, "rND@10": prefixes, "rKL(protected='all')@10": prefixes_of_all,
        "nDD@10": whole_ranking, "nDKL@10": whole_ranking, "nDJS@10": whole_ranking_of_all,
        f"AWRF({HALVES})@10": by_rank, f"DistFair({HALVES})@10": not_by_rank,
        f"RepBias(group='CON',{HALVES})@10": outside, "EEL@10": documents,
        "EEL(by='group')@10": of_groups, "logEUR@10": ratio, "BiasP(pro='PRO',con='CON')@10": sides,
        "BiasDCG(pro='PRO',con='CON')@10": sides},
    "pathiyancherumanal2021": {
        "rKL(target='uniform')@10": whatever_their_shares, "rKL@10": as_the_relevant,
        "rND@10": as_the_relevant, "rKL(protected='all')@10": prefixes_of_all},
    "raj2022": {
        f"AWRF({HALVES})@10": outside, "EEL@10": documents, "EED@10": documents,
        "EER@10": documents,
        "EEL(by='group')@10": of_groups, "logEUR@10": ratio, "logRUR@10": ratio},
}


@pytest.mark.parametrize("name", TREES)
def test_every_leaf_has_a_claim(name):
    assert leaves(name) == list(CLAIMS[name])


@pytest.mark.parametrize(("name", "spec"), [(name, one) for name in TREES for one in CLAIMS[name]])
def test_a_leaf_answers_what_its_path_asks(name, spec):
    CLAIMS[name][spec](spec)


@pytest.mark.parametrize("spec", CLAIMS["choosing"])
def test_the_cutoff_of_a_leaf_tells_first_documents_apart(spec):
    """The same documents, those of one side first or in turn."""
    pool = "PPPPPPpppCCCCCCCCC"
    block, mixed = values(parse_measure(spec), pool, ranked(pool), ranked("CPCCPCCPCpPpPpPCCC"))
    assert block != pytest.approx(mixed)


def test_without_a_cutoff_the_whole_list_counts():
    for spec in ("Skew(group='CON',target='qrels')", "RepBias(group='CON')",
                 f"DistFair({HALVES})"):
        one, other = values(parse_measure(spec), EVEN, ranked("PPPPPCCCCC"), ranked("PCPCPCPCPC"))
        assert one == pytest.approx(other), spec


def test_the_smallest_skew_is_that_of_a_missing_minority():
    """The table of questions: MinSkew of whichever group lacks most, with target='qrels'."""
    a_share("MinSkew(target='qrels')")
