"""Configuration of differential inverse kinematics: what is commanded, and the method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError

from .differential_ik import DifferentialIKController

__all__ = ["DifferentialIKControllerCfg"]

_COMMANDS = ("position", "pose")
_PARAMETERS: dict[str, dict[str, float]] = {
    "pinv": {"k_val": 1.0},
    "svd": {"k_val": 1.0, "min_singular_value": 1e-5},
    "trans": {"k_val": 1.0},
    "dls": {"lambda_val": 0.01},
}


@dataclass(kw_only=True)
class DifferentialIKControllerCfg(Configuration):
    """Configuration of a `DifferentialIKController`.

    Raises:
        InvalidValueError: the command or the method is none of those there are.
    """

    class_type: type[Any] = DifferentialIKController
    """Class of the controller."""
    command_type: str
    """Commanded quantity: ``position`` or ``pose``."""
    use_relative_mode: bool = False
    """Whether commands are changes of the present position or pose."""
    ik_method: str
    """Inverse of the Jacobian: ``pinv``, the pseudoinverse; ``svd``, the same without directions of
    small singular values; ``trans``, the transposed Jacobian; ``dls``, damped least squares."""
    ik_params: dict[str, float] | None = None
    """Numbers of the method: ``k_val``, the share of the way (all but ``dls``);
    ``min_singular_value`` (``svd``); ``lambda_val``, the damping (``dls``). Those left out have
    defaults."""

    def __post_init__(self) -> None:
        if self.command_type not in _COMMANDS:
            raise InvalidValueError("command_type", self.command_type, f"one of {_COMMANDS}")
        if self.ik_method not in _PARAMETERS:
            raise InvalidValueError("ik_method", self.ik_method, f"one of {sorted(_PARAMETERS)}")
        self.ik_params = {**_PARAMETERS[self.ik_method], **(self.ik_params or {})}
