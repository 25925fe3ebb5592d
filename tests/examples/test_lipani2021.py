"""The sample of Lipani et al. (2021)."""

import pytest

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestLipani:
    def test_published_rows(self, script, capsys):
        published = script("lipani2021")()["published"]
        assert len(published) == 66 and (published["remark"] == "same").all()
        printed = capsys.readouterr().out
        # Beside the invented sample stands no published value.
        before, sample = printed.split("An invented sample, to show the form\n")
        assert before.count("same") == 67 and "UNEXPLAINED" not in printed
        assert "published  " not in sample

    def test_what_the_paper_finds_by_its_own_tables(self, script):
        module = script("lipani2021").module
        found = module.published_findings().set_index("finding")["holds"]
        assert [finding for finding, holds in found.items() if not holds] == [
            "K: one unbiased row for every target ratio, 0 to 1",
            "K: only 4 professions are female-dominated",
            "R: biased towards males, target ratio around 0.5",
            "R: biased towards females, target ratio around 0.1",
            "R: one unbiased row for every target ratio, 0 to 1",
            "R: only 4 professions are female-dominated"]
