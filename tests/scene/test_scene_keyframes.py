"""Keyframes of files that a stage refers to are states of their part of the whole."""

from __future__ import annotations

import itertools
from functools import cache

import mujoco
import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.actuators import prepare_drives
from usdsim.converters.mjcf import convert_mjcf
from usdsim.engine import compile_scene
from usdsim.math.rotations import quat_apply
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage

ROBOT = """<mujoco><worldbody><body name="base" pos="0 0 1"><freejoint/><geom size=".1"/>
<body name="arm" pos=".3 0 0"><joint name="elbow" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
<body name="wrist" pos=".4 0 0"><joint name="ball" type="ball"/>
<geom size=".05 .02 .02" type="box"/>
</body></body></body><body name="stage" mocap="true" pos="1 0 0"/></worldbody>
<actuator><position name="servo" joint="elbow" kp="5"/>
<general name="filtered" joint="elbow" dyntype="filter" dynprm="1"/></actuator>
<keyframe><key name="home" time="2" qpos="1 2 3 .6 0 .8 0 .4 .8 .6 0 0" qvel="1 2 3 4 5 6 7 8 9 10"
ctrl=".5 .25" act=".75" mpos="4 5 6" mquat="0 1 0 0"/>
<key name="low" qpos="0 0 .2 1 0 0 0 0 1 0 0 0"/>
</keyframe></mujoco>"""
SOFT = """<mujoco><worldbody><flexcomp name="s" type="grid" count="3 3 3" spacing=".1 .1 .1" dim="3"
radius=".01" pos="0 0 1"/></worldbody></mujoco>"""
SLIDER = """<mujoco><worldbody><body name="cart"><joint type="slide" axis="1 0 0" ref=".5"/>
<geom size=".1"/></body></worldbody><keyframe><key name="home" qpos=".7"/></keyframe></mujoco>"""
FILES = {"robot": ROBOT, "soft": SOFT, "slider": SLIDER}
KINDS = (*FILES, "loop")
PLACES = (
    Pose(np.array([3.0, -1.0, 0.5]), np.array([0.0, 0.0, 0.6, 0.8])),
    Pose(np.array([0.0, 2.0, 0.0])),
    Pose(np.array([-3.0, 0.0, 0.0])),
)


@cache
def layer(kind: str) -> Sdf.Layer:
    stage = create_stage()
    if kind == "loop":
        author_loop(stage)
    else:
        convert_mjcf(FILES[kind], stage)
    return stage.Flatten()


def author_loop(stage: Usd.Stage) -> None:
    """Three balls on the corners of a triangle, hinged to each other about vertical axes."""
    root = UsdGeom.Xform.Define(stage, "/loop")
    stage.SetDefaultPrim(root.GetPrim())
    corners = [np.array(corner) for corner in ((0.0, 0.0, 2.0), (1.0, 0.0, 2.0), (0.0, 1.0, 2.0))]
    for number, corner in enumerate(corners):
        ball = UsdGeom.Sphere.Define(stage, f"/loop/ball{number}")
        ball.CreateRadiusAttr(0.1)
        ball.AddTranslateOp().Set(tuple(corner.tolist()))
        UsdPhysics.RigidBodyAPI.Apply(ball.GetPrim())
        UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
        hinge = UsdPhysics.RevoluteJoint.Define(stage, f"/loop/hinge{number}")
        hinge.CreateAxisAttr("Z")
        after = (number + 1) % 3
        hinge.CreateBody0Rel().SetTargets([f"/loop/ball{number}"])
        hinge.CreateBody1Rel().SetTargets([f"/loop/ball{after}"])
        hinge.CreateLocalPos0Attr(tuple((corners[after] - corner).tolist()))


def assembled(
    kinds: tuple[str, ...], places: tuple[Pose, ...] = PLACES, *, centimetres: bool = False
) -> Usd.Stage:
    """A stage that refers to files in this order, each at its place."""
    stage = create_stage()
    scale = 100.0 if centimetres else 1.0
    UsdGeom.SetStageMetersPerUnit(stage, 1.0 / scale)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    for number, (kind, pose) in enumerate(zip(kinds, places, strict=False)):
        prim = UsdGeom.Xform.Define(stage, f"/World/part{number}")
        prim.GetPrim().GetReferences().AddReference(layer(kind).identifier)
        prim.AddTranslateOp().Set(tuple((scale * pose.pos).tolist()))
        *imaginary, real = pose.quat.tolist()
        prim.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(real, *imaginary))
        prim.AddScaleOp().Set((scale, scale, scale))
    return stage


def state(model: usdsim.SceneModel, part: int, keyframe: str = "home") -> list[np.ndarray]:
    """Poses and velocities of links, controls and activations of a part, in a keyframe."""
    data = usdsim.SceneData(model)
    model.get_keyframe(keyframe).apply(data)
    mine = f"/World/part{part}/"
    links = [link for link in model.links if link.path.startswith(mine)]
    actuators = [actuator for actuator in model.actuators if actuator.path.startswith(mine)]
    return [
        np.stack([link.get_pose(data) for link in links]),
        np.stack([link.get_linear_velocity(data) for link in links]),
        np.array([actuator.get_ctrl(data) for actuator in actuators]),
    ]


def check_moved(own: list[np.ndarray], found: list[np.ndarray], place: Pose) -> None:
    """Whether a state is another one, in another place."""
    for before, after in zip(own[0], found[0], strict=True):
        expected = place @ Pose(before[:3], before[3:])
        np.testing.assert_allclose(after[:3], expected.pos, atol=2e-6)
        assert abs(after[3:] @ expected.quat) == pytest.approx(1.0, abs=1e-6)
    turned = [quat_apply(place.quat, velocity) for velocity in own[1]]
    np.testing.assert_allclose(found[1], turned, atol=1e-5)
    np.testing.assert_allclose(found[2], own[2])


@pytest.mark.parametrize(
    "kinds",
    [*itertools.permutations(KINDS, 2), ("robot", "robot"), ("slider", "robot", "robot")],
    ids="-".join,
)
def test_parts_are_in_their_own_states_where_they_stand(kinds):
    model = usdsim.load_model(assembled(kinds), cache=False)
    assert not model.report.by_code("keyframe-left-out")
    for part, kind in enumerate(kinds):
        if kind in ("robot", "slider"):
            alone = usdsim.load_model(assembled((kind,), (Pose(),)), cache=False)
            check_moved(state(alone, 0), state(model, part), PLACES[part])


def test_a_part_alone_moves_too_and_units_of_the_stage_do_not_matter():
    alone = usdsim.load_model(assembled(("robot",), (Pose(),)), cache=False)
    moved = usdsim.load_model(assembled(("robot",), centimetres=True), cache=False)
    check_moved(state(alone, 0), state(moved, 0), PLACES[0])
    assert moved.get_keyframe("home").time == 2.0


def test_what_a_keyframe_has_no_number_of_is_as_at_the_start():
    model = usdsim.load_model(assembled(("slider", "robot")), cache=False)
    assert model.keyframe_names == ["home", "low"]
    start = usdsim.SceneData(model)
    cart = model.get_link("/World/part0/cart")
    data = usdsim.SceneData(model)
    model.get_keyframe("low").apply(data)
    np.testing.assert_allclose(cart.get_pose(data), cart.get_pose(start))
    assert data.time == 0.0 and not data.dof_vel.any()


def test_a_keyframe_of_the_whole_scene_stays_what_it_is():
    stage = assembled(("slider", "robot"))
    key = stage.DefinePrim("/World/part1/Everything", "MjcKeyframe")
    whole = np.array([0.9, *range(3), 1, 0, 0, 0, 0.1, 1, 0, 0, 0], np.float64)
    key.CreateAttribute("mjc:qpos", Sdf.ValueTypeNames.DoubleArray).Set(whole)
    model = usdsim.load_model(stage, cache=False)
    np.testing.assert_array_equal(model.low.key_qpos[-1], whole)


def test_numbers_that_do_not_fit_are_told_where_loops_hide_the_coordinates():
    stage = assembled(("loop", "robot"))
    next(p for p in stage.Traverse() if p.GetName() == "elbow").SetActive(False)
    model = usdsim.load_model(stage, cache=False)
    messages = [f"{f.path}: {f.message}" for f in model.report.by_code("engine")]
    (found,) = [m for m in messages if "home" in m and "mjc:qpos" in m]
    assert "12 numbers" in found and "/World/part1," in found
    trunk = model.get_link("base")
    data = usdsim.SceneData(model)
    start = trunk.get_position(data)
    model.get_keyframe("home").apply(data)
    np.testing.assert_allclose(trunk.get_position(data), start)


def test_drives_take_over_the_controls_of_a_part():
    scene = parse_stage(assembled(("robot", "robot"))).scene
    (elbow,) = [
        d.path for j in scene.joints for d in j.dofs if d.path.endswith("part1/base/arm/elbow")
    ]
    drives, notes = prepare_drives(scene, [elbow])
    assert not [message for path, message in notes if "left out" in message]
    keys = [element for element in drives.elements if element.name == "home"]
    assert [len(key.overrides["ctrl"]) for key in keys] == [2, 4]
    model = compile_scene(drives).mj
    np.testing.assert_allclose(model.key_ctrl[0], [0.5, 0, 0, 0.5, 0.25, 0.25])


def test_exported_keyframes_are_those_of_the_whole(tmp_path):
    usdsim.convert(assembled(("slider", "robot")), tmp_path / "all.xml")
    exported = mujoco.MjModel.from_xml_path(str(tmp_path / "all.xml"))
    model = usdsim.load_model(assembled(("slider", "robot")), cache=False).low
    assert exported.nkey == model.nkey == 2
    for field in ("time", "qpos", "qvel", "ctrl", "act", "mpos", "mquat"):
        found, expected = (getattr(m, f"key_{field}") for m in (exported, model))
        np.testing.assert_array_equal(found, expected)
