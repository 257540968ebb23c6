"""Reads the MuJoCo dialect of one stage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from pxr import Usd, UsdPhysics

from usdsim.core.dialects.mjc_tables import ROWS
from usdsim.core.dialects.mjc_tokens import TEXTURE_ROLE
from usdsim.parser.report import Report

from .collect import Collector, MujocoElements, Place
from .values import spec_values

__all__ = ["MujocoReader"]

# Geoms and sites have their asset's attributes through the reference to it.
_OF_MESHES = frozenset({"mjc:vertices", "mjc:faces", *(row.usd for row in ROWS["mesh"])})
_EQUALITY = frozenset({"mjc:target", "mjc:torqueScale", *(f"mjc:coef{i}" for i in range(5))})
_READ_ELSEWHERE: Mapping[str, frozenset[str]] = {
    "body": frozenset({"mjc:library"}),
    "joint": _EQUALITY | {"mjc:type", "mjc:solref", "mjc:solimp"},
    "equality": _EQUALITY | {row.usd for row in ROWS["joint"]},
    "geom": _OF_MESHES | {"mjc:mesh", "mjc:hfield", "mjc:type"},
    "site": _OF_MESHES | {"mjc:mesh", "mjc:type"},
    "mesh": frozenset({"mjc:vertices", "mjc:faces"}),
    "material": frozenset(f"mjc:texture:{role}" for role in TEXTURE_ROLE),
    "scene": frozenset({"mjc:compiler:angle"}),
}


class MujocoReader:
    """Reads the MuJoCo dialect of one stage.

    Args:
        stage: the composed stage.
        report: where unread and unusable properties are noted.
        exclude: prims left out with all below them.
    """

    def __init__(self, stage: Usd.Stage, report: Report, exclude: frozenset[str] = frozenset()):
        self.stage, self.report = stage, report
        self._scene = self._find_scene(exclude)
        self._angle = 1.0 if self._angle_unit() == "radian" else math.pi / 180.0

    def options(self) -> dict[str, Any]:
        """Values for `SceneDescription.options`; empty where the stage authors none."""
        if self._scene is None:
            return {}
        values = self.overrides(self._scene, "scene")
        if "option.iterations" in values:
            self.report.mark_read(self._scene.GetPath(), ["newton:maxSolverIterations"])
        # An applied API without values means MuJoCo's own defaults.
        return values or {"option.cone": 0}

    def overrides(self, prim: Usd.Prim, kind: str) -> dict[str, Any]:
        """Authored ``mjc:`` values of a prim by spec field.

        Args:
            prim: the prim.
            kind: ``body``, ``joint``, ``geom``, ``site``, ``mesh``, ``actuator``, ``scene`` or a
                kind of `GenericDescription`.
        """
        hinge = kind == "joint" and prim.GetTypeName() == "PhysicsRevoluteJoint"
        known = _READ_ELSEWHERE.get(kind, frozenset())
        if kind == "scene":
            known = known | {
                name
                for prop in prim.GetAuthoredPropertiesInNamespace("mjc:compiler")
                if (name := prop.GetName())
            }
        return spec_values(
            prim, kind, self.report, angle=self._angle if hinge else 1.0, known=known
        )

    def elements(self, prims: Iterable[Usd.Prim], place: Place) -> MujocoElements:
        """Assets, actuators and everything only MuJoCo knows, in stage order.

        Args:
            prims: the stage's prims in stage order.
            place: see the package's documentation.
        """
        found = Collector(self.overrides, place, self.report)
        for prim in prims:
            found.visit(prim)
        return found.result()

    def _find_scene(self, exclude: frozenset[str]) -> Usd.Prim | None:
        walk = iter(Usd.PrimRange.Stage(self.stage))
        for prim in walk:
            if exclude and prim.GetPath().pathString in exclude:
                walk.PruneChildren()
            elif prim.IsA(UsdPhysics.Scene) and (
                "MjcSceneAPI" in prim.GetPrimTypeInfo().GetAppliedAPISchemas()
                or prim.GetAuthoredPropertiesInNamespace("mjc")
            ):
                return prim
        return None

    def _angle_unit(self) -> str:
        attribute = self._scene and self._scene.GetAttribute("mjc:compiler:angle")
        return str(attribute.Get() or "degree") if attribute else "degree"
