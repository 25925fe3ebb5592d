"""Language fairness over NeuCLIR: over the generated collection, and for files."""

import pytest
from example_files import EXAMPLES

pytestmark = pytest.mark.slow

SCRIPT = EXAMPLES / "neuclir.py"
COLUMNS = ["nDCG@20", "PEER@20", "AWRF@20", "zh", "fa", "ru"]


def read(output):
    """The first line, the values of each run by column, and the path of the figure."""
    first, head, _, *rows, figure = output.splitlines()
    assert head.split() == COLUMNS
    values = {row.rsplit(maxsplit=6)[0].strip(): dict(zip(COLUMNS, map(float, row.split()[-6:]),
                                                          strict=True)) for row in rows}
    return first, values, figure.removeprefix("figure: ")


@pytest.mark.parametrize("year", [2022, 2023])
def test_without_runs(offline, tmp_path, year):
    done = offline(SCRIPT, "--year", year, "--figures", tmp_path / "figures")
    assert done.returncode == 0, done.stderr
    first, values, figure = read(done.stdout)
    assert first == "A generated collection in NeuCLIR's format, not NeuCLIR:"
    assert figure == str(tmp_path / "figures" / f"neuclir-{year}.png")
    assert (tmp_path / "figures" / f"neuclir-{year}.png").read_bytes().startswith(b"\x89PNG")
    by_score, in_turn = values["by score"], values["in turn"]
    for run in (by_score, in_turn):
        assert sum(run[language] for language in ("zh", "fa", "ru")) == pytest.approx(1, abs=1e-3)
        assert 0 < run["nDCG@20"] < 1
    # Scores are higher in Chinese, whose documents have more tokens.
    assert by_score["zh"] > 0.4 > in_turn["zh"]
    assert in_turn["PEER@20"] > by_score["PEER@20"] and in_turn["AWRF@20"] > by_score["AWRF@20"]


def test_with_runs(files, offline, tmp_path):
    (files.home / "neuclir" / "trec-2023").mkdir(parents=True)
    qrels = [f"200 {language} {language}{i} {i % 2}" for language in ("zho", "fas", "rus")
             for i in range(4)]
    files.write("neuclir/trec-2022/qrels", "\n".join(qrels) + "\n")
    runs = []
    for name, order in (("first", "zho fas rus"), ("second", "rus zho fas")):
        docnos = [f"{language}{i}" for i in range(4) for language in order.split()]
        runs.append(tmp_path / name)
        runs[-1].write_text("".join(f"200 Q0 {docno} {i} {-i} r\n"
                                    for i, docno in enumerate(docnos)))
    done = offline(SCRIPT, *runs, "--year", 2022, "--figures", tmp_path)
    assert done.returncode == 0, done.stderr
    _, values, _ = read("\n" + done.stdout)
    assert list(values) == ["first", "second"]
    assert all(run["zh"] == run["fa"] == run["ru"] == 0.3333 for run in values.values())
    missing = offline(SCRIPT, runs[0])
    assert missing.returncode == 1
    assert "qrels" in missing.stderr
