"""Environment signatures: those with the same content, found without composing them."""

from __future__ import annotations

import hashlib

import numpy as np
from pxr import Sdf, Usd

from .finding import Environments

__all__ = ["group_environments"]

_OWN = ("xformOp", "usdsim:environment", "!resetXformStack!")
_MARK = "UsdsimEnvironmentAPI"
_DIGITS = 9
"""Significant digits to which scales must agree."""


def group_environments(stage: Usd.Stage, environments: Environments) -> list[list[int]]:
    """Indices of environments with the same content, that of the first one first.

    Content is what is authored at and below an environment, whatever its place and index. Two
    environments that refer to the same things are equal, and so are two copies; environments that
    differ in how they are authored alone land in different groups.
    """
    reader = _SpecDigests()
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for i, path in enumerate(environments.paths):
        scale = [float(f"{number:.{_DIGITS}g}") for number in environments.scales[i]]
        key = (*reader.content(stage.GetPrimAtPath(path)), np.array(scale).tobytes())
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
