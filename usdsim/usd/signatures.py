"""Content signatures: prims with the same content, found without composing them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from pxr import Sdf, Usd

__all__ = ["group_by_content"]

_OWN = ("xformOp", "usdsim:environment", "!resetXformStack!")
_MARK = "UsdsimEnvironmentAPI"
_DIGITS = 9
"""Significant digits to which scales must agree."""


def group_by_content(stage: Usd.Stage, paths: Sequence[str], scales: ArrayLike) -> list[list[int]]:
    """Indices of prims with the same content, such as environments, that of the first one first.

    Content is what is authored at and below a prim, whatever its place and index. Two prims that
    refer to the same things are equal, and so are two copies; prims that differ in how they are
    authored alone land in different groups.

    Args:
        stage: the stage.
        paths: of the prims.
        scales: of their axes in world, which content does not say, shape (n, 3).
    """
    reader = _SpecDigests()
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for i, (path, scale) in enumerate(zip(paths, np.asarray(scales), strict=True)):
        rounded = [float(f"{number:.{_DIGITS}g}") for number in scale]
        key = (*reader.content(stage.GetPrimAtPath(path)), np.array(rounded).tobytes())
        groups.setdefault(key, []).append(i)
    return list(groups.values())


class _SpecDigests:
    """Digests of prim specs, each computed once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], bytes] = {}

    def content(self, prim: Usd.Prim) -> tuple[bytes, ...]:
        """Digest of every spec that contributes something to a prim, strongest first."""
        digests = []
        for spec in prim.GetPrimStack():
            key = (spec.layer.identifier, spec.path.pathString)
            if key not in self._known:
                self._known[key] = self._digest(spec)
            if self._known[key]:
                digests.append(self._known[key])
        return tuple(digests)

    def _digest(self, spec: Sdf.PrimSpec) -> bytes:
        """Of all a spec says, with paths below it relative to it; empty if it says nothing.

        What it refers to has specs of its own.
        """
        parts = [p.GetAsText() for p in spec.properties if not p.name.startswith(_OWN)]
        apis = spec.GetInfo("apiSchemas").GetAppliedItems() if spec.HasInfo("apiSchemas") else []
        parts += [api for api in apis if api != _MARK]
        parts += [child.GetAsText() for child in spec.nameChildren]
        if not parts:
            return b""
        own = spec.path.StripAllVariantSelections().pathString
        text = "\n".join(parts).replace(f"<{own}/", "<./").replace(f"<{own}>", "<.>")
        text = text.replace(f"<{own}.", "<.")
        if "@" in text:
            # Relative file names mean something else in another layer.
            text += spec.layer.identifier
        return hashlib.blake2b(text.encode(), digest_size=16).digest()
