"""Joint impulses that hold velocity limits, for many worlds at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
import warp as wp
from mujoco import batch as mjbatch
from numpy.typing import NDArray

__all__ = ["LimitingImpulses"]

_TABLES = {
    "row_size": "M_rownnz",
    "row_start": "M_rowadr",
    "column": "M_colind",
    "jnt_type": "jnt_type",
    "jnt_qposadr": "jnt_qposadr",
    "jnt_dofadr": "jnt_dofadr",
}
"""Arrays of the model by the names they have in kernels."""
_FIELDS = {"factor": "qLD", "inverse": "qLDiagInv", "qvel": "qvel", "qpos": "qpos"}
"""Fields of a batch by the names they have in kernels."""
_INTEGERS = {"active": wp.int32, "sign": wp.int32}
_ROOM = 1 << 22
"""Numbers that responses and their couplings may take; more worlds take turns."""


class LimitingImpulses:
    """Joint impulses that slow axes of worlds down to their limits.

    How velocities answer to impulses follows from the factors of the mass matrix that the engine
    has for the present state. Launches are recorded, as few worlds take less time than Warp needs
    to make one.

    Args:
        batch: the worlds.
        dofs: the axes that have limits.
        limits: largest speeds [m/s or rad/s], shape (num_envs, nv).
    """

    def __init__(self, batch: mjbatch.Batch, dofs: NDArray[np.intp], limits: NDArray[np.float64]):
        # Starting Warp takes half a second, which only limits that act are to cost.
        from . import host_kernels

        self._kernels = host_kernels
        self._batch, self._count = batch, len(dofs)
        tables = {name: getattr(batch.model, field) for name, field in _TABLES.items()}
        self._tables = {name: _shared(np.array(table, np.int32)) for name, table in tables.items()}
        self._dofs, self._limits = _shared(dofs.astype(np.int32)), _shared(limits)
        fields = {name: batch.bind(name) for name in _FIELDS.values()}
        # A field bound after a call is filled by the next one, even if that computes nothing.
        batch.forward(None, int(mujoco.mjtStage.mjSTAGE_NONE))
        self._fields = {name: _shared(fields[field]) for name, field in _FIELDS.items()}
        self._steps, self._ids = np.zeros(batch.nsim), np.zeros(0, np.int32)
        # Launches know where their arrays are, and do not keep them.
        self._rooms: Mapping[str, wp.array] = {}
        self._launches: list[tuple[wp.Launch, tuple[int, ...]]] = []

    def serves(self, batch: mjbatch.Batch) -> bool:
        """Whether it is for these worlds."""
        return self._batch is batch

    def act(self, worlds: NDArray[np.intp], timestep: NDArray[np.float64]) -> None:
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
                self._record(len(chosen))
            self._ids[: len(chosen)] = chosen
            for launch, others in self._launches:
                launch.set_dim((len(chosen), *others))
                launch.launch()

    def _record(self, worlds: int) -> None:
        """Make room for as many worlds at a time, and record the launches over it."""
        self._rooms = rooms = self._room(worlds)
        tables, fields = self._tables, self._fields
        self._ids = np.zeros(worlds, np.int32)
        ids, steps = _shared(self._ids), _shared(self._steps)
        slowing = wp.launch(
            self._kernels.limit_speeds,
            worlds,
            inputs=[
                *(tables[name] for name in ("row_size", "row_start", "column")),
                *(self._dofs, ids, self._limits, fields["factor"], fields["inverse"]),
            ],
            outputs=[*rooms.values(), fields["qvel"]],
            device="cpu",
            record_cmd=True,
        )
        joints = (self._batch.model.njnt,)
        moving = wp.launch(
            self._kernels.move_back,
            (worlds, *joints),
            inputs=[
                *(tables[name] for name in ("jnt_type", "jnt_qposadr", "jnt_dofadr")),
                *(ids, steps, rooms["change"]),
            ],
            outputs=[fields["qpos"]],
            device="cpu",
            record_cmd=True,
        )
        self._launches = [(slowing, ()), (moving, joints)]

    def _room(self, worlds: int) -> Mapping[str, wp.array]:
        count, nv = self._count, self._batch.model.nv
        shapes = {
            "active": (worlds, count),
            "sign": (worlds, count),
            "response": (worlds, count, nv),
            "block": (worlds, count, count),
            "impulse": (worlds, count),
            "change": (worlds, nv),
        }
        return {
            name: wp.empty(shape, _INTEGERS.get(name, wp.float64), device="cpu")
            for name, shape in shapes.items()
        }


def _shared(values: NDArray[Any]) -> wp.array:
    """A Warp array over the memory of one of NumPy."""
    return wp.array(values, device="cpu", copy=False)
