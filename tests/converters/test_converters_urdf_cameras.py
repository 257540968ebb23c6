"""Cameras of URDF files: Gazebo's sensors and URDF's own, as camera prims that see."""

from __future__ import annotations

import numpy as np
import pytest
from converters_urdf_text import converted, link, robot
from pxr import UsdGeom
from test_converters_urdf_annotations import gazebo

import usdsim
from usdsim.core.errors import ConversionError

BALL = (
    '<visual><origin xyz="2 0.5 0.3"/><geometry><sphere radius="0.05"/></geometry></visual>'
    '<collision><origin xyz="2 0.5 0.3"/><geometry><sphere radius="0.05"/></geometry></collision>'
)


def sensor(kind="camera", fov="1.2", width=80, height=40, near="0.05", pose="0 0 0.1 0 0 0"):
    return (
        f'<sensor name="eye" type="{kind}"><pose>{pose}</pose><camera>'
        f"<horizontal_fov>{fov}</horizontal_fov>"
        f"<image><width>{width}</width><height>{height}</height></image>"
        f"<clip><near>{near}</near><far>20</far></clip></camera></sensor>"
    )


def own(origin='rpy="-1.5707963267948966 0 -1.5707963267948966" xyz="0 0 0.1"'):
    return (
        f'<sensor name="eye"><parent link="base"/><origin {origin}/><camera>'
        '<image width="80" height="40" format="RGB8" hfov="1.2" near="0.05" far="20"/>'
        "</camera></sensor>"
    )


@pytest.mark.parametrize("extra", [gazebo("base", sensor()), own()], ids=["gazebo", "urdf"])
def test_the_camera_sees_the_ball_where_a_pinhole_does(tmp_path, extra):
    """The ball is 2 m ahead, 0.5 m to the left and 0.2 m above the camera."""
    stage = converted(tmp_path, robot(link("base", BALL), extra)).stage
    model = usdsim.load_model(stage)
    (camera,) = model.cameras
    data = usdsim.SceneData(model)
    assert tuple(model.low.cam_resolution[0]) == (80, 40)
    pose = np.array(camera.get_pose(data)).ravel()
    assert pose[:3] == pytest.approx([0, 0, 0.1], abs=1e-6)
    prim = next(p for p in stage.Traverse() if p.IsA(UsdGeom.Camera))
    view = UsdGeom.Camera(prim).GetCamera(0).frustum.ComputeViewMatrix()
    seen = np.array(view.Transform((2.0, 0.5, 0.3)))
    assert seen == pytest.approx([-0.5, 0.2, -2.0], abs=1e-6)
    lens = UsdGeom.Camera(prim).GetCamera(0)
    assert lens.GetFieldOfView(lens.FOVHorizontal) == pytest.approx(np.degrees(1.2), abs=1e-4)
    assert lens.horizontalAperture / lens.verticalAperture == pytest.approx(2.0)
    assert (lens.clippingRange.min, lens.clippingRange.max) == pytest.approx((0.05, 20.0))


def test_what_the_file_does_not_say_is_as_in_gazebo(tmp_path):
    inner = '<sensor name="eye" type="camera"><camera/></sensor>'
    found = converted(tmp_path, robot(link("base"), gazebo("base", inner)))
    prim = next(p for p in found.stage.Traverse() if p.IsA(UsdGeom.Camera))
    assert tuple(prim.GetAttribute("mjc:resolution").Get()) == (320, 240)
    assert not found.report.warnings


def test_other_sensors_stay_data(tmp_path):
    inner = '<sensor name="imu" type="imu"/>'
    found = converted(tmp_path, robot(link("base"), gazebo("base", inner)))
    assert not any(p.IsA(UsdGeom.Camera) for p in found.stage.Traverse())
    assert any("sensor" in finding.message for finding in found.report.findings)


@pytest.mark.parametrize(
    ("values", "named"),
    [({"width": 0}, "pixels"), ({"near": "30"}, "nearer"), ({"fov": "-1"}, "rad")],
)
def test_impossible_cameras_are_refused(tmp_path, values, named):
    with pytest.raises(ConversionError, match=named):
        converted(tmp_path, robot(link("base"), gazebo("base", sensor(**values))))


def test_a_field_of_view_beyond_a_pinhole_is_cut_and_named(tmp_path):
    found = converted(tmp_path, robot(link("base"), gazebo("base", sensor("wideanglecamera", "4"))))
    assert "more than a pinhole" in found.report.warnings[0].message
