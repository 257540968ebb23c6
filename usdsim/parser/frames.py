"""World transforms of all prims at once, and poses relative to bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from pxr import Tf, Usd, UsdGeom, Vt

from usdsim.core.boundary import reason
from usdsim.math.rotations import quat_from_matrix, quat_to_matrix
from usdsim.math.transforms import Pose

from .prims import PrimView
from .units import Units

__all__ = ["PrimFrames", "PrimPoses", "decompose"]

Array = NDArray[np.float64]

_SHEAR = 1e-6
"""Cosine between two transformed axes from which they count as sheared."""
_OPS = ("xformOp:translate", "xformOp:orient", "xformOp:scale")
_ORDERS = [(ops, Vt.TokenArray(ops)) for count in range(4) for ops in combinations(_OPS, count)]
"""Operations that are a pose and a scale, with what ``xformOpOrder`` is of them."""


@dataclass(slots=True, eq=False)
class PrimPoses:
    """Poses of prims in the frames of bodies, SI."""

    pos: Array
    """[m], shape (n, 3)."""
    quat: Array
    """xyzw, shape (n, 4)."""
    scale: Array
    """Metres per unit along the prim's axes, negative where mirrored, shape (n, 3)."""
    linear: Array
    """The whole linear part for column vectors, shear included, shape (n, 3, 3)."""
    sheared: NDArray[np.bool_]
    """Whether `quat` and `scale` leave something out, shape (n,)."""

    def pose(self, i: int) -> Pose:
        """Pose of prim `i`."""
        return Pose(self.pos[i], self.quat[i])


class PrimFrames:
    """Transforms of all prims.

    Attributes:
        rotation: from prim to Z-up world, for column vectors, shape (n, 3, 3).
        quat: the same, xyzw, shape (n, 4).
        pos: origin in Z-up world [m], shape (n, 3).
        scale: accumulated scale, without units, shape (n, 3).
        sheared: whether a prim's axes are not orthogonal, shape (n,).
        singular: whether a prim's transform is flat or not finite, shape (n,).
    """

    def __init__(self, views: Sequence[PrimView], units: Units):
        self._views = views
        self._units = units
        self._index = {view.path: index for index, view in enumerate(views)}
        self._plain: dict[str, bool] = {}
        self._cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
        transform = self._cache.GetLocalToWorldTransform
        try:
            matrices = np.array([transform(view.prim) for view in views], dtype=np.float64)
        except Tf.ErrorException:
            matrices = self._readable()
        matrices = matrices.reshape(-1, 4, 4)
        finite = np.isfinite(matrices).all(axis=(1, 2))
        matrices[~finite] = np.eye(4)
        turn = units.to_z_up_matrix
        self.linear = turn @ np.swapaxes(matrices[:, :3, :3], 1, 2)
        self.pos = units.length * matrices[:, 3, :3] @ turn.T
        self.rotation, self.quat, self.scale, self.sheared, flat = decompose(self.linear)
        self.singular = flat | ~finite
        self._unscaled = np.abs(self.scale - 1.0).max(axis=1, initial=0.0) < 1e-12

    def _readable(self) -> Array:
        """Matrices where some cannot be computed: those are reported, and NaN."""
        time, broken = Usd.TimeCode.EarliestTime(), []
        for view in self._views:
            try:
                UsdGeom.XformCache(time).GetLocalTransformation(view.prim)
            except Tf.ErrorException as error:
                view.invalid(
                    "xformOpOrder", f"unusable ({reason(error)})",
                    "operations whose attributes have the types of UsdGeom.XformOp",
                    code="invalid-transform",
                )  # fmt: skip
                broken.append(view.path + "/")
        self._cache = UsdGeom.XformCache(time)
        return np.array(
            [
                np.full((4, 4), np.nan)
                if f"{view.path}/".startswith(tuple(broken))
                else self._cache.GetLocalToWorldTransform(view.prim)
                for view in self._views
            ],
            dtype=np.float64,
        )

    def world_pose(self, index: int) -> Pose:
        """Pose of a prim in the Z-up world [m]."""
        return Pose(self.pos[index], self.quat[index])

    def pose(self, child: int, body: int) -> Pose:
        """Pose of one prim in the frame of a body's prim; see `relative`."""
        stated = self._stated(child, body)
        return self.relative([child], [body]).pose(0) if stated is None else stated[0]

    def relative(self, children: Sequence[int], bodies: Sequence[int]) -> PrimPoses:
        """Placement of prims in the frames of body prims.

        Args:
            children: indices of prims, length n.
            bodies: indices of body prims, -1 for the world, length n.
        """
        kids, base = np.asarray(children, dtype=np.int64), np.asarray(bodies, dtype=np.int64)
        length = self._units.length
        linear, pos = self.linear[kids] * length, self.pos[kids].copy()
        attached = np.flatnonzero(base >= 0)
        to_body = np.swapaxes(self.rotation[base[attached]], 1, 2)
        linear[attached] = to_body @ linear[attached]
        offset = self.pos[kids[attached]] - self.pos[base[attached]]
        pos[attached] = np.einsum("nij,nj->ni", to_body, offset)
        _, quat, scale, sheared, _ = decompose(linear)
        self._sharpen(kids, base, pos, quat, scale)
        return PrimPoses(pos, quat, scale, linear, sheared)

    def _sharpen(
        self,
        kids: NDArray[np.int64],
        base: NDArray[np.int64],
        pos: Array,
        quat: Array,
        scale: Array,
    ) -> None:
        """Take translate, orient and scale of direct children over digit by digit."""
        for row, (kid, body) in enumerate(zip(kids.tolist(), base.tolist(), strict=True)):
            stated = self._stated(kid, body)
            if stated is None:
                continue
            pose, factors = stated
            pos[row], quat[row] = pose.pos, pose.quat
            if factors is not None:
                scale[row] = factors

    def _stated(self, kid: int, body: int) -> tuple[Pose, Array | None] | None:
        """Pose and scale of a direct child as its operations say them, if they do."""
        view = self._views[kid]
        parent = view.path.rpartition("/")[0]
        if kid == body:
            return Pose(), None
        if body < 0 and not self._is_world(parent):
            return None
        if body >= 0 and (not self._unscaled[body] or parent != self._views[body].path):
            return None
        order = view.raw("xformOpOrder")
        if order is None:
            return None
        if not isinstance(order, Vt.TokenArray):
            raise TypeError(f"{view.path}.xformOpOrder is {order!r}")
        # OpenUSD compares arrays of tokens in less time than it takes to hand one out.
        ops = next((ops for ops, stated in _ORDERS if stated == order), None)
        if ops is None:
            return None
        local = view.raw("xformOp:translate") if _OPS[0] in ops else None
        pos = np.zeros(3) if local is None else self._units.length * np.array(local)
        turn = view.quat("xformOp:orient") if _OPS[1] in ops else None
        local = view.raw("xformOp:scale") if _OPS[2] in ops else None
        factors = self._units.length * (np.ones(3) if local is None else np.array(local))
        return (Pose(pos) if turn is None else Pose(pos, turn)), factors

    def _is_world(self, path: str) -> bool:
        """Whether a prim's frame is the world's to the digit."""
        # Thousands of prims may have the same parent.
        if path not in self._plain:
            self._plain[path] = self._compare_with_world(path)
        return self._plain[path]

    def _compare_with_world(self, path: str) -> bool:
        if self._units.length != 1.0 or not np.array_equal(self._units.to_z_up_matrix, np.eye(3)):
            return False
        if not path:
            return True
        index = self._index.get(path)
        return (
            index is not None
            and not self.pos[index].any()
            and np.array_equal(self.linear[index], np.eye(3))
        )

    def points(self, prims: NDArray[np.int64], local: Array, quats: Array) -> tuple[Array, Array]:
        """Points and rotations given in the scaled frames of prims, in the Z-up world.

        Args:
            prims: indices, -1 for the stage's own frame, length n.
            local: positions in stage units, shape (n, 3).
            quats: xyzw, shape (n, 4).

        Returns:
            Positions [m], shape (n, 3), and rotation matrices, shape (n, 3, 3).
        """
        index = prims
        turn = self._units.to_z_up_matrix
        world = (index < 0)[:, None, None]
        count = max(len(self.linear), 1)
        linear = np.where(world, turn, _padded(self.linear, count)[index])
        rotation = np.where(world, turn, _padded(self.rotation, count)[index])
        origin = np.where(world[:, 0], 0.0, _padded(self.pos, count)[index])
        pos = origin + self._units.length * np.einsum("nij,nj->ni", linear, local)
        return pos, rotation @ quat_to_matrix(quats)


def decompose(linear: Array) -> tuple[Array, Array, Array, NDArray[np.bool_], NDArray[np.bool_]]:
    """Split linear maps of column vectors into a rotation after a scale.

    Args:
        linear: shape (n, 3, 3).

    Returns:
        Rotation (n, 3, 3) and the same as xyzw (n, 4); scale (n, 3), all negative for mirrored
        frames; whether they are sheared (n,), where the rotation is the nearest one; whether they
        are flat (n,).
    """
    scale = np.linalg.norm(linear, axis=1)
    flat = scale.min(axis=1, initial=np.inf) <= 1e-300
    axes = linear / np.where(scale <= 1e-300, 1.0, scale)[:, None, :]
    cosines = np.einsum("nki,nkj->nij", axes, axes) - np.eye(3)
    sheared = ~flat & (np.abs(cosines).max(axis=(1, 2), initial=0.0) > _SHEAR)
    for i in np.flatnonzero(sheared):
        u, _, vt = np.linalg.svd(linear[i])
        axes[i] = u @ vt
    axes[flat] = np.eye(3)
    mirrored = np.linalg.det(axes) < 0.0
    sign = np.where(mirrored, -1.0, 1.0)
    axes = axes * sign[:, None, None]
    return axes, quat_from_matrix(axes), scale * sign[:, None], sheared, flat


def _padded(array: Array, count: int) -> Array:
    """At least one row, so that index -1 is valid on a stage without prims."""
    return array if len(array) else np.zeros((count, *array.shape[1:]))
