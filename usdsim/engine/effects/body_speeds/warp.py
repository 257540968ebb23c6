"""Speed limits of free bodies on a Warp device."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import BodySpeeds

__all__ = ["WarpBodySpeeds"]


class WarpBodySpeeds(BodySpeeds):
    """Speed limits that act within the recorded step; see `BodySpeeds`."""

    def __init__(self, compiled: CompiledModel, worlds: WarpWorlds):
        self._worlds = worlds
        self._arrays: dict[str, Any] = {}
        super().__init__(compiled, worlds.num_envs)

    def _store(self, values: NDArray[np.float64]) -> None:
        before = getattr(self, "bodies", None)
        super()._store(values)
        limits = values[:, self.bodies].astype(np.float32)
        if before is not None and np.array_equal(before, self.bodies):
            if len(self):
                self._arrays["limits"].assign(limits)
            return
        self._worlds.generation += 1
        device = self._worlds.device
        addresses = {
            "bodies": self.bodies, "qpos": self._quats[:, 0] - 3, "dofs": self._dofs[:, 0],
        }  # fmt: skip
        self._arrays = {
            name: wp.array(found.astype(np.int32), dtype=wp.int32, device=device)
            for name, found in addresses.items()
        }
        self._arrays["limits"] = wp.array(limits, dtype=wp.float32, device=device)

    def launch(self, chosen: wp.array) -> None:
        """Enforce the limits in worlds that just stepped, before their kinematics are computed."""
        if not len(self):
            return
        arrays, m, d = self._arrays, self._worlds.m, self._worlds.d
        wp.launch(
            kernels.limit_bodies,
            (self._worlds.num_envs, len(self)),
            inputs=[
                m.opt.timestep, m.body_ipos, arrays["bodies"], arrays["qpos"], arrays["dofs"],
                chosen, arrays["limits"],
            ],
            outputs=[d.qpos, d.qvel],
        )  # fmt: skip
