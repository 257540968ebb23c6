"""Step functions: operations on data, and the loop that runs them in real time."""

from __future__ import annotations

import time
from collections.abc import Callable

from usdsim.core.arguments import number, of_kind
from usdsim.scene.data.given import check_data
from usdsim.scene.data.scene_data import SceneData
from usdsim.scene.model.scene_model import SceneModel

__all__ = ["forward_kinematic", "render_loop", "reset", "step", "step_n"]

_LONGEST = 0.25
"""Real time that is caught up with at most per picture [s]: slow scenes run slowly, not never."""


def step(model: SceneModel, data: SceneData) -> None:
    """Advance all worlds of `data` by one timestep; see `SceneModel.step`.

    Raises:
        InvalidValueError: the model and the data are none, such as in the other order.
    """
    of_kind("model of step", model, SceneModel, "a SceneModel: step(model, data)").step(data)


def step_n(model: SceneModel, data: SceneData, n: int) -> None:
    """Advance all worlds of `data` by `n` timesteps; see `SceneModel.step_n`."""
    model.step_n(data, n)


def forward_kinematic(model: SceneModel, data: SceneData) -> None:
    """Compute what follows from positions and velocities; see `SceneModel.forward_kinematic`."""
    model.forward_kinematic(data)


def reset(model: SceneModel, data: SceneData) -> None:
    """Put all worlds of `data` back to their initial state; see `SceneData.reset`."""
    check_data(data, model)
    data.reset()


def render_loop(
    phys_dt: float,
    render_fps: float,
    phys_step_func: Callable[[], object],
    render_func: Callable[[], object],
) -> None:
    """Step and draw in real time until a function raises; StopIteration ends it quietly.

    Args:
        phys_dt: timestep [s].
        render_fps: pictures per second.
        phys_step_func: makes one step.
        render_func: draws the current state.

    Raises:
        InvalidValueError: a timestep or rate that is not above 0.
    """
    step, period = number("phys_dt", phys_dt), 1.0 / number("render_fps", render_fps)
    behind, last = step, time.monotonic()
    try:
        while True:
            start = time.monotonic()
            behind = min(behind + start - last, max(_LONGEST, step))
            last = start
            while behind >= step:
                phys_step_func()
                behind -= step
            render_func()
            time.sleep(max(0.0, period - (time.monotonic() - start)))
    except StopIteration:
        return
