"""Engine protocols: the members that its parts share, and those of devices besides."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.threads import ThreadedBatch

from .effects.kinematics.motion import KinematicMotion
from .failures import FailurePolicy, WorldFailure
from .fields import Stale
from .initial_worlds import InitialWorlds
from .versions import Versions

__all__ = ["DeviceEngine", "EnginePart"]


class EnginePart(Protocol):
    """Part of an engine: the members of the whole that any of them may use."""

    compiled: CompiledModel
    device: str
    num_envs: int
    failures: list[WorldFailure]
    failed: set[int]
    on_failure: FailurePolicy
    initial: InitialWorlds
    versions: Versions
    kinematics: KinematicMotion

    def read(self, field: str) -> NDArray[Any]:
        """A field of all worlds, read-only, shape (num_envs, ...)."""
        ...

    def state(self, field: str) -> NDArray[Any]:
        """Live writable view of a state field, shape (num_envs, ...); `touch` after writing."""
        ...

    def touch(self, env_ids: ArrayLike | None = None, field: str = "qpos") -> None:
        """Mark the view of `field` that `state` handed out as written."""
        ...

    def write(
        self,
        field: str,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set a state field of some worlds and elements."""
        ...

    def step(
        self,
        n: int = 1,
        env_ids: ArrayLike | None = None,
        *,
        starts: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        """Advance by `n` time steps; `starts` gets state fields as the last one starts from."""
        ...

    def forward(self, env_ids: ArrayLike | None = None) -> None:
        """Compute everything that follows from the current state."""
        ...

    def reset(self, env_ids: ArrayLike | None = None, keyframe: int | str | None = None) -> None:
        """Return to the initial state, or to a keyframe."""
        ...

    def param(self, field: str) -> NDArray[Any]:
        """A model parameter of all worlds, read-only, shape (num_envs, ...)."""
        ...

    def set_param(
        self,
        field: str,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set a model parameter of some worlds and elements."""
        ...

    def set_shapes(
        self,
        values: Mapping[str, ArrayLike],
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set what makes the shapes of geoms in some worlds, all of it at once."""
        ...

    def restore_params(self, fields: Iterable[str], env_ids: ArrayLike | None = None) -> None:
        """Restore the model's own values of some parameters in some worlds."""
        ...

    @property
    def on_device(self) -> DeviceEngine | None:
        """The engine, as what one of a Warp device offers besides; None: it is the CPU's."""
        ...

    @property
    def threads(self) -> int:
        """Number of threads for what is computed on the host."""
        ...

    @property
    def batch(self) -> ThreadedBatch:
        """The worlds, or a copy on the host with contacts; not to be kept, any write replaces it.

        Readers of it look at what they need by `read` before, so that it is up to date.
        """
        ...

    def world_model(self, world: int) -> mujoco.MjModel:
        """A copy of the model with the parameters of one world."""
        ...

    def world_data(self, world: int) -> mujoco.MjData:
        """A copy of everything the engine knows of one world, contacts included."""
        ...

    def rouse(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Compute all of a world copied from `batch`, contacts of bodies that sleep included."""
        ...

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulation time of each world [s], read-only, shape (num_envs,)."""
        return self.read("time")

    def _outdate(self, level: Stale, ids: Any) -> None:
        """Mark results of some worlds stale after a write; None: of all."""
        ...


class DeviceEngine(Protocol):
    """Offers of an `Engine` whose arrays, of single precision, live on a Warp device, besides."""

    device: str
    """Name of the Warp device."""

    def device_array(self, field: str) -> Any:
        """The device's own `warp.array` of a field; see `refresh`."""
        ...

    def device_parameter(self, field: str) -> Any:
        """The device's own `warp.array` of a model parameter, a row for all worlds or for each."""
        ...

    def refresh(self, field: str) -> None:
        """Compute a field, if what it depends on was written."""
        ...

    def send(self, field: str) -> None:
        """Upload the view of `field` that `state` handed out to the device; outdates nothing."""
        ...

    def touch_device(self, env_ids: Any = None, field: str = "qpos") -> None:
        """Mark the array that `device_array` handed out as written."""
        ...

    def prepare_step(self) -> Hashable | None:
        """Get ready for a step in somebody else's recording.

        Steps for which it returns the same take the same launches; None: it cannot be recorded.
        """
        ...

    def launch_step(self) -> None:
        """Launch a step of all worlds and nothing else."""
        ...

    def note_step(self) -> None:
        """Record a step that was launched."""
        ...
