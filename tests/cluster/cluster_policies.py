"""Policies that jobs of these tests import by name."""

from __future__ import annotations

import os
from pathlib import Path
from time import sleep

import numpy as np

from usdsim.core.processors import default_threads, usable_processors


def sway(observation: np.ndarray, time: float) -> np.ndarray:
    return np.full((len(observation), 1), np.sin(5.0 * time)) - 0.1 * observation[:, :1]


def push(observation: np.ndarray, time: float) -> np.ndarray:
    return np.full((len(observation), 1), 3.0)


def stumbles(observation: np.ndarray, time: float) -> np.ndarray:
    """Fail in the trial of the driver, or if there is a mark, in the blocks alone."""
    if time > 0.0 or "CLUSTER_TEST_MARK" not in os.environ:
        raise KeyError("gain")
    return sway(observation, time)


def wrong_shape(observation: np.ndarray, time: float) -> np.ndarray:
    return np.zeros((len(observation), 7))


def hangs(observation: np.ndarray, time: float) -> np.ndarray:
    sleep(600.0)
    return sway(observation, time)


def first_hangs(observation: np.ndarray, time: float) -> np.ndarray:
    """Hang in the block that gets behind its first decision first; the others are slow."""
    if time > 0.0:  # not in the trial of the driver
        try:
            Path(os.environ["CLUSTER_TEST_MARK"]).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            sleep(600.0)
    return slow_sway(observation, time)


def dies_once(observation: np.ndarray, time: float) -> np.ndarray:
    """Kill the process of the last block the first time it gets there."""
    mark = Path(os.environ["CLUSTER_TEST_MARK"])
    if len(observation) % 2 and time > 0.0 and not mark.exists():
        mark.write_text("")
        os._exit(9)
    return sway(observation, time)


def slow_and_dies_once(observation: np.ndarray, time: float) -> np.ndarray:
    sleep(0.1)
    return dies_once(observation, time)


def writes_to_a_full_disk(observation: np.ndarray, time: float) -> np.ndarray:
    """Let the block of one episode write no file of a kilobyte, while there is a mark."""
    import resource

    mark = Path(os.environ["CLUSTER_TEST_MARK"])
    full = len(observation) == 1 and time > 0.0 and mark.exists()  # not in the trial of the driver
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000 if full else hard, hard))
    return sway(observation, time)


def damped(observation: np.ndarray, time: float, gain: float = 1.0) -> np.ndarray:
    """A spring and damper to the middle of the rail."""
    return -gain * observation[:, :1] - 2.0 * np.sqrt(abs(gain)) * observation[:, 1:2]


def closeness(observation: np.ndarray, action: np.ndarray, after: np.ndarray) -> np.ndarray:
    return -np.abs(after[:, 0])


def wrong_reward(observation: np.ndarray, action: np.ndarray, after: np.ndarray) -> np.ndarray:
    return after


def came_home(columns: dict[str, np.ndarray]) -> np.ndarray:
    return np.abs(columns["observation"][:, -1, 0]) < 0.02


def constant(observation: np.ndarray, time: float, push: float = 1.0) -> np.ndarray:
    """The same push everywhere: poles fall, each when its first state lets it."""
    return np.full((len(observation), 1), push)


def network(observation: np.ndarray, time: float, path: str) -> np.ndarray:
    from usdsim.learning import load_policy

    return load_policy(path)(observation)


def short_cartpole(num_envs: int, seed: int, seconds: float):
    from usdsim.tasks import make_env

    return make_env("cartpole", num_envs=num_envs, seed=seed, episode_length_s=seconds)


def seen_cartpole(num_envs: int, seed: int):
    """The cart and pole with a camera beside each."""
    from usdsim.sensors import CameraCfg
    from usdsim.spawners import PinholeCameraCfg
    from usdsim.tasks import find_task

    cfg = find_task("cartpole").env_cfg(num_envs=num_envs, seed=seed)
    cfg.scene.eye = CameraCfg(
        prim_path="{ENV_REGEX_NS}/eye", width=16, height=12, data_types=["rgb"],
        spawn=PinholeCameraCfg(clipping_range=(0.05, 50.0)),
        offset=CameraCfg.OffsetCfg(pos=(4, 0, 0), rot=(0, 0, 1, 0), convention="world"),
    )  # fmt: skip
    from usdsim.envs import ManagerBasedRLEnv

    return ManagerBasedRLEnv(cfg)


def slow_sway(observation: np.ndarray, time: float) -> np.ndarray:
    sleep(0.2)
    return sway(observation, time)


def half_the_processors(columns: dict[str, np.ndarray]) -> np.ndarray:
    """Whether worlds and linear algebra of this process have the threads of one of two workers."""
    share = max(1, usable_processors() // 2)
    found = default_threads() == share == int(os.environ["OMP_NUM_THREADS"])
    return np.full(len(columns["failed"]), found)
