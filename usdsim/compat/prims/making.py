"""Prims made, removed and changed: references, variants, visibility and properties."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pxr import Sdf, Usd, UsdGeom

from usdsim.core.errors import MissingFileError, StageError
from usdsim.core.shipped import located
from usdsim.math.quaternion_order import rot_quat
from usdsim.math.transforms import Pose
from usdsim.spawners.files import select_usd_variants as _select_variants
from usdsim.usd.layers import open_layers
from usdsim.usd.prims import define_prim as _define
from usdsim.usd.prims import get_prim
from usdsim.usd.queries import path_below
from usdsim.usd.stage import current_stage, stage_or_current
from usdsim.usd.xforms import set_local_pose

from .labels import add_labels
from .placing import convert_world_pose_to_local

__all__ = [
    "add_usd_reference",
    "change_prim_property",
    "create_prim",
    "define_prim",
    "delete_prim",
    "get_usd_references",
    "make_uninstanceable",
    "select_usd_variants",
    "set_prim_visibility",
]


def create_prim(
    prim_path: str,
    prim_type: str = "Xform",
    position: ArrayLike | None = None,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    usd_path: str | None = None,
    semantic_label: str | None = None,
    semantic_type: str = "class",
    attributes: Mapping[str, Any] | None = None,
    stage: Usd.Stage | None = None,
) -> Usd.Prim:
    """Define a prim with a pose; types that have no transform take none.

    Args:
        prim_path: where; nothing may be there yet.
        prim_type: type of the prim.
        position: position in world [stage units]; the orientation is one in world then.
        translation: position in the parent's frame [stage units].
        orientation: unit quaternion, in the order of `set_quaternion_order`; None: identity in the
            parent's frame.
        scale: factors along the axes; None: 1.
        usd_path: a file to refer to.
        semantic_label: a label of the prim.
        semantic_type: the kind of that label.
        attributes: values of attributes by name.
        stage: the stage; None: the current one.

    Raises:
        StageError: there is a prim already, or both positions are given.
        ValueError: a pose or scale is of several prims; none is made then.
    """
    stage = stage_or_current(stage)
    prim_path = path_below(stage, str(prim_path))
    if stage.GetPrimAtPath(prim_path):
        raise StageError(f"A prim at {prim_path} already exists. Choose another path.")
    if position is not None and translation is not None:
        raise StageError(f"{prim_path} is given both position and translation. Give one of them.")
    position, translation, orientation, scale = (
        None if given is None else _to_tuple(given)
        for given in (position, translation, orientation, scale)
    )
    place: Any = translation
    turn: Any = None if orientation is None else rot_quat(orientation)
    prim = _define(stage, prim_path, prim_type)
    if usd_path is not None:
        add_usd_reference(str(prim.GetPath()), usd_path, stage=stage)
    if prim.IsA(UsdGeom.Xformable):
        if position is not None:
            place, turn = convert_world_pose_to_local(position, turn, prim.GetParent())
        pose = Pose(_vector(place, (0.0, 0.0, 0.0)), _vector(turn, (0.0, 0.0, 0.0, 1.0)))
        set_local_pose(prim, pose, scale=_vector(scale, (1.0, 1.0, 1.0)))
    if semantic_label is not None:
        add_labels(prim, [semantic_label], semantic_type)
    for name, value in (attributes or {}).items():
        prim.GetAttribute(name).Set(value)
    return prim


def _vector(given: Any, default: tuple[float, ...]) -> NDArray[np.float64]:
    return np.asarray(default if given is None else given, np.float64)


def _to_tuple(value: Any) -> tuple[float, ...]:
    """Numbers of an array, a tensor or a sequence, which may have one row around them.

    Raises:
        ValueError: there is more than one row, or an element is not a number.
    """
    if hasattr(value, "cpu"):
        value = value.cpu()
    if not hasattr(value, "shape"):
        return tuple(_to_number(element) for element in value)
    array = np.asarray(value, np.float64)
    if array.ndim > 1 and array.shape[0] == 1:
        array = array[0]
    if array.ndim != 1:
        raise ValueError(f"Values of shape {array.shape} are not one dimensional; give (N,).")
    return tuple(array.tolist())


def _to_number(element: Any) -> float:
    if math.prod(getattr(element, "shape", ())) != 1:
        raise ValueError(
            f"Element {element} is no number; only one element tensors can be converted to one."
        )
    return float(element)


def define_prim(prim_path: str, prim_type: str = "Xform", fabric: bool = False) -> Usd.Prim:
    """Define a prim on the current stage.

    Raises:
        StageError: there is a prim already.
    """
    stage = current_stage()
    prim_path = path_below(stage, str(prim_path))
    if stage.GetPrimAtPath(prim_path):
        raise StageError(f"A prim at {prim_path} already exists. Choose another path.")
    return _define(stage, prim_path, prim_type)


def delete_prim(prim_path: str | Sequence[str], stage: Usd.Stage | None = None) -> bool:
    """Remove prims from the stage's edit target; returns whether all of them were there."""
    paths = [prim_path] if isinstance(prim_path, str | Sdf.Path) else prim_path
    stage = stage_or_current(stage)
    return all([stage.RemovePrim(path) for path in paths])


def add_usd_reference(
    prim_path: str, usd_path: str, prim_type: str = "Xform", stage: Usd.Stage | None = None
) -> Usd.Prim:
    """Let a prim refer to a file; it is defined if there is none.

    Raises:
        MissingFileError: there is no such file.
        FileError: it is damaged.
    """
    stage = stage_or_current(stage)
    usd_path = located(usd_path)
    if not Path(usd_path).is_file():
        raise MissingFileError(f"There is no file {str(usd_path)!r} to refer to at {prim_path}.")
    layers = open_layers(str(Path(usd_path).resolve()))
    prim = stage.GetPrimAtPath(prim_path) or _define(stage, prim_path, prim_type)
    prim.GetReferences().AddReference(layers[0].identifier)
    return prim


def get_usd_references(prim_path: str, stage: Usd.Stage | None = None) -> list[str]:
    """Files that a prim refers to.

    Raises:
        StageError: there is no prim at the path.
    """
    prim = _prim_at(prim_path, stage)
    return [
        str(reference.assetPath)
        for spec in prim.GetPrimStack()
        for reference in spec.referenceList.prependedItems
        if reference.assetPath
    ]


def select_usd_variants(
    prim_path: str, variants: Mapping[str, str] | object, stage: Usd.Stage | None = None
) -> None:
    """Choose variants of a prim by name of their set.

    Raises:
        StageError: there is no prim at the path.
    """
    _select_variants(_prim_at(prim_path, stage), variants)


def make_uninstanceable(prim_path: str | Sdf.Path, stage: Usd.Stage | None = None) -> None:
    """Let a prim and all below it be no instances, so that they can be edited one by one.

    Raises:
        StageError: there is no prim at the path.
    """
    waiting = [_prim_at(prim_path, stage)]
    while waiting:
        prim = waiting.pop()
        if prim.IsInstance():
            prim.SetInstanceable(False)
        waiting.extend(prim.GetFilteredChildren(Usd.TraverseInstanceProxies()))


def set_prim_visibility(prim: Usd.Prim, visible: bool) -> None:
    """Show or hide a prim and what is below it."""
    drawn = UsdGeom.Imageable(prim)
    if visible:
        drawn.MakeVisible()
    else:
        drawn.MakeInvisible()


def change_prim_property(
    prop_path: str | Sdf.Path,
    value: Any,
    stage: Usd.Stage | None = None,
    type_to_create_if_not_exist: Sdf.ValueTypeName | None = None,
    is_custom: bool = False,
) -> bool:
    """Set an attribute by its path, ``/World/Cube.size``.

    Args:
        prop_path: path of the prim, a dot and the attribute's name.
        value: the value; None: take the authored one away.
        stage: the stage; None: the current one.
        type_to_create_if_not_exist: type of an attribute that is not there; None: make none.
        is_custom: whether one that is made is none of a schema.

    Returns:
        Whether the attribute was there or made.

    Raises:
        StageError: there is no such prim.
    """
    path = Sdf.Path(str(prop_path))
    prim = _prim_at(path.GetPrimPath(), stage)
    attribute = prim.GetAttribute(path.name)
    if not attribute:
        if type_to_create_if_not_exist is None:
            return False
        attribute = prim.CreateAttribute(path.name, type_to_create_if_not_exist, is_custom)
    return bool(attribute.Clear() if value is None else attribute.Set(value))


def _prim_at(path: str | Sdf.Path, stage: Usd.Stage | None) -> Usd.Prim:
    stage = stage_or_current(stage)
    try:
        return get_prim(stage, path)
    except StageError as error:
        raise StageError(f"Prim does not exist, {str(path)!r} is not valid. {error}") from None
