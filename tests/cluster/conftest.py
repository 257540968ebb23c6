"""The folder in which jobs of these tests run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from cluster_jobs import CART


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a model, whose worker processes find the policies of these tests."""
    (tmp_path / "cart.xml").write_text(CART)
    here = str(Path(__file__).parent)
    path = os.pathsep.join([here, *filter(None, sys.path)])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.syspath_prepend(here)
    return tmp_path
