"""Runs the notebook of examples/ and stores its outputs."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

PATH = Path(__file__).resolve().parent.parent / "examples" / "from_corpus_to_figure.ipynb"

if __name__ == "__main__":
    notebook = nbformat.read(PATH, as_version=4)
    metadata = dict(notebook.metadata)
    # Without the times of the cells and the version of Python, which differ with every run.
    NotebookClient(notebook, kernel_name="python3", record_timing=False).execute()
    notebook.metadata = metadata
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # Progress bars, and the log of ir_datasets with the paths of this machine.
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    nbformat.write(notebook, PATH)
