"""Cameras of Isaac Sim: pictures, distances, points, poses and lenses of one prim."""

import importlib
import math

import numpy as np
import pytest
from pxr import Gf, UsdGeom, UsdPhysics

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.usd.stage import create_stage, use_stage

HALF = math.sqrt(0.5)
DOWN = (HALF, 0.0, HALF, 0.0)
"""Orientation wxyz that turns +x to -z."""


@pytest.fixture
def stage(installed):
    with use_stage(create_stage()) as stage:
        cube = UsdGeom.Cube.Define(stage, "/World/cube")
        cube.CreateSizeAttr(0.5)
        cube.CreateDisplayColorAttr([Gf.Vec3f(1.0, 0.0, 0.0)])
        UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
        UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
        yield stage


def camera(path="/World/camera", **settings):
    return importlib.import_module("isaacsim.sensors.camera").Camera(path, **settings)


def test_a_camera_shows_what_is_there_before_and_while_it_is_simulated(stage):
    seen = camera(position=(0.0, 0.0, 3.0), orientation=DOWN, resolution=(65, 33))
    seen.initialize()
    rgba = seen.get_rgba()
    assert rgba.shape == (33, 65, 4) and rgba.dtype == np.uint8
    red, green, blue, opacity = rgba[16, 32]
    assert red > 2 * max(green, blue) and opacity == 255
    depth = seen.get_depth()
    assert depth[16, 32] == pytest.approx(2.75, abs=1e-5) and np.isinf(depth[0, 0])
    # The face of 0.5 m at 2.75 m is f * 0.5 / 2.75 pixels wide.
    wide = seen.get_intrinsics_matrix()[0, 0] * 0.5 / 2.75
    assert np.isfinite(depth[16]).sum() == pytest.approx(wide, abs=1.0)
    timeline = importlib.import_module("omni.timeline").get_timeline_interface()
    timeline.play()
    app = importlib.import_module("omni.kit.app").get_app()
    for _ in range(30):
        app.update()
    fallen = 9.81 / 60.0**2 * 30 * 31 / 2
    assert seen.get_depth()[16, 32] == pytest.approx(2.75 + fallen, rel=1e-3)
    seen.set_world_pose((0.0, 0.0, 4.0))
    assert seen.get_depth()[16, 32] == pytest.approx(3.75 + fallen, rel=1e-3)
    seen.add_distance_to_image_plane_to_frame()
    frame = seen.get_current_frame()
    assert frame["rendering_time"] == pytest.approx(0.5)
    assert frame["rgba"].shape == (33, 65, 4)
    assert frame["distance_to_image_plane"].shape == (33, 65)


def test_points_of_a_camera_lie_where_things_are(stage):
    seen = camera(position=(0.1, 0.0, 3.0), orientation=DOWN, resolution=(64, 64))
    points = seen.get_pointcloud()
    assert points[:, 2] == pytest.approx(0.25, abs=1e-4)
    assert np.abs(points[:, :2]).max() < 0.25 + 3.0 / seen.get_intrinsics_matrix()[0, 0]
    assert points.mean(axis=0)[:2] == pytest.approx([0.0, 0.0], abs=0.02)
    forward = seen.get_pointcloud(world_frame=False)
    assert forward[:, 2] == pytest.approx(2.75, abs=1e-4)
    # The cube is 0.1 m from the axis, at 2.75 m to its face.
    focal = seen.get_intrinsics_matrix()[0, 0]
    pixel = seen.get_image_coords_from_world_points([[0.0, 0.0, 0.25]])
    assert np.abs(pixel[0] - 32.0).max() == pytest.approx(focal * 0.1 / 2.75)
    back = seen.get_world_points_from_image_coords(pixel, [2.75])
    assert back[0] == pytest.approx([0.0, 0.0, 0.25], abs=1e-6)
    seen.add_distance_to_camera_to_frame()
    far = seen.get_current_frame()["distance_to_camera"]
    corner = np.unravel_index(np.argmax(np.where(np.isfinite(far), far, 0.0)), far.shape)
    assert far[corner] == pytest.approx(np.linalg.norm(forward, axis=-1).max(), rel=1e-6)


def test_axes_of_poses_have_names(stage):
    seen = camera(position=(1.0, 2.0, 3.0))
    for axes, forward in (("world", (1, 0, 0)), ("ros", (0, 0, 1)), ("usd", (0, 0, -1))):
        position, (w, x, y, z) = seen.get_world_pose(camera_axes=axes)
        assert position == pytest.approx([1.0, 2.0, 3.0])
        # Made without orientation, it looks along +x of the world in all of them.
        assert Gf.Rotation(Gf.Quatd(*map(float, (w, x, y, z)))).TransformDir(
            Gf.Vec3d(*forward)
        ) == pytest.approx([1.0, 0.0, 0.0], abs=1e-6)
        seen.set_local_pose((1.0, 2.0, 3.0), (w, x, y, z), camera_axes=axes)
        assert seen.get_world_pose("world")[1] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-6)
    with pytest.raises(InvalidValueError, match="camera_axes"):
        seen.get_world_pose(camera_axes="cv")


def test_lenses_are_in_units_of_the_stage_and_pixels_square(stage):
    seen = camera(resolution=(200, 100))
    seen.set_focal_length(2.0)
    seen.set_horizontal_aperture(4.0)
    assert seen.prim.GetAttribute("focalLength").Get() == pytest.approx(20.0)
    assert seen.get_vertical_aperture() == pytest.approx(2.0)
    assert seen.get_horizontal_fov() == pytest.approx(math.pi / 2)
    assert seen.get_intrinsics_matrix().tolist() == [[100, 0, 100], [0, 100, 50], [0, 0, 1]]
    seen.set_clipping_range(far_distance=10.0)
    assert seen.get_clipping_range()[1] == 10.0
    with pytest.raises(UnsupportedError, match="motion_vectors"):
        seen.attach_annotator("motion_vectors")
