"""Small stages that sensors measure."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from usdsim.math.rotations import quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.sensors import CameraCfg
from usdsim.spawners import PinholeCameraCfg
from usdsim.usd import create_stage, define_prim, set_local_pose

ENV = "/World/envs/env_0"
ANY = "{ENV_REGEX_NS}"
G = 9.81
SPACING = 3.0
"""Distance of environments along x [m]."""


def turned(pos=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), angle=0.0) -> Pose:
    return Pose(np.array(pos, float), quat_from_axis_angle(np.array(axis, float), angle))


def box(stage: Usd.Stage, path: str, pos=(0, 0, 0), half=0.1, mass=1.0, body=True, pose=None):
    """A cube that collides; a rigid body or static."""
    prim = define_prim(stage, path, "Cube")
    UsdGeom.Cube(prim).CreateSizeAttr(2.0 * half)
    set_local_pose(prim, pose or Pose(np.array(pos, float)))
    UsdPhysics.CollisionAPI.Apply(prim)
    if body:
        UsdPhysics.RigidBodyAPI.Apply(prim)
        UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(mass)
    return prim


def row_of_boxes(count: int, spacing: float = 4.0) -> Usd.Stage:
    """Environments on a row along y, each with a red box that is free."""
    stage = create_stage()
    UsdPhysics.Scene.Define(stage, "/physicsScene")
    for index in range(count):
        env = UsdGeom.Xform.Define(stage, f"/World/envs/env_{index}")
        env.AddTranslateOp().Set(Gf.Vec3d(0.0, spacing * index, 0.0))
        prim = UsdGeom.Cube.Define(stage, f"{env.GetPath()}/box")
        prim.CreateSizeAttr(0.4)
        prim.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, 1.0))
        prim.CreateDisplayColorAttr([(0.9, 0.05, 0.05)])
        UsdPhysics.RigidBodyAPI.Apply(prim.GetPrim())
        UsdPhysics.CollisionAPI.Apply(prim.GetPrim())
    return stage


def floor(stage: Usd.Stage, path="/World/floor", height=0.0):
    prim = define_prim(stage, path, "Plane")
    set_local_pose(prim, Pose(np.array([0.0, 0.0, height])))
    UsdPhysics.CollisionAPI.Apply(prim)
    return prim


def frame(stage: Usd.Stage, path: str, pose: Pose):
    """A prim that is nothing but a frame."""
    prim = define_prim(stage, path, "Xform")
    set_local_pose(prim, pose)
    return prim


def tower(stage):
    """A box of 2 kg on one of 1 kg on the floor, at rest, and a third one in the air."""
    floor(stage)
    box(stage, f"{ENV}/lower", (0, 0, 0.1), mass=1.0)
    box(stage, f"{ENV}/upper", (0, 0, 0.3), mass=2.0)
    box(stage, f"{ENV}/bird", (0, 1.0, 5.0), mass=1.0)


def block_on_ramp(stage, angle: float):
    """A cube of 1 kg on a ramp that is steep enough to need friction."""
    ramp = turned((0, 0, 0), (0, 1, 0), angle)
    box(stage, f"{ENV}/ramp", half=1.0, body=False, pose=ramp)
    block = turned(ramp.apply([0, 0, 1.1]), (0, 1, 0), angle)
    box(stage, f"{ENV}/block", half=0.1, mass=1.0, pose=block)


def pendulum(stage: Usd.Stage, root: str, length=0.5, mass=2.0):
    """A fixed post and a rod without collider that turns about y; its mass is at the far end."""
    define_prim(stage, root, "Xform")
    for name in ("post", "rod"):
        prim = define_prim(stage, f"{root}/{name}", "Xform")
        UsdPhysics.RigidBodyAPI.Apply(prim)
        api = UsdPhysics.MassAPI.Apply(prim)
        api.CreateMassAttr(mass)
        api.CreateDiagonalInertiaAttr(Gf.Vec3f(1e-4))
        if name == "rod":
            api.CreateCenterOfMassAttr(Gf.Vec3f(0.0, 0.0, -length))
        set_local_pose(prim, Pose(np.array([0.0, 0.0, 2.0])))
    fixed = UsdPhysics.FixedJoint.Define(stage, f"{root}/fixed")
    fixed.CreateBody1Rel().SetTargets([f"{root}/post"])
    fixed.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, 2.0))
    hinge = UsdPhysics.RevoluteJoint.Define(stage, f"{root}/hinge")
    hinge.CreateBody0Rel().SetTargets([f"{root}/post"])
    hinge.CreateBody1Rel().SetTargets([f"{root}/rod"])
    hinge.CreateAxisAttr("Y")
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(root))


def camera_at_box(size: tuple[int, int], *types: str, **options) -> CameraCfg:
    """A camera in each environment of `row_of_boxes`, 2 m from the box along x."""
    values = {
        "prim_path": "/World/envs/env_.*/eye",
        "width": size[0],
        "height": size[1],
        "data_types": list(types),
        "spawn": PinholeCameraCfg(clipping_range=(0.01, 100.0)),
        "offset": CameraCfg.OffsetCfg(
            pos=(2.0, 0.0, 1.0), rot=(0.0, 0.0, 1.0, 0.0), convention="world"
        ),
    }
    return CameraCfg(**{**values, **options})


def vectors(array) -> np.ndarray:
    """A copy of a Warp array in NumPy."""
    return array.numpy().copy()
