"""Clocks of a view: how a model, a simulation or a recording is stepped and put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.render import Recording
from usdsim.scene import SceneData, SceneModel
from usdsim.sim import SimulationContext

__all__ = ["Clock", "ModelClock", "RecordingClock", "SimulationClock", "clock_of", "engine_poses"]


class Clock(Protocol):
    """Time of a source: what a view needs to know of what it shows."""

    @property
    def model(self) -> SceneModel | None:
        """Model of the scene door; None: there is none, and no sliders."""
        ...

    @property
    def data(self) -> SceneData | None:
        """Worlds of the model."""
        ...

    @property
    def source(self) -> Any:
        """Source that is drawn."""
        ...

    @property
    def num_worlds(self) -> int:
        """Number of worlds."""
        ...

    @property
    def timestep(self) -> float:
        """Duration of a step [s]."""
        ...

    def time(self, world: int) -> float:
        """Time of a world [s]."""
        ...

    def step(self) -> None:
        """Advance all worlds."""
        ...

    def reset(self) -> None:
        """Put all worlds back to where they began."""
        ...


class ModelClock:
    """Worlds of a model.

    Args:
        model: the model.
        data: its worlds; None: a new one.
    """

    def __init__(self, model: SceneModel, data: SceneData | None):
        self.source, self.model = model, model
        self.data = SceneData(model) if data is None else data
        self._beginning = self.data.get_state()
        self.callback: Callable[[SceneModel, SceneData], object] | None = None
        """Function that is called after each step; None: none is."""

    @property
    def num_worlds(self) -> int:
        """Number of worlds."""
        return self.data.shape[0] if self.data.shape else 1

    @property
    def timestep(self) -> float:
        """Duration of a step [s]."""
        return float(self.model.low.opt.timestep)

    def time(self, world: int) -> float:
        """Time of a world [s]."""
        return float(self.data.low.time[world])

    def step(self) -> None:
        """Advance all worlds."""
        self.model.step(self.data)
        if self.callback is not None:
            self.callback(self.model, self.data)

    def reset(self) -> None:
        """Put all worlds back to where they were when the clock was made."""
        self.data.set_state(self._beginning)

    def edited(self, model: SceneModel) -> ModelClock:
        """The clock of another model, whose worlds are and began as these, if as many things move.

        Positions, velocities and controls stay; time begins anew.
        """
        data = SceneData(model, batch=self.data.shape, device=self.data.engine.device)
        began = self.data.copy()
        began.set_state(self._beginning)
        _resume(data, began)
        made = ModelClock(model, data)
        made.callback = self.callback
        _resume(data, self.data)
        return made


class SimulationClock:
    """Environments of a simulation, and the scene that writes and updates its assets.

    Args:
        simulation: a `SimulationContext`, or an `InteractiveScene` of the current one.
    """

    model = data = None

    def __init__(self, simulation: Any):
        self._scene = None if hasattr(simulation, "env_paths") else simulation
        self.source: Any = simulation
        if self._scene is not None:
            self.source = SimulationContext.instance()

    @property
    def num_worlds(self) -> int:
        """Number of environments."""
        return int(self.source.num_envs)

    @property
    def timestep(self) -> float:
        """Duration of a step [s]."""
        return float(self.source.physics_dt)

    def time(self, world: int) -> float:
        """Time of an environment [s]."""
        return float(self.source.engine.time[world])

    def step(self) -> None:
        """Advance all environments."""
        if self._scene is not None:
            self._scene.write_data_to_sim()
        self.source.step()
        if self._scene is not None:
            self._scene.update(self.timestep)

    def reset(self) -> None:
        """Put all environments back to where they began."""
        self.source.reset()


class RecordingClock:
    """Frames of a recording, which begins anew at its end.

    Args:
        recording: the recording.
    """

    model = data = None
    num_worlds = 1

    def __init__(self, recording: Recording):
        self.source: Any = recording

    @property
    def timestep(self) -> float:
        """Duration of a frame [s]."""
        return float(1.0 / self.source.fps)

    @property
    def duration(self) -> float:
        """Time from the first to the last frame [s]."""
        return float(self.source.duration)

    def time(self, world: int) -> float:
        """Time from the beginning [s]."""
        return float(self.source.time)

    def step(self) -> None:
        """Advance by a frame, or go back to the first."""
        following = self.source.time + self.timestep
        self.source.seek(following if following <= self.duration + 1e-9 else 0.0)

    def reset(self) -> None:
        """Go to the first frame."""
        self.source.seek(0.0)


def _resume(data: SceneData, before: SceneData) -> None:
    """Carry the state that fits over to the worlds of another model."""
    if data.dof_pos.shape == before.dof_pos.shape:
        data.dof_pos, data.dof_vel = before.dof_pos, before.dof_vel
    if data.actuator_ctrls.shape == before.actuator_ctrls.shape:
        data.actuator_ctrls = before.actuator_ctrls


def clock_of(source: Any, data: SceneData | None) -> Clock:
    """The clock of a source of `Viewer`.

    Raises:
        InvalidValueError: there are data, and the source is no model.
        UnsupportedError: the source is of another kind.
    """
    if isinstance(source, SceneModel):
        return ModelClock(source, data)
    if data is not None:
        raise InvalidValueError("data", type(data).__name__, "None: the source is no model")
    if isinstance(source, SimulationClock):
        return source
    if isinstance(source, Recording):
        return RecordingClock(source)
    if hasattr(source, "env_paths") or hasattr(source, "write_data_to_sim"):
        return SimulationClock(source)
    raise UnsupportedError(
        f"A viewer cannot show a {type(source).__name__}: give it a SceneModel, a "
        "SimulationContext, an InteractiveScene or a Recording."
    )


def engine_poses(
    engine: Any, bodies: NDArray[np.int32], worlds: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Poses of bodies of an engine in worlds, position and wxyz, shape (worlds, bodies, 7)."""
    pos, quat = engine.read("xpos")[worlds], engine.read("xquat")[worlds]
    found: NDArray[np.float64] = np.concatenate([pos[:, bodies], quat[:, bodies]], axis=-1)
    return found
