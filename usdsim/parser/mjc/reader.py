"""MuJoCo dialect reader of one stage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from pxr import Usd, UsdPhysics

from usdsim.core.dialects.mjc_tables import ROWS
from usdsim.core.dialects.mjc_tokens import TEXTURE_ROLE
from usdsim.parser.report import Report
from usdsim.usd.schemas import has_api

from .collect import Collector, MujocoElements, Place
from .restated import goes_first
from .values import rows_by_attribute, spec_values

__all__ = ["MujocoReader"]

# Geoms and sites have their asset's attributes through the reference to it.
_OF_MESHES = frozenset({"mjc:vertices", "mjc:faces", *(row.usd for row in ROWS["mesh"])})
_ITERATIONS = "newton:maxSolverIterations"
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

    Attributes:
        scene: the physics scene that speaks the dialect; None: none does.
    """

    def __init__(self, stage: Usd.Stage, report: Report, exclude: frozenset[str] = frozenset()):
        self.stage, self.report = stage, report
        self.scene = self._find_scene(exclude)
        self._angle = 1.0 if self._angle_unit() == "radian" else math.pi / 180.0

    def options(self) -> dict[str, Any]:
        """Values for `SceneDescription.options`; empty where the stage authors none."""
        if self.scene is None:
            return {}
        values = self.overrides(self.scene, "scene")
        limit = self.scene.GetAttribute(_ITERATIONS).Get()
        if isinstance(limit, int) and limit >= 0:
            own = "mjc:option:iterations"
            if own not in self.scene.GetAuthoredPropertyNames() or goes_first(
                self.scene, (_ITERATIONS,), (own,), self.report
            ):
                values["option.iterations"] = limit
        if "option.iterations" in values:
            self.report.mark_read(self.scene.GetPath(), [_ITERATIONS])
        # An applied API without values means MuJoCo's own defaults.
        return values or {"option.cone": 0}

    def overrides(self, prim: Usd.Prim, kind: str) -> dict[str, Any]:
        """Authored ``mjc:`` values of a prim by spec field, and fallbacks that act.

        Args:
            prim: the prim.
            kind: ``body``, ``joint``, ``geom``, ``site``, ``mesh``, ``actuator``, ``scene`` or a
                kind of `GenericDescription`.
        """
        values = self._authored(prim, kind)
        if kind == "geom" and has_api(prim, "MjcCollisionAPI"):
            # The schema's own word on the dimensions of contact, whatever friction a material has.
            values.setdefault("condim", rows_by_attribute("geom")["mjc:condim"].default)
        return values

    def _authored(self, prim: Usd.Prim, kind: str) -> dict[str, Any]:
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
                has_api(prim, "MjcSceneAPI") or prim.GetAuthoredPropertiesInNamespace("mjc")
            ):
                return prim
        return None

    def _angle_unit(self) -> str:
        attribute = self.scene and self.scene.GetAttribute("mjc:compiler:angle")
        return str(attribute.Get() or "degree") if attribute else "degree"
