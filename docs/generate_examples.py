"""Writes a page per example: its docstring as text, pictures of its run, its code below."""

from __future__ import annotations

import ast
from pathlib import Path

from pages import write

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images" / "examples"


def _page(path: Path) -> tuple[str, str]:
    """Title and text."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    title, _, text = (ast.get_docstring(tree) or "").partition("\n")
    first = tree.body[1].lineno
    source = f"../../../examples/{path.name}"
    code = f"```{{literalinclude}} {source}\n:language: python\n:lines: {first}-\n```"
    run = f"Run it with `python examples/{path.name}`; what it writes is in `out/examples`."
    title = title.rstrip(".")
    parts = [f"# {title}", text.strip(), *_pictures(path.stem), run, code]
    return title, "\n\n".join(parts) + "\n"


def _pictures(name: str) -> list[str]:
    """What the example recorded and plotted, as `make pictures` has kept it."""
    files = ((f"{name}.png", "Moments of the recording"), (f"{name}_plot.png", "What it plots"))
    return [
        f"![{text}](../../images/examples/{file})"
        for file, text in files
        if (IMAGES / file).is_file()
    ]


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
