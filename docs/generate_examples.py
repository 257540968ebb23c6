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
    pages, cards = {}, []
    for path in sorted((ROOT / "examples").glob("[0-9]*.py")):
        title, pages[f"{path.stem}.md"] = _page(path)
        cards.append(_card(path.stem, title))
    listed = "\n".join(name.removesuffix(".md") for name in pages)
    pages["index.md"] = (
        "# Examples\n\nDocuments that run: `python examples/NAME.py`, most of them in seconds.\n\n"
        "::::{grid} 1 2 2 3\n:gutter: 3\n\n" + "".join(cards) + "::::\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n:hidden:\n\n{listed}\n```\n"
    )
    write(folder, pages, "*.md")


def _card(name: str, title: str) -> str:
    """A picture that leads to an example."""
    return (
        f":::{{grid-item-card}} {title}\n:link: {name}\n:link-type: doc\n"
        f":img-top: ../../images/examples/{name}.png\n:::\n\n"
    )
