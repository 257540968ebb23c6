"""Bounding boxes, principal inertias and other facts about elements, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim import SceneData, Shape, load_mjcf_str
from usdsim.core.errors import InvalidValueError, OutOfRangeError, ShapeError, UnknownNameError
from usdsim.math.rotations import quat_to_matrix

SCENE = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="1 0 0  3 0 0  1 1 0  1 0 2"/>
    <hfield name="hills" nrow="2" ncol="2" size="3 2 .5 .1" elevation="0 .2 1 .4"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/><geom name="mat" type="plane" size="1 2 1"/>
    <geom name="ground" type="hfield" hfield="hills" pos="0 0 -1"/>
    <body name="b" pos="1 2 3"><freejoint/><geom name="ball" size=".5"/>
      <site name="pad" type="box" size=".1 .2 .3"/>
      <body name="tip" pos="0 1 0" euler="0 90 0"><joint name="j" range="-30 40"/>
        <geom name="capsule" type="capsule" size=".1 .4"/>
        <geom name="rod" type="cylinder" size=".1 .4"/>
        <geom name="box" type="box" size=".1 .2 .3" friction="2 .1 .2"/>
        <geom name="egg" type="ellipsoid" size=".1 .2 .3" contype="0" conaffinity="0"/>
        <geom name="solid" type="mesh" mesh="wedge" pos="0 0 1"/>
      </body>
    </body>
    <body name="other"><joint name="k"/><geom name="far" size=".1" pos="5 0 0"/></body>
  </worldbody>
</mujoco>
"""
HALF = {
    "ball": (0.5, 0.5, 0.5),
    "capsule": (0.1, 0.1, 0.5),
    "rod": (0.1, 0.1, 0.4),
    "box": (0.1, 0.2, 0.3),
    "egg": (0.1, 0.2, 0.3),
    "mat": (1, 2, 0),
}


@pytest.fixture(scope="module")
def model():
    return load_mjcf_str(SCENE, exact=True)


@pytest.mark.parametrize("name", HALF)
def test_boxes_of_shapes(model, name):
    data, geom = SceneData(model, 2), model.get_geom(name)
    half = np.array(HALF[name])
    np.testing.assert_allclose(geom.get_local_aabb(data), [[-half, half]] * 2, atol=1e-6)
    turn = (
        np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
        if geom.link and geom.link.parent
        else np.eye(3)
    )
    half = np.abs(turn) @ half
    centre = geom.get_position(data)[0]
    np.testing.assert_allclose(
        geom.get_world_aabb(data)[1], [centre - half, centre + half], atol=1e-6
    )


def test_boxes_of_meshes_and_terrain(model):
    data = SceneData(model)
    solid, ground = model.get_geom("solid"), model.get_geom("ground")
    np.testing.assert_allclose(solid.get_local_aabb(data), [[1, 0, 0], [3, 1, 2]], atol=1e-6)
    # The tip's z axis is world's x, and its x axis world's -z.
    np.testing.assert_allclose(solid.get_world_aabb(data), [[2, 3, 0], [4, 4, 2]], atol=1e-5)
    np.testing.assert_allclose(ground.get_local_aabb(data), [[-3, -2, 0], [3, 2, 0.5]], atol=1e-6)
    np.testing.assert_allclose(ground.get_world_aabb(data)[:, 2], [-1, -0.5], atol=1e-6)
    assert model.get_geom("floor").get_local_aabb(data) is None
    assert model.get_geom("floor").get_world_aabb(data) is None


def test_boxes_follow_sizes_of_worlds_and_fill_arrays(model):
    data, geom = SceneData(model, 2), model.get_geom("capsule")
    geom.set_size_override(data, [[0.1, 0.4], [0.2, 0.3]])
    out = np.empty((2, 2, 3), np.float32)
    assert geom.get_local_aabb(data, out=out) is out
    np.testing.assert_allclose(out[1], [[-0.2, -0.2, -0.5], [0.2, 0.2, 0.5]], atol=1e-6)
    with pytest.raises(ShapeError, match=r"\(2, 2, 3\)"):
        geom.get_world_aabb(data, out=out[0])


def test_principal_inertias_are_those_of_the_turned_body(model):
    data, link = SceneData(model, 2), model.get_link("tip")
    moments, quat = np.array([1.0, 2.0, 2.5]), np.array([0.3, -0.1, 0.2, 0.9])
    link.set_principal_inertia_override(data, [moments, 2 * moments], 3 * quat)
    axes = quat_to_matrix(quat / np.linalg.norm(quat))
    matrix = axes @ np.diag(moments) @ axes.T
    six = matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    np.testing.assert_allclose(link.get_inertia_override(data), [six, 2 * six], rtol=1e-5)
    with pytest.raises(InvalidValueError, match="triangle"):
        link.set_principal_inertia_override(data, [1.0, 1.0, 3.0])
    with pytest.raises(InvalidValueError, match="in world 1"):
        link.set_principal_inertia_override(data, moments, [quat, 0 * quat])
    link.set_principal_inertia_override(data, moments, [quat, 0 * quat], invalid="ignore")
    np.testing.assert_allclose(link.get_inertia_override(data), [six, 2 * six], rtol=1e-5)
    assert "principal_inertia" not in link.override_names


def test_facts_of_elements(model):
    data = SceneData(model, 3)
    box, egg = model.get_geom("box"), model.get_geom("egg")
    np.testing.assert_allclose(box.friction, [2, 0.1, 0.2], rtol=1e-6)
    assert egg.visual_only and not box.visual_only
    assert box.body is model.get_body("b") and model.get_geom("floor").body is None
    turn = np.sqrt(0.5)
    np.testing.assert_allclose(
        model.get_link("tip").local_pose, [0, 1, 0, 0, turn, 0, turn], atol=1e-6
    )
    pad = model.get_site("pad").shape
    assert pad.shape_type is Shape.Cuboid and pad.size == (0.1, 0.2, 0.3)
    np.testing.assert_allclose(model.get_joint("j").range, [[-np.pi / 6, np.pi / 4.5]], rtol=1e-6)
    pos, quat, linear, angular = model.get_link_states(data, [1, 0], "wxyz")
    poses = model.get_link_poses(data)[:, ::-1][:, 1:]
    np.testing.assert_array_equal(pos, poses[..., :3])
    np.testing.assert_array_equal(quat, np.roll(poses[..., 3:], 1, axis=-1))
    assert linear.shape == angular.shape == (3, 2, 3)


def test_elements_of_a_body_by_name_and_place(model):
    body = model.get_body("b")
    assert body.get_link(1) is model.get_link("tip") is body.get_link("tip")
    assert body.get_joint("j") is body.get_joint(0)
    assert body.get_geom(0) is model.get_geom("ball") and body.geoms[0] is body.get_geom("ball")
    assert (body.dof_pos_range(), body.dof_vel_range()) == (slice(0, 8), slice(0, 7))
    assert body.dof_pos_range(include_floatingbase=False) == slice(7, 8)
    for get, name in ((body.get_link, "other"), (body.get_joint, "k"), (body.get_geom, "far")):
        with pytest.raises(UnknownNameError, match="body 'b'"):
            get(name)
        with pytest.raises(OutOfRangeError, match="body 'b'"):
            get(17)
        with pytest.raises(InvalidValueError, match="a name, a path or an index"):
            get(0.5)


def test_a_joint_of_one_degree_takes_a_number_per_world(model):
    joint, data = model.get_joint("j"), SceneData(model, 3)
    joint.set_dof_pos(data, [0.1, 0.2, 0.3])
    np.testing.assert_allclose(joint.get_dof_pos(data)[:, 0], [0.1, 0.2, 0.3], rtol=1e-6)
    joint.set_dof_vel(data, 0.5)
    np.testing.assert_array_equal(joint.get_dof_vel(data), 0.5)
    joint.set_dof_pos(data[1], 0.7)
    np.testing.assert_allclose(joint.get_dof_pos(data)[:, 0], [0.1, 0.7, 0.3], rtol=1e-6)
    with pytest.raises(ShapeError):
        joint.set_dof_pos(data, [0.1, 0.2])


def test_who_touches_a_geom():
    model = load_mjcf_str("""<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body pos="0 0 .09"><freejoint/><geom name="a" size=".1"/></body>
      <body pos="0 0 .28"><freejoint/><geom name="b" size=".1"/></body>
      <body pos="0 0 3"><freejoint/><geom name="c" size=".1"/></body></worldbody></mujoco>""")
    query = model.get_contact_query(SceneData(model))
    np.testing.assert_array_equal(query.contacting_geoms("a"), [0, 2])
    np.testing.assert_array_equal(query.contacting_geoms(model.get_geom("b")), [1])
    assert len(query.contacting_geoms("c")) == 0
    many = model.get_contact_query(SceneData(model, 2)).contacting_geoms(1)
    assert [pairs.tolist() for pairs in many] == [[0, 2], [0, 2]]
    flags = model.reports
    flags.contact_forces = flags.contacting_geoms = True
    with pytest.raises(InvalidValueError, match="contact_forces"):
        flags.contact_forces = "yes"
