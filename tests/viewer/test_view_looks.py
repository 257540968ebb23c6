"""Looks of single worlds on pages of a view and in pictures: authored ones, and those set later."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from device_under_test import DEVICE
from free_ports import free_port
from pxr import Gf, UsdGeom, UsdPhysics
from textured_card import card_stage, preview_material

import usdsim
from usdsim.render import world_looks
from usdsim.render.worlds.views import WorldViews
from usdsim.sim import Renderer, SimulationCfg, SimulationContext, look_at
from usdsim.usd import create_stage
from usdsim.viewer import Viewer

RED, GREEN, BLUE = (0.9, 0.05, 0.05), (0.05, 0.9, 0.05), (0.05, 0.05, 0.9)
SIZE = (32, 24)
MIDDLE = (12, 16)


@pytest.fixture
def sim():
    """Three environments with a body and a post that stands still; the second's body is blue."""
    stage = create_stage()
    UsdPhysics.Scene.Define(stage, "/physicsScene")
    for index in range(3):
        env = UsdGeom.Xform.Define(stage, f"/World/envs/env_{index}")
        env.AddTranslateOp().Set(Gf.Vec3d(0.0, 4.0 * index, 0.0))
        for name, height, colour in (
            ("body", 1.0, BLUE if index == 1 else RED),
            ("post", 0.0, GREEN),
        ):
            cube = UsdGeom.Cube.Define(stage, f"{env.GetPath()}/{name}")
            cube.CreateSizeAttr(0.4)
            cube.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, height))
            cube.CreateDisplayColorAttr([colour])
            UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
        UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath(f"{env.GetPath()}/body"))
    with SimulationContext(SimulationCfg(dt=0.01), stage=stage) as made:
        made.reset()
        yield made


def _drawn(viewer: Viewer) -> set[tuple[str, tuple[int, ...], float]]:
    """Main colour, place and opacity of what the page shows, of each instance."""
    found = set()
    viewer.display.worlds.catch_up()
    for group in viewer.display.worlds.scenery._groups:
        handle = group.handle
        for rgb, alpha, place in zip(
            handle.batched_colors, handle.batched_opacities, handle.batched_positions, strict=True
        ):
            at = place + group.points.mean(axis=0)
            found.add(("RGB"[int(np.argmax(rgb))], tuple(np.round(at).astype(int)), float(alpha)))
    return found


def test_a_view_shows_each_environment_as_it_is_authored_and_set(sim: SimulationContext):
    with Viewer(sim, port=free_port()) as viewer:
        assert _drawn(viewer) == {("R", (0, 0, 1), 1.0), ("G", (0, 0, 0), 1.0)}
        viewer.show_world(1)
        viewer.show_ghosts(1)
        viewer.update()
        viewer.update()
        shown = {("B", (0, 4, 1), 1.0), ("G", (0, 4, 0), 1.0)}
        assert _drawn(viewer) == shown | {("R", (0, 8, 1), 1.0), ("G", (0, 8, 0), 1.0)}
        looks = world_looks(sim.stage, sim.engine)
        looks.set_colours("/World/envs/env_0/body", (*GREEN, 1.0), [2])
        viewer._sent = -np.inf
        viewer.update()
        assert _drawn(viewer) == shown | {("G", (0, 8, 1), 1.0), ("G", (0, 8, 0), 1.0)}


def _hue(image: np.ndarray) -> str:
    pixel = image[MIDDLE].astype(int)
    return "RGB"[int(np.argmax(pixel))] if np.ptp(pixel) > 40 else "-"


def test_pictures_show_each_environment_as_it_is_authored_and_set(sim: SimulationContext):
    stripes = np.zeros((2, 2, 3), np.uint8)
    stripes[..., 2] = 255
    looks = world_looks(sim.stage, sim.engine)
    with Renderer(sim, size=SIZE) as renderer:

        def seen(height: float) -> str:
            found = ""
            for world in range(3):
                renderer.show(world)
                y = 4.0 * world
                found += _hue(renderer.render(look_at((2.0, y, height + 0.1), (0.0, y, height))))
            return found

        assert seen(1.0) == "RBR" and seen(0.0) == "GGG"
        looks.set_colours("/World/envs/env_0/body", (*GREEN, 1.0), [2])
        assert seen(1.0) == "RBG"
        looks.set_colours("/World/envs/env_0/body", (1.0, 1.0, 1.0, 1.0), [0])
        looks.set_textures("/World/envs/env_0/body", [stripes], 0, [0])
        assert seen(1.0) == "BBG"
    several = Renderer(sim, world=[2, 1], size=SIZE)
    with several:
        for world, hue in ((1, "B"), (2, "G")):
            y = 4.0 * world
            assert _hue(several.render(look_at((2.0, y, 1.1), (0.0, y, 1.0)))) == hue


def test_light_of_a_world_is_that_of_its_pictures(tmp_path: Path):
    (tmp_path / "box.xml").write_text(
        """<mujoco><worldbody><body pos="0 0 1"><freejoint/>
        <geom type="box" size=".2 .2 .2" rgba="1 0 0 1"/></body></worldbody></mujoco>"""
    )
    model = usdsim.load_model(tmp_path / "box.xml")
    data = usdsim.SceneData(model, batch=(2,))
    eye = look_at((2.0, -1.0, 1.5), (0.0, 0.0, 1.0))
    with Renderer(model, data, size=SIZE) as renderer:
        before = renderer.render(eye)
        world_looks(model.stage, data.engine).set_light(brightness=(0.5, 0.5, 0.5), worlds=[1])
        np.testing.assert_array_equal(renderer.render(eye), before)
        renderer.show(1)
        dark = renderer.render(eye)
    assert dark[MIDDLE][0] == pytest.approx(before[MIDDLE][0] / 2.0, abs=2)


SHAPES = """<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="box" pos="0 0 1"><freejoint/><geom name="box" type="box" size=".2 .2 .2"
    rgba="1 0 0 1"/></body>
  <body name="ball" pos="0 1 1"><freejoint/><geom name="ball" size=".2" rgba="0 0 1 1"/></body>
</worldbody></mujoco>"""


@pytest.fixture(params=["cpu", DEVICE])
def resized(request, tmp_path: Path):
    """Three worlds of a box and a ball, the second box of which grows, and the third ball."""
    (tmp_path / "shapes.xml").write_text(SHAPES)
    model = usdsim.load_model(tmp_path / "shapes.xml")
    data = usdsim.SceneData(model, batch=(3,), device=request.param)

    def grow() -> None:
        engine = data.engine
        engine.set_param("geom_size", [[[0.4, 0.3, 0.2]]], env_ids=[1], ids=[0])
        engine.set_param("geom_size", [[[0.35, 0.0, 0.0]]], env_ids=[2], ids=[1])

    return model, data, grow


def _extents(viewer: Viewer) -> set[tuple[float, ...]]:
    """Half extents of what the page shows, and the opacity of its instances."""
    viewer.display.worlds.catch_up()
    found = set()
    for group in viewer.display.worlds.scenery._groups:
        half = np.ptp(group.points, axis=0) / 2.0
        numbers = [*half.tolist(), *group.handle.batched_opacities.tolist()]
        found.add(tuple(round(number, 2) for number in numbers))
    return found


def test_views_show_the_sizes_of_single_worlds(resized):
    model, data, grow = resized
    with Viewer(model, data, port=free_port()) as viewer:
        viewer.show_ghosts(2)
        viewer.update()
        usual = {(0.2, 0.2, 0.2, 1.0, 0.25, 0.25)}
        assert _extents(viewer) == usual
        grow()
        viewer._sent = -np.inf
        viewer.update()
        assert _extents(viewer) == {
            (0.2, 0.2, 0.2, 1.0, 0.0, 0.25),
            (0.4, 0.3, 0.2, 0.0, 0.25, 0.0),
            (0.2, 0.2, 0.2, 1.0, 0.25, 0.0),
            (0.35, 0.35, 0.35, 0.0, 0.0, 0.25),
        }
        viewer.show_world(1)
        viewer.show_ghosts(0)
        viewer.update()
        assert _extents(viewer) == {(0.4, 0.3, 0.2, 1.0), (0.2, 0.2, 0.2, 1.0)}


def test_cameras_and_pictures_show_the_sizes_of_single_worlds(resized):
    """A box that reaches 0.1 m further towards the camera is nearer by as much."""
    model, data, grow = resized
    grow()
    views = WorldViews(model.stage, data.engine, SIZE, [0, 1, 2], colours=False)
    pose = look_at((0.0, -3.0, 1.0), (0.0, 0.0, 1.0))
    focal = SIZE[1] / 2.0
    views.tracer.aim(np.tile(pose[:3], (3, 1)), np.tile(pose[3:], (3, 1)),
                     np.full((3, 2), focal), np.tile(np.array(SIZE) / 2.0, (3, 1)))  # fmt: skip
    views.render()
    depth = views.tracer.depth.numpy().reshape(3, SIZE[1], SIZE[0])
    np.testing.assert_allclose(depth[:, MIDDLE[0], MIDDLE[1]], [2.8, 2.7, 2.8], atol=0.01)
    with Renderer(model, data, size=SIZE) as renderer:
        red = []
        for world in (0, 1, 0):
            renderer.show(world)
            image = renderer.render(pose).astype(int)
            red.append(int((image[..., 0] > image[..., 1] + 60).sum()))
    assert red[0] == red[2] and red[1] > 1.5 * red[0]


def _pictured(viewer: Viewer) -> list[bool]:
    """Whether each mesh of the page has a picture."""
    viewer.update()
    viewer.display.worlds.catch_up()
    return [hasattr(group.handle, "glb_data") for group in viewer.display.worlds.scenery._groups]


def test_textures_are_drawn_where_nothing_has_to_be_seen_through(tmp_path: Path):
    stage = card_stage(tmp_path)
    preview_material(stage)
    model = usdsim.load_model(stage)
    with Viewer(model, usdsim.SceneData(model, batch=(3,)), port=free_port()) as viewer:
        assert _pictured(viewer) == [True]
        viewer.guide(["frames"])
        assert _pictured(viewer) == [False]
        viewer.guide([])
        assert _pictured(viewer) == [True]
        viewer.show_ghosts(2)
        assert _pictured(viewer) == [False]
        viewer.show_all(10_000)
        assert _pictured(viewer) == [True]
        assert len(viewer.display.worlds.scenery._groups[0].handle.batched_positions) == 3
        world_looks(model.stage, viewer.display.engine).set_colours(
            "/card", (1.0, 0.0, 0.0, 1.0), [1]
        )
        viewer._sent = -np.inf
        assert _pictured(viewer) == [False]
