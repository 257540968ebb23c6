"""Delayed commands: mixin of actuators whose commands act some physics steps later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import whole
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError

from .base import ActuatorBase

__all__ = ["DelayCfg", "DelayMixin"]


@dataclass(kw_only=True)
class DelayCfg(Configuration):
    """Delay of commands."""

    min_delay: int = 0
    """Least delay [physics steps]."""
    max_delay: int = 0
    """Largest delay [physics steps]."""


class DelayMixin(ActuatorBase):
    """Delays targets of position, velocity and effort alike.

    Each world's delay is drawn at `reset`, evenly from ``min_delay`` to ``max_delay``; before the
    first one it is zero. As long as less has been commanded since the reset than the delay asks
    for, the first command counts.
    """

    cfg: Any

    @property
    def time_lags(self) -> NDArray[np.int32]:
        """Delay of each world [physics steps], shape (num_envs,)."""
        return self.columns.lag.numpy()[:, 0].copy()

    def _column_values(self) -> dict[str, NDArray[Any]]:
        least, most = self.cfg.min_delay, self.cfg.max_delay
        for name, value in (("min_delay", least), ("max_delay", most)):
            whole(f"{name} of {self.title}", value)
        if least > most:
            raise InvalidValueError(
                f"min_delay of {self.title}", least, f"up to max_delay, which is {most}"
            )
        ring = np.zeros((most + 1, self._num_envs, self.num_joints), dtype=np.float32)
        return {
            **super()._column_values(),
            **dict.fromkeys(("past_position", "past_velocity", "past_effort"), ring),
            "least_lag": np.full(self.num_joints, least),
            "most_lag": np.full(self.num_joints, most),
        }
