"""Cameras of links as camera prims."""

from __future__ import annotations

import math

from pxr import Gf, UsdGeom

from usdsim.usd.attributes import author
from usdsim.usd.schemas import apply_api
from usdsim.usd.xforms import set_local_pose

from .context import UrdfContext

__all__ = ["write_cameras"]

_APERTURE = 20.955
"""Horizontal aperture of USD's default camera [tenths of a stage unit]."""


def write_cameras(context: UrdfContext) -> None:
    """Define the cameras below their links, with their field of view and number of pixels."""
    for camera in context.robot.cameras:
        path = context.define(context.link_paths[camera.link], camera.name, "Camera")
        prim = context.stage.GetPrimAtPath(path)
        set_local_pose(prim, camera.origin)
        width, height = camera.resolution
        lens = UsdGeom.Camera(prim)
        lens.CreateHorizontalApertureAttr(_APERTURE)
        lens.CreateVerticalApertureAttr(_APERTURE * height / width)
        lens.CreateFocalLengthAttr(0.5 * _APERTURE / math.tan(0.5 * camera.field_of_view))
        lens.CreateClippingRangeAttr(Gf.Vec2f(*camera.clipping))
        apply_api(prim, "MjcCameraAPI")
        author(prim, "mjc:resolution", "int2", Gf.Vec2i(width, height))
        context.report.count("camera")
