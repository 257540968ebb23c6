"""Curves that deform: segments and widths of linear BasisCurves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pxr import UsdGeom

from usdsim.parser.prims import PrimView

from .values import read_indices

__all__ = ["CurveError", "curve_segments", "curve_width"]


class CurveError(ValueError):
    """Curves that cannot be simulated; the message says what they are, and the remedy."""


def curve_segments(view: PrimView, count: int) -> NDArray[np.int32]:
    """Segments between neighbouring points, and from the last to the first of periodic curves.

    Args:
        view: a BasisCurves prim.
        count: number of its points.

    Returns:
        Numbers of the points at both ends, along each curve, shape (segments, 2).

    Raises:
        CurveError: they are not linear, or their counts do not fit the points.
    """
    curves = UsdGeom.BasisCurves(view.prim)
    kind = str(curves.GetTypeAttr().Get())
    if kind != UsdGeom.Tokens.linear:
        raise CurveError(f"is of type {kind!r}; only linear curves deform. Author type = 'linear'")
    periodic = curves.GetWrapAttr().Get() == UsdGeom.Tokens.periodic
    found = read_indices(view, "curveVertexCounts", 1)
    counts = np.zeros(0, np.int32) if found is None else found[:, 0]
    least = 3 if periodic else 2
    if not len(counts) or counts.min() < least or int(counts.sum()) != count:
        raise CurveError(
            f"has curveVertexCounts {counts.tolist()} for {count} points; allowed: at least "
            f"{least} for each curve, which together are the number of points"
        )
    first = np.cumsum(counts) - counts
    rows = [
        np.stack([start + np.arange(n), start + (np.arange(n) + 1) % n], axis=1)[
            : n - (not periodic)
        ]
        for start, n in zip(first.tolist(), counts.tolist(), strict=True)
    ]
    return np.concatenate(rows).astype(np.int32)


def curve_width(view: PrimView) -> float | None:
    """Mean of the widths that curves are drawn with, in the unit of the prim; None: none."""
    values = np.array(UsdGeom.BasisCurves(view.prim).GetWidthsAttr().Get() or (), np.float64)
    width = float(values.mean()) if len(values) else 0.0
    return width if 0.0 < width < np.inf else None
