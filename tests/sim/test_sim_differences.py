"""What differs between environments becomes parameters of their worlds."""

from dataclasses import replace

import numpy as np
import pytest
from environments_stage import ENV, author, environments, shape
from pxr import Sdf, UsdPhysics, UsdShade

from usdsim.core.errors import CompileError, ParseError, StageError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage
from usdsim.parser.description import ActuatorDescription
from usdsim.sim.environments.finding import find_environments
from usdsim.sim.environments.variants import EnvironmentReader
from usdsim.sim.environments.worlds import build_worlds
from usdsim.usd import define_prim
from usdsim.usd.signatures import group_by_content

TYPES = Sdf.ValueTypeNames
MODES = pytest.mark.parametrize("mode", [{}, {"copy": True}], ids=["refer", "copy"])


def alone(stage, index):
    """The model of an environment as if no other had ever been on the stage."""
    paths = find_environments(stage).paths
    others = [path for i, path in enumerate(paths) if i != index]
    return compile_scene(parse_stage(stage, exclude=others).scene)


def _groups(stage):
    found = find_environments(stage)
    return [group.members for group in group_by_content(stage, found.paths, found.scales)]


def assert_world_is(engine, world, compiled, fields):
    """A world has the numbers of an independently compiled model, element by element."""
    model = engine.world_model(world)
    for field in fields:
        np.testing.assert_allclose(
            getattr(model, field), getattr(compiled.mj, field), rtol=1e-6, atol=1e-9, err_msg=field
        )


def test_equal_environments_are_grouped():
    for mode in ({}, {"copy": True}, {"instanceable": True}):
        stage = environments(5, turn=0.2, **mode)
        assert _groups(stage) == [[0, 1, 2, 3, 4]]


@MODES
def test_equal_differences_are_compiled_once(mode):
    stage = environments(5, **mode)
    for i, mass in ((1, 2.0), (3, 2.0), (4, 3.0)):
        author(stage, f"/World/envs/env_{i}/ball", "physics:mass", TYPES.Float, mass)
    assert _groups(stage) == [[0, 2], [1, 3], [4]]
    prepared = []
    engine = build_worlds(stage, prepare=lambda scene: prepared.append(scene) or scene).engine
    masses = [max(b.mass for b in scene.bodies if b.path == f"{ENV}/ball") for scene in prepared]
    assert masses == [1.0, 2.0, 3.0, 1.0]
    assert {body.path for scene in prepared for body in scene.bodies} == {
        f"{ENV}/{name}" for name in ("ball", "tray", "arm/base", "arm/link")
    }
    body = engine.compiled.names.index("body", f"{ENV}/ball")
    np.testing.assert_allclose(engine.param("body_mass")[:, body], [1, 2, 1, 2, 3])


def test_colours_of_shaders_make_no_difference():
    """Nothing moves otherwise, and what is drawn is read from the stage."""
    stage = environments(4, copy=True)
    for index, path in enumerate(find_environments(stage).paths):
        shader = UsdShade.Shader.Define(stage, f"{path}/look/shader")
        shader.CreateInput("diffuseColor", TYPES.Color3f).Set((0.1 * index, 0.0, 0.0))
        shader.CreateInput("roughness", TYPES.Float).Set(0.1 * index)
    reader = EnvironmentReader(stage, find_environments(stage), {})
    assert [group.members for group in reader.groups] == [[0, 1, 2, 3]]
    assert len(_groups(stage)) == 4
    assert build_worlds(stage).engine.num_envs == 4


def test_opinions_of_stronger_layers_count():
    stage = environments(3)
    stage.SetEditTarget(stage.GetSessionLayer())
    UsdPhysics.MassAPI(stage.GetPrimAtPath("/World/envs/env_2/ball")).GetMassAttr().Set(4.0)
    engine = build_worlds(stage).engine
    body = engine.compiled.names.index("body", f"{ENV}/ball")
    np.testing.assert_allclose(engine.param("body_mass")[:, body], [1.0, 1.0, 4.0])
    layers = len(stage.GetSessionLayer().subLayerPaths)
    assert layers == 0 and len(stage.GetLayerStack()) == 2


CHANGES = {
    "mass": ("ball", "physics:mass", TYPES.Float, 2.5),
    "size": ("ball", "radius", TYPES.Double, 0.3),
    "static size": ("shelf", "size", TYPES.Double, 0.9),
    "static pose": ("shelf", "xformOp:translate", TYPES.Double3, (0.0, 0.5, 0.75)),
    "kinematic pose": ("tray", "xformOp:translate", TYPES.Double3, (-1.5, 0.5, 0.75)),
    "free pose": ("ball", "xformOp:translate", TYPES.Double3, (0.25, 0.5, 3.0)),
    "velocity": ("ball", "physics:velocity", TYPES.Vector3f, (1.0, 2.0, 3.0)),
    "stiffness": ("arm/hinge", "drive:angular:physics:stiffness", TYPES.Float, 7.0),
    "damping": ("arm/hinge", "drive:angular:physics:damping", TYPES.Float, 0.5),
    "target": ("arm/hinge", "drive:angular:physics:targetPosition", TYPES.Float, 30.0),
    "effort": ("arm/hinge", "drive:angular:physics:maxForce", TYPES.Float, 3.0),
    "lower limit": ("arm/hinge", "physics:lowerLimit", TYPES.Float, -20.0),
    "no limit": ("arm/hinge", "physics:upperLimit", TYPES.Float, float("inf")),
    "joint frame": ("arm/hinge", "physics:localPos1", TYPES.Point3f, (0.0, 0.1, -0.25)),
    "com": ("arm/link", "physics:centerOfMass", TYPES.Point3f, (0.0, 0.01, 0.02)),
    "com of a lone body": ("ball", "physics:centerOfMass", TYPES.Point3f, (0.0, 0.01, 0.02)),
    "gravity": ("ball", "physxRigidBody:disableGravity", TYPES.Bool, True),
    "collision": ("tray", "physics:collisionEnabled", TYPES.Bool, True),
}
FIELDS = (
    "body_pos", "body_quat", "body_mass", "body_inertia", "body_ipos", "body_gravcomp",
    "body_invweight0", "geom_size", "geom_pos", "geom_quat", "geom_rbound", "geom_friction",
    "geom_contype", "jnt_range", "jnt_limited", "jnt_pos", "dof_damping", "dof_armature",
    "actuator_gainprm", "actuator_biasprm", "actuator_forcerange", "actuator_forcelimited",
)  # fmt: skip


@MODES
@pytest.mark.parametrize("turn", [0.0, 0.5], ids=["", "turned"])
@pytest.mark.parametrize("change", CHANGES)
def test_numbers_may_differ(change, mode, turn):
    prim, name, kind, value = CHANGES[change]
    stage = environments(3, turn=turn, **mode)
    author(stage, f"/World/envs/env_1/{prim}", name, kind, value)
    # Taken literally, as `alone` does, the joint to the world belongs to one place only.
    for i in range(3):
        fix = stage.GetPrimAtPath(f"/World/envs/env_{i}/arm/fixed")
        author(stage, str(fix.GetPath()), "physics:jointEnabled", TYPES.Bool, False)
    engine = build_worlds(stage).engine
    fields = [f for f in FIELDS if f != "body_pos" and f != "body_quat"]
    for i in range(3):
        compiled = alone(stage, i)
        assert_world_is(engine, i, compiled, fields)
        initial = compiled.initial
        np.testing.assert_allclose(engine.state("qpos")[i], initial.qpos, atol=1e-6)
        np.testing.assert_allclose(engine.state("qvel")[i], initial.qvel, atol=1e-6)
        np.testing.assert_allclose(engine.state("ctrl")[i], initial.ctrl, atol=1e-6)
        np.testing.assert_allclose(engine.state("mocap_pos")[i], initial.mocap_pos, atol=1e-6)
    if change not in ("collision",):
        first, second = engine.world_model(0), engine.world_model(1)
        states = [engine.state(f)[:2] for f in ("qpos", "qvel", "ctrl", "mocap_pos")]
        assert any(not np.allclose(s[0], s[1]) for s in states) or any(
            not np.allclose(getattr(first, f), getattr(second, f)) for f in fields
        )


def test_worlds_move_as_their_environments_would_alone():
    stage = environments(3, origins=[[0, 0, 0]] * 3)
    author(stage, "/World/envs/env_1/arm/hinge", "drive:angular:physics:stiffness", TYPES.Float, 9)
    author(stage, "/World/envs/env_1/ball", "radius", TYPES.Double, 0.3)
    author(stage, "/World/envs/env_2/arm/link", "physics:mass", TYPES.Float, 3.0)
    author(stage, "/World/envs/env_2/shelf", "size", TYPES.Double, 1.0)
    for i in range(3):
        name = "drive:angular:physics:targetPosition"
        author(stage, f"/World/envs/env_{i}/arm/hinge", name, TYPES.Float, 40.0)
    engine = build_worlds(stage).engine
    singles = []
    for i in range(3):
        others = [f"/World/envs/env_{j}" for j in range(3) if j != i]
        flat = parse_stage(stage, exclude=others).scene
        single = compile_scene(flat)
        singles.append(CpuEngine(single))
        singles[-1].step(600)
    engine.step(600)
    for i, single in enumerate(singles):
        np.testing.assert_allclose(
            engine.read("qpos")[i], single.read("qpos")[0], rtol=1e-9, atol=1e-9
        )
    assert np.ptp(engine.read("qpos"), axis=0).max() > 0.01


def test_friction_may_differ():
    stage = environments(3)
    for i, friction in enumerate((0.2, 0.4, 0.8)):
        material = UsdShade.Material.Define(stage, f"/World/surface_{i}")
        surface = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        surface.CreateDynamicFrictionAttr(friction)
        surface.CreateStaticFrictionAttr(friction)
        ball = stage.GetPrimAtPath(f"/World/envs/env_{i}/ball")
        UsdShade.MaterialBindingAPI.Apply(ball).Bind(
            material, UsdShade.Tokens.weakerThanDescendants, "physics"
        )
    engine = build_worlds(stage).engine
    geom = engine.compiled.names.index("geom", f"{ENV}/ball")
    np.testing.assert_allclose(engine.param("geom_friction")[:, geom, 0], [0.2, 0.4, 0.8])


def test_velocity_limits_may_differ():
    stage = environments(3)
    for i, limit in ((0, 90.0), (1, 45.0)):
        name = "physxJoint:maxJointVelocity"
        author(stage, f"/World/envs/env_{i}/arm/hinge", name, TYPES.Float, limit)
    engine = build_worlds(stage).engine
    joint = engine.compiled.names.index("joint", f"{ENV}/arm/hinge")
    dof = engine.compiled.mj.jnt_dofadr[joint]
    limits = engine.velocity_limits[:, dof]
    np.testing.assert_allclose(limits, np.radians([90.0, 45.0, 90.0]), rtol=1e-6)


def test_scale_of_an_environment_may_differ():
    stage = environments(2)
    prim = stage.GetPrimAtPath("/World/envs/env_1")
    order = prim.GetAttribute("xformOpOrder").Get()
    author(stage, str(prim.GetPath()), "xformOp:scale", TYPES.Double3, (2.0, 2.0, 2.0))
    author(stage, str(prim.GetPath()), "xformOpOrder", TYPES.TokenArray, [*order, "xformOp:scale"])
    engine = build_worlds(stage).engine
    geom = engine.compiled.names.index("geom", f"{ENV}/ball")
    np.testing.assert_allclose(engine.param("geom_size")[:, geom, 0], [0.1, 0.2])


def test_same_numbers_authored_differently_make_no_difference():
    stage = environments(3)
    author(stage, "/World/envs/env_1/ball", "physics:mass", TYPES.Float, 1.0)
    for i in (1, 2):
        author(stage, f"/World/envs/env_{i}/ball", "note", TYPES.String, f"number {i}")
    assert len(_groups(stage)) == 3
    engine = build_worlds(stage).engine
    body = engine.compiled.names.index("body", f"{ENV}/ball")
    np.testing.assert_array_equal(engine.param("body_mass")[:, body], 1.0)


# -- structure ----------------------------------------------------------------------------------


def test_another_element_is_refused():
    stage = environments(3)
    shape(stage, "/World/envs/env_2/extra", (0.0, 0.0, 4.0), mass=1.0)
    with pytest.raises(StageError, match=r"env_2 differs from /World/envs/env_0 .*env_2/extra"):
        build_worlds(stage)


def test_a_missing_element_is_refused():
    stage = environments(3)
    stage.GetPrimAtPath("/World/envs/env_1/ball").SetActive(False)
    with pytest.raises(StageError, match=r"env_1 differs from /World/envs/env_0 .*env_0/ball"):
        build_worlds(stage)


def test_another_kind_of_joint_is_refused():
    stage = environments(2, copy=True)
    joint = next(p for p in stage.Traverse() if p.IsA(UsdPhysics.RevoluteJoint))
    assert str(joint.GetPath()).startswith(ENV)
    joint.SetTypeName("PhysicsPrismaticJoint")
    with pytest.raises(StageError, match=r"env_1 differs .*hinge"):
        build_worlds(stage)


def test_a_plane_in_place_of_a_shape_is_refused():
    stage = environments(2, copy=True)
    for i, kind in enumerate(("Plane", "Cube")):
        floor = define_prim(stage, f"/World/envs/env_{i}/floor", kind)
        UsdPhysics.CollisionAPI.Apply(floor)
    with pytest.raises(StageError, match=r"env_1 differs .*floor"):
        build_worlds(stage)


def test_errors_of_another_environment_name_it():
    stage = environments(2)
    author(stage, "/World/envs/env_1/ball", "physics:mass", TYPES.Float, float("nan"))
    with pytest.raises(ParseError, match="/World/envs/env_1/ball"):
        build_worlds(stage)
    stage = environments(2)
    author(stage, "/World/envs/env_1/ball", "physics:mass", TYPES.Float, 2.0)

    def prepare(scene):
        if max(body.mass for body in scene.bodies if body.path == f"{ENV}/ball") < 2.0:
            return scene
        lost = ActuatorDescription(
            path=f"{ENV}/motor", overrides={"target": f"{ENV}/none", "trntype": 0}
        )
        return replace(scene, actuators=(lost,))

    with pytest.raises(CompileError, match="/World/envs/env_1/motor"):
        build_worlds(stage, prepare=prepare)


def test_findings_about_other_environments_are_reported():
    stage = environments(3)
    author(stage, "/World/envs/env_2/ball", "physics:madeUp", TYPES.Bool, True)
    report = build_worlds(stage).report
    assert [f.path for f in report.warnings] == ["/World/envs/env_2/ball"]
    with pytest.raises(ParseError, match="env_2/ball"):
        build_worlds(stage, strict=True)
