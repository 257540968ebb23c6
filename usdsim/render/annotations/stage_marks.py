"""Marks of a stage: what `debug_vis` and visualization markers drew, for pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from pxr import Tf, Usd, UsdGeom, UsdShade

from usdsim.math.rotations import quat_apply, quat_from_matrix, quat_multiply, quat_to_matrix
from usdsim.math.transforms import Pose
from usdsim.parser.description import SceneDescription
from usdsim.usd.guides import is_mark
from usdsim.usd.queries import find_ancestor, is_visible, traverse
from usdsim.usd.xforms import world_pose

from .marks import Marks

__all__ = ["StageMarks"]

Array = NDArray[np.float64]

_PLAIN = (1.0, 0.4, 0.0)
_NOW = Usd.TimeCode.Default()


class StageMarks:
    """Reads marks each time they are drawn; those below a body go along with it.

    Args:
        stage: the stage.
        scene: what is drawn of it.
    """

    def __init__(self, stage: Usd.Stage, scene: SceneDescription):
        self._stage, self._scene = stage, scene
        self._bodies = {body.path for body in scene.bodies}
        self._found: list[Usd.Prim] | None = None
        self._listener = Tf.Notice.Register(Usd.Notice.ObjectsChanged, self._changed, stage)

    @property
    def found(self) -> bool:
        """Whether the stage has marks, or changed since that was asked."""
        return self._found is None or bool(self._found)

    def read(self, pose_of: Callable[[str], Pose | None]) -> Marks:
        """The marks now.

        Args:
            pose_of: gives the pose of a body in world by its prim path; None: it is not drawn.
        """
        if self._found is None:
            self._found = [prim for prim in traverse(self._stage) if is_mark(prim)]
        cache = UsdGeom.XformCache(_NOW)
        shown = [prim for prim in self._found if prim and is_visible(prim)]
        return Marks.joined(self._marks_of(prim, cache, pose_of) for prim in shown)

    def _changed(self, notice: Usd.Notice.ObjectsChanged, _: object) -> None:
        if notice.GetResyncedPaths():
            self._found = None

    def _marks_of(
        self, prim: Usd.Prim, cache: UsdGeom.XformCache, pose_of: Callable[[str], Pose | None]
    ) -> Marks:
        parts = list(_shapes(prim))
        if not parts:
            return Marks.joined([])
        local = Marks.joined(parts)
        frame, scale = world_pose(prim, cache, allow_shear=True)
        meters = self._scene.meters_per_unit
        size = local.size * np.abs(scale).mean() * meters
        outer, inner = self._scene.world_from_stage, frame
        body = find_ancestor(prim, lambda p: str(p.GetPath()) in self._bodies, include_self=True)
        now = pose_of(str(body.GetPath())) if body else None
        if body and now is not None:
            above, _ = world_pose(body, cache, allow_shear=True)
            outer, inner = now, above.inverse() @ frame
        place = outer @ Pose(inner.pos * meters, inner.quat)
        pos = place.pos + quat_apply(place.quat, local.pos * scale * meters)
        turn = quat_multiply(place.quat, local.quat)
        return Marks(local.kind, pos, turn, size, local.rgba)


def _shapes(prim: Usd.Prim) -> Iterator[Marks]:
    """Marks that a prim draws, in its own frame and the stage's units."""
    if prim.IsA(UsdGeom.PointInstancer):
        yield from _copies(UsdGeom.PointInstancer(prim))
    elif prim.IsA(UsdGeom.BasisCurves):
        curves = UsdGeom.BasisCurves(prim)
        points = np.array(curves.GetPointsAttr().Get(), np.float64).reshape(-1, 2, 3)
        width = np.array(curves.GetWidthsAttr().Get(), np.float64).reshape(-1)[0]
        colours = np.broadcast_to(_colours(prim), (len(points), 4))
        yield Marks.segments(points[:, 0], points[:, 1], width / 2.0, colours)
    elif prim.IsA(UsdGeom.Points):
        points = np.array(UsdGeom.Points(prim).GetPointsAttr().Get() or [], np.float64)
        width = np.array(UsdGeom.Points(prim).GetWidthsAttr().Get(), np.float64).reshape(-1)[0]
        yield Marks.balls(points, width / 2.0, _colours(prim)[0])


def _copies(instancer: UsdGeom.PointInstancer) -> Iterator[Marks]:
    prim = instancer.GetPrim()
    stage, targets = prim.GetStage(), instancer.GetPrototypesRel().GetForwardedTargets()
    indices = np.array(instancer.GetProtoIndicesAttr().Get() or [], np.int64)
    if not len(indices) or not targets:
        return
    options = (UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask)
    matrices = np.array(instancer.ComputeInstanceTransformsAtTime(_NOW, _NOW, *options))
    for number, target in enumerate(targets):
        rows = np.flatnonzero(indices == number)
        for shape in traverse(stage, target) if len(rows) else ():
            made = _gprim(shape)
            if made is None:
                continue
            cache = UsdGeom.XformCache(_NOW)
            inner, _ = cache.ComputeRelativeTransform(shape, stage.GetPrimAtPath(target))
            whole = np.array(inner) @ matrices[rows]
            yield _placed(made, whole)


def _placed(made: Marks, matrices: Array) -> Marks:
    """Copies of one mark by matrices that act on rows, shape (n, 4, 4)."""
    axes = matrices[:, :3, :3]
    scales = np.linalg.norm(axes, axis=2)
    axes = axes / np.maximum(scales, 1e-300)[..., None]
    turns = quat_from_matrix(np.swapaxes(axes, 1, 2))
    own = np.abs(quat_to_matrix(made.quat[0]).T)
    count = len(matrices)
    return Marks(
        np.repeat(made.kind, count),
        matrices[:, 3, :3] + made.pos[0] @ matrices[:, :3, :3],
        quat_multiply(turns, made.quat),
        made.size * (scales @ own.T),
        np.repeat(made.rgba, count, axis=0),
    )


def _gprim(prim: Usd.Prim) -> Marks | None:
    """One mark for a shape at the origin; for meshes, the box around them."""
    colour = _colours(prim)[0]
    if prim.IsA(UsdGeom.Sphere):
        return Marks.balls([0.0] * 3, float(UsdGeom.Sphere(prim).GetRadiusAttr().Get()), colour)
    if prim.IsA(UsdGeom.Cube):
        half = float(UsdGeom.Cube(prim).GetSizeAttr().Get()) / 2.0
        return Marks.boxes([0.0] * 3, (0, 0, 0, 1), (half,) * 3, colour)
    if prim.IsA(UsdGeom.Boundable) and prim.IsA(UsdGeom.Gprim):
        extent = UsdGeom.Boundable.ComputeExtentFromPlugins(UsdGeom.Boundable(prim), _NOW)
        if not extent:
            return None
        round_ones = (UsdGeom.Capsule, UsdGeom.Cylinder, UsdGeom.Cone)
        if any(prim.IsA(kind) for kind in round_ones):
            along = np.eye(3)["XYZ".index(prim.GetAttribute("axis").Get())]
            end = float(prim.GetAttribute("height").Get()) / 2.0 * along
            radius = float(prim.GetAttribute("radius").Get())
            return Marks.segments(-end, end, radius, colour)
        low, high = np.array(extent, np.float64)
        return Marks.boxes((low + high) / 2.0, (0, 0, 0, 1), (high - low) / 2.0, colour)
    return None


def _colours(prim: Usd.Prim) -> Array:
    """Colours of a prim and one opacity, shape (n, 4)."""
    gprim = UsdGeom.Gprim(prim)
    colours = gprim.GetDisplayColorPrimvar().ComputeFlattened() if gprim else None
    opacity = gprim.GetDisplayOpacityPrimvar().ComputeFlattened() if gprim else None
    alpha = float(opacity[0]) if opacity else 1.0
    if not colours:
        material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        shader = material.ComputeSurfaceSource()[0] if material else None
        given = shader.GetInput("diffuseColor") if shader else None
        value = given.Get() if given else None
        colours = [_PLAIN if value is None else value]
    table = np.array(colours, np.float64).reshape(-1, 3)
    return np.concatenate([table, np.full((len(table), 1), alpha)], axis=1)
