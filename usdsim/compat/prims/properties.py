"""Prims by path, and their properties by name, on the current stage."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

from usdsim.compat.tools.strings import to_camel_case
from usdsim.core.errors import StageError
from usdsim.usd.attributes import value_type
from usdsim.usd.stage import current_stage, stage_or_current
from usdsim.usd.xforms import decompose

from .making import add_usd_reference
from .placing import standardize_xform_ops

__all__ = [
    "add_reference_to_stage",
    "get_prim_at_path",
    "get_prim_attribute_value",
    "get_prim_children",
    "get_prim_parent",
    "get_prim_path",
    "get_prim_property",
    "get_prim_type_name",
    "get_stage_units",
    "get_stage_up_axis",
    "move_prim",
    "safe_set_attribute_on_usd_prim",
    "safe_set_attribute_on_usd_schema",
    "set_prim_attribute_value",
    "set_prim_property",
]

_MADE = {bool: "bool", int: "int", float: "float", str: "string"}
"""Types of attributes that are made for single values; those of sequences follow from lengths."""


def get_prim_at_path(prim_path: str, fabric: bool = False) -> Usd.Prim:
    """The prim at a path, which is invalid where there is none."""
    return current_stage().GetPrimAtPath(prim_path)


def get_prim_path(prim: Usd.Prim) -> str:
    """The path of a prim."""
    return str(prim.GetPath())


def get_prim_children(prim: Usd.Prim) -> list[Usd.Prim]:
    """Prims right below a prim."""
    return list(prim.GetChildren())


def get_prim_parent(prim: Usd.Prim) -> Usd.Prim:
    """The prim right above a prim."""
    return prim.GetParent()


def get_prim_type_name(prim_path: str | Usd.Prim, fabric: bool = False) -> str:
    """Type of a prim, or of that at a path."""
    return str(_prim(prim_path).GetTypeName())


def get_prim_property(prim_path: str | Usd.Prim, property_name: str) -> Any:
    """Value of an attribute; None: it has none, or there is no such attribute."""
    return _prim(prim_path).GetAttribute(property_name).Get()


def get_prim_attribute_value(
    prim_path: str | Usd.Prim, attribute_name: str, fabric: bool = False
) -> Any:
    """Value of an attribute; see `get_prim_property`."""
    return get_prim_property(prim_path, attribute_name)


def set_prim_property(prim_path: str | Usd.Prim, property_name: str, property_value: Any) -> None:
    """Set an attribute; one that is not there is made with the type of the value.

    Raises:
        StageError: there is no such prim, or no type of attributes for the value.
    """
    safe_set_attribute_on_usd_prim(_prim(prim_path), property_name, property_value, False)


def set_prim_attribute_value(
    prim_path: str | Usd.Prim, attribute_name: str, value: Any, fabric: bool = False
) -> None:
    """Set an attribute; see `set_prim_property`."""
    set_prim_property(prim_path, attribute_name, value)


def safe_set_attribute_on_usd_prim(
    prim: Usd.Prim, attr_name: str, value: Any, camel_case: bool
) -> None:
    """Set an attribute of a prim; one that is not there is made with the type of the value.

    Args:
        prim: the prim.
        attr_name: name of the attribute.
        value: the value; None: nothing happens.
        camel_case: whether the last part of the name is ``like_this`` and becomes ``likeThis``.

    Raises:
        StageError: there is no type of attributes for the value.
    """
    if value is None:
        return
    space, colon, name = attr_name.rpartition(":")
    name = f"{space}{colon}{to_camel_case(name) if camel_case else name}"
    attribute = prim.GetAttribute(name)
    if not attribute:
        attribute = prim.CreateAttribute(name, value_type(_type_of(value, name), name), False)
    attribute.Set(value)


def _type_of(value: Any, name: str) -> str:
    """Type of an attribute that is made for a value."""
    if type(value) in _MADE:
        return _MADE[type(value)]
    if hasattr(value, "__len__") and len(value) in (2, 3):
        return f"float{len(value)}"
    raise StageError(
        f"No attribute {name!r} can be made for {value!r}: make it with its type, by "
        "prim.CreateAttribute(name, type)."
    )


def safe_set_attribute_on_usd_schema(
    schema_api: Any, name: str, value: Any, camel_case: bool
) -> None:
    """Set an attribute of a schema by its name in the schema; None: nothing happens.

    Raises:
        StageError: the schema has no such attribute.
    """
    if value is None:
        return
    word = to_camel_case(name, to="CC") if camel_case else name
    create = getattr(schema_api, f"Create{word}Attr", None)
    if create is None:
        raise StageError(f"{type(schema_api).__name__} has no attribute {name!r}.")
    create().Set(value)


def add_reference_to_stage(
    usd_path: str, prim_path: str = "", prim_type: str = "Xform", *, path: str = ""
) -> Usd.Prim:
    """Let a prim refer to a file; see `add_usd_reference`.

    Args:
        usd_path: the file.
        prim_path: path of the prim.
        prim_type: type of the prim, if there is none.
        path: another name of `prim_path`.
    """
    return add_usd_reference(prim_path or path, usd_path, prim_type)


def move_prim(
    path_from: str,
    path_to: str,
    keep_world_transform: bool = True,
    stage: Usd.Stage | None = None,
) -> bool:
    """Give a prim and what is below it another path.

    Args:
        path_from: its path.
        path_to: the new one.
        keep_world_transform: whether it stays where it is in world, rather than in its parent.
        stage: the stage; None: the current one.

    Returns:
        Whether it was moved: always.

    Raises:
        StageError: there is no such prim, or it cannot go there.
    """
    stage = stage_or_current(stage)
    editor = Usd.NamespaceEditor(stage)
    if not (editor.MovePrimAtPath(path_from, path_to) and editor.CanApplyEdits()):
        raise StageError(f"{path_from} cannot become {path_to}: {editor.CanApplyEdits().whyNot}")
    world = UsdGeom.XformCache().GetLocalToWorldTransform(stage.GetPrimAtPath(path_from))
    editor.ApplyEdits()
    prim, frames = stage.GetPrimAtPath(path_to), UsdGeom.XformCache()
    local = world * frames.GetParentToWorldTransform(prim).GetInverse()
    moved = not Gf.IsClose(local, frames.GetLocalTransformation(prim)[0], 1e-9)
    if keep_world_transform and moved and prim.IsA(UsdGeom.Xformable):
        pose, scale = decompose(np.array(local), path_to, allow_shear=True)
        standardize_xform_ops(prim, pose.pos, pose.quat, scale)
    return True


def get_stage_units() -> float:
    """Length of the stage's unit [m]."""
    return float(UsdGeom.GetStageMetersPerUnit(current_stage()))


def get_stage_up_axis() -> str:
    """The axis that is up, ``Y`` or ``Z``."""
    return str(UsdGeom.GetStageUpAxis(current_stage()))


def _prim(prim: str | Sdf.Path | Usd.Prim) -> Usd.Prim:
    found = prim if isinstance(prim, Usd.Prim) else current_stage().GetPrimAtPath(prim)
    if not found:
        raise StageError(f"There is no prim at {str(prim)!r} on the current stage.")
    return found
