"""Writes a page per example: its docstring as text, its code below."""

from __future__ import annotations

import ast
from pathlib import Path

from pages import write

ROOT = Path(__file__).resolve().parent.parent


def _page(path: Path) -> tuple[str, str]:
    """Title and text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    title, _, text = (ast.get_docstring(tree) or "").partition("\n")
    first = tree.body[1].lineno
    source = f"../../../examples/{path.name}"
    code = f"```{{literalinclude}} {source}\n:language: python\n:lines: {first}-\n```"
    run = f"Run it with `python examples/{path.name}`; what it writes is in `out/examples`."
    title = title.rstrip(".")
    return title, f"# {title}\n\n{text.strip()}\n\n{run}\n\n{code}\n"


def write_examples(folder: Path) -> None:
    """Write ``index.md`` and a page per example into `folder`."""
    pages = {}
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        pages[f"{path.stem}.md"] = _page(path)[1]
    listed = "\n".join(name.removesuffix(".md") for name in pages)
    pages["index.md"] = (
        "# Examples\n\nDocuments that run, each in seconds.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    )
    write(folder, pages, "*.md")
