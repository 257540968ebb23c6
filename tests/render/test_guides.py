"""Guides and marks: where they are, how long, and that pictures show them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_apply
from usdsim.math.transforms import Pose
from usdsim.render import GUIDES, Marks, Renderer, ShownWorld, look_at, tile_images

XML = """<mujoco><worldbody>
  <geom name="ground" type="plane" size="5 5 .1"/>
  <body name="ball" pos="0 0 .2"><freejoint/>
    <geom type="sphere" size=".2" mass="3" rgba=".5 .5 .5 1"/></body>
  <body name="door" pos="1 0 1" euler="0 0 30"><joint name="hinge" axis="0 0 1" pos=".1 0 0"/>
    <geom type="box" size=".3 .05 .4" mass="2" rgba=".5 .5 .5 1"/></body>
</worldbody></mujoco>"""
CAPSULE = int(mujoco.mjtGeom.mjGEOM_CAPSULE)


@pytest.fixture
def worlds(tmp_path, device):
    (tmp_path / "scene.xml").write_text(XML)
    model = usdsim.load_model(tmp_path / "scene.xml")
    data = usdsim.SceneData(model, batch=(2,), device=device)
    model.step_n(data, 400)
    return model, data


def _marks(worlds, *names: str, world: int = 1) -> Marks:
    shown = ShownWorld(*worlds, world, guides=names)
    shown.move()
    return shown.scene.marks


def test_forces_carry_the_weight(worlds):
    """The ball's weight is 3 of the 5 kg that move, so its arrow is 3/5 of 0.4 extents long."""
    marks = _marks(worlds, "forces")
    shaft = marks.kind == CAPSULE
    assert shaft.sum() == 1
    extent = float(worlds[0].low.stat.extent)
    assert 2.0 * marks.size[shaft][0, 1] == pytest.approx(0.4 * extent * 3.0 / 5.0, rel=2e-2)
    low, high = marks.pos[shaft][0, 2] - marks.size[shaft][0, 1], marks.pos[shaft][0, 2]
    assert low == pytest.approx(0.0, abs=2e-3) and high > 0.0, "up, on what moves"


def test_contacts_centres_frames_and_joints_are_where_the_engine_has_them(worlds):
    model, data = worlds
    np.testing.assert_allclose(_marks(worlds, "contacts").pos, [[0, 0, 0]], atol=2e-3)
    data1 = data[1]
    poses = np.array([model.get_link(name).get_pose(data1) for name in ("ball", "door")])
    np.testing.assert_allclose(_marks(worlds, "centres").pos, poses[:, :3], atol=1e-5)
    frames = _marks(worlds, "frames")
    ends = frames.pos - frames.size[:, 1:2] * _axis(frames)
    assert all(np.abs(ends - pose[:3]).max(axis=1).min() < 1e-5 for pose in poses)
    joints = _marks(worlds, "joints")
    shaft = joints.kind == CAPSULE
    start = (joints.pos - joints.size[:, 1:2] * _axis(joints))[shaft]
    hinge = model.get_link("door").get_pose(data1)
    anchor = Pose(hinge[:3], hinge[3:]) @ Pose(np.array([0.1, 0, 0]))
    np.testing.assert_allclose(start, [anchor.pos], atol=1e-5)


MEASURED = """<mujoco><worldbody>
  <geom name="ground" type="plane" size="5 5 .1"/>
  <body name="probe" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
    <geom type="sphere" size=".1"/>
    <site name="down" pos="0 0 -.2" euler="180 0 0"/><site name="up" pos="0 0 .2"/>
    <camera name="eye" pos="0 0 -.2" fovy="90" resolution="200 100"/></body>
</worldbody><sensor><rangefinder site="down"/><rangefinder site="up"/></sensor></mujoco>"""


def test_rays_end_where_rangefinders_measure_and_views_span_their_angles(tmp_path):
    (tmp_path / "measured.xml").write_text(MEASURED)
    model = usdsim.load_model(tmp_path / "measured.xml")
    data = usdsim.SceneData(model)
    extent = float(model.low.stat.extent)
    marks = _marks((model, data), "sensors", world=0)
    balls = marks.kind == int(mujoco.mjtGeom.mjGEOM_SPHERE)
    np.testing.assert_allclose(marks.pos[balls], [[0, 0, 0]], atol=1e-6)
    rays = (marks.kind == CAPSULE) & (np.abs(marks.rgba - marks.rgba[balls][0]).max(axis=1) < 1e-6)
    reach = np.sort(2.0 * marks.size[rays][:, 1])
    np.testing.assert_allclose(reach, np.sort([0.8, 0.5 * extent]), rtol=1e-6)
    view = _marks((model, data), "cameras", world=0)
    ends = np.concatenate([view.pos + s * view.size[:, 1:2] * _axis(view) for s in (-1, 1)])
    ends = np.unique(ends.round(6), axis=0)
    depth = 0.1 * extent
    corners = [[x, y, 0.8 - depth] for x in (-2 * depth, 2 * depth) for y in (-depth, depth)]
    expected = np.array([[0, 0, 0.8], *corners])
    assert max(np.linalg.norm(ends - point, axis=1).min() for point in expected) < 1e-5
    assert len(ends) == 5


@pytest.mark.parametrize(
    ("lens", "left", "right", "bottom", "top"),
    [
        ('projection="orthographic" fovy=".4"', -0.4, 0.4, -0.2, 0.2),
        (
            'sensorsize=".004 .002" focal=".002 .002" principal=".0005 .0002"',
            -0.75,
            1.25,
            -0.6,
            0.4,
        ),
    ],
    ids=["orthographic", "sensor"],
)
def test_views_of_all_lenses_show_what_these_see(tmp_path, lens, left, right, bottom, top):
    """Ends at a depth d are at d times the tangents, those of parallel views where they are."""
    (tmp_path / "eye.xml").write_text(f"""<mujoco><statistic extent="10"/><worldbody>
      <geom size=".1"/><camera name="eye" resolution="200 100" {lens}/></worldbody></mujoco>""")
    model = usdsim.load_model(tmp_path / "eye.xml")
    view = _marks((model, usdsim.SceneData(model)), "cameras", world=0)
    ends = np.concatenate([view.pos + s * view.size[:, 1:2] * _axis(view) for s in (-1, 1)])
    far = ends[ends[:, 2] < -0.5]
    np.testing.assert_allclose(far.min(axis=0), (left, bottom, -1.0), atol=1e-5)
    np.testing.assert_allclose(far.max(axis=0), (right, top, -1.0), atol=1e-5)
    near = ends[ends[:, 2] > -0.5]
    parallel = np.array([left, right, bottom, top]) * ("ortho" in lens)
    found = [*(near[:, 0].min(), near[:, 0].max()), *(near[:, 1].min(), near[:, 1].max())]
    np.testing.assert_allclose(found, parallel, atol=1e-5)


def test_boxes_of_inertia_are_the_boxes_they_come_from(worlds):
    marks = _marks(worlds, "inertias")
    sizes = np.sort(marks.size, axis=1)
    assert np.abs(sizes - np.sort([0.3, 0.05, 0.4])).max(axis=1).min() < 1e-4


def test_pictures_show_marks_and_bodies_let_those_inside_be_seen(worlds):
    """A ball of 12 mm in the middle of a box is seen through its sides."""
    camera = look_at((1.0, -2.5, 1.0), (1.0, 0.0, 1.0))
    seen = {}
    for names in ((), ("centres",)):
        with Renderer(*worlds, size=(160, 120), guides=names) as renderer:
            seen[names] = renderer.render(camera).astype(int)
    door = seen[("centres",)][55:66, 75:86]
    plain = seen[()][55:66, 75:86]
    yellow = door[..., 0] - door[..., 2]
    assert yellow.max() > 30 and (plain[..., 0] - plain[..., 2]).max() < 15


def test_guides_of_nothing_simulated_are_those_of_the_stage(tmp_path):
    (tmp_path / "scene.xml").write_text(XML)
    model = usdsim.load_model(tmp_path / "scene.xml")
    marks = {}
    for name in GUIDES:
        shown = ShownWorld(model, guides=[name])
        shown.move()
        marks[name] = len(shown.scene.marks)
    assert marks["contacts"] == marks["forces"] == 0
    assert min(marks[name] for name in ("frames", "centres", "inertias", "joints")) > 0


@pytest.mark.parametrize("names", ["frames", ["colours"]])
def test_unknown_guides_are_refused(worlds, names):
    with pytest.raises(InvalidValueError, match="contacts, forces"):
        ShownWorld(*worlds, guides=names)


def test_tiles_are_rows_of_pictures():
    images = [np.full((2, 3, 3), k, np.uint8) for k in range(5)]
    made = tile_images(images)
    assert made.shape == (4, 9, 3)
    assert [int(made[2 * (k // 3), 3 * (k % 3), 0]) for k in range(5)] == [0, 1, 2, 3, 4]
    assert made[2, 6].max() == 0
    assert tile_images(images, columns=5).shape == (2, 15, 3)
    for bad in ([], [images[0], images[0][:1]]):
        with pytest.raises(Exception, match="images"):
            tile_images(bad)


def _axis(marks: Marks) -> np.ndarray:
    return quat_apply(marks.quat, np.array([0.0, 0.0, 1.0]))
