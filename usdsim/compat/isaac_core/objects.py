"""Objects of Isaac Sim: shapes to look at, fixed or dynamic, and ground."""

from __future__ import annotations

from typing import Any, ClassVar

from pxr import Usd, UsdGeom

from usdsim.compat.prims.finding import get_next_free_prim_path
from usdsim.spawners import GroundPlaneCfg, RigidBodyMaterialCfg
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim
from usdsim.usd.queries import path_below
from usdsim.usd.stage import current_stage

from .materials import PhysicsMaterial
from .singles import SingleGeometryPrim, SingleRigidPrim, SingleXFormPrim

__all__ = [
    "CoreObject",
    "GroundPlane",
    *(
        f"{how}{what}"
        for how in ("Visual", "Fixed", "Dynamic")
        for what in ("Cuboid", "Sphere", "Cylinder", "Cone", "Capsule")
    ),
]

_SHAPES: dict[str, tuple[str, dict[str, float]]] = {
    "Cuboid": ("Cube", {"size": 1.0}),
    "Sphere": ("Sphere", {"radius": 1.0}),
    "Cylinder": ("Cylinder", {"radius": 1.0, "height": 1.0}),
    "Cone": ("Cone", {"radius": 1.0, "height": 1.0}),
    "Capsule": ("Capsule", {"radius": 1.0, "height": 1.0}),
}
"""Type of the prim, and attributes of a new one where they are not given."""

_GREY = (0.5, 0.5, 0.5)
_MASS = 0.02
_SURFACE = (0.2, 1.0, 0.0)
"""Mass [kg], frictions at rest and in motion, and bounce of a new object that is given none."""


class CoreObject(SingleGeometryPrim):
    """A shape, whose prim is made if there is none; derived classes say which and how it moves.

    Args:
        prim_path: its path.
        name: what it is called.
        *args: see `SinglePrim`: position, translation, orientation (wxyz), scale and visibility.
        color: linear RGB; None: grey.
        visual_material: the look, instead of `color`.
        physics_material: friction and bounce; None: 0.2 at rest, 1.0 in motion, none.
        **others: see `SinglePrim`; ``size``, or ``radius`` and ``height`` [stage units]; of dynamic
            ones ``mass`` [kg], or ``density``, and first velocities.
    """

    shape: ClassVar[str] = "Cuboid"
    collides: ClassVar[bool] = False
    moves: ClassVar[bool] = False

    def __init__(
        self,
        prim_path: str,
        name: str | None = None,
        *args: Any,
        color: Any = None,
        visual_material: Any = None,
        physics_material: Any = None,
        **others: Any,
    ):
        stage = current_stage()
        path = path_below(stage, str(prim_path))
        kind, sizes = _SHAPES[self.shape]
        told = {key: others.pop(key, None) for key in sizes}
        fresh = not stage.GetPrimAtPath(path)
        prim = define_prim(stage, path, kind) if fresh else stage.GetPrimAtPath(path)
        for key, default in sizes.items():
            if fresh or told[key] is not None:
                author(prim, key, "double", float(default if told[key] is None else told[key]))
        UsdGeom.Gprim(prim).CreateExtentAttr(
            UsdGeom.Boundable.ComputeExtentFromPlugins(
                UsdGeom.Boundable(prim), Usd.TimeCode.Default()
            )
        )
        if fresh and self.moves and all(others.get(k) is None for k in ("mass", "density")):
            others["mass"] = _MASS
        super().__init__(path, name, *args, collision=self.collides or None, **others)
        if fresh or color is not None:
            shown = [float(part) for part in (_GREY if color is None else color)]
            author(prim, "primvars:displayColor", "color3f[]", [shown])
        if visual_material is not None:
            self.apply_visual_material(visual_material)
        if self.collides and (physics_material is not None or fresh):
            self.apply_physics_material(physics_material or _default_material())

    @property
    def geom(self) -> UsdGeom.Gprim:
        """The shape's schema."""
        return UsdGeom.Gprim(self.prim)


class _Dynamic(CoreObject, SingleRigidPrim):
    """A shape that is a body."""

    collides, moves = True, True
    view_class = SingleRigidPrim.view_class


def _default_material() -> PhysicsMaterial:
    path = get_next_free_prim_path("/World/Physics_Materials/physics_material")
    return PhysicsMaterial(path, "physics_material", *_SURFACE)


def _classes() -> dict[str, type[CoreObject]]:
    found = {}
    for how, base in (("Visual", CoreObject), ("Fixed", CoreObject), ("Dynamic", _Dynamic)):
        for what in _SHAPES:
            members = {
                "__doc__": f"{how} {what.lower()}; see `CoreObject`.",
                "__module__": __name__,
                "shape": what,
                "collides": how != "Visual",
            }
            found[f"{how}{what}"] = type(f"{how}{what}", (base,), members)
    return found


globals().update(_classes())


class GroundPlane(SingleXFormPrim):
    """Ground: infinite for physics.

    Args:
        prim_path: its path.
        name: what it is called.
        size: visible lengths [stage units]; None: 100.
        z_position: height [stage units].
        color: linear RGB; None: grey.
        physics_material: friction and bounce; None: 0.5 and none.
        **others: see `SinglePrim`.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "ground_plane",
        size: float | None = None,
        z_position: float | None = None,
        scale: Any = None,
        visible: bool | None = None,
        color: Any = None,
        physics_material: Any = None,
        visual_material: Any = None,
        **others: Any,
    ):
        if not current_stage().GetPrimAtPath(str(prim_path)):
            length = 100.0 if size is None else float(size)
            shown = tuple(map(float, _GREY if color is None else color))
            cfg = GroundPlaneCfg(
                size=(length, length),
                color=shown,
                physics_material=RigidBodyMaterialCfg() if physics_material is None else None,
            )
            cfg.func(str(prim_path), cfg, (0.0, 0.0, float(z_position or 0.0)))
        super().__init__(str(prim_path), name, visible=visible, scale=scale)
        if physics_material is not None:
            self.apply_physics_material(physics_material)
        if visual_material is not None:
            self.apply_visual_material(visual_material)
