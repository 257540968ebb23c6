"""Rigid objects: their life, what they report, and what writing does."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import warp as wp
from asset_stages import G, cuboid
from device_under_test import changed
from pxr import Sdf

from usdsim.assets import RigidObject, RigidObjectCfg
from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnknownNameError
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_from_axis_angle, quat_multiply
from usdsim.usd.prims import define_prim
from usdsim.usd.schemas import apply_api

CUBE = "{ENV_REGEX_NS}/Cube"
Start = RigidObjectCfg.InitialStateCfg
COM = (0.05, -0.03, 0.08)


def cube(sim, path=CUBE, start=None, reset=True, **values) -> RigidObject:
    cfg = RigidObjectCfg(
        prim_path=path, spawn=cuboid(**values), init_state=start or Start(pos=(0.0, 0.0, 1.0))
    )
    asset = RigidObject(cfg)
    if reset:
        sim.reset()
    return asset


def states(asset: RigidObject, seed=0) -> np.ndarray:
    """Random states, shape (num_instances, 13)."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(asset.num_instances, 13))
    rows[:, 3:7] /= np.linalg.norm(rows[:, 3:7], axis=1, keepdims=True)
    return rows.astype(np.float32)


# -- life ------------------------------------------------------------------------------------------


def test_it_is_initialized_by_reset_and_forgotten_by_stop(sim):
    asset = cube(sim, reset=False)
    assert not asset.is_initialized and str(asset).endswith("instances not initialized")
    with pytest.raises(StageError, match=r"Call sim.reset\(\) first"):
        _ = asset.data
    with pytest.raises(StageError, match=r"Call sim.reset\(\) first"):
        asset.write_root_pose_to_sim(np.zeros((3, 7)))
    sim.reset()
    assert asset.is_initialized and asset.data.is_primed
    assert str(asset).startswith("RigidObject, ") and str(asset).endswith("instances 3")
    assert (asset.num_instances, asset.num_bodies, asset.device) == (3, 1, "cpu")
    assert asset.body_names == asset.data.body_names == ["Cube"]
    assert asset.root_view is asset.root_physx_view
    sim.stop()
    assert not asset.is_initialized
    with pytest.raises(StageError, match=r"sim.reset\(\)"):
        asset.write_data_to_sim()


def test_arrays_outlive_the_simulation_they_came_from(sim):
    asset = cube(sim)
    pose, position = asset.data.root_link_pose_w, asset.data.root_link_pos_w
    default = asset.data.default_root_vel
    sim.stop()
    junk = [np.full(1000, 7.0) for _ in range(100)]
    assert len(junk) == 100
    np.testing.assert_array_equal(position.numpy(), pose.numpy()[:, :3])
    np.testing.assert_array_equal(default.numpy(), 0.0)


def test_the_configuration_is_copied_and_never_changed(sim):
    cfg = RigidObjectCfg(prim_path=CUBE, spawn=cuboid())
    before = cfg.copy()
    asset = RigidObject(cfg)
    sim.reset()
    assert cfg == before
    cfg.init_state.pos = (9.0, 9.0, 9.0)
    assert asset.cfg.init_state.pos == (0.0, 0.0, 0.0)
    other = cfg.replace(prim_path="/World/Other")
    assert other.prim_path == "/World/Other" and cfg.prim_path == CUBE
    assert other.spawn is not cfg.spawn


def test_default_state_is_that_of_the_configuration_in_the_environments_frame(sim):
    rot = tuple(quat_from_axis_angle([0.0, 1.0, 0.0], 0.4))
    start = Start(pos=(0.1, 0.2, 1.0), rot=rot, lin_vel=(1.0, 2.0, 3.0), ang_vel=(4.0, 5.0, 6.0))
    asset = cube(sim, start=start)
    row = [0.1, 0.2, 1.0, *rot, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    data = asset.data
    np.testing.assert_allclose(data.default_root_state.numpy(), [row] * 3, rtol=1e-6)
    np.testing.assert_allclose(data.default_root_pose.numpy(), [row[:7]] * 3, rtol=1e-6)
    np.testing.assert_allclose(data.default_root_vel.numpy(), [row[7:]] * 3, rtol=1e-6)
    # On the stage they are spawned there too.
    expected = np.array([row[:3]] * 3) + sim.env_origins
    np.testing.assert_allclose(data.root_link_pos_w.numpy(), expected, atol=1e-6)
    np.testing.assert_allclose(data.root_link_quat_w.numpy(), [rot] * 3, atol=1e-6)


def test_default_arrays_are_written_in_place_or_by_assignment(sim):
    data = cube(sim).data
    changed(data.default_root_state, (1, slice(3)), 7.0)
    np.testing.assert_array_equal(data.default_root_pose.numpy()[:, 0], [0.0, 7.0, 0.0])
    data.default_root_vel = np.arange(6.0)
    np.testing.assert_array_equal(data.default_root_state.numpy()[:, 7:], [np.arange(6.0)] * 3)
    with pytest.raises(ShapeError, match="default_root_vel"):
        data.default_root_vel = np.zeros((3, 5))
    with pytest.raises(InvalidValueError, match="default_root_vel"):
        data.default_root_vel = np.nan
    np.testing.assert_array_equal(data.default_root_state.numpy()[:, 7:], [np.arange(6.0)] * 3)


def test_quantities_are_not_assigned(sim):
    data = cube(sim).data
    with pytest.raises(AttributeError, match="write_"):
        data.root_link_pos_w = np.zeros((3, 3))


def test_update_only_counts_time(sim):
    asset = cube(sim)
    before = asset.data.root_state_w.numpy().copy()
    asset.update(0.25)
    asset.update(0.25)
    assert asset.data.time == 0.5
    np.testing.assert_array_equal(asset.data.root_state_w.numpy(), before)


def test_stages_in_centimetres_and_with_y_up(make_sim):
    sim = make_sim(up_axis="Y", meters_per_unit=0.01)
    rot = tuple(quat_from_axis_angle([0.0, 0.0, 1.0], 0.5))
    asset = cube(sim, start=Start(pos=(0.0, 0.25, 1.0), rot=rot), size=(20.0, 30.0, 40.0))
    position = asset.data.root_link_pos_w.numpy()
    expected = sim.env_origins + np.array([0.0, 0.25, 1.0])
    np.testing.assert_allclose(position, expected, atol=1e-5)
    np.testing.assert_allclose(asset.data.heading_w.numpy(), 0.5, atol=1e-5)
    np.testing.assert_allclose(asset.data.projected_gravity_b.numpy(), [[0, 0, -1]] * 3, atol=1e-6)


def test_initial_rotations_of_any_length_are_scaled_and_told(sim, caplog):
    start = Start(pos=(0.0, 0.0, 2.0), rot=(0.0, 0.0, 0.6, 0.6))
    cube = RigidObject(RigidObjectCfg(prim_path=CUBE, spawn=cuboid(), init_state=start))
    assert "init_state.rot has length 0.8485; taken as [0.0, 0.0, 0.707" in caplog.text
    sim.reset()
    half = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
    for quat in (cube.data.root_link_quat_w, cube.data.default_root_state[:, 3:7]):
        np.testing.assert_allclose(np.asarray(quat), [half] * len(quat), atol=1e-6)


# -- configurations and stages that cannot be used -------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"prim_path": dataclasses.MISSING}, StageError, "prim_path is missing"),
        ({"prim_path": "Cube"}, StageError, "absolute path"),
        ({"prim_path": 3}, StageError, "absolute path"),
        ({"collision_group": 2}, InvalidValueError, "0 or -1"),
        ({"init_state": Start(rot=(0.0, 0.0, 0.0, 0.0))}, InvalidValueError, "not all zero"),
        ({"init_state": Start(pos=(0.0, np.nan, 0.0))}, InvalidValueError, "finite"),
        ({"init_state": Start(ang_vel=(0.0, 1.0))}, ShapeError, "ang_vel"),
        ({"init_state": Start(lin_vel="fast")}, InvalidValueError, "lin_vel"),
    ],
)
def test_bad_configurations_are_refused_before_anything_is_spawned(sim, changes, error, words):
    cfg = RigidObjectCfg(prim_path=CUBE, spawn=cuboid())
    for name, value in changes.items():
        setattr(cfg, name, value)
    with pytest.raises(error, match=words):
        RigidObject(cfg)
    assert not sim.stage.GetPrimAtPath("/World/envs/env_0/Cube")


def test_a_configuration_without_a_prim_path_says_so():
    with pytest.raises(StageError, match="prim_path is missing"):
        RigidObjectCfg().validate()


def test_a_prim_path_that_matches_nothing_is_refused(sim):
    with pytest.raises(StageError, match="No prim matches"):
        RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Nothing"))


def test_what_has_no_rigid_body_is_refused(sim):
    cube(sim, reset=False)
    define_prim(sim.stage, "/World/envs/env_0/Cube/geometry")
    RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Cube/geometry"))
    with pytest.raises(StageError, match=r"exactly one rigid body .*there are 0"):
        sim.reset()


def test_what_has_several_rigid_bodies_is_refused(sim):
    define_prim(sim.stage, "/World/Group")
    for name in ("A", "B"):
        cube(sim, f"/World/Group/{name}", Start(), reset=False)
    RigidObject(RigidObjectCfg(prim_path="/World/Group"))
    with pytest.raises(StageError, match=r"there are 2: /World/Group/A, /World/Group/B"):
        sim.reset()


def test_an_enabled_articulation_root_is_refused_and_a_disabled_one_is_not(make_sim):
    sim = make_sim(1)
    asset = cube(sim, reset=False)
    prim = sim.stage.GetPrimAtPath("/World/envs/env_0/Cube")
    apply_api(prim, "PhysicsArticulationRootAPI")
    with pytest.raises(StageError, match="Use an Articulation"):
        sim.reset()
    assert not asset.is_initialized
    enabled = "physxArticulation:articulationEnabled"
    prim.CreateAttribute(enabled, Sdf.ValueTypeNames.Bool).Set(False)
    sim.reset()
    assert asset.is_initialized


def test_several_matches_in_one_world(sim):
    for name in ("Cube_a", "Cube_b"):
        x = 0.5 if name.endswith("a") else -0.5
        cube(sim, f"{{ENV_REGEX_NS}}/{name}", Start(pos=(x, 0.0, 1.0)), reset=False)
    both = RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Cube_[ab]"))
    sim.reset()
    assert both.num_instances == 6
    expected = np.repeat(sim.env_origins, 2, axis=0) + [[0.5, 0, 1.0], [-0.5, 0, 1.0]] * 3
    np.testing.assert_allclose(both.data.root_link_pos_w.numpy(), expected, atol=1e-6)
    rows = states(both)
    both.write_root_link_state_to_sim(rows[[4, 1]], [4, 1])
    got = both.data.root_link_state_w.numpy()
    np.testing.assert_allclose(got[[4, 1]], rows[[4, 1]], atol=1e-5)
    np.testing.assert_allclose(got[[0, 2, 3, 5], :3], expected[[0, 2, 3, 5]], atol=1e-6)


# -- link and centre of mass -----------------------------------------------------------------------


def test_frames_and_velocities_of_link_and_com_belong_together(make_sim):
    asset = cube(make_sim(gravity=(0.0, 0.0, 0.0)), com=COM)
    rows = states(asset)
    asset.write_root_link_pose_to_sim(rows[:, :7])
    asset.write_root_com_velocity_to_sim(rows[:, 7:])
    data, quat = asset.data, rows[:, 3:7].astype(float)
    arm = quat_apply(quat, np.array(COM))
    v_com, omega = rows[:, 7:10].astype(float), rows[:, 10:].astype(float)
    v_link = v_com - np.cross(omega, arm)
    turn = data.body_com_quat_b.numpy()[:, 0].astype(float)
    inverse = quat_conjugate(quat)
    expected = {
        "root_link_pose_w": rows[:, :7],
        "root_com_pos_w": rows[:, :3] + arm,
        "root_com_quat_w": quat_multiply(quat, turn),
        "root_com_lin_vel_w": v_com,
        "root_link_lin_vel_w": v_link,
        "root_link_ang_vel_w": omega,
        "root_com_ang_vel_w": omega,
        "root_link_lin_vel_b": quat_apply(inverse, v_link),
        "root_com_lin_vel_b": quat_apply(inverse, v_com),
        "root_link_ang_vel_b": quat_apply(inverse, omega),
        "root_state_w": rows,
        "root_link_state_w": np.hstack([rows[:, :7], v_link, omega]),
        "root_lin_vel_w": v_com,
        "root_lin_vel_b": quat_apply(inverse, v_com),
        "root_vel_w": rows[:, 7:],
    }
    for name, value in expected.items():
        got = getattr(data, name).numpy()
        sign = np.sign(np.sum(got * value, axis=1, keepdims=True)) if "quat" in name else 1.0
        np.testing.assert_allclose(got, sign * value, atol=2e-5, err_msg=name)
        body = name.replace("root_", "body_")
        if hasattr(data, body):
            found = getattr(data, body).numpy()
            assert found.shape[1] == 1
            np.testing.assert_allclose(found[:, 0], got, atol=1e-6, err_msg=body)


@pytest.mark.parametrize("frame", ["link", "com"])
def test_what_is_written_is_read_without_a_step(make_sim, frame):
    asset = cube(make_sim(), com=COM)
    rows = states(asset, 3)
    getattr(asset, f"write_root_{frame}_state_to_sim")(rows)
    got = getattr(asset.data, f"root_{frame}_state_w").numpy()
    np.testing.assert_allclose(got, rows, atol=1e-5)
    # Written back as read, nothing moves.
    other = "com" if frame == "link" else "link"
    state = getattr(asset.data, f"root_{other}_state_w").numpy().copy()
    getattr(asset, f"write_root_{other}_state_to_sim")(state)
    got = getattr(asset.data, f"root_{frame}_state_w").numpy()
    np.testing.assert_allclose(got, rows, atol=1e-5)


def test_a_free_body_spins_about_its_centre_of_mass(make_sim):
    sim = make_sim(1, gravity=(0.0, 0.0, 0.0), dt=0.0005)
    asset = cube(sim, size=(0.2, 0.2, 0.2), com=(0.1, 0.0, 0.0), start=Start())
    inertia = np.diag(np.full(3, 0.01)).reshape(9)
    asset.set_inertias(inertia)
    spin, time = 3.0, 0.2
    asset.write_root_com_velocity_to_sim([[1.0, 0.0, 0.0, 0.0, 0.0, spin]])
    sim.step_n(round(time / sim.physics_dt))
    angle = spin * time
    arm = 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
    com = np.array([0.1 + time, 0.0, 0.0])
    data = asset.data
    np.testing.assert_allclose(data.root_com_pos_w.numpy()[0], com, atol=1e-4)
    np.testing.assert_allclose(data.root_link_pos_w.numpy()[0], com - arm, atol=1e-4)
    velocity = np.array([1.0, 0.0, 0.0]) - np.cross([0.0, 0.0, spin], arm)
    np.testing.assert_allclose(data.root_link_lin_vel_w.numpy()[0], velocity, atol=1e-3)
    np.testing.assert_allclose(data.heading_w.numpy(), angle, atol=1e-4)
    np.testing.assert_allclose(data.body_com_acc_w.numpy(), 0.0, atol=2e-3)


def test_acceleration_is_that_of_the_forces_after_a_write_and_of_the_motion_after_a_step(sim):
    asset = cube(sim, com=COM, collision_props=None)
    rows = np.array([[G, 0.0, -G, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(asset.data.body_acc_w.numpy()[:, 0, 2], -G, atol=1e-4)
    asset.write_root_com_velocity_to_sim(rows)
    np.testing.assert_allclose(asset.data.body_acc_w.numpy()[:, 0, 2], -G, atol=1e-4)
    before = asset.data.body_com_vel_w.numpy().copy()
    sim.step()
    change = (asset.data.body_com_vel_w.numpy() - before) / sim.physics_dt
    np.testing.assert_allclose(asset.data.body_com_acc_w.numpy(), change, atol=2e-3)
    np.testing.assert_array_equal(
        asset.data.body_com_lin_acc_w.numpy(), asset.data.body_acc_w.numpy()[..., :3]
    )


def test_gravity_and_heading_in_the_bodys_axes(sim):
    asset = cube(sim)
    angle = np.array([0.3, -0.7, 2.0])
    rows = np.zeros((3, 7), np.float32)
    rows[:, 3:] = quat_from_axis_angle([0.0, 1.0, 0.0], angle)
    asset.write_root_pose_to_sim(rows)
    expected = np.stack([np.sin(angle), 0.0 * angle, -np.cos(angle)], axis=1)
    np.testing.assert_allclose(asset.data.projected_gravity_b.numpy(), expected, atol=1e-6)
    rows[:, 3:] = quat_from_axis_angle([0.0, 0.0, 1.0], angle)
    asset.write_root_pose_to_sim(rows)
    np.testing.assert_allclose(asset.data.heading_w.numpy(), angle, atol=1e-6)
    # Gravity may differ from world to world, and be absent.
    sim.engine.set_param("opt.gravity", [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    asset.write_root_pose_to_sim(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    np.testing.assert_allclose(
        asset.data.projected_gravity_b.numpy(), [[0, 0, 0], [1, 0, 0], [0, 0, 1]], atol=1e-6
    )


# -- parts of the worlds ---------------------------------------------------------------------------


def test_partial_writes_leave_other_worlds_bit_identical(sim):
    asset = cube(sim, com=COM)
    asset.write_root_state_to_sim(states(asset))
    sim.step_n(5)
    kept = {f: sim.engine.read(f)[[0, 2]].copy() for f in ("qpos", "qvel", "xpos", "xipos")}
    asset.write_root_state_to_sim(states(asset, 1)[:1], env_ids=[1])
    asset.write_root_com_pose_to_sim_mask(
        root_pose=states(asset, 2)[:, :7], env_mask=[False, True, False]
    )
    asset.set_masses([[5.0]], env_ids=[1])
    asset.reset([1])
    for field, value in kept.items():
        np.testing.assert_array_equal(sim.engine.read(field)[[0, 2]], value, err_msg=field)


def test_masks_win_over_indices_and_select(sim):
    asset = cube(sim)
    rows = states(asset)
    asset.write_root_link_state_to_sim(rows)
    new = states(asset, 5)
    asset.write_root_link_state_to_sim_mask(root_state=new, env_mask=wp.array([True, False, True]))
    got = asset.data.root_link_state_w.numpy()
    np.testing.assert_allclose(got[[0, 2]], new[[0, 2]], atol=1e-5)
    np.testing.assert_allclose(got[1], rows[1], atol=1e-5)


@pytest.mark.parametrize(
    ("values", "options", "error"),
    [
        (np.zeros((3, 6)), {}, ShapeError),
        (np.zeros((2, 7)), {}, ShapeError),
        (np.full((3, 7), np.nan), {}, InvalidValueError),
        ([["a"] * 7] * 3, {}, InvalidValueError),
        (np.ones((1, 7)), {"env_ids": [0]}, InvalidValueError),
        ([[0, 0, 0, 0, 0, 0, 1]], {"env_ids": [3]}, InvalidValueError),
        ([[0, 0, 0, 0, 0, 0, 1]], {"env_ids": [-1]}, InvalidValueError),
        ([[0, 0, 0, 0, 0, 0, 1]] * 2, {"env_ids": [1, 1]}, InvalidValueError),
        ([[0, 0, 0, 0, 0, 0, 1]], {"env_ids": [0.5]}, InvalidValueError),
    ],
)
def test_a_refused_write_changes_nothing(sim, values, options, error):
    asset = cube(sim)
    before = sim.engine.read("qpos").copy()
    with pytest.raises(error):
        asset.write_root_pose_to_sim(values, **options)
    with pytest.raises(error):
        asset.write_root_pose_to_sim_index(root_pose=values, **options)
    np.testing.assert_array_equal(sim.engine.read("qpos"), before)


def test_a_kinematic_body_is_moved_by_pose_and_velocity(sim):
    asset = cube(sim, kinematic=True, com=COM)
    rows = states(asset)
    asset.write_root_com_pose_to_sim(rows[:, :7])
    np.testing.assert_allclose(asset.data.root_com_pose_w.numpy(), rows[:, :7], atol=1e-5)
    sim.step_n(10)
    np.testing.assert_allclose(asset.data.root_com_pose_w.numpy(), rows[:, :7], atol=1e-5)
    np.testing.assert_array_equal(asset.data.root_com_vel_w.numpy(), 0.0)
    velocity = np.random.default_rng(3).uniform(-1, 1, (3, 6))
    asset.write_root_com_velocity_to_sim(velocity)
    np.testing.assert_allclose(asset.data.root_com_vel_w.numpy(), velocity, atol=1e-5)
    sim.step_n(10)
    np.testing.assert_allclose(asset.data.root_com_vel_w.numpy()[:, 3:], velocity[:, 3:], atol=1e-5)
    asset.write_root_velocity_to_sim(np.zeros((3, 6)))
    still = asset.data.root_link_pose_w.numpy().copy()
    sim.step_n(5)
    np.testing.assert_allclose(asset.data.root_link_pose_w.numpy(), still, atol=1e-6)


def test_a_kinematic_body_moves_with_its_velocity(sim):
    asset = cube(sim, kinematic=True)
    start = asset.data.root_link_pos_w.numpy().copy()
    asset.write_root_velocity_to_sim(np.tile([0.3, -0.2, 0.1, 0.0, 0.0, 0.5], (3, 1)))
    sim.step_n(20)
    span = 20 * sim.cfg.dt
    moved = asset.data.root_link_pos_w.numpy() - start
    np.testing.assert_allclose(moved, np.tile([0.3, -0.2, 0.1], (3, 1)) * span, atol=1e-5)


# -- mass ------------------------------------------------------------------------------------------


def test_mass_properties_are_read_as_written_and_act(make_sim):
    sim = make_sim(gravity=(0.0, 0.0, 0.0))
    asset = cube(sim)
    box = 2.0 / 12.0 * np.array([0.3**2 + 0.4**2, 0.2**2 + 0.4**2, 0.2**2 + 0.3**2])
    np.testing.assert_allclose(asset.data.default_mass.numpy(), [[2.0]] * 3)
    np.testing.assert_allclose(
        asset.data.default_inertia.numpy()[0, 0], np.diag(box).reshape(9), atol=1e-6
    )
    asset.set_masses_index(masses=[[4.0]], env_ids=[1])
    np.testing.assert_array_equal(asset.data.body_mass.numpy()[:, 0], [2.0, 4.0, 2.0])
    np.testing.assert_allclose(asset.data.default_mass.numpy(), [[2.0]] * 3)
    inertia = np.array([[2.0, 0.3, 0.0], [0.3, 3.0, 0.1], [0.0, 0.1, 4.0]])
    asset.set_inertias_mask(
        inertias=np.broadcast_to(inertia.reshape(9), (3, 1, 9)), env_mask=[False, False, True]
    )
    np.testing.assert_allclose(asset.data.body_inertia.numpy()[2, 0], inertia.reshape(9), atol=1e-5)
    np.testing.assert_allclose(asset.data.body_inertia.numpy()[1, 0, ::4], box, atol=1e-6)
    torque = np.array([1.0, 2.0, 3.0])
    asset.set_external_force_and_torque(
        forces=np.array([[[4.0, 0.0, 0.0]]] * 3), torques=np.array([[torque]] * 3)
    )
    asset.write_data_to_sim()
    acceleration = asset.data.body_com_acc_w.numpy()[:, 0]
    np.testing.assert_allclose(acceleration[:, 0], [2.0, 1.0, 2.0], rtol=1e-5)
    np.testing.assert_allclose(acceleration[2, 3:], np.linalg.solve(inertia, torque), rtol=1e-4)
    np.testing.assert_allclose(acceleration[0, 3:], torque / box, rtol=1e-4)


def test_centres_of_mass_are_read_as_written(sim):
    asset = cube(sim)
    rows = states(asset)[:, :7]
    asset.set_coms(rows[:, None])
    data = asset.data
    np.testing.assert_allclose(data.body_com_pos_b.numpy()[:, 0], rows[:, :3], atol=1e-6)
    np.testing.assert_array_equal(data.com_pos_b.numpy(), data.body_com_pos_b.numpy())
    np.testing.assert_array_equal(data.com_quat_b.numpy(), data.body_com_quat_b.numpy())
    expected = data.root_link_pos_w.numpy() + rows[:, :3]
    np.testing.assert_allclose(data.root_com_pos_w.numpy(), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("masses", 0.0, InvalidValueError),
        ("masses", -1.0, InvalidValueError),
        ("masses", np.nan, InvalidValueError),
        ("masses", [1.0, 2.0], ShapeError),
        ("inertias", np.ones(9), InvalidValueError),
        ("inertias", np.diag([1.0, 1.0, 3.0]).reshape(9), InvalidValueError),
        ("inertias", np.zeros(6), ShapeError),
        ("coms", np.zeros(7), InvalidValueError),
    ],
)
def test_impossible_mass_properties_are_refused(sim, name, value, error):
    asset = cube(sim)
    before = [sim.engine.param(f).copy() for f in ("body_mass", "body_inertia", "body_ipos")]
    with pytest.raises(error):
        getattr(asset, f"set_{name}")(value)
    after = [sim.engine.param(f) for f in ("body_mass", "body_inertia", "body_ipos")]
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(new, old)


# -- forces ----------------------------------------------------------------------------------------


def test_a_force_equal_to_the_weight_lets_it_hover_and_its_neighbours_fall(sim):
    asset = cube(sim, com=COM)
    asset.set_external_force_and_torque(
        [[[0.0, 0.0, 2.0 * G]]], [[[0.0, 0.0, 0.0]]], env_ids=[1], is_global=True
    )
    for _ in range(50):
        asset.write_data_to_sim()
        sim.step()
    z = asset.data.root_link_pos_w.numpy()[:, 2]
    assert abs(z[1] - 1.0) < 1e-5
    time = 50 * sim.physics_dt
    np.testing.assert_allclose(z[[0, 2]], 1.0 - 0.5 * G * time**2, atol=G * time * sim.physics_dt)


def test_a_force_off_the_centre_of_mass_turns_the_body(make_sim):
    sim = make_sim(1, gravity=(0.0, 0.0, 0.0))
    asset = cube(sim, com=COM)
    lever = np.array([[[COM[0] + 0.1, COM[1], COM[2]]]])
    asset.instantaneous_wrench_composer.add_forces_and_torques_index(
        forces=np.array([[[0.0, 6.0, 0.0]]]), positions=lever
    )
    asset.write_data_to_sim()
    acceleration = asset.data.body_com_acc_w.numpy()[0, 0]
    np.testing.assert_allclose(acceleration[:3], [0.0, 3.0, 0.0], atol=1e-4)
    inertia = asset.data.body_inertia.numpy()[0, 0].reshape(3, 3)
    expected = np.linalg.solve(inertia, [0.0, 0.0, 0.6])
    np.testing.assert_allclose(acceleration[3:], expected, rtol=1e-4, atol=1e-4)
    sim.step()
    asset.write_data_to_sim()
    np.testing.assert_allclose(asset.data.body_com_acc_w.numpy()[0, 0, :3], 0.0, atol=1e-3)


def test_forces_end_with_reset_with_zeros_and_with_empty_arrays(sim):
    asset = cube(sim)
    one, zero = np.ones((3, 1, 3)), np.zeros((3, 1, 3))

    def acting() -> np.ndarray:
        asset.write_data_to_sim()
        return sim.engine.read("xfrc_applied").any(axis=(1, 2))

    asset.set_external_force_and_torque(one, one)
    assert acting().all()
    asset.reset(env_ids=[0])
    np.testing.assert_array_equal(acting(), [False, True, True])
    assert asset.permanent_wrench_composer.active
    asset.reset(env_mask=[False, True, False])
    np.testing.assert_array_equal(acting(), [False, False, True])
    asset.reset()
    assert not acting().any() and not asset.permanent_wrench_composer.active
    asset.set_external_force_and_torque(one, one)
    asset.set_external_force_and_torque(zero, zero)
    assert not asset.permanent_wrench_composer.active and not acting().any()
    asset.set_external_force_and_torque(one, one)
    asset.set_external_force_and_torque(np.zeros((0, 3)), np.zeros((0, 3)))
    assert not asset.permanent_wrench_composer.active and not acting().any()


# -- the rest --------------------------------------------------------------------------------------


def test_bodies_are_found_by_name(sim):
    asset = cube(sim)
    assert asset.find_bodies("C.*") == ([0], ["Cube"])
    assert asset.find_bodies(["Cube"], preserve_order=True) == ([0], ["Cube"])
    with pytest.raises(UnknownNameError, match="Cube"):
        asset.find_bodies("Sphere")


def test_arrays_are_checked_by_shape_and_type(sim):
    asset = cube(sim)
    asset.assert_shape_and_dtype(1.0, (3,), wp.float32, "mass")
    asset.assert_shape_and_dtype(np.zeros((3, 7), np.float32), (3,), wp.transformf)
    asset.assert_shape_and_dtype(wp.zeros(3, dtype=wp.transformf), (3,), wp.transformf)
    asset.assert_shape_and_dtype(wp.zeros((3, 9), dtype=wp.float32), (3, 9), wp.float32)
    asset.assert_shape_and_dtype(wp.zeros(3, dtype=wp.bool), (3,), wp.bool)
    mask = wp.zeros(3, dtype=wp.bool)
    bodies = wp.zeros(2, dtype=wp.bool)
    full = np.zeros((3, 2, 9), np.float32)
    asset.assert_shape_and_dtype_mask(full, (mask, bodies), wp.float32, "inertias", (9,))
    with pytest.raises(ShapeError, match="inertias"):
        asset.assert_shape_and_dtype_mask(full[:1], (mask, bodies), wp.float32, "inertias", (9,))
    with pytest.raises(ShapeError, match="root_pose"):
        asset.assert_shape_and_dtype(np.zeros((3, 6), np.float32), (3,), wp.transformf, "root_pose")
    with pytest.raises(InvalidValueError, match="type of root_pose"):
        asset.assert_shape_and_dtype(np.zeros((3, 7)), (3,), wp.transformf, "root_pose")
    with pytest.raises(InvalidValueError, match="an array or a number"):
        asset.assert_shape_and_dtype("pose", (3,), wp.transformf, "root_pose")


@pytest.mark.parametrize("dt", [-0.1, np.nan, np.inf])
def test_time_goes_forward(sim, dt):
    asset = cube(sim)
    asset.update(0.1)
    with pytest.raises(InvalidValueError, match="dt is"):
        asset.update(dt)
    assert asset.data.time == 0.1


def test_shapes_in_messages_are_those_that_were_given(sim):
    """Of all instances and of some, with an axis for the one root or without it."""
    asset = cube(sim)
    for given, expected, more in (
        ((3, 13), (3, 7), {}),
        ((2, 7), (3, 7), {}),
        ((3, 7), (2, 7), {"env_ids": [0, 2]}),
        ((3, 1, 13), (3, 1, 7), {}),
    ):
        words = rf"has shape {given}; expected {expected} ".replace("(", r"\(").replace(")", r"\)")
        with pytest.raises(ShapeError, match=words):
            asset.write_root_pose_to_sim(np.zeros(given), **more)
    before = asset.data.root_pose_w.numpy().copy()
    asset.write_root_pose_to_sim(before[:1])  # One for all broadcasts as it did.
    np.testing.assert_array_equal(asset.data.root_pose_w.numpy(), np.repeat(before[:1], 3, axis=0))


def test_paths_that_spawn_nothing_say_why(sim):
    with pytest.raises(StageError, match="'my cube' is no name"):
        cube(sim, path="{ENV_REGEX_NS}/my cube")
    with pytest.raises(StageError, match="Set `spawn`"):
        RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Nothing"))


def test_mistakes_name_the_asset(sim):
    asset = cube(sim)
    title = r"rigid object '\{ENV_REGEX_NS\}/Cube'"
    with pytest.raises(AttributeError, match=rf"data of {title} has no 'joint_pos'"):
        _ = asset.data.joint_pos
    with pytest.raises(AttributeError, match=rf"{title} has no 'find_joints'"):
        asset.find_joints(".*")
    with pytest.raises(InvalidValueError, match=rf"env_ids of {title} is 7; allowed: 0 to"):
        asset.write_root_pose_to_sim(states(asset)[:1, :7], env_ids=[7])
    with pytest.raises(InvalidValueError, match="find_joints and find_bodies give indices"):
        asset.set_masses_index(masses=1.0, body_ids=["Cube"])
    flat = states(asset)[:, :7]
    flat[1, 3:] = 0.0
    with pytest.raises(InvalidValueError, match=rf"quaternion of {title} in row 1 is \[0"):
        asset.write_root_pose_to_sim(flat)


def test_what_spawns_is_an_instance(sim):
    with pytest.raises(InvalidValueError, match=r"spawned at .*Cube is <class.*not a class"):
        RigidObject(RigidObjectCfg(prim_path=CUBE, spawn=type(cuboid())))
