"""PhysX as a referee: stages of ours move there as they do here, where PhysX is installed.

``pip install ovphysx`` in an environment of its own, and name its interpreter in
``USDSIM_PHYSX_PYTHON``.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade
from random_articulations import Articulations
from scipy.spatial.transform import Rotation

import usdsim

REFERENCE = Path(__file__).with_name("physx_reference.py")
SECONDS, RATE = 0.5, 240
FAR = 0.02
"""Distance [m] by which bodies may be apart after half a second."""


def box(stage: Usd.Stage, path: str, at: tuple[float, float, float], size: float = 0.2) -> Usd.Prim:
    cube = UsdGeom.Cube.Define(stage, path)
    cube.CreateSizeAttr(size)
    cube.AddTranslateOp().Set(Gf.Vec3d(*at))
    prim = cube.GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    UsdPhysics.CollisionAPI.Apply(prim)
    UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(1.0)
    return prim


def ground(stage: Usd.Stage) -> None:
    plane = UsdGeom.Plane.Define(stage, "/ground")
    plane.CreateAxisAttr("Z")
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())


def falling(stage: Usd.Stage) -> None:
    ground(stage)
    box(stage, "/box", (0.0, 0.0, 1.0))


def limited(stage: Usd.Stage) -> None:
    prim = box(stage, "/box", (0.0, 0.0, 10.0))
    prim.AddAppliedSchema("PhysxRigidBodyAPI")
    name = "physxRigidBody:maxLinearVelocity"
    prim.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(1.5)


def pendulum(stage: Usd.Stage) -> None:
    box(stage, "/bob", (0.5, 0.0, 0.0))
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateBody1Rel().SetTargets(["/bob"])
    joint.CreateAxisAttr("Y")
    joint.CreateLocalPos1Attr(Gf.Vec3f(-0.5, 0.0, 0.0))


def driven(stage: Usd.Stage) -> None:
    box(stage, "/cart", (0.0, 0.0, 0.0))
    joint = UsdPhysics.PrismaticJoint.Define(stage, "/rail")
    joint.CreateBody1Rel().SetTargets(["/cart"])
    joint.CreateAxisAttr("X")
    drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "linear")
    drive.CreateStiffnessAttr(40.0)
    drive.CreateDampingAttr(8.0)
    drive.CreateTargetPositionAttr(0.3)


def saturated(stage: Usd.Stage) -> None:
    """A drive that is stiff for the time step, and has to turn a light arm with what it may."""
    prim = box(stage, "/arm", (0.5, 0.0, 0.0))
    UsdPhysics.MassAPI(prim).CreateMassAttr(0.05)
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateBody1Rel().SetTargets(["/arm"])
    joint.CreateAxisAttr("Z")
    joint.CreateLocalPos1Attr(Gf.Vec3f(-0.5, 0.0, 0.0))
    drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
    for name, value in (("Stiffness", 400.0), ("Damping", 40.0)):
        getattr(drive, f"Create{name}Attr")(float(np.radians(value)))
    drive.CreateMaxForceAttr(25.0)
    drive.CreateTargetPositionAttr(90.0)


def resting(stage: Usd.Stage) -> None:
    ground(stage)
    for number in range(3):
        box(stage, f"/box_{number}", (0.0, 0.0, 0.1 + 0.2 * number))


def sticking(stage: Usd.Stage) -> None:
    """Boxes with static friction 0.9 over 0.1, as on a slope: one rests, one slides down."""
    ground(stage)
    slope = np.radians(20.0)
    UsdPhysics.Scene(stage.GetPrimAtPath("/scene")).CreateGravityDirectionAttr(
        Gf.Vec3f(float(np.sin(slope)), 0.0, -float(np.cos(slope)))
    )
    material = UsdShade.Material.Define(stage, "/rubber")
    surface = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    surface.CreateStaticFrictionAttr(0.9)
    surface.CreateDynamicFrictionAttr(0.1)
    for number, speed in enumerate((0.0, 1.0)):
        prim = box(stage, f"/box_{number}", (0.0, float(number), 0.1))
        UsdPhysics.RigidBodyAPI(prim).CreateVelocityAttr(Gf.Vec3f(speed, 0.0, 0.0))
    for path in ("/ground", "/box_0", "/box_1"):
        binding = UsdShade.MaterialBindingAPI.Apply(stage.GetPrimAtPath(path))
        binding.Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")


def outside(stage: Usd.Stage) -> None:
    """A slide of two free boxes that starts half a metre beyond its upper limit."""
    UsdPhysics.Scene(stage.GetPrimAtPath("/scene")).CreateGravityMagnitudeAttr(0.0)
    box(stage, "/box_0", (0.0, 0.0, 0.0))
    UsdPhysics.MassAPI(box(stage, "/box_1", (0.0, 0.0, 2.0))).CreateMassAttr(3.0)
    joint = UsdPhysics.PrismaticJoint.Define(stage, "/slide")
    joint.CreateBody0Rel().SetTargets(["/box_0"])
    joint.CreateBody1Rel().SetTargets(["/box_1"])
    joint.CreateAxisAttr("Z")
    joint.CreateLowerLimitAttr(0.0)
    joint.CreateUpperLimitAttr(1.5)


def leaning(stage: Usd.Stage) -> None:
    """Rods of ball joints with two cone angles, turned so that each direction is down once."""
    scene = UsdPhysics.Scene(stage.GetPrimAtPath("/scene"))
    scene.CreateGravityMagnitudeAttr(2.0)
    for number, angle in enumerate((0.0, 90.0)):
        box(stage, f"/rod_{number}", (0.5, 2.0 * number, 0.0))
        joint = UsdPhysics.SphericalJoint.Define(stage, f"/ball_{number}")
        joint.CreateBody1Rel().SetTargets([f"/rod_{number}"])
        joint.CreateAxisAttr("X")
        joint.CreateConeAngle0LimitAttr(8.0)
        joint.CreateConeAngle1LimitAttr(4.0)
        turn = Gf.Quatf(Gf.Rotation(Gf.Vec3d(1, 0, 0), angle).GetQuat())
        joint.CreateLocalPos0Attr(Gf.Vec3f(0.0, 2.0 * number, 0.0))
        joint.CreateLocalPos1Attr(Gf.Vec3f(-0.5, 0.0, 0.0))
        joint.CreateLocalRot0Attr(turn)
        joint.CreateLocalRot1Attr(turn)


def owned(stage: Usd.Stage) -> None:
    """Boxes of two scenes in one place, over a floor of the first and one of both."""
    other = UsdPhysics.Scene.Define(stage, "/other")
    other.CreateGravityMagnitudeAttr(3.0)
    for number, (height, owners) in enumerate(((-0.1, ["/scene"]), (-0.4, ["/scene", "/other"]))):
        floor = UsdGeom.Cube.Define(stage, f"/floor_{number}")
        floor.CreateSizeAttr(0.2)
        floor.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, height))
        collision = UsdPhysics.CollisionAPI.Apply(floor.GetPrim())
        collision.CreateSimulationOwnerRel().SetTargets(owners)
    for number, owner in enumerate(("/scene", "/other")):
        prim = box(stage, f"/box_{number}", (0.0, 0.0, 0.1))
        UsdPhysics.RigidBodyAPI(prim).CreateSimulationOwnerRel().SetTargets([owner])
        UsdPhysics.CollisionAPI(prim).CreateSimulationOwnerRel().SetTargets([owner])


def locked(stage: Usd.Stage) -> None:
    """Boxes with masks of locked axes, one of which is the root of jointed bodies."""
    masks = ((4, 0), (0, 7), (2, 5), (0, 3), (7, 7))
    for number, (along, about) in enumerate(masks):
        prim = box(stage, f"/box_{number}", (2.0 * number, 0.0, 0.0))
        prim.AddAppliedSchema("PhysxRigidBodyAPI")
        for name, mask in (("Pos", along), ("Rot", about)):
            name = f"physxRigidBody:locked{name}Axis"
            prim.CreateAttribute(name, Sdf.ValueTypeNames.Int, False).Set(mask)
        UsdPhysics.RigidBodyAPI(prim).CreateVelocityAttr(Gf.Vec3f(0.5, 1.0, 1.5))
        UsdPhysics.RigidBodyAPI(prim).CreateAngularVelocityAttr(Gf.Vec3f(30.0, 60.0, 90.0))
    box(stage, "/arm", (8.5, 0.0, 0.0))
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateAxisAttr("Y")
    joint.CreateBody0Rel().SetTargets(["/box_4"])
    joint.CreateBody1Rel().SetTargets(["/arm"])
    joint.CreateLocalPos1Attr(Gf.Vec3f(-0.5, 0.0, 0.0))


def posted(stage: Usd.Stage) -> None:
    """An arm that swings on a post, in which it sticks."""
    post = UsdGeom.Cube.Define(stage, "/post")
    post.CreateSizeAttr(0.2)
    UsdPhysics.CollisionAPI.Apply(post.GetPrim())
    box(stage, "/arm", (0.15, 0.0, 0.0))
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateAxisAttr("Y")
    joint.CreateBody0Rel().SetTargets(["/post"])
    joint.CreateBody1Rel().SetTargets(["/arm"])
    joint.CreateLocalPos1Attr(Gf.Vec3f(-0.15, 0.0, 0.0))


def bent(stage: Usd.Stage) -> None:
    """An arm on a limit that is a spring."""
    box(stage, "/arm", (0.3, 0.0, 0.0))
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateAxisAttr("Y")
    joint.CreateBody1Rel().SetTargets(["/arm"])
    joint.CreateLocalPos1Attr(Gf.Vec3f(-0.3, 0.0, 0.0))
    joint.CreateLowerLimitAttr(-20.0)
    joint.CreateUpperLimitAttr(20.0)
    joint.GetPrim().AddAppliedSchema("PhysxLimitAPI:angular")
    for name, value in (("stiffness", 5.0), ("damping", 1.0)):
        name = f"physxLimit:angular:{name}"
        joint.GetPrim().CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(value)


def padded(stage: Usd.Stage) -> None:
    """Boxes with springs at their corners, as on a slope that holds them."""
    sticking(stage)
    rubber = stage.GetPrimAtPath("/rubber")
    UsdPhysics.MaterialAPI(rubber).GetDynamicFrictionAttr().Set(0.9)
    rubber.AddAppliedSchema("PhysxMaterialAPI")
    for name, value in (("Stiffness", 2e4), ("Damping", 100.0)):
        name = f"physxMaterial:compliantContact{name}"
        rubber.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(value)


def tethered(stage: Usd.Stage) -> None:
    """A joint of six axes that only keeps a distance."""
    box(stage, "/bob", (0.3, 0.0, 0.0))
    joint = UsdPhysics.Joint.Define(stage, "/tether")
    joint.CreateBody1Rel().SetTargets(["/bob"])
    UsdPhysics.LimitAPI.Apply(joint.GetPrim(), "distance").CreateHighAttr(0.5)


def spun(stage: Usd.Stage) -> None:
    """A body that spins about no axis of its own, and feels no gyroscopic torque."""
    prim = box(stage, "/top", (0.0, 0.0, 10.0))
    mass = UsdPhysics.MassAPI(prim)
    mass.CreateCenterOfMassAttr(Gf.Vec3f(0.4, 0.0, 0.0))
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(0.1, 0.2, 0.3))
    UsdPhysics.RigidBodyAPI(prim).CreateAngularVelocityAttr(Gf.Vec3f(200.0, 300.0, 100.0))
    prim.AddAppliedSchema("PhysxRigidBodyAPI")
    name = "physxRigidBody:enableGyroscopicForces"
    prim.CreateAttribute(name, Sdf.ValueTypeNames.Bool, False).Set(False)


def enveloped(stage: Usd.Stage) -> None:
    """A drive of an articulation whose force falls with speed: elsewhere PhysX has no envelopes."""
    for name, at in (("base", 0.0), ("arm", 0.5)):
        box(stage, f"/{name}", (at, 0.0, 0.0))
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/base"))
    fixed = UsdPhysics.FixedJoint.Define(stage, "/fixed")
    fixed.CreateBody1Rel().SetTargets(["/base"])
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateBody0Rel().SetTargets(["/base"])
    joint.CreateBody1Rel().SetTargets(["/arm"])
    joint.CreateLocalPos1Attr(Gf.Vec3f(-0.5, 0.0, 0.0))
    joint.CreateAxisAttr("Z")
    drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
    drive.CreateDampingAttr(10.0)
    drive.CreateTargetVelocityAttr(1000.0)
    drive.CreateMaxForceAttr(3.0)
    joint.GetPrim().AddAppliedSchema("PhysxDrivePerformanceEnvelopeAPI:angular")
    values = {"maxActuatorVelocity": 300.0, "speedEffortGradient": 40.0}
    values["velocityDependentResistance"] = 0.005
    for name, value in values.items():
        name = f"physxDrivePerformanceEnvelope:angular:{name}"
        joint.GetPrim().CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(value)


def slowed(stage: Usd.Stage) -> None:
    """Two links on a base, of which the outer one would fall faster than it may.

    What keeps it from that depends on the time step.
    """
    settings = stage.GetPrimAtPath("/scene")
    settings.AddAppliedSchema("PhysxSceneAPI")
    name, kind = "physxScene:timeStepsPerSecond", Sdf.ValueTypeNames.UInt
    settings.CreateAttribute(name, kind, False).Set(RATE)
    for number in range(3):
        box(stage, f"/link_{number}", (0.5 * number, 0.0, 0.0))
    base = UsdPhysics.FixedJoint.Define(stage, "/base")
    base.CreateBody1Rel().SetTargets(["/link_0"])
    UsdPhysics.ArticulationRootAPI.Apply(base.GetPrim())
    for number in range(2):
        joint = UsdPhysics.RevoluteJoint.Define(stage, f"/hinge_{number}")
        joint.CreateBody0Rel().SetTargets([f"/link_{number}"])
        joint.CreateBody1Rel().SetTargets([f"/link_{number + 1}"])
        joint.CreateAxisAttr("Y")
        joint.CreateLocalPos0Attr(Gf.Vec3f(0.25, 0.0, 0.0))
        joint.CreateLocalPos1Attr(Gf.Vec3f(-0.25, 0.0, 0.0))
    prim = stage.GetPrimAtPath("/link_2")
    prim.AddAppliedSchema("PhysxRigidBodyAPI")
    for name, value in (("maxLinearVelocity", 2.5), ("maxAngularVelocity", 120.0)):
        name = f"physxRigidBody:{name}"
        prim.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(value)


FILLS = (
    falling, limited, slowed, pendulum, driven, saturated, resting, sticking, outside, leaning,
    owned, locked, posted, bent, padded, tethered, spun,
    enveloped,
)  # fmt: skip


def poses_in_physx(file: Path, rate: int) -> dict[str, list[float]]:
    """Poses of bodies after `SECONDS`, by path: position [m], orientation (xyzw)."""
    python = os.environ.get("USDSIM_PHYSX_PYTHON")
    if not python:
        pytest.skip("no interpreter with ovphysx: name one in USDSIM_PHYSX_PYTHON")
    given = [python, str(REFERENCE), str(file), str(SECONDS), str(rate)]
    answer = subprocess.run(given, capture_output=True, text=True, timeout=300, check=True)
    found: dict[str, list[float]] = json.loads(answer.stdout.strip().splitlines()[-1])
    assert found
    return found


def new_stage(file: Path) -> Usd.Stage:
    stage = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/scene")
    return stage


@pytest.mark.nightly
@pytest.mark.parametrize("fill", FILLS)
def test_bodies_are_where_physx_has_them(fill: Callable[[Usd.Stage], None], tmp_path):
    file = tmp_path / "stage.usda"
    stage = new_stage(file)
    fill(stage)
    stage.Save()
    expected = poses_in_physx(file, RATE)
    model = usdsim.load_model(file)
    data = usdsim.SceneData(model)
    model.step_n(data, round(SECONDS / model.options.timestep))
    for link in model.links:
        apart = np.linalg.norm(np.ravel(link.get_pose(data))[:3] - expected[link.path][:3])
        assert apart < FAR, link.path


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(8))
def test_random_articulations_move_as_in_physx(seed, tmp_path):
    file, rate = tmp_path / "stage.usda", 1000
    stage = new_stage(file)
    writer = Articulations(stage, seed)
    for number in range(16):
        writer.add(f"/robot_{number}", np.array([4.0 * (number % 4), 4.0 * (number // 4), 0.0]))
    stage.Save()
    expected = poses_in_physx(file, rate)
    model = usdsim.load_model(file)
    model.options.timestep = 1.0 / rate
    data = usdsim.SceneData(model)
    starts = {link.path: np.ravel(link.get_pose(data)) for link in model.links}
    model.step_n(data, round(SECONDS * rate))
    for link in model.links:
        pose, there = np.ravel(link.get_pose(data)), np.array(expected[link.path])
        moved, apart = (pose_distance(pose, other) for other in (starts[link.path], there))
        assert (apart < 0.05 * moved + np.array([0.005, 0.02])).all(), link.path


def pose_distance(pose: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Distance [m] and angle [rad] between two poses."""
    turn = Rotation.from_quat(pose[3:]).inv() * Rotation.from_quat(other[3:])
    return np.array([np.linalg.norm(pose[:3] - other[:3]), turn.magnitude()])
