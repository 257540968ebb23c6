"""Cameras: poses against the engine's own in every mode, lenses, settings, and stage cameras."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from pxr import UsdGeom

import usdsim
from usdsim.core.errors import InvalidValueError, UnknownNameError, UsdsimError
from usdsim.math.rotations import quat_to_matrix
from usdsim.render.views import camera_lens
from usdsim.scene import Camera, CameraMgr, SceneData, load_mjcf_str, load_model
from usdsim.usd import create_stage

MODES = ("fixed", "track", "trackcom", "targetbody", "targetbodycom")
SCENE = """
<mujoco>
  <statistic extent="2"/>
  <visual><map znear=".05" zfar="40"/></visual>
  <worldbody>
    <camera name="overview" pos="0 -3 2" xyaxes="1 0 0 0 .5 1" fovy="60"/>
    <camera name="watch" pos="-4 1 2" mode="targetbody" target="arm"/>
    <camera name="map" pos="0 0 9" projection="orthographic" fovy="3"/>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <geom size=".1" pos=".3 0 0" mass="1"/>
      {cameras}
      <body name="arm" pos="0 0 .5">
        <joint axis="0 1 0"/><geom size=".1" pos="0 .2 .4" mass="2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
""".format(
    cameras="".join(
        f"<camera name='{mode}' pos='.1 .2 .3' euler='30 20 10' mode='{mode}'"
        + (" target='arm'/>" if "target" in mode else "/>")
        for mode in MODES
    )
)


@pytest.fixture
def model() -> usdsim.SceneModel:
    return load_mjcf_str(SCENE)


def _moved(model: usdsim.SceneModel, batch=()) -> SceneData:
    data = SceneData(model, batch=batch)
    rng = np.random.default_rng(3)
    pos = rng.normal(size=(*data.shape, 8))
    pos[..., 3:7] /= np.linalg.norm(pos[..., 3:7], axis=-1, keepdims=True)
    data.set_dof_pos(pos)
    return data


def test_poses_are_the_engines_in_every_mode(model):
    data = _moved(model, batch=(3,))
    poses = model.get_camera_poses(data)
    assert poses.shape == (3, 8, 7) and poses.dtype == np.float32
    np.testing.assert_allclose(poses[..., :3], data.low.read("cam_xpos"), atol=1e-6)
    turned = quat_to_matrix(poses[..., 3:].astype(float)).reshape(3, 8, 9)
    np.testing.assert_allclose(turned, data.low.read("cam_xmat"), atol=1e-6)
    for camera in model.cameras:
        np.testing.assert_array_equal(camera.get_pose(data), poses[:, camera.index])
        np.testing.assert_array_equal(camera.get_pose(data[[2, 0]]), poses[[2, 0], camera.index])
        np.testing.assert_array_equal(camera.get_pose(data[1]), poses[1, camera.index])


def test_structure(model):
    cameras = model.cameras
    assert isinstance(cameras, CameraMgr) and cameras.model is model and len(cameras) == 8
    assert cameras.names == ["overview", "watch", "map", *MODES]
    assert cameras.tolist() == cameras.cameras == list(cameras)
    assert cameras["watch"] is cameras[1] and cameras.get_index("watch") == 1
    camera = cameras["fixed"]
    assert isinstance(camera, Camera) and camera.model is model and camera.index == 3
    assert camera.link is model.get_link("base") and cameras["overview"].link is None
    assert cameras["watch"].track_target_link is model.get_link("arm")
    assert camera.track_target_link is None and "fixed" in repr(camera)
    with pytest.raises(UnknownNameError, match="overview"):
        cameras.get_index("overvew")
    with pytest.raises(InvalidValueError, match="camera index"):
        _ = cameras[8]
    with pytest.raises(UsdsimError, match="belongs to"):
        model.get_camera_poses(SceneData(load_mjcf_str(SCENE)))


def test_the_image_of_a_sensor_lies_where_mujoco_has_it():
    """MuJoCo's own frustum says which part of the plane at distance 1 an image shows."""
    text = """<mujoco><worldbody>
      <camera name="eye" sensorsize=".006 .004" focal=".004 .005" resolution="60 40"
        principal=".0004 -.0003"/></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data, scene = mujoco.MjData(model), mujoco.MjvScene(model, 10)
    mujoco.mj_forward(model, data)
    camera = mujoco.MjvCamera()
    camera.type, camera.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
    mujoco.mjv_updateScene(
        model, data, mujoco.MjvOption(), None, camera, mujoco.mjtCatBit.mjCAT_ALL, scene
    )
    seen = scene.camera[0]
    left, right = (seen.frustum_center + side * seen.frustum_width for side in (-1.0, 1.0))
    expected = np.array([left, right, seen.frustum_bottom, seen.frustum_top]) / seen.frustum_near
    lens = camera_lens(model, 0, (60, 40), 0.1, 10.0)
    (fx, fy), (cx, cy) = lens.focal, lens.centre
    found = [-cx / fx, (60 - cx) / fx, (cy - 40) / fy, cy / fy]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    stage = load_mjcf_str(text).stage
    (prim,) = (prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Camera))
    window = UsdGeom.Camera(prim).GetCamera().frustum.window
    shown = np.array([window.GetMin(), window.GetMax()]).T.ravel()
    np.testing.assert_allclose(shown, expected, rtol=1e-5)  # as other tools see it


def test_aperture_offsets_of_a_stage_move_the_image():
    """To where OpenUSD's own frustum has it."""
    stage = create_stage()
    camera = UsdGeom.Camera.Define(stage, "/eye")
    camera.GetFocalLengthAttr().Set(20.0)
    camera.GetHorizontalApertureAttr().Set(20.0)
    camera.GetVerticalApertureAttr().Set(15.0)
    camera.GetHorizontalApertureOffsetAttr().Set(3.0)
    camera.GetVerticalApertureOffsetAttr().Set(1.0)
    window = camera.GetCamera().frustum.window
    lens = camera_lens(load_model(stage).low, 0, (80, 60), 0.1, 10.0)
    (fx, fy), (cx, cy) = lens.focal, lens.centre
    found = [-cx / fx, (80 - cx) / fx, (cy - 60) / fy, cy / fy]
    np.testing.assert_allclose(found, np.array([window.GetMin(), window.GetMax()]).T.ravel(), 1e-5)


def test_lens(model):
    camera = model.cameras["overview"]
    assert camera.fovy == pytest.approx(60, rel=1e-5) and not camera.orthographic
    assert model.cameras["map"].orthographic and model.cameras["map"].fovy == pytest.approx(3)
    assert camera.near_plane == pytest.approx(0.1) and camera.far_plane == pytest.approx(80)
    camera.set_near_far(0.5, 7)
    assert (camera.near_plane, camera.far_plane) == (0.5, 7.0)
    for near, far in ((0, 1), (-1, 1), (2, 1), (1, np.inf), (np.nan, 1), ("a", 1)):
        with pytest.raises(InvalidValueError, match="plane of camera 'overview'"):
            camera.set_near_far(near, far)
    assert (camera.near_plane, camera.far_plane) == (0.5, 7.0)


@pytest.mark.parametrize("mode", MODES)
def test_modes_have_names(model, mode):
    names = {
        "fixed": ("fixed_local", "fixed_local"),
        "track": ("fixed_world", "fixed_world"),
        "trackcom": ("fixed_world_com", "fixed_world"),
        "targetbody": ("fixed_local", "look_at_link"),
        "targetbodycom": ("fixed_local", "look_at_subtree"),
    }
    camera = model.cameras[mode]
    assert (camera.position_track, camera.rotation_track) == names[mode]


def test_modes_may_change(model):
    data, camera = _moved(model, batch=(2,)), model.cameras["fixed"]
    camera.position_track, camera.rotation_track = "fixed_world", "fixed_world"
    np.testing.assert_allclose(
        camera.get_pose(data), model.cameras["track"].get_pose(data), atol=1e-6
    )
    camera.track_target_link = model.get_link("arm")
    camera.rotation_track = "look_at_link"
    pose = camera.get_pose(data).astype(float)
    view = model.get_link("arm").get_position(data) - pose[:, :3]
    axes = quat_to_matrix(pose[:, 3:])
    np.testing.assert_allclose(
        -axes[..., 2], view / np.linalg.norm(view, axis=1, keepdims=True), atol=1e-5
    )
    np.testing.assert_allclose(axes[:, 2, 0], 0, atol=1e-6)
    camera.position_track = camera.rotation_track = "free"
    still = camera.get_pose(data)
    reference = mujoco.MjData(model.low)
    mujoco.mj_forward(model.low, reference)
    np.testing.assert_allclose(still[:, :3], [reference.cam_xpos[3]] * 2, atol=1e-6)
    data.reset()
    np.testing.assert_array_equal(camera.get_pose(data), still)


def test_looking_straight_down_is_defined(model):
    data, camera = SceneData(model), model.cameras["map"]
    camera.track_target_link = model.get_link("base")
    camera.rotation_track = "look_at_link"
    model.floating_bases[0].set_translation(data, [0, 0, 1])
    np.testing.assert_allclose(camera.get_pose(data)[3:], [0, 0, 0, 1], atol=1e-7)


def test_settings_are_checked_and_kept(model):
    camera, cameras = model.cameras["track"], model.cameras
    assert camera.render_target == cameras.system_render_target == "window"
    assert camera.render_size is None and cameras.system_render_size is None
    camera.set_render_target("image", 64, 48)
    cameras.set_system_render_target("image")
    assert camera.render_target == "image" and camera.render_size == (64, 48)
    assert cameras.system_render_size == (400, 300)
    camera.set_render_target("window")
    assert camera.render_target == "window"
    assert not camera.depth_only and not camera.segmentation
    camera.depth_only = camera.segmentation = True
    assert camera.depth_only and camera.segmentation
    for target, width in (("screen", 1), ("image", 0), ("image", 1.5)):
        with pytest.raises(InvalidValueError, match="render target of camera 'track'"):
            camera.set_render_target(target, width)
        with pytest.raises(InvalidValueError, match="system render target"):
            cameras.set_system_render_target(target, width)
    for name, value in (
        ("depth_only", 2),
        ("segmentation", None),
        ("position_track", "glued"),
        ("rotation_track", "glued"),
        ("track_target_link", load_mjcf_str(SCENE).links[0]),
        ("track_target_link", "arm"),
    ):
        with pytest.raises(InvalidValueError, match=f"{name} of camera 'track'"):
            setattr(camera, name, value)
    assert camera.position_track == "fixed_world" and camera.track_target_link is None


def test_how_a_camera_looks_may_be_set_in_any_order(model):
    data, camera = _moved(model, batch=(2,)), model.cameras["fixed"]
    turned = camera.get_pose(data)
    camera.rotation_track = "look_at_link"
    np.testing.assert_array_equal(camera.get_pose(data), turned)
    camera.track_target_link = model.get_link("arm")
    assert camera.rotation_track == "look_at_link"
    assert np.abs(camera.get_pose(data) - turned).max() > 0.1
    camera.track_target_link = None
    np.testing.assert_array_equal(camera.get_pose(data), turned)


def test_cameras_are_a_sequence(model):
    cameras = model.cameras
    assert cameras[2:] == cameras.tolist()[2:] and cameras[-1] is cameras.cameras[-1]
    with pytest.raises(IndexError, match="camera index is 99"):
        cameras[99]


def test_cameras_of_a_stage():
    stage = create_stage(meters_per_unit=0.01)
    stage.DefinePrim("/Rig", "Xform")
    prim = stage.DefinePrim("/Rig/Eye", "Camera")
    prim.GetAttribute("focalLength").Set(20.0)
    prim.GetAttribute("verticalAperture").Set(20.0)
    prim.GetAttribute("clippingRange").Set((5.0, 800.0))
    ball = stage.DefinePrim("/Ball", "Sphere")
    ball.ApplyAPI("PhysicsRigidBodyAPI")
    ball.ApplyAPI("PhysicsCollisionAPI")
    model = load_model(stage)
    camera = model.cameras["Eye"]
    assert camera.path == "/Rig/Eye" and camera.link is None
    assert camera.fovy == pytest.approx(math.degrees(2 * math.atan(0.5)))
    assert camera.near_plane == pytest.approx(0.05) and camera.far_plane == pytest.approx(8.0)
    np.testing.assert_allclose(camera.get_pose(SceneData(model)), [0, 0, 0, 0, 0, 0, 1], atol=1e-7)


def test_models_without_cameras():
    model = load_mjcf_str("<mujoco><worldbody/></mujoco>")
    assert len(model.cameras) == 0
    assert model.get_camera_poses(SceneData(model, batch=(2,))).shape == (2, 0, 7)


def test_a_camera_with_nothing_to_look_at_turns_with_its_link():
    model = load_mjcf_str("""
    <mujoco><worldbody><body name="a"><joint axis="1 0 0"/><geom size=".1"/>
      <camera name="lost" mode="targetbodycom" pos="0 0 1"/>
    </body></worldbody></mujoco>""")
    camera, data = model.cameras["lost"], SceneData(model, (2,))
    assert (camera.rotation_track, camera.track_target_link) == ("fixed_local", None)
    model.joints[0].set_dof_pos(data, [[0.0], [0.6]])
    bare = data.low.world_data(1)
    mujoco.mj_camlight(model.low, bare)
    pose = camera.get_pose(data)
    np.testing.assert_allclose(pose[0], [0, 0, 1, 0, 0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(pose[1, 3:], [np.sin(0.3), 0, 0, np.cos(0.3)], atol=1e-6)
    np.testing.assert_allclose(pose[1, :3], bare.cam_xpos[0], atol=1e-6)
