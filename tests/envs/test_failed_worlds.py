"""Episodes of environments whose worlds fail."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
from cart_env import CartScene, cart_env  # noqa: E402
from pair_env import PairCfg, PairEnv  # noqa: E402

from usdsim.core.errors import SimulationError  # noqa: E402
from usdsim.envs import DirectRLEnv, DirectRLEnvCfg  # noqa: E402
from usdsim.sim import SimulationCfg  # noqa: E402

N = 4


class BareCart(DirectRLEnv):
    """Has no reason of its own to end an episode."""

    actions_hold = True
    ended = torch.zeros(N, dtype=torch.bool)

    def _pre_physics_step(self, actions):
        pass

    def _apply_action(self):
        pass

    def _get_observations(self):
        return {"policy": self.scene["robot"].data.joint_pos.torch}

    def _get_rewards(self):
        return torch.ones(N)

    def _get_dones(self):
        return self.ended, torch.zeros(N, dtype=torch.bool)


class BareCartCfg(DirectRLEnvCfg):
    sim = SimulationCfg(dt=0.01)
    scene = CartScene(num_envs=N, env_spacing=6.0)
    decimation = 2
    episode_length_s = 1.0
    observation_space = 2
    action_space = 1


def with_failures(kind: str, policy: str):
    sim = SimulationCfg(dt=0.01, on_failure=policy)
    return cart_env(sim=sim) if kind == "managers" else BareCart(BareCartCfg(sim=sim))


@pytest.mark.parametrize("kind", ["managers", "direct"])
@pytest.mark.parametrize("policy", ["reset", "report"])
def test_the_episode_of_a_world_that_failed_is_over(kind: str, policy: str):
    with with_failures(kind, policy) as env:
        env.reset(seed=0)
        env.step(torch.zeros(N, 1))
        env.scene["robot"].write_joint_velocity_to_sim(torch.full((1, 2), 1e30), env_ids=[2])
        _, _, terminated, truncated, _ = env.step(torch.zeros(N, 1))
        assert terminated.tolist() == [False, False, True, False] and not truncated.any()
        assert env.episode_length_buf.tolist() == [2, 2, 0, 2]
        assert not BareCart.ended.any(), "what a derived class returns is its own"
        assert not env.step(torch.zeros(N, 1))[2].any()


def test_a_failure_that_was_caught_ends_no_episode_that_began_after_it():
    with with_failures("managers", "raise") as env:
        for reset, ended in (([1, 2], [False] * 4), ([1], [False, False, True, False])):
            env.reset(seed=0)
            env.scene["robot"].write_joint_velocity_to_sim(torch.full((1, 2), 1e30), env_ids=[2])
            with pytest.raises(SimulationError):
                env.step(torch.zeros(N, 1))
            env.reset(env_ids=reset)
            assert env.step(torch.zeros(N, 1))[2].tolist() == ended


def test_the_episodes_of_all_agents_are_over_in_a_world_that_failed():
    with PairEnv(PairCfg(sim=SimulationCfg(dt=0.01, on_failure="reset"))) as env:
        env.reset()
        env.scene["left"].write_joint_velocity_to_sim(torch.full((1, 2), 1e30), env_ids=[1])
        _, _, terminated, _, _ = env.step({agent: torch.zeros(3, 1) for agent in env.agents})
        assert {agent: ended.tolist() for agent, ended in terminated.items()} == {
            "left": [False, True, False],
            "right": [False, True, False],
        }
        assert env.episode_length_buf.tolist() == [1, 0, 1]
