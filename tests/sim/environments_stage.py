"""Small stages with environments."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.math.rotations import quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.spawners import clone_environments
from usdsim.usd import create_stage, define_prim, set_local_pose

ENV = "/World/envs/env_0"


def shape(stage, path, pos=(0, 0, 0), size=0.1, body=True, mass=None, kind="Cube"):
    """A cube of edge 2 `size`, or a sphere of radius `size`, that collides."""
    prim = define_prim(stage, path, kind)
    if kind == "Cube":
        UsdGeom.Cube(prim).CreateSizeAttr(2.0 * size)
    else:
        UsdGeom.Sphere(prim).CreateRadiusAttr(size)
    set_local_pose(prim, Pose(np.array(pos, float)))
    UsdPhysics.CollisionAPI.Apply(prim)
    if body:
        UsdPhysics.RigidBodyAPI.Apply(prim)
    if mass is not None:
        UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(mass)
    return prim


def arm(stage, root, fixed_at=None):
    """A base fixed to the world and a link that turns about y, with a drive and limits."""
    define_prim(stage, root, "Xform")
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(root))
    base = shape(stage, f"{root}/base", (1.0, 0.0, 0.5), 0.1, mass=2.0)
    link = shape(stage, f"{root}/link", (1.0, 0.0, 1.0), 0.05, mass=1.0)
    fixed = UsdPhysics.FixedJoint.Define(stage, f"{root}/fixed")
    fixed.CreateBody1Rel().SetTargets([base.GetPath()])
    if fixed_at is None:
        fixed_at = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(base))[3, :3]
    fixed.CreateLocalPos0Attr(Gf.Vec3f(*map(float, fixed_at)))
    hinge = UsdPhysics.RevoluteJoint.Define(stage, f"{root}/hinge")
    hinge.CreateBody0Rel().SetTargets([base.GetPath()])
    hinge.CreateBody1Rel().SetTargets([link.GetPath()])
    hinge.CreateAxisAttr("Y")
    hinge.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, 0.25))
    hinge.CreateLocalPos1Attr(Gf.Vec3f(0.0, 0.0, -0.25))
    hinge.CreateLowerLimitAttr(-90.0)
    hinge.CreateUpperLimitAttr(90.0)
    drive = UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular")
    drive.CreateStiffnessAttr(1.0)
    drive.CreateDampingAttr(0.1)


def environments(count=3, *, origins=None, turn=0.0, up_axis="Z", unit=1.0, **clone):
    """Cloned environments with a free ball, a static shelf, a moved tray and a fixed arm.

    All numbers of content are in stage units; environments turn about the up axis by multiples of
    `turn`.
    """
    stage = create_stage(up_axis=up_axis, meters_per_unit=unit)
    define_prim(stage, "/World", "Xform")
    define_prim(stage, "/World/envs", "Scope")
    define_prim(stage, ENV, "Xform")
    shape(stage, f"{ENV}/ball", (0.0, 0.0, 2.0), kind="Sphere", mass=1.0)
    shape(stage, f"{ENV}/shelf", (0.0, 0.0, 1.0), 0.2, body=False)
    tray = shape(stage, f"{ENV}/tray", (-1.0, 0.0, 1.0), 0.1)
    UsdPhysics.RigidBodyAPI(tray).CreateKinematicEnabledAttr(True)
    arm(stage, f"{ENV}/arm")
    floor = shape(stage, "/World/floor", (0.0, 0.0, -5.0), 0.5, body=False)
    assert floor
    if origins is None:
        origins = [[4.0 * i + 1.0, -2.0 * i, 0.5 * i] for i in range(count)]
    paths = clone_environments(ENV, count, origins=origins, stage=stage, **clone)
    axis = np.array([0.0, 1.0, 0.0] if up_axis == "Y" else [0.0, 0.0, 1.0])
    for i, path in enumerate(paths):
        if turn:
            pose = Pose(np.array(origins[i], float), quat_from_axis_angle(axis, turn * i))
            set_local_pose(stage.GetPrimAtPath(path), pose)
    return stage


def author(stage, path, name, kind, value):
    """Author an attribute as an opinion over whatever is composed there."""
    spec = Sdf.CreatePrimInLayer(stage.GetRootLayer(), path)
    found = spec.attributes.get(name)
    (found or Sdf.AttributeSpec(spec, name, kind)).default = value


def world_position(stage: Usd.Stage, path: str):
    """Position of a prim [stage units]."""
    return np.array(UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath(path)))[3, :3]
