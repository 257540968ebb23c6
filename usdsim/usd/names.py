"""Prim names for names from other file formats."""

from __future__ import annotations

import re
import unicodedata

from pxr import Sdf, Usd

__all__ = [
    "DRAWS",
    "ENVIRONMENT_API",
    "RECORDED",
    "SOURCE_NAME",
    "NameScope",
    "get_source_name",
    "legal_name",
    "set_source_name",
]

SOURCE_NAME = "usdsim:sourceName"
"""Attribute that keeps the name an element had in the file it was converted from."""
ENVIRONMENT_API = "UsdsimEnvironmentAPI"
"""Applied schema of prims that are environments."""
DRAWS = "usdsim:draws"
"""Relationship of a mesh or curves to the flexible body or skin they show and follow."""
RECORDED = "usdsim:recording"
"""Key of the custom data of layers that are recordings."""

# Letters without a decomposition; everything else is reduced to its base letter or to "_".
_SPELLED = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)


def legal_name(source: str) -> str:
    """A readable prim name, legal in every version of OpenUSD.

    Letters lose their accents, other characters become ``_``, a leading digit gets a ``_``, and
    an empty name becomes ``unnamed``: ``left/arm`` -> ``left_arm``, ``1a`` -> ``_1a``,
    ``é`` -> ``e``. A legal ASCII name stays as it is.
    """
    if source.isascii() and source.isidentifier():
        return source
    plain = unicodedata.normalize("NFKD", source.translate(_SPELLED))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    name = re.sub(r"[^A-Za-z0-9_]", "_", plain)
    if not name:
        return "unnamed"
    return f"_{name}" if name[0].isdigit() else name


class NameScope:
    """Hands out names that are legal and unique among siblings.

    Args:
        stage: if given, names of prims that exist already are taken too.
    """

    def __init__(self, stage: Usd.Stage | None = None):
        self._stage = stage
        self._taken: dict[str, set[str]] = {}
        self._next: dict[tuple[str, str], int] = {}

    def unique(self, parent_path: str | Sdf.Path, source_name: str) -> str:
        """The name to use below `parent_path`: `legal_name`, with ``_1``, ``_2``... if taken."""
        parent = str(parent_path)
        taken = self._taken.get(parent)
        if taken is None:
            taken = self._taken[parent] = self._existing(parent)
        base = name = legal_name(source_name)
        number = self._next.get((parent, base), 0)
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        self._next[parent, base] = number
        taken.add(name)
        return name

    def _existing(self, parent: str) -> set[str]:
        prim = self._stage.GetPrimAtPath(parent) if self._stage is not None else None
        return set(prim.GetAllChildrenNames()) if prim else set()


def set_source_name(prim: Usd.Prim, name: str) -> None:
    """Keep an element's name from its source file (``""``: it had none) on its prim.

    The name also becomes the display name where the prim's own name had to differ.
    """
    attribute = prim.CreateAttribute(
        SOURCE_NAME, Sdf.ValueTypeNames.String, True, Sdf.VariabilityUniform
    )
    attribute.Set(name)
    if name and name != prim.GetName():
        prim.SetDisplayName(name)


def get_source_name(prim: Usd.Prim) -> str | None:
    """The name kept by `set_source_name`; None where none was kept, or what is there is no text."""
    value = prim.GetAttribute(SOURCE_NAME).Get() if prim.HasAttribute(SOURCE_NAME) else None
    return value if isinstance(value, str) else None
