"""Forces of one step on a Warp device, beside those of programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import warp as wp

from usdsim.engine.warp.worlds import WarpWorlds

__all__ = ["WarpStepForces", "WarpStepLaw"]


class WarpStepLaw(Protocol):
    """A law that adds to ``xfrc_applied`` from the motion that a step starts with."""

    @property
    def active(self) -> bool:
        """Whether it acts on any body."""

    def launch(self, chosen: wp.array) -> None:
        """Add forces in worlds that are about to step."""


class WarpStepForces:
    """Forces and torques of laws within the recorded step; see `StepForces`.

    Args:
        worlds: the device's model and data.
        laws: what acts.
    """

    def __init__(self, worlds: WarpWorlds, laws: Sequence[WarpStepLaw]):
        self._worlds, self._laws = worlds, laws
        self._active: list[WarpStepLaw] = []
        self._before: wp.array | None = None

    def prepare(self) -> None:
        """Allocate what is needed, as recordings must not allocate."""
        self._active = [law for law in self._laws if law.active]
        self._before = wp.empty_like(self._worlds.d.xfrc_applied) if self._active else None

    def begin(self, chosen: wp.array) -> None:
        """Apply the forces in worlds that are about to step; the device has their motion."""
        if self._before is not None:
            wp.copy(self._before, self._worlds.d.xfrc_applied)
        for law in self._active:
            law.launch(chosen)

    def end(self) -> None:
        """Restore the forces that programs apply, after the step."""
        if self._before is not None:
            wp.copy(self._worlds.d.xfrc_applied, self._before)
