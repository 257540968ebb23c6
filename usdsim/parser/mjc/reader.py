"""MuJoCo dialect reader of one stage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from pxr import Usd, UsdPhysics

from usdsim.core.dialects.mjc_tables import ROWS
from usdsim.core.dialects.mjc_tokens import TEXTURE_ROLE
from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView

from .collect import Collector, MujocoElements
from .restated import goes_first
from .values import rows_by_attribute, spec_values

__all__ = ["MujocoReader"]

# Geoms and sites have their asset's attributes through the reference to it.
_OF_MESHES = frozenset({"mjc:vertices", "mjc:faces", *(row.usd for row in ROWS["mesh"])})
_ANGLE = "mjc:compiler:angle"
_NONE: frozenset[str] = frozenset()
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
    "scene": frozenset({_ANGLE}),
}


class MujocoReader:
    """Reads the MuJoCo dialect of one stage.

    Args:
        context: of the stage; its report has unread and unusable properties.

    Attributes:
        scene: the physics scene that speaks the dialect; None: none does.
    """

    def __init__(self, context: ParseContext):
        self._context, self._report = context, context.report
        self.scene = self._find_scene()
        self._angle = 1.0 if self._angle_unit() == "radian" else math.pi / 180.0

    def options(self) -> dict[str, Any]:
        """Values for `SceneDescription.options`; empty where the stage authors none."""
        if self.scene is None:
            return {}
        values = self.overrides(self.scene, "scene")
        prim = self.scene.prim
        limit = prim.GetAttribute(_ITERATIONS).Get()
        if isinstance(limit, int) and limit >= 0:
            own = "mjc:option:iterations"
            if own not in self.scene.names or goes_first(
                prim, (_ITERATIONS,), (own,), self._report
            ):
                values["option.iterations"] = limit
        if "option.iterations" in values:
            self.scene.read.add(_ITERATIONS)
        # An applied API without values means MuJoCo's own defaults.
        return values or {"option.cone": 0}

    def overrides(self, view: PrimView, kind: str) -> dict[str, Any]:
        """Authored ``mjc:`` values of a prim by spec field, and fallbacks that act.

        Args:
            view: the prim.
            kind: ``body``, ``joint``, ``geom``, ``site``, ``mesh``, ``actuator``, ``scene`` or a
                kind of `GenericDescription`.
        """
        values = self._authored(view, kind)
        if kind == "geom" and view.has_api("MjcCollisionAPI"):
            # The schema's own word on the dimensions of contact, whatever friction a material has.
            values.setdefault("condim", rows_by_attribute("geom")["mjc:condim"].default)
        return values

    def _authored(self, view: PrimView, kind: str) -> dict[str, Any]:
        hinge = kind == "joint" and view.type_name == "PhysicsRevoluteJoint"
        view.read.update(_READ_ELSEWHERE.get(kind, _NONE).intersection(view.mujoco))
        return spec_values(view, kind, self._report, angle=self._angle if hinge else 1.0)

    def elements(self, views: Iterable[PrimView]) -> MujocoElements:
        """Assets, actuators and everything only MuJoCo knows, in stage order.

        Args:
            views: prims in stage order, instance proxies included.
        """
        found = Collector(self._context, self.overrides)
        for view in views:
            found.visit(view)
        return found.result()

    def _find_scene(self) -> PrimView | None:
        exclude = self._context.exclude
        walk = iter(Usd.PrimRange.Stage(self._context.stage))
        for prim in walk:
            if exclude and prim.GetPath().pathString in exclude:
                walk.PruneChildren()
            elif prim.IsA(UsdPhysics.Scene):
                view = self._context.view(prim)
                if view.mujoco or view.has_api("MjcSceneAPI"):
                    return view
        return None

    def _angle_unit(self) -> str:
        return "degree" if self.scene is None else str(self.scene.value(_ANGLE, "degree"))
