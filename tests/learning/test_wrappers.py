"""Wrappers against the libraries they are for, where these are installed."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import gymnasium  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from usdsim.core.errors import InvalidValueError  # noqa: E402
from usdsim.learning import GymnasiumVectorEnv, SingleEnv  # noqa: E402
from usdsim.tasks import make_env, register_tasks  # noqa: E402

pytestmark = pytest.mark.usefixtures("simulation_ends")


def short(**changes):
    return make_env("cartpole", seed=0, episode_length_s=0.2, **changes)


def test_the_single_environment_conforms():
    with short(num_envs=1, autoreset="disabled") as env, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(SingleEnv(env), skip_render_check=True, skip_close_check=True)
    several = short(num_envs=2, autoreset="disabled")
    with several as env, pytest.raises(InvalidValueError, match="num_envs is 2"):
        SingleEnv(env)


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_vector_environments_equal_gymnasiums_own(mode):
    """Two environments side by side do what Gymnasium's vector of single ones would."""
    actions = np.random.default_rng(0).normal(size=(30, 3, 1)).astype(np.float32)
    with short(num_envs=3, autoreset=mode) as env:
        vector = GymnasiumVectorEnv(env)
        assert isinstance(vector, gymnasium.vector.VectorEnv)
        assert vector.metadata["autoreset_mode"].name == mode.upper()
        observations, infos = vector.reset(seed=3)
        assert observations in vector.observation_space and "log" in infos
        over = np.zeros(3, bool)
        for action in actions:
            previous = over
            observations, reward, terminated, truncated, infos = vector.step(action)
            over = terminated | truncated
            assert observations.shape == (3, 4) and observations.dtype == np.float32
            assert reward.dtype == np.float64 and terminated.dtype == bool
            if mode == "next_step":
                assert not over[previous].any() and (reward[previous] == 0.0).all()
            elif over.any():
                assert (infos["_final_obs"] == over).all()
                rows = np.flatnonzero(over)
                assert all(infos["final_obs"][i].shape == (4,) for i in rows)
                assert all(x is None for x in infos["final_obs"][~over])


def test_tasks_are_registered_with_gymnasium():
    assert "usdsim/cartpole-v0" in register_tasks()
    env = gymnasium.make("usdsim/cartpole-v0", num_envs=2, seed=1)
    observations, _ = env.reset(seed=1)
    assert observations["policy"].shape == (2, 4)
    env.close()


def test_rsl_rl():
    pytest.importorskip("rsl_rl")
    from rsl_rl.runners import OnPolicyRunner

    from usdsim.learning import RslRlVecEnv
    from usdsim.tasks import find_task

    with short(num_envs=8) as env:
        wrapped = RslRlVecEnv(env)
        cfg = {**find_task("cartpole").agent_cfg().to_runner(), "num_steps_per_env": 8}
        runner = OnPolicyRunner(wrapped, cfg, log_dir=None, device="cpu")
        runner.learn(2, init_at_random_ep_len=True)
        policy = runner.get_inference_policy()
        observations = wrapped.get_observations()
        assert observations["policy"].data_ptr() == env.obs_buf["policy"].data_ptr()
        seen, reward, done, extras = wrapped.step(policy(observations).detach())
        assert seen["policy"].shape == (8, 4) and reward.shape == done.shape == (8,)
        assert extras["time_outs"].dtype == torch.bool and "log" in extras
        wrapped.episode_length_buf = torch.full((8,), env.max_episode_length - 1)
        *_, done, extras = wrapped.step(torch.zeros(8, 1))
        assert bool(done.all()) and bool(extras["time_outs"].all())
        assert wrapped.seed(3) == 3
        first, _ = wrapped.reset()
        wrapped.seed(3)
        again, _ = wrapped.reset()
        assert torch.equal(first["policy"], again["policy"])
        assert wrapped.observation_space == env.observation_space
        assert wrapped.action_space == env.action_space
        assert (wrapped.class_name(), wrapped.render_mode) == ("RslRlVecEnv", env.render_mode)
    late = short(num_envs=2, autoreset="next_step")
    with late as env, pytest.raises(InvalidValueError, match="same_step, for rsl_rl"):
        RslRlVecEnv(env)
    with pytest.raises(InvalidValueError, match=r"environment to wrap is 5; allowed: an environ"):
        RslRlVecEnv(5)


def test_older_versions_of_rsl_rl_see_the_group_of_the_policy(monkeypatch):
    vec_env = pytest.importorskip("rsl_rl.env.vec_env")
    monkeypatch.delattr(vec_env, "TensorDict")
    from usdsim.learning import RslRlVecEnv

    with short(num_envs=2) as env:
        wrapped = RslRlVecEnv(env)
        seen, said = wrapped.get_observations()
        assert seen is said["observations"]["policy"] is env.obs_buf["policy"]
        assert wrapped.reset()[1]["observations"]["policy"].shape == (2, 4)
        seen, *_, said = wrapped.step(torch.zeros(2, 1))
        assert torch.equal(seen, said["observations"]["policy"]) and "time_outs" in said


def test_stable_baselines3():
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO

    from usdsim.learning import Sb3VecEnv

    with short(num_envs=4) as env:
        vector = Sb3VecEnv(env)
        PPO("MlpPolicy", vector, n_steps=16, batch_size=32, n_epochs=1, seed=0).learn(128)
        vector.reset()
        for _ in range(10):
            observations, reward, done, infos = vector.step(np.zeros((4, 1), np.float32))
        assert done.all() and infos[0]["TimeLimit.truncated"] and infos[0]["episode"]["l"] == 10
        assert infos[0]["terminal_observation"].shape == observations[0].shape
        assert not np.array_equal(infos[0]["terminal_observation"], observations[0])
        assert reward.dtype == np.float32 and vector.get_attr("num_envs") == [4] * 4
    late = short(num_envs=2, autoreset="next_step")
    with late as env, pytest.raises(InvalidValueError, match="same_step, for stable-baselines3"):
        Sb3VecEnv(env)


def test_skrl_takes_the_vector_environment():
    wrappers = pytest.importorskip("skrl.envs.wrappers.torch")
    with short(num_envs=3) as env:
        wrapped = wrappers.wrap_env(GymnasiumVectorEnv(env), wrapper="gymnasium")
        observations, _ = wrapped.reset()
        assert tuple(observations.shape) == (3, 4) and wrapped.num_envs == 3
        observations, reward, *_ = wrapped.step(torch.zeros(3, 1))
        assert tuple(observations.shape) == (3, 4) and tuple(reward.shape) == (3, 1)


class Watched(gymnasium.Wrapper):
    """Counts the steps that go through it."""

    steps = 0

    def step(self, action):
        self.steps += 1
        return self.env.step(action)


@pytest.mark.parametrize("name", ["RslRlVecEnv", "Sb3VecEnv", "GymnasiumVectorEnv"])
def test_steps_go_through_gymnasiums_wrappers(name):
    """As those that record videos need it."""
    pytest.importorskip("rsl_rl" if name == "RslRlVecEnv" else "stable_baselines3")
    from usdsim import learning

    with short(num_envs=2) as env:
        outer = Watched(env)
        wrapped = getattr(learning, name)(outer)
        wrapped.reset()
        actions = torch.zeros(2, 1)
        wrapped.step(actions if name == "RslRlVecEnv" else actions.numpy())
        assert outer.steps == 1 and wrapped.num_envs == 2
        assert name != "RslRlVecEnv" or wrapped.seed(5) == 5
        assert wrapped.unwrapped in (env, wrapped)
