"""Shared fixtures: the corpus of real robots, where it is present."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus_files import CORPUS


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Folder of real robots; skips the test where it is absent."""
    if CORPUS is None:
        pytest.skip("the corpus of real robots is not on this machine")
    return CORPUS
