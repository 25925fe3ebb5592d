"""The example that draws what each re-ranker does."""

from __future__ import annotations

import pytest

from pt_fairness import rerank

pytestmark = pytest.mark.slow


def test_every_method_over_real_retrieval(script, tmp_path, capsys):
    pytest.importorskip("pyterrier_pisa")
    pytest.importorskip("matplotlib")
    run = script("rerankers")
    ranked = run()
    names = ranked["name"].drop_duplicates().tolist()
    assert {name.partition(",")[0] for name in names} == {"BM25", *rerank.__all__}
    assert [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()
            if line.startswith(tuple(names))] == names
    assert (tmp_path / "rerank.png").stat().st_size < 100_000
    strips = ranked.groupby(["name", "rank"])["group"].first().unstack("name")
    assert strips.groupby("rank").size().index.tolist() == list(range(1, run.module.SHOWN + 1))
    # Unannotated documents keep their ranks, but for the policies without groups.
    fixed = strips.drop(columns="plackett_luce")
    assert fixed.isna().eq(fixed["BM25"].isna(), axis=0).all().all()
    assert fixed["BM25"].isna().any()
    # Two groups with equal targets alternate as long as both have documents.
    annotated = strips["det_const_sort"].dropna().head(10)
    assert annotated.nunique() == 2 and annotated.value_counts().eq(5).all()
