"""Engine protocol, for CPU and GPU."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import UnsupportedError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.threads import ThreadedBatch

from .effects.impacts.reports import SentBack
from .effects.kinematics.motion import KinematicMotion
from .initial_worlds import InitialWorlds
from .versions import Versions

__all__ = ["DeviceEngine", "Engine", "FailurePolicy", "WorldFailure", "device_engine"]

FailurePolicy = Literal["raise", "reset", "report"]
"""``raise`` a `SimulationError` after all worlds stepped, ``reset`` the failed worlds and go on, or
only ``report`` in `Engine.failures`. A world whose state became infinite is put back to its initial
state by the first two; the last leaves it where the engine's own rule puts it."""


@dataclass(frozen=True, slots=True)
class WorldFailure:
    """Failure of one world."""

    world: int
    """Index of the world."""
    time: float
    """Simulation time of the world when it failed [s]."""
    message: str
    """Message: what happened, and the remedy."""
    prims: tuple[str, ...] = ()
    """Prim paths involved."""

    def __str__(self) -> str:
        """One line: world, time, prims, message."""
        where = f" at {', '.join(map(repr, self.prims))}" if self.prims else ""
        return f"World {self.world} at {self.time:.4f} s{where}: {self.message}"


class Engine(Protocol):
    """Worlds of one compiled model, stepped together.

    Fields are named as in the engine's own documentation: ``qpos``, ``qvel``, ``xpos``, ``ctrl``.
    Arrays have the world first. What is read is always what the last write, reset or step implies.
    """

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

    def set_kinematic_velocity(
        self, values: ArrayLike, env_ids: ArrayLike | None, bodies: ArrayLike
    ) -> None:
        """Set lasting velocities of kinematic bodies."""
        ...

    @property
    def velocity_limits(self) -> NDArray[np.float64]:
        """Largest speeds of joints [m/s or rad/s], inf: none, read-only, shape (num_envs, nv)."""
        ...

    def set_velocity_limits(
        self,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        dofs: ArrayLike | None = None,
    ) -> None:
        """Set the largest speeds of joints in some worlds."""
        ...

    @property
    def body_speed_limits(self) -> NDArray[np.float64]:
        """Largest speeds of bodies [m/s, rad/s], inf: none, read-only, (num_envs, nbody, 2)."""
        ...

    def set_body_speed_limits(
        self,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        bodies: ArrayLike | None = None,
    ) -> None:
        """Set the largest speeds of free bodies in some worlds."""
        ...

    @property
    def joint_friction(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Static and dynamic friction [N or N m], read-only, shape (num_envs, nv) each."""
        ...

    def set_joint_friction(
        self,
        static: ArrayLike | None = None,
        dynamic: ArrayLike | None = None,
        env_ids: ArrayLike | None = None,
        dofs: ArrayLike | None = None,
    ) -> None:
        """Set dry friction of joints in some worlds."""
        ...

    @property
    def surfaces(self) -> NDArray[np.float64]:
        """Static and dynamic friction and restitution of geoms, shape (num_envs, ngeom, 3)."""
        ...

    def set_surfaces(
        self,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        geoms: ArrayLike | None = None,
    ) -> None:
        """Set friction and restitution of geoms in some worlds."""
        ...

    def sent_back(self, worlds: NDArray[np.intp]) -> tuple[NDArray[np.intp], SentBack]:
        """Contacts that impulses sent back in the last step: places of worlds, and contacts."""
        ...

    def track_acceleration(self) -> None:
        """Start to record what `acceleration` needs."""
        ...

    def acceleration(self) -> NDArray[np.float64]:
        """Change of velocity per time over the last step [m/s^2 or rad/s^2], (num_envs, nv)."""
        ...

    def joint_wrenches(self, env_ids: ArrayLike | None = None) -> NDArray[np.float64]:
        """Force and torque on bodies by their parents [N, N m], shape (num_envs, nbody, 6)."""
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
        """Simulation time of each world [s], shape (num_envs,)."""
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


def device_engine(engine: Engine) -> DeviceEngine:
    """The engine, as what an engine of a device offers besides.

    Raises:
        UnsupportedError: it is the CPU's, which keeps no arrays of a device.
    """
    if engine.on_device is None:
        raise UnsupportedError(
            f"The engine on {engine.device!r} has no arrays on a device and records no steps. Use "
            "device='cuda', or 'warp:cpu' for the same path without a GPU."
        )
    return engine.on_device
