"""Attribute values as Python and NumPy values; quaternions are xyzw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd

from usdsim.core.errors import InvalidValueError, ShapeError, StageError

__all__ = [
    "ValueForm",
    "author",
    "authored",
    "from_usd",
    "is_authored",
    "numbers",
    "to_usd",
    "value_form",
    "value_type",
]

_QUATS = (Gf.Quatd, Gf.Quatf, Gf.Quath)
_START = Usd.TimeCode.EarliestTime()
_FLOATING = {"double", "float"}
_INTEGERS = {"int", "int64", "uint", "uint64", "uchar"}
_NUMPY: dict[str, Any] = {
    "double": np.float64,
    "timecode": np.float64,
    "float": np.float32,
    "half": np.float16,
    "int": np.int32,
    "int64": np.int64,
    "uint": np.uint32,
    "uint64": np.uint64,
    "uchar": np.uint8,
    "bool": np.bool_,
}

_PLAIN: dict[str, type] = {
    "double": float,
    "float": float,
    "bool": bool,
    "string": str,
    "token": str,
}


def is_authored(prim: Usd.Prim, name: str) -> bool:
    """Whether an attribute has an authored value; a schema's fallback does not count."""
    attribute = prim.GetAttribute(name)
    return bool(attribute) and attribute.HasAuthoredValue()


def authored(prim: Usd.Prim, name: str, default: Any = None) -> Any:
    """An attribute's authored value, as `from_usd` gives it, or `default` if none is authored.

    Where time samples are authored, the first one counts: physics starts there.
    """
    attribute = prim.GetAttribute(name)
    if not attribute or not attribute.HasAuthoredValue():
        return default
    return from_usd(attribute.Get(_START))


def author(
    prim: Usd.Prim,
    name: str,
    sdf_type: str,
    value: Any,
    *,
    custom: bool = False,
    uniform: bool = False,
) -> Usd.Attribute:
    """Write an attribute's default value in the stage's edit target.

    Args:
        prim: the prim.
        name: attribute name, ``physics:mass``.
        sdf_type: value type to create the attribute with, ``double3`` or ``token[]``; an attribute
            that a schema or a layer defines already keeps its own type.
        value: numbers, strings, sequences or arrays; quaternions xyzw.
        custom: whether the attribute belongs to no schema.
        uniform: whether its value cannot change over time.

    Raises:
        InvalidValueError: the value does not fit the type.
        StageError: the prim cannot be edited.
    """
    if prim.IsInstanceProxy():
        raise StageError(f"{prim.GetPath()} lies inside an instance and cannot be edited.")
    attribute = prim.GetAttribute(name)
    if not attribute or not attribute.IsDefined():
        type_name = value_type(sdf_type, f"{prim.GetPath()}.{name}")
        variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
        attribute = prim.CreateAttribute(name, type_name, custom, variability)
    attribute.Set(to_usd(value, attribute.GetTypeName(), f"{prim.GetPath()}.{name}"))
    return attribute


def from_usd(value: Any) -> Any:
    """A USD value in Python terms.

    Numbers and strings stay; vectors, matrices (row vector convention, as in USD) and numeric
    arrays become NumPy arrays, float64 where they are floating; quaternions xyzw; arrays of strings
    tuples; asset paths stay `Sdf.AssetPath`.
    """
    if isinstance(value, (bool, int, float, str, Sdf.AssetPath)):
        return value
    if isinstance(value, _QUATS):
        return np.array(numbers(value))
    if isinstance(value, Gf.Transform) or value is None:
        return value
    kind = type(value).__name__
    if kind in ("StringArray", "TokenArray", "AssetPathArray", "PathArray"):
        return tuple(value)
    if kind == "TimeCode":
        return float(value.GetValue())
    array = np.array(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def numbers(value: Any) -> list[float]:
    """Components of one of OpenUSD's vectors, or of a quaternion, xyzw.

    Their own iterators end by an exception of C++, which takes twenty times as long as this.
    """
    if isinstance(value, _QUATS):
        return [*numbers(value.GetImaginary()), value.GetReal()]
    found: list[float] = np.asarray(value).tolist()
    return found


def to_usd(value: Any, type_name: Sdf.ValueTypeName, what: Any = "value") -> Any:
    """A Python or NumPy value as the USD value of a type.

    Args:
        value: numbers, strings, sequences or arrays; quaternions xyzw.
        type_name: the type.
        what: what carries the value, a name or a path, for messages.

    Raises:
        InvalidValueError: the value does not fit.
    """
    form = value_form(type_name)
    if type(value) is form.plain:
        return value
    if form.make is not None and _holds(value, form.dims):
        return form.make(value.tolist())
    if not form.is_array:
        return _scalar(value, form, what)
    base, dims, cls = form.base, form.dims, form.cls
    if isinstance(value, cls):
        return value
    if base not in _NUMPY:
        convert = Sdf.AssetPath if base == "asset" else str
        return cls([v if isinstance(v, convert) else convert(v) for v in value])
    array = _numbers(value, base, what)
    if array.size == 0:
        return cls()
    if array.shape[1:] != dims:
        raise ShapeError(what, array.shape, f"(n{''.join(f', {d}' for d in dims)})")
    return cls.FromNumpy(np.ascontiguousarray(array))


def value_type(name: str, what: str) -> Sdf.ValueTypeName:
    """Value type of a name, such as ``double3`` or ``token[]``.

    Args:
        name: its name.
        what: what has the type, for messages.

    Raises:
        InvalidValueError: there is no such type.
    """
    found = Sdf.ValueTypeNames.Find(name)
    if not found:
        raise InvalidValueError(f"type of {what}", name, "an Sdf value type")
    return found


@dataclass(frozen=True, slots=True)
class ValueForm:
    """Numbers and shape that values of a type are made of."""

    base: str
    """Element type."""
    dims: tuple[int, ...]
    """Shape of one value, or of one entry of an array."""
    cls: Any
    """Class that OpenUSD has for it; None: one of Python's own."""
    is_array: bool
    plain: type | None
    """Python type whose values are taken as they are."""
    is_floats: bool
    """Whether it is an array of single floating numbers."""
    is_quat: bool
    make: Callable[[list[float]], Any] | None
    """Makes a vector or quaternion of floating numbers, which are rounded as they are taken."""


@cache
def value_form(type_name: Sdf.ValueTypeName) -> ValueForm:
    """Numbers and shape of the values of a type."""
    base, dims = _layout(type_name.scalarType)
    is_array = type_name.isArray
    plain = None if is_array or dims else _PLAIN.get(base)
    cls, make = type_name.type.pythonClass, None
    is_quat = cls in _QUATS
    if len(dims) == 1 and not is_array and base in _FLOATING:
        make = _quaternion(cls) if is_quat else lambda numbers: cls(*numbers)
    is_floats = is_array and not dims and base in _FLOATING
    return ValueForm(base, dims, cls, is_array, plain, is_floats, is_quat, make)


def _quaternion(cls: Any) -> Callable[[list[float]], Any]:
    return lambda numbers: cls(numbers[3], *numbers[:3])


def _holds(value: Any, dims: tuple[int, ...]) -> bool:
    """Whether a value is an array of floating numbers of a shape."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.shape == dims


def _scalar(value: Any, form: ValueForm, what: Any) -> Any:
    base, dims, cls = form.base, form.dims, form.cls
    if cls is not None and isinstance(value, cls):
        return value
    if base == "asset":
        return Sdf.AssetPath(str(value))
    if base in ("token", "string"):
        if not isinstance(value, str):
            raise InvalidValueError(what, value, "a string")
        return str(value)
    if base not in _NUMPY:
        return value
    array = _numbers(value, base, what)
    if array.shape != dims:
        if array.size == 1 and not dims:
            array = array.reshape(())
        else:
            raise ShapeError(what, array.shape, str(dims) if dims else "a single number")
    if not dims:
        return array.item()
    if cls in _QUATS:
        return _quaternion(cls)(array.tolist())
    return cls(*array.tolist()) if len(dims) == 1 else cls(array.tolist())


def _layout(type_name: Sdf.ValueTypeName) -> tuple[str, tuple[int, ...]]:
    """Element type and shape of one value of a scalar type."""
    default = type_name.defaultValue
    if isinstance(default, _QUATS):
        return {"d": "double", "f": "float", "h": "half"}[type(default).__name__[-1]], (4,)
    cls = type(default)
    if cls.__name__.startswith("Matrix"):
        return "double", tuple(cls.dimension)
    if cls.__name__.startswith("Vec"):
        kind = {"d": "double", "f": "float", "h": "half", "i": "int"}[cls.__name__[-1]]
        return kind, (cls.dimension,)
    return str(type_name), ()


def _numbers(value: Any, base: str, what: Any) -> np.ndarray:
    try:
        array = np.asarray(value)
        if array.size and array.dtype.kind not in "biuf":
            raise ValueError
        result = array.astype(_NUMPY[base])
    except (TypeError, ValueError) as error:
        raise InvalidValueError(what, value, f"numbers of type {base}") from error
    if base in _INTEGERS and not np.array_equal(result, array):
        raise InvalidValueError(what, value, f"whole numbers that fit {base}")
    return result
