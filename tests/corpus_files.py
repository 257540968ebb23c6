"""The corpus of real robots, where it is present."""

from __future__ import annotations

import json
import os
from pathlib import Path

__all__ = ["CORPUS", "corpus_models"]

ROOT = Path(__file__).resolve().parent.parent


def _corpus_dir() -> Path | None:
    for folder in (os.environ.get("USDSIM_CORPUS"), ROOT.parent / "shared" / "corpus"):
        if folder and (Path(folder) / "manifest.json").is_file():
            return Path(folder)
    return None


CORPUS = _corpus_dir()


def corpus_models(kind: str) -> list[Path]:
    """Files of the corpus of a kind (``mjcf``, ``urdf``, ``usd``), but what MuJoCo refuses."""
    if CORPUS is None:
        return []
    entries = json.loads((CORPUS / "manifest.json").read_text())
    return [
        CORPUS / entry["path"]
        for entry in entries
        if entry["kind"] == kind and entry.get("loads_in_mujoco_4", True)
    ]
