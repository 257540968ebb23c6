"""What a model says about itself: counts, names, limits, elements and their errors."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.core.errors import (
    ConversionError,
    FileError,
    InvalidValueError,
    ShapeError,
    UnknownNameError,
)
from usdsim.scene import (
    AdhesionActuator,
    GeneralActuator,
    GeomCapsule,
    GeomCuboid,
    GeomHField,
    GeomInfinitePlane,
    GeomMesh,
    GeomPlane,
    GeomSphere,
    MotorActuator,
    PositionActuator,
    SceneData,
    Shape,
    VelocityActuator,
    load_mjcf_str,
    load_model,
)

SCENE = """
<mujoco model="mixed">
  <option timestep="0.004"/>
  <asset>
    <mesh name="wedge" vertex="0 0 0  .4 0 0  0 .2 0  0 0 .1" scale="2 1 1"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 1 0.5 0.1"
            elevation="0 0 0 0  0 1 1 0  0 .5 .5 0"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <geom name="table" type="plane" size="1 2 1" pos="0 0 -1"/>
    <geom name="terrain" type="hfield" hfield="hills" pos="5 0 1"/>
    <site name="mark" pos="1 2 3"/>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom name="trunk" type="box" size=".2 .1 .05" mass="2" margin=".01" gap=".002"
            contype="2" conaffinity="4" friction=".7 .01 .002"/>
      <body name="thigh" pos=".2 0 0">
        <joint name="hip" axis="0 2 0" range="-60 60" armature=".1" frictionloss=".2"/>
        <geom name="leg" type="capsule" size=".03 .2" pos="0 0 -.2" mass="1"/>
        <body name="foot" pos="0 0 -.4">
          <joint name="ankle" type="ball"/>
          <geom name="sole" type="sphere" size=".05" mass=".3"/>
          <site name="toe" pos=".1 0 0" quat="0 0 0 1"/>
        </body>
      </body>
    </body>
    <body name="cart" pos="0 3 0">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom name="shell" type="mesh" mesh="wedge" mass="1"
            pos=".1 0 0" quat=".7071068 0 0 .7071068"/>
    </body>
    <body name="paddle" mocap="true" pos="0 0 3"><geom type="sphere" size=".1" mass="1"/></body>
  </worldbody>
  <tendon><fixed name="cable"><joint joint="hip" coef="1"/></fixed></tendon>
  <actuator>
    <motor name="push" joint="rail" ctrlrange="-2 2"/>
    <position name="servo" joint="hip" kp="30" kv="2" forcerange="-5 5"/>
    <velocity name="drive" joint="rail" kv="4"/>
    <general name="pull" tendon="cable" gainprm="3" biastype="affine" biasprm="1 -2 -.5"/>
    <adhesion name="grip" body="foot" ctrlrange="0 1" gain="5"/>
  </actuator>
  <keyframe>
    <key name="crouch" time="2" qpos="0 0 .5 0 0 0 1  .3  1 0 0 0  .7" ctrl="0 .3 0 0 0"/>
  </keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


def test_counts(model):
    assert (model.num_links, model.num_bodies, model.num_joints) == (5, 3, 3)
    assert (model.num_dof_pos, model.num_dof_vel) == (7 + 1 + 4 + 1, 6 + 1 + 3 + 1)
    assert (model.num_actuators, model.num_ctrls, model.num_sites) == (5, 5, 2)
    assert (model.num_keyframes, model.num_hfields, model.num_sensors) == (1, 1, 0)
    assert model.num_geoms == model.low.ngeom == 8
    assert len(model.floating_bases) == len(model.mocaps) == 1


def test_names_in_model_order(model):
    assert model.link_names == ["base", "thigh", "foot", "cart", "paddle"]
    assert model.body_names == ["base", "cart", "paddle"]
    assert model.joint_names == ["hip", "ankle", "rail"]
    assert model.actuator_names == ["push", "servo", "drive", "pull", "grip"]
    assert model.site_names == ["mark", "toe"]
    assert model.geom_names[-1] is None
    assert model.floating_bases[0].name == "base"


@pytest.mark.parametrize("kind", ["link", "body", "joint", "geom", "site", "actuator", "keyframe"])
def test_lookup_by_name_path_and_index_agree(model, kind):
    names = getattr(model, f"{kind}_names")
    get, index = getattr(model, f"get_{kind}"), getattr(model, f"get_{kind}_index")
    for i, name in enumerate(names):
        element = get(i)
        assert element.index == i and element.name == name and element.model is model
        assert get(element.path) is element
        assert index(np.int64(i)) == i
        if name is not None:
            assert get(name) is element and index(name) == i


def test_unknown_names_suggest_close_ones(model):
    with pytest.raises(UnknownNameError, match="'thigh'"):
        model.get_link("thig")
    with pytest.raises(LookupError, match="No joint 'knee'"):
        model.get_joint_index("knee")
    with pytest.raises(InvalidValueError, match="0 to 4"):
        model.get_link(5)
    with pytest.raises(InvalidValueError):
        model.get_link(-1)
    with pytest.raises(InvalidValueError):
        model.get_link(None)
    with pytest.raises(UnknownNameError):
        model.get_link("thigh").get_joint(1)


def test_joints(model):
    hip, ankle, rail = model.joints
    assert [j.typ for j in model.joints] == ["hinge", "ball", "slide"]
    np.testing.assert_allclose(hip.range[0], np.deg2rad([-60, 60]), rtol=1e-6)
    np.testing.assert_array_equal(rail.range[0], [-np.inf, np.inf])
    np.testing.assert_array_equal(hip.axis, [0, 1, 0])
    assert (hip.armature, hip.frictionloss) == (0.1, 0.2)
    assert hip.link.name == "thigh" and hip.link_index == 1
    assert model.joint_dof_pos_indices == [7, 8, 12]
    assert model.joint_dof_pos_nums == [1, 4, 1]
    assert model.joint_dof_vel_indices == [6, 7, 10]
    assert model.joint_dof_vel_nums == [1, 3, 1]
    np.testing.assert_array_equal(model.joint_limits[:, 0], hip.range[0])
    assert model.joint_limits.shape == (2, 3)
    assert ankle.num_dof_pos == 4 and ankle.num_dof_vel == 3


def test_links_and_bodies(model):
    base, thigh, foot, cart, paddle = model.links
    assert base.parent is None and foot.parent is thigh and base.children == [thigh]
    assert thigh.joint_indices == [0] and thigh.joints()[0].name == "hip"
    assert base.joint_indices == [] and base.num_joints == 0
    assert [g.name for g in thigh.geoms] == ["leg"]
    assert base.mass == pytest.approx(2.0)
    np.testing.assert_allclose(thigh.center_of_mass, [0, 0, -0.2], atol=1e-7)
    body = foot.body
    assert body is model.bodies[0] and body.base_link is base
    assert body.links == [base, thigh, foot] and body.num_links == 3
    assert [j.name for j in body.joints] == ["hip", "ankle"] and body.num_joints == 2
    assert (body.num_joint_dof_pos, body.num_joint_dof_vel) == (5, 4)
    np.testing.assert_array_equal(body.get_dof_pos_indices(), np.arange(12))
    np.testing.assert_array_equal(body.get_dof_pos_indices(False), np.arange(7, 12))
    np.testing.assert_array_equal(body.get_dof_vel_indices(False), np.arange(6, 10))
    assert body.floatingbase is model.floating_bases[0]
    assert not body.is_mocap and body.mocap is None
    assert [a.name for a in body.actuators] == ["servo", "grip"] and body.num_actuators == 2
    assert model.get_body("cart").floatingbase is None
    mocap = paddle.body.mocap
    assert paddle.body.is_mocap and mocap.body is paddle.body and mocap.link is paddle
    assert cart.body.get_dof_pos_indices().tolist() == [12]


def test_geoms_know_their_shape(model):
    kinds = {g.name: type(g) for g in model.geoms}
    assert kinds["floor"] is GeomInfinitePlane and kinds["table"] is GeomPlane
    assert kinds["trunk"] is GeomCuboid and kinds["leg"] is GeomCapsule
    assert kinds["sole"] is GeomSphere and kinds["shell"] is GeomMesh
    assert kinds["terrain"] is GeomHField
    trunk, leg, sole = (model.get_geom(n) for n in ("trunk", "leg", "sole"))
    assert trunk.shape is Shape.Cuboid and "Cuboid" in Shape.type_names()
    np.testing.assert_allclose(trunk.size, [0.2, 0.1, 0.05])
    np.testing.assert_allclose(trunk.half_extents, trunk.size)
    assert (leg.radius, leg.half_height, sole.radius) == (0.03, 0.2, 0.05)
    np.testing.assert_allclose(leg.size, [0.03, 0.2, 0.0])
    np.testing.assert_array_equal(model.get_geom("shell").size, 0)
    np.testing.assert_allclose(model.get_geom("table").size, [1, 2, 0])
    np.testing.assert_array_equal(model.get_geom("floor").size, 0)
    assert (trunk.margin, trunk.gap) == (0.01, 0.002)
    assert (trunk.collision_group, trunk.collision_affinity) == (2, 4)
    assert trunk.link.name == "base" and model.get_geom("floor").link is None
    np.testing.assert_allclose(leg.local_pose, [0, 0, -0.2, 0, 0, 0, 1])


def test_mesh_geom_keeps_its_authored_frame(model):
    shell = model.get_geom("shell")
    half = np.sqrt(0.5)
    np.testing.assert_allclose(shell.local_pose, [0.1, 0, 0, 0, 0, half, half], atol=1e-6)
    data = SceneData(model, batch=(2,))
    data.set_dof_vel(np.eye(11)[10] * 3.0)
    np.testing.assert_allclose(shell.get_position(data)[1], [0.1, 3, 0], atol=1e-6)
    np.testing.assert_allclose(
        shell.get_rotation_mat(data)[0], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-6
    )
    np.testing.assert_allclose(shell.get_linear_velocity(data)[1], [3, 0, 0], atol=1e-6)


def test_scale_of_a_mesh_is_a_vector_and_a_matrix(model):
    shell = model.get_geom("shell")
    np.testing.assert_array_equal(shell.mesh_scale, [2, 1, 1])
    np.testing.assert_array_equal(shell.mesh_transform, np.diag([2, 1, 1]))
    point = '<mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>'
    body = '<body><geom type="mesh" mesh="m"/></body>'
    text = f"<mujoco><asset>{point}</asset><worldbody>{body}</worldbody></mujoco>"
    plain = load_mjcf_str(text).geoms[0]
    assert plain.mesh_scale is None and plain.mesh_transform is None


def test_height_field(model):
    hills = model.get_hfield("hills")
    assert (hills.nrow, hills.ncol) == (3, 4)
    np.testing.assert_allclose(hills.bound, [-2, -1, 0, 2, 1, 0.5])
    assert hills.height_matrix.shape == (3, 4) and hills.get(1, 2) == pytest.approx(0.5)
    with pytest.raises(InvalidValueError, match=r"row of hfield .hills.*from 0 to 2"):
        hills.get(3, 0)
    terrain = model.get_geom("terrain")
    assert terrain.hfield is hills
    data = SceneData(model)
    # Grid points lie at x = 5 + (-2, -2/3, 2/3, 2), y = (-1, 0, 1); the field stands at z = 1.
    # MJCF lists the +y row first: elevations at y = -1, 0, 1 are 0.25, 0.5 and 0 near the middle.
    xy = [[5 - 2 / 3, 0], [5, 0], [5, 0.5], [5 - 2 / 3, -0.25], [100, 100], [np.nan, 0]]
    expected = [1.5, 1.5, 1.25, 1.4375, 1.0, np.nan]
    np.testing.assert_allclose(terrain.sample_height(data, xy), expected, atol=1e-6)
    out = np.empty((2, 6), np.float32)
    assert terrain.sample_height(SceneData(model, batch=(2,)), xy, out=out) is out
    np.testing.assert_allclose(out[1], expected, atol=1e-6)
    raw, hit = mujoco.MjData(model.low), np.zeros(1, np.int32)
    mujoco.mj_forward(model.low, raw)
    for x, y in np.array(xy[:4]) + 1e-6:  # rays through the very border between triangles may miss
        down = mujoco.mj_ray(model.low, raw, [x, y, 9], [0, 0, -1], None, 1, -1, hit, None)
        assert 9 - down == pytest.approx(float(terrain.sample_height(data, [x, y])[0]), abs=1e-4)
    with pytest.raises(ShapeError):
        terrain.sample_height(data, [[1, 2, 3]])


def test_actuator_kinds(model):
    kinds = [MotorActuator, PositionActuator, VelocityActuator, GeneralActuator, AdhesionActuator]
    assert [type(a) for a in model.actuators] == kinds
    names = ["motor", "position", "velocity", "general", "adhesion"]
    assert [a.typ for a in model.actuators] == names
    assert [a.target_type for a in model.actuators] == [
        "joint",
        "joint",
        "joint",
        "tendon",
        "link",
    ]
    assert [a.target_name for a in model.actuators] == ["rail", "hip", "rail", "cable", "foot"]
    assert model.actuators[0].ctrl_range == (-2.0, 2.0) and model.actuators[1].ctrl_range is None
    assert model.actuators[1].force_range == (-5.0, 5.0)
    np.testing.assert_array_equal(model.actuator_ctrl_limits[:, 0], [-2, 2])
    np.testing.assert_array_equal(model.actuator_ctrl_limits[:, 1], [-np.inf, np.inf])


def test_keyframe(model):
    key = model.get_keyframe("crouch")
    assert key.time == 2.0
    np.testing.assert_allclose(
        key.dof_pos, [0, 0, 0.5, 0, 0, 1, 0, 0.3, 0, 0, 0, 1, 0.7], rtol=1e-6
    )
    np.testing.assert_allclose(key.ctrl, [0, 0.3, 0, 0, 0], rtol=1e-6)
    np.testing.assert_array_equal(key.dof_vel, 0)


def test_initial_positions_have_xyzw_quaternions(model):
    expected = [0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
    np.testing.assert_array_equal(model.compute_init_dof_pos(), expected)


def test_lists_are_the_callers_own(model):
    model.links.clear()
    model.link_names.clear()
    assert model.num_links == len(model.links) == len(model.link_names) == 5


def test_unnamed_and_repeated_names():
    model = load_mjcf_str(
        "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body>"
        "<body name='a'><freejoint/><geom size='.1'/></body></worldbody></mujoco>"
    )
    assert model.link_names == [None, "a"]
    assert model.get_link(model.links[0].path) is model.links[0]


def test_load_errors(tmp_path):
    (tmp_path / "robot.step").touch()
    with pytest.raises(FileError, match=r"\.usda.*\.urdf"):
        load_model(tmp_path / "robot.step")
    with pytest.raises(FileError, match="no such file"):
        load_model(tmp_path / "robot.usda")
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody>")
    with pytest.raises(ConversionError):
        load_model(tmp_path / "broken.xml")
    with pytest.raises(ConversionError):
        load_mjcf_str("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")


def test_load_from_files(tmp_path, model):
    (tmp_path / "mixed.xml").write_text(SCENE)
    loaded = load_model(tmp_path / "mixed.xml")
    assert loaded.link_names == model.link_names
    assert loaded.low.opt.timestep == 0.004
    loaded.stage.Export(str(tmp_path / "mixed.usda"))
    again = load_model(str(tmp_path / "mixed.usda"))
    assert again.joint_names == model.joint_names
    assert again.description.bodies and again.report is not None


def test_names_of_the_source_are_not_taken_by_prims_of_elements_without_one():
    model = load_mjcf_str(
        '<mujoco><worldbody><body><geom name="sphere" size=".1"/><joint/></body>'
        '<body pos="1 0 0"><geom size=".1"/><joint name="hinge"/></body></worldbody></mujoco>'
    )
    assert [geom.name for geom in model.geoms] == ["sphere", None]
    assert [joint.name for joint in model.joints] == [None, "hinge"]
    assert model.get_geom("sphere").index == 0 and model.get_joint("hinge").index == 1
