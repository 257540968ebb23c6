"""Applied wrenches: what acts on the bodies of an asset, brought to the engine."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from usdsim.engine.arrays import WarpArrays
from usdsim.engine.graphs import Recorded

from .composer import WrenchComposer
from .kernels import apply_wrenches, clear_wrenches

__all__ = ["AppliedWrenches"]

_FIELD = "xfrc_applied"


class AppliedWrenches:
    """Brings what acts on the bodies of an asset to the engine.

    Args:
        arrays: the engine's arrays.
        bodies: the engine's indices of the bodies, shape (matches, num_bodies).
        permanent: what acts until it is changed.
        instantaneous: what acts until the next write.
    """

    def __init__(
        self,
        arrays: WarpArrays,
        bodies: ArrayLike,
        permanent: WrenchComposer,
        instantaneous: WrenchComposer,
    ):
        self._arrays, self._permanent, self._instantaneous = arrays, permanent, instantaneous
        shape = permanent.num_instances, permanent.num_bodies
        table = np.ascontiguousarray(bodies, dtype=np.int32)
        self._bodies = wp.array(table, dtype=wp.int32, device=permanent.device)
        self._apply = Recorded(arrays.kernel(apply_wrenches), shape, permanent.device)
        self._clear = Recorded(arrays.kernel(clear_wrenches), shape, permanent.device)
        self._acting = False

    def write(self) -> None:
        """Apply the sum of both at the current pose, and reset the instantaneous one.

        Without anything active nothing is written, but zeros once after something was.
        """
        if self._permanent.active or self._instantaneous.active or self._acting:
            self.launch()
            self.note()

    @property
    def state(self) -> tuple[bool, bool, bool]:
        """Recorded state of `launch`: what is active, and whether something acts already."""
        return self._permanent.active, self._instantaneous.active, self._acting

    def launch(self) -> None:
        """Launch what `write` does on the device."""
        first, second = self._permanent, self._instantaneous
        active = first.active or second.active
        if active:
            target = self._arrays.state(_FIELD)
            self._apply([*first.poses(), first.acting, second.acting, self._bodies], [target])
            if second.active:
                second.slots.zero_()
        elif self._acting:
            self._clear([self._bodies], [self._arrays.state(_FIELD)])

    def note(self) -> None:
        """Record what `launch` did."""
        active = self._permanent.active or self._instantaneous.active
        if active or self._acting:
            self._instantaneous.forget()
            self._acting = active
            self._arrays.touch(_FIELD)
