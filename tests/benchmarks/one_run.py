"""What the measures cost on one run, as ratios: ``python tests/benchmarks/one_run.py [FOLDER]``.

FOLDER holds the qrels and runs of the TREC 2003 Robust track (``qrels.txt.gz``,
``runs/input.*.gz``); without it, runs of the same shape are made up.
"""

import sys
import warnings
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import alpha_nDCG, nDCG
from timing import report, seconds

from pt_fairness import (
    ARP,
    AWRF,
    EED,
    EEL,
    EER,
    FAIR,
    GF,
    IAA,
    NDKL,
    PEER,
    Annotated,
    BiasDCG,
    BiasP,
    BiasRBP,
    DistFair,
    DistKL,
    MaxSkew,
    MinSkew,
    PreF,
    RADio,
    RepBias,
    Skew,
    groups,
    logDP,
    logEUR,
    logRUR,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
)

OURS = [
    rND @ 10, rKL @ 10, rRD @ 10, nDD @ 100, nDR @ 100, nDKL @ 100, nDJS, Annotated @ 10,
    alpha_nDCG @ 10]

BIAS = [
    DistKL @ 10, DistFair @ 10, AWRF @ 10, NDKL @ 10, Skew(group="FT") @ 10, MinSkew @ 10,
    MaxSkew @ 10, RepBias(group="FT") @ 10, BiasP(pro="FT", con="LA") @ 10,
    BiasRBP(pro="FT", con="LA"), BiasDCG(pro="FT", con="LA") @ 10]

EXPOSURE = [
    EEL @ 10, EED @ 10, EER @ 10, EEL(by="group") @ 10, EER(by="group") @ 10, logDP @ 10,
    logEUR @ 10, logRUR @ 10, IAA @ 10, IAA(by="group") @ 10]

GROUPS = [
    GF @ 10, GF(divergence="rnod", order="FBIS,FR,FT,LA") @ 10, PEER @ 100, RADio @ 10, FAIR @ 10,
    FAIR(value="prefixes") @ 20, PreF @ 10, ARP @ 100, ARP(pairs="errors") @ 100,
    AWRF(discount="trec", unannotated="keep") @ 10]


def synthetic(topics: int, depth: int = 1000, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Qrels and a run: docnos and groups as on TREC's newswire, a tenth of the ranked documents
    judged.
    """
    rng = np.random.default_rng(seed)
    sources = np.array(["FBIS3-", "FR940104-0-", "FT911-", "LA010189-"])
    document = rng.permuted(np.tile(np.arange(4 * depth), (topics, 1)), axis=1)
    qid = np.repeat(np.char.mod("%d", np.arange(301, 301 + topics)), 4 * depth)
    docno = np.char.add(sources[document.ravel() % 4], document.ravel().astype(str))
    frame = pd.DataFrame({"query_id": qid, "doc_id": docno}).astype(str)
    place = np.tile(np.arange(4 * depth), topics)
    run = frame[place < depth].assign(score=rng.standard_normal(topics * depth))
    judged = frame[(place < depth // 10) | (place >= 4 * depth - 1100)]
    qrels = judged.assign(relevance=(rng.random(len(judged)) < 0.05).astype(int),
                          iteration=judged["doc_id"].str.extract("^([A-Z]+)", expand=False))
    return qrels.reset_index(drop=True), run.reset_index(drop=True)


def sampled(samples: int, topics: int = 50, depth: int = 100,
            seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Qrels, and a run that holds several rankings of the same documents for each topic."""
    rng = np.random.default_rng(seed)
    documents = pd.DataFrame({"query_id": np.repeat(np.arange(topics), depth).astype(str)})
    documents["doc_id"] = [f"d{i}" for i in range(topics * depth)]
    run = pd.concat([documents] * samples, ignore_index=True)
    run = run.assign(
        score=rng.random(len(run)), iteration=np.repeat(np.arange(samples), topics * depth))
    return documents.assign(relevance=rng.integers(0, 3, len(documents))), run


def memberships(run: pd.DataFrame, qrels: pd.DataFrame,
                seed: int = 0) -> tuple[groups.Groups, groups.Groups, groups.Groups]:
    """One of four groups for each document, shares in two of the four, and the product of both."""
    rng = np.random.default_rng(seed)
    docno = pd.unique(pd.concat([run["doc_id"], qrels["doc_id"]]))
    label, share = rng.integers(0, 4, len(docno)), rng.uniform(0.1, 0.9, len(docno))
    letters = np.array(list("abcd"))
    plain = groups.from_frame(pd.DataFrame({"docno": docno, "group": letters[label]}))
    frame = pd.DataFrame({"docno": np.tile(docno, 2),
                          "group": letters[np.concatenate([label, (label + 1) % 4])],
                          "weight": np.concatenate([share, 1 - share])})
    soft = groups.from_frame(frame)
    return plain, soft, groups.product(plain, soft)


def load(folder: Path | None) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Qrels with the source in ``iteration``, a run, and a run of ties."""
    if folder is None:
        qrels, run = synthetic(100)
        return qrels, run, run.assign(score=0.0)
    qrels = pd.DataFrame(ir_measures.read_trec_qrels(str(folder / "qrels.txt.gz")))
    run, tied = (pd.DataFrame(ir_measures.read_trec_run(str(folder / "runs" / f"input.{name}.gz")))
                 for name in ("THUIRr0301", "rutcor03100"))
    return groups.get("trec-newswire").to_qrels(qrels), run, tied


def main(folder: Path | None) -> int:
    """Measures and prints; returns how many bounds were missed."""
    warnings.simplefilter("ignore")
    qrels, run, tied = load(folder)
    print(
        f"{len(run)} rows, {len(qrels)} judgments, {folder or 'synthetic'}; pandas "
        f"{pd.__version__}, "
        f"docnos as {run['doc_id'].dtype} ({type(run['doc_id'].array).__name__})\n"
    )

    def score(measures, run=run, qrels=qrels, provider=ir_measures):
        return lambda: provider.calc_aggregate(measures, qrels, run)

    rows = []
    for measures, most in ((OURS, 0.5), (BIAS, 1.0), (EXPOSURE, 1.0), (GROUPS, 1.0)):
        ndcg, ours = seconds(score([nDCG @ 10]), score(measures))
        rows.append(
            (
                f"all of {', '.join(map(str, measures))[:48]}… / nDCG@10 (pytrec_eval)",
                ours / ndcg, f"at most {most:g}", ours <= most * ndcg)
        )
    for name, some, least in (("a run", run, 10), ("a run of ties", tied, 5)):
        theirs, ours = seconds(
            score([alpha_nDCG @ 10], some, provider=ir_measures.pyndeval),
            score([alpha_nDCG @ 10], some), rounds=3)
        rows.append(
            (
                f"α_nDCG@10 on {name}: pyndeval / ours", theirs / ours, f"at least {least}",
                theirs >= least * ours)
        )
    small, large = (synthetic(topics) for topics in (100, 400))
    one, four = seconds(score(OURS, small[1], small[0]), score(OURS, large[1], large[0]), rounds=3)
    rows.append(
        (
            "four times the topics take / four times the time", four / one / 4, "about 1",
            four < 1.3 * 4 * one)
    )
    few, many = (sampled(samples) for samples in (25, 100))
    quarter, whole = seconds(*(score([EEL], run, qrels) for qrels, run in (few, many)), rounds=3)
    rows.append(
        ("seconds for EEL of 100 samples, 50 topics, 100 documents", whole, "under 1", whole < 1))
    rows.append(
        (
            "EEL of four times the samples takes / four times the time", whole / quarter / 4,
            "about 1", whole < 1.3 * 4 * quarter)
    )
    (deep,) = seconds(score([nDR]), rounds=3)
    rows.append(
        ("seconds for nDR at depth 1000, its exact maximum included", deep, "under 1", deep < 1))
    plain, soft, both = memberships(run, qrels)
    for name, some in (("soft", soft), ("product", both)):
        each = [GF, AWRF, DistKL @ 10, EEL(by="group"), IAA(by="group")]
        once, more = seconds(
            score([measure(groups=plain) for measure in each]),
            score([measure(groups=some) for measure in each]), rounds=3)
        rows.append(
            (
                f"{', '.join(map(str, each))}: {name} groups / plain groups", more / once,
                "at most 3", more <= 3 * once)
        )
    return report(rows)


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1]) if len(sys.argv) > 1 else None) else 0)
