"""Two carts on one rail in every environment, an agent for each."""

from __future__ import annotations

import torch
from cart_env import ASSETS

from usdsim.assets import ArticulationCfg
from usdsim.envs import DirectMARLEnv, DirectMARLEnvCfg
from usdsim.schemas import CollisionBaseCfg
from usdsim.sim import InteractiveSceneCfg, SimulationCfg
from usdsim.spawners import UsdFileCfg

CART = ArticulationCfg(
    spawn=UsdFileCfg(
        usd_path=ASSETS / "cartpole" / "cartpole.usda",
        collision_props=CollisionBaseCfg(collision_enabled=False),  # Rails are at one place.
    )
)


class PairScene(InteractiveSceneCfg):
    left = CART.replace(prim_path="{ENV_REGEX_NS}/Left")
    right = CART.replace(prim_path="{ENV_REGEX_NS}/Right")


class PairCfg(DirectMARLEnvCfg):
    sim = SimulationCfg(dt=0.01)
    scene = PairScene(num_envs=3, env_spacing=8.0)
    decimation = 2
    episode_length_s = 0.4
    seed = 0
    possible_agents = ["left", "right"]  # noqa: RUF012
    observation_spaces = {"left": 4, "right": 5}  # noqa: RUF012
    action_spaces = {"left": 1, "right": 1}  # noqa: RUF012
    state_space = -1


class PairEnv(DirectMARLEnv):
    """The right one sees the time, too; each earns by its pole, and is out when it is far."""

    actions_hold = True

    def _pre_physics_step(self, actions):
        self.actions = actions

    def _apply_action(self):
        for agent, action in self.actions.items():
            self.scene[agent].set_joint_effort_target(10.0 * action, joint_ids=[0])

    def _get_observations(self):
        seen = {
            agent: torch.cat([self.joints(agent), self.scene[agent].data.joint_vel.torch], dim=1)
            for agent in self.possible_agents
        }
        time = self.episode_length_buf.unsqueeze(1) * self.step_dt
        return {"left": seen["left"], "right": torch.cat([seen["right"], time], dim=1)}

    def _get_rewards(self):
        return {agent: self.joints(agent)[:, 1].cos() for agent in self.possible_agents}

    def _get_dones(self):
        late = self.episode_length_buf >= self.max_episode_length
        far = {agent: self.joints(agent)[:, 0].abs() > 0.1 for agent in self.possible_agents}
        return far, {agent: late for agent in self.possible_agents}

    def _reset_idx(self, env_ids):
        super()._reset_idx(env_ids)
        rest = torch.zeros(len(env_ids), 2)
        for agent in self.possible_agents:
            self.scene[agent].write_joint_state_to_sim(rest, rest, env_ids=env_ids)

    def joints(self, agent):
        return self.scene[agent].data.joint_pos.torch
