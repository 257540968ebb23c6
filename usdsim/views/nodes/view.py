"""Node view: the window of deformable bodies on the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.base import Engine
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.copies.host import HostCopies
from usdsim.views.quantity import Launched, Slot
from usdsim.views.view import AssetView

from . import kernels
from .layout import NodeLayout
from .moduli import lame_parameters

__all__ = ["NodeVectors", "NodeView"]

Ids = NDArray[np.intp]


class NodeView(AssetView):
    """Reads and writes the vertices of deformable bodies; see `AssetView`.

    Args:
        engine: the worlds.
        layout: which vertices belong to the asset.
        quantities: class whose `Quantity` attributes the view computes.

    Attributes:
        holding: whether any vertex was ever held at a target.
    """

    layout: NodeLayout
    _counts: ClassVar[Mapping[str, str]] = {"node": "num_vertices", "element": "num_elements"}

    def __init__(self, engine: Engine, layout: NodeLayout, quantities: type):
        super().__init__(engine, layout, quantities)
        self._real = wp.float64 if engine.on_device is None else wp.float32
        self.holding = False
        self._shapes: dict[str, wp.array] = {}
        self._origins: dict[str, wp.array] = {}
        self._moduli: NDArray[np.float64] | None = None

    # -- reading -------------------------------------------------------------------------------

    @property
    def plain(self) -> bool:
        """Whether NumPy can gather all vertices, as each has degrees of freedom of its own."""
        return not self.copies.by_kernels and len(self.layout.free) == self.layout.num_vertices

    def input(self, name: str) -> tuple[wp.array, Callable[[], object] | None]:
        """See `AssetView.input`; ``rest:inverse`` has the inverses of the shapes at rest."""
        if name != "rest:inverse":
            return super().input(name)
        if name not in self._shapes:
            dtype: Any = wp.mat33f if self._real is wp.float32 else wp.mat33d
            inverse = np.linalg.inv(self.layout.rest_shapes)
            self._shapes[name] = wp.array(inverse, dtype=dtype, device=self.device)
        return self._shapes[name], None

    def gathered(self, field: str, table: str, rows: Ids | None) -> NDArray[Any]:
        """Columns of an engine field for some instances, shape (rows, columns, ...)."""
        columns = self.columns(table)
        source = self.field(field)
        found = np.zeros((self.layout.num_instances, columns.table.shape[1], *source.shape[2:]))
        columns.gather(source, found)
        return found if rows is None else found[rows]

    def moduli(self) -> NDArray[np.float64]:
        """Lame's parameters of the elements of all instances [Pa], (num_instances, elements, 2)."""
        values = self.engine.param("flex_stiffness")
        if values.strides[0] != 0:
            found = lame_parameters(self.layout, np.asarray(values, np.float64))
        else:
            # Those of the model, which do not change.
            if self._moduli is None:
                self._moduli = lame_parameters(self.layout, np.asarray(values[:1], np.float64))
            found = self._moduli
        shape = (self.layout.num_worlds, *found.shape[1:])
        return np.broadcast_to(found, shape).reshape(self.layout.num_instances, -1, 2)

    def targets(self) -> NDArray[np.float64]:
        """Targets of all instances as `NodeTarget` takes them, (num_instances, num_vertices, 4)."""
        layout, engine = self.layout, self.engine
        found = np.ones((layout.num_instances, layout.num_vertices, 4))
        found[..., :3] = self.gathered("flexvert_xpos", "nodes", None)
        found[:, layout.moved, 3] = 0.0
        if self._held:
            rows = self.columns("free_rows").table
            shape = (layout.num_instances, len(layout.free), 3)
            active = engine.read("eq_active")[:, rows].reshape(shape).astype(bool)
            start = layout.origins.reshape(layout.matches, -1, 3)[:, layout.free]
            start = start + engine.compiled.mj.qpos0[layout.free_qpos].reshape(start.shape)
            offset = engine.param("eq_data")[:, rows, 0].reshape(shape)
            target = np.tile(start, (layout.num_worlds, 1, 1)) + offset
            found[:, layout.free, :3] = np.where(active, target, found[:, layout.free, :3])
            found[:, layout.free, 3] = ~active[..., 0]
        return found

    # -- writing -------------------------------------------------------------------------------

    def scatter(self, field: str, table: str, values: NDArray[Any], rows: Ids | None) -> None:
        """Set checked values of some instances in a state field of the engine.

        Args:
            field: the field.
            table: the layout's columns.
            values: shape (rows, columns) or what has as many numbers.
            rows: instances; None: all.
        """
        # Kernels copy numbers, and what is active are truth values.
        copies = HostCopies(self) if field == "eq_active" else self.copies
        copies.scatter(field, table, values.reshape(len(values), -1), rows, None)

    def scatter_directly(
        self, field: str, values: wp.array, selection: DeviceSelection, first: int = 0
    ) -> bool:
        """Set what is on the device without looking at it.

        Args:
            field: ``qpos`` or ``qvel``.
            values: numbers, shape (rows, num_vertices, components).
            selection: which instances.
            first: component of the values to begin with.

        Returns:
            Whether it could be done: not for kinematic bodies.
        """
        layout = self.layout
        if len(layout.moved):
            return False
        starts, origins = self._places(field)
        wp.launch(
            kernels.scatter_nodes,
            selection.size((layout.num_instances, layout.num_vertices)),
            inputs=[*selection.arguments, values, first, starts, origins],
            outputs=[self.arrays.state(field)],
            device=self.device,
        )
        engine: Any = self.engine
        engine.touch_device(selection.worlds(layout.matches), field)
        return True

    def _places(self, field: str) -> tuple[wp.array, wp.array]:
        """Columns of the vertices' coordinates in a field, and what they are counted from."""
        name = "node_qpos" if field == "qpos" else "node_dofs"
        if field not in self._origins:
            offset = (
                self.layout.origins if field == "qpos" else np.zeros((*self.layout.nodes.shape, 3))
            )
            self._origins[field] = wp.array(offset, dtype=wp.vec3f, device=self.device)
        return self._table("layout", name), self._origins[field]

    def release(self, rows: Ids | DeviceSelection | None) -> None:
        """Release the vertices of some instances that are held at targets; None: of all."""
        if not self._held:
            return
        columns = self.columns("free_rows")
        if isinstance(rows, DeviceSelection) or self.copies.by_kernels:
            if self.holding:
                self._release(rows)
            return
        active = self.engine.state("eq_active")
        for worlds, where, _ in columns.parts(rows, None):
            at = slice(None) if worlds is None else worlds
            if active[at][:, where].any():
                count = self.layout.num_instances if rows is None else len(rows)
                columns.scatter(np.zeros((count, where.size)), active, rows, None)
                self.engine.touch(columns.worlds(rows), "eq_active")
                return

    def _release(self, rows: Ids | DeviceSelection | None) -> None:
        if not isinstance(rows, DeviceSelection):
            rows = DeviceSelection.of(rows, None, self.device)
        engine: Any = self.engine
        table = self._table("layout", "free_rows")
        wp.launch(
            kernels.release_nodes,
            rows.size((self.layout.num_instances, table.shape[1])),
            inputs=[*rows.arguments, table],
            outputs=[self.arrays.state("eq_active")],
            device=self.device,
        )
        engine.touch_device(rows.worlds(self.layout.matches), "eq_active")

    @property
    def _held(self) -> bool:
        """Whether there are constraints that can hold vertices."""
        return self.layout.free_rows.size > 0

    # -- inside --------------------------------------------------------------------------------

    def count_of(self, shape: str) -> int:
        """Number of elements of a kind of an instance; there is one root."""
        return 1 if shape == "root" else int(getattr(self.layout, self._counts[shape]))

    def _name(self, shape: str, column: int) -> str:
        return f"vertex {column}"


@dataclass(eq=False)
class NodeVectors(Launched):
    """A vector of each vertex: what NumPy gathers where it can, else what a kernel computes."""

    field: str = ""
    """Engine field with the vectors of vertices that have degrees of freedom of their own."""
    table: str = ""
    """Attribute of the layout with its columns."""

    def open(self, view: AssetView) -> Slot:
        """See `Quantity.open`."""
        if not isinstance(view, NodeView) or not view.plain:
            return super().open(view)
        array = view.allocate(self.name, self.shape, self.dtype)
        fill = view.copies.gatherer(self.field, self.table, array)
        return Slot(view, array, self.shape, self.version, fill)
