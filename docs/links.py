"""Finds links of built pages that lead nowhere: to files, and to places within them."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["broken_links"]


class _Page(HTMLParser):
    """What a page refers to, and the places in it that can be referred to."""

    def __init__(self, text: str):
        super().__init__()
        self.targets: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.places.add(value)
            elif value and name in ("href", "src"):
                self.targets.add(value)


def broken_links(folder: Path) -> list[tuple[str, str]]:
    """Links within a folder of HTML that lead nowhere.

    Args:
        folder: where the site was built. Links out of it are not followed.

    Returns:
        Page and link of each, in the order of pages.
    """
    pages = {
        path: _Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))
    }
    found = []
    for path, page in pages.items():
        for link in sorted(page.targets):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            missing = place and target in pages and place not in pages[target].places
            if not target.exists() or missing:
                found.append((path.relative_to(folder).as_posix(), link))
    return found
