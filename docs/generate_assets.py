"""Writes a page per shipped robot or scene, which is its own, and one with all their pictures."""

from __future__ import annotations

import re
from pathlib import Path

from pages import write

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "assets"


def _moved(text: str, folder: Path) -> str:
    """Text whose pictures are found from `docs/api/assets`."""
    above = f"../../../{folder.relative_to(ROOT).as_posix()}/"
    text = re.sub(r"(!\[[^]]*\]\()", rf"\g<1>{above}", text)
    return re.sub(r'<img src="([^"]+)" alt="([^"]*)" width="(\d+)">', _image(above), text)


def _image(above: str) -> str:
    return rf"```{{image}} {above}\1\n:alt: \2\n:width: \3px\n```"


def write_assets(folder: Path) -> None:
    """Write ``index.md`` and a page per asset into `folder`."""
    pages = {}
    for page in sorted(ASSETS.glob("*/README.md")):
        pages[f"{page.parent.name}.md"] = _moved(page.read_text(encoding="utf-8"), page.parent)
    listed = "\n".join(name.removesuffix(".md") for name in pages)
    text = _moved((ASSETS / "README.md").read_text(encoding="utf-8"), ASSETS)
    pages["index.md"] = f"{text}\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    write(folder, pages, "*.md")
