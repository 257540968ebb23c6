"""Locked axes of bodies against closed forms, which PhysX follows."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import ParseError
from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage

X, Y, Z, ALL = 1, 2, 4, 7
GRAVITY = 9.81
SECONDS = 0.5
NEAR = 2e-5
"""What a lock gives way [m, or rad] in that time."""


def new_stage(up="Z", gravity=GRAVITY):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/scene").CreateGravityMagnitudeAttr(gravity)
    return stage


def locked(stage, along=0, about=0, path="/body", kind="Cube", at=(0, 0, 0), turn=None, **motion):
    """A body of 2 kg with these masks; `motion` has its velocities, in m/s and rad/s."""
    prim = stage.DefinePrim(path, kind)
    xform = UsdGeom.Xformable(prim)
    xform.AddTranslateOp().Set(Gf.Vec3d(*at))
    if turn:
        xform.AddRotateXYZOp().Set(Gf.Vec3f(*turn))
    UsdPhysics.CollisionAPI.Apply(prim)
    body = UsdPhysics.RigidBodyAPI.Apply(prim)
    mass = UsdPhysics.MassAPI.Apply(prim)
    mass.CreateMassAttr(2.0)
    if "com" in motion:
        mass.CreateCenterOfMassAttr(Gf.Vec3f(*motion["com"]))
    if "linear" in motion:
        body.CreateVelocityAttr(Gf.Vec3f(*motion["linear"]))
    if "angular" in motion:
        body.CreateAngularVelocityAttr(Gf.Vec3f(*np.degrees(motion["angular"]).tolist()))
    prim.AddAppliedSchema("PhysxRigidBodyAPI")
    for name, mask in (("Pos", along), ("Rot", about)):
        name = f"physxRigidBody:locked{name}Axis"
        prim.CreateAttribute(name, Sdf.ValueTypeNames.Int, False).Set(mask)
    return prim


def moved(stage, device="cpu", seconds=SECONDS):
    """Centre of mass, rotation and both velocities of the first body after some time."""
    compiled = compile_scene(parse_stage(stage).scene)
    sim = create_engine(compiled, 1, device=device)
    sim.step(round(seconds / compiled.mj.opt.timestep))
    velocity = np.array(sim.read("cvel")[0, 1], dtype=float)
    place = np.array(sim.read("xipos")[0, 1], dtype=float)
    return place, np.array(sim.read("xmat")[0, 1], dtype=float), velocity[3:], velocity[:3]


@pytest.mark.parametrize(("up", "axis", "row"), [("Z", Z, 2), ("Y", Y, 2), ("Y", Z, 1)])
def test_what_is_locked_along_an_axis_of_the_stage_stays(device, up, axis, row):
    """Weight and a velocity of 1 m/s along all axes; in a Y-up stage, z is -y of the world."""
    stage = new_stage(up)
    locked(stage, axis, linear=(1, 1, 1))
    start = np.array([1.0, 1.0, 1.0]) if up == "Z" else np.array([1.0, -1.0, 1.0])
    place, _, velocity, _ = moved(stage, device)
    wanted = SECONDS * start - [0, 0, 0.5 * GRAVITY * SECONDS**2]
    fall = 0.003 * GRAVITY
    wanted[row] = 0.0
    assert place == pytest.approx(wanted, abs=fall)
    assert place[row] == pytest.approx(0.0, abs=NEAR)
    assert velocity[row] == pytest.approx(0.0, abs=1e-4)


def test_what_is_locked_about_two_axes_turns_about_the_third(device):
    stage = new_stage(gravity=0.0)
    locked(stage, about=X | Y, turn=(0, 0, 30), angular=(2, 3, 1))
    _, turn, _, angular = moved(stage, device)
    angle = np.radians(30.0) + SECONDS
    c, s = np.cos(angle), np.sin(angle)
    assert np.ravel(turn) == pytest.approx([c, -s, 0, s, c, 0, 0, 0, 1], abs=3e-3)
    assert angular == pytest.approx([0, 0, 1], abs=1e-4)


def test_motion_in_a_plane_is_that_of_the_centre_of_mass(device):
    stage = new_stage()
    locked(stage, Y, X | Z, com=(0.3, 0, 0.1), linear=(1, 3, 0), angular=(1, 2, 1))
    place, turn, velocity, angular = moved(stage, device)
    fall = 0.5 * GRAVITY * SECONDS**2
    assert place == pytest.approx([0.3 + SECONDS, 0, 0.1 - fall], abs=0.01)
    assert abs(place[1]) < NEAR
    assert np.reshape(turn, (3, 3))[1] == pytest.approx([0, 1, 0], abs=1e-4)
    assert velocity == pytest.approx([1, 0, -GRAVITY * SECONDS], abs=3e-3)
    assert angular == pytest.approx([0, 2, 0], abs=1e-3)


def slope(stage, angle):
    """A plane, along which gravity pulls as on a slope."""
    gravity = Gf.Vec3f(float(np.sin(angle)), 0.0, -float(np.cos(angle)))
    UsdPhysics.Scene(stage.GetPrimAtPath("/scene")).CreateGravityDirectionAttr(gravity)
    plane = UsdGeom.Plane.Define(stage, "/plane")
    plane.CreateAxisAttr("Z")
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())


def test_a_ball_that_cannot_turn_sticks_to_a_slope(device):
    """Its friction of 0.5 holds up to 26.6 degrees, where a ball that can turn rolls."""
    stage = new_stage()
    slope(stage, np.radians(20.0))
    locked(stage, about=ALL, kind="Sphere", at=(0, 0, 1))
    place, turn, _, _ = moved(stage, device)
    assert place == pytest.approx([0, 0, 1], abs=1e-3)
    assert abs(place[0]) < 1e-4
    assert np.ravel(turn) == pytest.approx(np.eye(3).ravel(), abs=1e-4)


def test_a_box_that_cannot_turn_slides_until_friction_stops_it(device):
    """Over v^2 / (2 mu g), also where it would turn in flight."""
    stage = new_stage()
    slope(stage, 0.0)
    locked(stage, about=ALL, at=(0, 0, 1), linear=(2, 0, 0), angular=(1, 1, 1))
    place, turn, _, _ = moved(stage, device)
    assert place[0] == pytest.approx(4.0 / GRAVITY, abs=0.01)
    assert np.ravel(turn) == pytest.approx(np.eye(3).ravel(), abs=1e-4)


def test_what_is_locked_carries_others(device):
    stage = new_stage()
    locked(stage, path="/drop", at=(0, 0, 2))
    locked(stage, ALL, ALL, path="/held")
    place, _, _, _ = moved(stage, device)
    assert place == pytest.approx([0, 0, 2], abs=1e-3)


def test_the_root_of_jointed_bodies_is_locked_and_articulations_are_not():
    stage = new_stage()
    locked(stage, ALL, ALL, path="/root")
    locked(stage, path="/arm", at=(3, 0, 0))
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/hinge")
    joint.CreateAxisAttr("Y")
    joint.CreateBody0Rel().SetTargets(["/root"])
    joint.CreateBody1Rel().SetTargets(["/arm"])
    joint.CreateLocalPos1Attr((-3, 0, 0))
    assert np.abs(moved(stage)[0]).max() < NEAR
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/root"))
    assert moved(stage)[2][2] < -1.0
    found = {(f.path, f.attribute) for f in parse_stage(stage).report.by_code("unsupported")}
    assert ("/root", "physxRigidBody:lockedPosAxis") in found


def test_locked_axes_take_authored_velocities_away_which_carry_nothing():
    stage = new_stage()
    locked(stage, X | Z, ALL, com=(0.3, 0, 0), linear=(1, 2, 3), angular=(1, 1, 1))
    (body,) = parse_stage(stage).scene.bodies
    assert body.linear_velocity == pytest.approx([0, 2, 0], abs=1e-6)
    assert body.angular_velocity == pytest.approx([0, 0, 0], abs=1e-6)


def test_poses_may_be_written_along_locked_axes(device):
    stage = new_stage()
    locked(stage, Z, ALL)
    sim = create_engine(compile_scene(parse_stage(stage).scene), 2, device=device)
    pose = np.array(sim.read("qpos"), dtype=float)
    pose[1, 2] = 5.0
    sim.write("qpos", pose)
    sim.step(100)
    assert np.array(sim.read("qpos"))[:, 2] == pytest.approx([0, 5], abs=NEAR)


@pytest.mark.parametrize(
    ("along", "about", "more", "words"),
    [
        (0, X, {}, "one axis only"),
        (0, X | Y, {"turn": (45, 0, 0)}, "lies across"),
        (X, 0, {"com": (0.3, 0, 0)}, "centre of mass"),
        (X, X | Y, {"com": (0.3, 0, 0)}, "centre of mass"),
    ],
)
def test_what_cannot_be_locked_is_told(along, about, more, words):
    stage = new_stage()
    locked(stage, along, about, **more)
    compiled = compile_scene(parse_stage(stage).scene)
    ((path, message),) = compiled.notes
    assert path == "/body"
    assert words in message


def test_masks_have_three_bits():
    stage = new_stage()
    locked(stage, 8)
    with pytest.raises(ParseError, match="0 to 7"):
        parse_stage(stage)
