"""Poses of prims: resolved, converted between frames, and written in one order of operations."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pxr import Gf, Usd, UsdGeom

from usdsim.core.errors import StageError
from usdsim.math.transforms import Pose
from usdsim.usd.xforms import decompose, local_pose, world_pose

__all__ = [
    "convert_world_pose_to_local",
    "resolve_prim_pose",
    "resolve_prim_scale",
    "standardize_xform_ops",
    "validate_standard_xform_ops",
]

logger = logging.getLogger("usdsim")

Vector = tuple[float, ...]

_ORDER = ("xformOp:translate", "xformOp:orient", "xformOp:scale")
_ADD = {
    "xformOp:translate": UsdGeom.Xformable.AddTranslateOp,
    "xformOp:orient": UsdGeom.Xformable.AddOrientOp,
    "xformOp:scale": UsdGeom.Xformable.AddScaleOp,
}


def resolve_prim_pose(prim: Usd.Prim, ref_prim: Usd.Prim | None = None) -> tuple[Vector, Vector]:
    """A prim's pose in world, or in the frame of another prim, without scale.

    Args:
        prim: the prim.
        ref_prim: the other prim; None: world.

    Returns:
        Position in lengths of world [stage units], whatever the scale of the frame, and quaternion
        xyzw.

    Raises:
        StageError: a prim is not valid.
    """
    pose = world_pose(_valid(prim), allow_shear=True)[0]
    if ref_prim is not None and not _valid(ref_prim).IsPseudoRoot():
        pose = world_pose(ref_prim, allow_shear=True)[0].inverse() @ pose
    return _numbers(pose.pos), _numbers(pose.quat)


def resolve_prim_scale(prim: Usd.Prim) -> Vector:
    """A prim's scale in world, with that of all prims above it.

    Raises:
        StageError: the prim is not valid.
    """
    return _numbers(world_pose(_valid(prim), allow_shear=True)[1])


def convert_world_pose_to_local(
    position: ArrayLike, orientation: ArrayLike | None, ref_prim: Usd.Prim
) -> tuple[Vector, Vector | None]:
    """A pose in world, in the frame of a prim.

    Args:
        position: in world [stage units].
        orientation: quaternion xyzw in world; None: none is wanted.
        ref_prim: the prim.

    Returns:
        Position in units of the prim's frame, and quaternion xyzw or None.

    Raises:
        StageError: the prim is not valid.
    """
    _valid(ref_prim)
    point = Gf.Vec3d(*_numbers(position))
    if ref_prim.IsPseudoRoot():
        return _numbers(position), None if orientation is None else _numbers(orientation)
    matrix = UsdGeom.XformCache().GetLocalToWorldTransform(ref_prim)
    place = _numbers(matrix.GetInverse().Transform(point))
    if orientation is None:
        return place, None
    outer = decompose(np.array(matrix), str(ref_prim.GetPath()), allow_shear=True)[0]
    turned = Pose(quat=outer.quat).inverse() @ Pose(quat=np.asarray(_numbers(orientation)))
    return place, _numbers(turned.quat)


def standardize_xform_ops(
    prim: Usd.Prim,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    scale: ArrayLike | None = None,
) -> bool:
    """Write a prim's transform as translate, orient and scale, each in the precision it has.

    Args:
        prim: the prim.
        translation: position in the parent's frame [stage units]; None: as it is.
        orientation: quaternion xyzw in the parent's frame; None: as it is.
        scale: factors along the axes; None: as they are.

    Returns:
        Whether the prim can have a transform.

    Raises:
        StageError: the prim is not valid.
    """
    if not _valid(prim).IsA(UsdGeom.Xformable):
        logger.error("%s is not an Xformable prim: it has no transform.", prim.GetPath())
        return False
    pose, factors = local_pose(prim, allow_shear=True)
    values = {
        "xformOp:translate": pose.pos if translation is None else translation,
        "xformOp:orient": pose.quat if orientation is None else orientation,
        "xformOp:scale": factors if scale is None else scale,
    }
    form = UsdGeom.Xformable(prim)
    resets = form.GetResetXformStack()
    known = {op.GetOpName(): op.GetPrecision() for op in form.GetOrderedXformOps()}
    for name in set(prim.GetAuthoredPropertyNames()):
        if name.startswith("xformOp:") and name not in _ORDER:
            prim.RemoveProperty(name)
    form.ClearXformOpOrder()
    for name in _ORDER:
        op = _ADD[name](form, known.get(name, UsdGeom.XformOp.PrecisionDouble))
        op.Set(_typed(name, op, _numbers(values[name])))
    form.SetResetXformStack(resets)
    return True


def _typed(name: str, op: UsdGeom.XformOp, numbers: Vector) -> Any:
    """A value of the operation's type."""
    kind = op.GetAttr().GetTypeName().type.pythonClass
    if name == "xformOp:orient":
        x, y, z, w = numbers
        return kind(w, x, y, z)
    return kind(*numbers)


def validate_standard_xform_ops(prim: Usd.Prim) -> bool:
    """Whether a prim's transform is translate, orient and scale, in this order and no more."""
    if not prim or not prim.IsA(UsdGeom.Xformable):
        return False
    ops = UsdGeom.Xformable(prim).GetOrderedXformOps()
    return tuple(op.GetOpName() for op in ops) == _ORDER


def _valid(prim: Usd.Prim) -> Usd.Prim:
    if not prim:
        raise StageError(f"The prim {prim} is not valid: it was removed, or never there.")
    return prim


def _numbers(values: Any) -> Vector:
    values = values.cpu() if hasattr(values, "cpu") else values
    return tuple(float(x) for x in np.asarray(values, np.float64).reshape(-1))
