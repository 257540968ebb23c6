"""Environments of several agents: mappings by agent, episodes that end together, PettingZoo."""

from __future__ import annotations

import pytest
import torch
from pair_env import PairCfg, PairEnv

from usdsim.core.errors import InvalidValueError, ShapeError, SimulationError, StageError
from usdsim.envs import multi_agent_to_single_agent, multi_agent_with_one_agent
from usdsim.envs.signals.noise import NoiseModelCfg, UniformNoiseCfg


def none(count=3):
    return {"left": torch.zeros(count, 1), "right": torch.zeros(count, 1)}


def test_agents_act_and_see_and_earn_by_name():
    with PairEnv(PairCfg()) as env:
        seen, _ = env.reset()
        assert seen["left"].shape == (3, 4) and seen["right"].shape == (3, 5)
        assert env.max_num_agents == env.num_agents == 2 and env.state_space.shape == (9,)
        for agent, numbers in (("left", 4), ("right", 5)):
            assert env.observation_space(agent).shape == (numbers,)
            assert env.observation_space[agent].shape == (3, numbers)
            assert env.action_space(agent) == env.action_spaces[agent]
        pushed = none() | {"right": torch.tensor([[1.0], [0.0], [-1.0]])}
        seen, reward, terminated, truncated, extras = env.step(pushed)
        velocity = seen["right"][:, 2]
        assert velocity[0] > 0.01 > abs(velocity[1]) and velocity[2] == -velocity[0]
        assert float(seen["left"][:, 2].abs().max()) == 0.0, "nobody pushed the other cart"
        assert torch.equal(env.state(), torch.cat([seen["left"], seen["right"]], dim=1))
        for agent in env.possible_agents:
            assert torch.equal(reward[agent], env.joints(agent)[:, 1].cos())
            assert terminated[agent].shape == truncated[agent].shape == (3,)
        assert torch.equal(env.reward_buf, reward["left"] + reward["right"])
        assert set(extras) == {"left", "right"}


def test_an_episode_ends_with_that_of_the_last_agent():
    with PairEnv(PairCfg()) as env:
        env.reset()
        place = torch.zeros(3, 2)
        place[1, 0] = 0.2
        env.scene["left"].write_joint_state_to_sim(place, torch.zeros_like(place))
        *_, terminated, _, _ = env.step(none())
        assert terminated["left"].tolist() == [False, True, False]
        assert env.episode_length_buf.tolist() == [1, 1, 1], "the other one goes on"
        env.scene["right"].write_joint_state_to_sim(place, torch.zeros_like(place))
        env.step(none())
        assert env.episode_length_buf.tolist() == [2, 0, 2]
        for _ in range(18):
            *_, truncated, _ = env.step(none())
        assert truncated["left"].tolist() == [True, False, True]
        assert env.episode_length_buf.tolist() == [0, 18, 0]


def test_no_agent_is_out_before_the_first_step():
    told = []

    class Asking(PairEnv):
        def _reset_idx(self, env_ids):
            told.append(self.terminated_dict["left"] | self.time_out_dict["right"])
            super()._reset_idx(env_ids)

    with Asking(PairCfg()) as env:
        env.reset()
    assert told[0].tolist() == [False] * 3


def test_noise_is_that_of_one_agent():
    noise = NoiseModelCfg(noise_cfg=UniformNoiseCfg(n_min=0.5, n_max=0.6))
    with PairEnv(PairCfg(observation_noise_model={"left": noise})) as env:
        seen, _ = env.reset()
        assert float(seen["left"].min()) >= 0.5 and float(seen["right"].abs().max()) == 0.0


@pytest.mark.parametrize(
    ("actions", "error", "words"),
    [
        ({"left": torch.zeros(3, 1)}, InvalidValueError, "an entry for each of.*right"),
        (none() | {"left": torch.zeros(2, 1)}, ShapeError, "action of 'left'.*2, 1"),
        (none() | {"right": torch.full((3, 1), torch.nan)}, SimulationError, "of 'right'.*nan"),
    ],
)
def test_bad_actions(actions, error, words):
    with PairEnv(PairCfg()) as env:
        env.reset()
        with pytest.raises(error, match=words):
            env.step(actions)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"possible_agents": ["left", "left"]}, "possible_agents.*names, each once"),
        ({"action_spaces": {"left": 1}}, "action_spaces.*one for each"),
        ({"autoreset": "next_step"}, "autoreset is 'next_step'"),
    ],
)
def test_bad_configurations(changes, words):
    with pytest.raises(InvalidValueError, match=words):
        PairEnv(PairCfg(**changes))


def test_pettingzoo():
    test = pytest.importorskip("pettingzoo.test")
    from usdsim.learning import PettingZooEnv

    alone = PairCfg(autoreset="disabled")
    alone.scene.num_envs = 1
    with PairEnv(alone) as env:
        zoo = PettingZooEnv(env)
        test.parallel_api_test(zoo, num_cycles=50)
        zoo.reset(seed=1)
        place = torch.tensor([[0.2, 0.0]])
        env.scene["left"].write_joint_state_to_sim(place, torch.zeros_like(place))
        _, reward, terminated, truncated, _ = zoo.step({"left": [0.0], "right": [0.0]})
        assert terminated == {"left": True, "right": False} and not any(truncated.values())
        assert zoo.agents == ["right"] and set(reward) == {"left", "right"}
        seen, *_ = zoo.step({"right": [1.0]})
        assert set(seen) == {"right"} and seen["right"] in zoo.observation_space("right")
        with pytest.raises(InvalidValueError, match=r"also of \['right'\]"):
            zoo.step({})
    with PairEnv(PairCfg()) as env, pytest.raises(InvalidValueError, match="num_envs is 3"):
        PettingZooEnv(env)


def test_several_agents_are_one_that_acts_for_all():
    with PairEnv(PairCfg()) as pair:
        one = multi_agent_to_single_agent(pair)
        assert not hasattr(one, "possible_agents") and not hasattr(one, "num_agents")
        assert one.single_action_space.shape == (2,) and one.num_envs == 3
        seen, _ = one.reset(seed=3)
        assert seen["policy"].shape == (3, 9)
        seen, reward, ended, cut, _ = one.step(torch.tensor([[0.0, 1.0]] * 3))
        assert torch.equal(seen["policy"], pair.state()), "the state is all observations here"
        assert torch.equal(reward, pair.reward_dict["left"] + pair.reward_dict["right"])
        assert not ended.any() and not cut.any()
        one.episode_length_buf = torch.full((3,), 19)
        assert one.step(torch.zeros(3, 2))[3].all(), "cut off when both are"
        other = multi_agent_with_one_agent(pair, state_as_observation=True)
        assert other.agents == ["single-agent"] and other.reset()[0]["single-agent"].shape == (3, 9)
        seen, reward, ended, *_ = other.step({"single-agent": torch.zeros(3, 2)})
        assert torch.equal(seen["single-agent"], pair.state())
        assert reward["single-agent"].shape == ended["single-agent"].shape == (3,)
        other.close()
        with pytest.raises(StageError):
            pair.step(none())


def test_a_state_that_is_not_there_is_not_observed():
    missing = pytest.raises(InvalidValueError, match="state_space")
    with PairEnv(PairCfg(state_space=0)) as env, missing:
        multi_agent_to_single_agent(env, state_as_observation=True)
