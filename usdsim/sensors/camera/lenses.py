"""Camera lenses of prims, in pixels."""

from __future__ import annotations

from typing import Any

from usdsim.core.errors import InvalidValueError, StageError, UnsupportedError
from usdsim.render.views import Lens
from usdsim.usd import authored, is_authored

__all__ = ["lens_of"]

_POLYNOMIAL = "fisheyePolynomial"
_OFFSETS = ("horizontalApertureOffset", "verticalApertureOffset")
_HIGHER = ("A", "C", "D", "E", "F")


def lens_of(prim: Any, size: tuple[int, int], meters_per_unit: float) -> Lens:
    """Lens of a camera prim.

    Args:
        prim: the prim.
        size: width and height of images [pixels].
        meters_per_unit: length of the stage's unit [m].

    Raises:
        StageError: the prim is no camera.
        InvalidValueError: a length is not above 0, or clipping planes are reversed.
        UnsupportedError: its projection is another than pinhole, orthographic or an equidistant
            fisheye.
    """
    if not prim or prim.GetTypeName() != "Camera":
        path = prim.GetPath() if prim else "the path"
        raise StageError(
            f"There is no camera at {path}. Set spawn=PinholeCameraCfg(...), or prim_path to a "
            "Camera prim."
        )
    near, far = (float(v) * meters_per_unit for v in prim.GetAttribute("clippingRange").Get())
    if not 0.0 < near < far:
        raise InvalidValueError(
            f"clippingRange of {prim.GetPath()}", (near, far), "0 < nearest < farthest [m]"
        )
    kind = _custom(prim, "cameraProjectionType", "pinhole")
    if kind != "pinhole":
        return _fisheye(prim, kind, size, near, far)
    width, height = size
    across = _positive(prim, "horizontalAperture")
    upright = across * height / width
    if is_authored(prim, "verticalAperture"):
        upright = _positive(prim, "verticalAperture")
    aside, above = (float(prim.GetAttribute(name).Get()) for name in _OFFSETS)
    # The offsets move the image over the axis: to the right, and up.
    centre = (
        width * (0.5 - aside / across),
        height * (0.5 + above / upright),
    )
    if prim.GetAttribute("projection").Get() == "orthographic":
        # Apertures are in tenths of a stage unit.
        scale = 0.1 * meters_per_unit
        focal = (width / (across * scale), height / (upright * scale))
        return Lens(focal, centre, near, far, "orthographic")
    length = _positive(prim, "focalLength")
    return Lens((width * length / across, height * length / upright), centre, near, far)


def _positive(prim: Any, name: str) -> float:
    value = float(prim.GetAttribute(name).Get())
    if not value > 0.0:
        raise InvalidValueError(f"{name} of {prim.GetPath()}", value, "a length above 0")
    return value


def _custom(prim: Any, name: str, default: Any) -> Any:
    return authored(prim, name) if is_authored(prim, name) else default


def _fisheye(prim: Any, kind: str, size: tuple[int, int], near: float, far: float) -> Lens:
    """An equidistant fisheye: the angle to the axis grows in proportion to the distance from it."""
    higher = {name: float(_custom(prim, f"fthetaPoly{name}", 0.0)) for name in _HIGHER}
    slope = float(_custom(prim, "fthetaPolyB", 0.0))
    if kind != _POLYNOMIAL or any(higher.values()) or not slope > 0.0:
        raise UnsupportedError(
            f"The lens of {prim.GetPath()} ({kind}, polynomial {slope:g} and {higher}) is not "
            "supported. Use a pinhole, or fisheyePolynomial with the linear term alone."
        )
    across = size[0] / float(_custom(prim, "fthetaWidth", size[0]))
    upright = size[1] / float(_custom(prim, "fthetaHeight", size[1]))
    centre = (
        across * float(_custom(prim, "fthetaCx", size[0] / 2.0)),
        upright * float(_custom(prim, "fthetaCy", size[1] / 2.0)),
    )
    return Lens((across / slope, upright / slope), centre, near, far, "fisheye")
