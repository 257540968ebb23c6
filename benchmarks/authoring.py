"""Writing physics onto prims, and cloning environments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim import schemas
from usdsim.spawners import clone_environments
from usdsim.usd import create_stage

from .measure import Contender, alternate, median_time
from .registry import Row, Settings, benchmark

__all__ = ["authoring", "cloning"]

_LINKS = 13
_BODY = schemas.PhysxRigidBodyPropertiesCfg(
    rigid_body_enabled=True,
    disable_gravity=False,
    linear_damping=0.1,
    angular_damping=0.2,
    max_linear_velocity=10.0,
)
_COLLIDER = schemas.PhysxCollisionPropertiesCfg(
    collision_enabled=True, contact_offset=0.02, rest_offset=0.0
)
_MASS = schemas.MassPropertiesCfg(mass=1.0)


@benchmark
def authoring(settings: Settings) -> Iterator[Row]:
    """Rigid body, collision and mass on many prims, over bare pxr calls writing the same."""
    prims = 1_000 if settings.quick else 10_000
    ours, bare = _Crowd(prims, _define), _Crowd(prims, _define_bare)
    result = alternate(ours.contender, bare.contender, settings.rounds(5))
    detail = {"seconds": result.first, "bare_seconds": result.second}
    yield Row(f"{prims} prims", 1.0 / result.ratio, "x", 2.0, detail=detail)


@benchmark
def cloning(settings: Settings) -> Iterator[Row]:
    """Environments with a robot of 13 links, cloned."""
    envs = 256 if settings.quick else 4096
    kinds: dict[str, dict[str, Any]] = {
        "referenced": {},
        "instanced": {"instanceable": True},
        "copied": {"copy": True},
    }
    for kind, options in kinds.items():
        seconds = median_time(lambda options=options: _clone(envs, options), settings.rounds(3))
        yield Row(f"{envs} environments, {kind}", seconds, "s", None if kind == "copied" else 2.0)


class _Crowd:
    """A stage of bare cubes, made anew for each round outside the timed part."""

    def __init__(self, prims: int, define: Any):
        self.paths = [f"/World/cube_{i}" for i in range(prims)]
        self.define = define
        self.stage = create_stage()
        self.contender = Contender(self.restart, self.run)

    def restart(self) -> None:
        self.stage = create_stage()
        layer = self.stage.GetRootLayer()
        with Sdf.ChangeBlock():
            for path in self.paths:
                spec = Sdf.CreatePrimInLayer(layer, path)
                spec.specifier, spec.typeName = Sdf.SpecifierDef, "Cube"

    def run(self) -> None:
        for path in self.paths:
            self.define(path, self.stage)


def _define(path: str, stage: Usd.Stage) -> None:
    schemas.define_rigid_body_properties(path, _BODY, stage)
    schemas.define_collision_properties(path, _COLLIDER, stage)
    schemas.define_mass_properties(path, _MASS, stage)


def _define_bare(path: str, stage: Usd.Stage) -> None:
    prim, types = stage.GetPrimAtPath(path), Sdf.ValueTypeNames
    UsdPhysics.RigidBodyAPI.Apply(prim).CreateRigidBodyEnabledAttr(True)
    prim.AddAppliedSchema("PhysxRigidBodyAPI")
    prim.CreateAttribute("physxRigidBody:disableGravity", types.Bool, False).Set(False)
    prim.CreateAttribute("physxRigidBody:linearDamping", types.Float, False).Set(0.1)
    prim.CreateAttribute("physxRigidBody:angularDamping", types.Float, False).Set(0.2)
    prim.CreateAttribute("physxRigidBody:maxLinearVelocity", types.Float, False).Set(10.0)
    UsdPhysics.CollisionAPI.Apply(prim).CreateCollisionEnabledAttr(True)
    prim.AddAppliedSchema("PhysxCollisionAPI")
    prim.CreateAttribute("physxCollision:contactOffset", types.Float, False).Set(0.02)
    prim.CreateAttribute("physxCollision:restOffset", types.Float, False).Set(0.0)
    UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(1.0)


def _clone(envs: int, options: dict[str, Any]) -> None:
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/World/envs/env_0")
    root = "/World/envs/env_0/robot"
    UsdGeom.Xform.Define(stage, root)
    for link in range(_LINKS):
        path = f"{root}/link_{link}"
        UsdGeom.Capsule.Define(stage, path)
        _define(path, stage)
        if link:
            joint = UsdPhysics.RevoluteJoint.Define(stage, f"{root}/joint_{link}")
            joint.CreateBody0Rel().SetTargets([f"{root}/link_{link - 1}"])
            joint.CreateBody1Rel().SetTargets([path])
    clone_environments("/World/envs/env_0", envs, 2.0, stage=stage, **options)
