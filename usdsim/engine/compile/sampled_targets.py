"""Sampled targets of drives and sampled controls, as controls of the engine over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.time_samples import TargetSamples

from .context import Build
from .drives import Driven, control_values, driven_axes

__all__ = ["SampledControls", "sampled_controls"]


@dataclass(frozen=True, eq=False)
class SampledControls:
    """Controls of one actuator over time."""

    columns: NDArray[np.intp]
    """Columns of controls, shape (k,)."""
    samples: TargetSamples
    """Values of the controls, k numbers in the engine's coordinates."""


def sampled_controls(build: Build, model: mujoco.MjModel) -> tuple[SampledControls, ...]:
    """Controls of all drives whose targets are sampled, in their order, then of actuators."""
    actuators: dict[str, Any] = build.elements["actuator"]
    found = []
    for driven in driven_axes(build):
        given = [drive.samples for drive in driven.drives if drive.samples is not None]
        if not given or driven.path not in actuators:
            continue
        times = np.unique(np.concatenate([samples.times for samples in given]))
        rows = [control_values(build, model, driven, _targets(driven, time)) for time in times]
        start = int(model.actuator_ctrladr[actuators[driven.path].id])
        columns = start + np.arange(len(rows[0]), dtype=np.intp)
        samples = TargetSamples(times=times, values=np.array(rows))
        found.append(SampledControls(columns, samples))
    for actuator in build.scene.actuators:
        if actuator.samples is not None:
            start = model.actuator_ctrladr[model.actuator(build.names[actuator.path]).id]
            found.append(SampledControls(np.array([start], np.intp), actuator.samples))
    return tuple(found)


def _targets(driven: Driven, time: float) -> NDArray[np.float64]:
    """Target position and velocity of each drive at a time, shape (drives, 2)."""
    return np.array(
        [
            (drive.target_position, drive.target_velocity)
            if drive.samples is None
            else drive.samples.at(time)
            for drive in driven.drives
        ]
    )
