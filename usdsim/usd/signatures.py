"""Content signatures: prims with the same content, found without composing them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from pxr import Sdf, Usd

from .names import ENVIRONMENT_API

__all__ = ["ContentGroup", "group_by_content"]

_OWN = ("xformOp", "usdsim:environment", "!resetXformStack!")
_DIGITS = 9
"""Significant digits to which scales must agree."""


@dataclass(frozen=True)
class ContentGroup:
    """Prims with the same content."""

    members: list[int]
    """Their indices, ascending."""
    form: Hashable
    """Content without loose values: equal in groups that differ in these alone."""


def group_by_content(
    stage: Usd.Stage,
    paths: Sequence[str],
    scales: ArrayLike,
    loose: re.Pattern[str] | None = None,
    unread: re.Pattern[str] | None = None,
) -> list[ContentGroup]:
    """Prims with the same content, such as environments; the group of the first one is first.

    Content is what is authored at and below a prim, whatever its place and index. Two prims that
    refer to the same things are equal, and so are two copies; prims that differ in how they are
    authored alone land in different groups.

    Args:
        stage: the stage.
        paths: of the prims.
        scales: of their axes in world, which content does not say, shape (n, 3).
        loose: values that do not count for the form, as text of a layer; each match starts with a
            group that does; None: everything counts.
        unread: lines that do not count at all, as text of a layer.
    """
    reader = _SpecDigests(loose, unread)
    groups: dict[tuple[bytes, ...], ContentGroup] = {}
    for i, (path, scale) in enumerate(zip(paths, np.asarray(scales), strict=True)):
        rounded = [float(f"{number:.{_DIGITS}g}") for number in scale]
        place = np.array(rounded).tobytes()
        contents, forms = reader.digests(stage.GetPrimAtPath(path))
        group = groups.setdefault((*contents, place), ContentGroup([], (*forms, place)))
        group.members.append(i)
    return list(groups.values())


class _SpecDigests:
    """Digests of prim specs, each computed once.

    Args:
        loose: see `group_by_content`.
        unread: likewise.
    """

    def __init__(self, loose: re.Pattern[str] | None, unread: re.Pattern[str] | None) -> None:
        self._loose, self._unread = loose, unread
        self._known: dict[tuple[str, str], tuple[bytes, bytes]] = {}

    def digests(self, prim: Usd.Prim) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """Content and form of every spec that contributes something to a prim, strongest first."""
        found = []
        for spec in prim.GetPrimStack():
            key = (spec.layer.identifier, spec.path.pathString)
            if key not in self._known:
                self._known[key] = self._digest(spec)
            if self._known[key][0]:
                found.append(self._known[key])
        return tuple(content for content, _ in found), tuple(form for _, form in found)

    def _digest(self, spec: Sdf.PrimSpec) -> tuple[bytes, bytes]:
        """Digests of a prim spec, with paths below it relative to it; empty if it says nothing.

        What it refers to has specs of its own.
        """
        parts = [p.GetAsText() for p in spec.properties if not p.name.startswith(_OWN)]
        apis = spec.GetInfo("apiSchemas").GetAppliedItems() if spec.HasInfo("apiSchemas") else []
        parts += [api for api in apis if api != ENVIRONMENT_API]
        parts += [child.GetAsText() for child in spec.nameChildren]
        if not parts:
            return b"", b""
        own = spec.path.StripAllVariantSelections().pathString
        text = "\n".join(parts).replace(f"<{own}/", "<./").replace(f"<{own}>", "<.>")
        text = text.replace(f"<{own}.", "<.")
        if self._unread is not None:
            text = self._unread.sub("", text)
        if "@" in text:
            # Relative file names mean something else in another layer.
            text += spec.layer.identifier
        content = _hash(text)
        return content, content if self._loose is None else _hash(self._loose.sub(r"\1", text))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
