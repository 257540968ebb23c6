"""Sites, cameras and lights: what hangs on bodies without mass."""

from __future__ import annotations

import math
from itertools import chain

import numpy as np

from usdsim.converters.emit.cameras import APERTURE, emit_lens
from usdsim.converters.emit.shapes import emit_colour, emit_purpose
from usdsim.core.dialects.mjc_tokens import GEOM, LIGHT
from usdsim.core.dialects.mjc_tree import LIGHT_INPUTS
from usdsim.math.rotations import quat_align
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import PrimDraft, apply, fill

from .context import MjcfContext, wxyz_pose
from .rows import write_rows
from .shapes.geoms import emit_surface, skip_sizes

__all__ = ["convert_cameras", "convert_lights", "convert_sites"]

_RESTATED = ("xformOp:orient", "mjc:dir", *chain(*LIGHT_INPUTS.items()))
"""Attributes of lights that say the same things twice."""
_FORWARD = np.array([0.0, 0.0, -1.0])


def convert_sites(context: MjcfContext) -> None:
    """Define every site below its body."""
    model = context.model
    for index in range(model.nsite):
        path = context.paths["site"][index]
        kind = GEOM[int(model.site_type[index])]
        data = int(model.site_dataid[index])
        pose = wxyz_pose(model.site_pos[index], model.site_quat[index])
        prim = emit_surface(context, path, kind, data, model.site_size[index], pose)
        apply(prim, "MjcSiteAPI", "NewtonSiteAPI")
        emit_purpose(prim, "guide")
        emit_colour(prim, model.site_rgba[index])
        context.keep_name(path, context.elements("site")[index].name)
        skip = skip_sizes(prim, kind, model.site_size[index])
        write_rows(context, path, "site", index, skip=skip)
        context.restate(path, "primvars:displayColor", "primvars:displayOpacity", "mjc:rgba")


def convert_cameras(context: MjcfContext) -> None:
    """Define every camera below its body."""
    model = context.model
    for index in range(model.ncam):
        path = context.paths["camera"][index]
        camera = context.define(path, "Camera")
        context.place(camera, wxyz_pose(model.cam_pos[index], model.cam_quat[index]))
        width, height = (int(v) for v in model.cam_resolution[index])
        ratio = width / height if width > 1 and height > 1 else 4.0 / 3.0
        fovy = float(model.cam_fovy[index])
        vertical = APERTURE / ratio
        horizontal, offsets = vertical * ratio, (0.0, 0.0)
        sensor = model.cam_sensorsize[index]
        if model.cam_projection[index]:
            fill(camera, "Camera", {"projection": "orthographic"})
            vertical = 10.0 * fovy
            horizontal = vertical * ratio
        else:
            half = math.radians(0.5 * min(max(fovy, 1e-3), 179.0))
            length = 0.5 * vertical / math.tan(half)
            fill(camera, "Camera", {"projection": "perspective", "focalLength": length})
            if sensor.any():
                fx, fy, cx, cy = (float(v) for v in model.cam_intrinsic[index])
                horizontal = length * float(sensor[0]) / fx
                offsets = (length * cx / fx, -length * cy / fy)
        extent = float(model.stat.extent)
        near, far = (extent * float(v) for v in (model.vis.map.znear, model.vis.map.zfar))
        emit_lens(camera, (horizontal, vertical), (near, far), offsets)
        context.keep_name(path, context.elements("camera")[index].name)
        # Without a sensor the intrinsics are placeholders, and the compiler refuses them.
        skip = () if sensor.any() else ("focal_length", "principal_length", "sensor_size")
        write_rows(context, path, "camera", index, skip=skip)
        context.restate(path, "focalLength", "verticalAperture", "mjc:fovy")


def convert_lights(context: MjcfContext) -> None:
    """Define every light below its body."""
    model = context.model
    for index in range(model.nlight):
        path = context.paths["light"][index]
        kind = LIGHT[int(model.light_type[index])]
        light = _define_light(context, path, kind, index)
        turn = quat_align(_FORWARD, model.light_dir[index] / np.linalg.norm(model.light_dir[index]))
        context.place(light, Pose(model.light_pos[index].copy(), turn))
        fill(light, light.type_name, {"inputs:color": model.light_diffuse[index]})
        if not model.light_active[index]:
            fill(light, light.type_name, {"visibility": "invisible"})
        context.keep_name(path, context.elements("light")[index].name)
        write_rows(context, path, "light", index)
        context.restate(path, *_RESTATED)


def _define_light(context: MjcfContext, path: str, kind: str, index: int) -> PrimDraft:
    model = context.model
    intensity = float(model.light_intensity[index])
    if kind in ("directional", "image"):
        schema = "DistantLight" if kind == "directional" else "DomeLight"
        light = context.define(path, schema)
        fill(light, schema, {"inputs:intensity": intensity or 1000.0})
        return light
    sphere = context.define(path, "SphereLight")
    radius = max(float(model.light_bulbradius[index]), 1e-4)
    # A sphere of radius r and luminance L has the intensity pi r^2 L.
    luminance = (intensity or 30.0) / (math.pi * radius * radius)
    fill(sphere, "SphereLight", {"inputs:radius": radius, "inputs:intensity": luminance})
    if kind == "spot":
        cone = {
            "inputs:shaping:cone:angle": min(float(model.light_cutoff[index]), 180.0),
            "inputs:shaping:cone:softness": float(model.light_softness[index]),
        }
        fill(sphere, "ShapingAPI", cone)
    return sphere
