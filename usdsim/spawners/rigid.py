"""Rigid properties of spawned objects: colliders, bodies, materials."""

from __future__ import annotations

from typing import Any

from pxr import Usd

from usdsim.schemas import (
    define_collision_properties,
    define_mass_properties,
    define_rigid_body_properties,
)

from .bind import bind_physics_material, bind_visual_material
from .cfg import RigidObjectSpawnerCfg

__all__ = ["add_materials", "add_rigid_body", "material_path"]


def material_path(below: str, path: str) -> str:
    """Path of a material: an absolute path as it is, others below a prim."""
    return path if path.startswith("/") else f"{below}/{path}"


def add_materials(stage: Usd.Stage, geometry: str, gprim: str, cfg: Any) -> None:
    """Spawn and bind the display and the physics material of a shape.

    Args:
        stage: the stage.
        geometry: prim that relative material paths are below.
        gprim: the shape.
        cfg: configuration with ``visual_material`` and ``physics_material``.
    """
    for kind, bind in (("visual", bind_visual_material), ("physics", bind_physics_material)):
        material = getattr(cfg, f"{kind}_material")
        if material is None:
            continue
        path = material_path(geometry, getattr(cfg, f"{kind}_material_path"))
        if kind == "physics" or not stage.GetPrimAtPath(path):
            material.func(path, material, stage=stage)
        bind(gprim, path, stage)


def add_rigid_body(stage: Usd.Stage, path: str, gprim: str, cfg: RigidObjectSpawnerCfg) -> None:
    """Make a shape a collider and its root a rigid body, as far as the configuration says."""
    if cfg.collision_props is not None:
        define_collision_properties(gprim, cfg.collision_props, stage)
    if cfg.mass_props is not None:
        define_mass_properties(path, cfg.mass_props, stage)
    if cfg.rigid_props is not None:
        define_rigid_body_properties(path, cfg.rigid_props, stage)
