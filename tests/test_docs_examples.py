"""The examples and the code in the README and the guide run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))
PAGES = (ROOT / "README.md", ROOT / "docs" / "getting_started.md")


def _run(arguments: list[str], folder: Path) -> str:
    """Run Python with the package importable and the assets where the text says they are."""
    if not (folder / "assets").exists():
        (folder / "assets").symlink_to(ROOT / "assets", target_is_directory=True)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    result = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(example: Path, tmp_path: Path):
    assert _run([str(example)], tmp_path).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_code_on_page_runs(page: Path, tmp_path: Path):
    """The blocks of a page belong together and run in order."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks))
    assert len(blocks) >= 2
    assert _run([str(script)], tmp_path).strip()


def test_examples_are_documents():
    assert len(EXAMPLES) >= 3
    for example in EXAMPLES:
        title = example.read_text().splitlines()[0]
        assert re.fullmatch(r'"""[A-Z].*\.', title), f"{example.name}: {title}"
