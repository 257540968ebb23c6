"""Shipped tasks: they run with random and with no actions, and end for the reasons they should."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from usdsim._resources import resource_dir  # noqa: E402
from usdsim.core.errors import UnknownNameError  # noqa: E402
from usdsim.learning import load_policy  # noqa: E402
from usdsim.sim import SimulationContext  # noqa: E402
from usdsim.tasks import TASKS, find_task, make_env  # noqa: E402


@pytest.fixture(autouse=True)
def alone():
    SimulationContext.clear_instance()
    yield
    SimulationContext.clear_instance()


@pytest.mark.parametrize("name", TASKS)
def test_random_actions_keep_everything_finite(name):
    with make_env(name, num_envs=3, seed=0) as env:
        observations, _ = env.reset()
        shape = (3, *env.single_action_space.shape)
        assert observations["policy"].shape[1:] == env.single_observation_space["policy"].shape
        for step in range(15):
            actions = torch.zeros(shape) if step < 5 else env.streams.uniform(-1, 1, shape[1:])
            observations, reward, *_ = env.step(actions)
            assert bool(torch.isfinite(observations["policy"]).all())
            assert bool(torch.isfinite(reward).all())


def test_both_carts_are_the_same_task():
    runs = []
    for name in ("cartpole", "cartpole-direct"):
        with make_env(name, num_envs=4, seed=0) as env:
            env.reset()
            state = torch.tensor([[0.5, 0.2], [-1.0, 0.1], [0.0, 0.0], [2.1, 0.3]])
            env.scene["robot"].write_joint_state_to_sim(state, torch.zeros_like(state))
            rows = []
            for _ in range(20):
                observations, reward, terminated, *_ = env.step(torch.full((4, 1), 0.5))
                rows.append((observations["policy"].clone(), reward.clone(), terminated.clone()))
                if bool(terminated.any()):
                    break
        runs.append(rows)
    assert len(runs[0]) == len(runs[1]) > 1
    for managed, direct in zip(*runs, strict=True):
        running = ~managed[2]
        assert torch.equal(managed[2], direct[2])
        np.testing.assert_allclose(managed[0][running], direct[0][running], atol=1e-6)
        np.testing.assert_allclose(managed[1], direct[1], atol=1e-6)


def test_a_drone_without_actions_hovers_about_where_it_is():
    with make_env("drone-hover", num_envs=2, seed=0, events=None) as env:
        env.reset()
        height = env.scene["robot"].data.root_pos_w.numpy()[:, 2].copy()
        for _ in range(50):
            env.step(torch.zeros(2, 4))
        away = env.scene["robot"].data.root_pos_w.numpy()[:, 2] - height
        np.testing.assert_allclose(away, 0.0, atol=0.05)


def test_the_shipped_drone_policy_holds_its_place():
    task = find_task("drone-hover")
    policy = load_policy(resource_dir("assets") / task.policy)
    with task.make(num_envs=8, seed=3) as env:
        seen, _ = env.reset()
        for _ in range(400):
            seen, _, terminated, *_ = env.step(torch.as_tensor(policy(seen["policy"])))
            assert not terminated.any()
        goal = env.command_manager.get_command("goal")
        away = (goal - env.scene["robot"].data.root_pos_w).norm(dim=1)
        assert float(away.max()) < 0.1


def test_a_quadruped_without_actions_stands():
    with make_env("quadruped-flat", num_envs=2, seed=0) as env:
        env.reset()
        for _ in range(50):
            *_, terminated, _, _ = env.step(torch.zeros(2, 12))
            assert not terminated.any()
        data = env.scene["robot"].data
        height = data.root_pos_w.numpy()[:, 2]
        assert height.min() > 0.25 and height.max() < 0.4
        assert float(data.projected_gravity_b[:, 2].max()) < -0.98


def test_unknown_tasks_and_values():
    with pytest.raises(UnknownNameError, match=r"'cartpol'.*cartpole"):
        find_task("cartpol")
    with pytest.raises(UnknownNameError, match="'episode_length'"):
        make_env("cartpole", episode_length=3.0)
