"""Speculative steps: many in one call for worlds that need no attention in between."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.effects.body_speeds.cpu import BodySpeeds
from usdsim.engine.effects.saturation.cpu import SaturatedDrives
from usdsim.engine.effects.velocity_limits.cpu import VelocityLimits

__all__ = ["Attempts"]

LONG = 16
"""Steps from which on attempts pay: the state they lead to is computed anew by the next step."""
_LONGEST = 32
"""Steps tried at once: what is recorded of them has to be kept."""
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)


class Attempts:
    """Steps worlds on the chance that nothing reaches its limit on the way.

    Limits are those of the speeds of axes and bodies, and of the forces of stiff drives.

    The engine is faster at many steps of one world after the other than at one step of all.
    Worlds in which a limit turns out to be exceeded, or anything goes wrong, return to where they
    were.
    """

    def __init__(
        self,
        limits: VelocityLimits,
        speeds: BodySpeeds,
        drives: SaturatedDrives,
        num_envs: int,
    ):
        self._limits, self._speeds, self._drives = limits, speeds, drives
        self._failed = np.zeros(num_envs, np.bool_)

    def worth(self, n: int, count: int) -> bool:
        """Whether `n` steps of `count` worlds may be faster this way."""
        return n >= LONG and count > 1

    def run(
        self, batch: mjbatch.Batch, n: int, ids: NDArray[np.intp]
    ) -> tuple[int, NDArray[np.intp], NDArray[np.intp]]:
        """Try at most `n` steps.

        Worlds that returned the last time are not tried, as they will most likely do so again.

        Returns:
            The number of steps done, at most `n`, the worlds that did them, and those that did not,
            in ascending order.
        """
        count = min(n, _LONGEST)
        left_out = self._failed[ids]
        chosen = ids[~left_out]
        self._failed[ids] = False
        if not len(chosen) or not _can_return(batch):
            return count, chosen[:0], ids
        # All state fields are views of one array, a row per world.
        state = batch.bind("time").base
        saved = state[chosen]
        bad = np.zeros(len(chosen), np.bool_)
        try:
            bad |= self._run(batch, count, chosen)
        except mjbatch.SimulationError:
            bad[:] = True
        counts = batch.warning
        bad |= counts[chosen, :, 1].any(axis=1)
        if not bad.any():
            return count, chosen, ids[left_out]
        returning = chosen[bad]
        counts[returning] = 0
        state[returning] = saved[bad]
        self._failed[returning] = True
        return count, chosen[~bad], np.sort(np.concatenate([ids[left_out], returning]))

    def _run(self, batch: mjbatch.Batch, count: int, chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Step; returns in which worlds a limit was reached."""
        fields = ("qvel", "qpos") if self._drives.active else ("qvel",)
        before = {name: batch.bind(name)[chosen] for name in fields}
        controls = batch.bind("ctrl")[chosen]
        record: dict[Any, NDArray[Any]] = batch.rollout(count, None, record=fields, ids=chosen)
        bad = np.zeros(len(chosen), np.bool_)
        for step in range(count):
            after = {name: record[name][:, step] for name in fields}
            fast = self._limits.beyond(after["qvel"], chosen) if self._limits else None
            if fast is not None:
                bad |= fast
            if self._speeds:
                bad |= self._speeds.beyond(after["qvel"], chosen)
            if self._drives.active:
                # Forces are those of the states that steps start from.
                over = self._drives.beyond(before["qpos"], before["qvel"], controls, chosen)
                bad |= over.any(axis=1)
            before = after
        return bad


def _can_return(batch: mjbatch.Batch) -> bool:
    """Whether the state is all there is: plugins and sleeping bodies remember more."""
    flags = batch.expanded("opt.enableflags")
    sleep = batch.model.opt.enableflags & _SLEEP if flags is None else (flags & _SLEEP).any()
    return batch.model.nplugin == 0 and not sleep
