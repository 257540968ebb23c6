"""Sleeping worlds: bodies at rest that the engine leaves out until something wakes them."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.versions import Versions

__all__ = ["Sleep", "stepped_model"]

Counts = tuple[int, ...]

_FLAG = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_VEL = int(mujoco.mjtStage.mjSTAGE_VEL)
_WOKEN_BY = 5e-324
"""A force that moves nothing, but is not zero: the engine wakes what forces act on."""


def stepped_model(compiled: CompiledModel) -> mujoco.MjModel:
    """The model to step: one whose bodies sleep, where the scene lets them."""
    if not compiled.sleeps:
        return compiled.mj
    model = copy.copy(compiled.mj)
    model.opt.enableflags |= _FLAG
    return model


class Sleep:
    """Bookkeeping of sleep: what has to be done because bodies may sleep.

    The engine itself wakes what is touched, pushed, thrown or put elsewhere. It does not see that a
    parameter changed, and has no contacts between bodies that sleep. Where all bodies sleep it
    still looks for what may touch, though a step after one that changed nothing does the same
    again.

    Args:
        model: the model that is stepped.

    Attributes:
        enabled: whether bodies may sleep.
        closed: whether nothing but time changes while all of them do.
    """

    def __init__(self, model: mujoco.MjModel):
        self.enabled = bool(model.opt.enableflags & _FLAG)
        acted_on = (model.nu, model.nmocap, model.nsensor, model.nplugin)
        self.closed = self.enabled and not any(acted_on)
        self._still: Counts | None = None

    def covers(self, batch: mjbatch.Batch) -> bool:
        """Whether all bodies of all worlds sleep, of a model that is `closed`."""
        return bool((batch.bind("tree_asleep") >= 0).all())

    def lasts(self, versions: Versions) -> bool:
        """Whether nothing was written since a step that changed nothing."""
        return self._still == _counts(versions)

    def note(self, versions: Versions) -> None:
        """Record that the last step changed nothing: all bodies slept before and after it."""
        self._still = _counts(versions)

    def wake(self, batch: mjbatch.Batch, worlds: NDArray[np.intp] | None) -> None:
        """Wake all bodies of some worlds (None: of all), whose support may have changed."""
        if not self.enabled:
            return
        asleep = (batch.bind("tree_asleep") >= 0).any(axis=1)
        chosen = np.flatnonzero(asleep)
        chosen = chosen if worlds is None else np.intersect1d(chosen, worlds)
        if not len(chosen):
            return
        forces = batch.bind("qfrc_applied")
        before = forces[chosen]
        forces[chosen] = np.where(before == 0.0, _WOKEN_BY, before)
        try:
            batch.forward(chosen.astype(np.int32), _VEL)
        except mjbatch.SimulationError:
            pass  # the next step says so
        finally:
            forces[chosen] = before

    def rouse(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        """Compute all of a copied world, contacts of sleeping bodies included.

        Args:
            model: of the world; as before afterwards.
            data: the copy.
        """
        if not self.enabled or not (np.asarray(data.tree_asleep) >= 0).any():
            return
        model.opt.enableflags &= ~_FLAG
        try:
            mujoco.mj_forward(model, data)
        finally:
            model.opt.enableflags |= _FLAG


def _counts(versions: Versions) -> Counts:
    return versions.motion, versions.forces, versions.parameters, versions.arrays
