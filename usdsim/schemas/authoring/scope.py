"""Scope of a configuration on a prim: placeholder values and units."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.core.errors import InvalidValueError

from .table import Target, unit_factor

__all__ = ["Scope", "joint_axis", "joint_scopes", "plain_scope"]

_JOINT_AXES = {"PhysicsRevoluteJoint": "angular", "PhysicsPrismaticJoint": "linear"}


@dataclass(frozen=True, slots=True)
class Scope:
    """Placeholder values and the stage's units, for one prim (or one instance of an API on it)."""

    names: dict[str, str] = field(default_factory=dict)
    """By placeholder: ``axis``, ``dof``, ``instance``."""
    meters_per_unit: float = 1.0
    kilograms_per_unit: float = 1.0

    @property
    def key(self) -> tuple[object, ...]:
        """Key that tells scopes apart."""
        return (*self.names.items(), self.meters_per_unit, self.kilograms_per_unit)

    def fill(self, text: str) -> str:
        """Replace the placeholders of a name.

        Raises:
            InvalidValueError: prims of this kind have no such attributes.
        """
        try:
            return text.format_map(self.names) if "{" in text else text
        except KeyError as missing:
            allowed = f"attributes that prims of this kind have; they have no {missing}"
            raise InvalidValueError("attribute to write", text, allowed) from missing

    def factor(self, target: Target) -> float:
        """Factor that takes an SI value to the attribute's unit."""
        unit = target.unit
        if target.linear is not None and self.names.get("axis") == "linear":
            unit = target.linear
        if not unit:
            return 1.0
        return unit_factor(unit, self.meters_per_unit, self.kilograms_per_unit)


def plain_scope(prim: Usd.Prim, **names: str) -> Scope:
    """A scope in the units of the prim's stage."""
    stage = prim.GetStage()
    length, mass = UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage)
    return Scope(names, length, mass) if names else _unnamed(length, mass)


@lru_cache(maxsize=16)
def _unnamed(meters_per_unit: float, kilograms_per_unit: float) -> Scope:
    return Scope({}, meters_per_unit, kilograms_per_unit)


def joint_axis(prim: Usd.Prim) -> str | None:
    """``angular`` for a revolute, ``linear`` for a prismatic joint; None for other prims."""
    return _JOINT_AXES.get(str(prim.GetTypeName()))


def joint_scopes(prim: Usd.Prim, cfg: object = None) -> list[Scope]:
    """The scope of a revolute or prismatic joint, as `Family` asks for it; others have none."""
    axis = joint_axis(prim)
    if axis is None:
        return []
    token = str(prim.GetAttribute("physics:axis").Get() or "X")
    return [plain_scope(prim, axis=axis, dof=("rot" if axis == "angular" else "trans") + token)]
