"""What stages say about actuators, and what is written to them."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from pxr import UsdGeom, UsdPhysics

from usdsim import schemas
from usdsim.actuators import (
    ActuatorNetLSTMCfg,
    ActuatorNetMLPCfg,
    DCMotorCfg,
    DelayedDCMotorCfg,
    DelayedImplicitActuatorCfg,
    DelayedPDActuatorCfg,
    DenseLayer,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
    LstmLayer,
    Network,
    RemotizedPDActuatorCfg,
    authored_actuators,
    save_network,
    save_settings,
    write_actuators,
)
from usdsim.converters import convert_file
from usdsim.core.errors import (
    FileError,
    InvalidValueError,
    ShapeError,
    StageError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.parser.stage import parse_stage
from usdsim.usd.stage import create_stage

JOINTS = ("hip", "knee", "ankle", "rail")
PATHS = tuple(f"/robot/{name}" for name in JOINTS)
UNITS = ({}, {"meters_per_unit": 0.01, "kilograms_per_unit": 0.5})


def make_stage(**units):
    """A chain of three hinges and a slide."""
    stage = create_stage(**units)
    UsdPhysics.Scene.Define(stage, "/scene")
    UsdGeom.Xform.Define(stage, "/robot")
    last = None
    for name, path in zip(JOINTS, PATHS, strict=True):
        prim = UsdGeom.Xform.Define(stage, f"/robot/{name}_link").GetPrim()
        UsdPhysics.RigidBodyAPI.Apply(prim)
        UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(1.0)
        UsdPhysics.MassAPI(prim).CreateDiagonalInertiaAttr((1.0, 1.0, 1.0))
        kind = UsdPhysics.PrismaticJoint if name == "rail" else UsdPhysics.RevoluteJoint
        joint = kind.Define(stage, path)
        if last is not None:
            joint.CreateBody0Rel().SetTargets([last])
        joint.CreateBody1Rel().SetTargets([prim.GetPath()])
        last = prim.GetPath()
    return stage


def read(stage, paths=PATHS):
    return authored_actuators(parse_stage(stage).scene, paths)


def actuator(stage, joint="hip", **values):
    cfg = schemas.NewtonActuatorCfg(targets=f"/robot/{joint}", **values)
    schemas.define_actuator(f"/robot/{joint}_actuator", cfg, stage)


def approx(value):
    return pytest.approx(value, rel=1e-5)


def same(first, second):
    """Whether configurations say the same, joint by joint."""
    assert type(first) is type(second)
    ids = first.joint_names_expr
    assert sorted(ids) == sorted(second.joint_names_expr)
    for field in vars(second):
        a, b = getattr(first, field), getattr(second, field)
        if field == "joint_parameter_lookup":
            np.testing.assert_allclose(np.array(a)[:, [0, 2]], np.array(b)[:, [0, 2]], rtol=1e-5)
        elif field not in ("joint_names_expr", "class_type") and b is not None:
            assert a == (approx(b) if isinstance(b, dict | float) else b), field


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
def test_drives(units):
    stage = make_stage(**units)
    for path, stiffness in zip(PATHS[::3], (20.0, 30.0), strict=True):
        cfg = schemas.JointDriveBaseCfg(stiffness=stiffness, damping=2.0, max_force=9.0)
        schemas.modify_joint_drive_properties(path, cfg, stage)
    found = read(stage)
    assert list(found.cfgs) == ["drives"] and not found.notes
    expected = ImplicitActuatorCfg(
        joint_names_expr=["hip", "rail"], stiffness={"hip": 20.0, "rail": 30.0},
        damping=dict.fromkeys(("hip", "rail"), 2.0),
        effort_limit_sim=dict.fromkeys(("hip", "rail"), 9.0),
    )  # fmt: skip
    same(found.cfgs["drives"], expected)


def test_acceleration_drives_stay_as_on_the_stage():
    stage = make_stage()
    cfg = schemas.JointDriveBaseCfg(stiffness=20.0, damping=2.0, drive_type="acceleration")
    schemas.modify_joint_drive_properties(PATHS[0], cfg, stage)
    (cfg,) = read(stage).cfgs.values()
    assert cfg.stiffness is None and cfg.damping is None


PRIMS = [
    ({"kp": 5.0, "kd": 0.5, "max_effort": 7.0},
     IdealPDActuatorCfg, {"stiffness": 5.0, "damping": 0.5, "effort_limit": 7.0}),
    ({"kp": 5.0, "kd": 0.5, "delay_steps": 3},
     DelayedPDActuatorCfg, {"stiffness": 5.0, "damping": 0.5, "min_delay": 3, "max_delay": 3}),
    ({"kp": 5.0, "kd": 0.5, "saturation_effort": 9.0, "velocity_limit": 3.0,
      "max_motor_effort": 4.0},
     DCMotorCfg, {"stiffness": 5.0, "saturation_effort": 9.0, "velocity_limit": 3.0,
                  "effort_limit": 4.0}),
    ({"kp": 5.0, "kd": 0.5, "saturation_effort": 9.0, "velocity_limit": 3.0, "max_effort": 2.0,
      "max_motor_effort": 4.0, "delay_steps": 2},
     DelayedDCMotorCfg, {"saturation_effort": 9.0, "velocity_limit": 3.0, "effort_limit": 2.0,
                         "min_delay": 2, "max_delay": 2}),
    ({"kp": 5.0, "kd": 0.5, "max_motor_effort": 4.0},
     DCMotorCfg, {"saturation_effort": 4.0, "velocity_limit": np.inf, "effort_limit": 4.0}),
    ({"kp": 5.0, "kd": 0.5, "lookup_positions": [-1.0, 1.0, 2.0], "lookup_efforts": [2.0, 6.0, 4.0],
      "max_effort": 5.0},
     RemotizedPDActuatorCfg,
     {"joint_parameter_lookup": [[-1, 1, 2], [0.5, 1, 5], [1, 1, 5], [1.5, 1, 5], [2, 1, 4]]}),
]  # fmt: skip


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
@pytest.mark.parametrize("joint", ["hip", "rail"])
@pytest.mark.parametrize(("prim", "kind", "expected"), PRIMS)
def test_newtons_actuators(prim, kind, expected, joint, units):
    stage = make_stage(**units)
    actuator(stage, joint, **prim)
    found = read(stage)
    (cfg,) = found.cfgs.values()
    assert type(cfg) is kind and cfg.joint_names_expr == [joint]
    for field, value in expected.items():
        given = getattr(cfg, field)
        if field == "joint_parameter_lookup":
            np.testing.assert_allclose(given, value, rtol=1e-5)
        else:
            assert given == ({joint: approx(value)} if isinstance(value, float) else value)
    assert not found.notes
    cfg.class_type(cfg, [joint], [0], 1, "cpu").reset()


def test_what_no_model_has_is_told():
    stage = make_stage()
    actuator(stage, "hip", kp=1.0, ki=2.0, const_effort=3.0)
    actuator(stage, "knee", kp=1.0, lookup_positions=[0.0], lookup_efforts=[1.0],
             saturation_effort=3.0)  # fmt: skip
    found = read(stage)
    assert [path for path, _ in found.notes] == ["/robot/hip_actuator"] * 2 + [
        "/robot/knee_actuator"
    ]
    assert "constant effort of 3" in found.notes[0][1]
    assert "integral gain of 2" in found.notes[1][1] and "DC motor too" in found.notes[2][1]


def test_groups_are_of_one_kind():
    stage = make_stage()
    actuator(stage, "hip", kp=1.0, max_effort=3.0)
    actuator(stage, "knee", kp=2.0, max_effort=4.0)
    actuator(stage, "ankle", kp=2.0, delay_steps=1)
    actuator(stage, "rail", kp=2.0, delay_steps=2)
    cfgs = read(stage).cfgs
    assert list(cfgs) == ["pd_controllers", "delayed_pd_controllers", "delayed_pd_controllers_2"]
    assert cfgs["pd_controllers"].stiffness == {"hip": 1.0, "knee": 2.0}


def test_names_of_joints_may_be_given():
    stage = make_stage()
    actuator(stage, "hip", kp=1.0)
    scene = parse_stage(stage).scene
    (cfg,) = authored_actuators(scene, PATHS[:1], ["hip (left)"]).cfgs.values()
    assert cfg.class_type(cfg, ["hip (left)"], [0], 1, "cpu").stiffness.numpy() == 1.0
    with pytest.raises(ShapeError, match="one per joint path"):
        authored_actuators(scene, PATHS, ["a"])
    with pytest.raises(UnknownNameError, match="/robot/elbow"):
        authored_actuators(scene, ["/robot/elbow"])


MJCF = """
<mujoco><worldbody><body><joint name="a"/><geom size="0.1"/>
<body><joint name="b"/><geom size="0.1"/><body><joint name="c"/><geom size="0.1"/>
<body><joint name="d"/><geom size="0.1"/></body></body></body></body></worldbody>
<actuator><position joint="a" kp="3" kv="1" forcerange="-4 4" gear="2"/>
<motor joint="b" gear="10" ctrlrange="-1 1"/>
<damper joint="c" kv="1" ctrlrange="0 1"/>
<position joint="d" kp="3"/><position joint="d" kp="3"/></actuator></mujoco>
"""


def test_mujocos_actuators(tmp_path):
    (tmp_path / "a.xml").write_text(MJCF)
    convert_file(tmp_path / "a.xml", tmp_path / "a.usda")
    scene = parse_stage(str(tmp_path / "a.usda")).scene
    paths = [dof.path for joint in scene.joints for dof in joint.dofs]
    found = authored_actuators(scene, paths)
    (cfg,) = found.cfgs.values()
    assert cfg.stiffness == {"a": 12.0, "b": 0.0} and cfg.damping == {"a": 4.0, "b": 0.0}
    assert cfg.effort_limit_sim == {"a": 8.0, "b": 10.0}
    reasons = [message for _, message in found.notes]
    assert sum("affine servo" in reason for reason in reasons) == 1
    assert sum("another's on its joint" in reason for reason in reasons) == 2


def networks(folder):
    rng = np.random.default_rng(0)
    layer = DenseLayer(rng.normal(size=(1, 4)).astype("f4"), np.zeros(1, "f4"))
    save_network(folder / "mlp.npz", Network((layer,)))
    shapes = ((16, 2), (16, 4), (16,))
    cell = LstmLayer(*(rng.normal(size=shape).astype("f4") for shape in shapes))
    save_network(folder / "lstm.npz", Network((layer,), (cell,)))
    motor = {"velocity_limit": {"hip": 4.0}, "saturation_effort": {"hip": 8.0},
             "effort_limit": {"hip": 5.0}, "joint_names_expr": ["hip"]}  # fmt: skip
    return [
        ActuatorNetMLPCfg(
            network_file=str(folder / "mlp.npz"), pos_scale=-2.0, vel_scale=0.1, torque_scale=20.0,
            input_order="vel_pos", input_idx=(0, 3), **motor,
        ),
        ActuatorNetLSTMCfg(network_file=str(folder / "lstm.npz"), **motor),
    ]  # fmt: skip


@pytest.mark.parametrize("which", [0, 1], ids=["mlp", "lstm"])
def test_networks_through_the_stage(tmp_path, which):
    cfg = networks(tmp_path)[which]
    stage = make_stage()
    with pytest.raises(FileError, match="save_settings"):
        write_actuators(stage, "/robot", {"leg": cfg}, PATHS)
    save_settings(cfg, tmp_path / "told.npz")
    told = copy.copy(cfg)
    told.network_file = str(tmp_path / "told.npz")
    assert not write_actuators(stage, "/robot", {"leg": told}, PATHS)
    (back,) = read(stage).cfgs.values()
    if which == 0:
        told.input_idx = [0, 3]
    same(back, told)
    back.class_type(back, ["hip"], [0], 1, "cpu").reset()
    if which == 0:
        told.pos_scale = 1.0
        with pytest.raises(InvalidValueError, match="metadata say what is configured"):
            write_actuators(stage, "/robot", {"leg": told}, PATHS)
    with pytest.raises(InvalidValueError, match=r"ends in \.npz"):
        save_settings(cfg, tmp_path / "told.pt")
    with pytest.raises(FileError, match="no network file"):
        (tmp_path / "told.npz").unlink()
        read(stage)


def test_torchscript_through_the_stage(tmp_path):
    torch = pytest.importorskip("torch")
    cfg = networks(tmp_path)[0]
    cfg.network_file = str(tmp_path / "net.pt")
    torch.jit.script(torch.nn.Sequential(torch.nn.Linear(4, 1))).save(cfg.network_file)
    save_settings(cfg, tmp_path / "told.pt")
    cfg.network_file = str(tmp_path / "told.pt")
    stage = make_stage()
    write_actuators(stage, "/robot", {"leg": cfg}, PATHS)
    (back,) = read(stage).cfgs.values()
    cfg.input_idx = [0, 3]
    same(back, cfg)


@pytest.mark.parametrize("units", UNITS, ids=["metres", "centimetres"])
def test_written_and_read_again(units):
    each = {"hip": 1.0, "rail": 2.0}
    cases = [
        IdealPDActuatorCfg(stiffness=each, damping=each, effort_limit=each,
                           joint_names_expr=["hip", "rail"]),
        DCMotorCfg(stiffness=each, damping=each, effort_limit=each, velocity_limit=each,
                   saturation_effort=each, joint_names_expr=["hip", "rail"]),
        DelayedPDActuatorCfg(stiffness=each, damping=each, effort_limit=each, min_delay=2,
                             max_delay=2, joint_names_expr=["hip", "rail"]),
        RemotizedPDActuatorCfg(stiffness={"rail": 3.0}, damping={"rail": 2.0}, max_delay=1,
                               min_delay=1, joint_parameter_lookup=[[0.1, 1, 2], [0.2, 1, 3]],
                               joint_names_expr=["rail"]),
        ImplicitActuatorCfg(stiffness=each, damping=each, effort_limit_sim=each,
                            joint_names_expr=["hip", "rail"]),
    ]  # fmt: skip
    stage = make_stage(**units)
    for cfg in cases:  # each in the place of the one before
        before = copy.deepcopy(cfg)
        assert not write_actuators(stage, "/robot", {"legs": cfg}, PATHS)
        assert cfg == before
        (back,) = read(stage, [f"/robot/{n}" for n in cfg.joint_names_expr]).cfgs.values()
        same(back, cfg)


def test_gains_that_are_none_come_from_the_drive():
    stage = make_stage()
    drive = schemas.JointDriveBaseCfg(stiffness=20.0, damping=2.0, max_force=9.0)
    schemas.modify_joint_drive_properties(PATHS[0], drive, stage)
    cfg = IdealPDActuatorCfg(joint_names_expr=["hip", "knee"], damping={"hip": 7.0})
    write_actuators(stage, "/robot", {"legs": cfg}, PATHS)
    (back,) = read(stage).cfgs.values()
    assert back.stiffness == approx({"hip": 20.0, "knee": 0.0})
    assert back.damping == approx({"hip": 7.0, "knee": 0.0})


def test_other_actuators_on_the_joints_are_deactivated():
    stage = make_stage()
    actuator(stage, "hip", kp=1.0)
    actuator(stage, "knee", kp=1.0)
    cfg = IdealPDActuatorCfg(joint_names_expr=["hip"], stiffness=5.0)
    write_actuators(stage, "/robot", {"legs": cfg}, PATHS)
    assert not stage.GetPrimAtPath("/robot/hip_actuator").IsActive()
    assert stage.GetPrimAtPath("/robot/knee_actuator").IsActive()
    assert stage.GetPrimAtPath("/robot/legs_hip_actuator").GetTypeName() == "NewtonActuator"


def test_random_delays_are_told():
    cfg = DelayedPDActuatorCfg(joint_names_expr=["hip"], stiffness=5.0, max_delay=3)
    ((path, message),) = write_actuators(make_stage(), "/robot", {"legs": cfg}, PATHS)
    assert path == "/robot/legs_hip_actuator" and "always 3 steps late" in message


@pytest.mark.parametrize(
    ("cfgs", "error", "message"),
    [
        ({"a": DelayedImplicitActuatorCfg(joint_names_expr=["hip"])}, UnsupportedError,
         "group 'a' is a DelayedImplicitActuatorCfg"),
        ({"a": ImplicitActuatorCfg(joint_names_expr=["elbow"])}, InvalidValueError, "elbow"),
        ({"a": ImplicitActuatorCfg(joint_names_expr=["hip"]),
          "b": IdealPDActuatorCfg(joint_names_expr=["h.*"])}, InvalidValueError,
         r"joint 'hip' is \['a', 'b'\]"),
        ({"a": IdealPDActuatorCfg(joint_names_expr=["hip"], stiffness=-1.0)}, InvalidValueError,
         "kp"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_changes_nothing(cfgs, error, message):
    stage = make_stage()
    before = stage.ExportToString()
    with pytest.raises(error, match=message):
        write_actuators(stage, "/robot", cfgs, PATHS)
    assert stage.ExportToString() == before


def test_joints_and_paths_must_be_right():
    stage = make_stage()
    cfg = IdealPDActuatorCfg(joint_names_expr=["hip"], stiffness=1.0)
    with pytest.raises(StageError, match="o prim at '/other/hip'"):
        write_actuators(stage, "/robot", {"a": cfg}, ["/other/hip"])
    with pytest.raises(StageError, match="not the path of a prim"):
        write_actuators(stage, "/rob ot", {"a": cfg}, PATHS)


@pytest.mark.parametrize(
    "values",
    [{"newton:lookupPositions": [0.0, 0.0]}, {"newton:lookupPositions": [0.0]},
     {"newton:delaySteps": -1}],
)  # fmt: skip
def test_bad_prims_are_reported(values):
    stage = make_stage()
    actuator(stage, kp=1.0, delay_steps=1, lookup_positions=[0.0, 1.0], lookup_efforts=[1.0, 2.0])
    for name, value in values.items():
        stage.GetPrimAtPath("/robot/hip_actuator").GetAttribute(name).Set(value)
    with pytest.raises(ValueError, match=next(iter(values))):
        parse_stage(stage)
