"""What a multirotor is found to be: thrusters, matrix, targets, names and refusals."""

from __future__ import annotations

import copy
import inspect
import logging
import shutil

import numpy as np
import pytest
import warp as wp
from articulation_stages import ROBOT, add_body, add_joint, advance, new_stage
from device_under_test import changed, shares_memory
from multirotor_craft import CRAFT, DT, flying, start_over
from pxr import UsdGeom, UsdPhysics

from usdsim.actuators import ImplicitActuatorCfg, MultiRotorActions, Thruster, ThrusterCfg
from usdsim.assets import Multirotor, MultirotorCfg, MultirotorData
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnknownNameError
from usdsim.sim import (
    InteractiveScene,
    InteractiveSceneCfg,
    SimulationCfg,
    SimulationContext,
    build_simulation_context,
)
from usdsim.spawners import UsdFileCfg, clone_environments
from usdsim.usd.stage import create_stage
from usdsim.views.copies.device import DeviceCopies
from usdsim.views.copies.host import HostCopies

pytestmark = pytest.mark.usefixtures("device")

QUAD = CRAFT["quadrotor"]
ROTORS = ["rotor_0", "rotor_1", "rotor_2", "rotor_3"]
BOTH = pytest.mark.parametrize("name", CRAFT)
JOINTS = ImplicitActuatorCfg(joint_names_expr=".*", stiffness=1.0, damping=0.1)


COPIES = {"numpy": HostCopies, "kernels": DeviceCopies}


@pytest.fixture
def quad():
    """Three quadrotors."""
    with flying(QUAD.cfg()) as (_, vehicle):
        yield vehicle


@pytest.fixture(params=[pytest.param("numpy", marks=shares_memory), "kernels"])
def asked(request, quad):
    """The same, with targets written by NumPy as on the CPU, or by kernels as on a GPU."""
    quad.root_view.copies = COPIES[request.param](quad.root_view)
    return quad


# -- what it is ----------------------------------------------------------------------------------


@BOTH
def test_thrusters_are_the_bodies_that_match(name: str):
    craft = CRAFT[name]
    cfg = craft.cfg()
    before = copy.deepcopy(cfg)
    with flying(cfg) as (_, vehicle):
        expected = [f"rotor_{i}" for i in range(craft.rotors)]
        assert vehicle.thruster_names == vehicle.data.thruster_names == expected
        assert vehicle.num_thrusters == craft.rotors and vehicle.num_instances == 3
        assert list(vehicle.actuators) == ["thrusters"]
        model = vehicle.actuators["thrusters"]
        assert isinstance(model, Thruster) and model.thruster_names == expected
        assert model.cfg.dt == pytest.approx(DT)
        assert isinstance(vehicle.data, MultirotorData) and vehicle.data.is_primed
        assert vehicle.joint_names == [] and not vehicle.is_fixed_base
        shape = (3, craft.rotors)
        for what in ("default_thruster_rps", "thrust_target", "computed_thrust", "applied_thrust"):
            array = getattr(vehicle.data, what)
            assert isinstance(array, wp.array) and array.shape == shape, what
            assert getattr(vehicle.data, what) is array
        np.testing.assert_allclose(vehicle.data.default_thruster_rps.numpy(), craft.hover_rps)
    assert cfg == before


@BOTH
def test_the_matrix_is_that_of_the_geometry(name: str):
    craft = CRAFT[name]
    with flying(craft.cfg(), num_envs=2) as (_, vehicle):
        matrix = vehicle.allocation_matrix
        assert matrix.shape == (6, craft.rotors)
        np.testing.assert_allclose(matrix.numpy(), craft.allocation(), atol=1e-7)
        all_of_them = vehicle.allocation_matrices.numpy()
        np.testing.assert_array_equal(all_of_them, [matrix.numpy()] * 2)


def test_without_directions_rotors_make_no_torque_about_their_axes():
    expected = QUAD.allocation()
    expected[5] = 0.0
    with flying(QUAD.cfg(rotor_directions=None), num_envs=1) as (_, vehicle):
        np.testing.assert_allclose(vehicle.allocation_matrix.numpy(), expected, atol=1e-7)


def test_groups_have_their_own_models_in_the_order_given():
    """Two kinds of rotors, the rear ones first: each group behaves as one alone."""
    rear = QUAD.thruster(thruster_names_expr="rotor_[23]", rise_time_constant=0.02)
    front = QUAD.thruster(
        thruster_names_expr="rotor_[01]", thrust_range=(0.0, 3.0), torque_to_thrust_ratio=0.05
    )
    names = ["rotor_2", "rotor_3", "rotor_0", "rotor_1"]
    rps = {"rotor_[0-1]": 80.0, "rotor_[2-3]": 90.0, "rotor_3": 95.0}
    speeds = np.array([90.0, 95.0, 80.0, 80.0])
    cfg = QUAD.cfg(rps, actuators={"rear": rear, "front": front})
    with flying(cfg, num_envs=2) as (sim, vehicle):
        assert vehicle.thruster_names == names
        assert {k: m.thruster_names for k, m in vehicle.actuators.items()} == {
            "rear": names[:2],
            "front": names[2:],
        }
        order = [2, 3, 0, 1]
        expected = QUAD.allocation()[:, order]
        expected[5] = np.array([-1.0, 1.0, -1.0, 1.0]) * [0.0132, 0.0132, 0.05, 0.05]
        np.testing.assert_allclose(vehicle.allocation_matrix.numpy(), expected, atol=1e-7)
        start = QUAD.thrust_const * speeds**2
        np.testing.assert_allclose(vehicle.data.applied_thrust.numpy(), [start] * 2, rtol=1e-6)
        np.testing.assert_allclose(vehicle.data.thrust_target.numpy(), [start] * 2, rtol=1e-6)
        target = np.array([[1.0, 2.0, 3.5, 4.0], [5.0, 0.0, 1.0, 2.0]])
        alone = [
            Thruster(
                ThrusterCfg(**{**vars(group), "dt": DT}), names[ids], ids, 2, "cpu", speeds[ids]
            )
            for group, ids in ((rear, slice(0, 2)), (front, slice(2, 4)))
        ]
        vehicle.set_thrust_target(target)
        for _ in range(10):
            advance(sim, vehicle)
            parts = [
                model.compute(MultiRotorActions(target[:, ids])).thrusts.numpy()
                for model, ids in zip(alone, (slice(0, 2), slice(2, 4)), strict=True)
            ]
            np.testing.assert_array_equal(vehicle.data.applied_thrust.numpy(), np.hstack(parts))
        assert (vehicle.data.applied_thrust.numpy()[:, 2:] <= 3.0).all()
        changed(vehicle.data.default_thruster_rps, (1, slice(1, 3)), 70.0)
        vehicle.reset([1])
        again = QUAD.thrust_const * np.array([90.0, 70.0, 70.0, 80.0]) ** 2
        for what in ("applied_thrust", "computed_thrust", "thrust_target"):
            np.testing.assert_allclose(getattr(vehicle.data, what).numpy()[1], again, rtol=1e-6)
        np.testing.assert_array_equal(vehicle.data.applied_thrust.numpy()[0], np.hstack(parts)[0])


def test_rotors_may_turn_on_joints():
    """Joints keep their drives on the stage; rotors that are canted push along their own axes."""
    stage = new_stage()
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(ROBOT))
    add_body(stage, f"{ROBOT}/base", com=(0, 0, 0), mass=1.0)
    for i, side in enumerate((1.0, -1.0)):
        rotor = f"{ROBOT}/rotor_{i}"
        prim = add_body(stage, rotor, pos=(0.2 * side, 0, 0.1), com=(0, 0, 0), mass=0.05)
        UsdGeom.Xformable(prim).AddRotateYOp().Set(30.0 * side)
        joint = add_joint(
            stage, f"{ROBOT}/spin_{i}", "Revolute", f"{ROBOT}/base", rotor,
            (0.2 * side, 0, 0.1), drive={"TargetVelocity": 90.0, "Damping": 0.1}, axis="Z",
        )  # fmt: skip
        half = np.radians(15.0 * side)
        turned = UsdPhysics.Joint(joint).CreateLocalRot0Attr()
        turned.Set(turned.GetTypeName().type.pythonClass(np.cos(half), 0, np.sin(half), 0))
    cfg = MultirotorCfg(
        prim_path=ROBOT,
        actuators={"all": QUAD.thruster()},
        rotor_directions=(1, -1),
        init_state=MultirotorCfg.InitialStateCfg(joint_pos={"spin_0": 0.5}),
    )
    s, c, ratio = np.sin(np.radians(30.0)), np.cos(np.radians(30.0)), QUAD.torque_ratio
    expected = np.array(
        [
            [s, -s],
            [0.0, 0.0],
            [c, c],
            [-ratio * s, -ratio * s],
            [0.1 * s - 0.2 * c, -0.1 * s + 0.2 * c],
            [-ratio * c, ratio * c],
        ]
    )
    with SimulationContext(SimulationCfg(dt=DT, gravity=(0, 0, 0)), stage) as sim:
        vehicle = cfg.class_type(cfg)
        sim.reset()
        assert vehicle.joint_names == ["spin_0", "spin_1"]
        np.testing.assert_allclose(vehicle.data.default_joint_pos.numpy(), [[0.5, 0.0]])
        np.testing.assert_allclose(vehicle.allocation_matrix.numpy(), expected, atol=1e-6)
        stiff = vehicle.data.joint_damping.numpy()
        np.testing.assert_allclose(stiff, np.degrees(0.1), rtol=1e-5)
        vehicle.set_thrust_target(0.0)
        advance(sim, vehicle, 400)
        np.testing.assert_allclose(vehicle.data.joint_vel.numpy(), np.pi / 2.0, rtol=0.05)
        np.testing.assert_allclose(vehicle.allocation_matrix.numpy(), expected, atol=1e-6)


def test_rotors_may_hang_on_other_links():
    """An arm turned to the left carries a rotor that pushes along the arm."""
    stage = new_stage()
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(ROBOT))
    add_body(stage, f"{ROBOT}/base", com=(0.01, 0, 0))
    turns = {"arm": (0.3, 0, 0, 90.0, "Z"), "rotor_0": (0.3, 0.2, 0, 90.0, "Y")}
    links = ["base", *turns]
    for parent, name in zip(links, turns, strict=False):
        *place, angle, axis = turns[name]
        prim = add_body(stage, f"{ROBOT}/{name}", pos=place, com=(0, 0, 0), mass=0.1)
        xform = UsdGeom.Xformable(prim)
        if name == "rotor_0":
            xform.AddRotateZOp(opSuffix="arm").Set(90.0)
        getattr(xform, f"AddRotate{axis}Op")().Set(angle)
        path = f"{ROBOT}/{name}_fix"
        joint = add_joint(stage, path, "Fixed", f"{ROBOT}/{parent}", f"{ROBOT}/{name}")
        local = (0.3, 0, 0) if name == "arm" else (0.2, 0, 0)
        api = UsdPhysics.Joint(joint)
        api.GetLocalPos0Attr().Set(local)
        turned = api.CreateLocalRot0Attr()
        half = np.radians(angle) / 2.0
        imaginary = np.sin(half) * np.array([axis == "X", axis == "Y", axis == "Z"])
        turned.Set(turned.GetTypeName().type.pythonClass(np.cos(half), *map(float, imaginary)))
    cfg = MultirotorCfg(prim_path=ROBOT, actuators={"all": QUAD.thruster()}, rotor_directions=[-1])
    with SimulationContext(SimulationCfg(dt=DT), stage) as sim:
        vehicle = cfg.class_type(cfg)
        sim.reset()
        # At (0.29, 0.2, 0) from the centre of mass; the arm points along y, and so does thrust.
        expected = [0.0, 1.0, 0.0, 0.0, QUAD.torque_ratio, 0.29]
        got = vehicle.allocation_matrix.numpy()[:, 0]
        np.testing.assert_allclose(got, expected, atol=1e-6)


def test_several_in_one_world_have_rows_of_their_own():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/World/envs/env_0")
    for i in range(2):
        UsdGeom.Xform.Define(stage, f"/World/envs/env_0/Robot_{i}")
        prim = stage.GetPrimAtPath(f"/World/envs/env_0/Robot_{i}")
        prim.GetReferences().AddReference(QUAD.path)
        UsdGeom.Xformable(prim).AddTranslateOp().Set((0.0, 2.0 * i, 1.0))
    cfg = QUAD.cfg(prim_path="{ENV_REGEX_NS}/Robot_.*", spawn=None)
    with SimulationContext(SimulationCfg(dt=DT), stage) as sim:
        vehicle = cfg.class_type(cfg)
        clone_environments("/World/envs/env_0", 2, 5.0, stage=stage)
        sim.reset()
        assert vehicle.num_instances == 4 and vehicle.data.applied_thrust.shape == (4, 4)
        vehicle.set_thrust_target(np.array([1.0, 1.1, 1.2, 1.3]) * QUAD.hover)
        coms = vehicle.data.body_com_pose_b.numpy()[3:, :1].copy()
        coms[..., 1] += 0.01
        vehicle.set_coms(coms, body_ids=[0], env_ids=[3])
        advance(sim, vehicle, 50)
        climb = vehicle.data.root_lin_vel_w.numpy()[:, 2]
        assert abs(climb[0]) < 1e-4 and (np.diff(climb) > 0.05).all()
        np.testing.assert_array_less(
            np.abs(vehicle.data.root_ang_vel_w.numpy()[:3]), 1e-4 * np.ones((3, 3))
        )
        # The thrusts act to the right of the centre of mass: they roll the vehicle to the left.
        change = vehicle.allocation_matrices.numpy()[3] - vehicle.allocation_matrix.numpy()
        np.testing.assert_allclose(change[3], -0.01, atol=1e-6)


def test_it_is_part_of_a_scene():
    scene_cfg = InteractiveSceneCfg(num_envs=2, env_spacing=3.0)
    scene_cfg.robot = QUAD.cfg()
    with build_simulation_context(SimulationCfg(dt=DT)) as sim:
        scene = InteractiveScene(scene_cfg)
        sim.reset()
        vehicle = scene["robot"]
        assert isinstance(vehicle, Multirotor) and scene.articulations["robot"] is vehicle
        vehicle.set_thrust_target(0.0)
        scene.write_data_to_sim()
        assert (vehicle.data.applied_thrust.numpy() < QUAD.hover).all()
        scene.reset([0])
        np.testing.assert_allclose(vehicle.data.applied_thrust.numpy()[0], QUAD.hover, rtol=1e-6)
        assert (vehicle.data.applied_thrust.numpy()[1] < QUAD.hover).all()


def test_common_usage(tmp_path, monkeypatch, caplog):
    """Patterns, lists of lists, speeds by pattern, and a file below the working directory."""
    torch = pytest.importorskip("torch")
    (tmp_path / "path" / "to").mkdir(parents=True)
    shutil.copy(QUAD.path, tmp_path / "path" / "to" / "quadcopter.usda")
    monkeypatch.chdir(tmp_path)
    cfg = MultirotorCfg(
        prim_path="/World/envs/env_.*/Quadcopter",
        spawn=UsdFileCfg(usd_path="path/to/quadcopter.usda"),
        init_state=MultirotorCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0), rps={".*": 110.0}),
        actuators={
            "thrusters": ThrusterCfg(
                thruster_names_expr=["rotor_[0-3]"],
                thrust_range=(0.0, 12.0),
                rise_time_constant=0.12,
                fall_time_constant=0.25,
            ),
        },
        allocation_matrix=[
            [1.0, 1.0, 1.0, 1.0],
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0],
            [0.0, 0.13, 0.0, -0.13],
            [-0.13, 0.0, 0.13, 0.0],
            [0.01, -0.01, 0.01, -0.01],
        ],
        rotor_directions=[1, -1, 1, -1],
    )
    with flying(cfg, num_envs=2) as (sim, multirotor):
        num_envs = 2
        assert multirotor.thruster_names == ROTORS
        multirotor.set_thrust_target(torch.ones(num_envs, 4) * 5.0)
        multirotor.set_thrust_target(torch.tensor([[5.0, 6.0]]), thruster_ids=[0, 2], env_ids=[0])
        expected = [[5.0, 5.0, 6.0, 5.0], [5.0, 5.0, 5.0, 5.0]]
        np.testing.assert_array_equal(multirotor.data.thrust_target.numpy(), expected)
        advance(sim, multirotor, 3)
        saturation = multirotor.data.computed_thrust - multirotor.data.applied_thrust
        assert not (saturation.abs() > 1e-6).any()
        multirotor.reset()
        multirotor.reset(env_ids=[0])
    assert "pushes along" in caplog.text


def test_data_of_joints_are_there_without_joints(quad):
    """Shorthands that share memory included, and writes of none."""
    quantities = [name for name in dir(type(quad.data)) if "joint" in name and name[0] != "_"]
    for name in quantities:
        value = getattr(quad.data, name)
        if isinstance(value, wp.array) and not name.startswith("body_"):
            assert value.shape == (3, 0), name
    quad.set_joint_position_target(np.zeros((3, 0)))
    quad.write_joint_position_to_sim(np.zeros((3, 0)))
    assert quad.data.body_incoming_joint_wrench_b.shape == (3, 5)


# -- targets -------------------------------------------------------------------------------------


def target_of(vehicle: Multirotor) -> np.ndarray:
    return vehicle.data.thrust_target.numpy().copy()


@pytest.mark.parametrize(
    "value, kwargs, expected",
    [
        (2.0, {}, np.full((3, 4), 2.0)),
        ([1.0, 2.0, 3.0], {}, np.repeat([[1.0], [2.0], [3.0]], 4, axis=1)),
        ([[1.0, 2.0, 3.0, 4.0]], {}, np.tile([1.0, 2.0, 3.0, 4.0], (3, 1))),
        ([[2.0, 3.0]], {"thruster_ids": slice(0, 2)}, [[2, 3, 0, 0]] * 3),
        ([[2.0, 3.0]], {"thruster_ids": [3, 0]}, [[3, 0, 0, 2]] * 3),
        (
            [[1.0, 2.0], [3.0, 4.0]],
            {"thruster_ids": [1, 2], "env_ids": [2, 0]},
            [[0, 3, 4, 0], [0, 0, 0, 0], [0, 1, 2, 0]],
        ),
        ([5.0, 6.0], {"env_ids": [0, 2]}, [[5] * 4, [0] * 4, [6] * 4]),
        (
            [5.0, 6.0],
            {"env_ids": [1, 2], "thruster_ids": [1]},
            [[0, 0, 0, 0], [0, 5, 0, 0], [0, 6, 0, 0]],
        ),
        (7.0, {"env_ids": []}, np.zeros((3, 4))),
    ],
)  # fmt: skip
def test_targets_by_index(asked, value, kwargs, expected):
    for array in (np.array(value, np.float32), wp.array(np.atleast_1d(value), dtype=wp.float32)):
        asked.set_thrust_target(0.0)
        asked.set_thrust_target(array, **kwargs)
        np.testing.assert_array_equal(target_of(asked), expected)
        asked.set_thrust_target(0.0)
        asked.set_thrust_target_index(target=array, **kwargs)
        np.testing.assert_array_equal(target_of(asked), expected)


def test_targets_of_everything_by_index_and_by_mask(asked):
    values = np.arange(1.0, 13.0).reshape(3, 4)
    asked.set_thrust_target(0.0)
    asked.set_thrust_target_index(
        target=values, thruster_ids=[1, 3], env_ids=[2], full_data=True
    )  # fmt: skip
    expected = np.zeros((3, 4))
    expected[2, [1, 3]] = values[2, [1, 3]]
    np.testing.assert_array_equal(target_of(asked), expected)
    envs = wp.array([True, False, True], dtype=wp.bool)
    thrusters = np.array([False, False, True, True])
    asked.set_thrust_target(0.0)
    asked.set_thrust_target_mask(target=values, thruster_mask=thrusters, env_mask=envs)
    expected = np.where(envs.numpy()[:, None] & thrusters, values, 0.0)
    np.testing.assert_array_equal(target_of(asked), expected)
    asked.set_thrust_target_mask(target=values, env_mask=envs)
    asked.set_thrust_target_mask(target=[1.0, 2.0, 3.0], thruster_mask=thrusters)
    np.testing.assert_array_equal(target_of(asked)[:, 2:], [[1, 1], [2, 2], [3, 3]])
    np.testing.assert_array_equal(target_of(asked)[:, :2], [[1, 2], [0, 0], [9, 10]])
    asked.data.thrust_target = values
    np.testing.assert_array_equal(target_of(asked), values)


def test_targets_on_the_device_are_not_looked_at(asked):
    """Indices and masks of Warp arrays; what is out of range is left out, NaN is passed on."""
    on = asked.device
    by_kernels = asked.root_view.copies.by_kernels
    values = wp.array([[1.0, 2.0], [3.0, 4.0]], dtype=wp.float32, device=on)
    rows, columns = (wp.array(ids, dtype=wp.int32, device=on) for ids in ([2, 0], [1, 3]))
    asked.set_thrust_target(0.0)
    asked.set_thrust_target(values, columns, rows)
    expected = np.zeros((3, 4))
    expected[np.ix_([2, 0], [1, 3])] = values.numpy()
    np.testing.assert_array_equal(target_of(asked), expected)
    whole = wp.array(np.arange(12.0).reshape(3, 4), dtype=wp.float32, device=on)
    mask = wp.array([True, False, True], dtype=wp.bool, device=on)
    asked.set_thrust_target_mask(target=whole, env_mask=mask)
    expected[[0, 2]] = whole.numpy()[[0, 2]]
    np.testing.assert_array_equal(target_of(asked), expected)
    outside = wp.array([-1, 3], dtype=wp.int32, device=on)
    broken = wp.full((2, 4), np.nan, dtype=wp.float32, device=on)
    if by_kernels:
        asked.set_thrust_target(values, columns, outside)
        np.testing.assert_array_equal(target_of(asked), expected)
        asked.set_thrust_target(broken, env_ids=[0, 1])
        assert np.isnan(target_of(asked)[:2]).all()
    else:
        for array, ids in ((values, outside), (broken, [0, 1])):
            with pytest.raises(InvalidValueError):
                asked.set_thrust_target(array, columns if ids is outside else None, ids)
        np.testing.assert_array_equal(target_of(asked), expected)


@pytest.mark.parametrize(
    "value, kwargs, error, words",
    [
        (np.nan, {}, InvalidValueError, "thrust_target of multirotor"),
        (np.full((3, 4), np.inf), {}, InvalidValueError, "Nothing was written"),
        ("fast", {}, InvalidValueError, "real numbers"),
        (np.ones((3, 3)), {}, ShapeError, "(3, 4)"),
        ([1.0, 2.0, 3.0, 4.0], {}, ShapeError, "an array of one row"),
        ([1.0, 2.0], {"thruster_ids": [0, 1]}, ShapeError, "(3, 2)"),
        (1.0, {"thruster_ids": [4]}, InvalidValueError, "' is 4; allowed: 0 to 3"),
        (1.0, {"thruster_ids": [0, 0]}, InvalidValueError, "more than once"),
        (1.0, {"env_ids": [-1]}, InvalidValueError, "' is -1; allowed: 0 to 2"),
        (1.0, {"env_ids": [0.5]}, InvalidValueError, "env_ids"),
    ],
)
def test_targets_that_are_refused_change_nothing(asked, value, kwargs, error, words):
    asked.set_thrust_target(1.5)
    with pytest.raises(error) as raised:
        asked.set_thrust_target(value, **kwargs)
    assert words in str(raised.value)
    np.testing.assert_array_equal(target_of(asked), 1.5)


def test_masks_that_are_refused_change_nothing(asked):
    asked.set_thrust_target(1.5)
    with pytest.raises(ShapeError, match="thruster_mask"):
        asked.set_thrust_target_mask(target=1.0, thruster_mask=[True])
    with pytest.raises(InvalidValueError, match="booleans"):
        asked.set_thrust_target_mask(target=1.0, env_mask=[1, 0, 1])
    with pytest.raises(ShapeError, match=r"\(3, 4\)"):
        asked.set_thrust_target_mask(target=np.ones((2, 4)), env_mask=[True, True, False])
    with pytest.raises(InvalidValueError, match="env_ids"):
        asked.reset([7])
    np.testing.assert_array_equal(target_of(asked), 1.5)


# -- configuration -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"actuators": {"t": QUAD.thruster(), "legs": JOINTS}}, "moved by thrusters only"),
        ({"actuators": {"legs": JOINTS}}, "actuators['legs'] is 'ImplicitActuatorCfg'"),
        ({"actuators": {"t": 3}}, "a ThrusterCfg"),
        ({"actuators": {}}, "one group of thrusters or more"),
        ({"actuators": {"t": QUAD.thruster(thrust_range=(3.0, 1.0))}}, "thrust_range"),
        ({"actuators": {"t": QUAD.thruster(rise_time_constant=None)}}, "tau_inc_range"),
        ({"thruster_force_direction": (0.0, 0.0, 2.0)}, "a unit vector"),
        ({"thruster_force_direction": (0.0, 1.0)}, "(3,)"),
        ({"allocation_matrix": [[1.0] * 4] * 5}, "(6, num_thrusters)"),
        ({"allocation_matrix": [[1.0] * 4] * 5 + [[1.0] * 3]}, "Fx, Fy, Fz"),
        ({"allocation_matrix": [[np.nan] * 4] * 6}, "finite numbers"),
        ({"rotor_directions": [1, 2, 1, 2]}, "-1 (clockwise)"),
        ({"rotor_directions": "left"}, "-1 (clockwise)"),
        ({"rotor_directions": [[1, -1]]}, "(num_thrusters,)"),
        ({"rps": [100.0]}, "{pattern: speed in 1/s}"),
        ({"rps": {".*": "fast"}}, "rps['.*']"),
        ({"rps": {".*": np.inf}}, "finite"),
    ],
)
def test_configurations_that_are_refused(make_sim, changes, words):
    make_sim(1)
    with pytest.raises(ValueError) as raised:
        Multirotor(QUAD.cfg(**changes))
    assert words in str(raised.value)


@pytest.mark.parametrize(
    "changes, error, words",
    [
        ({"actuators": {"t": QUAD.thruster(thruster_names_expr="motor_.*")}}, UnknownNameError,
         "for actuators['t']"),
        ({"actuators": {"a": QUAD.thruster(), "b": QUAD.thruster(thruster_names_expr="rotor_2")}},
         InvalidValueError, "rotor_2, which another group has"),
        ({"allocation_matrix": np.ones((6, 3)).tolist()}, ShapeError,
         "(6, 3); expected (6, 4)"),
        ({"rotor_directions": [1, -1, 1]}, ShapeError, "One for each of rotor_0, rotor_1"),
        ({"rps": {"motor_.*": 100.0}}, UnknownNameError, "thruster 'motor_.*' in init_state.rps"),
        ({"rps": {".*": -100.0}}, InvalidValueError, "0 or more"),
        ({"actuators": {"t": QUAD.thruster(integration_scheme="euler", rise_time_constant=0.001,
                                           use_discrete_approximation=False)}},
         InvalidValueError, "diverges"),
        ({"init": {"joint_pos": {"spin": 1.0}}}, UnknownNameError, "joint"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_vehicle_is_refused_at_the_start(make_sim, changes, error, words):
    """The simulation does not start, and starts once that is put right."""
    sim = make_sim(1, dt=DT)
    changes = dict(changes)
    init = changes.pop("init", {})
    cfg = QUAD.cfg(**changes)
    for name, value in init.items():
        setattr(cfg.init_state, name, value)
    vehicle = Multirotor(cfg)
    with pytest.raises(error) as raised:
        sim.reset()
    assert words in str(raised.value)
    assert not vehicle.is_initialized
    sim.unregister(vehicle)
    good = Multirotor(QUAD.cfg(spawn=None))
    sim.reset()
    assert good.num_thrusters == 4


def test_matrices_are_checked_against_bodies_not_patterns(make_sim):
    """Many patterns or one, what counts is what they match."""
    sim = make_sim(1)
    group = QUAD.thruster(thruster_names_expr=["rotor_[0-1]", "rotor_2", "rotor_3"])
    matrix = QUAD.allocation().tolist()
    vehicle = Multirotor(QUAD.cfg({"rotor_0": 80.0}, actuators={"t": group},
                                  allocation_matrix=matrix))  # fmt: skip
    sim.reset()
    assert vehicle.thruster_names == ROTORS
    speeds = vehicle.data.default_thruster_rps.numpy()[0]
    np.testing.assert_array_equal(speeds, [80.0, 0.0, 0.0, 0.0])


def test_speeds_beyond_the_range_are_said_and_limited(make_sim, caplog):
    sim = make_sim(1)
    vehicle = Multirotor(QUAD.cfg({".*": 100.0, "rotor_2": 200.0}))
    sim.reset()
    message = "gives rotor_2 the thrust 9.2 N, outside the range 0 ... 6 N"
    assert [message in record.getMessage() for record in caplog.records].count(True) == 1
    np.testing.assert_allclose(vehicle.data.computed_thrust.numpy()[0, 2], 9.2, rtol=1e-6)
    np.testing.assert_array_equal(vehicle.data.applied_thrust.numpy()[0, 2], 6.0)
    np.testing.assert_array_equal(vehicle.data.thrust_target.numpy()[0, 2], 6.0)


def test_a_time_step_of_its_own_is_kept_and_said(make_sim, caplog):
    sim = make_sim(1, dt=0.002)
    vehicle = Multirotor(QUAD.cfg(actuators={"t": QUAD.thruster(dt=0.01)}))
    sim.reset()
    assert vehicle.actuators["t"].cfg.dt == 0.01
    assert "time step 0.01 s, and the simulation 0.002 s" in caplog.text


def test_before_the_start_there_is_no_state(make_sim, caplog):
    make_sim(1)
    with caplog.at_level(logging.WARNING, "usdsim"):
        vehicle = Multirotor(QUAD.cfg())
    assert vehicle.thruster_names == [] and vehicle.num_thrusters == 0
    for name in ("data", "actuators", "allocation_matrix", "allocation_matrices"):
        with pytest.raises(StageError, match="not initialized"):
            getattr(vehicle, name)
    for call in (vehicle.write_data_to_sim, vehicle.reset, lambda: vehicle.set_thrust_target(1.0)):
        with pytest.raises(StageError, match="not initialized"):
            call()
    assert not caplog.records


def test_stopping_forgets_the_thrusters(make_sim):
    sim = make_sim(1)
    vehicle = Multirotor(QUAD.cfg())
    sim.reset()
    sim.stop()
    assert vehicle.thruster_names == []
    with pytest.raises(StageError, match="not initialized"):
        _ = vehicle.actuators
    sim.reset()
    start_over(sim, vehicle)
    assert vehicle.thruster_names == ROTORS


# -- names ---------------------------------------------------------------------------------------


def test_names_and_parameters():
    assert issubclass(MultirotorCfg, ArticulationCfg)
    assert MultirotorCfg.InitialStateCfg().rps == {".*": 100.0}
    cfg = MultirotorCfg(prim_path="/World/Robot")
    assert cfg.class_type is Multirotor
    assert cfg.thruster_force_direction == (0.0, 0.0, 1.0)
    assert cfg.allocation_matrix is None and cfg.rotor_directions is None
    for method, expected in {
        "set_thrust_target": ["target", "thruster_ids", "env_ids"],
        "set_thrust_target_index": ["target", "thruster_ids", "env_ids", "full_data"],
        "set_thrust_target_mask": ["target", "thruster_mask", "env_mask"],
        "reset": ["env_ids", "env_mask"],
        "write_data_to_sim": [],
    }.items():
        parameters = inspect.signature(getattr(Multirotor, method)).parameters
        assert list(parameters)[1:] == expected
        if method.endswith(("_index", "_mask")):
            kinds = {p.kind for p in list(parameters.values())[2:]}
            assert kinds == {inspect.Parameter.KEYWORD_ONLY}
