"""The notebook, and the outputs that are stored in it."""

from __future__ import annotations

import shutil

import nbformat
import pytest
from example_files import EXAMPLES
from nbclient import NotebookClient

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
