"""Relevance against fairness, of every re-ranker."""

import pytest

from pt_fairness import rerank

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


@pytest.fixture(scope="module")
def sweeps():
    """Few settings, of each kind: the whole sweeps take their time."""
    return {"det_greedy": ("k", (5, 10)), "det_cons": ("k", (5, 10)), "pm2": ("lam", (0.5,)),
            "fair_exposure": ("target", ("run", "uniform")),
            "plackett_luce": ("temperature", (0.2,))}


@pytest.fixture
def tradeoff(script, monkeypatch, sweeps):
    run = script("tradeoff")
    assert {*run.module.SWEEPS} == {*rerank.__all__}
    monkeypatch.setattr(run.module, "SWEEPS", sweeps)
    return run


def test_the_debates(tradeoff, tmp_path, capsys):
    table, _ = tradeoff("--samples", 4)
    assert f"figure: {tmp_path}/tradeoff.png" in capsys.readouterr().out
    values = table.set_index("name")
    relevance, awrf, documents, of_groups = (values[label] for label in tradeoff.module.LABELS)
    assert relevance["old order"] == pytest.approx(0.714, abs=5e-4)
    assert awrf["old order"] == pytest.approx(0.945, abs=5e-4)
    assert relevance["det_greedy k=10"] == pytest.approx(0.695, abs=5e-4)
    assert awrf["det_greedy k=10"] == pytest.approx(0.998, abs=5e-4)
    assert awrf.idxmax() == "fair_exposure target=uniform"
    assert documents.idxmin() == "plackett_luce temperature=0.2"
    assert of_groups.idxmin() == "fair_exposure target=uniform"
