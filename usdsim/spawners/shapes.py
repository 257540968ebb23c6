"""Primitive shapes: ``{prim}`` is the body, ``{prim}/geometry/mesh`` the shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from pxr import Usd

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim

from .cfg import RigidObjectSpawnerCfg
from .materials import PhysicsMaterialCfg, VisualMaterialCfg
from .place import place
from .rigid import add_materials, add_rigid_body
from .spawner import SpawnPoint, spawner

__all__ = [
    "CapsuleCfg",
    "ConeCfg",
    "CuboidCfg",
    "CylinderCfg",
    "ShapeCfg",
    "SphereCfg",
    "spawn_capsule",
    "spawn_cone",
    "spawn_cuboid",
    "spawn_cylinder",
    "spawn_sphere",
]

Axis = Literal["X", "Y", "Z"]


def positive(cfg: Any, *names: str, count: int = 1) -> None:
    """Raise unless some fields of a configuration are so many positive numbers each."""
    for name in names:
        value = np.asarray(getattr(cfg, name), dtype=np.float64)
        if value.size != count or not (value > 0.0).all():
            allowed = "positive numbers" if count == 1 else f"{count} positive numbers"
            raise InvalidValueError(f"{type(cfg).__name__}.{name}", getattr(cfg, name), allowed)


def _shape(
    at: SpawnPoint,
    cfg: ShapeCfg,
    type_name: str,
    attributes: dict[str, tuple[str, Any]],
    extent: ArrayLike,
    scale: ArrayLike | None = None,
) -> Usd.Prim:
    root = at.define()
    geometry = f"{at.path}/geometry"
    gprim = define_prim(at.stage, f"{geometry}/mesh", type_name)
    if scale is not None:
        place(gprim, None, None, scale)
    for name, (kind, value) in attributes.items():
        author(gprim, name, kind, value, uniform=kind == "token")
    half = np.asarray(extent, dtype=np.float64)
    author(gprim, "extent", "float3[]", np.stack([-half, half]))
    path = str(gprim.GetPath())
    # Physics materials bind to colliders, so the collider comes first.
    add_rigid_body(at.stage, at.path, path, cfg)
    add_materials(at.stage, geometry, path, cfg)
    return root


def _along(axis: Axis, along: float, across: float) -> list[float]:
    """Half extents of a round shape along an axis."""
    return [along if name == axis else across for name in ("X", "Y", "Z")]


@spawner
def spawn_sphere(at: SpawnPoint, cfg: SphereCfg) -> Usd.Prim:
    """Spawn a sphere."""
    positive(cfg, "radius")
    attributes = {"radius": ("double", cfg.radius)}
    extent = np.full(3, cfg.radius)
    return _shape(at, cfg, "Sphere", attributes, extent)


@spawner
def spawn_cuboid(at: SpawnPoint, cfg: CuboidCfg) -> Usd.Prim:
    """Spawn a box; see `spawn_sphere`. A cube of its shortest side is scaled."""
    positive(cfg, "size", count=3)
    side = float(min(cfg.size))
    scale = [float(length) / side for length in cfg.size]
    return _shape(
        at,
        cfg,
        "Cube",
        {"size": ("double", side)},
        np.full(3, 0.5 * side),
        None if scale == [1.0, 1.0, 1.0] else scale,
    )


def _round(at: SpawnPoint, cfg: CylinderCfg, type_name: str, caps: float = 0.0) -> Usd.Prim:
    positive(cfg, "radius", "height")
    choice(f"{type(cfg).__name__}.axis", cfg.axis, get_args(Axis))
    attributes = {
        "radius": ("double", cfg.radius),
        "height": ("double", cfg.height),
        "axis": ("token", cfg.axis),
    }
    extent = _along(cfg.axis, 0.5 * cfg.height + caps * cfg.radius, cfg.radius)
    return _shape(at, cfg, type_name, attributes, extent)


@spawner
def spawn_cylinder(at: SpawnPoint, cfg: CylinderCfg) -> Usd.Prim:
    """Spawn a cylinder; see `spawn_sphere`."""
    return _round(at, cfg, "Cylinder")


@spawner
def spawn_capsule(at: SpawnPoint, cfg: CapsuleCfg) -> Usd.Prim:
    """Spawn a capsule; see `spawn_sphere`."""
    return _round(at, cfg, "Capsule", caps=1.0)


@spawner
def spawn_cone(at: SpawnPoint, cfg: ConeCfg) -> Usd.Prim:
    """Spawn a cone; see `spawn_sphere`."""
    return _round(at, cfg, "Cone")


@dataclass(kw_only=True)
class ShapeCfg(RigidObjectSpawnerCfg):
    """A shape with materials."""

    visual_material_path: str = "material"
    """Path of the display material; relative: below ``{prim}/geometry``."""
    visual_material: VisualMaterialCfg | None = None
    """Display material; None: none."""
    physics_material_path: str = "material"
    """Path of the physics material; relative: below ``{prim}/geometry``."""
    physics_material: PhysicsMaterialCfg | None = None
    """Physics material; None: none."""


@dataclass(kw_only=True)
class SphereCfg(ShapeCfg):
    """A sphere."""

    func: Callable[..., Usd.Prim] = spawn_sphere
    radius: float
    """Radius, in stage units."""


@dataclass(kw_only=True)
class CuboidCfg(ShapeCfg):
    """A box."""

    func: Callable[..., Usd.Prim] = spawn_cuboid
    size: Sequence[float]
    """Lengths of its sides, in stage units, shape (3,)."""


@dataclass(kw_only=True)
class CylinderCfg(ShapeCfg):
    """A cylinder."""

    func: Callable[..., Usd.Prim] = spawn_cylinder
    radius: float
    """Radius, in stage units."""
    height: float
    """Length, in stage units, without the caps of a capsule."""
    axis: Axis = "Z"
    """Axis of the shape."""


@dataclass(kw_only=True)
class CapsuleCfg(CylinderCfg):
    """A capsule."""

    func: Callable[..., Usd.Prim] = spawn_capsule


@dataclass(kw_only=True)
class ConeCfg(CylinderCfg):
    """A cone."""

    func: Callable[..., Usd.Prim] = spawn_cone
