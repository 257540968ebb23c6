"""Vertices of deformable objects that something holds: attachments, the user, and targets."""

from __future__ import annotations

import numpy as np
import pytest
from asset_stages import cuboid
from deformable_stages import NODES, cloth, soft_cube, soft_spawner, states, values
from pxr import Sdf, UsdGeom

from usdsim.assets import DeformableObject, DeformableObjectCfg, RigidObject, RigidObjectCfg
from usdsim.core.errors import InvalidValueError
from usdsim.usd.prims import define_prim

# -- what holds vertices ---------------------------------------------------------------------------


def attach(stage, path, body, vertices, points):
    """A prim that holds vertices at points of another prim's frame."""
    prim = define_prim(stage, path, "OmniPhysicsVtxXformAttachment")
    prim.CreateRelationship("omniphysics:src0").SetTargets(
        [f"{path.rpartition('/')[0]}/Soft/sim_mesh"]
    )
    prim.CreateRelationship("omniphysics:src1").SetTargets([body])
    types = Sdf.ValueTypeNames
    prim.CreateAttribute("omniphysics:vtxIndicesSrc0", types.IntArray).Set(vertices)
    prim.CreateAttribute("omniphysics:localPositionsSrc1", types.Point3fArray).Set(points)
    return prim


def hung(sim, num_envs):
    """A soft cube whose lower vertices each environment holds, and which these are."""
    asset = soft_cube(sim, reset=False)
    for env in range(num_envs):
        path = f"/World/envs/env_{env}"
        mesh = sim.stage.GetPrimAtPath(f"{path}/Soft/sim_mesh")
        points = np.array(mesh.GetAttribute("points").Get())
        low = np.flatnonzero(points[:, 2] < 0.0)
        attach(sim.stage, f"{path}/Attachment", path, low.tolist(), points[low] + [0, 0, 1])
    sim.reset()
    return asset, low


def test_vertices_attached_to_the_world_stay_where_they_are(make_sim):
    sim = make_sim(1)
    asset, low = hung(sim, 1)
    free = asset.root_view.layout.free
    assert set(range(NODES)) - set(free.tolist()) == set(low.tolist())
    start = values(asset.data.nodal_pos_w)
    wanted = states(asset)
    asset.write_nodal_state_to_sim(wanted)
    found = values(asset.data.nodal_state_w)
    np.testing.assert_allclose(found[:, free], wanted[:, free], atol=1e-6)
    np.testing.assert_array_equal(found[:, low, :3], start[:, low])
    np.testing.assert_array_equal(found[:, low, 3:], 0.0)
    asset.write_nodal_state_to_sim(asset.data.default_nodal_state_w)
    for _ in range(100):
        sim.step()
    found = values(asset.data.nodal_pos_w)
    np.testing.assert_array_equal(found[:, low], start[:, low])
    assert (found[:, free, 2] < start[:, free, 2]).all() and found[..., 2].min() > 0.8
    targets = values(asset.data.nodal_kinematic_target)
    targets[0, free, 3] = 0.0
    asset.write_nodal_kinematic_target_to_sim(targets)
    held = values(asset.data.nodal_kinematic_target)[..., 3] == 0.0
    assert held[0, free].all() and held.sum() == len(free)
    targets[0, low[0], 3] = 0.0
    with pytest.raises(InvalidValueError, match="attached to the world"):
        asset.write_nodal_kinematic_target_to_sim(targets)


def test_vertices_attached_to_the_world_are_held_in_every_environment(sim):
    asset, low = hung(sim, 3)
    start = values(asset.data.nodal_pos_w)
    np.testing.assert_allclose(values(asset.data.root_pos_w)[:, 0], [0.0, 2.0, 4.0], atol=1e-6)
    for _ in range(100):
        sim.step()
    found = values(asset.data.nodal_pos_w)
    np.testing.assert_allclose(found[:, low], start[:, low], atol=1e-3)
    np.testing.assert_allclose(found - start, found[:1] - start[:1] + 0 * start, atol=1e-5)


def test_vertices_attached_to_a_rigid_body_move_with_it(make_sim):
    sim = make_sim(1, gravity=(0.0, 0.0, 0.0))
    soft = soft_cube(sim, reset=False)
    box = RigidObject(
        RigidObjectCfg(
            prim_path="{ENV_REGEX_NS}/Box",
            spawn=cuboid(size=(0.2, 0.2, 0.2), mass=50.0, collision_props=None),
            init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.8)),
        )
    )
    path = "/World/envs/env_0"
    points = np.array(sim.stage.GetPrimAtPath(f"{path}/Soft/sim_mesh").GetAttribute("points").Get())
    low = np.flatnonzero(points[:, 2] < 0.0)
    attach(sim.stage, f"{path}/Attachment", f"{path}/Box", low.tolist(), points[low] + [0, 0, 0.2])
    sim.reset()
    start = values(soft.data.nodal_pos_w)
    box.write_root_com_velocity_to_sim([[0.2, 0.0, 0.0, 0.0, 0.0, 0.0]])
    soft.write_nodal_velocity_to_sim([0.2, 0.0, 0.0])
    for _ in range(100):
        sim.step()
    moved = values(soft.data.nodal_pos_w) - start
    np.testing.assert_allclose(moved[0, low], [[0.04, 0.0, 0.0]] * 4, atol=1e-4)


def test_a_kinematic_body_goes_where_it_is_written(sim):
    asset = soft_cube(sim, kinematic=True)
    start = values(asset.data.nodal_pos_w)
    for _ in range(5):
        sim.step()
    np.testing.assert_array_equal(values(asset.data.nodal_pos_w), start)
    moved = start + np.array([0.1, -0.2, 0.3])
    asset.write_nodal_pos_to_sim(moved[[1]], env_ids=[1])
    sim.step()
    np.testing.assert_allclose(values(asset.data.nodal_pos_w)[1], moved[1], atol=1e-6)
    np.testing.assert_array_equal(values(asset.data.nodal_pos_w)[[0, 2]], start[[0, 2]])
    targets = values(asset.data.nodal_kinematic_target)
    np.testing.assert_array_equal(targets[..., 3], 0.0)
    targets[0, :4, 2] += 1.0
    targets[2, ..., 2] += 1.0
    targets[2, ..., 3] = 1.0
    asset.write_nodal_kinematic_target_to_sim(targets)
    found = values(asset.data.nodal_pos_w)
    np.testing.assert_allclose(found[0, :4, 2], start[0, :4, 2] + 1.0, atol=1e-6)
    np.testing.assert_allclose(found[0, 4:], start[0, 4:], atol=1e-6)
    np.testing.assert_array_equal(found[2], start[2])
    asset.reset()
    asset.write_nodal_velocity_to_sim(0.0)
    with pytest.raises(InvalidValueError, match="the body is kinematic"):
        asset.write_nodal_velocity_to_sim(1.0)
    before = values(asset.data.nodal_pos_w)
    with pytest.raises(InvalidValueError, match="the body is kinematic"):
        asset.write_nodal_state_to_sim(np.ones((3, NODES, 6)))
    np.testing.assert_array_equal(values(asset.data.nodal_pos_w), before)


# -- targets ---------------------------------------------------------------------------------------


def top_held(asset, rows=slice(None)):
    """Targets that hold the upper vertices of some instances, and which these are."""
    targets = values(asset.data.nodal_kinematic_target)
    top = targets[0, :, 2] > targets[0, :, 2].mean()
    targets[rows, top, 3] = 0.0
    return targets, top


def test_vertices_are_held_while_the_others_hang_on_them(sim):
    asset = soft_cube(sim, cells=2)
    start = values(asset.data.nodal_pos_w)
    targets, top = top_held(asset, slice(0, 2))
    asset.write_nodal_kinematic_target_to_sim(targets)
    for _ in range(200):
        sim.step()
    found = values(asset.data.nodal_pos_w)
    np.testing.assert_allclose(found[:2, top], start[:2, top], atol=1e-6)
    sag = (start - found)[:2, ~top, 2]
    assert (sag > 1e-5).all() and sag.max() < 0.01
    assert (found[2, :, 2] < start[2, :, 2] - 0.5).all()
    now = values(asset.data.nodal_kinematic_target)
    np.testing.assert_array_equal(now[..., 3], targets[..., 3])
    np.testing.assert_allclose(now[:2, top], targets[:2, top], atol=1e-6)
    np.testing.assert_allclose(now[2, :, :3], found[2], atol=1e-6)


@pytest.mark.parametrize("young", [1e4, 1e7])
def test_targets_are_reached_within_a_step(make_sim, young):
    sim = make_sim(1)
    asset = soft_cube(sim, young=young)
    targets, top = top_held(asset)
    for k in range(20):
        targets[:, top, 0] += 0.001
        targets[:, top, 2] += 0.0005 * np.sin(k)
        asset.write_nodal_kinematic_target_to_sim(targets)
        sim.step()
        found = values(asset.data.nodal_pos_w)
        np.testing.assert_allclose(found[:, top], targets[:, top, :3], atol=1e-6)


def test_all_forms_hold_and_let_go(sim):
    asset = soft_cube(sim)
    targets, top = top_held(asset)
    asset.write_nodal_kinematic_target_to_sim_mask(
        targets=targets, env_mask=np.array([False, True, True])
    )

    def held():
        return values(asset.data.nodal_kinematic_target)[..., 3] == 0.0

    assert not held()[0].any() and (held()[1:] == top).all()
    free = targets.copy()
    free[..., 3] = 1.0
    asset.write_nodal_kinematic_target_to_sim_index(targets=free[[2]], env_ids=[2])
    assert not held()[2].any() and held()[1].any()
    asset.write_nodal_kinematic_target_to_sim(targets)
    asset.reset([1])
    assert not held()[1].any() and held()[[0, 2]].any(axis=1).all()
    asset.reset(env_mask=np.array([True, False, False]))
    assert not held()[0].any() and held()[2].any()
    sim.engine.reset()
    assert not held().any()
    height = values(asset.data.root_pos_w)[:, 2]
    for _ in range(5):
        sim.step()
    assert (values(asset.data.root_pos_w)[:, 2] < height - 1e-4).all()


@pytest.mark.parametrize("flag", [0.5, -1.0, 2.0])
def test_flags_are_zero_or_one(sim, flag):
    asset = soft_cube(sim)
    targets, _ = top_held(asset)
    targets[2, 3, 3] = flag
    with pytest.raises(InvalidValueError, match="vertex 3 in instance 2"):
        asset.write_nodal_kinematic_target_to_sim(targets)
    assert (values(asset.data.nodal_kinematic_target)[..., 3] == 1.0).all()


def test_models_without_such_an_asset_have_no_rows_for_targets(make_sim):
    sim = make_sim(1)
    spawn = soft_spawner()
    spawn.func("/World/envs/env_0/Soft", spawn, stage=sim.stage)
    sim.reset()
    assert sim.engine.compiled.mj.nflex == 1 and sim.engine.compiled.mj.neq == 0


def marks(sim, path="/kinematic_targets"):
    """Where marks are drawn on the stage; None: there is no prim that draws any."""
    prim = sim.stage.GetPrimAtPath(path)
    return np.array(UsdGeom.Points(prim).GetPointsAttr().Get()) if prim else None


def test_vertices_that_are_held_are_marked_on_the_stage(make_sim):
    sim = make_sim(2, meters_per_unit=0.01, up_axis="Y")
    asset = soft_cube(sim, size=20.0)
    assert asset.has_debug_vis_implementation
    targets, top = top_held(asset, slice(1, 2))
    asset.write_nodal_kinematic_target_to_sim(targets)
    assert asset.set_debug_vis(True) and asset.set_debug_vis(True)
    x, y, z = targets[1, top, :3].T
    np.testing.assert_allclose(marks(sim), 100.0 * np.stack([x, z, -y], axis=1), atol=1e-4)
    prim = UsdGeom.Points(sim.stage.GetPrimAtPath("/kinematic_targets"))
    assert prim.ComputePurpose() == "guide" and prim.GetWidthsAttr().Get()[0] > 0.1
    asset.reset()
    asset.write_data_to_sim()
    assert marks(sim).shape == (0, 3)
    assert asset.set_debug_vis(False) and marks(sim) is None
    asset.write_data_to_sim()
    assert marks(sim) is None


def test_marks_are_drawn_from_the_start_if_the_configuration_says_so(sim):
    for name in "ab":
        cfg = DeformableObjectCfg(
            prim_path=f"{{ENV_REGEX_NS}}/{name}", spawn=soft_spawner(kinematic=name == "b"),
            debug_vis=True,
        )  # fmt: skip
        DeformableObject(cfg)
    sim.reset()
    assert len(marks(sim)) == 0
    assert len(marks(sim, "/kinematic_targets_1")) == 3 * NODES
    sim.stop()
    sim.reset()
    assert len(marks(sim, "/kinematic_targets_1")) == 3 * NODES


# -- cloth -----------------------------------------------------------------------------------------


def test_a_cloth_hangs_on_two_corners(make_sim):
    sim = make_sim(1)
    asset = cloth(sim, cells=3)
    points = values(asset.data.nodal_pos_w)
    assert asset.max_sim_vertices_per_body == 16 and asset.max_sim_elements_per_body == 18
    targets = values(asset.data.nodal_kinematic_target)
    corner = (points[0, :, 0] < -0.24) & (np.abs(points[0, :, 1]) > 0.24)
    assert corner.sum() == 2
    targets[0, corner, 3] = 0.0
    asset.write_nodal_kinematic_target_to_sim(targets)
    for _ in range(100):
        sim.step()
    found = values(asset.data.nodal_pos_w)
    np.testing.assert_allclose(found[0, corner], points[0, corner], atol=1e-5)
    assert found[0, ~corner, 2].max() < 1.0
