"""Asset view: the window of one asset on the engine, for all worlds and in its own order."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, ShapeError, UnknownNameError
from usdsim.engine.arrays import WarpArrays
from usdsim.engine.base import Engine
from usdsim.engine.trees import last_dofs
from usdsim.views.copies.device import DeviceCopies
from usdsim.views.copies.device_selection import device_selection, numbers_on_device
from usdsim.views.copies.host import HostCopies
from usdsim.views.copies.scatter import InstanceColumns
from usdsim.views.fields.table import FIELDS, FieldSpec

from .layout import AssetLayout
from .memory import part_of
from .quantity import Quantity, Shape, Slot
from .read_graph import ReadGraph
from .selection import Indices, Mask, selected, selected_by_mask
from .values import Values, broadcast, to_numpy

__all__ = ["AssetView"]

_COUNTS: dict[str, str] = {
    "root": "roots",
    "body": "bodies",
    "joint": "joints",
    "fixed_tendon": "fixed_tendons",
    "spatial_tendon": "spatial_tendons",
    "thruster": "thrusters",
    "geom": "geoms",
}


class AssetView:
    """Reads and writes the quantities of an asset by name.

    Args:
        engine: the worlds.
        layout: which elements belong to the asset.
        quantities: class whose `Quantity` attributes the view computes.
        flat: whether quantities of the one root have no axis for roots.

    Attributes:
        slots: arrays of the quantities read so far.
        buffers: arrays that belong to the asset rather than to the engine, such as targets.
        constants: numbers that its quantities need.
        read_graph: what fills quantities that are read together, on devices; None elsewhere.
        arrays_seen: version of the engine's arrays that slots refer to.
        copies: what copies between arrays of the engine and of the asset, chosen here alone.
    """

    _counts: ClassVar[Mapping[str, str]] = _COUNTS
    """Columns of the layout for each element, by kind of element."""

    def __init__(self, engine: Engine, layout: AssetLayout, quantities: type, *, flat: bool = True):
        self.engine, self.layout = engine, layout
        self.device = engine.device
        self.arrays = WarpArrays(engine)
        self.read_graph = (
            ReadGraph(engine.device, engine.versions) if self.arrays.on_device else None
        )
        self.slots: dict[str, Slot] = {}
        self.buffers: dict[str, wp.array] = {}
        self.constants: dict[str, float] = {}
        self._specs: dict[str, FieldSpec] = {}
        self._defined: dict[str, NDArray[Any]] = {}
        self._flat = flat and layout.num_roots == 1
        self._quantities = quantities
        self._allocated: dict[str, wp.array] = {}
        self._columns: dict[str, InstanceColumns] = {}
        self._tables: dict[str, wp.array] = {}
        self.arrays_seen = engine.versions.arrays
        self.copies: HostCopies | DeviceCopies = (
            DeviceCopies(self) if self.arrays.on_device else HostCopies(self)
        )

    # -- quantities ----------------------------------------------------------------------------

    def slot(self, name: str) -> Slot:
        """The slot of a quantity."""
        if self.arrays_seen != self.engine.versions.arrays:
            self.slots.clear()
            self.arrays_seen = self.engine.versions.arrays
        if name not in self.slots:
            quantity = getattr(self._quantities, name)
            if not isinstance(quantity, Quantity):
                raise InvalidValueError("quantity", name, f"those of {self._quantities.__name__}")
            self.slots[name] = quantity.open(self)
        return self.slots[name]

    def allocate(self, name: str, shape: Shape, dtype: Any, width: int = 0) -> wp.array:
        """The array of a quantity, shape (num_instances, elements[, width])."""
        if name not in self._allocated:
            count = self.count_of(shape)
            size = (self.layout.num_instances, count, *([width] if width else []))
            # The memory is another array's, so that what NumPy has of it can be kept: see `usable`.
            whole = wp.zeros(size, dtype=dtype, device=self.device)
            self._allocated[name] = part_of(whole, dtype, whole.shape, whole.strides)
        return self._allocated[name]

    def public(self, array: wp.array, shape: Shape) -> wp.array:
        """An array as users see it: without the axis of the root where there is one."""
        if shape != "root" or not self._flat:
            return array
        return part_of(
            array,
            array.dtype,
            (array.shape[0], *array.shape[2:]),
            (array.strides[0], *array.strides[2:]),
        )

    def field(self, name: str) -> NDArray[Any]:
        """An engine field of all worlds for the present state, shape (num_worlds, ...)."""
        return self.engine.acceleration() if name == "acceleration" else self.engine.read(name)

    def input(self, name: str) -> tuple[wp.array, Callable[[], object] | None]:
        """A kernel input by name, see `Launched`, and what makes it current before a launch."""
        kind, _, rest = name.rpartition(":")
        if kind == "engine":
            return self.arrays.read(rest), self.arrays.refresher(rest)
        if kind in ("layout", "model"):
            return self._table(kind, rest), None
        slot = self.slot(name)
        return slot.array, slot.current

    def count_of(self, shape: str) -> int:
        """Number of elements of a kind, such as ``joint``, of an instance."""
        return int(getattr(self.layout, self._counts[shape]).shape[1])

    def define(self, table: str, columns: NDArray[Any]) -> None:
        """Add columns to those of the layout.

        Args:
            table: their name.
            columns: column of each element, shape (matches, elements).
        """
        self._defined[table] = columns

    def columns(self, table: str) -> InstanceColumns:
        """Engine columns of the layout's elements, or of those that were added to it."""
        if table not in self._columns:
            self._columns[table] = InstanceColumns(self.elements(table))
        return self._columns[table]

    def elements(self, table: str) -> NDArray[Any]:
        """Column of each element, of the layout or added by `define`, shape (matches, elements)."""
        defined = self._defined.get(table)
        return getattr(self.layout, table) if defined is None else defined

    # -- writing -------------------------------------------------------------------------------

    def write(
        self,
        field: str,
        values: Values,
        env_ids: Indices = None,
        ids: Indices = None,
        *,
        full_data: bool = False,
    ) -> None:
        """Set a quantity of some instances and elements.

        Args:
            field: a row of the field table, such as ``joint_stiffness``.
            values: what broadcasts to (instances, elements, ...).
            env_ids: instances; None: all.
            ids: elements; None: all.
            full_data: whether values are those of all instances and elements.

        Raises:
            InvalidValueError: a value or an index is not allowed; nothing is written then.
            ShapeError: the values do not fit.
        """
        spec = self._specs.get(field) or self.spec(field)
        copies = self.copies.direct(values)
        if copies is not None and self._written_directly(
            copies, spec, values, (env_ids, ids), masks=False, full=full_data
        ):
            return
        rows, chosen = env_ids, ids
        if rows is not None:
            rows = selected(self._named("env_ids"), rows, self.layout.num_instances)
        if chosen is not None:
            chosen = selected(self._named(spec.axis.ids), chosen, self.count_of(spec.axis.shape))
        array = self.checked(field, values, rows, chosen, full_data)
        if array.size:
            spec.store.write(self, array, rows, chosen)

    def write_masked(
        self, field: str, values: Values, env_mask: Mask = None, mask: Mask = None
    ) -> None:
        """Set a quantity where masks are true; values are those of all instances and elements.

        Args:
            field: a row of the field table.
            values: what broadcasts to (num_instances, num_elements, ...).
            env_mask: booleans, shape (num_instances,); None: all.
            mask: booleans, shape (num_elements,); None: all.
        """
        spec, copies = self.spec(field), self.copies.direct(values)
        if copies is not None and self._written_directly(
            copies, spec, values, (env_mask, mask), masks=True
        ):
            return
        rows = selected_by_mask(self._named("env_mask"), env_mask, self.layout.num_instances)
        count = self.count_of(spec.axis.shape)
        chosen = selected_by_mask(self._named(spec.axis.mask), mask, count)
        array = self.checked(field, values, rows, chosen, full_data=True)
        if array.size:
            spec.store.write(self, array, rows, chosen)

    def spec(self, field: str) -> FieldSpec:
        """A row of the field table.

        Raises:
            UnknownNameError: there is none of this name for an asset of this kind.
        """
        spec = FIELDS[field]
        if spec.axis.shape not in self._counts:
            known = [name for name, row in FIELDS.items() if row.axis.shape in self._counts]
            raise UnknownNameError("field", field, known, self.layout.title)
        self._specs[field] = spec
        return spec

    def checked(
        self,
        field: str,
        values: Values,
        rows: NDArray[np.intp] | None,
        ids: NDArray[np.intp] | None,
        full_data: bool = False,
    ) -> NDArray[Any]:
        """Values of a field for a selection, shape (rows, ids, ...), checked but not written.

        Of full data, what is not selected need not be allowed.
        """
        spec = self._specs.get(field) or self.spec(field)
        count, total = self.count_of(spec.axis.shape), self.layout.num_instances
        full = (total, count, *spec.tail)
        shape = (
            total if rows is None else len(rows),
            count if ids is None else len(ids),
            *spec.tail,
        )
        array, what = to_numpy(values), f"{spec.name} of {self.layout.title}"
        whole = full_data and not (rows is None and ids is None)
        if spec.one_each and array.ndim == 1:
            array = _one_each(what, array, full if whole else shape)
        single = spec.axis.shape == "root" and count == 1
        if single and array.ndim == len(spec.tail) + 1:
            # Said in the shape that was given, without the axis of the one root.
            given = (total if whole else shape[0], *spec.tail)
            array = broadcast(what, array, given, domain=None)[:, None]

        def entry(index: tuple[int, ...]) -> str:
            row = index[0] if rows is None else int(rows[index[0]])
            column = index[1] if ids is None else int(ids[index[1]])
            return f"{self._name(spec.axis.shape, column)} in instance {row}"

        if whole:
            array = broadcast(what, array, full, domain=None)
            array = array if rows is None else array[rows]
            array = array if ids is None else array[:, ids]
        return broadcast(what, array, shape, domain=spec.domain, entry=entry)

    def write_checked(
        self,
        field: str,
        values: NDArray[Any],
        rows: NDArray[np.intp] | None,
        ids: NDArray[np.intp] | None,
    ) -> None:
        """Set a field to what `checked` gave for the same selection."""
        if values.size:
            self.spec(field).store.write(self, values, rows, ids)

    def _named(self, argument: str) -> str:
        """An argument in messages."""
        return f"{argument} of {self.layout.title}"

    def _written_directly(
        self,
        copies: DeviceCopies,
        spec: FieldSpec,
        values: Any,
        chosen: tuple[Any, Any],
        *,
        masks: bool,
        full: bool = False,
    ) -> bool:
        """Write what is on the device without looking at it, if it is in the form needed."""
        put: Callable[..., bool] | None = getattr(spec.store, "write_directly", None)
        if put is None:
            return False
        names = (spec.axis.mask, "env_mask") if masks else (spec.axis.ids, "env_ids")
        whole = self.layout.num_instances, self.count_of(spec.axis.shape)
        selection = device_selection(
            ((names[1], chosen[0], whole[0]), (names[0], chosen[1], whole[1])),
            self.device,
            masks=masks,
            full=full,
        )
        if selection is None:
            return False
        if spec.one_each and values.ndim == 1:
            values = values.reshape((values.shape[0], 1))
        width, single = math.prod(spec.tail), spec.axis.shape == "root" and whole[1] == 1
        numbers = numbers_on_device(
            values, selection.shape(whole), width, self.device, single=single
        )
        return numbers is not None and put(self, copies, numbers, selection)

    # -- inside --------------------------------------------------------------------------------

    def _name(self, shape: str, column: int) -> str:
        return str(getattr(self.layout, f"{shape}_names")[column])

    def _table(self, kind: str, name: str) -> wp.array:
        if name not in self._tables:
            source = getattr(self.layout, name) if kind == "layout" else self._model_table(name)
            self._tables[name] = wp.array(
                np.ascontiguousarray(source, dtype=np.int32), dtype=wp.int32, device=self.device
            )
        return self._tables[name]

    def _model_table(self, name: str) -> NDArray[Any]:
        """Index arrays that follow from the layout and the model."""
        model = self.engine.compiled.mj
        if name == "body_trees":
            return np.asarray(model.body_rootid[self.layout.bodies])
        if name == "body_parents":
            return np.asarray(model.body_parentid[self.layout.bodies])
        if name == "root_trees":
            return np.asarray(model.body_rootid[self.layout.roots])
        if name == "last_dofs":
            return last_dofs(model)
        return np.asarray(getattr(model, name))


def _one_each(what: str, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Values of instances, which all elements of each have in common, shape (instances, 1)."""
    if array.size not in (1, shape[0]):
        raise ShapeError(
            what,
            array.shape,
            f"{shape}, or ({shape[0]},) with one for each instance",
            "Give one for each element as an array of one row.",
        )
    return array[:, None]
