"""Speed comparison of a model with the bare engine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .console import Console
from .controls import Control

if TYPE_CHECKING:
    import mujoco

    from usdsim.scene import SceneModel

__all__ = ["speed_ratio"]

_ROUNDS = 11
_ENV_STEPS = 6_000  # Per timed run.


def speed_ratio(
    model: SceneModel, bare: mujoco.MjModel, envs: int, control: Control, console: Console
) -> float:
    """Speed of `SceneModel.step` over that of a `mujoco.batch` loop doing the same.

    Both write all controls and read all link poses each step. They run in turn, so that what else
    the machine does affects both; the result is the median of the rounds.

    Args:
        model: stepped through the scene door.
        bare: stepped by the engine alone, with the same controls.
        envs: number of worlds.
        control: controls at a time.
        console: shows progress.
    """
    steps = max(8, _ENV_STEPS // envs)
    timestep = float(model.low.opt.timestep)
    controls = [np.asarray(control(step * timestep), np.float32) for step in range(steps)]
    ours, theirs = _scene_run(model, envs, controls), _bare_run(bare, envs, controls, model)
    ours()
    theirs()
    ratios = []
    for number in console.progress(range(_ROUNDS), "comparing"):
        if number % 2:
            ratios.append(theirs() / ours())
        else:
            mine = ours()
            ratios.append(theirs() / mine)
    return statistics.median(ratios)


def _scene_run(model: SceneModel, envs: int, controls: list[np.ndarray]) -> Callable[[], float]:
    """A timed run through the scene door, from the same state each time."""
    from usdsim.scene import SceneData

    data = SceneData(model, batch=(envs,))

    def run() -> float:
        if model.num_keyframes:
            model.keyframes[0].apply(data)
        else:
            data.reset()
        started = time.perf_counter()
        for values in controls:
            data.actuator_ctrls = values
            model.step(data)
            model.get_link_poses(data)
        return time.perf_counter() - started

    return run


def _bare_run(
    low: mujoco.MjModel, envs: int, controls: list[np.ndarray], model: SceneModel
) -> Callable[[], float]:
    """The same by the engine alone."""
    import mujoco
    from mujoco.batch import Batch

    batch = Batch(low, envs, persistent=True)
    ctrl, positions, quats = (batch.bind(name) for name in ("ctrl", "xpos", "xquat"))
    poses = np.empty((envs, low.nbody, 7), dtype=np.float32)
    inputs = slice(None) if model.num_ctrls == low.nu else model.control_columns

    def run() -> float:
        batch.reset(keyframe=0 if low.nkey else -1)
        started = time.perf_counter()
        for values in controls:
            ctrl[:, inputs] = values
            batch.step(stage=mujoco.mjtStage.mjSTAGE_VEL)
            poses[..., :3] = positions
            poses[..., 3:] = quats
        return time.perf_counter() - started

    return run
