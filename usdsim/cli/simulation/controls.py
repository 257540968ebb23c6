"""Control sources of simulations started from the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.boundary import boundary
from usdsim.core.errors import InvalidValueError, ShapeError

if TYPE_CHECKING:
    from usdsim.scene import SceneModel

__all__ = ["CONTROL_HELP", "Control", "gait_of", "make_control"]

Control = Callable[[float], NDArray[np.float64]]
"""Controls at a time [s], shape (envs, num_ctrls) or (num_ctrls,)."""

CONTROL_HELP = (
    "hold, zero, sine[:part[:Hz]], random[:part], gait, or a .npy or .csv file with one row of "
    "controls per step"
)

_RAMP = 0.5  # Seconds until a sine or gait reaches its full amplitude: a start without a jerk.
_FREE_AMPLITUDE = 0.3  # Of a control without range, such as a drive's target [rad].


def make_control(
    spec: str, model: SceneModel, home: NDArray[np.floating[Any]], envs: int, *, seed: int = 0
) -> Control:
    """Controls as asked for on the command line.

    Args:
        spec: see `CONTROL_HELP`.
        model: what is controlled.
        home: controls to hold, or to move about, shape (num_ctrls,).
        envs: number of worlds; each moves with a phase of its own.
        seed: of random controls and phases.

    Raises:
        InvalidValueError: `spec` is not understood.
        FileError: a control file cannot be read.
    """
    kind, *numbers = spec.split(":")
    if Path(spec).suffix in (".npy", ".csv"):
        return _from_file(Path(spec), model)
    parts = [_number(text, spec) for text in numbers]
    middle = np.asarray(home, dtype=np.float64)
    rng = np.random.default_rng(seed)
    if kind == "hold" and not parts:
        return lambda time: middle
    if kind == "zero" and not parts:
        return lambda time: np.zeros_like(middle)
    if kind == "sine" and len(parts) <= 2:
        part, frequency = (*parts, *(0.25, 0.5)[len(parts) :])
        phase = np.linspace(0.0, np.pi, middle.size) + _world_phases(rng, envs)
        return _waves(model, middle, part * _amplitudes(model), phase, frequency)
    if kind == "random" and len(parts) <= 1:
        spread = (parts[0] if parts else 0.1) * _amplitudes(model)
        return lambda time: _clip(model, middle + spread * rng.standard_normal((envs, middle.size)))
    if kind == "gait" and not parts and (gait := gait_of(model)) is not None:
        frequency, amplitude, phase = gait
        return _waves(model, middle, amplitude, phase + _world_phases(rng, envs), frequency)
    raise InvalidValueError(
        f"--ctrl of a model with {model.num_ctrls} controls", spec, CONTROL_HELP
    )


def gait_of(model: SceneModel) -> tuple[float, NDArray[np.float64], NDArray[np.float64]] | None:
    """Frequency [Hz], amplitudes and phases [rad] of the gait a model carries; None without one.

    They are custom numbers of the model: ``gait_frequency``, ``gait_amplitude``, ``gait_phase``.
    """
    low = model.low
    found = {low.numeric(i).name: low.numeric(i).data for i in range(low.nnumeric)}
    try:
        frequency, amplitude, phase = (
            np.array(found[f"gait_{key}"]) for key in ("frequency", "amplitude", "phase")
        )
    except KeyError:
        return None
    if amplitude.shape != (model.num_ctrls,) or phase.shape != (model.num_ctrls,):
        return None
    return float(frequency[0]), amplitude, phase


def _number(text: str, spec: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InvalidValueError("--ctrl", spec, CONTROL_HELP) from None


def _world_phases(rng: np.random.Generator, envs: int) -> NDArray[np.float64]:
    """Phases of the worlds, shape (envs, 1): the first world starts at zero."""
    phases = rng.uniform(0.0, 2.0 * np.pi, (envs, 1))
    phases[0] = 0.0
    return phases


def _amplitudes(model: SceneModel) -> NDArray[np.float64]:
    """Half the range of each control, shape (num_ctrls,)."""
    lower, upper = np.asarray(model.actuator_ctrl_limits, dtype=np.float64)
    half = (upper - lower) / 2.0
    return np.where(np.isfinite(half), half, _FREE_AMPLITUDE)


def _clip(model: SceneModel, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.clip(values, *np.asarray(model.actuator_ctrl_limits, dtype=np.float64))


def _waves(
    model: SceneModel,
    home: NDArray[np.float64],
    amplitude: NDArray[np.float64],
    phase: NDArray[np.float64],
    frequency: float,
) -> Control:
    def control(time: float) -> NDArray[np.float64]:
        ramp = min(1.0, time / _RAMP)
        return _clip(
            model, home + ramp * amplitude * np.sin(2.0 * np.pi * frequency * time + phase)
        )

    return control


def _from_file(path: Path, model: SceneModel) -> Control:
    with boundary(f"Cannot read controls from '{path}'"):
        rows = np.load(path) if path.suffix == ".npy" else np.loadtxt(path, delimiter=",", ndmin=2)
        rows = np.asarray(rows, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != model.num_ctrls or not len(rows):
        raise ShapeError(f"Controls in '{path}'", rows.shape, f"(steps, {model.num_ctrls})")
    if not np.isfinite(rows).all():
        raise InvalidValueError(f"A control in '{path}'", "not finite", "finite numbers")
    step = float(model.low.opt.timestep)
    return lambda time: rows[min(round(time / step), len(rows) - 1)]
