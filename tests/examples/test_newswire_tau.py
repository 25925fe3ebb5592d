"""The correlations over newswire runs."""

from __future__ import annotations

import importlib.resources
import textwrap

import pytest
from example_files import write_run
from scipy import stats

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestNewswireTau:
    def test_paragraph_of_small_runs(self, script, small, tmp_path):
        module = script("newswire_tau").module
        qrels, runs = small
        text = module.main([str(qrels), *map(str, runs)])
        assert text.startswith("Over 5 systems and 12 topics") and text.count("\n| ") == 2 + len(
            module.FAIRNESS)
        words = " ".join(text.split())
        assert "cut to its first 20 documents" in words and "not corrected for 10 tests" in words
        judged = module.annotated_qrels(str(qrels), "trec-newswire")
        found = module.read_runs([str(run) for run in runs])
        twice = tmp_path / "again" / runs[0].name
        twice.parent.mkdir()
        twice.write_bytes(runs[0].read_bytes())
        assert list(module.read_runs([runs[0], twice])) == [str(runs[0]), str(twice)]
        averages, _ = module.experiment(found, judged, [module.RELEVANCE, *module.FAIRNESS])
        tau = stats.kendalltau(
            averages["nDCG@10"], averages["AWRF(groups='trec-newswire')@10"].round(12))[0]
        assert f"| AWRF@10 | 1 | {tau:.4f}" in text

    def test_runs_are_cut_to_the_shortest(self, script, small):
        module = script("newswire_tau").module
        qrels, runs = small
        # One run has fewer documents for one topic, and ties that trec_eval breaks by docno.
        kept = [line.split() for line in runs[0].read_text().splitlines()]
        lines = [" ".join(line) for line in kept if line[0] != "3" or line[2] <= "FT911-2"]
        runs[0].write_text("".join(f"{line}\n" for line in lines))
        tied = [line.split() for line in runs[1].read_text().splitlines()]
        write_run(runs[1], [(line[0], line[2], round(float(line[4]), 1)) for line in tied])
        judged, found = module.annotated_qrels(qrels, module.SOURCE), module.read_runs(runs)
        cut, depth = module.same_depth(found, judged)
        assert depth == sum(line.startswith("3 ") for line in lines) == 13
        assert {name: set(run.groupby("qid").size()) for name, run in cut.items()} == {
            name: {13} for name in found}
        measures = [module.RELEVANCE, *module.FAIRNESS]
        before, after = (
            module.experiment(one, judged, measures)[0].set_index("name") for one in (found, cut))
        changed = {
            measure.NAME for measure in measures
            if (before[str(measure)] != after[str(measure)]).any()}
        assert changed == {"nDD", "nDR", "nDKL", "nDJS"}

    def test_no_run_is_cut_below_the_cutoff(self, script, small):
        module = script("newswire_tau").module
        qrels, runs = small
        runs[0].write_text("".join(f"{line}\n" for line in runs[0].read_text().splitlines()[:4]))
        _, depth = module.same_depth(
            module.read_runs(runs), module.annotated_qrels(qrels, module.SOURCE))
        assert depth == module.CUTOFF

    def test_the_page_on_analysis_has_what_the_command_prints(self, script, shared):
        folder = shared / "data" / "robust03"
        runs = map(str, sorted((folder / "runs").iterdir()))
        text = script("newswire_tau").module.main([str(folder / "qrels.txt.gz"), *runs])
        page = importlib.resources.files("pt_fairness") / "pt_docs" / "analysis.rst"
        assert textwrap.indent(text, "   ") in page.read_text(encoding="utf-8")
