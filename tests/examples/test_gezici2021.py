"""The search engines of Gezici et al. (2021)."""

import pytest

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestGezici:

    def test_its_figures(self, script, tmp_path):
        script("gezici2021")()
        figures = {path.name for path in tmp_path.glob("*.png")}
        assert figures == {f"gezici2021-figure{number}.png" for number in (2, 3, 4, 5, 6)}

    def test_what_the_numbers_of_the_paper_imply(self, script):
        module = script("gezici2021").module
        # Only 57 and 38 topics give all printed means; at least four labels give that κ.
        assert module.implied()["implied"].tolist() == ["57", "38", "at least 5", "at least 4"]
        assert [f"{hits / 380:.4f}" for hits in (-52, -49, 98, 83)] == [
            f"{mean:.4f}" for key in ("ideology, MB", "ideology, MAB")
            for mean in module.PUBLISHED[key]["P@10"][:2]]
