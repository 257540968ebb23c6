"""Pose commands: where a body of a robot shall be, in the frame of its root."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import torch

from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs.managers.command import CommandTerm
from usdsim.envs.managers.term_cfg import CommandTermCfg
from usdsim.envs.mdp.entities import only
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import (
    combine_frame_transforms,
    quat_error_magnitude,
    quat_from_euler_xyz,
    quat_unique,
)

__all__ = ["UniformPoseCommand", "UniformPoseCommandCfg"]

_AXES = ("pos_x", "pos_y", "pos_z", "roll", "pitch", "yaw")


class UniformPoseCommand(CommandTerm):
    """Poses drawn from intervals; metrics are the current errors of the body's pose."""

    def __init__(self, cfg: UniformPoseCommandCfg, env: Any):
        super().__init__(cfg, env)
        self.robot = env.scene[cfg.asset_name]
        self.body_idx, _ = only("body_name", cfg.body_name, self.robot.find_bodies)
        self.pose_command_b = torch.zeros((self.num_envs, 7), device=self.device)
        self.pose_command_b[:, 6] = 1.0
        self._open_metrics("position_error", "orientation_error")

    @property
    def command(self) -> torch.Tensor:
        """Poses in the root's frame [m, xyzw], shape (num_envs, 7)."""
        return self.pose_command_b

    @property
    def pose_command_w(self) -> torch.Tensor:
        """Poses in world [m, xyzw], shape (num_envs, 7)."""
        data, command = self.robot.data, self.pose_command_b
        root = tensor(data.root_pos_w), tensor(data.root_quat_w)
        return torch.cat(combine_frame_transforms(*root, command[:, :3], command[:, 3:]), dim=1)

    def _update_metrics(self) -> None:
        wanted, data = self.pose_command_w, self.robot.data
        away = tensor(data.body_pos_w)[:, self.body_idx] - wanted[:, :3]
        self.metrics["position_error"][:] = away.norm(dim=1)
        quat = tensor(data.body_quat_w)[:, self.body_idx]
        self.metrics["orientation_error"][:] = quat_error_magnitude(quat, wanted[:, 3:])
        self._count_successes(self.metrics["position_error"])

    def _resample_command(self, env_ids: torch.Tensor) -> None:
        intervals = (getattr(self.cfg.ranges, axis) for axis in _AXES)
        drawn = self._env.streams.within(intervals, env_ids)
        quat = quat_from_euler_xyz(*drawn[:, 3:].unbind(1))
        if self.cfg.make_quat_unique:
            quat = quat_unique(quat)
        self.pose_command_b[env_ids] = torch.cat([drawn[:, :3], quat], dim=1)


class UniformPoseCommandCfg(CommandTermCfg):
    """Poses drawn from intervals."""

    class Ranges(DeclaredConfiguration):
        """Intervals that poses are drawn from, in the root's frame."""

        pos_x: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along x [m]."""
        pos_y: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along y [m]."""
        pos_z: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along z [m]."""
        roll: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Angle about x [rad]."""
        pitch: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Angle about y [rad]."""
        yaw: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Angle about z [rad]."""

    class_type: type[Any] = UniformPoseCommand
    """Class of the term."""
    asset_name: str = MISSING  # type: ignore[assignment]
    """Name of the robot in the scene."""
    body_name: str = MISSING  # type: ignore[assignment]
    """Name of the body."""
    position_success_threshold: float | None = None
    """Distance within which an episode counts as a success once its body was there [m]; the metric
    ``success_rate`` is their part. None: nothing counts."""
    make_quat_unique: bool = False
    """Whether w of orientations is not negative."""
    ranges: Ranges = MISSING  # type: ignore[assignment]
    """Intervals that poses are drawn from."""
