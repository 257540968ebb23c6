"""Restated values: standard attributes that say the same as the MuJoCo dialect, once edited.

Cameras, lights, render materials and colours are drawn from USD's own attributes, and the engine's
model has them too. A converted stage says both alike; where USD's are edited since, the model
follows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdShade

from usdsim.core.dialects.mjc_tree import LIGHT_INPUTS
from usdsim.math.rotations import quat_apply
from usdsim.math.transforms import Pose
from usdsim.parser.report import Report
from usdsim.usd.attributes import authored
from usdsim.usd.converted import edited

__all__ = ["COLOURS", "edited_camera", "edited_light", "edited_look", "goes_first"]

COLOURS = ("primvars:displayColor", "primvars:displayOpacity")
_FORWARD = np.array([0.0, 0.0, -1.0])


def goes_first(
    prim: Usd.Prim,
    standard: tuple[str, ...],
    dialect: tuple[str, ...],
    report: Report,
    owner: Usd.Prim | None = None,
) -> bool:
    """Whether standard attributes were edited since the conversion, and the dialect's were not.

    Where both were, the dialect goes first, with a finding.

    Args:
        prim: prim of the standard attributes.
        standard: these attributes.
        dialect: attributes of the dialect that say the same.
        report: receives the finding.
        owner: prim of the dialect's attributes; None: the same.
    """
    changed = edited(prim, *standard)
    if not changed:
        return False
    other = prim if owner is None else owner
    rivals = edited(other, *dialect)
    if rivals:
        value = None if prim.HasRelationship(changed[0]) else authored(prim, changed[0])
        report.conflict(
            prim.GetPath(), changed[0], value,
            f"was edited, and so was {rivals[0]} of {other.GetPath()}, which says the same and "
            "goes first; undo the edit of one of the two",
        )  # fmt: skip
    return not rivals


def edited_camera(prim: Usd.Prim, pose: Pose, report: Report) -> dict[str, Any]:
    """Field of view [deg], or height of an orthographic camera, where the lens was edited."""
    if not goes_first(prim, ("focalLength", "verticalAperture"), ("mjc:fovy",), report):
        return {}
    camera = UsdGeom.Camera(prim)
    aperture = float(camera.GetVerticalApertureAttr().Get())
    if camera.GetProjectionAttr().Get() == "orthographic":
        return {"fovy": aperture / 10.0}
    focal = float(camera.GetFocalLengthAttr().Get())
    return {"fovy": math.degrees(2.0 * math.atan2(0.5 * aperture, focal))}


def edited_light(prim: Usd.Prim, pose: Pose, report: Report) -> dict[str, Any]:
    """Direction, colour, brightness and cone of a light, as far as they were edited."""
    values: dict[str, Any] = {}
    if goes_first(prim, ("xformOp:orient",), ("mjc:dir",), report):
        values["dir"] = quat_apply(pose.quat, _FORWARD)
    for name, own in LIGHT_INPUTS.items():
        if goes_first(prim, (name,), (own,), report):
            value, field = authored(prim, name), own.removeprefix("mjc:")
            values[field] = np.asarray(value, np.float64) if field == "diffuse" else float(value)
    if "intensity" in values and prim.GetTypeName() == "SphereLight":
        # A sphere of radius r and luminance L has the intensity pi r^2 L.
        values["intensity"] *= math.pi * float(authored(prim, "inputs:radius", 0.5)) ** 2
    return values


def edited_look(prim: Usd.Prim, pose: Pose, report: Report) -> dict[str, Any]:
    """Colour, opacity, roughness, metalness and glow of a material whose shader was edited."""
    shader = UsdShade.Material(prim).ComputeSurfaceSource()[0]
    if not shader:
        return {}
    source = shader.GetPrim()
    values: dict[str, Any] = {}
    for field, (names, own, read) in _SHADER.items():
        said = tuple(f"inputs:{name}" for name in names)
        if not goes_first(source, said, own, report, prim):
            continue
        inputs = {name: authored(source, f"inputs:{name}") for name in names}
        if all(value is not None for value in inputs.values()):
            values[field] = read(*inputs.values())
    return values


def _rgba(colour: Any, opacity: float) -> Any:
    return np.append(colour, opacity)


def _glow(glow: Any, colour: Any) -> float:
    """Share of the colour that a surface emits."""
    return float(np.max(glow) / max(float(np.max(colour)), 1e-6))


_SHADER: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Callable[..., Any]]] = {
    "rgba": (("diffuseColor", "opacity"), ("mjc:rgba",), _rgba),
    "roughness": (("roughness",), ("mjc:roughness", "mjc:shininess"), float),
    "metallic": (("metallic",), ("mjc:metallic",), float),
    "emission": (("emissiveColor", "diffuseColor"), ("mjc:emission",), _glow),
}
"""By field of the spec: inputs of the shader, attributes of the dialect, value of the inputs."""
