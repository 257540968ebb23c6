"""RLlib: runners make vectors of environments with engines of their own, and feed one learner."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.core.processors import default_threads, set_default_threads
from usdsim.learning import RllibVectorEnv


@pytest.fixture
def runner(monkeypatch):
    """What Ray says in a runner that has two processors."""
    context = SimpleNamespace(get_assigned_resources=lambda: {"CPU": 2.0})
    fake = SimpleNamespace(get_runtime_context=lambda: context)
    monkeypatch.setitem(sys.modules, "ray", fake)
    yield
    set_default_threads(0)


def test_a_runner_has_its_share_and_episodes_start_one_step_later(runner):
    """RLlib takes the observation after the end of an episode as the first one of the next."""
    env = RllibVectorEnv({"task": "cartpole", "num_envs": 3, "episode_length_s": 0.04})
    assert default_threads() == 2
    try:
        env.reset(seed=1)
        idle = np.zeros((3, 1), np.float32)
        cut = [env.step(idle) for _ in range(3)]
        assert [step[3].all() for step in cut] == [False, True, False]
        assert cut[2][2].sum() == 0.0 and all(step[4] == {} for step in cut)
        assert not np.allclose(cut[1][0], cut[2][0]), "another episode"
    finally:
        env.close()


def test_what_a_runner_cannot_make_is_refused(runner, monkeypatch):
    with pytest.raises(InvalidValueError, match="'task'"):
        RllibVectorEnv({"num_envs": 3})
    with pytest.raises(InvalidValueError, match="vector_entry_point"):
        RllibVectorEnv({"task": "cartpole"})
    with pytest.raises(InvalidValueError, match="cannot be imported"):
        RllibVectorEnv({"task": "nowhere:make", "num_envs": 2})
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UnsupportedError, match=r"usdsim\[ray\]"):
        RllibVectorEnv({"task": "cartpole", "num_envs": 3})


@pytest.mark.nightly
def test_ppo_of_rllib_learns_from_two_runners():
    """Episodes of the cart and pole last longer with every iteration."""
    ray = pytest.importorskip("ray")
    ppo = pytest.importorskip("ray.rllib.algorithms.ppo")
    ray.init("local", num_cpus=3, include_dashboard=False, log_to_driver=False)
    try:
        config = (
            ppo.PPOConfig()
            .environment(RllibVectorEnv, env_config={"task": "cartpole"})
            .env_runners(
                num_env_runners=2, num_envs_per_env_runner=32,
                gym_env_vectorize_mode="vector_entry_point",
            )
            .training(train_batch_size=2048, minibatch_size=512, num_epochs=6, lr=3e-3)
            .debugging(seed=1)
        )  # fmt: skip
        algorithm = config.build_algo()
        lengths = [algorithm.train()["env_runners"]["episode_len_mean"] for _ in range(8)]
        algorithm.stop()
    finally:
        ray.shutdown()
    assert lengths[-1] > 1.3 * lengths[0]
