"""Edits of a stage in a layer of their own, which can be saved apart from it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from pxr import Sdf, Usd

from usdsim.core.dialects.base import NAMESPACES
from usdsim.core.errors import FileError, InvalidValueError, StageError

from .attributes import author
from .prims import get_prim
from .stage import save_layer, uses_file

__all__ = ["StageEdits"]


class StageEdits:
    """Values of attributes that lie over a stage, below its session layer.

    Args:
        stage: the stage.

    Raises:
        StageError: the stage has no session layer.

    Attributes:
        stage: the stage.
    """

    def __init__(self, stage: Usd.Stage):
        session = stage.GetSessionLayer()
        if session is None:
            raise StageError("The stage has no session layer to edit in. Open it with one.")
        self.stage = stage
        self._layer = Sdf.Layer.CreateAnonymous("edits.usda")
        session.subLayerPaths.append(self._layer.identifier)

    def attributes(self, path: str) -> dict[str, str]:
        """Physics attributes of a prim and their values as JSON; empty if there is no prim."""
        prim = self.stage.GetPrimAtPath(path)
        found = {}
        for attribute in prim.GetAttributes() if prim else ():
            name, value = attribute.GetName(), attribute.Get()
            if name.startswith(NAMESPACES) and value is not None:
                found[name] = _as_text(value)
        return found

    def set(self, path: str, name: str, text: str) -> None:
        """Set an attribute from JSON, such as ``2.5``, ``[1, 0, 0]`` or ``true``.

        Raises:
            StageError: there is no such prim.
            InvalidValueError: there is no such attribute, or it does not take the value.
        """
        prim = get_prim(self.stage, path)
        named = Sdf.Path.IsValidNamespacedIdentifier(name)
        attribute = prim.GetAttribute(name) if named else None
        if not attribute:
            raise InvalidValueError(f"attribute of {path}", name, "one that the prim has")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        kind = str(attribute.GetTypeName())
        with Usd.EditContext(self.stage, self._layer):
            author(prim, name, kind, value)

    def clear(self, path: str, name: str) -> None:
        """Take back the edit of an attribute."""
        spec = self._layer.GetAttributeAtPath(Sdf.Path(path).AppendProperty(name))
        if spec is not None:
            prim = self._layer.GetPrimAtPath(path)
            prim.RemoveProperty(spec)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the edits as a layer over the stage's root layer.

        Raises:
            FileError: the file cannot be written, or is one that the stage is made of.
        """
        if uses_file(self.stage, path):
            raise FileError(
                f"Cannot write edits over {str(path)!r}, which the stage is made of; name another "
                "file."
            )
        copy = Sdf.Layer.CreateAnonymous(".usda")
        copy.TransferContent(self._layer)
        root = self.stage.GetRootLayer()
        for key in ("upAxis", "metersPerUnit", "kilogramsPerUnit", "defaultPrim"):
            if root.pseudoRoot.HasInfo(key):
                copy.pseudoRoot.SetInfo(key, root.pseudoRoot.GetInfo(key))
        if not root.anonymous:
            copy.subLayerPaths.append(os.path.relpath(root.realPath, Path(path).resolve().parent))
        return save_layer(copy, path)


def _as_text(value: Any) -> str:
    if isinstance(value, bool | int | float | str):
        return json.dumps(value)
    try:
        return json.dumps([float(v) for v in value])
    except (TypeError, ValueError):
        return str(value)
