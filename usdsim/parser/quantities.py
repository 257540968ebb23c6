"""Quantity resolution: one physical quantity, whichever dialect states it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from usdsim.core.dialects.deformable import DRAFT_DEFORMABLE, PHYSX_DEFORMABLE
from usdsim.core.dialects.newton import NEWTON
from usdsim.core.dialects.physx import PHYSX
from usdsim.core.errors import InvalidValueError

from .prims import PrimView
from .report import Report
from .units import Units

__all__ = ["DIALECTS", "Quantities", "disagree"]

DIALECTS = ("mjc", "newton", "physx", "physics")
"""Default precedence of what different tools wrote about one quantity."""

# Attributes of the MuJoCo dialect for the same quantities, in SI and radians, with the field of
# MuJoCo's spec they set.
_MUJOCO: Mapping[str, tuple[str, str]] = {
    "joint.armature": ("mjc:armature", "armature"),
    "joint.damping": ("mjc:damping", "damping[0]"),
    "joint.friction": ("mjc:frictionloss", "frictionloss"),
    "scene.timestep": ("mjc:option:timestep", "option.timestep"),
    "material.torsional_friction": ("mjc:torsionalfriction", ""),
    "material.rolling_friction": ("mjc:rollingfriction", ""),
}


def disagree(a: float, b: float) -> bool:
    """Whether two numbers differ by more than single precision explains."""
    return a != b and not abs(a - b) <= 1e-5 * max(abs(a), abs(b)) + 1e-9


class Quantities:
    """Reads quantities by name, in the chosen order of dialects.

    Attributes:
        precedence: dialects, the one that wins first.
        superseded: per prim path, fields of MuJoCo's spec that a dialect of higher precedence sets.
    """

    def __init__(self, units: Units, report: Report, precedence: Sequence[str] = DIALECTS):
        self._report = report
        self.superseded: dict[str, set[str]] = {}
        unknown = [dialect for dialect in precedence if dialect not in DIALECTS]
        if unknown:
            raise InvalidValueError("precedence", tuple(precedence), ", ".join(DIALECTS))
        self.precedence = tuple(precedence)
        tables = {
            "newton": NEWTON,
            "physx": (*PHYSX, *PHYSX_DEFORMABLE),
            "physics": DRAFT_DEFORMABLE,
        }
        self._rows: dict[str, list[tuple[str, float, float, str, str]]] = {}
        for dialect in precedence:
            for row in tables.get(dialect, ()):
                self._rows.setdefault(row.spec, []).append(
                    (
                        row.usd,
                        units.axis_factor(row.unit, angular=False),
                        units.axis_factor(row.unit, angular=True),
                        "",
                        row.type,
                    )
                )
            if dialect == "mjc":
                for quantity, (name, field) in _MUJOCO.items():
                    self._rows.setdefault(quantity, []).append((name, 1.0, 1.0, field, "double"))

    def before(self, dialect: str, other: str) -> bool:
        """Whether a dialect wins over another; those left out lose."""
        order = {name: place for place, name in enumerate(self.precedence)}
        return order.get(dialect, 9) <= order.get(other, 9)

    def read(
        self, view: PrimView, kind: str, quantity: str, *, axis: str = "", angular: bool = False
    ) -> Any:
        """A quantity in SI and radians; None where no dialect states it.

        Args:
            view: the prim.
            kind: element the quantity belongs to, ``joint``.
            quantity: its name in the tables, ``armature``.
            axis: instance of multiple-apply schemas, ``rotX``.
            angular: whether the axis turns.
        """
        result: Any = None
        for template, linear_factor, angular_factor, field, kind_of_value in self._rows.get(
            f"{kind}.{quantity}", ()
        ):
            name = template.replace("{axis}", axis)
            if name not in view.names:
                continue
            value = view.flag(name) if kind_of_value == "bool" else view.value(name)
            if value is None:
                continue
            if kind_of_value not in ("bool", "token"):
                factor = angular_factor if angular else linear_factor
                number = view.number(name)
                if number is None:
                    continue
                value = number * factor
            if result is None:
                result = value
                continue
            if field:
                self.superseded.setdefault(view.path, set()).add(field)
            if isinstance(value, float) and isinstance(result, float) and disagree(value, result):
                self._report.conflict(
                    view.path, name, value,
                    f"is {value:g} in SI, but {quantity.replace('_', ' ')} is already {result:g}",
                )  # fmt: skip
        return result
