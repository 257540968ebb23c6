"""Pictures of soft bodies: where their vertices are, in the colour of what shows them."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from usdsim.assets import DeformableObject, DeformableObjectCfg
from usdsim.core.errors import UnsupportedError
from usdsim.render import ShownWorld
from usdsim.render.drawable import DrawableScene
from usdsim.render.raycast.motion import PixelMotion
from usdsim.render.sources import find_sources
from usdsim.render.worlds.views import WorldViews
from usdsim.schemas import PhysxDeformableBodyPropertiesCfg
from usdsim.sim import Renderer, SimulationCfg, SimulationContext, look_at, render_picture
from usdsim.spawners import DeformableBodyMaterialCfg, MeshCuboidCfg, PreviewSurfaceCfg
from usdsim.usd.prims import define_prim
from usdsim.usd.stage import create_stage
from usdsim.usd.xforms import Pose, set_local_pose

RED = (0.9, 0.05, 0.05)


@pytest.fixture
def soft():
    """Two environments with a red soft cube each, and the asset."""
    stage = create_stage()
    for i in range(2):
        prim = define_prim(stage, f"/World/envs/env_{i}")
        set_local_pose(prim, Pose(np.array([3.0 * i, 0.0, 0.0]), np.array([0.0, 0.0, 0.0, 1.0])))
    with SimulationContext(SimulationCfg(gravity=(0.0, 0.0, 0.0)), stage=stage) as sim:
        asset = DeformableObject(
            DeformableObjectCfg(
                prim_path="{ENV_REGEX_NS}/Cube",
                spawn=MeshCuboidCfg(
                    size=(0.2, 0.2, 0.2),
                    deformable_props=PhysxDeformableBodyPropertiesCfg(
                        simulation_hexahedral_resolution=1, mass=1.0
                    ),
                    physics_material=DeformableBodyMaterialCfg(youngs_modulus=1e5),
                    visual_material=PreviewSurfaceCfg(diffuse_color=RED),
                ),
                init_state=DeformableObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0)),
            )
        )
        sim.reset()
        yield sim, asset


def picture_of(sim, world) -> DrawableScene:
    stage, readers, hidden = find_sources(sim, None, world)
    picture = DrawableScene(stage, hidden)
    for reader in readers:
        picture.move(reader())
    return picture


def test_vertices_are_drawn_where_they_are(soft):
    sim, asset = soft
    moved = np.array(asset.data.nodal_pos_w.numpy(), np.float64) * [1.0, 2.0, 0.5]
    asset.write_nodal_pos_to_sim(moved)
    one = picture_of(sim, 1)
    np.testing.assert_allclose(one.data.flexvert_xpos, moved[1], atol=1e-6)
    np.testing.assert_allclose(one.points, moved[1], atol=1e-6)
    np.testing.assert_allclose(one.model.flex_rgba[:, :3], [RED], atol=1e-6)
    both = picture_of(sim, (1, 0))
    found = both.data.flexvert_xpos.reshape(2, -1, 3)
    np.testing.assert_allclose(found, moved, atol=1e-6)


def test_cameras_see_them_in_every_environment(soft):
    """Each cube a metre and a half above where it began, and nothing there any more."""
    sim, asset = soft
    moved = np.array(asset.data.nodal_pos_w.numpy()) + np.array([0.0, 0.0, 1.5], np.float32)
    asset.write_nodal_pos_to_sim(moved)
    views = WorldViews(sim.stage, sim.engine, (16, 16), [0, 1, 0, 1], env_paths=sim.env_paths)
    at = [(0.0, 0.0, 2.5), (3.0, 0.0, 2.5), (0.0, 0.0, 1.0), (3.0, 0.0, 1.0)]
    poses = np.array([look_at((x, y - 1.0, z), (x, y, z)) for x, y, z in at])
    views.tracer.aim(poses[:, :3], poses[:, 3:], (16.0, 16.0), (8.0, 8.0))
    views.render()
    red = views.tracer.colour.numpy()[:, 8, 8, 0] > 3.0 * views.tracer.colour.numpy()[:, 8, 8, 1]
    assert red.tolist() == [True, True, False, False]
    np.testing.assert_allclose(views.tracer.depth.numpy()[:2, 8, 8], 0.9, atol=2e-3)


def test_pixels_of_soft_bodies_move_as_their_vertices_do(soft):
    """Stretching by a half about its middle moves all by a third of where it is then."""
    sim, asset = soft
    points = np.array(asset.data.nodal_pos_w.numpy())
    views = WorldViews(sim.stage, sim.engine, (33, 33), [0, 1], env_paths=sim.env_paths)
    poses = np.array([look_at((x, -1.1, 1.0), (x, 0.0, 1.0)) for x in (0.0, 3.0)])
    focal = 160.0
    views.tracer.aim(poses[:, :3], poses[:, 3:], (focal, focal), (16.5, 16.5))
    motion = PixelMotion(views.tracer)
    rows = wp.array([0, 1], dtype=wp.int32, device="cpu")
    out = wp.zeros((2, 33, 33, 2), dtype=wp.float32, device="cpu")
    for stretch in (1.0, 1.5):
        moved = points.copy()
        moved[0, :, 2] = 1.0 + stretch * (moved[0, :, 2] - 1.0)
        asset.write_nodal_pos_to_sim(moved)
        views.render()
        motion.write(out, rows)
    rise = np.arange(33) - 16.0  # rows from the middle, each 1 / focal metres high there
    np.testing.assert_allclose(out.numpy()[0, :, 16, 1], rise / 3.0, atol=0.02)
    np.testing.assert_allclose(out.numpy()[0, :, 16, 0], 0.0, atol=1e-3)
    np.testing.assert_allclose(out.numpy()[1], 0.0, atol=1e-3)


def test_a_view_that_goes_to_another_environment_takes_them_along(soft):
    sim, asset = soft
    moved = np.array(asset.data.nodal_pos_w.numpy(), np.float64) * [1.0, 2.0, 0.5]
    asset.write_nodal_pos_to_sim(moved)
    shown = ShownWorld(sim)
    for world in (1, 0):
        shown.follow(world)
        shown.move()
        ((_, points),) = shown.scene.soft_points()
        np.testing.assert_allclose(points, moved[world], atol=1e-6)


def test_a_stage_shows_them_as_authored(soft):
    sim, asset = soft
    start = np.array(asset.data.nodal_pos_w.numpy())
    picture = DrawableScene(sim.stage)
    np.testing.assert_allclose(picture.data.flexvert_xpos.reshape(start.shape), start, atol=1e-6)


def test_what_is_seen_follows_the_vertices(soft):
    sim, asset = soft

    def seen(image) -> float:
        hue = image.astype(float)
        return float((hue[..., 0] > 2.0 * hue[..., 1:].max(axis=-1) + 20.0).mean())

    camera = look_at((2.0, 0.0, 1.0), (0.0, 0.0, 1.0))
    try:
        with Renderer(sim, size=(160, 120)) as renderer:
            before = seen(renderer.render(camera))
            points = np.array(asset.data.nodal_pos_w.numpy())
            asset.write_nodal_pos_to_sim(asset.transform_nodal_pos(points) * [1.0, 2.0, 1.0])
            stretched = seen(renderer.render(camera))
            asset.write_nodal_pos_to_sim(points + np.array([0.0, 5.0, 0.0]))
            gone = seen(renderer.render(camera))
    except UnsupportedError as error:
        with pytest.raises(UnsupportedError, match="pip install 'usdsim"):
            render_picture(sim)
        assert "MUJOCO_GL" in str(error)
        return
    assert 0.01 < before < 0.2
    assert stretched == pytest.approx(2.0 * before, rel=0.15)
    assert gone == 0.0
