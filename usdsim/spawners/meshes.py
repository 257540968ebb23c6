"""Primitive shapes as meshes, rigid or deformable; laid out like the shapes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from pxr import Usd

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError
from usdsim.math.meshes import primitives
from usdsim.math.meshes.bounds import bounds
from usdsim.schemas import (
    BoundingCubePropertiesCfg,
    BoundingSpherePropertiesCfg,
    ConvexHullPropertiesCfg,
    DeformableBodyBaseCfg,
    MeshCollisionBaseCfg,
    define_collision_properties,
    define_deformable_body_properties,
    define_mass_properties,
    define_rigid_body_properties,
)
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim

from .materials import DeformableBodyMaterialCfg, SurfaceDeformableBodyMaterialCfg
from .rigid import add_materials
from .shapes import ShapeCfg, positive
from .spawner import SpawnPoint, spawner

__all__ = [
    "MeshCapsuleCfg",
    "MeshCfg",
    "MeshConeCfg",
    "MeshCuboidCfg",
    "MeshCylinderCfg",
    "MeshSphereCfg",
    "MeshSquareCfg",
    "define_triangles",
    "spawn_mesh_capsule",
    "spawn_mesh_cone",
    "spawn_mesh_cuboid",
    "spawn_mesh_cylinder",
    "spawn_mesh_sphere",
    "spawn_mesh_square",
]


_SOFT = (DeformableBodyMaterialCfg, SurfaceDeformableBodyMaterialCfg)


def _check(cfg: MeshCfg) -> None:
    """Raise where rigid and deformable properties are mixed."""
    name = type(cfg).__name__
    soft = cfg.deformable_props is not None
    if soft and (cfg.rigid_props is not None or cfg.collision_props is not None):
        raise InvalidValueError(
            f"{name}.deformable_props",
            "set together with rigid_props or collision_props",
            "either a deformable or a rigid object",
        )
    if cfg.physics_material is not None and isinstance(cfg.physics_material, _SOFT) != soft:
        raise InvalidValueError(
            f"{name}.physics_material",
            type(cfg.physics_material).__name__,
            "a deformable material" if soft else "a rigid material",
            "Use a material of the same kind as the object.",
        )


def define_triangles(
    stage: Usd.Stage, path: str, points: np.ndarray, faces: np.ndarray
) -> Usd.Prim:
    """Define a mesh of triangles, without subdivision.

    Args:
        stage: the stage.
        path: of the mesh.
        points: in its frame and the stage's units, shape (n, 3).
        faces: corners of triangles, shape (m, 3), int32.
    """
    mesh = define_prim(stage, path, "Mesh")
    author(mesh, "points", "point3f[]", points)
    author(mesh, "faceVertexCounts", "int[]", np.full(len(faces), 3, dtype=np.int32))
    author(mesh, "faceVertexIndices", "int[]", faces.ravel())
    author(mesh, "subdivisionScheme", "token", "none", uniform=True)
    author(mesh, "extent", "float3[]", bounds(points))
    return mesh


def _mesh(
    at: SpawnPoint,
    cfg: MeshCfg,
    shape: tuple[np.ndarray, np.ndarray],
    approximation: MeshCollisionBaseCfg,
) -> Usd.Prim:
    _check(cfg)
    points, faces = shape
    root = at.define()
    geometry = f"{at.path}/geometry"
    path = f"{geometry}/mesh"
    define_triangles(at.stage, path, points, faces)
    if cfg.deformable_props is not None:
        _make_deformable(at, cfg, cfg.deformable_props)
    else:
        _make_rigid(at, path, cfg, approximation)
    add_materials(at.stage, geometry, path if cfg.deformable_props is None else at.path, cfg)
    return root


def _make_rigid(
    at: SpawnPoint, mesh: str, cfg: MeshCfg, approximation: MeshCollisionBaseCfg
) -> None:
    if cfg.collision_props is not None:
        collision = cfg.collision_props
        if collision.mesh_collision_property is None:
            collision = dataclasses.replace(collision, mesh_collision_property=approximation)
        define_collision_properties(mesh, collision, at.stage)
    if cfg.rigid_props is not None:
        if cfg.mass_props is not None:
            define_mass_properties(at.path, cfg.mass_props, at.stage)
        define_rigid_body_properties(at.path, cfg.rigid_props, at.stage)


def _make_deformable(at: SpawnPoint, cfg: MeshCfg, props: DeformableBodyBaseCfg) -> None:
    if cfg.mass_props is not None and cfg.mass_props.mass is not None:
        props = dataclasses.replace(props, mass=cfg.mass_props.mass)
    kind: Literal["volume", "surface"] = "surface" if isinstance(cfg, MeshSquareCfg) else "volume"
    define_deformable_body_properties(at.path, props, at.stage, deformable_type=kind)


@spawner
def spawn_mesh_sphere(at: SpawnPoint, cfg: MeshSphereCfg) -> Usd.Prim:
    """Spawn a sphere as a mesh; mass properties count for rigid or deformable bodies alone."""
    positive(cfg, "radius")
    shape = primitives.sphere(cfg.radius)
    bound = BoundingSpherePropertiesCfg()
    return _mesh(at, cfg, shape, bound)


@spawner
def spawn_mesh_cuboid(at: SpawnPoint, cfg: MeshCuboidCfg) -> Usd.Prim:
    """Spawn a box as a mesh; see `spawn_mesh_sphere`."""
    positive(cfg, "size", count=3)
    shape = primitives.cuboid(np.asarray(cfg.size, dtype=np.float64))
    bound = BoundingCubePropertiesCfg()
    return _mesh(at, cfg, shape, bound)


def _turned(
    at: SpawnPoint,
    cfg: MeshCylinderCfg,
    build: Callable[[float, float], tuple[np.ndarray, np.ndarray]],
) -> Usd.Prim:
    positive(cfg, "radius", "height")
    choice(f"{type(cfg).__name__}.axis", cfg.axis, primitives.TURNS)
    points, faces = build(cfg.radius, cfg.height)
    shape = points[:, primitives.TURNS[cfg.axis]], faces
    hull = ConvexHullPropertiesCfg()
    return _mesh(at, cfg, shape, hull)


@spawner
def spawn_mesh_cylinder(at: SpawnPoint, cfg: MeshCylinderCfg) -> Usd.Prim:
    """Spawn a cylinder as a mesh; see `spawn_mesh_sphere`."""
    return _turned(at, cfg, primitives.cylinder)


@spawner
def spawn_mesh_capsule(at: SpawnPoint, cfg: MeshCapsuleCfg) -> Usd.Prim:
    """Spawn a capsule as a mesh; see `spawn_mesh_sphere`."""
    return _turned(at, cfg, primitives.capsule)


@spawner
def spawn_mesh_cone(at: SpawnPoint, cfg: MeshConeCfg) -> Usd.Prim:
    """Spawn a cone as a mesh; see `spawn_mesh_sphere`."""
    return _turned(at, cfg, primitives.cone)


@spawner
def spawn_mesh_square(at: SpawnPoint, cfg: MeshSquareCfg) -> Usd.Prim:
    """Spawn a flat grid, such as a cloth; see `spawn_mesh_sphere`."""
    positive(cfg, "size", "resolution", count=2)
    nx, ny = cfg.resolution
    shape = primitives.square(np.asarray(cfg.size, dtype=np.float64), (nx, ny))
    hull = ConvexHullPropertiesCfg()
    return _mesh(at, cfg, shape, hull)


@dataclass(kw_only=True)
class MeshCfg(ShapeCfg):
    """A mesh, rigid or deformable."""

    deformable_props: DeformableBodyBaseCfg | None = None
    """Deformable body properties; None: it does not deform."""


@dataclass(kw_only=True)
class MeshSphereCfg(MeshCfg):
    """A sphere."""

    func: Callable[..., Usd.Prim] = spawn_mesh_sphere
    radius: float
    """Radius, in stage units."""


@dataclass(kw_only=True)
class MeshCuboidCfg(MeshCfg):
    """A box."""

    func: Callable[..., Usd.Prim] = spawn_mesh_cuboid
    size: Sequence[float]
    """Lengths of its sides, in stage units, shape (3,)."""


@dataclass(kw_only=True)
class MeshCylinderCfg(MeshCfg):
    """A cylinder."""

    func: Callable[..., Usd.Prim] = spawn_mesh_cylinder
    radius: float
    """Radius, in stage units."""
    height: float
    """Length, in stage units, without the caps of a capsule."""
    axis: str = "Z"
    """Axis of the shape."""


@dataclass(kw_only=True)
class MeshCapsuleCfg(MeshCylinderCfg):
    """A capsule."""

    func: Callable[..., Usd.Prim] = spawn_mesh_capsule


@dataclass(kw_only=True)
class MeshConeCfg(MeshCylinderCfg):
    """A cone."""

    func: Callable[..., Usd.Prim] = spawn_mesh_cone


@dataclass(kw_only=True)
class MeshSquareCfg(MeshCfg):
    """A flat grid; deformable, it is a cloth."""

    func: Callable[..., Usd.Prim] = spawn_mesh_square
    size: Sequence[float]
    """Lengths of its sides, in stage units, shape (2,)."""
    resolution: Sequence[int] = (10, 10)
    """Cells along x and y."""
