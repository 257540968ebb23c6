"""Deformable objects: their life, what they report of vertices, and what writing does."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from asset_stages import G, cuboid
from deformable_stages import (
    ELEMENTS,
    NODES,
    SOFT,
    Start,
    soft_cube,
    soft_spawner,
    states,
    values,
)

from usdsim.assets import DeformableObject, DeformableObjectCfg, RigidObject, RigidObjectCfg
from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnknownNameError
from usdsim.math.rotations import quat_apply, quat_from_axis_angle
from usdsim.sim.context import SimulationContext
from usdsim.usd.xforms import Pose, set_local_pose

# -- life ------------------------------------------------------------------------------------------


def test_it_is_initialized_by_reset_and_forgotten_by_stop(sim):
    asset = soft_cube(sim, reset=False)
    assert not asset.is_initialized
    for use in (lambda: asset.data, asset.reset, asset.write_data_to_sim):
        with pytest.raises(StageError, match=r"Call sim.reset\(\) first"):
            use()
    with pytest.raises(StageError, match=r"Call sim.reset\(\) first"):
        asset.write_nodal_pos_to_sim(np.zeros((3, NODES, 3)))
    sim.reset()
    assert asset.is_initialized and asset.data.is_primed
    assert (asset.num_instances, asset.num_bodies, asset.device) == (3, 1, "cpu")
    assert asset.data.body_names == ["Soft"]
    assert asset.max_sim_vertices_per_body == asset.max_collision_vertices_per_body == NODES
    assert asset.max_sim_elements_per_body == asset.max_collision_elements_per_body == ELEMENTS
    assert asset.root_view is asset.root_physx_view and asset.material_physx_view is None
    asset.update(0.1)
    assert asset.data.time == 0.1
    sim.stop()
    assert not asset.is_initialized


def test_arrays_have_the_shapes_they_are_documented_with(sim):
    data = soft_cube(sim).data
    elements = len(data._view.layout.corners)
    shapes = {
        name: array.numpy().shape
        for name in (
            *("nodal_pos_w", "nodal_vel_w", "nodal_state_w", "nodal_kinematic_target"),
            *("default_nodal_state_w", "root_pos_w", "root_vel_w"),
            *("sim_element_deform_gradient_w", "sim_element_quat_w", "sim_element_stress_w"),
        )
        if (array := getattr(data, name)) is not None
    }
    assert shapes == {
        "nodal_pos_w": (3, NODES, 3),
        "nodal_vel_w": (3, NODES, 3),
        "nodal_state_w": (3, NODES, 6),
        "nodal_kinematic_target": (3, NODES, 4),
        "default_nodal_state_w": (3, NODES, 6),
        "root_pos_w": (3, 3),
        "root_vel_w": (3, 3),
        "sim_element_deform_gradient_w": (3, elements, 3, 3),
        "sim_element_quat_w": (3, elements, 4),
        "sim_element_stress_w": (3, elements, 3, 3),
    }
    assert data.nodal_pos_w.dtype is wp.vec3f and data.sim_element_quat_w.dtype is wp.quatf
    for name in ("deform_gradient", "quat", "stress"):
        same = getattr(data, f"collision_element_{name}_w"), getattr(data, f"sim_element_{name}_w")
        assert same[0].ptr == same[1].ptr and same[0].shape == same[1].shape


def test_it_starts_where_its_prim_is_in_every_environment(sim):
    turn = quat_from_axis_angle([0.0, 0.0, 1.0], 0.5)
    data = soft_cube(sim, start=Start(pos=(0.1, 0.2, 1.0), rot=tuple(turn))).data
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.1
    lattice = np.concatenate([corners, np.zeros((1, 3))])
    expected = quat_apply(turn, lattice) + np.array([0.1, 0.2, 1.0])
    for i, points in enumerate(values(data.nodal_pos_w)):
        found = points - [2.0 * i, 0.0, 0.0]
        distance = np.linalg.norm(found[:, None] - expected, axis=2)
        np.testing.assert_allclose(distance.min(axis=0), 0.0, atol=1e-6)
    np.testing.assert_allclose(
        values(data.root_pos_w), [[0.1 + 2.0 * i, 0.2, 1.0] for i in range(3)], atol=1e-6
    )
    start = values(data.default_nodal_state_w)
    np.testing.assert_array_equal(start[..., :3], values(data.nodal_pos_w))
    np.testing.assert_array_equal(start[..., 3:], 0.0)


def test_units_and_axes_of_the_stage_are_converted(make_sim):
    plain = values(soft_cube(make_sim()).data.nodal_pos_w)
    SimulationContext.clear_instance()
    sim = make_sim(meters_per_unit=0.01, up_axis="Y")
    data = soft_cube(sim, size=20.0).data
    np.testing.assert_allclose(
        np.sort(values(data.nodal_pos_w)[0], axis=0), np.sort(plain[0], axis=0), atol=1e-6
    )
    np.testing.assert_allclose(np.abs(values(data.sim_element_quat_w)[..., 3]), 1.0, atol=1e-6)


def test_the_configuration_is_copied_and_never_changed(sim):
    cfg = DeformableObjectCfg(prim_path=SOFT, spawn=soft_spawner())
    before = cfg.copy()
    DeformableObject(cfg)
    sim.reset()
    assert cfg == before


def test_a_prim_without_a_deformable_body_is_refused(sim):
    RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Box", spawn=cuboid()))
    DeformableObject(DeformableObjectCfg(prim_path="{ENV_REGEX_NS}/Box"))
    with pytest.raises(StageError, match=r"exactly one deformable body at or below .*; there are"):
        sim.reset()


def test_two_bodies_below_one_prim_are_refused(sim):
    for name in "ab":
        soft_cube(sim, f"{{ENV_REGEX_NS}}/{name}", reset=False)
    DeformableObject(DeformableObjectCfg(prim_path="/World/envs/env_.*"))
    with pytest.raises(StageError, match="there are 2"):
        sim.reset()


def test_matches_that_are_not_built_alike_are_refused(sim):
    soft_cube(sim, "{ENV_REGEX_NS}/a1", reset=False)
    soft_cube(sim, "{ENV_REGEX_NS}/a2", reset=False, cells=2)
    DeformableObject(DeformableObjectCfg(prim_path="{ENV_REGEX_NS}/a[12]"))
    with pytest.raises(StageError, match="not built alike"):
        sim.reset()


def test_a_path_that_matches_nothing_is_refused(sim):
    with pytest.raises(StageError, match="No prim matches"):
        DeformableObject(DeformableObjectCfg(prim_path="{ENV_REGEX_NS}/Nothing"))


# -- motion ----------------------------------------------------------------------------------------


def test_it_falls_freely(sim):
    asset = soft_cube(sim)
    shape = values(asset.data.nodal_pos_w) - values(asset.data.root_pos_w)[:, None]
    for _ in range(50):
        asset.write_data_to_sim()
        sim.step()
    steps, dt = 50, sim.physics_dt
    data = asset.data
    np.testing.assert_allclose(values(data.root_vel_w)[:, 2], -G * steps * dt, rtol=1e-5)
    fallen = 1.0 - 0.5 * G * dt**2 * steps * (steps + 1)
    np.testing.assert_allclose(values(data.root_pos_w)[:, 2], fallen, rtol=1e-5)
    now = values(data.nodal_pos_w) - values(data.root_pos_w)[:, None]
    np.testing.assert_allclose(now, shape, atol=1e-6)
    np.testing.assert_allclose(values(data.nodal_vel_w)[..., 2], -G * steps * dt, rtol=1e-4)


def test_momentum_is_that_of_the_velocities_written(make_sim):
    sim = make_sim(gravity=(0.0, 0.0, 0.0))
    asset = soft_cube(sim, mass=2.0)
    velocity = 0.1 * states(asset)[..., 3:]
    asset.write_nodal_velocity_to_sim(velocity)
    model = sim.engine.compiled.mj
    mass = model.body_mass[sim.engine.compiled.deformables[0].body_ids]
    assert mass.sum() == pytest.approx(2.0)
    before = (mass[:, None] * velocity).sum(axis=1)
    for _ in range(20):
        sim.step()
    after = (mass[:, None] * values(asset.data.nodal_vel_w)).sum(axis=1)
    np.testing.assert_allclose(after, before, atol=2e-5)


def test_a_cube_rests_on_the_ground(make_sim):
    from usdsim.spawners import GroundPlaneCfg

    sim = make_sim(1)
    ground = GroundPlaneCfg()
    ground.func("/World/ground", ground, stage=sim.stage)
    asset = soft_cube(sim, start=Start(pos=(0.0, 0.0, 0.12)))
    for _ in range(600):
        sim.step()
    height = values(asset.data.nodal_pos_w)[0, :, 2]
    assert -0.005 < height.min() < 0.005 and 0.17 < height.max() < 0.205
    assert np.abs(values(asset.data.nodal_vel_w)).max() < 0.02


# -- writing ---------------------------------------------------------------------------------------

WRITERS = {
    "pos": ("nodal_pos", "nodal_pos_w", slice(0, 3)),
    "velocity": ("nodal_vel", "nodal_vel_w", slice(3, 6)),
    "state": ("nodal_state", "nodal_state_w", slice(0, 6)),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_what_is_written_is_read(sim, kind):
    asset = soft_cube(sim)
    arg, quantity, part = WRITERS[kind]
    write = getattr(asset, f"write_nodal_{kind}_to_sim")
    first, before = states(asset)[..., part], values(asset.data.nodal_state_w)

    def found():
        return values(getattr(asset.data, quantity))

    write(first)
    np.testing.assert_allclose(found(), first, atol=1e-6)
    rest = [k for k in range(6) if k not in range(6)[part]]
    np.testing.assert_array_equal(values(asset.data.nodal_state_w)[..., rest], before[..., rest])
    second = states(asset, 1)[..., part]
    write(second[[1]], env_ids=[2])
    np.testing.assert_allclose(found()[2], second[1], atol=1e-6)
    np.testing.assert_allclose(found()[:2], first[:2], atol=1e-6)
    getattr(asset, f"write_nodal_{kind}_to_sim_index")(
        **{arg: second}, env_ids=wp.array([0], dtype=wp.int32), full_data=True
    )
    np.testing.assert_allclose(found()[0], second[0], atol=1e-6)
    third = states(asset, 2)[..., part]
    mask = np.array([False, True, True])
    getattr(asset, f"write_nodal_{kind}_to_sim_mask")(**{arg: third}, env_mask=mask)
    np.testing.assert_allclose(found()[1:], third[1:], atol=1e-6)
    np.testing.assert_allclose(found()[0], second[0], atol=1e-6)


def test_vectors_and_single_numbers_are_values_too(sim):
    asset = soft_cube(sim)
    points = asset.data.nodal_pos_w.numpy() + 0.25
    asset.write_nodal_pos_to_sim(wp.array(points, dtype=wp.vec3f))
    np.testing.assert_allclose(values(asset.data.nodal_pos_w), points, atol=1e-6)
    asset.write_nodal_velocity_to_sim([0.0, 1.0, 0.0])
    np.testing.assert_array_equal(values(asset.data.nodal_vel_w)[..., 1], 1.0)
    asset.root_view.write("nodal_velocity", 0.0)
    np.testing.assert_array_equal(values(asset.data.nodal_vel_w), 0.0)


@pytest.mark.parametrize("kind", [*WRITERS, "kinematic_target"])
def test_what_is_not_allowed_changes_nothing(sim, kind):
    asset = soft_cube(sim)
    width = {"pos": 3, "velocity": 3, "state": 6, "kinematic_target": 4}[kind]
    write = getattr(asset, f"write_nodal_{kind}_to_sim")
    masked = getattr(asset, f"write_nodal_{kind}_to_sim_mask")
    arg = {**{k: v[0] for k, v in WRITERS.items()}, "kinematic_target": "targets"}[kind]
    good = np.zeros((3, NODES, width))
    bad = good.copy()
    bad[1, 4, 2] = np.nan
    before, motion = values(asset.data.nodal_state_w), sim.engine.versions.motion
    with pytest.raises(InvalidValueError, match=r"vertex 4 in instance 1.*nan"):
        write(bad)
    with pytest.raises(ShapeError):
        write(good[:2])
    with pytest.raises(ShapeError):
        write(np.zeros((3, NODES + 1, width)))
    with pytest.raises(InvalidValueError, match="env_ids"):
        write(good[:1], env_ids=[3])
    with pytest.raises(InvalidValueError, match="env_ids"):
        write(good[:2], env_ids=[1, 1])
    with pytest.raises(ShapeError, match="env_mask"):
        masked(**{arg: good}, env_mask=np.ones(2, bool))
    with pytest.raises(TypeError, match="nodes"):
        write(nodes=good)
    np.testing.assert_array_equal(values(asset.data.nodal_state_w), before)
    assert sim.engine.versions.motion == motion


def test_rows_of_other_assets_are_unknown_to_it_and_its_own_to_them(sim):
    box = RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Box", spawn=cuboid()))
    soft = soft_cube(sim)
    with pytest.raises(UnknownNameError, match="root_pose"):
        soft.root_view.write("root_pose", np.zeros((3, 7)))
    with pytest.raises(UnknownNameError, match="nodal_pos"):
        box.root_view.write("nodal_pos", 0.0)


def test_the_default_state_brings_it_back(sim):
    asset = soft_cube(sim)
    data = asset.data
    start = values(data.nodal_state_w)
    asset.write_nodal_state_to_sim(states(asset))
    asset.write_nodal_state_to_sim(data.default_nodal_state_w)
    np.testing.assert_allclose(values(data.nodal_state_w), start, atol=1e-6)
    data.default_nodal_state_w = start + 0.5
    np.testing.assert_allclose(values(data.default_nodal_state_w), start + 0.5)
    asset.write_nodal_state_to_sim(states(asset))
    sim.engine.reset([1])
    np.testing.assert_allclose(values(data.nodal_state_w)[1], start[1], atol=1e-6)
    assert np.abs(values(data.nodal_state_w)[0] - start[0]).max() > 0.1


def test_several_in_one_environment_are_instances(sim):
    for name, x in (("s1", 0.0), ("s2", 0.7)):
        soft_cube(sim, f"{{ENV_REGEX_NS}}/{name}", Start(pos=(x, 0.0, 1.0)), reset=False)
    asset = DeformableObject(DeformableObjectCfg(prim_path="{ENV_REGEX_NS}/s.*"))
    sim.reset()
    assert asset.num_instances == 6
    np.testing.assert_allclose(
        values(asset.data.root_pos_w)[:, 0], [0.0, 0.7, 2.0, 2.7, 4.0, 4.7], atol=1e-6
    )
    wanted = states(asset)
    asset.write_nodal_state_to_sim(wanted[[5, 0]], env_ids=[5, 0])
    found = values(asset.data.nodal_state_w)
    np.testing.assert_allclose(found[[5, 0]], wanted[[5, 0]], atol=1e-6)
    np.testing.assert_allclose(
        found[1:5, :, 3:], 0.0, atol=0.0, err_msg="the others were not written"
    )
    targets = values(asset.data.nodal_kinematic_target)
    targets[3, 2] = (9.0, 8.0, 7.0, 0.0)
    asset.write_nodal_kinematic_target_to_sim(targets[[3]], env_ids=[3])
    sim.step()
    np.testing.assert_allclose(values(asset.data.nodal_pos_w)[3, 2], [9.0, 8.0, 7.0], atol=0.01)
    held = values(asset.data.nodal_kinematic_target)[..., 3] == 0.0
    assert held[3, 2] and held.sum() == 1


# -- poses -----------------------------------------------------------------------------------------


def test_vertices_are_turned_about_their_mean_and_moved(sim):
    asset = soft_cube(sim)
    turn = quat_from_axis_angle(np.eye(3), [0.3, -1.0, 2.0])
    shift = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, -0.5]])
    points = values(asset.data.nodal_pos_w)
    moved = asset.transform_nodal_pos(points, shift, turn)
    centre = points.mean(axis=1, keepdims=True)
    expected = centre + quat_apply(turn[:, None], points - centre) + shift[:, None]
    assert moved.dtype == points.dtype
    np.testing.assert_allclose(moved, expected, atol=1e-6)
    np.testing.assert_allclose(asset.transform_nodal_pos(points), points)
    device = asset.transform_nodal_pos(asset.data.nodal_pos_w, pos=shift)
    assert device.dtype is wp.vec3f
    np.testing.assert_allclose(device.numpy(), points + shift[:, None], atol=1e-6)
    asset.write_nodal_pos_to_sim(moved)
    quat = values(asset.data.sim_element_quat_w)
    np.testing.assert_allclose(np.abs((quat * turn[:, None]).sum(axis=-1)), 1.0, atol=1e-6)


def test_torch_positions_stay_torch(sim):
    torch = pytest.importorskip("torch")
    asset = soft_cube(sim)
    points = torch.tensor(values(asset.data.nodal_pos_w))
    moved = asset.transform_nodal_pos(points, torch.tensor([[0.0, 0.0, 1.0]] * 3))
    assert isinstance(moved, torch.Tensor) and moved.dtype == points.dtype
    torch.testing.assert_close(moved, points + torch.tensor([0.0, 0.0, 1.0]))
    asset.write_nodal_pos_to_sim(moved)
    np.testing.assert_allclose(values(asset.data.nodal_pos_w), moved.numpy(), atol=1e-6)


@pytest.mark.parametrize(
    ("points", "pos", "quat", "error"),
    [
        (np.zeros((3, 3)), None, None, ShapeError),
        (np.zeros((3, NODES, 3)), np.zeros((2, 3)), None, ShapeError),
        (np.full((3, NODES, 3), np.nan), None, None, InvalidValueError),
        (np.zeros((3, NODES, 3)), None, [[0.0, 0.0, 0.0, 2.0]] * 3, InvalidValueError),
    ],
)
def test_poses_that_make_no_sense_are_refused(sim, points, pos, quat, error):
    asset = soft_cube(sim, reset=False)
    with pytest.raises(error):
        asset.transform_nodal_pos(points, pos, quat)


def test_environments_that_are_turned_turn_what_is_in_them(make_sim):
    sim = make_sim(2)
    turn = quat_from_axis_angle([0.0, 0.0, 1.0], np.pi / 2)
    prim = sim.stage.GetPrimAtPath("/World/envs/env_1")
    set_local_pose(prim, Pose(np.array([3.0, 0.0, 0.0]), turn))
    asset = soft_cube(sim, start=Start(pos=(0.5, 0.0, 1.0)))
    np.testing.assert_allclose(
        values(asset.data.root_pos_w), [[0.5, 0.0, 1.0], [3.0, 0.5, 1.0]], atol=1e-6
    )
    quat = values(asset.data.sim_element_quat_w)
    np.testing.assert_allclose(np.abs(quat[0, :, 3]), 1.0, atol=1e-6)
    np.testing.assert_allclose(np.abs(quat[1] @ turn), 1.0, atol=1e-6)
    wanted = values(asset.data.nodal_state_w) + 0.01 * states(asset)
    asset.write_nodal_state_to_sim(wanted)
    np.testing.assert_allclose(values(asset.data.nodal_state_w), wanted, atol=1e-6)
    targets = values(asset.data.nodal_kinematic_target)
    targets[..., 3] = 0.0
    asset.write_nodal_kinematic_target_to_sim(targets)
    sim.step()
    np.testing.assert_allclose(values(asset.data.nodal_pos_w), targets[..., :3], atol=1e-5)
