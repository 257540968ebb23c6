"""Guides: frames of bodies and marks as prims that viewers show when told to show guides.

Pictures, films and the live view of usdsim show these, and no guides of others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

from usdsim.math.meshes.bounds import bounds

from .attributes import author
from .prims import define_prim
from .queries import find_prims, traverse
from .schemas import has_api

__all__ = [
    "draw_as_mark",
    "hide_frames",
    "hide_points",
    "is_mark",
    "marker_paths",
    "show_copies",
    "show_frames",
    "show_points",
]

NAME = "frame_guide"
"""Name of the prim below each body that draws its frame."""
_MARK, _MARKERS = "usdsim:mark", "usdsim:markers"


def draw_as_mark(prim: Usd.Prim) -> None:
    """Make a prim a guide that is drawn in pictures."""
    author(prim, "purpose", "token", "guide")
    prim.SetCustomDataByKey(_MARK, True)


def is_mark(prim: Usd.Prim) -> bool:
    """Whether a prim was made by `draw_as_mark`."""
    return bool(prim.HasCustomDataKey(_MARK))


def show_frames(stage: Usd.Stage, pattern: str, length: float = 0.1) -> bool:
    """Draw the frames of the rigid bodies at or below prims.

    Axes are lines: x red, y green, z blue. Bodies inside instances are left out.

    Args:
        stage: the stage.
        pattern: of the prims, see `find_prims`.
        length: of the axes [m].

    Returns:
        Whether there is a body to draw a frame of.
    """
    size = length / float(UsdGeom.GetStageMetersPerUnit(stage))
    found = False
    for body in _bodies(stage, pattern):
        path = body.GetPath().AppendChild(NAME)
        found = True
        # A copy that refers to a body which is drawn already has the frame by reference.
        if not stage.GetPrimAtPath(path):
            _draw(stage, path, size)
    return found


def hide_frames(stage: Usd.Stage, pattern: str) -> bool:
    """Remove the frames `show_frames` drew below prims.

    Args:
        stage: the stage.
        pattern: of the prims, see `find_prims`.

    Returns:
        Whether there was a body whose frame could be drawn.
    """
    bodies = list(_bodies(stage, pattern))
    layer = stage.GetEditTarget().GetLayer()
    paths = [body.GetPath().AppendChild(NAME) for body in bodies]
    edit = Sdf.BatchNamespaceEdit()
    for path in paths:
        if layer.GetPrimAtPath(path):
            edit.Add(path, Sdf.Path.emptyPath)
    layer.Apply(edit)
    return bool(bodies)


def show_points(stage: Usd.Stage, path: str, points: ArrayLike, width: float) -> None:
    """Draw marks, in place of those the prim drew before.

    Args:
        stage: the stage.
        path: of the prim that draws them all.
        points: where, in the frame of its parent, in stage units, shape (n, 3).
        width: of a mark, in stage units.
    """
    places = np.asarray(points, dtype=np.float32).reshape(-1, 3)
    prim = define_prim(stage, path, "Points")
    draw_as_mark(prim)
    marks = UsdGeom.Points(prim)
    marks.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(places))
    marks.CreateWidthsAttr(Vt.FloatArray([width]))
    marks.SetWidthsInterpolation(UsdGeom.Tokens.constant)
    ends = bounds(places) if len(places) else np.zeros((2, 3), np.float32)
    marks.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(ends))
    colour = marks.CreateDisplayColorPrimvar(UsdGeom.Tokens.constant)
    colour.Set(Vt.Vec3fArray([Gf.Vec3f(1.0, 0.0, 0.0)]))


def show_copies(
    prim: Usd.Prim,
    positions: NDArray[np.float64],
    quats: NDArray[np.float64],
    scales: NDArray[np.float64],
    indices: NDArray[np.int64],
) -> None:
    """Set the copies that a point instancer draws.

    Args:
        prim: the instancer.
        positions: in its frame and stage units, shape (n, 3).
        quats: xyzw, shape (n, 4).
        scales: shape (n, 3).
        indices: of prototypes, shape (n,).
    """
    copies = UsdGeom.PointInstancer(prim)
    with Sdf.ChangeBlock():
        copies.CreateProtoIndicesAttr().Set(Vt.IntArray.FromNumpy(indices.astype(np.int32)))
        copies.CreatePositionsAttr().Set(Vt.Vec3fArray.FromNumpy(positions.astype(np.float32)))
        copies.CreateOrientationsAttr().Set(Vt.QuathArray.FromNumpy(quats.astype(np.float16)))
        copies.CreateScalesAttr().Set(Vt.Vec3fArray.FromNumpy(scales.astype(np.float32)))


def marker_paths(stage: Usd.Stage, added: str | None = None) -> list[str]:
    """Paths of instancers that draw visualization markers, after adding one."""
    layer = stage.GetSessionLayer()
    if layer is None:
        return []
    known = list(layer.customLayerData.get(_MARKERS, []))
    if added is not None and added not in known:
        known.append(added)
        layer.customLayerData = {**layer.customLayerData, _MARKERS: Vt.StringArray(known)}
    return known


def hide_points(stage: Usd.Stage, path: str) -> None:
    """Take away what `show_points` drew."""
    stage.RemovePrim(path)


def _bodies(stage: Usd.Stage, pattern: str) -> list[Usd.Prim]:
    return [
        prim
        for match in find_prims(stage, pattern)
        for prim in traverse(stage, match)
        if has_api(prim, "PhysicsRigidBodyAPI") and not prim.IsInstanceProxy()
        if not prim.IsInstance()
    ]


def _draw(stage: Usd.Stage, path: Sdf.Path, size: float) -> None:
    prim = define_prim(stage, path, "BasisCurves")
    origin = Gf.Vec3f(0.0)
    ends = [Gf.Vec3f(*(size if i == k else 0.0 for i in range(3))) for k in range(3)]
    colors = [Gf.Vec3f(*(float(i == k) for i in range(3))) for k in range(3)]
    points = [point for end in ends for point in (origin, end)]
    width = 0.05 * size
    draw_as_mark(prim)
    curves = UsdGeom.BasisCurves(prim)
    curves.CreateTypeAttr(UsdGeom.Tokens.linear)
    curves.CreatePointsAttr(Vt.Vec3fArray(points))
    curves.CreateCurveVertexCountsAttr(Vt.IntArray([2, 2, 2]))
    curves.CreateWidthsAttr(Vt.FloatArray([width]))
    curves.SetWidthsInterpolation(UsdGeom.Tokens.constant)
    curves.CreateExtentAttr(Vt.Vec3fArray([Gf.Vec3f(-width), Gf.Vec3f(size + width)]))
    primvar = curves.CreateDisplayColorPrimvar(UsdGeom.Tokens.uniform)
    primvar.Set(Vt.Vec3fArray(colors))
