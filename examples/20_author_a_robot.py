"""Author a robot.

A gripper from nothing: a palm on a slide, two fingers on joints with limits, drives for the lift
and for one finger, a mimic that makes the other its mirror, and a tendon from lift to finger, which
opens the gripper the further it is raised. Configurations are in SI; the validation rules check
what they write, and where everything comes to rest is compared with the balance of forces.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim import schemas
from usdsim.sim import Recorder
from usdsim.usd import create_stage
from usdsim.usd.schemas import apply_api

OUT = Path("out/examples")
GRIPPER = OUT / "gripper.usda"
TARGETS = {"lift": 0.1, "close_left": 0.03}  # where the drives pull [m]
STIFFNESS = 900.0  # of the drives [N/m]
CORD = 100.0  # of the tendon [N/m]
GEARING = {"lift": 0.25, "close_left": 0.5}  # length of tendon per motion


def add_link(stage: Usd.Stage, name: str, at: Gf.Vec3d, size: Gf.Vec3f) -> str:
    """A box that moves."""
    path = f"/gripper/{name}"
    UsdGeom.Xform.Define(stage, path).AddTranslateOp().Set(at)
    box = UsdGeom.Cube.Define(stage, f"{path}/box")
    box.CreateSizeAttr(1.0)
    box.AddScaleOp().Set(size)
    schemas.define_rigid_body_properties(path, schemas.RigidBodyBaseCfg(), stage)
    schemas.define_mass_properties(path, schemas.MassPropertiesCfg(density=500.0), stage)
    schemas.define_collision_properties(f"{path}/box", schemas.CollisionBaseCfg(), stage)
    return path


def add_slide(stage: Usd.Stage, name: str, axis: str, bodies: tuple[str, str], at: Gf.Vec3f) -> str:
    """A prismatic joint between the origin of the second body and a point of the first."""
    path = f"/gripper/{name}"
    joint = UsdPhysics.PrismaticJoint.Define(stage, path)
    joint.CreateAxisAttr(axis)
    if bodies[0]:  # no first body: the world
        joint.CreateBody0Rel().SetTargets([bodies[0]])
    joint.CreateBody1Rel().SetTargets([bodies[1]])
    joint.CreateLocalPos0Attr(at)
    return path


def author() -> Usd.Stage:
    """The gripper, closing along x."""
    stage = create_stage(GRIPPER)
    UsdPhysics.Scene.Define(stage, "/physics")
    root = UsdGeom.Xform.Define(stage, "/gripper").GetPrim()
    stage.SetDefaultPrim(root)
    schemas.define_articulation_root_properties(
        "/gripper", schemas.ArticulationRootBaseCfg(), stage
    )

    palm = add_link(stage, "palm", Gf.Vec3d(0, 0, 0.5), Gf.Vec3f(0.24, 0.06, 0.04))
    left = add_link(stage, "left", Gf.Vec3d(-0.08, 0, 0.42), Gf.Vec3f(0.02, 0.04, 0.1))
    right = add_link(stage, "right", Gf.Vec3d(0.08, 0, 0.42), Gf.Vec3f(0.02, 0.04, 0.1))

    add_slide(stage, "lift", "Z", ("", palm), Gf.Vec3f(0, 0, 0.5))
    add_slide(stage, "close_left", "X", (palm, left), Gf.Vec3f(-0.08, 0, -0.08))
    add_slide(stage, "close_right", "X", (palm, right), Gf.Vec3f(0.08, 0, -0.08))
    for name, reach in (("lift", 0.2), ("close_left", 0.05), ("close_right", 0.05)):
        limits = schemas.JointPropertiesCfg(lower_limit=-reach, upper_limit=reach, armature=0.05)
        schemas.modify_joint_properties(f"/gripper/{name}", limits, stage)
    for name, target in TARGETS.items():
        drive = schemas.JointDriveBaseCfg(
            stiffness=STIFFNESS, damping=60.0, max_force=80.0, target_position=target,
            ensure_drives_exist=True,
        )  # fmt: skip
        schemas.modify_joint_drive_properties(f"/gripper/{name}", drive, stage)

    mirror = schemas.MimicJointPropertiesCfg(reference_joint="/gripper/close_left", gearing=-1.0)
    schemas.define_mimic_joint_properties("/gripper/close_right", mirror, stage)

    # A tendon runs from joint to joint along the bodies; its length is a weighted sum of positions.
    apply_api(stage.GetPrimAtPath("/gripper/lift"), "PhysxTendonAxisRootAPI", "cord")
    apply_api(stage.GetPrimAtPath("/gripper/close_left"), "PhysxTendonAxisAPI", "cord")
    for name, gearing in GEARING.items():
        part = schemas.PhysxTendonAxisCfg(
            instance_names="cord", gearing=[gearing], force_coefficient=[gearing]
        )
        schemas.modify_tendon_axis_properties(f"/gripper/{name}", part, stage)
    cord = schemas.PhysxFixedTendonPropertiesCfg(
        instance_names="cord", stiffness=CORD, damping=1.0, rest_length=0.0
    )
    schemas.modify_fixed_tendon_properties("/gripper/lift", cord, stage)
    return stage


def balance(weight: float) -> np.ndarray:
    """Positions of lift and finger where drives, tendon and weight are in balance [m]."""
    gearing, targets = np.array([*GEARING.values()]), np.array([*TARGETS.values()])
    stiffness = STIFFNESS * np.eye(2) + CORD * np.outer(gearing, gearing)
    return np.linalg.solve(stiffness, STIFFNESS * targets - [weight, 0.0])


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    stage = author()
    stage.Save()
    print(f"{len(schemas.validate_stage(stage))} findings of the validation rules")

    model = usdsim.load_model(GRIPPER)
    data = usdsim.SceneData(model)
    with Recorder(model.stage, model.description, OUT / "gripper_closes.usd") as recorder:
        while data.time < 2.0:
            recorder.record(data.time, model.get_link_poses(data))
            model.step(data)
    weight = 9.81 * sum(link.mass for link in model.links)
    for name, expected in zip(TARGETS, balance(weight), strict=True):
        found = float(model.get_joint(name).get_dof_pos(data)[0])
        print(f"{name} rests at {1e3 * found:.2f} mm; forces balance at {1e3 * expected:.2f} mm")
    mirrored = float(model.get_joint("close_right").get_dof_pos(data)[0])
    print(f"close_right mirrors it at {1e3 * mirrored:.2f} mm")
    print(f"authored {GRIPPER}, recorded {OUT / 'gripper_closes.usd'}")


if __name__ == "__main__":
    main()
