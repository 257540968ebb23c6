"""Agreement of exact ``mjc:`` values with the standard attributes beside them.

USD's physics attributes are single precision. The converter writes the exact value beside each; an
edit of the standard attribute must not be undone by the copy, so the copy counts only while both
say the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from pxr import Gf, Usd

from usdsim.core.dialects.mjc import MjcRow
from usdsim.math.rotations import quat_apply

__all__ = ["agrees"]

_RELATIVE = 1e-5
_ABSOLUTE = 1e-6
_UNITS = {"X": np.eye(3)[0], "Y": np.eye(3)[1], "Z": np.eye(3)[2]}


def agrees(prim: Usd.Prim, kind: str, row: MjcRow, value: Any, angle: float = 1.0) -> bool:
    """Whether `value` says what the standard attributes of `prim` say, as far as they can.

    Args:
        prim: the prim.
        kind: which table applies.
        row: the row of the value.
        value: the value.
        angle: radians per unit of the angles among ``mjc:`` values.
    """
    try:
        return _agrees(prim, kind, row, value, angle)
    except (TypeError, ValueError, AttributeError):
        # A value of another type is an edit; whoever reads it says what is wrong with it.
        return False


def _agrees(prim: Usd.Prim, kind: str, row: MjcRow, value: Any, angle: float) -> bool:
    if kind == "joint" and row.spec == "range":
        return _same_range(prim, value, angle)
    if kind == "joint" and row.spec in _JOINT:
        return _JOINT[row.spec](prim, value)
    if not row.standard:
        return True
    standard = _authored(prim, row.standard)
    if standard is None:
        return True
    if isinstance(standard, Gf.Quatf):
        quat = np.array([standard.GetReal(), *standard.GetImaginary()], dtype=np.float64)
        return abs(float(quat @ value)) > 1.0 - _ABSOLUTE
    return _close(standard, value)


def _close(standard: Any, value: Any) -> bool:
    exact = np.asarray(value, dtype=np.float64)
    authored = np.asarray(standard, dtype=np.float64)
    scale = max(1e-3, float(np.abs(exact).max(initial=0.0)))
    # Tiny components beside large ones are rounding, not edits; a lone tiny value is not.
    tolerance = _RELATIVE * (scale if exact.ndim else abs(float(exact)))
    return bool(np.all(np.abs(authored - exact) <= tolerance))


def _authored(prim: Usd.Prim, name: str) -> Any:
    attribute = prim.GetAttribute(name)
    return attribute.Get() if attribute and attribute.HasAuthoredValue() else None


def _same_anchor(prim: Usd.Prim, value: Any) -> bool:
    anchor = _authored(prim, "physics:localPos1")
    return anchor is None or _close(anchor, value)


def _same_axis(prim: Usd.Prim, value: Any) -> bool:
    token, rotation = _authored(prim, "physics:axis"), _authored(prim, "physics:localRot1")
    if token not in _UNITS or rotation is None or prim.GetTypeName() == "PhysicsSphericalJoint":
        return True
    quat = np.array([*rotation.GetImaginary(), rotation.GetReal()], dtype=np.float64)
    return bool(np.abs(quat_apply(quat, _UNITS[token]) - value).max() <= 10 * _ABSOLUTE)


def _same_range(prim: Usd.Prim, value: Any, angle: float) -> bool:
    lower, upper = (_authored(prim, f"physics:{side}Limit") for side in ("lower", "upper"))
    if lower is None or upper is None:
        return True
    limited = _authored(prim, "mjc:limited")
    if limited is False:
        return not (math.isfinite(lower) or math.isfinite(upper))
    unit = math.pi / 180.0 if prim.GetTypeName() == "PhysicsRevoluteJoint" else 1.0
    ref = (_authored(prim, "mjc:ref") or 0.0) * angle  # USD counts from the authored pose
    return _close(np.array([lower, upper]) * unit + ref, value)


def _same_limited(prim: Usd.Prim, value: Any) -> bool:
    lower, upper = (_authored(prim, f"physics:{side}Limit") for side in ("lower", "upper"))
    if lower is None or upper is None:
        return True
    return bool(value) == (math.isfinite(lower) or math.isfinite(upper))


_JOINT: dict[str, Callable[[Usd.Prim, Any], bool]] = {
    "pos": _same_anchor,
    "axis": _same_axis,
    "limited": _same_limited,
}
