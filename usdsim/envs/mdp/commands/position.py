"""Position commands: points in space that a vehicle shall fly to."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import torch

from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs.managers.command import CommandTerm
from usdsim.envs.managers.term_cfg import CommandTermCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import quat_apply_inverse

__all__ = ["UniformPositionCommand", "UniformPositionCommandCfg"]


class UniformPositionCommand(CommandTerm):
    """Points about the environment's origin; the metric is the current distance.

    Attributes:
        pos_command_w: points in world [m], shape (num_envs, 3).
    """

    def __init__(self, cfg: UniformPositionCommandCfg, env: Any):
        super().__init__(cfg, env)
        self._vehicle = env.scene[cfg.asset_name]
        self.pos_command_w = torch.zeros((self.num_envs, 3), device=self.device)
        self._open_metrics("position_error")

    @property
    def command(self) -> torch.Tensor:
        """Points in world [m], shape (num_envs, 3)."""
        return self.pos_command_w

    @property
    def command_b(self) -> torch.Tensor:
        """Points in the vehicle's frame [m], shape (num_envs, 3)."""
        data = self._vehicle.data
        away = self.pos_command_w - tensor(data.root_pos_w)
        return quat_apply_inverse(tensor(data.root_quat_w), away)

    def _update_metrics(self) -> None:
        away = self.pos_command_w - tensor(self._vehicle.data.root_pos_w)
        self.metrics["position_error"][:] = away.norm(dim=1)

    def _resample_command(self, env_ids: torch.Tensor) -> None:
        ranges = self.cfg.ranges
        intervals = (ranges.pos_x, ranges.pos_y, ranges.pos_z)
        drawn = self._env.streams.within(intervals, env_ids)
        self.pos_command_w[env_ids] = tensor(self._env.scene.env_origins)[env_ids] + drawn

    def _update_command(self) -> None:
        reach = self.cfg.reach_distance
        if reach is not None:
            away = self.pos_command_w - tensor(self._vehicle.data.root_pos_w)
            reached = (away.norm(dim=1) < reach).nonzero().flatten()
            self._resample(reached)


class UniformPositionCommandCfg(CommandTermCfg):
    """Points drawn from intervals."""

    class Ranges(DeclaredConfiguration):
        """Intervals about the environment's origin."""

        pos_x: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along x [m]."""
        pos_y: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along y [m]."""
        pos_z: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along z [m]."""

    class_type: type[Any] = UniformPositionCommand
    """Class of the term."""
    asset_name: str = MISSING  # type: ignore[assignment]
    """Name of the vehicle in the scene."""
    reach_distance: float | None = None
    """Distance at which a point counts as reached, and the next one is drawn [m]; None: never."""
    ranges: Ranges = MISSING  # type: ignore[assignment]
    """Intervals that points are drawn from."""
