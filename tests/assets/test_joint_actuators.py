"""Actuators of an articulation: what is configured reaches the engine, and commands go through."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from articulation_stages import (
    ARM,
    INERTIA,
    MASS,
    ROBOT,
    advance,
    chain,
    environments,
    running,
    values,
)
from pxr import Sdf, UsdPhysics

from usdsim.actuators import (
    DCMotorCfg,
    DelayedPDActuatorCfg,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
)
from usdsim.core.errors import InvalidValueError
from usdsim.views.usable import UsableArray

pytestmark = pytest.mark.usefixtures("device")

ABOUT_JOINT = INERTIA + MASS * ARM**2
PER_DEGREE = np.pi / 180
AUTHORED = {"Stiffness": 12.0 * PER_DEGREE, "Damping": 3.0 * PER_DEGREE, "MaxForce": 80.0}


def group(kind=ImplicitActuatorCfg, joints=(".*",), **values):
    return kind(joint_names_expr=list(joints), **values)


def test_as_authored_without_configuration(caplog):
    with running(chain(2, drive=AUTHORED), 2) as (_, robot):
        data = robot.data
        np.testing.assert_allclose(values(data.joint_stiffness), 12.0, rtol=1e-6)
        np.testing.assert_allclose(values(data.joint_damping), 3.0, rtol=1e-6)
        np.testing.assert_allclose(values(data.joint_effort_limits), 80.0)
        np.testing.assert_allclose(values(data.default_joint_stiffness), 12.0, rtol=1e-6)
        assert np.isinf(values(data.joint_vel_limits)).all() and len(robot.actuators) == 0
    assert "configured" not in caplog.text


@pytest.mark.parametrize("given", [None, 40.0, {"joint_1": 40.0, "joint_2": 50.0}])
def test_implicit_gains_and_limits(given):
    cfg = group(
        stiffness=given, damping=given, effort_limit_sim=60.0, velocity_limit_sim=7.0, armature=0.1
    )
    with running(chain(2, drive=AUTHORED), 2, actuators={"all": cfg}) as (sim, robot):
        stiffness, damping = {
            "NoneType": ([12.0, 12.0], [3.0, 3.0]),
            "float": ([40.0, 40.0], [40.0, 40.0]),
            "dict": ([40.0, 50.0], [40.0, 50.0]),
        }[type(given).__name__]
        data = robot.data
        for name, wanted in (("stiffness", stiffness), ("damping", damping)):
            np.testing.assert_allclose(values(getattr(data, f"joint_{name}")), [wanted] * 2, 1e-6)
            np.testing.assert_allclose(
                values(getattr(robot.actuators["all"], name)), [wanted] * 2, 1e-6
            )
        np.testing.assert_allclose(values(data.joint_effort_limits), 60.0)
        np.testing.assert_allclose(values(data.joint_vel_limits), 7.0)
        np.testing.assert_allclose(values(data.soft_joint_vel_limits), 7.0)
        np.testing.assert_allclose(values(data.joint_armature), 0.1, rtol=1e-6)
        np.testing.assert_allclose(values(data.default_joint_armature), 0.1, rtol=1e-6)
        np.testing.assert_allclose(sim.engine.velocity_limits, 7.0)


def test_explicit_joints_have_no_gains_in_the_engine():
    cfg = group(IdealPDActuatorCfg, stiffness=40.0, damping=2.0, effort_limit=5.0)
    with running(chain(2, drive=AUTHORED), actuators={"all": cfg}) as (_, robot):
        assert (values(robot.data.joint_stiffness) == 0.0).all()
        assert (values(robot.data.joint_damping) == 0.0).all()
        np.testing.assert_allclose(values(robot.data.default_joint_stiffness), 40.0)
        np.testing.assert_allclose(values(robot.data.joint_effort_limits), 1e9)
        np.testing.assert_allclose(values(robot.actuators["all"].effort_limit), 5.0)
        assert isinstance(robot.actuators["all"].effort_limit, UsableArray)


def test_an_explicit_actuator_applies_its_law_within_its_limit():
    cfg = group(IdealPDActuatorCfg, stiffness=40.0, damping=2.0, effort_limit=5.0)
    with running(chain(1), dt=0.001, gravity=(0, 0, 0), actuators={"all": cfg}) as (sim, robot):
        robot.write_joint_state_to_sim(0.1, 0.5)
        robot.set_joint_position_target(0.15)
        robot.set_joint_velocity_target(0.2)
        robot.set_joint_effort_target(0.7)
        advance(sim, robot)
        law = 40.0 * 0.05 + 2.0 * (0.2 - 0.5) + 0.7
        assert values(robot.data.computed_torque) == pytest.approx(law, rel=1e-5)
        change = values(robot.data.joint_vel)[0, 0] - 0.5
        assert change == pytest.approx(law / ABOUT_JOINT * 0.001, rel=1e-3)
        robot.set_joint_position_target(1.0)
        robot.write_joint_state_to_sim(0.0, 0.0)
        advance(sim, robot)
        assert values(robot.data.applied_torque) == 5.0
        assert values(robot.data.computed_torque) > 5.0
        assert values(robot.data.joint_vel) == pytest.approx(5.0 / ABOUT_JOINT * 0.001, rel=1e-5)


def test_efforts_of_drives_are_those_of_the_last_write_whenever_they_are_read():
    law = 40.0 * 0.05 + 2.0 * (0.2 - 0.5) + 0.7
    later = {
        "another step's targets": lambda robot: robot.set_joint_position_target(1.0),
        "targets in place": lambda robot: robot.data.joint_pos_target.fill_(1.0),
        "another state": lambda robot: robot.write_joint_state_to_sim(0.3, 0.0),
        "other gains": lambda robot: robot.write_joint_stiffness_to_sim(7.0),
        "other gains of the model": lambda robot: setattr(robot.actuators["all"], "damping", 9.0),
        "its gains in place": lambda robot: robot.actuators["all"].stiffness.fill_(9.0),
    }
    for what, change in later.items():
        cfg = group(stiffness=40.0, damping=2.0, effort_limit_sim=50.0)
        with running(chain(1), dt=0.001, actuators={"all": cfg}) as (sim, robot):
            robot.write_joint_state_to_sim(0.1, 0.5)
            robot.set_joint_position_target(0.15)
            robot.set_joint_velocity_target(0.2)
            robot.set_joint_effort_target(0.7)
            advance(sim, robot)
            change(robot)
            for array in (
                robot.data.computed_torque,
                robot.data.applied_torque,
                robot.actuators["all"].computed_effort,
                robot.actuators["all"].applied_effort,
            ):
                assert values(array) == pytest.approx(law, rel=1e-5), what
            robot.write_data_to_sim()
            assert values(robot.data.applied_torque) != pytest.approx(law, rel=1e-2), what


def test_implicit_and_explicit_agree_at_small_steps():
    kinds = {"implicit": ImplicitActuatorCfg, "explicit": IdealPDActuatorCfg}
    found = {}
    for name, kind in kinds.items():
        cfg = group(kind, stiffness=30.0, damping=2.0)
        with running(chain(2), dt=0.0005, actuators={"all": cfg}) as (sim, robot):
            robot.set_joint_position_target([0.5, -0.4])
            advance(sim, robot, 400)
            found[name] = values(robot.data.joint_pos)
    np.testing.assert_allclose(found["implicit"], found["explicit"], atol=3e-3)


def test_groups_of_different_kinds():
    actuators = {
        "first": group(DCMotorCfg, ["joint_1"], stiffness=20.0, damping=1.0, effort_limit=3.0,
                       saturation_effort=4.0, velocity_limit=10.0),
        "second": group(joints=["joint_2"], stiffness=50.0, damping=2.0),
    }  # fmt: skip
    with running(chain(3, drive=AUTHORED), 2, actuators=actuators) as (sim, robot):
        np.testing.assert_allclose(values(robot.data.joint_stiffness)[0], [0, 50, 12], rtol=1e-6)
        np.testing.assert_allclose(values(robot.data.soft_joint_vel_limits)[0, 0], 10.0)
        assert list(robot.actuators) == ["first", "second"]
        robot.set_joint_position_target([0.5, 0.2, -0.3])
        advance(sim, robot, 5)
        ctrl = np.array(sim.engine.read("ctrl"))[0].reshape(3, 3)
        np.testing.assert_allclose(ctrl[1], [0.2, 0.0, 0.0], atol=1e-7)
        np.testing.assert_allclose(ctrl[2], [-0.3, 0.0, 0.0], atol=1e-7)
        np.testing.assert_allclose(ctrl[0, 2], values(robot.data.applied_torque)[0, 0], rtol=1e-6)


def test_joints_of_no_group_are_reported_and_stay(caplog):
    actuators = {"one": group(joints=["joint_1"], stiffness=1.0)}
    with running(chain(2, drive=AUTHORED), actuators=actuators) as (_, robot):
        np.testing.assert_allclose(values(robot.data.joint_stiffness), [[1.0, 12.0]], rtol=1e-6)
    assert "Not all actuators" in caplog.text and "joint_2" in caplog.text


def test_a_group_without_joints_is_refused():
    with (
        pytest.raises(InvalidValueError, match="'legs'"),
        running(chain(2), actuators={"legs": group(joints=["knee"])}),
    ):
        pass


def test_a_joint_in_two_groups_is_refused():
    actuators = {"a": group(joints=["joint_1"]), "b": group()}
    with pytest.raises(InvalidValueError, match="joint_1"), running(chain(2), actuators=actuators):
        pass


def test_delay_counts_writes():
    cfg = group(DelayedPDActuatorCfg, stiffness=10.0, damping=0.0, min_delay=2, max_delay=2)
    with running(chain(1), gravity=(0, 0, 0), actuators={"all": cfg}) as (sim, robot):
        robot.reset()
        efforts = []
        for i in range(5):
            robot.set_joint_effort_target(float(i))
            advance(sim, robot)
            robot.write_joint_state_to_sim(0.0, 0.0)
            efforts.append(values(robot.data.applied_torque).item())
        assert efforts == [0.0, 0.0, 0.0, 1.0, 2.0]


def test_friction_of_a_group():
    cfg = group(friction=0.5, viscous_friction=0.2)
    with running(chain(1), 2, actuators={"all": cfg}) as (_, robot):
        np.testing.assert_allclose(values(robot.data.joint_friction_coeff), 0.5)
        np.testing.assert_allclose(values(robot.data.joint_dynamic_friction_coeff), 0.5)
        np.testing.assert_allclose(values(robot.data.joint_viscous_friction_coeff), 0.2, rtol=1e-6)
        np.testing.assert_allclose(values(robot.data.default_joint_friction), 0.5)


def test_both_frictions_of_a_group():
    cfg = group(friction=0.5, dynamic_friction=0.1)
    with running(chain(1), 2, actuators={"all": cfg}) as (_, robot):
        np.testing.assert_allclose(values(robot.data.joint_friction_coeff), 0.5)
        np.testing.assert_allclose(values(robot.data.joint_dynamic_friction_coeff), 0.1, rtol=1e-6)


def test_models_of_drives_follow_what_is_written():
    cfg = group(stiffness=10.0, damping=1.0)
    with running(chain(1), 2, gravity=(0, 0, 0), actuators={"all": cfg}) as (sim, robot):
        robot.write_joint_stiffness_to_sim(100.0, env_ids=[1])
        robot.write_joint_effort_limit_to_sim(20.0)
        robot.set_joint_position_target(0.5)
        advance(sim, robot)
        np.testing.assert_allclose(values(robot.data.computed_torque), [[5.0], [50.0]])
        np.testing.assert_allclose(values(robot.data.applied_torque), [[5.0], [20.0]])
        np.testing.assert_allclose(values(robot.actuators["all"].stiffness), [[10.0], [100.0]])


def test_models_of_explicit_actuators_keep_their_gains():
    cfg = group(IdealPDActuatorCfg, stiffness=10.0, damping=1.0)
    with running(chain(1), 2, gravity=(0, 0, 0), actuators={"all": cfg}) as (sim, robot):
        robot.set_masses(5.0)
        robot.set_joint_position_target(0.5)
        advance(sim, robot)
        np.testing.assert_allclose(values(robot.data.applied_torque), 5.0)


def test_a_change_of_explicit_gains_acts_at_once():
    cfg = group(IdealPDActuatorCfg, stiffness=10.0, damping=1.0)
    with running(chain(1), 2, gravity=(0, 0, 0), actuators={"all": cfg}) as (sim, robot):
        robot.actuators["all"].stiffness = [[20.0], [30.0]]
        robot.set_joint_position_target(0.5)
        advance(sim, robot)
        np.testing.assert_allclose(values(robot.data.applied_torque), [[10.0], [15.0]])


def test_the_table_of_values_is_logged_when_asked_for(caplog):
    caplog.set_level(logging.WARNING)
    options = {"actuator_value_resolution_debug_print": True}
    cfg = {"all": group(stiffness=10.0)}
    with running(chain(2, drive=AUTHORED), actuators=cfg, **options):
        pass
    assert "stiffness" in caplog.text and "joint_2" in caplog.text


def test_actuators_are_read_only():
    with running(chain(1), actuators={"all": group()}) as (_, robot):
        with pytest.raises(TypeError):
            robot.actuators["all"] = None
        with pytest.raises(AttributeError):
            robot.actuators = {}


def with_servo(**values) -> object:
    """A chain of two with a servo of the MuJoCo dialect on the first joint."""
    stage = chain(2)
    prim = stage.DefinePrim(f"{ROBOT}/servo", "MjcActuator")
    prim.CreateRelationship("mjc:target").SetTargets([f"{ROBOT}/joint_1"])
    for name, numbers in values.items():
        kind = Sdf.ValueTypeNames.DoubleArray
        prim.CreateAttribute(f"mjc:{name}", kind).Set(numbers)
    prim.CreateAttribute("mjc:biasType", Sdf.ValueTypeNames.Token).Set("affine")
    return stage


@pytest.mark.parametrize("stiffness, expected", [(None, 70.0), (20.0, 20.0)])
def test_a_servo_is_the_drive_on_the_stage(stiffness, expected):
    stage = with_servo(gainPrm=[70.0], biasPrm=[0.0, -70.0, -4.0])
    actuators = {"one": group(joints=["joint_1"], stiffness=stiffness)}
    with running(stage, 2, actuators=actuators) as (sim, robot):
        assert sim.engine.compiled.mj.nu == 6
        np.testing.assert_allclose(values(robot.data.joint_stiffness), [[expected, 0.0]] * 2)
        np.testing.assert_allclose(values(robot.data.joint_damping), [[4.0, 0.0]] * 2)


@pytest.mark.parametrize("kind", [ImplicitActuatorCfg, IdealPDActuatorCfg])
def test_what_is_configured_for_all_worlds_is_in_the_model(kind):
    cfg = group(kind, stiffness=30.0, damping=2.0, effort_limit=9.0, armature=0.2)
    with running(chain(2, drive=AUTHORED), 2, actuators={"all": cfg}) as (sim, robot):
        model = sim.engine.compiled.mj
        gain = 30.0 if kind is ImplicitActuatorCfg else 0.0
        np.testing.assert_allclose(model.actuator_biasprm[:, 1], -gain)
        np.testing.assert_allclose(model.dof_armature, 0.2)
        for field in ("actuator_biasprm", "actuator_forcerange", "dof_armature"):
            assert sim.engine.batch.expanded(field) is None
        np.testing.assert_allclose(values(robot.actuators["all"].stiffness), 30.0)
        np.testing.assert_allclose(values(robot.actuators["all"].effort_limit), 9.0)


def test_an_explicit_actuator_without_gains_of_its_own_has_those_on_the_stage():
    cfg = group(IdealPDActuatorCfg, stiffness={"joint_1": 30.0})
    with running(chain(2, drive=AUTHORED), 2, actuators={"all": cfg}) as (_, robot):
        model = robot.actuators["all"]
        np.testing.assert_allclose(values(model.stiffness), [[30.0, 12.0]] * 2, rtol=1e-6)
        np.testing.assert_allclose(values(model.damping), 3.0, rtol=1e-6)
        np.testing.assert_allclose(values(model.effort_limit), 80.0)
        assert (values(robot.data.joint_stiffness) == 0.0).all()
        assert (values(robot.data.joint_damping) == 0.0).all()


def test_configured_gains_are_forces_where_the_stage_had_accelerations():
    stage = chain(1, drive=AUTHORED)
    drive = UsdPhysics.DriveAPI.Get(stage.GetPrimAtPath(f"{ROBOT}/joint_1"), "angular")
    drive.CreateTypeAttr("acceleration")
    with running(stage, actuators={"all": group(stiffness=30.0, damping=2.0)}) as (_, robot):
        np.testing.assert_allclose(values(robot.data.joint_stiffness), 30.0)
        np.testing.assert_allclose(values(robot.data.joint_damping), 2.0)
    with running(stage, actuators={"all": group(stiffness=30.0)}) as (_, robot):
        np.testing.assert_allclose(values(robot.data.joint_stiffness), 30.0)
        np.testing.assert_allclose(values(robot.data.joint_damping), 3.0 * ABOUT_JOINT, rtol=1e-5)


def test_gains_per_inertia_follow_masses():
    stage = chain(1, drive=AUTHORED)
    drive = UsdPhysics.DriveAPI.Get(stage.GetPrimAtPath(f"{ROBOT}/joint_1"), "angular")
    drive.CreateTypeAttr("acceleration")
    with running(stage, 2, actuators={"all": group()}) as (_, robot):
        masses = np.array(values(robot.data.body_mass))
        np.testing.assert_allclose(
            values(robot.data.joint_stiffness), 12.0 * ABOUT_JOINT, rtol=1e-5
        )
        masses[1, -1] *= 3.0
        robot.set_masses(masses)
        gained = 2.0 * ABOUT_JOINT - 2.0 * INERTIA
        expected = 12.0 * np.array([[ABOUT_JOINT], [ABOUT_JOINT + gained]])
        np.testing.assert_allclose(values(robot.data.joint_stiffness), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["stiffness", "armature", "effort_limit"])
@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_what_is_not_allowed_is_named(name, bad):
    with (
        pytest.raises(InvalidValueError, match=rf"{name}.*joint_1"),
        running(chain(1), actuators={"all": group(**{name: bad})}),
    ):
        pass


def test_reset_takes_indices_a_slice_or_a_mask():
    cfg = group(DelayedPDActuatorCfg, stiffness=10.0, damping=0.0, min_delay=1, max_delay=1)
    with running(chain(1), 3, gravity=(0, 0, 0), actuators={"all": cfg}) as (sim, robot):
        robot.reset()
        for chosen in (
            {"env_ids": [1]},
            {"env_ids": slice(1, 2)},
            {"env_mask": [False, True, False]},
        ):
            robot.set_joint_effort_target(1.0)
            advance(sim, robot, 2)
            robot.reset(**chosen)
            robot.write_joint_state_to_sim(0.0, 0.0)
            robot.set_joint_effort_target(2.0)
            advance(sim, robot)
            # A command before the first one after a reset is that one; the others get their last.
            np.testing.assert_allclose(values(robot.data.applied_torque)[:, 0], [1.0, 2.0, 1.0])


def test_everything_goes_on_when_the_engine_replaces_its_arrays():
    with running(chain(1, fixed=False, drive=AUTHORED), 2) as (sim, robot):
        advance(sim, robot)
        position = robot.data.joint_pos
        robot.set_coms(np.tile([0.1, 0.2, -0.5, 0.0, 0.0, 0.0, 1.0], (2, 2, 1)))
        robot.set_joint_position_target([[0.5], [0.0]])
        advance(sim, robot, 20)
        assert robot.data.joint_pos is not None
        found = values(robot.data.joint_pos)
        np.testing.assert_allclose(found, sim.engine.read("qpos")[:, 7:], rtol=1e-6)
        assert found[0, 0] > found[1, 0] and position.shape == found.shape


def test_environments_may_have_gains_of_their_own():
    stage = chain(1, drive=AUTHORED)
    environments(stage, 3)
    other = stage.OverridePrim(ROBOT.replace("env_0", "env_2") + "/joint_1")
    UsdPhysics.DriveAPI(other, "angular").CreateStiffnessAttr(25.0 * PER_DEGREE)
    with running(stage) as (_, robot):
        expected = [[12.0], [12.0], [25.0]]
        np.testing.assert_allclose(values(robot.data.joint_stiffness), expected, rtol=1e-6)
        np.testing.assert_allclose(values(robot.actuators.rest.stiffness), expected, rtol=1e-6)
