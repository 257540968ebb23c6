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
_ROOM = 1 << 22
"""Numbers that responses and their couplings may take; more worlds take turns."""


class LimitingImpulses:
    """Joint impulses that slow axes of worlds down to their limits.

    How velocities answer to impulses follows from the factors of the mass matrix that the engine
    has for the present state.

    Args:
        batch: the worlds.
        dofs: the axes that have limits.
    """

    def __init__(self, batch: mjbatch.Batch, dofs: NDArray[np.intp]):
        # Starting Warp takes half a second, which only limits that act are to cost.
        from . import host_kernels

        self._kernels = host_kernels
        self._batch, self._count = batch, len(dofs)
        tables = {name: getattr(batch.model, field) for name, field in _TABLES.items()}
        self._tables = {name: _shared(np.array(table, np.int32)) for name, table in tables.items()}
        self._dofs = _shared(dofs.astype(np.int32))
        fields = {name: batch.bind(field) for name, field in _FIELDS.items()}
        # A field bound after a call is filled by the next one, even if that computes nothing.
        batch.forward(None, int(mujoco.mjtStage.mjSTAGE_NONE))
        self._fields = {name: _shared(values) for name, values in fields.items()}
        self._rooms: Mapping[str, wp.array] = {}

    def serves(self, batch: mjbatch.Batch) -> bool:
        """Whether it is for these worlds."""
        return self._batch is batch

    def act(
        self, worlds: NDArray[np.intp], limits: NDArray[np.float64], timestep: NDArray[np.float64]
    ) -> None:
        """Change velocities of worlds, and take back what the excess has moved them.

        Args:
            worlds: that are over a limit.
            limits: largest speeds [m/s or rad/s], shape (num_envs, nv).
            timestep: of every world [s].
        """
        most = max(1, _ROOM // (self._count * (self._batch.model.nv + self._count)))
        bounds, steps = _shared(limits), _shared(timestep)
        for start in range(0, len(worlds), most):
            self._launch(worlds[start : start + most], bounds, steps)

    def _launch(self, worlds: NDArray[np.intp], limits: wp.array, timestep: wp.array) -> None:
        tables, fields, rooms = self._tables, self._fields, self._room(len(worlds))
        ids = _shared(worlds.astype(np.int32))
        wp.launch(
            self._kernels.limit_speeds,
            len(worlds),
            inputs=[
                *(tables[name] for name in ("row_size", "row_start", "column")),
                *(self._dofs, ids, limits, fields["factor"], fields["inverse"]),
            ],
            outputs=[*rooms.values(), fields["qvel"]],
            device="cpu",
        )
        wp.launch(
            self._kernels.move_back,
            (len(worlds), self._batch.model.njnt),
            inputs=[
                *(tables[name] for name in ("jnt_type", "jnt_qposadr", "jnt_dofadr")),
                *(ids, timestep, rooms["change"]),
            ],
            outputs=[fields["qpos"]],
            device="cpu",
        )

    def _room(self, worlds: int) -> Mapping[str, wp.array]:
        if not self._rooms or self._rooms["active"].shape[0] < worlds:
            count, nv = self._count, self._batch.model.nv
            shapes = {
                "active": (worlds, count),
                "response": (worlds, count, nv),
                "block": (worlds, count, count),
                "impulse": (worlds, count),
                "change": (worlds, nv),
            }
            self._rooms = {
                name: wp.empty(shape, wp.int32 if name == "active" else wp.float64, device="cpu")
                for name, shape in shapes.items()
            }
        return self._rooms


def _shared(values: NDArray[Any]) -> wp.array:
    """A Warp array over the memory of one of NumPy."""
    return wp.array(values, device="cpu", copy=False)
