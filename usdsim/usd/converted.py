"""Converted values: what a conversion said of a quantity, in double precision, as prim metadata.

USD's physics attributes are single precision, and one quantity may have several spellings. The
value as it was converted, in SI and radians, is kept in the prim's custom data by the quantity's
name. A spelling that still says it, as precisely as it can, is unchanged and means the exact value;
one that says anything else was edited since.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pxr import Usd, Vt

__all__ = ["KEY", "converted_values", "keep_converted"]

KEY = "usdsim:converted"
"""Where the values stand in a prim's custom data."""


def converted_values(prim: Usd.Prim) -> Mapping[str, Any]:
    """Values as they were converted, by quantity; empty on prims that no conversion wrote."""
    values = prim.GetCustomDataByKey(KEY) if prim.HasCustomData() else None
    return values if isinstance(values, dict) else {}


def keep_converted(prim: Usd.Prim, values: Mapping[str, Any]) -> None:
    """Add values [SI, radians] to those a prim was converted from.

    Args:
        prim: the prim; the stage's edit target receives the values.
        values: numbers, truth values, and arrays of numbers by quantity.
    """
    for name, value in values.items():
        prim.SetCustomDataByKey(f"{KEY}:{name}", _as_metadata(value))


def _as_metadata(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 0:
        return float(array)
    return Vt.DoubleArray.FromNumpy(np.ascontiguousarray(array.ravel()))
