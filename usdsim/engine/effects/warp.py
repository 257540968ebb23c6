"""Parameters of a Warp engine, and what it says beyond the fields of its arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import UnsupportedError
from usdsim.engine.effects.acceleration.warp import WarpAcceleration
from usdsim.engine.effects.friction.cpu import FIELD
from usdsim.engine.effects.friction.warp import WarpFriction
from usdsim.engine.fields import Stale
from usdsim.engine.indices import checked_ids, checked_worlds
from usdsim.engine.parameters.cpu import model_value
from usdsim.engine.part import DeviceEngine
from usdsim.engine.surfaces.properties import SurfaceProperties
from usdsim.engine.threads import ThreadedBatch
from usdsim.engine.warp.host import WarpHost
from usdsim.engine.warp.worlds import WarpWorlds

from .joint_effects import JointEffects

__all__ = ["WarpEffects"]


class WarpEffects(JointEffects, SurfaceProperties, DeviceEngine):
    """The part of `WarpEngine` that is about parameters, joints and single worlds."""

    _friction: WarpFriction
    _host: WarpHost
    _parameters: Any
    _velocities: WarpAcceleration
    _worlds: WarpWorlds

    def device_parameter(self, field: str) -> wp.array:
        """The device's own array of a model parameter, which it uses in the next step.

        It has one row for all worlds, or one for each. It may be replaced by any write.

        Args:
            field: as in `mujoco.MjModel`, or ``opt.`` and a field of `mujoco.MjOption`.

        Raises:
            UnknownNameError: the device has no array of it.
        """
        return self._parameters.on_device(field)

    def param(self, field: str) -> NDArray[Any]:
        """A model parameter of all worlds, read-only, shape (num_envs, ...).

        Args:
            field: as in `mujoco.MjModel`, or ``opt.`` and a field of `mujoco.MjOption`.
        """
        if field == FIELD and self._friction.active:
            self._host.sync(self._parameters.batch)
            self._friction.settle(None)
        return self._parameters.read(field)

    def set_param(
        self,
        field: str,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set a model parameter; constants derived from it follow.

        Args:
            field: as in `mujoco.MjModel`, or ``opt.`` and a field of `mujoco.MjOption`.
            values: what broadcasts to (worlds, elements, ...).
            env_ids: worlds, as indices or a mask; None: all.
            ids: positions along the field's second axis, as indices or a mask; None: all.

        Raises:
            UnsupportedError: the device has this parameter only once for all worlds.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        with self._surfaces_written(field):
            self._parameters.write(field, values, worlds, ids)
        if field == FIELD:
            self._friction.follow(worlds, ids)
        self.versions.parameters += 1
        self._outdate(Stale.MOTION, worlds)

    def set_shapes(
        self,
        values: Mapping[str, ArrayLike],
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Set what makes the shapes of geoms in some worlds.

        Raises:
            UnsupportedError: always: the device has one shape for all worlds.
        """
        raise UnsupportedError(
            "Devices have one shape of a geom for all worlds: use device='cpu', or sizes per world."
        )

    def restore_params(self, fields: Iterable[str], env_ids: ArrayLike | None = None) -> None:
        """Restore the model's own values of some parameters in some worlds; see `Engine`."""
        for field in fields:
            self.set_param(field, model_value(self.compiled.mj, field), env_ids)

    def set_joint_friction(
        self,
        static: ArrayLike | None = None,
        dynamic: ArrayLike | None = None,
        env_ids: ArrayLike | None = None,
        dofs: ArrayLike | None = None,
    ) -> None:
        """Set dry friction of joints; see `JointEffects.set_joint_friction`."""
        super().set_joint_friction(static, dynamic, env_ids, dofs)
        self._outdate(Stale.MOTION, None)

    def track_acceleration(self) -> None:
        """Start to record what `acceleration` needs; see `JointEffects.track_acceleration`."""
        self._velocities.enable()

    def acceleration(self) -> NDArray[np.float64]:
        """Change of velocity per time over the last step [m/s^2 or rad/s^2], (num_envs, nv).

        See `JointEffects.acceleration`; the array is in single precision.
        """
        return np.asarray(self.device_array("acceleration").numpy())

    def joint_wrenches(self, env_ids: ArrayLike | None = None) -> NDArray[np.float64]:
        """Forces and torques that joints transmit to bodies, shape (num_envs, nbody, 6).

        See `JointEffects.joint_wrenches`; the array is in single precision, and live on the CPU
        only.
        """
        ids = checked_worlds(env_ids, self.num_envs)
        values = np.asarray(self.device_array("joint_wrenches").numpy()).view()
        found = values if ids is None else values[ids]
        found.flags.writeable = False
        return found

    @property
    def batch(self) -> ThreadedBatch:
        """A copy of the worlds on the host, with contacts, for what only MuJoCo itself offers."""
        return self._host.mirror

    def world_model(self, world: int) -> mujoco.MjModel:
        """A copy of the model with the parameters of one world."""
        index = int(checked_ids("world", world, self.num_envs)[0])
        return self._parameters.batch.get_model(index)

    def world_data(self, world: int) -> mujoco.MjData:
        """A copy of one world on the host, contacts included, without forces."""
        index = int(checked_ids("world", world, self.num_envs)[0])
        return self._host.mirror.get_data(index)

    def rouse(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Nothing: copied worlds are awake; see `CpuEngine.rouse`."""

    def _derive_acceleration(self) -> None:
        self.track_acceleration()
        if self._velocities.current(self.versions.forces):
            return
        if self._velocities.missing:
            self.refresh("qacc")
        self._velocities.fill(self.versions.forces)
