"""Cameras of links as camera prims."""

from __future__ import annotations

import math

from pxr import Gf, UsdGeom

from usdsim.converters.emit.cameras import APERTURE, emit_lens
from usdsim.usd.attributes import author
from usdsim.usd.schemas import apply_api
from usdsim.usd.xforms import set_local_pose

from .context import UrdfContext

__all__ = ["write_cameras"]


def write_cameras(context: UrdfContext) -> None:
    """Define the cameras below their links, with their field of view and number of pixels."""
    for camera in context.robot.cameras:
        path = context.define(context.link_paths[camera.link], camera.name, "Camera")
        prim = context.stage.GetPrimAtPath(path)
        set_local_pose(prim, camera.origin)
        width, height = camera.resolution
        lens = UsdGeom.Camera(prim)
        lens.CreateFocalLengthAttr(0.5 * APERTURE / math.tan(0.5 * camera.field_of_view))
        emit_lens(lens, (APERTURE, APERTURE * height / width), camera.clipping)
        apply_api(prim, "MjcCameraAPI")
        author(prim, "mjc:resolution", "int2", Gf.Vec2i(width, height))
        context.report.count("camera")
