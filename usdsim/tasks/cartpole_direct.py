"""Cart and pole by one class: the task of `usdsim.tasks.cartpole`, written directly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from usdsim.envs import DirectRLEnv, DirectRLEnvCfg
from usdsim.envs.tensors import tensor
from usdsim.sim import SimulationCfg

from .cartpole import AGENT, CartpoleSceneCfg, pole_angle

__all__ = ["AGENT", "CartpoleDirectEnvCfg", "CartpoleEnv", "pole_angle"]


class CartpoleDirectEnvCfg(DirectRLEnvCfg):
    """Balance a pole on a cart for 10 s, at 50 decisions per second."""

    sim = SimulationCfg(dt=0.01)
    scene = CartpoleSceneCfg(num_envs=256, env_spacing=6.0)
    decimation = 2
    episode_length_s = 10.0
    action_space = 1
    observation_space = 4
    action_scale: float = 20.0
    """Force of action 1 [N]."""
    max_cart_pos: float = 2.2
    """Distance from the middle at which an episode ends [m]."""
    max_pole_angle: float = 1.2
    """Angle of the pole at which an episode ends [rad]."""


class CartpoleEnv(DirectRLEnv):
    """A cart that is pushed so that its pole stays upright."""

    actions_hold = True

    def _setup_scene(self) -> None:
        self._robot = self.scene["robot"]

    def _pre_physics_step(self, actions: torch.Tensor) -> None:
        self._force = self.cfg.action_scale * actions

    def _apply_action(self) -> None:
        self._robot.set_joint_effort_target(self._force, joint_ids=[0])

    def _get_observations(self) -> dict[str, Any]:
        data = self._robot.data
        return {"policy": torch.cat([tensor(data.joint_pos), tensor(data.joint_vel)], dim=1)}

    def _get_rewards(self) -> torch.Tensor:
        position, velocity = tensor(self._robot.data.joint_pos), tensor(self._robot.data.joint_vel)
        reward = (~self.reset_terminated).float() - 2.0 * self.reset_terminated.float()
        reward -= position[:, 1].square() + 0.1 * position[:, 0].square()
        reward -= 0.01 * velocity[:, 0].abs() + 0.005 * velocity[:, 1].abs()
        return reward * self.step_dt

    def _get_dones(self) -> tuple[torch.Tensor, torch.Tensor]:
        position = tensor(self._robot.data.joint_pos).abs()
        lost = (position[:, 0] > self.cfg.max_cart_pos) | (position[:, 1] > self.cfg.max_pole_angle)
        return lost, self.episode_length_buf >= self.max_episode_length

    def _reset_idx(self, env_ids: Sequence[int] | torch.Tensor) -> None:
        super()._reset_idx(env_ids)
        ids = torch.as_tensor(env_ids, device=self.device)
        spread = torch.tensor([1.0, 0.4], device=self.device)
        position = self.streams.uniform(-spread, spread, 2, ids)
        velocity = self.streams.uniform(-0.5, 0.5, 2, ids)
        self._robot.write_joint_state_to_sim(position, velocity, env_ids=ids)
