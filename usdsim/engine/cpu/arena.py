"""Arena of a world: memory for contacts and constraints, sized from the scene, grown when short."""

from __future__ import annotations

import logging

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.parameters.simple_bodies import is_loose, moved_to
from usdsim.engine.threads import ThreadedBatch

__all__ = ["Arena"]

logger = logging.getLogger("usdsim")

_FULL = [int(mujoco.mjtWarning.mjWARN_CONTACTFULL), int(mujoco.mjtWarning.mjWARN_CNSTRFULL)]
_OVERFLOW = "out of memory"
"""Message of the engine when a step needs more than the arena has left."""
_MOST = 16 << 30
"""Arena of one world beyond which it does not grow [bytes]."""


class Arena:
    """Repeats steps for which the arena was too small with twice as much of it.

    An arena that the stage authors is a limit and stays; the engine's own choice for small scenes
    has room for everything that can touch.

    Args:
        compiled: the model.

    Attributes:
        grows: whether it does that; the arena of small scenes has room for all.
    """

    def __init__(self, compiled: CompiledModel):
        self._compiled = compiled
        self.grows = compiled.arena_grows
        self._saved: NDArray[np.float64] | None = None

    def save(self, batch: ThreadedBatch) -> None:
        """Remember where the worlds are before a step that may have to be repeated."""
        if self.grows:
            self._saved = np.array(batch.state)

    def regrown(self, batch: ThreadedBatch, messages: dict[int, str]) -> ThreadedBatch | None:
        """The worlds as they were saved, with twice the arena; None: it was not too small.

        Args:
            batch: the worlds after a call.
            messages: of the worlds in which the engine stopped.
        """
        if not self.grows:
            return None
        short = any(_OVERFLOW in text for text in messages.values())
        short = short or bool(batch.warning[:, _FULL, 1].any())
        size = 2 * int(batch.model.narena)
        if self._saved is None or not short or size > _MOST:
            return None
        logger.warning(
            "A step needs more memory than the %d MB a world has; it is repeated with %d MB. "
            "Author mjc:size:memory on the physics scene to begin with that.",
            size >> 21, size >> 20,
        )  # fmt: skip
        loose = is_loose(batch, self._compiled)
        new = moved_to(batch, self._compiled.again(loose=loose, memory=size))
        new.state[:] = self._saved
        return new
