"""Joint impulses that hold velocity limits, for many worlds at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
import warp as wp
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from .host_kernels import limit_speeds
from .inertia import Inertia

__all__ = ["LimitingImpulses"]

_ROWS = ("M_rownnz", "M_rowadr", "M_colind")
_JOINTS = ("jnt_type", "jnt_qposadr", "jnt_dofadr")
_INTEGERS = {"active": wp.int32, "sign": wp.int32}
_ROOM = 1 << 22
"""Numbers that responses and their couplings may take; more worlds take turns."""


class LimitingImpulses:
    """Joint impulses that slow axes of worlds down to their limits.

    How velocities answer to impulses follows from the mass matrix that the step started with. The
    launch is recorded, as few worlds take less time than Warp needs to make one.

    Args:
        batch: the worlds.
        inertia: what they started their last step with.
        dofs: the axes that have limits.
        limits: largest speeds [m/s or rad/s], shape (num_envs, nv).
    """

    def __init__(
        self,
        batch: mjbatch.Batch,
        inertia: Inertia,
        dofs: NDArray[np.intp],
        limits: NDArray[np.float64],
    ):
        self._batch, self._inertia, self._count = batch, inertia, len(dofs)
        self._dofs, self._limits = _shared(dofs.astype(np.int32)), _shared(limits)
        self._rows = [_table(batch.model, field) for field in _ROWS]
        self._joints = [_table(batch.model, field) for field in _JOINTS]
        self._state = _shared(batch.bind("qvel")), _shared(batch.bind("qpos"))
        self._steps, self._ids = np.zeros(batch.nsim), np.zeros(0, np.int32)
        # A launch knows where its arrays are, and does not keep them.
        self._rooms: Mapping[str, wp.array] = {}
        # One for each place of the inertia, over as many worlds as last time.
        self._launches: dict[bool, wp.Launch] = {}

    def serves(self, inertia: Inertia) -> bool:
        """Whether it is for these worlds."""
        return self._inertia is inertia

    def apply(self, worlds: NDArray[np.intp], timestep: NDArray[np.float64]) -> None:
        """Change velocities of worlds, and take back what the excess has moved them.

        Args:
            worlds: that are over a limit.
            timestep: of every world [s].
        """
        most = max(1, _ROOM // (self._count * (self._batch.model.nv + self._count)))
        self._steps[:] = timestep
        for start in range(0, len(worlds), most):
            chosen = worlds[start : start + most]
            if len(chosen) > len(self._ids):
                self._rooms, self._ids = self._room(len(chosen)), np.zeros(len(chosen), np.int32)
                self._launches.clear()
            self._ids[: len(chosen)] = chosen
            launch = self._launches.get(self._inertia.kept)
            if launch is None:
                launch = self._launches[self._inertia.kept] = self._record()
            if launch.bounds.size != len(chosen):
                launch.set_dim(len(chosen))
            launch.launch()

    def _record(self) -> wp.Launch:
        """Record the launch for worlds with the inertia from where it is now."""
        return wp.launch(
            limit_speeds,
            len(self._ids),
            inputs=[
                *(*self._rows, self._dofs, *self._joints),
                *(_shared(self._ids), _shared(self._steps), self._limits),
                *map(_shared, self._inertia.factors),
            ],
            outputs=[*self._rooms.values(), *self._state],
            device="cpu",
            record_cmd=True,
        )

    def _room(self, worlds: int) -> Mapping[str, wp.array]:
        count, nv = self._count, self._batch.model.nv
        shapes = {
            "active": (worlds, count),
            "sign": (worlds, count),
            "upward": (worlds, count, nv),
            "block": (worlds, count, count),
            "impulse": (worlds, count),
            "change": (worlds, nv),
        }
        return {
            name: wp.empty(shape, _INTEGERS.get(name, wp.float64), device="cpu")
            for name, shape in shapes.items()
        }


def _table(model: mujoco.MjModel, field: str) -> wp.array:
    """Integers of a model."""
    return _shared(np.array(getattr(model, field), np.int32))


def _shared(values: NDArray[Any]) -> wp.array:
    """A Warp array over the memory of one of NumPy."""
    return wp.array(values, device="cpu", copy=False)
