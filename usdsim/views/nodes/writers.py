"""Node writers: positions, velocities and targets of vertices of deformable bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.views.copies.device import DeviceCopies
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.copies.scatter import InstanceColumns

__all__ = ["NodePosition", "NodeState", "NodeTarget", "NodeVelocity"]

Array = NDArray[Any]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class NodePosition:
    """Positions of vertices in world. Vertices that are pinned to the world stay where they are."""

    def write(self, view: Any, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set positions of some instances, shape (rows, num_vertices, 3)."""
        layout = view.layout
        if len(layout.free):
            local = values[:, layout.free] - _origins(view, rows)[:, layout.free]
            view.scatter("qpos", "free_qpos", local, rows)
        if len(layout.moved):
            _move(view, values[:, layout.moved], rows)

    def write_directly(
        self, view: Any, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """Set what is on the device without looking at it; see `DirectStore`."""
        return view.scatter_directly("qpos", values, selection)


@dataclass(frozen=True)
class NodeVelocity:
    """Velocities of vertices in world. Those of pinned vertices stay zero."""

    def check(self, view: Any, values: Array, rows: Ids | None) -> None:
        """Raise unless vertices that only the user moves are given no velocity.

        Raises:
            InvalidValueError: one of them is.
        """
        moving = np.argwhere(values[:, view.layout.moved].any(axis=-1))
        if len(moving):
            row, k = (int(i) for i in moving[0])
            vertex = int(view.layout.moved[k])
            raise InvalidValueError(
                f"velocity of vertex {vertex} in instance {row if rows is None else rows[row]} of "
                f"{view.layout.title}",
                values[row, vertex].tolist(),
                "zero: the body is kinematic",
                "Write its positions instead. Nothing was written.",
            )

    def write(self, view: Any, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set velocities of some instances, shape (rows, num_vertices, 3)."""
        self.check(view, values, rows)
        if len(view.layout.free):
            view.scatter("qvel", "free_dofs", values[:, view.layout.free], rows)

    def write_directly(
        self, view: Any, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """See `NodePosition.write_directly`."""
        return view.scatter_directly("qvel", values, selection)


@dataclass(frozen=True)
class NodeState:
    """A position and a velocity in one row of six numbers."""

    position: NodePosition = NodePosition()
    velocity: NodeVelocity = NodeVelocity()

    def write(self, view: Any, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set states of some instances, shape (rows, num_vertices, 6)."""
        self.velocity.check(view, values[..., 3:], rows)
        self.position.write(view, values[..., :3], rows, ids)
        self.velocity.write(view, values[..., 3:], rows, ids)

    def write_directly(
        self, view: Any, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """See `NodePosition.write_directly`."""
        return view.scatter_directly("qpos", values, selection) and view.scatter_directly(
            "qvel", values, selection, first=3
        )


@dataclass(frozen=True)
class NodeTarget:
    """Targets of held vertices: rows of a position and 0 (held) or 1 (free).

    The engine holds a free vertex by constraints on its three coordinates, which are there for
    every vertex and cost nothing while they are off.
    """

    def write(self, view: Any, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set targets of some instances, shape (rows, num_vertices, 4).

        Raises:
            InvalidValueError: a flag is neither 0 nor 1, or a vertex is held that is pinned.
        """
        layout, held = view.layout, self._held(view, values, rows)
        if len(layout.moved) and held[:, layout.moved].any():
            now = view.gathered("mocap_pos", "moved_mocaps", rows)
            where = held[:, layout.moved, None]
            _move(view, np.where(where, values[:, layout.moved, :3], now), rows)
        if not len(layout.free):
            return
        chosen: NDArray[np.bool_] = np.repeat(held[:, layout.free], 3, axis=1)
        engine = view.engine
        columns = view.columns("free_rows")
        offset = (values[..., :3] - _origins(view, rows))[:, layout.free].reshape(chosen.shape)
        offset = offset - engine.compiled.mj.qpos0[layout.free_qpos][_matches(view, rows)]
        view.scatter("eq_active", "free_rows", chosen, rows)
        if not chosen.any():
            return
        view.holding = True
        for worlds, where, part in columns.parts(rows, None):
            wanted = engine.param("eq_data")[slice(None) if worlds is None else worlds][:, where]
            wanted = np.array(wanted)
            np.copyto(wanted[..., 0], offset[part], where=chosen[part])
            engine.set_param("eq_data", wanted, env_ids=worlds, ids=where)

    def _held(self, view: Any, values: Array, rows: Ids | None) -> NDArray[np.bool_]:
        flags, layout = values[..., 3], view.layout
        allowed = (flags == 0.0) | (flags == 1.0)
        held = np.asarray(flags == 0.0)
        pinned = np.ones(layout.num_vertices, np.bool_)
        pinned[layout.free] = pinned[layout.moved] = False
        for bad, words in (
            (~allowed, "0.0 for a vertex that is held, 1.0 for one that is free"),
            (held & pinned, "1.0 for a vertex that is attached to the world"),
        ):
            if bad.any():
                row, vertex = (int(i) for i in np.argwhere(bad)[0])
                raise InvalidValueError(
                    f"flag of vertex {vertex} in instance {row if rows is None else rows[row]} of "
                    f"{layout.title}",
                    float(flags[row, vertex]),
                    words,
                    "Nothing was written.",
                )
        return held


def _matches(view: Any, rows: Ids | None) -> Ids:
    """Match of the layout that each of some instances is."""
    chosen = np.arange(view.layout.num_instances) if rows is None else rows
    return np.asarray(chosen % view.layout.matches, np.intp)


def _origins(view: Any, rows: Ids | None) -> NDArray[np.float64]:
    """Positions of vertices at coordinates of zero [m], by instance or one row for all of them."""
    table = view.layout.origins
    return table if len(table) == 1 else table[_matches(view, rows)]


def _move(view: Any, values: Array, rows: Ids | None) -> None:
    """Set where vertices of kinematic bodies are in world [m], shape (rows, num_moved, 3)."""
    columns = InstanceColumns(view.layout.moved_mocaps)
    columns.scatter(values, view.engine.state("mocap_pos"), rows, None)
    view.engine.touch(columns.worlds(rows), "mocap_pos")
