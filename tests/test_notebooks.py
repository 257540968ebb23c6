"""The notebooks run, and show the player in them."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")


def _run(path, folder, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace("1024", "16")
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path, monkeypatch):
    notebook = _run(path, tmp_path, monkeypatch)
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert codes and codes[-1].outputs
    page = codes[-1].outputs[-1]["data"].get("text/html", "")
    if "Page(" in "".join(cell.source for cell in codes):
        assert "<iframe srcdoc=" in page and len(page) > 200_000


def test_notebooks_are_kept_without_output():
    assert len(NOTEBOOKS) >= 2
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        assert notebook.cells[0].cell_type == "markdown"
        assert not any(cell.get("outputs") for cell in notebook.cells), path.name
