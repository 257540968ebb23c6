"""Agents of programs for Isaac Lab: settings from files, and environments for their libraries."""

from __future__ import annotations

import importlib
import math
import sys
from importlib.util import find_spec
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")
gymnasium = pytest.importorskip("gymnasium")

from usdsim.core.errors import InvalidValueError, UnknownNameError, UnsupportedError  # noqa: E402
from usdsim.tasks import make_env  # noqa: E402

pytestmark = pytest.mark.usefixtures("simulation_ends")


def cartpole(**changes):
    return make_env("cartpole", seed=0, num_envs=3, episode_length_s=0.2, **changes)


def test_settings_of_stable_baselines3_are_those_it_takes(installed):
    process = importlib.import_module("isaaclab_rl.sb3").process_sb3_cfg
    given = {
        "n_steps": 16,
        "n_minibatches": 4,
        "learning_rate": "lin_0.002",
        "clip_range": 0.2,
        "clip_range_vf": -1,
        "policy_kwargs": {"activation_fn": "nn.ELU", "net_arch": [32]},
    }
    made = process(given, 8)
    assert (made["batch_size"], made["clip_range_vf"]) == (32, -1) and "n_minibatches" not in made
    assert (made["learning_rate"](0.5), made["clip_range"](0.1)) == (0.001, 0.2)
    assert made["policy_kwargs"] == {"activation_fn": torch.nn.ELU, "net_arch": [32]}
    assert given["policy_kwargs"]["activation_fn"] == "nn.ELU"
    assert process({"n_minibatches": 2}, 1)["batch_size"] == 1024
    with pytest.raises(InvalidValueError, match="learning_rate is 'fast'"):
        process({"learning_rate": "fast"}, 8)
    with pytest.raises(UnknownNameError, match="ELUX"):
        process({"policy_kwargs": {"activation_fn": "nn.ELUX"}}, 8)


def test_stable_baselines3_takes_environments_that_gymnasium_makes(installed):
    pytest.importorskip("stable_baselines3")
    sb3 = importlib.import_module("isaaclab_rl.sb3")
    with cartpole() as env:
        vector = sb3.Sb3VecEnvWrapper(gymnasium.wrappers.OrderEnforcing(env), fast_variant=False)
        assert vector.reset().shape == (3, 4) and vector.unwrapped is env


def test_skrl_takes_environments_by_its_own_wrapper(installed):
    pytest.importorskip("skrl")
    skrl = importlib.import_module("isaaclab_rl.skrl")
    with cartpole() as env:
        wrapped = skrl.SkrlVecEnvWrapper(env, ml_framework="torch")
        observations, _ = wrapped.reset()
        assert tuple(observations.shape) == (3, 4) and wrapped.num_envs == 3
        with pytest.raises(UnknownNameError, match="torch, jax, warp"):
            skrl.SkrlVecEnvWrapper(env, ml_framework="tensorflow")


@pytest.fixture
def rl_games(installed, monkeypatch):
    """The wrappers, beside the name of rl_games that they need."""
    registered = ModuleType("rl_games.common.env_configurations")
    registered.configurations = {}
    for name in ("rl_games", "rl_games.common"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, registered.__name__, registered)
    return importlib.import_module("isaaclab_rl.rl_games"), registered.configurations


def test_rl_games_sees_one_tensor_within_limits(rl_games):
    module, known = rl_games
    with cartpole() as env:
        wrapped = module.RlGamesVecEnvWrapper(env, "cpu", 0.01, 0.5)
        known["rlgpu"] = {"env_creator": lambda **_: wrapped}
        named = module.RlGamesGpuEnv("rlgpu", 3)
        info = named.get_env_info()
        assert info["observation_space"].shape == (4,) and info["state_space"].shape == (0,)
        assert (info["action_space"].high == 0.5).all() and named.get_number_of_agents() == 1
        assert wrapped.rlg_num_states == 0 and wrapped.seed(3) == 3
        assert not named.has_action_masks() and named.get_env_state() is None
        seen = named.reset()
        assert seen.keys() == {"obs"} and seen["obs"].shape == (3, 4)
        assert float(seen["obs"].abs().max()) <= 0.01
        named.step(torch.full((3, 1), 9.0))
        assert float(env.action_manager.action.max()) == 0.5
        for _ in range(9):
            _, reward, over, said = named.step(torch.zeros(3, 1))
        assert reward.shape == (3,) and bool(over.all()) and bool(said["time_outs"].all())
        assert "log" not in said and said["episode"]


def test_rl_games_sees_groups_joined_or_by_name(rl_games):
    module, _ = rl_games
    groups = {"obs": ["policy", "policy"], "states": ["policy"]}
    with cartpole() as env:
        joined = module.RlGamesVecEnvWrapper(env, "cpu", math.inf, math.inf, groups)
        assert joined.rlg_num_states == 4 and joined.reset()["states"].shape == (3, 4)
        apart = module.RlGamesVecEnvWrapper(env, "cpu", math.inf, math.inf, groups, False)
        assert apart.observation_space["policy"].shape == (4,)
        assert apart.reset()["obs"]["policy"].shape == (3, 4)
        with pytest.raises(UnknownNameError, match="critic"):
            module.RlGamesVecEnvWrapper(env, "cpu", 1.0, 1.0, {"obs": ["critic"]})


def test_rl_games_that_is_not_installed_is_named(installed):
    if find_spec("rl_games") is not None:
        pytest.skip("rl_games is installed")
    with pytest.raises(UnsupportedError, match="pip install rl-games"):
        importlib.import_module("isaaclab_rl.rl_games").RlGamesGpuEnv("rlgpu", 3)
