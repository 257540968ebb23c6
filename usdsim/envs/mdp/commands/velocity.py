"""Velocity commands: horizontal velocity and turning rate of a robot, in its own frame."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import torch

from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError
from usdsim.envs.managers.command import CommandTerm
from usdsim.envs.managers.term_cfg import CommandTermCfg
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import wrap_to_pi

__all__ = [
    "NormalVelocityCommand",
    "NormalVelocityCommandCfg",
    "UniformVelocityCommand",
    "UniformVelocityCommandCfg",
]


class UniformVelocityCommand(CommandTerm):
    """Velocities drawn from intervals; some robots stand, some follow a heading.

    Metrics are the mean errors of the velocity in an episode, and whether both are below their
    thresholds.
    """

    def __init__(self, cfg: UniformVelocityCommandCfg, env: Any):
        super().__init__(cfg, env)
        if cfg.heading_command and cfg.ranges.heading is None:
            raise InvalidValueError(
                "ranges.heading", None, "an interval, as headings are commanded"
            )
        self.robot = env.scene[cfg.asset_name]
        zeros = torch.zeros(self.num_envs, device=self.device)
        self.vel_command_b = torch.zeros((self.num_envs, 3), device=self.device)
        self.heading_target = zeros.clone()
        self.is_heading_env = zeros.bool()
        self.is_standing_env = zeros.bool()
        self._open_metrics("error_vel_xy", "error_vel_yaw", "success_rate")
        self._decisions = zeros.clone()

    @property
    def command(self) -> torch.Tensor:
        """Forward and left velocity [m/s] and turning rate [rad/s], shape (num_envs, 3)."""
        return self.vel_command_b

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Draw first commands of new episodes; see `CommandTerm.reset`."""
        self._decisions[slice(None) if env_ids is None else env_ids] = 0.0
        return super().reset(env_ids)

    def _update_metrics(self) -> None:
        self._decisions += 1.0
        velocity = tensor(self.robot.data.root_lin_vel_b)[:, :2]
        turning = tensor(self.robot.data.root_ang_vel_b)[:, 2]
        moving, turned = self.metrics["error_vel_xy"], self.metrics["error_vel_yaw"]
        for mean, error in (
            (moving, (self.vel_command_b[:, :2] - velocity).norm(dim=1)),
            (turned, (self.vel_command_b[:, 2] - turning).abs()),
        ):
            mean += (error - mean) / self._decisions
        follows = moving < self.cfg.vel_xy_success_threshold
        follows &= turned < self.cfg.vel_yaw_success_threshold
        self.metrics["success_rate"][:] = follows.float()

    def _resample_command(self, env_ids: torch.Tensor) -> None:
        streams, ranges = self._env.streams, self.cfg.ranges
        intervals = (ranges.lin_vel_x, ranges.lin_vel_y, ranges.ang_vel_z)
        self.vel_command_b[env_ids] = streams.within(intervals, env_ids)
        if self.cfg.heading_command:
            self.heading_target[env_ids] = streams.between(ranges.heading, env_ids=env_ids)
            part = streams.uniform(0.0, 1.0, env_ids=env_ids)
            self.is_heading_env[env_ids] = part < self.cfg.rel_heading_envs
        part = streams.uniform(0.0, 1.0, env_ids=env_ids)
        self.is_standing_env[env_ids] = part < self.cfg.rel_standing_envs

    def _update_command(self) -> None:
        if self.cfg.heading_command:
            error = wrap_to_pi(self.heading_target - tensor(self.robot.data.heading_w))
            low, high = self.cfg.ranges.ang_vel_z
            turning = (self.cfg.heading_control_stiffness * error).clip(low, high)
            command = self.vel_command_b
            command[:, 2] = torch.where(self.is_heading_env, turning, command[:, 2])
        self.vel_command_b *= (~self.is_standing_env).unsqueeze(1)


class UniformVelocityCommandCfg(CommandTermCfg):
    """Velocities drawn from intervals."""

    class Ranges(DeclaredConfiguration):
        """Intervals that commands are drawn from."""

        lin_vel_x: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Forward [m/s]."""
        lin_vel_y: tuple[float, float] = MISSING  # type: ignore[assignment]
        """To the left [m/s]."""
        ang_vel_z: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Turning rate [rad/s]."""
        heading: tuple[float, float] | None = None
        """Heading in world [rad]; None: no headings."""

    class_type: type[Any] = UniformVelocityCommand
    """Class of the term."""
    asset_name: str = MISSING  # type: ignore[assignment]
    """Name of the robot in the scene."""
    heading_command: bool = False
    """Whether turning rates follow from headings."""
    heading_control_stiffness: float = 1.0
    """Turning rate per error of the heading [1/s]."""
    rel_standing_envs: float = 0.0
    """Part of the commands that are to stand."""
    rel_heading_envs: float = 1.0
    """Part of the commands that follow a heading."""
    vel_xy_success_threshold: float = 0.5
    """Mean error of the velocity below which an episode may count as a success [m/s]."""
    vel_yaw_success_threshold: float = 0.4
    """Mean error of the turning rate below which it may [rad/s]."""
    ranges: Ranges = MISSING  # type: ignore[assignment]
    """Intervals that commands are drawn from."""


class NormalVelocityCommand(UniformVelocityCommand):
    """Velocities drawn from normal distributions, with signs at random and some zero."""

    def _resample_command(self, env_ids: torch.Tensor) -> None:
        streams, ranges = self._env.streams, self.cfg.ranges
        mean, std, zero = (
            torch.tensor([float(n) for n in values], device=self.device)
            for values in (ranges.mean_vel, ranges.std_vel, ranges.zero_prob)
        )
        velocity = streams.normal(mean, std, 3, env_ids)
        signs = 2.0 * streams.integers(0, 2, 3, env_ids) - 1.0
        keeps = streams.uniform(0.0, 1.0, 3, env_ids) >= zero
        self.vel_command_b[env_ids] = velocity * signs * keeps
        part = streams.uniform(0.0, 1.0, env_ids=env_ids)
        self.is_standing_env[env_ids] = part < self.cfg.rel_standing_envs


class NormalVelocityCommandCfg(UniformVelocityCommandCfg):
    """Velocities drawn from normal distributions."""

    class Ranges(DeclaredConfiguration):
        """Distributions of forward and left velocity and turning rate."""

        mean_vel: tuple[float, float, float] = MISSING  # type: ignore[assignment]
        """Means [m/s, m/s, rad/s]; signs are drawn."""
        std_vel: tuple[float, float, float] = MISSING  # type: ignore[assignment]
        """Standard deviations."""
        zero_prob: tuple[float, float, float] = MISSING  # type: ignore[assignment]
        """Parts that are zero."""

    class_type: type[Any] = NormalVelocityCommand
    """Class of the term."""
    ranges: Any = MISSING
    """Distributions that commands are drawn from."""
