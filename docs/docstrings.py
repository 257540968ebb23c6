"""What is done to docstrings after Napoleon, and before they are read as reStructuredText."""

from __future__ import annotations

import importlib
import re
from typing import Any

from usdsim.views.aliases import Alias, attribute_texts

__all__ = [
    "alias_texts",
    "describe_aliases",
    "escape_markup",
    "mark_deprecated",
    "rejoin_colons",
]

_LITERAL = re.compile(r"(``.+?``|`[^`]+`)")
_MARKUP = re.compile(r"(?<![*\\])\*(?!\*)|(?<!\\)\|(?=\w)|(?<=\w)\|")
_TYPE = ":type: "
_DEPRECATED = "Deprecated: "
_SINCE = "0.1"
"""Version whose names warn; names of later ones would say theirs."""


def alias_texts(owner: type) -> dict[str, str]:
    """Text of each alias that a class has, from what it stands for."""
    names = [name for name in dir(owner) if isinstance(getattr(owner, name, None), Alias)]
    texts = attribute_texts(owner) if names else {}
    return {name: texts[name].says for name in names}


def describe_aliases(
    app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """An alias says what its first name says; the class that has both derives from its own."""
    if isinstance(obj, Alias):
        module, owner, attribute = name.rsplit(".", 2)
        kinds = getattr(importlib.import_module(module), owner)
        lines[:] = [alias_texts((kinds.__subclasses__() or [kinds])[0])[attribute], ""]


def rejoin_colons(
    app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Napoleon takes what an attribute's text says before a colon for its type."""
    types = [line for line in lines if line.startswith(_TYPE)]
    if what in ("attribute", "property") and types:
        lines.remove(types[0])
        lines[0] = f"{types[0].removeprefix(_TYPE)}: {lines[0]}"


def escape_markup(
    app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """Shapes are written (*B, 3) and magnitudes |w|: neither is markup."""
    for number, line in enumerate(lines):
        parts = _LITERAL.split(line)
        parts[::2] = (_MARKUP.sub(r"\\\g<0>", text) for text in parts[::2])
        lines[number] = "".join(parts)


def mark_deprecated(
    app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]
) -> None:
    """A text that begins with ``Deprecated:`` is shown as such, with the version it holds since."""
    if lines and lines[0].startswith(_DEPRECATED):
        rest = lines[0].removeprefix(_DEPRECATED)
        lines[:1] = [f".. deprecated:: {_SINCE}", f"   {rest[:1].upper()}{rest[1:]}"]
