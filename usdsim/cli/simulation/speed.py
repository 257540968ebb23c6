"""Speed of a model beside that of the bare engine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from usdsim.cli.console import Console

from .controls import Control

if TYPE_CHECKING:
    import mujoco

    from usdsim.scene import SceneModel

__all__ = ["speed_ratios"]

_ROUNDS = 9
_ENV_STEPS = 6_000
_MOST_STEPS = 500
"""Length of a timed run, in steps of all worlds and in steps."""


def speed_ratios(
    model: SceneModel,
    bare: Sequence[mujoco.MjModel],
    envs: int,
    control: Control,
    console: Console,
) -> list[float]:
    """Speed of `SceneModel.step` over those of `mujoco.batch` loops doing the same.

    All write all controls and read all link poses each step. They run in turn, so that what else
    the machine does affects all of them; the results are medians of the rounds.

    Args:
        model: stepped through the scene door.
        bare: models stepped by the engine alone, with the same controls.
        envs: number of worlds.
        control: controls at a time.
        console: shows progress.
    """
    steps = min(max(8, _ENV_STEPS // envs), _MOST_STEPS)
    timestep = float(model.low.opt.timestep)
    controls = [np.asarray(control(step * timestep), np.float32) for step in range(steps)]
    runs = [_scene_run(model, envs, controls)]
    runs += [_bare_run(low, envs, controls, model) for low in bare]
    for run in runs:
        run()
    rounds = []
    for number in console.progress(range(_ROUNDS), "comparing"):
        order = runs[number % len(runs) :] + runs[: number % len(runs)]
        seconds = {run: run() for run in order}
        rounds.append([seconds[run] / seconds[runs[0]] for run in runs[1:]])
    return [statistics.median(ratios) for ratios in zip(*rounds, strict=True)]


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
