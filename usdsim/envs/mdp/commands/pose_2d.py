"""Planar pose commands: where to go on the ground, and which way to face there."""

from __future__ import annotations

import math
from dataclasses import MISSING
from typing import Any

import torch

from usdsim.core.declared import DeclaredConfiguration
from usdsim.envs.managers.command import CommandTerm
from usdsim.envs.managers.term_cfg import CommandTermCfg
from usdsim.envs.mdp.entities import drawn_patch, flat_patches
from usdsim.envs.tensors import tensor
from usdsim.math.tensors import quat_apply_inverse, wrap_to_pi, yaw_quat

__all__ = [
    "TerrainBasedPose2dCommand",
    "TerrainBasedPose2dCommandCfg",
    "UniformPose2dCommand",
    "UniformPose2dCommandCfg",
]


class UniformPose2dCommand(CommandTerm):
    """Places about the environment's origin; metrics are the current errors.

    Attributes:
        pos_command_w: places in world [m], at the default height of the root, (num_envs, 3).
        heading_command_w: headings in world [rad], shape (num_envs,).
    """

    def __init__(self, cfg: UniformPose2dCommandCfg, env: Any):
        super().__init__(cfg, env)
        self.robot = env.scene[cfg.asset_name]
        self.pos_command_w = torch.zeros((self.num_envs, 3), device=self.device)
        self.heading_command_w = torch.zeros(self.num_envs, device=self.device)
        self._command = torch.zeros((self.num_envs, 4), device=self.device)
        self._open_metrics("error_pos", "error_heading")

    @property
    def command(self) -> torch.Tensor:
        """Place in the frame of the heading [m], and angle left to turn [rad], (num_envs, 4)."""
        return self._command

    def _update_metrics(self) -> None:
        data = self.robot.data
        away = self.pos_command_w - tensor(data.root_pos_w)
        self.metrics["error_pos"][:] = away[:, :2].norm(dim=1)
        turn = wrap_to_pi(self.heading_command_w - tensor(data.heading_w))
        self.metrics["error_heading"][:] = turn.abs()
        self._count_successes(self.metrics["error_pos"])

    def _resample_command(self, env_ids: torch.Tensor) -> None:
        streams, ranges = self._env.streams, self.cfg.ranges
        place = self._places(env_ids)
        place[:, 2] += tensor(self.robot.data.default_root_state)[env_ids, 2]
        self.pos_command_w[env_ids] = place
        if self.cfg.simple_heading:
            away = place - tensor(self.robot.data.root_pos_w)[env_ids]
            there = torch.atan2(away[:, 1], away[:, 0])
            back = wrap_to_pi(there + math.pi)
            heading = tensor(self.robot.data.heading_w)[env_ids]
            nearer = wrap_to_pi(there - heading).abs() < wrap_to_pi(back - heading).abs()
            self.heading_command_w[env_ids] = torch.where(nearer, there, back)
        else:
            self.heading_command_w[env_ids] = streams.between(ranges.heading, env_ids=env_ids)

    def _places(self, env_ids: torch.Tensor) -> torch.Tensor:
        """Places on the ground in world, drawn for environments [m], shape (n, 3)."""
        streams, ranges = self._env.streams, self.cfg.ranges
        place = tensor(self._env.scene.env_origins)[env_ids].clone()
        place[:, 0] += streams.between(ranges.pos_x, env_ids=env_ids)
        place[:, 1] += streams.between(ranges.pos_y, env_ids=env_ids)
        return place

    def _update_command(self) -> None:
        data = self.robot.data
        away = self.pos_command_w - tensor(data.root_pos_w)
        self._command[:, :3] = quat_apply_inverse(yaw_quat(tensor(data.root_quat_w)), away)
        self._command[:, 3] = wrap_to_pi(self.heading_command_w - tensor(data.heading_w))


class UniformPose2dCommandCfg(CommandTermCfg):
    """Places and headings drawn from intervals."""

    class Ranges(DeclaredConfiguration):
        """Intervals about the environment's origin."""

        pos_x: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along x [m]."""
        pos_y: tuple[float, float] = MISSING  # type: ignore[assignment]
        """Position along y [m]."""
        heading: tuple[float, float] = (-math.pi, math.pi)
        """Heading in world [rad]."""

    class_type: type[Any] = UniformPose2dCommand
    """Class of the term."""
    asset_name: str = MISSING  # type: ignore[assignment]
    """Name of the robot in the scene."""
    position_success_threshold: float | None = None
    """Distance on the ground within which an episode counts as a success once the robot was there
    [m]; the metric ``success_rate`` is their part. None: nothing counts."""
    simple_heading: bool = MISSING  # type: ignore[assignment]
    """Whether to face the way to the place, or away from it, whichever is nearer."""
    ranges: Ranges = MISSING  # type: ignore[assignment]
    """Intervals that places are drawn from."""


class TerrainBasedPose2dCommand(UniformPose2dCommand):
    """Flat patches ``target`` of the terrain's piece on which the environment is.

    Raises:
        StageError: the terrain has no such patches.
    """

    def __init__(self, cfg: TerrainBasedPose2dCommandCfg, env: Any):
        super().__init__(cfg, env)
        self.terrain = env.scene.terrain
        self.valid_targets = flat_patches(self.terrain, "target")

    def _places(self, env_ids: torch.Tensor) -> torch.Tensor:
        return drawn_patch(self._env, env_ids, self.valid_targets)


class TerrainBasedPose2dCommandCfg(UniformPose2dCommandCfg):
    """Places drawn from flat patches of the terrain, headings from an interval."""

    class Ranges(DeclaredConfiguration):
        """Interval of headings."""

        heading: tuple[float, float] = (-math.pi, math.pi)
        """Heading in world [rad]."""

    class_type: type[Any] = TerrainBasedPose2dCommand
    """Class of the term."""
    ranges: Ranges = MISSING  # type: ignore[assignment]
    """Interval that headings are drawn from, unless they are simple."""
