"""Recordings played back: poses of bodies at the times of an animated stage."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.rotations import quat_apply, quat_multiply
from usdsim.parser import parse_stage
from usdsim.parser.description import SceneDescription
from usdsim.parser.frames import decompose
from usdsim.usd.instancers import is_instancer, read_copies
from usdsim.usd.names import RECORDED
from usdsim.usd.prims import prim_at_or_above
from usdsim.usd.queries import find_drawings
from usdsim.usd.stage import open_stage

__all__ = ["Recording", "is_recording"]

Array = NDArray[np.float64]
Matrix = Callable[[UsdGeom.XformCache], Gf.Matrix4d]


class Recording:
    """An animated stage, such as a `Recorder` writes, as it is at one time after the other.

    Renderers, films, pages and viewers take it in place of a model.

    Args:
        source: the stage, or the path of one.

    Raises:
        ParseError: the stage is physically invalid, or has no physics.

    Attributes:
        stage: the stage.
        time: what `read` returns, from the beginning [s].
    """

    def __init__(self, source: Usd.Stage | str | os.PathLike[str]):
        self.stage: Usd.Stage = open_stage(source)
        self._scene = scene = parse_stage(self.stage).scene
        self._first = float(self.stage.GetStartTimeCode())
        self._rate = float(self.stage.GetTimeCodesPerSecond())
        self.time = 0.0
        self._bodies = {
            body.path: matrix
            for body in scene.bodies
            if (matrix := _matrix_of(self.stage, body.path)) is not None
        }
        self._meshes = dict(_soft_prims(self.stage, scene))

    @property
    def duration(self) -> float:
        """Time from the first to the last frame [s]."""
        return max(float(self.stage.GetEndTimeCode()) - self._first, 0.0) / self._rate

    @property
    def fps(self) -> float:
        """Frames per second."""
        return self._rate

    @property
    def times(self) -> Array:
        """Times of all whole frames, from the beginning [s], shape (frames,)."""
        count = int(np.floor(self.duration * self._rate + 1e-6)) + 1
        return np.arange(count) / self._rate

    def seek(self, time: float) -> None:
        """Choose the time of what `read` returns.

        Args:
            time: from the beginning [s]; before it and after the end, nothing moves.

        Raises:
            InvalidValueError: it is not finite.
        """
        if not np.isfinite(time):
            raise InvalidValueError("time", time, "a finite number of seconds")
        self.time = float(np.clip(time, 0.0, self.duration))

    @property
    def code(self) -> Usd.TimeCode:
        """Time of the stage that was chosen."""
        return Usd.TimeCode(self._first + self.time * self._rate)

    def read(self) -> dict[str, Array]:
        """Poses of bodies in world [m, xyzw] by prim path, and vertices of soft ones [m].

        Raises:
            StageError: a body has a transform without a rotation.
        """
        code = self.code
        cache = UsdGeom.XformCache(code)
        up, meters = self._scene.world_from_stage, self._scene.meters_per_unit
        matrices = np.array([matrix(cache) for matrix in self._bodies.values()]).reshape(-1, 4, 4)
        _, quats, scale, _, flat = decompose(np.swapaxes(matrices[:, :3, :3], 1, 2))
        broken = flat | ~np.isfinite(scale.sum(axis=1) + matrices[:, 3, :3].sum(axis=1))
        if broken.any():
            row = int(np.argmax(broken))
            raise StageError(
                f"{list(self._bodies)[row]} has a transform with zero or infinite scale at "
                f"{self.time:g} s: {scale[row].tolist()}."
            )
        places = up.pos + quat_apply(up.quat, matrices[:, 3, :3]) * meters
        turns = quat_multiply(up.quat, quats)
        found = dict(zip(self._bodies, np.concatenate([places, turns], axis=1), strict=True))
        for path, (prim, order) in self._meshes.items():
            local = np.array(prim.GetAttribute("points").Get(code), np.float64)
            own = np.array(cache.GetLocalToWorldTransform(prim))
            points = up.pos + quat_apply(up.quat, local @ own[:3, :3] + own[3, :3]) * meters
            found[path] = points if order is None else _by_vertex(points, order)
        return found


def is_recording(stage: Usd.Stage) -> bool:
    """Whether a stage is what a `Recorder` wrote."""
    return bool(stage.GetRootLayer().customLayerData.get(RECORDED, False))


def _matrix_of(stage: Usd.Stage, path: str) -> Matrix | None:
    """Function that computes a body's transform; None: it has neither a prim nor a copy."""
    prim = stage.GetPrimAtPath(path)
    if prim:
        return lambda cache: cache.GetLocalToWorldTransform(prim)
    instancer = prim_at_or_above(stage, path)
    if not is_instancer(instancer):
        return None
    copies = read_copies(instancer)
    copy = Sdf.Path(path).GetPrefixes()[instancer.GetPath().pathElementCount]
    if copy.name not in copies.names:
        return None
    index = copies.names.index(copy.name)
    row, root = int(copies.rows[index]), copies.prototypes[index]
    original = stage.GetPrimAtPath(Sdf.Path(path).ReplacePrefix(copy, root))
    if not original:
        return None
    points = UsdGeom.PointInstancer(instancer)
    ignore, all_copies = UsdGeom.PointInstancer.ExcludeProtoXform, UsdGeom.PointInstancer.IgnoreMask

    def matrix(cache: UsdGeom.XformCache) -> Gf.Matrix4d:
        code = cache.GetTime()
        own = points.ComputeInstanceTransformsAtTime(code, code, ignore, all_copies)[row]
        inner, _ = cache.ComputeRelativeTransform(
            original, stage.GetPrimAtPath(root.GetParentPath())
        )
        return inner * own * cache.GetLocalToWorldTransform(instancer)

    return matrix


def _soft_prims(stage: Usd.Stage, scene: SceneDescription) -> Any:
    """Prims whose points are the vertices of soft bodies, by the bodies' paths.

    Curves have the vertices of each edge instead: numbers of the vertices come with them.
    """
    for body in scene.deformables:
        prim = stage.GetPrimAtPath(body.mesh)
        if prim and len(prim.GetAttribute("points").Get() or ()) == len(body.points):
            yield body.path, (prim, None)
    flexes = [element for element in scene.elements if element.kind == "flex"]
    drawings = find_drawings(stage) if flexes else {}
    for element in flexes:
        for prim in drawings.get(element.path, ())[:1]:
            edges = prim.GetTypeName() == "BasisCurves"
            order = np.asarray(element.overrides["elem"], np.int64) if edges else None
            yield element.path, (prim, order)


def _by_vertex(points: Array, order: NDArray[np.int64]) -> Array:
    found = np.zeros((int(order.max()) + 1, 3))
    found[order.reshape(-1)] = points
    return found
