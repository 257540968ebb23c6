"""Converted values: what a conversion said of a quantity, in double precision, as prim metadata.

USD's physics attributes are single precision, and one quantity may have several spellings. The
value as it was converted, in SI and radians, is kept in the prim's custom data by the quantity's
name. A spelling that still says it, as precisely as it can, is unchanged and means the exact value;
one that says anything else was edited since.

Attributes that restate what others say, such as a display colour beside ``mjc:rgba``, leave a
checksum instead: it tells which of them was edited.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, Vt

from .attributes import numbers

__all__ = [
    "KEY",
    "as_metadata",
    "converted_values",
    "edited",
    "has_checksum",
    "is_as_converted",
    "keep_checksums",
    "keep_converted",
]

KEY = "usdsim"
"""Key of the values in a prim's custom data."""
_BELOW = "converted"
"""Name below the key in files of earlier versions."""
_CHECKSUMS = "checksums"
"""Name of the checksums among the values."""


def converted_values(prim: Usd.Prim) -> Mapping[str, Any]:
    """Values as they were converted, by quantity; empty on prims that no conversion wrote."""
    values = prim.GetCustomDataByKey(KEY) if prim.HasCustomData() else None
    if not isinstance(values, dict):
        return {}
    below = values.get(_BELOW)
    return {**below, **values} if isinstance(below, dict) else values


def keep_converted(prim: Usd.Prim, values: Mapping[str, Any]) -> None:
    """Add values [SI, radians] to those a prim was converted from.

    Args:
        prim: the prim; the stage's edit target receives the values.
        values: numbers, truth values, and arrays of numbers by quantity.
    """
    for name, value in values.items():
        prim.SetCustomDataByKey(f"{KEY}:{name}", as_metadata(value))


def keep_checksums(stage: Usd.Stage, restated: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Store checksums of authored properties, by which `edited` tells when they changed.

    Args:
        stage: its edit target receives the checksums.
        restated: prim paths, with names of attributes and relationships; those that are not
            authored are noted as such.
    """
    names_of: dict[str, dict[str, None]] = {}
    for path, names in restated:
        names_of.setdefault(path, {}).update(dict.fromkeys(names))
    with Sdf.ChangeBlock():
        for path, found in names_of.items():
            prim = stage.GetPrimAtPath(path)
            text = " ".join(f"{name}={_checksum(prim, name)}" for name in found)
            prim.SetCustomDataByKey(f"{KEY}:{_CHECKSUMS}", text)


def edited(prim: Usd.Prim, *names: str) -> tuple[str, ...]:
    """Properties, of some, that no longer say what they were converted to.

    Properties without a checksum count as unedited: nothing is known of them.
    """
    known = _known_checksums(prim)
    return tuple(name for name in names if name in known and known[name] != _checksum(prim, name))


def has_checksum(prim: Usd.Prim, name: str) -> bool:
    """Whether `edited` can tell that a property was edited."""
    return name in _known_checksums(prim)


def is_as_converted(prim: Usd.Prim, name: str) -> bool:
    """Whether a property with a checksum still says what it was converted to."""
    return _known_checksums(prim).get(name) == _checksum(prim, name)


def _known_checksums(prim: Usd.Prim) -> dict[str, str]:
    """Checksums of properties by name, kept as one text, ``name=sum``, which takes little room."""
    text = None
    if prim.HasCustomData():
        # All values would be turned into Python's for the sake of one.
        kept = prim.GetCustomDataByKey(f"{KEY}:{_CHECKSUMS}")
        text = kept or prim.GetCustomDataByKey(f"{KEY}:{_BELOW}:{_CHECKSUMS}")
    entries = (entry.partition("=") for entry in text.split()) if isinstance(text, str) else ()
    return {name: value for name, _, value in entries}


def _checksum(prim: Usd.Prim, name: str) -> str:
    """Checksum of a property's value; targets count relative to the prim, ``-``: no value."""
    attribute = prim.GetAttribute(name)
    if attribute:
        value = attribute.Get() if attribute.HasAuthoredValue() else None
        if value is None:
            return "-"
        content = value.encode() if isinstance(value, str) else _numbers(value).tobytes()
    elif prim.HasRelationship(name):
        here = prim.GetPath()
        targets = prim.GetRelationship(name).GetTargets()
        content = " ".join(str(target.MakeRelativePath(here)) for target in targets).encode()
    else:
        return "-"
    return f"{zlib.crc32(content):x}"


def _numbers(value: Any) -> NDArray[Any]:
    """Numbers of a value, whose zeros have no sign: binary files keep one of equal values."""
    if hasattr(value, "GetImaginary"):
        value = [value.GetReal(), *numbers(value.GetImaginary())]
    found = np.asarray(value)
    return found + found.dtype.type(0) if found.dtype.kind == "f" else found


def as_metadata(value: Any) -> Any:
    """A number, a truth value or numbers in the form that a prim's custom data takes."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 0:
        return float(array)
    return Vt.DoubleArray.FromNumpy(np.ascontiguousarray(array.ravel()))
