"""Speed limits of links on a Warp device."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.body_speeds.cpu import BodySpeeds
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.versions import Versions
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels
from .cpu import LinkSpeeds

__all__ = ["WarpLinkSpeeds"]


class WarpLinkSpeeds(LinkSpeeds):
    """Forces within the recorded step on links beyond their limits; see `LinkSpeeds`.

    Args:
        compiled: the model.
        limits: speed limits of its bodies.
        parameters: the engine's.
        versions: counters of what changed.
        worlds: the device's model and data.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        limits: BodySpeeds,
        parameters: Parameters,
        versions: Versions,
        worlds: WarpWorlds,
    ):
        super().__init__(compiled, limits, parameters, versions)
        self._worlds, self._sent = worlds, np.zeros(0, np.intp)
        self._arrays: dict[str, Any] = {}

    @property
    def active(self) -> bool:
        """Whether any link has a limit."""
        return len(self) > 0

    def update(self) -> None:
        """Send limits that were set to the device."""
        super().update()
        links, device = self.bodies, self._worlds.device
        limits = self._limits.values[:, links].astype(np.float32)
        if np.array_equal(self._sent, links):
            if len(self):
                self._arrays["limits"].assign(limits)
            return
        self._worlds.generation += 1
        self._sent = links
        self._arrays = {
            "bodies": wp.array(links.astype(np.int32), dtype=wp.int32, device=device),
            "limits": wp.array(limits, dtype=wp.float32, device=device),
        }

    def launch(self, chosen: wp.array) -> None:
        """Add forces in worlds that are about to step; the device has their motion."""
        arrays, m, d = self._arrays, self._worlds.m, self._worlds.d
        wp.launch(
            kernels.slow_links,
            (self._worlds.num_envs, len(self)),
            inputs=[
                m.opt.timestep, m.body_rootid, m.body_mass, m.body_inertia, arrays["bodies"],
                chosen, arrays["limits"], d.cvel, d.xipos, d.subtree_com, d.ximat,
            ],
            outputs=[d.xfrc_applied],
        )  # fmt: skip
