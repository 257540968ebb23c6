"""Articulation configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from usdsim.actuators import ActuatorBaseCfg
from usdsim.assets.common.cfg import BodyAssetCfg
from usdsim.core.arguments import number, of_kind
from usdsim.core.errors import InvalidValueError, StageError

from .articulation import Articulation
from .ordering import CONVENTIONS, Ordering

__all__ = ["ArticulationCfg"]


def _everything_zero() -> dict[str, float]:
    return {".*": 0.0}


@dataclass(kw_only=True)
class ArticulationCfg(BodyAssetCfg):
    """Configuration of an articulation."""

    @dataclass(kw_only=True)
    class InitialStateCfg(BodyAssetCfg.InitialStateCfg):
        """Initial state of an articulation: what its default state is filled with."""

        joint_pos: dict[str, float] = field(default_factory=_everything_zero)
        """Positions by regular expression over joint names; a later match wins [m or rad]."""
        joint_vel: dict[str, float] = field(default_factory=_everything_zero)
        """Velocities by regular expression, likewise [m/s or rad/s]."""

        def validate(self, where: str) -> None:
            """Check every value; see `InitialStateCfg.validate`."""
            super().validate(where)
            for name in ("joint_pos", "joint_vel"):
                values: Any = getattr(self, name)
                of_kind(f"{where}.{name}", values, Mapping, "{pattern: number}")
                for pattern, value in values.items():
                    number(f"{where}.{name}[{pattern!r}]", value, -math.inf)

    class_type: type[Any] | None = Articulation
    """Class of the asset."""
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Default state, which is written only when you write it."""
    articulation_root_prim_path: str | None = None
    """Path of the prim with the articulation root relative to `prim_path`, such as ``/base``, for
    assets with several; None: the only one at or below `prim_path`."""
    soft_joint_pos_limit_factor: float = 1.0
    """Length of the soft joint position limits as a share of the limits, about the same middle;
    above 1, nothing within the limits is beyond the soft ones."""
    actuators: dict[str, ActuatorBaseCfg] = field(default_factory=dict)
    """Actuators by name of the group. Joints of no group keep what is authored on the stage."""
    actuator_value_resolution_debug_print: bool = False
    """Whether a table of where each actuator parameter comes from is logged."""
    joint_ordering: Ordering = None
    """Order of the joints: ``breadth-first`` (also ``physx``), ``depth-first`` (also ``mjwarp``),
    or all names; None: the engine's."""
    body_ordering: Ordering = None
    """Order of the bodies, likewise."""

    def validate(self) -> None:
        """Check every value.

        Raises:
            StageError: there is no prim path, or one is not absolute.
            InvalidValueError: a value is outside what is allowed.
        """
        super().validate()
        title = type(self).__name__
        factor = self.soft_joint_pos_limit_factor
        number(f"{title}.soft_joint_pos_limit_factor", factor, 0.0, above=False)
        root: Any = self.articulation_root_prim_path
        if root is not None and not (isinstance(root, str) and root.startswith("/")):
            raise StageError(
                f"{title}.articulation_root_prim_path is {root!r}; allowed: a path below prim_path "
                "that begins with '/', or None."
            )
        for name in ("joint_ordering", "body_ordering"):
            ordering = getattr(self, name)
            if isinstance(ordering, str) and ordering not in CONVENTIONS:
                raise InvalidValueError(
                    f"{title}.{name}", ordering, f"None, names, or one of {sorted(CONVENTIONS)}"
                )
        actuators: Any = self.actuators
        of_kind(f"{title}.actuators", actuators, Mapping, "{name: configuration}")
        for name, group in actuators.items():
            self._validate_group(f"{title}.actuators[{name!r}]", group)

    def _validate_group(self, where: str, group: Any) -> None:
        words = "a configuration of actuators, such as ImplicitActuatorCfg(...)"
        of_kind(where, group, ActuatorBaseCfg, words)
