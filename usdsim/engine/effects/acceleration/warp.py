"""Accelerations over the last step, on a Warp device."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.warp.kernels import copy_rows
from usdsim.engine.warp.worlds import WarpWorlds

from . import kernels

__all__ = ["WarpAcceleration"]


class WarpAcceleration:
    """Acceleration over the last time step of each world; see `StepAcceleration`.

    Which worlds are still where their last step led is kept on the device, as those that a mask
    there wrote are known there alone. The host knows whether there may be others.

    Args:
        worlds: the device's model and data.

    Attributes:
        missing: whether the acceleration of a world may have to come from its forces.
    """

    def __init__(self, worlds: WarpWorlds):
        self._worlds = worlds
        self.missing = True
        self._outdated = True
        self._values: Any = None
        self._filled = self._recorded = -1
        self._launch: Any = None

    @property
    def enabled(self) -> bool:
        """Whether anybody asked."""
        return self._values is not None

    def enable(self) -> None:
        """Start to record velocities."""
        if self.enabled:
            return
        shape, device = self._worlds.d.qvel.shape, self._worlds.device
        self._before, self._values = (
            wp.zeros(shape, dtype=wp.float32, device=device) for _ in range(2)
        )
        self._known = wp.zeros(shape[0], dtype=wp.bool, device=device)
        self._worlds.generation += 1

    # -- what happens to worlds ----------------------------------------------------------------

    def forget(self, worlds: NDArray[Any] | wp.array | None) -> None:
        """Forget the start of the last step of worlds whose state was written since.

        Args:
            worlds: their indices, or a mask or indices on the device; None: all.
        """
        if not self.enabled or self._outdated:
            return
        self.missing = True
        if worlds is None:
            self._outdated = True
            return
        if not isinstance(worlds, wp.array):
            ids = np.asarray(worlds, np.int32)
            worlds = wp.array(ids, dtype=wp.int32, device=self._worlds.device)
        masked = worlds.dtype is wp.bool
        wp.launch(
            kernels.forget_masked if masked else kernels.forget_worlds,
            worlds.size,
            inputs=[worlds],
            outputs=[self._known],
            device=self._worlds.device,
        )

    def begin(self) -> None:
        """Prepare for a step of some worlds, but not all."""
        if self.enabled and self._outdated:
            self._known.zero_()
            self._outdated = False

    @property
    def kept(self) -> tuple[Any, Any]:
        """Velocities from before the step, and the worlds that have them; None: nothing is kept.

        Shapes (num_envs, nv) and (num_envs,).
        """
        return (self._before, self._known) if self.enabled else (None, None)

    def restart(self, lost: wp.array, start: wp.array) -> None:
        """Launch what lets worlds that start anew be at rest.

        Args:
            lost: which they are.
            start: velocities they start with; see `WarpWorlds.rows`.
        """
        if self.enabled and self._before.size:
            rows = self._worlds.words(self._before)
            wp.launch(copy_rows, len(lost), inputs=[lost, start], outputs=[rows])

    def stepped(self) -> None:
        """Record that all worlds made a step."""
        self._outdated = self.missing = not self.enabled

    # -- what they did -------------------------------------------------------------------------

    @property
    def array(self) -> wp.array:
        """The accelerations as `fill` left them [m/s^2 or rad/s^2], shape (num_envs, nv)."""
        return self._values

    def current(self, version: int) -> bool:
        """Whether `fill` was called for this version."""
        return self._filled == version

    def fill(self, version: int) -> None:
        """Launch what computes them; of worlds written since their step, from ``qacc``.

        Args:
            version: what they are valid for.
        """
        self.begin()
        self._filled = version
        if not self._values.size:
            return
        if self._recorded != self._worlds.generation:
            self._recorded = self._worlds.generation
            d, m = self._worlds.d, self._worlds.m
            self._launch = wp.launch(
                kernels.derive_acceleration,
                d.qvel.shape,
                inputs=[m.opt.timestep, self._known, self._before, d.qvel, d.qacc],
                outputs=[self._values],
                device=self._worlds.device,
                record_cmd=True,
            )
        self._launch.launch()
