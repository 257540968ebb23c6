"""Worlds of a Warp device as MuJoCo has them on the host, for what only it offers."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch

from usdsim.engine.parameters.warp import WarpParameters
from usdsim.engine.quiet import Quiet
from usdsim.engine.threads import ThreadedBatch
from usdsim.engine.versions import Versions

from .worlds import STATE_FIELDS, WarpWorlds

__all__ = ["WarpHost"]

_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)


class WarpHost:
    """Copies the device's state to the host when it changed and somebody asks.

    Args:
        worlds: the device's model and data.
        parameters: the device's.
        versions: the engine's.
        threads: number of threads; 0: one per CPU.
    """

    def __init__(
        self, worlds: WarpWorlds, parameters: WarpParameters, versions: Versions, threads: int
    ):
        self._worlds, self._parameters, self._versions = worlds, parameters, versions
        self._threads = min(threads, worlds.num_envs)
        self._mirror: ThreadedBatch | None = None
        self._source: mujoco.MjModel | None = None
        self._seen = (-1, -1, -1)
        self._quiet = Quiet()

    def sync(self, batch: ThreadedBatch) -> None:
        """Copy the state to a batch of the host."""
        for name in (*STATE_FIELDS, "time"):
            values = batch.bind(name)
            if values.size:
                values[...] = self._worlds.numpy(name).reshape(values.shape)

    @property
    def mirror(self) -> ThreadedBatch:
        """All worlds in their current state, with positions, velocities and contacts."""
        version = self._versions.motion, self._versions.forces, self._versions.parameters
        if self._mirror is not None and self._seen == version:
            return self._mirror
        model = self._worlds.model
        if self._parameters.written:
            model = self._parameters.batch.model
        if self._mirror is None or self._source is not model:
            count = self._worlds.num_envs
            self._mirror = ThreadedBatch(model, count, self._threads, persistent=True)
            # What is bound after a call is filled by the next one only.
            self._mirror.bind("ncon")
            self._source = model
        if self._parameters.written:
            self._copy_parameters(self._mirror)
        self.sync(self._mirror)
        with self._quiet:
            self._mirror.forward(None, _VEL)
        self._seen = version
        return self._mirror

    def _copy_parameters(self, target: ThreadedBatch) -> None:
        for name in mjbatch.MODEL_FIELDS:
            values = self._parameters.batch.expanded(name)
            if values is not None and np.size(values):
                target.expand(name)[...] = values
