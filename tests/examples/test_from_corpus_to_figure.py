"""The notebook, and the outputs that are stored in it."""

import shutil

import nbformat
import pytest
from ir_datasets_home import EXAMPLES
from nbclient import NotebookClient

pytestmark = pytest.mark.slow

NOTEBOOK = EXAMPLES / "from_corpus_to_figure.ipynb"


def texts(cell):
    """What a cell prints and shows, without its images and what goes to standard error."""
    shown = [output.get("data", {}) for output in cell.outputs if output.get("name") != "stderr"]
    return [data.get("text/markdown", data.get("text/plain")) for data in shown]


def outputs(notebook):
    """What each cell prints and shows, images by their kind alone."""
    return [[texts(cell), {kind for output in cell.outputs for kind in output.get("data", {})}]
            for cell in notebook.cells if cell.cell_type == "code"]


def test_the_stored_outputs_are_those_of_a_run(tmp_path):
    """In a folder that holds nothing else."""
    stored = nbformat.read(NOTEBOOK, as_version=4)
    notebook = nbformat.read(shutil.copy(NOTEBOOK, tmp_path), as_version=4)
    own_folder = {"metadata": {"path": str(tmp_path)}}  # where Jupyter starts a notebook
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=own_folder).execute()
    assert outputs(stored) == outputs(notebook), "run: python .ci/notebook.py"
