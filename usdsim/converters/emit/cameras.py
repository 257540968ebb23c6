"""Lenses of camera prims."""

from __future__ import annotations

from usdsim.usd.drafts import PrimDraft, fill

__all__ = ["APERTURE", "emit_lens"]

APERTURE = 20.955
"""Horizontal aperture of USD's default camera [tenths of a stage unit]."""


def emit_lens(
    camera: PrimDraft,
    apertures: tuple[float, float],
    clipping: tuple[float, float],
    offsets: tuple[float, float] = (0.0, 0.0),
) -> None:
    """Author what a camera sees beside its focal length.

    Args:
        camera: the prim.
        apertures: horizontal and vertical [tenths of a stage unit].
        clipping: nearest and farthest distance [stage units].
        offsets: of the image over the axis, to the right and up [tenths of a stage unit].
    """
    values = {
        "horizontalAperture": apertures[0],
        "verticalAperture": apertures[1],
        "clippingRange": clipping,
    }
    if any(offsets):
        values |= {"horizontalApertureOffset": offsets[0], "verticalApertureOffset": offsets[1]}
    fill(camera, "Camera", values)
