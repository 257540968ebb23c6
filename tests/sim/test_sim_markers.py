"""Visualization markers: on the stage, in pictures and in recordings, and nowhere in physics."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Usd, UsdGeom

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.render import EngineReader, Renderer, ShownWorld, look_at
from usdsim.sim import Recorder, VisualizationMarkers, VisualizationMarkersCfg
from usdsim.spawners import CuboidCfg, PreviewSurfaceCfg, SphereCfg
from usdsim.usd.guides import show_frames

XML = """<mujoco><worldbody><body name="box" pos="0 0 2"><freejoint/>
  <geom type="box" size=".1 .1 .1" rgba=".5 .5 .5 1"/></body></worldbody></mujoco>"""
GREEN = PreviewSurfaceCfg(diffuse_color=(0.0, 1.0, 0.0))
SHAPES = VisualizationMarkersCfg(
    markers={
        "dot": SphereCfg(radius=0.1, visual_material=GREEN),
        "block": CuboidCfg(size=(0.2, 0.4, 0.6), visual_material=GREEN),
    }
)


@pytest.fixture
def model(tmp_path):
    (tmp_path / "box.xml").write_text(XML)
    return usdsim.load_model(tmp_path / "box.xml")


def test_markers_are_drawn_where_they_were_put(model):
    markers = VisualizationMarkers(SHAPES, model.stage)
    markers.visualize([[1, 0, 0], [0, 1, 0.5]], scales=[[2, 2, 2], [1, 1, 1]],
                      marker_indices=[0, 1])  # fmt: skip
    shown = ShownWorld(model, usdsim.SceneData(model))
    shown.move()
    marks = shown.scene.marks
    np.testing.assert_allclose(marks.pos, [[1, 0, 0], [0, 1, 0.5]], atol=1e-6)
    np.testing.assert_allclose(marks.size, [[0.2] * 3, [0.1, 0.2, 0.3]], atol=1e-6)
    np.testing.assert_allclose(marks.rgba, [[0, 1, 0, 1]] * 2, atol=1e-6)
    markers.set_visibility(False)
    shown.move()
    assert not markers.is_visible() and len(shown.scene.marks) == 0
    markers.set_visibility(True)
    markers.visualize(translations=[[0, 0, 0]] * 3)
    shown.move()
    assert len(shown.scene.marks) == markers.count == 3


def test_pictures_show_markers_and_physics_does_not_meet_them(model):
    data = usdsim.SceneData(model)
    camera = look_at((0.0, -3.0, 2.0), (0.0, 0.0, 2.0))
    with Renderer(model, data, size=(60, 60)) as renderer:
        before = renderer.render(camera)
        markers = VisualizationMarkers(SHAPES, model.stage)
        markers.visualize([[0.6, 0.0, 2.0]])
        after = renderer.render(camera)
    changed = np.abs(after.astype(int) - before).sum(axis=-1) > 60
    assert changed.sum() > 5
    columns = np.nonzero(changed)[1]
    assert columns.min() > 30, "right of the box alone"
    assert (after[changed].astype(int)[:, 1] > after[changed].astype(int)[:, 0]).mean() > 0.6
    assert usdsim.load_model(model.stage).num_geoms == model.num_geoms


def test_recordings_play_markers(model, tmp_path):
    data = usdsim.SceneData(model)
    markers = VisualizationMarkers(SHAPES, model.stage)
    reader = EngineReader(data.low)
    fps = 1.0 / float(model.low.opt.timestep)
    path = tmp_path / "take.usda"
    with Recorder(model.stage, model.description, path, reader=reader, fps=fps) as recorder:
        for step in range(5):
            markers.visualize([[float(step), 0.0, 0.0]] * (1 + step % 2))
            recorder.record()
            model.step(data)
    played = Usd.Stage.Open(str(path))
    prim = UsdGeom.PointInstancer(played.GetPrimAtPath(markers.prim_path))
    for step in range(5):
        found = np.array(prim.GetPositionsAttr().Get(float(step)))
        np.testing.assert_allclose(found, [[step, 0, 0]] * (1 + step % 2))


def test_frames_of_bodies_are_drawn_and_go_along(model):
    data = usdsim.SceneData(model)
    show_frames(model.stage, model.description.bodies[0].path, length=0.3)
    shown = ShownWorld(model, data)
    model.step_n(data, 100)
    shown.move()
    marks = shown.scene.marks
    height = float(model.get_link("box").get_pose(data)[2])
    assert height < 1.9 and len(marks) == 3
    np.testing.assert_allclose(marks.size[:, 1], 0.15, atol=1e-6)
    np.testing.assert_allclose(marks.pos, np.array([0, 0, height]) + 0.15 * np.eye(3), atol=1e-5)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"translations": [[0, 0]]}, ShapeError),
        ({"translations": [[0, 0, np.nan]]}, InvalidValueError),
        ({"translations": [[0, 0, 0]], "marker_indices": [2]}, InvalidValueError),
        ({"translations": [[0, 0, 0]], "scales": [[1, 1, 1]] * 2}, ShapeError),
    ],
)
def test_bad_markers_change_nothing(model, values, error):
    markers = VisualizationMarkers(SHAPES, model.stage)
    markers.visualize([[1, 2, 3]])
    with pytest.raises(error):
        markers.visualize(**values)
    instancer = UsdGeom.PointInstancer(model.stage.GetPrimAtPath(markers.prim_path))
    np.testing.assert_allclose(instancer.GetPositionsAttr().Get(), [[1, 2, 3]])
    with pytest.raises(InvalidValueError, match="at least one shape"):
        VisualizationMarkers(VisualizationMarkersCfg(), model.stage)
