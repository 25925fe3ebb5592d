"""The notebook, and the outputs that are stored in it."""

from __future__ import annotations

import json
import re
import shutil
from importlib.metadata import metadata

import pytest
from example_files import EXAMPLES

nbformat = pytest.importorskip("nbformat")
pytestmark = [pytest.mark.newest, pytest.mark.slow]

NOTEBOOK = EXAMPLES / "from_corpus_to_figure.ipynb"


def texts(cell):
    """What a cell prints and shows, without its images and what goes to standard error."""
    shown = [output.get("data", {}) for output in cell.outputs if output.get("name") != "stderr"]
    return [data.get("text/markdown", data.get("text/plain")) for data in shown]


@pytest.fixture(scope="module")
def stored():
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A copy of the notebook, run in a folder that holds nothing else."""
    from nbclient import NotebookClient
    folder = tmp_path_factory.mktemp("elsewhere")
    notebook = nbformat.read(shutil.copy(NOTEBOOK, folder), as_version=4)
    own_folder = {"metadata": {"path": str(folder)}}  # where Jupyter starts a notebook
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=own_folder).execute()
    return notebook


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_stored_outputs_are_those_of_a_run(stored, executed):
    for old, new in zip(code(stored), code(executed), strict=True):
        assert texts(old) == texts(new), "run: python .ci/notebook.py"
        assert [set(output.get("data", {})) for output in old.outputs] == [
            set(output.get("data", {})) for output in new.outputs if output.get("name") != "stderr"]
    images = [output for cell in code(stored) for output in cell.outputs
              if "image/png" in output.get("data", {})]
    assert len(images) == 3


def test_without_warnings_and_progress_of_the_index(executed):
    (indexing,) = [cell for cell in code(executed) if "index.index(" in cell.source]
    assert indexing.outputs == []
    errors = [output.text for cell in code(executed) for output in cell.outputs
              if output.get("name") == "stderr"]
    assert not [text for text in errors if "Warning" in text]


def test_it_opens_in_colab_from_the_public_address(stored):
    urls = dict(one.split(", ") for one in metadata("pt_fairness").get_all("Project-URL"))
    path = urls["Repository"].removeprefix("https://github.com/")
    assert (f"https://colab.research.google.com/github/{path}/blob/main/examples/{NOTEBOOK.name}"
            in stored.cells[0].source)
    install = code(stored)[0].source
    assert f"pt-fairness[demo,plots,report] @ git+{urls['Repository']}\"" in install


def test_the_rankings_of_the_topic_differ(executed):
    (topic,) = [cell for cell in code(executed) if "idxmax" in cell.source]
    head, row = texts(topic)[0].splitlines()
    assert head.split()[-4:] == ["BM25", "BM25,", "re-ranked", "QLD"]
    assert len(set(row.split()[-3:])) == 3


def test_stored_without_traces_of_the_machine(stored):
    assert set(stored.metadata) <= {"kernelspec", "language_info"}
    assert set(stored.metadata.language_info) == {"name"}
    assert not any(cell.metadata for cell in stored.cells)
    assert NOTEBOOK.stat().st_size < 150_000
    for cell in code(stored):
        for output in cell.outputs:
            assert not output.get("metadata")
            text = json.dumps({**output, "data": {kind: shown for kind, shown in output.data.items()
                                                  if kind != "image/png"}})
            assert not re.search(r"/home/|/root/|/tmp/|0x[0-9a-f]{8}", text)
            assert str(EXAMPLES.parent) not in text
