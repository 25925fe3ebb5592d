"""Random rankings that prefer some labels."""

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import parse_measure

from pt_fairness import simulation
from pt_fairness.measures.measure import score


def test_rankings_have_the_values_of_an_experiment():
    codes = simulation.biased_rankings([6, 3, 4], [1.4, 0.6, 1.4], 40, seed=3)
    labels = ["x", "a", "m"]
    run = pd.DataFrame([(str(q), f"d{r}", -float(r)) for q, r in np.ndindex(*codes.shape)],
                       columns=["query_id", "doc_id", "score"])
    qrels = run.drop(columns="score").assign(
        relevance=1, iteration=[labels[code] for code in codes.ravel()])
    measures = [parse_measure(text) for text in (
        "nDD(protected='a')", "nDR(protected='a')@5",
        "nDKL(protected='a',norm='protected-first')", "nDJS@7", "nDJS", "rND(protected='m')@4",
        "rKL(protected='all',target='uniform')@6", "Annotated@3",
        "rRD(target={'a':0.5,'z':0.5},protected='a')")]
    found = pd.DataFrame(ir_measures.iter_calc(measures, qrels, run))
    for measure, values in score(measures, simulation.rankings(codes, labels)).items():
        rows = found[found["measure"] == measure].set_index("query_id")["value"]
        expected = rows[[str(q) for q in range(40)]]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


class TestBiasedRankings:
    def test_each_ranking_holds_every_document(self):
        codes = simulation.biased_rankings([5, 2, 8], [1.3, 0.7, 1.3], 50, seed=1)
        assert codes.shape == (50, 15) and codes.dtype.kind == "i"
        for row in codes:
            assert np.bincount(row).tolist() == [5, 2, 8]
        same, other = (simulation.biased_rankings([5, 2, 8], [1.3, 0.7, 1.3], 50, seed)
                       for seed in (1, 2))
        assert (codes == same).all() and (codes != other).any()

    def test_first_places_follow_the_weights(self):
        """The probabilities of the first two ranks, for draws without replacement."""
        w1, w2, n = 0.5001, 1.5001, 20_000
        codes = simulation.biased_rankings([3, 5], [w1, w2], n, seed=5)
        first = 3 * w1 / (3 * w1 + 5 * w2)
        second = first * 2 * w1 / (2 * w1 + 5 * w2) + (1 - first) * 3 * w1 / (3 * w1 + 4 * w2)
        for rank, share in enumerate([first, second]):
            seen = (codes[:, rank] == 0).mean()
            assert abs(seen - share) < 5 * np.sqrt(share * (1 - share) / n)

    def test_weights_of_each_ranking(self):
        places = np.arange(300) % 3
        weights = np.where(np.eye(3, dtype=bool)[places], 2, 1e-4)
        codes = simulation.biased_rankings([4, 4, 4], weights, 300)
        assert (codes[:, 0] == places).mean() > 0.97

    @pytest.mark.parametrize("weights", [[1, 0], [1, np.inf], [np.nan, 1]])
    def test_wrong_weights(self, weights):
        with pytest.raises(ValueError, match="weights"):
            simulation.biased_rankings([3, 3], weights)
