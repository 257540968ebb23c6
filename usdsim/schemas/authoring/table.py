"""Configuration field table: prim attribute, type and unit of each field."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

__all__ = [
    "DIALECTS",
    "RULES",
    "UNITS",
    "ConversionRule",
    "FieldRow",
    "Target",
    "attribute",
    "attributes_of",
    "row_of",
    "unit_factor",
    "with_default",
]

DIALECTS = ("physics", "physx", "newton", "mjc", "usdsim")
"""Namespaces a configuration can be written in."""

_PREFIXES = {
    "physx": "physx",
    "state": "physx",
    "omniphysics": "physx",
    "deformablePose": "physx",
    "newton": "newton",
    "mjc": "mjc",
    "usdsim": "usdsim",
}

# Exponents of length, mass and angle by the unit an attribute has on the stage.
UNITS: dict[str, tuple[int, int, int]] = {
    "": (0, 0, 0),
    "degree": (0, 0, 1),
    "degree/second": (0, 0, 1),
    "distance": (1, 0, 0),
    "distance/degree": (1, 0, -1),
    "distance/second": (1, 0, 0),
    "distance/second^2": (1, 0, 0),
    "distance^2/second^2": (2, 0, 0),
    "force": (1, 1, 0),
    "force*second": (1, 1, 0),
    "force*second/distance": (0, 1, 0),
    "force/distance": (0, 1, 0),
    "mass": (0, 1, 0),
    "mass*distance^2": (2, 1, 0),
    "mass/distance^3": (-3, 1, 0),
    "pressure": (-1, 1, 0),
    "torque": (2, 1, 0),
    "torque*second/radian": (2, 1, 0),
    "torque*second/degree": (2, 1, -1),
    "torque/degree": (2, 1, -1),
    "torque/radian": (2, 1, 0),
}
"""Units of attributes that follow the stage's own length, mass and degrees; the configuration's
value is in SI and radians. ``mjc:`` attributes are in SI and radians themselves."""


@dataclass(frozen=True, slots=True)
class ConversionRule:
    """A conversion that is not a change of unit."""

    write: Callable[[Any, Any], Any]
    """Conversion of the field's value and its configuration to the attribute's value."""
    read: Callable[[Any, Callable[[str], Any]], Any]
    """Back, given the attribute's value and a reader of other attributes."""


def _same(value: Any, _: Any) -> Any:
    return value


RULES: dict[str, ConversionRule] = {
    "": ConversionRule(_same, _same),
    "negated": ConversionRule(lambda v, _: -v, lambda v, _: -v),
    "inverse": ConversionRule(lambda v, _: 1.0 / v, lambda v, _: 1.0 / v),
    "list": ConversionRule(lambda v, _: [v], lambda v, _: v[0]),
    "full compensation": ConversionRule(lambda v, _: 1.0 if v else 0.0, lambda v, _: v >= 1.0),
    "above rest offset": ConversionRule(
        lambda v, cfg: v - (getattr(cfg, "rest_offset", None) or 0.0),
        lambda v, get: v + (get("newton:contactMargin") or 0.0),
    ),
}


@dataclass(frozen=True, slots=True)
class Target:
    """One attribute (or relationship, type ``rel``) a field is written to.

    Names may hold ``{axis}`` (``angular`` or ``linear``), ``{dof}`` (``rotX`` ... ``transZ``) and
    ``{instance}``.
    """

    attribute: str
    api: str
    """Applied API schema; empty: none."""
    type: str
    """Sdf value type name."""
    unit: str = ""
    """Key of `UNITS`; of an angular joint where `linear` is given too."""
    linear: str | None = None
    """Key of `UNITS` for a linear joint."""
    rule: str = ""
    """Key of `RULES`."""

    @property
    def dialect(self) -> str:
        """The namespace's family: one of `DIALECTS`."""
        head = self.attribute.split(":", 1)[0]
        for prefix, dialect in _PREFIXES.items():
            if head.startswith(prefix):
                return dialect
        return "physics"


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A configuration field."""

    field: str
    doc: str
    targets: tuple[Target, ...]
    """The first one is the field's own; the others are written on request (`dialects`)."""
    range: str = ""
    """Permitted values as an interval, ``[0, inf)``."""
    tokens: tuple[str, ...] = ()
    """Permitted words."""

    def targets_in(self, dialects: tuple[str, ...] | None) -> tuple[Target, ...]:
        """The targets in some dialects; plain UsdPhysics always counts, None: the field's own."""
        if dialects is None:
            return self.targets[:1]
        return tuple(t for t in self.targets if t.dialect == "physics" or t.dialect in dialects)


# Types of attributes by the annotation of the field, where the field does not name another.
_TYPES = {
    "bool | None": "bool",
    "int | None": "int",
    "float | None": "float",
    "str | None": "token",
}


def attribute(
    name: str,
    doc: str,
    *,
    api: str = "",
    type: str = "",
    unit: str = "",
    linear: str | None = None,
    rule: str = "",
    also: tuple[Target, ...] = (),
    range: str = "",
    tokens: tuple[str, ...] = (),
    default: Any = None,
) -> Any:
    """Declare a field of a configuration together with its row.

    Args:
        name: attribute on the stage.
        doc: what the field means, with its unit in the configuration.
        api: applied API schema the attribute belongs to; empty: none.
        type: Sdf value type name; empty: that of the field's annotation, ``float`` of a number and
            ``token`` of a word.
        unit: unit on the stage, key of `UNITS`; of an angular joint where `linear` is given.
        linear: unit on the stage for a linear joint.
        rule: conversion beyond units, key of `RULES`.
        also: spellings in other dialects.
        range: permitted values as an interval.
        tokens: permitted words.
        default: value a fresh configuration has; None: leave as authored.
    """
    first = Target(name, api, type, unit, linear, rule)
    row = FieldRow("", doc, (first, *also), range, tokens)
    return dataclasses.field(default=default, metadata={"row": row})


def attributes_of(api: str) -> Callable[..., Any]:
    """Declaration of fields of one API schema: `attribute` with what they have in common."""
    return partial(attribute, api=api)


def with_default(cls: type, name: str, value: Any) -> Any:
    """The field of a base class again, with another default."""
    field = cls.__dataclass_fields__[name]  # type: ignore[attr-defined]
    return dataclasses.field(default=value, metadata=field.metadata)


def row_of(field: dataclasses.Field[Any]) -> FieldRow | None:
    """The row of a dataclass field; None for fields that are not USD attributes."""
    row = field.metadata.get("row")
    if row is None:
        return None
    first, *others = row.targets
    if not first.type:
        first = dataclasses.replace(first, type=_TYPES[str(field.type)])
    return dataclasses.replace(row, field=field.name, targets=(first, *others))


def unit_factor(unit: str, meters_per_unit: float, kilograms_per_unit: float) -> float:
    """Factor that takes a value in SI and radians to the stage's unit."""
    length, mass, angle = UNITS[unit]
    factor = 1.0
    if length and meters_per_unit != 1.0:
        factor *= meters_per_unit**-length
    if mass and kilograms_per_unit != 1.0:
        factor *= kilograms_per_unit**-mass
    if angle:
        # Written out so that 10 N m/rad becomes exactly 10 * pi / 180.
        factor *= 180.0 / math.pi if angle > 0 else math.pi / 180.0
    return factor
