"""Null command: nothing is commanded."""

from __future__ import annotations

import math
from typing import Any

import torch

from usdsim.core.errors import UnsupportedError
from usdsim.envs.managers.command import CommandTerm
from usdsim.envs.managers.term_cfg import CommandTermCfg

__all__ = ["NullCommand", "NullCommandCfg"]


class NullCommand(CommandTerm):
    """No command, for tasks without one."""

    @property
    def command(self) -> torch.Tensor:
        """Nothing.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("A null command has no value. Configure another term.")

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Nothing to draw."""
        return {}

    def compute(self, dt: float) -> None:
        """Nothing to draw."""

    def _resample_command(self, env_ids: torch.Tensor) -> None:
        pass


class NullCommandCfg(CommandTermCfg):
    """No command."""

    class_type: type[Any] = NullCommand
    """Class of the term."""
    resampling_time_range: tuple[float, float] = (math.inf, math.inf)
    """Not used."""
