"""DC motors: PD controllers whose effort falls with speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError

from .base import ActuatorBase
from .delay import DelayCfg, DelayMixin
from .ideal_pd import IdealPDActuator, IdealPDActuatorCfg
from .kernels import DELAYED, MOTOR
from .values import JointValue, require_least, resolve_joint_parameter

__all__ = ["DCMotor", "DCMotorCfg", "DelayedDCMotor", "DelayedDCMotorCfg"]


class DCMotor(IdealPDActuator):
    """A PD controller on a DC motor, whose torque falls with speed.

    The effort is between ``max(saturation_effort (-1 - v / velocity_limit), -effort_limit)`` and
    ``min(saturation_effort (1 - v / velocity_limit), effort_limit)``: full torque against the
    motion, none at the no-load speed, and beyond that a brake up to `effort_limit`.
    """

    kind = MOTOR
    cfg: Any

    def _column_values(self) -> dict[str, NDArray[Any]]:
        return {**super()._column_values(), "saturation": self._saturation()}

    def _saturation(self) -> NDArray[np.float32]:
        cfg = self.cfg
        if cfg.saturation_effort is None:
            raise InvalidValueError(
                f"saturation_effort of {self.title}", None, "the motor's effort at rest [N m or N]"
            )
        if cfg.velocity_limit is None and cfg.actuator_velocity_limit is None:
            raise InvalidValueError(
                f"velocity_limit of {self.title}", None, "the motor's no-load speed [rad/s or m/s]"
            )
        names = self.joint_names
        what = f"{self.title}: saturation_effort"
        values = resolve_joint_parameter(cfg.saturation_effort, np.nan, names, 1, what=what)
        require_least(np.where(np.isinf(values), np.nan, values), names, what, positive=True)
        speeds = self.joint_limits.velocity_limit
        require_least(speeds, names, f"{self.title}: velocity_limit", positive=True)
        return values[0]


@dataclass(kw_only=True)
class DCMotorCfg(IdealPDActuatorCfg):
    """Configuration of DC motors; `velocity_limit` is the no-load speed and must be given."""

    class_type: type[ActuatorBase] = DCMotor
    saturation_effort: JointValue
    """Peak effort of the motor: what it has at rest [N m or N]."""


class DelayedDCMotor(DelayMixin, DCMotor):
    """A DC motor whose commands arrive some steps late."""

    kind = MOTOR | DELAYED


@dataclass(kw_only=True)
class DelayedDCMotorCfg(DelayCfg, DCMotorCfg):
    """Configuration of DC motors with delayed commands."""

    class_type: type[ActuatorBase] = DelayedDCMotor
