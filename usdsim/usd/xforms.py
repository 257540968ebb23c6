"""Poses and scales of prims, in stage units."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Gf, Sdf, Usd, UsdGeom

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.math.rotations import UNIT_LENGTH
from usdsim.math.transforms import Pose

from .attributes import numbers

__all__ = [
    "OPERATIONS",
    "decompose",
    "fresh_attribute",
    "local_pose",
    "operations",
    "relative_pose",
    "set_local_pose",
    "transform_numbers",
    "transform_specs",
    "world_pose",
]

Array = NDArray[np.float64]

OPERATIONS = {
    "xformOp:translate": Sdf.ValueTypeNames.Double3,
    "xformOp:orient": Sdf.ValueTypeNames.Quatd,
    "xformOp:scale": Sdf.ValueTypeNames.Double3,
}
"""Operations of a transform as this package writes it, in order, with their types."""
_OPS = tuple(OPERATIONS)
_RESET = "!resetXformStack!"
_START = Usd.TimeCode.EarliestTime()
_SHEAR = 1e-6
"""Cosine between two transformed axes from which they count as sheared."""


def local_pose(prim: Usd.Prim, *, allow_shear: bool = False) -> tuple[Pose, Array]:
    """A prim's pose in its parent's frame and its own scale.

    Values of translate, orient and scale operations are taken over digit by digit.

    Args:
        prim: the prim; one that cannot have a transform has the identity.
        allow_shear: drop shear instead of raising.

    Returns:
        Pose [stage units], and scale, shape (3,): positive, or all negative where mirrored.

    Raises:
        StageError: the operations shear, or cannot be evaluated.
    """
    xformable = UsdGeom.Xformable(prim)
    if not xformable:
        return Pose(), np.ones(3)
    order = xformable.GetXformOpOrderAttr().Get() or ()
    names = [name for name in order if name != _RESET]
    # In this order the three are the pose and scale themselves; a matrix would cost digits.
    if names == [name for name in _OPS if name in names]:
        pose, scale = _from_ops(prim, names)
        if scale.min() > 0.0:
            return pose, scale
    matrix = xformable.GetLocalTransformation(_START)
    return decompose(np.array(matrix), str(prim.GetPath()), allow_shear=allow_shear)


def world_pose(
    prim: Usd.Prim, cache: UsdGeom.XformCache | None = None, *, allow_shear: bool = False
) -> tuple[Pose, Array]:
    """A prim's pose in the stage's frame and its accumulated scale.

    OpenUSD evaluates orient operations to about 1e-8 rad near the identity; where every digit
    counts, compose `local_pose`.

    Args:
        prim: the prim.
        cache: reused over many prims, and choosing the time; None: the first, as in `authored`.
        allow_shear: drop shear instead of raising.

    Returns:
        Pose [stage units], and scale, shape (3,).

    Raises:
        StageError: a non-uniform scale above a rotation shears the prim.
    """
    cache = cache or UsdGeom.XformCache(_START)
    matrix = cache.GetLocalToWorldTransform(prim)
    return decompose(np.array(matrix), str(prim.GetPath()), allow_shear=allow_shear)


def relative_pose(
    prim: Usd.Prim, ancestor: Usd.Prim, cache: UsdGeom.XformCache | None = None
) -> tuple[Pose, Array]:
    """A prim's pose in the unscaled frame of another prim, and its scale in world.

    Args:
        prim: the prim.
        ancestor: the reference frame; any prim, exact to the digit for an unscaled parent.
        cache: reused over many prims.

    Returns:
        Pose [stage units, world scale applied], and scale, shape (3,).
    """
    cache = cache or UsdGeom.XformCache(_START)
    reference, outer = world_pose(ancestor, cache, allow_shear=True)
    if prim.GetParent() == ancestor and np.array_equal(outer, np.ones(3)):
        return local_pose(prim)
    pose, scale = world_pose(prim, cache, allow_shear=True)
    return reference.inverse() @ pose, scale


def set_local_pose(prim: Usd.Prim, pose: Pose, scale: ArrayLike | None = None) -> None:
    """Replace a prim's transform operations by translate, orient and scale, in double precision.

    Args:
        prim: the prim.
        pose: in the parent's frame [stage units].
        scale: per axis or one number, None: no scale operation.

    Raises:
        StageError: the prim lies inside an instance.
        InvalidValueError: a value is not finite.
    """
    path = prim.GetPath()
    if prim.IsInstanceProxy():
        raise StageError(f"{path} lies inside an instance and cannot be moved on its own.")
    translation, rotation, factors = operations(path, pose, scale)
    target = prim.GetStage().GetEditTarget()
    resets = bool(UsdGeom.Xformable(prim).GetResetXformStack())
    with Sdf.ChangeBlock():
        place = target.MapToSpecPath(path)
        translate, orient = transform_specs(target.GetLayer(), place, factors, resets)
        translate.default, orient.default = translation, rotation


def operations(
    path: Sdf.Path, pose: Pose, scale: ArrayLike | None = None
) -> tuple[Gf.Vec3d, Gf.Quatd, Gf.Vec3d | None]:
    """Values of the translate, orient and scale operations of a prim.

    Args:
        path: the prim, for messages.
        pose: in the parent's frame [stage units].
        scale: per axis or one number; None: no scale operation, whose value is None.

    Raises:
        InvalidValueError: a value is not finite.
    """
    pos, quat, factors = transform_numbers(path, pose, scale)
    rotation = Gf.Quatd(quat[3], *quat[:3])
    return Gf.Vec3d(*pos), rotation, Gf.Vec3d(*factors) if factors else None


def transform_numbers(
    path: Sdf.Path | str, pose: Pose, scale: ArrayLike | None = None
) -> tuple[list[float], list[float], list[float]]:
    """Position, quaternion xyzw and factors of a transform; no factors without a scale.

    Raises:
        InvalidValueError: a value is not finite.
    """
    pos, quat = (np.asarray(part, np.float64).tolist() for part in (pose.pos, pose.quat))
    factors: list[float] = []
    if scale is not None:
        factors = np.broadcast_to(np.asarray(scale, dtype=np.float64), (3,)).tolist()
    numbers = [*pos, *quat, *factors]
    if not all(map(math.isfinite, numbers)):
        raise InvalidValueError(f"transform of {path}", numbers, "finite numbers")
    return pos, quat, factors


def transform_specs(
    layer: Sdf.Layer, path: Sdf.Path, scale: Gf.Vec3d | None = None, resets: bool = False
) -> tuple[Sdf.AttributeSpec, Sdf.AttributeSpec]:
    """Replace a prim's transform operations in one layer, for values that follow.

    Args:
        layer: where to write.
        path: the prim's path in that layer.
        scale: value of the scale operation; None: no such operation.
        resets: whether the prim ignores the transforms above it.

    Returns:
        The attributes of the translate and orient operations, without values.
    """
    spec = Sdf.CreatePrimInLayer(layer, path)
    names = _OPS if scale is not None else _OPS[:2]
    attributes = [fresh_attribute(spec, name, OPERATIONS[name]) for name in names]
    if scale is not None:
        attributes[2].default = scale
    order = fresh_attribute(
        spec, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform
    )
    order.default = [_RESET, *names] if resets else list(names)
    return attributes[0], attributes[1]


def decompose(
    matrix: ArrayLike, what: str = "transform", *, allow_shear: bool = False
) -> tuple[Pose, Array]:
    """Split a USD matrix (row vectors) into pose and scale.

    Args:
        matrix: shape (4, 4).
        what: the prim, for messages.
        allow_shear: drop shear instead of raising.

    Raises:
        StageError: the matrix shears or flattens.
    """
    rows = np.asarray(matrix, dtype=np.float64).tolist()
    (a, b, c), origin = (row[:3] for row in rows[:3]), rows[3][:3]
    # Plain floats: this runs for every prim, and small arrays cost ten times as much.
    scale = [math.hypot(*a), math.hypot(*b), math.hypot(*c)]
    if not math.isfinite(sum(scale) + sum(origin)) or min(scale) <= 0.0:
        raise StageError(f"{what} has a transform with zero or infinite scale: {scale}.")
    axes = [[v / s for v in row] for row, s in zip((a, b, c), scale, strict=True)]
    x, y, z = axes
    if max(abs(_dot(x, y)), abs(_dot(y, z)), abs(_dot(z, x))) > _SHEAR:
        if not allow_shear:
            raise StageError(
                f"{what} is sheared: a non-uniform scale lies above a rotation. Make the scale "
                "uniform, or move it below the rotation."
            )
        u, _, vt = np.linalg.svd(np.array([a, b, c]))
        x, y, z = axes = (u @ vt).tolist()
    normal = [y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]]
    if _dot(x, normal) < 0.0:
        axes = [[-v for v in row] for row in axes]
        scale = [-s for s in scale]
    return Pose(np.array(origin), _quat(axes)), np.array(scale)


def _dot(a: list[float], b: list[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _quat(axes: list[list[float]]) -> Array:
    """Quaternion of a frame, from its axes; the largest component is taken first."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = axes
    squares = (1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz)
    best = squares.index(max(squares))
    quat = (
        (squares[0], xy + yx, zx + xz, yz - zy),
        (xy + yx, squares[1], yz + zy, zx - xz),
        (zx + xz, yz + zy, squares[2], xy - yx),
        (yz - zy, zx - xz, xy - yx, squares[3]),
    )[best]
    length = math.hypot(*quat)
    if quat[3] < 0.0:
        length = -length
    return np.array([v / length for v in quat])


def _from_ops(prim: Usd.Prim, names: list[str]) -> tuple[Pose, Array]:
    values = {name: prim.GetAttribute(name).Get(_START) for name in names}
    translate, orient, scale = (values.get(name) for name in _OPS)
    pos = np.zeros(3) if translate is None else np.array(translate, np.float64)
    if orient is None:
        quat = np.array([0.0, 0.0, 0.0, 1.0])
    else:
        components = numbers(orient)
        norm = math.hypot(*components)
        if norm == 0.0:
            raise StageError(
                f"{prim.GetPath()}.xformOp:orient is a zero quaternion, not a rotation."
            )
        if abs(norm - 1.0) > UNIT_LENGTH:
            components = [v / norm for v in components]
        quat = np.array(components)
    return Pose(pos, quat), np.ones(3) if scale is None else np.array(scale, np.float64)


def fresh_attribute(
    spec: Sdf.PrimSpec,
    name: str,
    type_name: Sdf.ValueTypeName,
    variability: Sdf.Variability = Sdf.VariabilityVarying,
) -> Sdf.AttributeSpec:
    """An attribute of a prim in one layer, without the values it had there.

    Args:
        spec: the prim in the layer.
        name: of the attribute.
        type_name: of its values.
        variability: whether values may change over time.
    """
    found = spec.layer.GetAttributeAtPath(spec.path.AppendProperty(name))
    if found is not None:
        spec.RemoveProperty(found)
    return Sdf.AttributeSpec(spec, name, type_name, variability)
