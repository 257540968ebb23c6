"""Forms of values that fields of configurations take, by their annotations."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Sdf

from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError

__all__ = ["check_forms"]

_LITERAL = re.compile(r"Literal\[(.*)\]")


def _kind(value: Any) -> str:
    """Kind of a value's numbers; empty where it has none."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return ""
    return array.dtype.kind


def _is_text(value: Any) -> bool:
    return isinstance(value, str | Sdf.Path) and not any(c < " " for c in str(value))


def _are(values: Any, fit: Callable[[Any], bool]) -> bool:
    """Whether values are several, each of a form."""
    several = isinstance(values, Iterable) and not isinstance(values, str | bytes | np.ndarray)
    return several and all(map(fit, values))


def _are_texts(value: Any) -> bool:
    return _are(value, _is_text)


def _are_real(value: Any, dims: int) -> bool:
    """Whether a value has numbers, all of them known, along so many dimensions."""
    if _kind(value) not in tuple("biuf") or np.ndim(value) != dims:
        return False
    return not (np.isnan(value).any() or np.ma.is_masked(value))


def _is_number(value: Any) -> bool:
    return value == value if type(value) is float else _are_real(value, 0)


def _is_whole(value: Any) -> bool:
    return _is_number(value) and float(np.asarray(value).item()).is_integer()


def _are_numbers(value: Any) -> bool:
    return _are_real(value, 1)


def _is_file(value: Any) -> bool:
    return _is_text(value) or isinstance(value, Path)


def _are_pairs(value: Any) -> bool:
    return _are(value, lambda pair: _are_texts(pair) and len(tuple(pair)) == 2)


def _is_configuration(value: Any) -> bool:
    return isinstance(value, Configuration)


def _is_material(value: Any) -> bool:
    return isinstance(value, Configuration) and callable(getattr(value, "func", None))


def _are_choices(value: Any) -> bool:
    """Whether something maps texts to texts: a mapping, or an object by its attributes."""
    chosen = value if isinstance(value, Mapping) else getattr(value, "__dict__", None)
    return chosen is not None and _are_texts([*chosen, *chosen.values()])


_FORMS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "bool": (lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "float": (_is_number, "a number"),
    "int": (_is_whole, "a whole number"),
    "str": (_is_text, "a text"),
    "Axis": (lambda value: isinstance(value, str) and value in ("X", "Y", "Z"), "X, Y or Z"),
    "Sequence[float]": (_are_numbers, "a list of numbers"),
    "Sequence[int]": (_are_numbers, "a list of whole numbers"),
    "Sequence[str]": (_are_texts, "a list of texts"),
    "Sequence[tuple[str, str]]": (_are_pairs, "a list of pairs of texts"),
    "tuple[str, ...]": (_are_texts, "a tuple of texts"),
    "Mapping[str, str] | object": (_are_choices, "a variant by variant set"),
    "str | Path": (_is_file, "a path"),
    "str | Path | Sequence[str | Path]": (
        lambda value: _is_file(value) or _are(value, _is_file),
        "a path, or a list",
    ),
    "str | Sequence[str]": (
        lambda value: _is_text(value) or _are_texts(value),
        "a text, or a list",
    ),
    "Sequence[str | None]": (
        lambda value: _are(value, lambda one: one is None or _is_text(one)),
        "a list of texts and None",
    ),
    "PhysicsMaterialCfg": (_is_material, "a material"),
    "VisualMaterialCfg": (_is_material, "a material"),
    "Sequence[SpawnerCfg]": (
        lambda value: _are(value, _is_configuration),
        "a list of configurations",
    ),
    "RigidBodyBaseCfg | Sequence[RigidBodyBaseCfg]": (
        lambda value: _is_configuration(value) or _are(value, _is_configuration),
        "a configuration, or a list",
    ),
}
"""Whether a value fits, and what does in words. Other annotations are not looked at."""


def _form(annotation: str) -> tuple[Callable[[Any], bool], str] | None:
    """Form of a field: of the table, of a class of configurations, or of the texts it names."""
    literal = _LITERAL.fullmatch(annotation)
    if literal is not None:
        allowed = tuple(text.strip(" '") for text in literal[1].split(","))
        return lambda value: isinstance(value, str) and value in allowed, ", ".join(allowed)
    if annotation not in _FORMS and annotation.isidentifier() and annotation.endswith("Cfg"):
        return _is_configuration, "a configuration"
    return _FORMS.get(annotation)


def check_forms(cfg: Any) -> None:
    """Check that the values of a configuration have the forms that its fields take.

    Raises:
        InvalidValueError: one has another.
    """
    for field in dataclasses.fields(cfg):
        value, annotation = getattr(cfg, field.name), str(field.type)
        form = _form(annotation.removesuffix(" | None"))
        if form is None or (value is None and annotation.endswith("None")):
            continue
        fits, wanted = form
        if not fits(value):
            raise InvalidValueError(f"{type(cfg).__name__}.{field.name}", value, wanted)
