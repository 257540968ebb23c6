"""Ground plane, built in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pxr import Usd

from usdsim.schemas import CollisionBaseCfg, define_collision_properties
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim

from .bind import bind_physics_material
from .cfg import SpawnerCfg
from .materials import PhysicsMaterialCfg, RigidBodyMaterialCfg
from .shapes import positive
from .spawner import SpawnPoint, spawner

__all__ = ["GroundPlaneCfg", "spawn_ground_plane"]


@spawner
def spawn_ground_plane(at: SpawnPoint, cfg: GroundPlaneCfg) -> Usd.Prim:
    """Spawn a ground plane: infinite for physics, of the given size for the eye.

    The collider is ``{prim_path}/GroundPlane/CollisionPlane``, as in Isaac Lab. The translation is
    that of a point of the plane; without an orientation it is level, with z up.
    """
    positive(cfg, "size", count=2)
    root = at.define()
    path = f"{at.path}/GroundPlane/CollisionPlane"
    plane = define_prim(at.stage, path, "Plane")
    half = [0.5 * float(cfg.size[0]), 0.5 * float(cfg.size[1]), 0.0]
    author(plane, "axis", "token", "Z", uniform=True)
    author(plane, "width", "double", float(cfg.size[0]))
    author(plane, "length", "double", float(cfg.size[1]))
    author(plane, "extent", "float3[]", [[-v for v in half], half])
    if cfg.color is not None:
        author(plane, "primvars:displayColor", "color3f[]", [list(cfg.color)])
    define_collision_properties(path, cfg.collision_props or CollisionBaseCfg(), at.stage)
    if cfg.physics_material is not None:
        material = f"{at.path}/physicsMaterial"
        cfg.physics_material.func(material, cfg.physics_material, stage=at.stage)
        bind_physics_material(path, material, at.stage)
    return root


@dataclass(kw_only=True)
class GroundPlaneCfg(SpawnerCfg):
    """A ground plane."""

    func: Callable[..., Usd.Prim] = spawn_ground_plane
    color: Sequence[float] | None = (0.0, 0.0, 0.0)
    """Linear RGB; None: the renderer's default."""
    size: Sequence[float] = (100.0, 100.0)
    """Visible lengths along x and y, in stage units."""
    physics_material: PhysicsMaterialCfg | None = field(default_factory=RigidBodyMaterialCfg)
    """Physics material; None: none."""
    collision_props: CollisionBaseCfg | None = None
    """Collider properties; the ground always collides."""
