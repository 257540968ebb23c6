"""Animated looks: visibility and display colours that a stage gives samples of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pxr import Usd, UsdGeom

from usdsim.parser.element import path_of_prim
from usdsim.usd.queries import find_ancestor, is_visible

from .parts import Parts

__all__ = ["AnimatedLooks"]


class AnimatedLooks:
    """Parts whose visibility, colour or opacity changes over a stage's time.

    Args:
        stage: the stage.
        parts: as the stage says without time.
    """

    def __init__(self, stage: Usd.Stage, parts: Parts):
        self._parts, self._dressed = parts, parts
        self._hiding: dict[int, Usd.Prim] = {}
        self._painting: dict[int, tuple[UsdGeom.Primvar, UsdGeom.Primvar]] = {}
        for index, path in enumerate(parts.paths):
            prim = stage.GetPrimAtPath(path_of_prim(path)) if path.startswith("/") else None
            if not prim:
                continue
            if find_ancestor(prim, _hides, include_self=True):
                self._hiding[index] = prim
            primvars = UsdGeom.PrimvarsAPI(prim)
            colour, opacity = (
                primvars.FindPrimvarWithInheritance(f"display{name}")
                for name in ("Color", "Opacity")
            )
            if any(found and found.ValueMightBeTimeVarying() for found in (colour, opacity)):
                self._painting[index] = colour, opacity

    def at(self, code: Usd.TimeCode) -> Parts:
        """Parts as they look at a time; the same object as before if they look alike."""
        if not self._hiding and not self._painting:
            return self._parts
        rgba = self._parts.rgba.copy()
        for index, primvars in self._painting.items():
            colour, opacity = (
                found.ComputeFlattened(code) if found else None for found in primvars
            )
            if colour is not None and len(colour):
                rgba[index, :3] = colour[0]
            if opacity is not None and len(opacity):
                rgba[index, 3] = opacity[0]
        for index, prim in self._hiding.items():
            if not is_visible(prim, code):
                rgba[index, 3] = 0.0
        if not np.array_equal(rgba, self._dressed.rgba):
            self._dressed = replace(self._parts, rgba=rgba)
        return self._dressed


def _hides(prim: Usd.Prim) -> bool:
    """Whether the visibility of a prim has samples."""
    attribute = UsdGeom.Imageable(prim).GetVisibilityAttr()
    return bool(attribute and attribute.ValueMightBeTimeVarying())
