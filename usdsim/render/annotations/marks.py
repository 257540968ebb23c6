"""Marks: arrows, frames, boxes and balls that explain a scene and are no part of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.math.rotations import quat_along, quat_apply

__all__ = ["Marks"]

Array = NDArray[np.float64]

_T = mujoco.mjtGeom
_SPHERE, _CAPSULE, _ELLIPSOID = (
    int(_T.mjGEOM_SPHERE),
    int(_T.mjGEOM_CAPSULE),
    int(_T.mjGEOM_ELLIPSOID),
)
_BOX = int(_T.mjGEOM_BOX)
_AXES = np.array([[0.9, 0.1, 0.1, 1.0], [0.1, 0.7, 0.1, 1.0], [0.15, 0.3, 0.95, 1.0]])
"""Colours of x, y and z."""


@dataclass(frozen=True, eq=False)
class Marks:
    """Shapes in world, as many as there are at one time. N marks."""

    kind: NDArray[np.int32]
    """Types, numbered as the engine's geoms: balls, capsules, ellipsoids and boxes, shape (N,)."""
    pos: Array
    """Middles in world [m], shape (N, 3)."""
    quat: Array
    """Orientations xyzw, shape (N, 4)."""
    size: Array
    """Half extents or radii as the engine has them [m], shape (N, 3)."""
    rgba: Array
    """Colours, shape (N, 4)."""

    def __len__(self) -> int:
        return len(self.kind)

    @classmethod
    def joined(cls, parts: Iterable[Marks]) -> Marks:
        """All marks of several, one after the other."""
        every = [part for part in parts if len(part)]
        if not every:
            return _NONE
        return cls(**{f.name: np.concatenate([getattr(p, f.name) for p in every])
                      for f in fields(cls)})  # fmt: skip

    @classmethod
    def balls(cls, pos: ArrayLike, radius: ArrayLike, rgba: ArrayLike) -> Marks:
        """Solid spheres about points.

        Args:
            pos: in world [m], shape (n, 3).
            radius: one, or of each, shape (n,) [m].
            rgba: one colour, or of each, shape (n, 4).
        """
        places = np.asarray(pos, np.float64).reshape(-1, 3)
        size = np.broadcast_to(np.asarray(radius, np.float64), (len(places),))
        return cls._of(_SPHERE, places, np.repeat(size[:, None], 3, axis=1), rgba)

    @classmethod
    def boxes(cls, pos: ArrayLike, quat: ArrayLike, half: ArrayLike, rgba: ArrayLike) -> Marks:
        """Boxes of half extents [m], shape (n, 3), at poses in world [m, xyzw]."""
        return cls._of(_BOX, pos, half, rgba, quat)

    @classmethod
    def segments(
        cls, start: ArrayLike, end: ArrayLike, radius: ArrayLike, rgba: ArrayLike
    ) -> Marks:
        """Straight lines with round ends.

        Args:
            start: in world [m], shape (n, 3).
            end: likewise.
            radius: one, or of each, shape (n,) [m].
            rgba: one colour, or of each, shape (n, 4).
        """
        start, end = (np.asarray(v, np.float64).reshape(-1, 3) for v in (start, end))
        length = np.linalg.norm(end - start, axis=1)
        thick = np.broadcast_to(np.asarray(radius, np.float64), length.shape)
        size = np.stack([thick, length / 2.0, thick], axis=1)
        return cls._of(_CAPSULE, (start + end) / 2.0, size, rgba, quat_along(end - start))

    @classmethod
    def arrows(cls, start: ArrayLike, vector: ArrayLike, radius: float, rgba: ArrayLike) -> Marks:
        """Arrows from points along vectors [m], shape (n, 3) each, with pointed heads."""
        start, vector = (np.asarray(v, np.float64).reshape(-1, 3) for v in (start, vector))
        end = start + vector
        shaft = cls.segments(start, end, radius, rgba)
        head = np.broadcast_to(radius * np.array([2.5, 2.5, 6.0]), end.shape)
        return cls.joined([shaft, cls._of(_ELLIPSOID, end, head, rgba, shaft.quat)])

    @classmethod
    def frames(cls, pos: ArrayLike, quat: ArrayLike, length: float) -> Marks:
        """Axes of frames at poses in world [m, xyzw]: x red, y green, z blue."""
        pos, quat = np.asarray(pos).reshape(-1, 3), np.asarray(quat).reshape(-1, 4)
        return cls.joined(
            cls.segments(pos, pos + length * quat_apply(quat, axis), length / 25.0, colour)
            for axis, colour in zip(np.eye(3), _AXES, strict=True)
        )

    @classmethod
    def _of(
        cls,
        kind: int,
        pos: ArrayLike,
        size: ArrayLike,
        rgba: ArrayLike,
        quat: ArrayLike = (0, 0, 0, 1),
    ) -> Marks:
        places = np.asarray(pos, np.float64).reshape(-1, 3)
        count = len(places)
        wide = (np.broadcast_to(np.asarray(v, np.float64), (count, n)).copy()
                for v, n in ((quat, 4), (size, 3), (rgba, 4)))  # fmt: skip
        turns, sizes, colours = wide
        return cls(np.full(count, kind, np.int32), places, turns, sizes, colours)


_NONE = Marks.balls(np.zeros((0, 3)), 0.0, (0.0, 0.0, 0.0, 0.0))
