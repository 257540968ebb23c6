"""Lists, under a class, what it has from its bases, with links to where that is documented."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["inherited_members"]

FORMS = ("index", "mask")
"""Endings of the other forms of a writer."""


def inherited_members(cls: type, places: Mapping[type, str]) -> list[str]:
    """Paragraphs in reStructuredText, one per base of ours that adds public members.

    Args:
        cls: the class.
        places: where each documented class is found.
    """
    own = {name for name in vars(cls) if not name.startswith("_")}
    lines = []
    for base in cls.__mro__[1:]:
        if base not in places:
            continue
        names = [name for name in vars(base) if not name.startswith("_") and name not in own]
        own.update(names)
        if names:
            links = _links(base, names, places[base])
            lines += ["", f"From :class:`~{places[base]}`: {links}.", ""]
    return lines


def _links(base: type, names: list[str], place: str) -> str:
    """A link per name; the forms of a writer by index and by mask stand behind it."""
    links = []
    for name in names:
        stem, _, form = name.rpartition("_")
        if form in FORMS and stem in names:
            continue
        role = "meth" if callable(vars(base)[name]) else "attr"
        forms = [f for f in FORMS if f"{name}_{f}" in names]
        also = ", ".join(f":{role}:`{f} <{place}.{name}_{f}>`" for f in forms)
        links.append(f":{role}:`{name} <{place}.{name}>`" + (f" ({also})" if also else ""))
    return ", ".join(links)
