"""A robot in a file, and stages of empty environments."""

from __future__ import annotations

from pxr import Usd, UsdGeom, UsdPhysics

from usdsim import schemas
from usdsim.usd.schemas import apply_api
from usdsim.usd.stage import create_stage

__all__ = ["environments", "robot_file"]


def robot_file(folder) -> str:
    """A two-link robot with a tendon and a variant set, as a file."""
    path = str(folder / "robot.usda")
    stage = create_stage(path)
    root = UsdGeom.Xform.Define(stage, "/robot").GetPrim()
    stage.SetDefaultPrim(root)
    UsdPhysics.ArticulationRootAPI.Apply(root)
    for i in range(2):
        link = f"/robot/link_{i}"
        UsdGeom.Xform.Define(stage, link)
        schemas.define_rigid_body_properties(link, schemas.RigidBodyBaseCfg(), stage)
        schemas.define_mass_properties(link, schemas.MassPropertiesCfg(mass=1.0), stage)
        UsdGeom.Sphere.Define(stage, f"{link}/ball")
        schemas.define_collision_properties(f"{link}/ball", schemas.CollisionBaseCfg(), stage)
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/robot/joint")
    joint.CreateBody0Rel().SetTargets(["/robot/link_0"])
    joint.CreateBody1Rel().SetTargets(["/robot/link_1"])
    apply_api(joint.GetPrim(), "PhysxTendonAxisRootAPI", "t")
    variants = root.GetVariantSets().AddVariantSet("tool")
    for name in ("hand", "none"):
        variants.AddVariant(name)
    variants.SetVariantSelection("hand")
    with variants.GetVariantEditContext():
        UsdGeom.Xform.Define(stage, "/robot/hand")
    variants.SetVariantSelection("none")
    stage.Save()
    return path


def environments(count: int) -> Usd.Stage:
    stage = create_stage()
    for i in range(count):
        UsdGeom.Xform.Define(stage, f"/World/envs/env_{i}")
    return stage
