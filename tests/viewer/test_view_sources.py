"""What a view can show besides one model: environments, recordings, other worlds, edits, marks."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from free_ports import free_port
from pxr import Usd

import usdsim
from usdsim.assets import ArticulationCfg
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.render import EngineReader, Recording
from usdsim.sim import (
    InteractiveScene,
    InteractiveSceneCfg,
    Recorder,
    SimulationCfg,
    SimulationContext,
)
from usdsim.spawners import UsdFileCfg
from usdsim.viewer import Viewer
from usdsim.viewer.launching import run_watched

ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"
XML = """
<mujoco><option gravity="0 0 0"/><worldbody>
  <body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".2 .2 .2" mass="2"/></body>
  <body name="arm" pos="2 0 1"><joint name="hinge" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .5 0 0" size=".05" mass="1"/></body>
</worldbody>
<keyframe><key name="up" qpos="0 0 3 1 0 0 0 .5"/></keyframe></mujoco>
"""


@pytest.fixture
def model(tmp_path: Path):
    (tmp_path / "scene.xml").write_text(XML)
    return usdsim.load_model(tmp_path / "scene.xml")


def _pose(viewer: Viewer, name: str) -> np.ndarray:
    return next(pose for path, pose in viewer.poses().items() if path.endswith(name))


def _now(viewer: Viewer) -> None:
    viewer._sent = -np.inf
    viewer.update()


class CartCfg(InteractiveSceneCfg):
    cart = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Cart",
        spawn=UsdFileCfg(usd_path=str(ASSETS / "cartpole" / "cartpole.usda")),
    )


def test_environments_of_a_simulation_are_shown_in_their_places():
    with SimulationContext(SimulationCfg(dt=0.01)) as sim:
        scene = InteractiveScene(CartCfg(num_envs=4, env_spacing=6.0))
        sim.reset()
        with Viewer(scene, port=free_port()) as viewer:
            viewer.show_world(2)
            _now(viewer)
            name = viewer.display.scene.description.bodies[1].path
            engine = sim.engine
            at = engine.compiled.names.index("body", name)
            np.testing.assert_allclose(viewer.poses()[name][:3], engine.read("xpos")[2, at])
            before = sim.current_time
            viewer.step()
            assert sim.current_time == pytest.approx(before + 0.01)
            with pytest.raises(UnsupportedError, match="no model"):
                viewer.edit(name, "physics:mass", "1")


def test_a_recording_is_scrubbed_and_begins_anew(model, tmp_path: Path):
    data = usdsim.SceneData(model)
    data.dof_vel = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    reader, path = EngineReader(data.low), tmp_path / "run.usda"
    with Recorder(model.stage, model.description, path, reader=reader, fps=50) as recorder:
        for _ in range(501):
            recorder.record()
            model.step(data)
    with Viewer(Recording(path), port=free_port()) as viewer:
        viewer.playing = False
        viewer.controls["scrub"].value = 0.5
        viewer.update()
        assert _pose(viewer, "box")[2] == pytest.approx(1.5, abs=1e-4)
        assert viewer.controls["time"].value == "0.500"
        viewer.step()
        assert _pose(viewer, "box")[2] == pytest.approx(1.52, abs=1e-4)
        viewer.playing = True
        viewer.step()
        assert viewer.controls["scrub"].value == pytest.approx(0.54)
        viewer.playing = False
        viewer.seek(1.0)
        viewer.step()
        assert _pose(viewer, "box")[2] == pytest.approx(1.0, abs=1e-4)
        assert "joint hinge" not in viewer.controls


def test_ghosts_are_the_next_worlds_side_by_side(model):
    data = usdsim.SceneData(model, batch=(5,))
    with Viewer(model, data, port=free_port()) as viewer:
        viewer.show_world(4)
        viewer.show_ghosts(2, 3.0)
        viewer.update()
        assert viewer.display.worlds._worlds.tolist() == [4, 0, 1]
        group = next(g for g in viewer.display.worlds.scenery._groups if g.frames[0] > 0)
        places = group.handle.batched_positions
        assert places.shape == (3, 3)
        np.testing.assert_allclose(places - places[0], [[0, 0, 0], [0, 3, 0], [3, 0, 0]])
        np.testing.assert_allclose(group.handle.batched_opacities, 1.0)
        viewer.show_ghosts(2, 0.0)
        viewer.update()
        group = next(g for g in viewer.display.worlds.scenery._groups if g.frames[0] > 0)
        np.testing.assert_allclose(group.handle.batched_opacities, [1.0, 0.25, 0.25])


@pytest.mark.parametrize(("triangles", "shown"), [(10**6, 5), (0, 1)])
def test_managed_views_show_worlds_side_by_side_before_time_begins(model, triangles, shown):
    data = usdsim.SceneData(model, batch=(5,))
    with Viewer(model, data, port=free_port()) as viewer:
        alone = viewer.server.initial_camera.position
        viewer.show_all(triangles)
        assert len(viewer.display.worlds._worlds) == shown == viewer.controls["ghosts"].value + 1
        group = next(g for g in viewer.display.worlds.scenery._groups if g.frames[0] > 0)
        places = group.handle.batched_positions[:shown, :2]
        # The scene is 2.75 m long, and 4.2 m leave room for half of it between worlds.
        assert len(np.unique(places, axis=0)) == shown
        assert np.ptp(places, axis=0).max() in (0.0, pytest.approx(8.4))
        away = np.linalg.norm(viewer.server.initial_camera.position - alone)
        assert (away > 1.0) == (shown > 1)
        run_watched(viewer, 0.05)
        assert viewer.clock.time(0) == 0.0  # nobody looks


def test_equal_bodies_are_one_mesh_of_which_the_watched_world_is_pulled(tmp_path):
    path = tmp_path / "boxes.xml"
    box = "<geom type='box' size='.1 .1 .1' rgba='.{} .5 .5 1'/>"
    boxes = "".join(
        f"<body pos='{k} 0 1'><freejoint/>{box.format(2 * k)}</body>" for k in range(1, 4)
    )
    path.write_text(f"<mujoco><worldbody>{boxes}</worldbody></mujoco>")
    model = usdsim.load_model(path)
    data = usdsim.SceneData(model, batch=(2,))
    with Viewer(model, data, port=free_port()) as viewer:
        viewer.show_ghosts(1, 5.0)
        viewer.update()
        (group,) = viewer.display.worlds.scenery._groups
        assert group.handle.batched_positions[:, :2].tolist() == [
            [1, 0], [1, 5], [2, 0], [2, 5], [3, 0], [3, 5]
        ]  # fmt: skip
        assert group.handle.batched_colors[::2, 0].tolist() == [51, 102, 153]
        model.step_n(data, 50)
        viewer.display.worlds.follow(seen=False)
        assert group.handle.batched_positions[0, 2] == 1.0
        viewer.display.worlds.catch_up()
        heights = model.get_link_positions(data)[..., 2].T.ravel()
        np.testing.assert_allclose(group.handle.batched_positions[:, 2], heights, rtol=1e-6)
        drag = group.handle._impl.drag_cb[0].callback
        for instance, pulled in ((3, False), (2, True)):
            drag(SimpleNamespace(instance_index=instance, phase="update",
                                 start_position=(2, 0, 1), end_position=(2, 0, 2)))  # fmt: skip
            viewer.update()
            assert (viewer._pull is not None) == pulled


def test_crowds_are_points_in_the_colours_of_their_bodies(model):
    data = usdsim.SceneData(model, batch=(1000,))
    with Viewer(model, data, port=free_port()) as viewer:
        viewer.show_world(2)
        viewer.show_ghosts(1, 2.0, points=997)
        viewer.update()
        cloud = viewer.display.worlds._crowd._handle
        count, kinds = 997, len(model.links)
        assert cloud.points.shape == (count * kinds, 3) and cloud.colors.shape == cloud.points.shape
        model.step_n(data, 20)
        viewer._sent = -np.inf
        viewer.update()
        viewer.display.worlds.catch_up()
        heights = np.sort(model.get_link_positions(data)[4, :, 2])
        np.testing.assert_allclose(np.sort(cloud.points[:kinds, 2]), heights, atol=1e-5)
        viewer.show_ghosts(0)
        viewer.update()
        assert viewer.display.worlds._crowd._handle is None


def test_a_pull_brings_the_body_to_the_mouse_and_lets_it_go(model):
    """A critically damped spring: without gravity, the held point comes to rest at the target."""
    data = usdsim.SceneData(model, batch=(2,))
    path = next(b.path for b in model.description.bodies if b.path.endswith("box"))
    with Viewer(model, data, port=free_port()) as viewer:
        viewer.show_world(1)
        viewer.update()
        viewer.pull(path, [0.0, 0.0, 1.2], [0.0, 0.0, 2.2])
        for _ in range(1500):
            viewer.update()
            model.step(data)
        heights = model.get_link("box").get_pose(data)[:, 2]
        assert heights[1] == pytest.approx(2.0, abs=0.02) and heights[0] == pytest.approx(1.0)
        viewer.pull(path, [0.0, 0.0, 0.0], None)
        data.dof_vel = np.zeros_like(data.dof_vel)
        model.step_n(data, 50)
        assert model.get_link("box").get_pose(data)[1, 2] == pytest.approx(heights[1], abs=1e-3)


def test_a_pull_acts_on_one_environment_of_a_simulation_until_it_is_let_go():
    """The held point of a cart without friction comes to rest at the target along its rail."""
    with SimulationContext(SimulationCfg(dt=0.005)) as sim:
        scene = InteractiveScene(CartCfg(num_envs=3, env_spacing=6.0))
        sim.reset()
        with Viewer(scene, port=free_port()) as viewer:
            viewer.show_world(1)
            _now(viewer)
            path = next(path for path in viewer.poses() if path.lower().endswith("cart"))
            start = viewer.poses()[path][:3]
            viewer.pull(path, start, np.add(start, [0.4, 0.0, 0.0]))
            for _ in range(600):
                viewer.update()
                viewer.clock.step()
            cart = sim.engine.compiled.names.index("body", path)
            moved = sim.engine.read("xpos")[:, cart] - sim.engine.read("xpos")[0, cart]
            moved -= scene.env_origins.numpy() - scene.env_origins.numpy()[0]
            np.testing.assert_allclose(moved[1], [0.4, 0.0, 0.0], atol=0.02)
            np.testing.assert_allclose(moved[2], 0.0, atol=1e-5)
            assert sim.engine.state("xfrc_applied")[1].any()
            viewer.pull(path, start, None)
            assert not sim.engine.state("xfrc_applied").any()


def test_keyframes_and_marks_and_plots(model):
    data = usdsim.SceneData(model)
    with Viewer(model, data, port=free_port()) as viewer:
        viewer.controls["keyframe"].value = "up"
        viewer.update()
        assert data.dof_pos[2] == pytest.approx(3.0)
        viewer.reset()
        viewer.controls["keyframe"].value = "up"
        viewer.update()
        assert data.dof_pos[2] == pytest.approx(3.0)
        viewer.controls["mark frames"].value = True
        viewer.controls["mark centres"].value = True
        viewer.update()
        assert viewer.guides == ("frames", "centres") and len(viewer.display.scene.marks) == 8
        viewer.controls["names"].value = True
        viewer.update()
        labels = viewer.display._names._labels
        assert set(labels) == set(viewer.poses())
        np.testing.assert_allclose(
            [label.position for label in labels.values()],
            [viewer.poses()[path][:3] for path in labels],
        )
        viewer.controls["quantity 1"].value = "hinge position"
        viewer.controls["quantity 2"].value = "box height"
        viewer.update()
        for _ in range(3):
            viewer.step()
        values = viewer.plots.values
        assert len(values) >= 3 and (np.diff(values[:, 0]) > 0.0).all()
        np.testing.assert_allclose(values[:, 1:], [[0.5, 3.0]] * len(values), atol=1e-4)


def test_edited_attributes_act_and_are_saved_as_a_layer(model, tmp_path: Path):
    data = usdsim.SceneData(model)
    data.dof_pos = [0.0, 0.0, 1.75, 0.0, 0.0, 0.0, 1.0, 0.3]
    path = next(b.path for b in model.description.bodies if b.path.endswith("box"))
    with Viewer(model, data, port=free_port()) as viewer:
        data.dof_pos = [0.0, 0.0, 2.5, 0.0, 0.0, 0.0, 1.0, 0.3]
        viewer.controls["path"].value = path
        viewer.update()
        assert viewer.selected == path
        assert float(viewer.attributes(path)["physics:mass"]) == pytest.approx(2.0)
        viewer.controls["attribute"].value = "physics:mass"
        viewer.update()
        assert float(viewer.controls["value"].value) == pytest.approx(2.0)
        viewer.controls["value"].value = "5.0"
        viewer.ask(lambda: viewer.edit(path, "physics:mass", viewer.controls["value"].value))
        viewer.update()
        assert viewer.model.get_link("box").mass == pytest.approx(5.0)
        assert viewer.data.dof_pos[2] == pytest.approx(2.5)
        viewer.ask(lambda: viewer.edit(path, "physics:mass", '"heavy"'))
        viewer.update()
        assert "heavy" in viewer.controls["message"].content
        assert viewer.model.get_link("box").mass == pytest.approx(5.0)
        viewer.reset()
        assert viewer.data.dof_pos[2] == pytest.approx(1.75), "where the view began"
        viewer.save_edits(str(tmp_path / "edits.usda"))
    saved = Usd.Stage.Open(str(tmp_path / "edits.usda"))
    assert saved.GetPrimAtPath(path).GetAttribute("physics:mass").Get() == pytest.approx(5.0)


def test_colliders_take_the_place_of_looks(tmp_path: Path):
    (tmp_path / "two.xml").write_text(
        """<mujoco><worldbody><body name="box" pos="0 0 1"><freejoint/>
        <geom type="box" size=".2 .2 .2" contype="0" conaffinity="0" group="1"/>
        <geom type="sphere" size=".3" group="3"/></body></worldbody></mujoco>"""
    )
    model = usdsim.load_model(tmp_path / "two.xml")
    kinds = {}
    with Viewer(model, usdsim.SceneData(model), port=free_port()) as viewer:
        for shown in (False, True):
            viewer.show_colliders(shown)
            parts = viewer.display.scene.parts
            kinds[shown] = set(parts.kind[parts.frame > 0].tolist())
    assert kinds == {False: {6}, True: {2}}


def test_meshes_are_decimated_to_the_budget_and_keep_their_shape(tmp_path: Path):
    (tmp_path / "ball.xml").write_text(
        """<mujoco><asset><mesh name="ball" builtin="sphere" params="4"/></asset><worldbody>
        <body name="ball"><freejoint/><geom type="mesh" mesh="ball"/></body></worldbody></mujoco>"""
    )
    model = usdsim.load_model(tmp_path / "ball.xml")
    groups = {}
    for budget in (100_000, 500):
        with Viewer(model, port=free_port(), triangles=budget) as viewer:
            groups[budget] = max(viewer.display.worlds.scenery._groups, key=lambda g: len(g.faces))
    assert len(groups[100_000].faces) > 1000 and len(groups[500].faces) <= 500
    radii = np.linalg.norm(groups[500].points, axis=1)
    assert np.abs(radii - 1.0).max() < 0.05


@pytest.mark.parametrize("source", [3, "robot.usda"])
def test_what_cannot_be_shown_is_refused(source):
    with pytest.raises(UnsupportedError, match="cannot show"):
        Viewer(source, port=free_port())


def test_a_recording_has_no_data(model, tmp_path: Path):
    data = usdsim.SceneData(model)
    path = tmp_path / "run.usda"
    with Recorder(model.stage, model.description, path, reader=EngineReader(data.low)) as recorder:
        recorder.record()
    with pytest.raises(InvalidValueError, match="no model"):
        Viewer(Recording(path), data, port=free_port())
