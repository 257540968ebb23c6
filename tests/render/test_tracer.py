"""The ray caster against closed forms, the engine's own rays, and the laws of projection."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import warp as wp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mujoco import batch

from usdsim.math.rotations import quat_apply, quat_conjugate, quat_from_matrix
from usdsim.render import Tracer, look_at
from usdsim.render.parts import drawable_parts
from usdsim.render.raycast.scene import LENS_KINDS

SIZE = (24, 20)
FOCAL = 22.0
CLOSED_FORM = 1e-4
"""Distances in single precision, a few metres away [m]."""
SINGLE_PRECISION = 1e-6
"""Rounding of a point in single precision, a few metres away [m]."""

_ALL_KINDS = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  .3 0 0  0 .3 0  .3 .3 .1  0 0 .3"/>
    <hfield name="hill" nrow="5" ncol="6" size=".5 .4 .2 .1"
      elevation="0 0 0 0 0 0  0 .2 .4 .3 .1 0  0 .5 1 .7 .2 0  0 .2 .4 .3 .1 0  0 0 0 0 0 0"/>
  </asset>
  <worldbody>
    <geom type="plane" size="0 0 .1" pos="0 0 -.2"/>
    <geom type="plane" size=".4 .3 .1" pos="1.2 1 .3" euler="20 10 0"/>
    <geom type="hfield" hfield="hill" pos="-1 .6 -.1" euler="5 0 30"/>
    <body pos=".5 0 .3" euler="10 20 30"><freejoint/><geom type="box" size=".2 .1 .15"/></body>
    <body pos="-.4 .3 .3"><freejoint/><geom type="sphere" size=".2"/></body>
    <body pos="0 .7 .4" euler="50 0 10"><freejoint/><geom type="capsule" size=".1 .2"/></body>
    <body pos="0 -.6 .3" euler="0 70 20"><freejoint/><geom type="cylinder" size=".15 .1"/></body>
    <body pos="-.6 -.5 .3" euler="0 30 0"><freejoint/>
      <geom type="ellipsoid" size=".1 .25 .15"/></body>
    <body pos=".8 .6 .2" euler="15 0 45"><freejoint/><geom type="mesh" mesh="wedge"/></body>
  </worldbody>
</mujoco>
"""


def _scene(xml: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data


def _tracer(model, data, *, size=SIZE, device="cpu", **options) -> Tracer:
    shown = np.ones(model.ngeom, np.bool_)
    parts = drawable_parts(model, [f"/{i}" for i in range(model.ngeom)], shown)
    tracer = Tracer(parts, 1, size, [0], device=device, **options)
    turns = quat_from_matrix(data.geom_xmat.reshape(-1, 3, 3))
    tracer.put(data.geom_xpos[None], turns[None])
    return tracer


def _aimed(tracer: Tracer, pose, *, kind="pinhole", focal=FOCAL, size=SIZE, near=1e-3, far=1e9):
    centre = (size[0] / 2.0, size[1] / 2.0)
    tracer.aim(pose[:3], pose[3:], (focal, focal), centre, LENS_KINDS[kind], near, far)
    tracer.trace()
    return tracer.depth.numpy()[0], tracer.shape.numpy()[0], tracer.normal.numpy()[0]


def _sight(pose, kind="pinhole", focal=FOCAL, size=SIZE) -> tuple[np.ndarray, np.ndarray]:
    """Starts and unit directions of the lines of sight through the middles of pixels."""
    x = (np.arange(size[0]) + 0.5 - size[0] / 2.0) / focal
    y = -(np.arange(size[1]) + 0.5 - size[1] / 2.0) / focal
    x, y = np.meshgrid(x, y)
    local = np.stack([x, y, -np.ones_like(x)], axis=-1)
    start = np.broadcast_to(pose[:3], local.shape)
    if kind == "orthographic":
        start = pose[:3] + quat_apply(pose[3:], np.stack([x, y, 0.0 * x], axis=-1))
        local = np.broadcast_to([0.0, 0.0, -1.0], local.shape)
    elif kind == "fisheye":
        angle = np.hypot(x, y)
        aside = np.sinc(angle / np.pi)
        local = np.stack([x * aside, y * aside, -np.cos(angle)], axis=-1)
    local = local / np.linalg.norm(local, axis=-1, keepdims=True)
    return start, quat_apply(pose[3:], local)


@pytest.mark.parametrize("kind", LENS_KINDS)
@settings(max_examples=15)
@example(angle=3.6875, height=0.71875, distance=3.125)
@given(angle=st.floats(0.0, 6.3), height=st.floats(0.3, 2.5), distance=st.floats(2.6, 3.4))
def test_what_is_seen_is_what_the_engines_rays_hit(kind, angle, height, distance):
    """Shapes of every type, from anywhere, by an implementation of its own."""
    model, data = _scene(_ALL_KINDS)
    eye = (distance * np.cos(angle), distance * np.sin(angle), height)
    pose = look_at(eye, (0.0, 0.1, 0.2))
    depth, shape, normal = _aimed(_tracer(model, data), pose, kind=kind)
    start, direction = _sight(pose, kind)
    worlds = batch.Batch(model, 1, 1)
    worlds.bind("qpos")[:] = data.qpos
    found = worlds.ray(start.reshape(-1, 3), direction.reshape(-1, 3), None, True, -1, None, True)
    distance_, geom, outward = (np.asarray(v)[0].reshape(*SIZE[::-1], -1) for v in found)
    geom, distance_ = geom[..., 0], distance_[..., 0]
    # A ray along an edge may go either way: pixels all of whose neighbours agree do not.
    same = shape == geom
    assert same.mean() > 0.985
    seen = same & (shape >= 0)
    assert np.isinf(depth[shape < 0]).all()
    near = seen & (depth < 8.0)
    # What a start is off in single precision, a grazing ray is off by that over the cosine.
    grazing = np.abs(np.einsum("ijk,ijk->ij", direction, outward))[near]
    bound = CLOSED_FORM + SINGLE_PRECISION / np.maximum(grazing, SINGLE_PRECISION)
    assert (np.abs(depth - distance_)[near] < bound).all()
    agree = np.einsum("ijk,ijk->ij", normal, outward)[seen]
    assert np.quantile(agree, 0.02) > 0.999


def test_depths_of_plane_sphere_and_box_have_a_closed_form():
    xml = """<mujoco><worldbody>
      <geom type="plane" size="0 0 1" pos="0 0 -1"/>
      <geom type="sphere" size=".5" pos="-1 0 0"/>
      <geom type="box" size=".5 .4 .3" pos="1 0 0"/></worldbody></mujoco>"""
    pose = look_at((0.0, 0.0, 3.0), (0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0))
    depth, shape, _ = _aimed(_tracer(*_scene(xml), size=(64, 48)), pose, focal=40.0, size=(64, 48))
    start, ray = _sight(pose, focal=40.0, size=(64, 48))
    plane = -4.0 / ray[..., 2]
    box = -2.7 / ray[..., 2]
    to_middle = np.array([-1.0, 0.0, -3.0])
    along = ray @ to_middle
    with np.errstate(invalid="ignore"):
        sphere = along - np.sqrt(0.25 - (to_middle @ to_middle - along**2))
    for index, expected in enumerate((plane, sphere, box)):
        where = shape == index
        if index == 2:  # its top, not the side that is seen beside it
            where &= np.abs(start[..., 0] + expected * ray[..., 0] - 1.0) < 0.5
        assert where.sum() > 40
        np.testing.assert_allclose(depth[where], expected[where], atol=CLOSED_FORM)


@settings(max_examples=20)
@given(
    st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6), st.floats(0.1, 0.9)),
    st.floats(0.0, 6.3),
)
def test_points_are_seen_where_the_pinhole_law_projects_them(point, angle):
    xml = f"""<mujoco><worldbody>
      <geom type="sphere" size=".02" pos="{point[0]} {point[1]} {point[2]}"/>
      </worldbody></mujoco>"""
    size, focal = (160, 120), 150.0
    pose = look_at((2.5 * np.cos(angle), 2.5 * np.sin(angle), 1.0), (0.0, 0.0, 0.5))
    _, shape, _ = _aimed(_tracer(*_scene(xml), size=size), pose, focal=focal, size=size)
    rows, columns = np.nonzero(shape == 0)
    local = quat_apply(quat_conjugate(pose[3:]), np.array(point) - pose[:3])
    column = size[0] / 2.0 + focal * local[0] / -local[2]
    row = size[1] / 2.0 - focal * local[1] / -local[2]
    assert np.abs(columns.mean() + 0.5 - column) < 0.5
    assert np.abs(rows.mean() + 0.5 - row) < 0.5


def test_clipping_planes_cut_by_depth_along_the_axis():
    xml = """<mujoco><worldbody>
      <geom type="box" size="3 3 .1" pos="0 0 0"/>
      <geom type="box" size="3 3 .1" pos="0 0 1"/></worldbody></mujoco>"""
    pose = look_at((0.0, 0.0, 3.0), (0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0))
    tracer = _tracer(*_scene(xml))
    assert (_aimed(tracer, pose)[1] == 1).all()
    assert (_aimed(tracer, pose, near=1.95)[1] == 0).all()
    assert (_aimed(tracer, pose, far=1.85)[1] == -1).all()


def test_a_camera_inside_a_shape_sees_out_of_it():
    xml = """<mujoco><worldbody>
      <geom type="sphere" size=".5" pos="0 0 3"/>
      <geom type="box" size="3 3 .1" pos="0 0 0"/></worldbody></mujoco>"""
    pose = look_at((0.0, 0.0, 3.0), (0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0))
    assert (_aimed(_tracer(*_scene(xml)), pose)[1] == 1).all()


def test_glass_shows_what_is_behind_it_and_invisible_shapes_nothing():
    xml = """<mujoco><worldbody>
      <geom type="box" size="3 3 .1" pos="0 0 2" rgba="0 0 1 {alpha}"/>
      <geom type="box" size="3 3 .1" pos="0 0 0" rgba="1 0 0 1"/></worldbody></mujoco>"""
    pose = look_at((0.0, 0.0, 4.0), (0.0, 0.0, 0.0), up=(0.0, 1.0, 0.0))
    seen = {}
    for alpha in (0.0, 0.5, 1.0):
        tracer = _tracer(*_scene(xml.format(alpha=alpha)), shadows=False)
        shape = _aimed(tracer, pose)[1]
        tracer.paint()
        assert (shape == (1 if alpha == 0.0 else 0)).all()
        seen[alpha] = tracer.colour.numpy()[0, 10, 12]
    np.testing.assert_allclose(seen[0.5], (seen[0.0] + seen[1.0]) / 2.0, atol=1e-5)
    assert seen[0.0][0] > 0.5 and seen[1.0][2] > 0.5


def test_worlds_and_threads_do_not_influence_each_other():
    model, data = _scene(_ALL_KINDS)
    shown = np.ones(model.ngeom, np.bool_)
    parts = drawable_parts(model, [""] * model.ngeom, shown)
    turns = quat_from_matrix(data.geom_xmat.reshape(-1, 3, 3))
    shift = np.linspace(-0.3, 0.3, 5)[:, None, None] * np.array([0.2, 1.0, 0.0])
    pose = look_at((2.0, 0.5, 1.0), (0.0, 0.0, 0.2))

    def seen(worlds, threads):
        tracer = Tracer(parts, len(worlds), SIZE, range(len(worlds)), threads=threads)
        at = data.geom_xpos + shift[worlds]
        tracer.put(at, np.broadcast_to(turns, (*at.shape[:2], 4)))
        tracer.light((0.0, 0.0, 0.2), 2.0)
        _aimed(tracer, pose)
        tracer.paint(samples=2)
        return tracer.depth.numpy(), tracer.colour.numpy()

    together = seen([0, 1, 2, 3, 4], 2)
    alone = [seen([k], 1) for k in range(5)]
    for k in range(2):
        np.testing.assert_array_equal(together[k], np.concatenate([one[k] for one in alone]))
    assert len({a[1].tobytes() for a in alone}) == 5


def test_frames_carry_their_parts():
    model, data = _scene(_ALL_KINDS)
    pose = look_at((2.0, 0.5, 1.0), (0.0, 0.0, 0.2))
    tracer = _tracer(model, data)
    expected = _aimed(tracer, pose)[0].copy()
    frames = np.concatenate([data.xpos, data.xquat[:, [1, 2, 3, 0]]], axis=1)[None]
    tracer.place(wp.array(frames.astype(np.float32), dtype=wp.transformf, device="cpu"))
    np.testing.assert_allclose(_aimed(tracer, pose)[0], expected, atol=1e-5)
