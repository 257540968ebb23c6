"""Quantities of an asset: attributes that compute themselves when they are read and not current.

Each quantity owns one array for as long as its view lives and fills it anew when the engine
changed since the last read; on devices with it those that are usually read with it, see
`ReadGraph`. Copy what should survive a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

import numpy as np
import warp as wp

from usdsim.engine.graphs import Replay

from .memory import part_of
from .read_graph import LaunchedFill
from .usable import UsableArray, usable

if TYPE_CHECKING:
    from .view import AssetView

__all__ = [
    "Choice",
    "Components",
    "Computed",
    "Launched",
    "Quantity",
    "Shape",
    "Slot",
    "Stored",
    "Version",
]

T = TypeVar("T")

Shape = Literal[
    "root", "body", "joint", "fixed_tendon", "spatial_tendon", "geom", "node", "element"
]
"""The elements of an instance that a quantity has a value of."""

Version = Literal["motion", "forces", "parameters"]
"""The counter of the engine that tells whether a quantity is current."""


class Slot:
    """The array of one quantity in one view, and how to fill it."""

    __slots__ = ("_graph", "_seen", "_versions", "array", "filling", "public", "shape", "version")

    def __init__(
        self,
        view: AssetView,
        array: wp.array,
        shape: Shape,
        version: Version,
        filling: Callable[[], object],
    ):
        self.array = array
        """With an axis for elements, shape (num_instances, elements, ...)."""
        self.shape = shape
        self.public = usable(view.public(array, shape))
        """What users see: without that axis where there is one root."""
        self.version = version
        self.filling: Any = filling
        """Fills the array."""
        self._versions, self._graph = view.engine.versions, view.read_graph
        self._seen = -1

    def outdate(self) -> None:
        """Mark the array as stale: something else was written to it."""
        self._seen = -1

    @property
    def is_current(self) -> bool:
        """Whether the array is filled for the engine's present state."""
        return bool(getattr(self._versions, self.version) == self._seen)

    def current(self) -> wp.array:
        """Return what users see, filled for the engine's present state."""
        now = getattr(self._versions, self.version)
        if now != self._seen:
            if self._graph is None:
                self.filling()
                self._seen = now
            else:
                self._graph.fill(self)
        return self.public

    def fill(self) -> None:
        """Fill the array for the engine's present state."""
        self.filling()
        self.note_filled()

    def note_filled(self) -> None:
        """Mark the array as filled."""
        self._seen = getattr(self._versions, self.version)


class _PartSlot(Slot):
    """A part of another slot's array: current when that is."""

    __slots__ = ("_whole",)

    def __init__(self, view: AssetView, whole: Slot, array: wp.array):
        super().__init__(view, array, whole.shape, "motion", whole.current)
        self._whole = whole

    def current(self) -> wp.array:
        self._whole.current()
        return self.public


class Quantity(Generic[T]):
    """A read-only attribute of a data class, filled on reading.

    The class that has it offers its view as ``_view``.
    """

    name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, data: None, owner: type) -> Quantity[T]: ...

    @overload
    def __get__(self: Quantity[wp.array], data: Any, owner: type | None = None) -> UsableArray: ...

    @overload
    def __get__(self, data: Any, owner: type | None = None) -> T: ...

    def __get__(self, data: Any, owner: type | None = None) -> Any:
        """The quantity's array for the present state."""
        if data is None:
            return self
        view = data._view
        slot = view.slots.get(self.name)
        if slot is None or view.arrays_seen != view.engine.versions.arrays:
            slot = view.slot(self.name)
        return slot.current()

    def __set__(self, data: Any, value: Any) -> None:
        """Refuse: a quantity is not assigned.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(
            f"{self.name} is what the simulation says. Use the write_ and set_ methods of the "
            "asset to change it."
        )

    def open(self, view: AssetView) -> Slot:
        """The quantity's array in a view."""
        raise TypeError(f"{type(self).__name__} says nothing about its values")


@dataclass(eq=False)
class Stored(Quantity[wp.array]):
    """Columns of an engine array."""

    field: str
    """Engine field, or ``acceleration``."""
    table: str
    """Attribute of the layout with the columns."""
    shape: Shape
    version: Version = "motion"

    def open(self, view: AssetView) -> Slot:
        """See `Quantity.open`."""
        array = view.allocate(self.name, self.shape, wp.float32)
        fill = view.copies.gatherer(self.field, self.table, array)
        return Slot(view, array, self.shape, self.version, fill)


@dataclass(eq=False)
class Computed(Quantity[wp.array]):
    """Quantity that a function computes in NumPy, for parameters that rarely change."""

    function: Callable[[AssetView], Any]
    shape: Shape
    dtype: Any = wp.float32
    width: int = 0
    """Length of a third axis, 0 for none."""
    version: Version = "parameters"

    def open(self, view: AssetView) -> Slot:
        """See `Quantity.open`."""
        array = view.allocate(self.name, self.shape, self.dtype, self.width)
        out = array.numpy()

        def fill() -> None:
            np.copyto(out, self.function(view).reshape(out.shape), casting="same_kind")
            if view.arrays.on_gpu:
                array.assign(out)

        return Slot(view, array, self.shape, self.version, fill)


@dataclass(eq=False)
class Launched(Quantity[wp.array]):
    """Quantity that a kernel computes; its last parameter is the output.

    Inputs are named by where they are found: ``engine:xpos`` an engine array, ``layout:bodies`` an
    index table, ``model:body_rootid`` derived index arrays of the view, and any other name is a
    quantity of the same data class.
    """

    kernel: Any
    inputs: tuple[str, ...]
    shape: Shape
    dtype: Any
    width: int = 0
    version: Version = "motion"

    def open(self, view: AssetView) -> Slot:
        """See `Quantity.open`."""
        array = view.allocate(self.name, self.shape, self.dtype, self.width)
        inputs = [view.input(name) for name in self.inputs]
        arrays = [value for value, _ in inputs]
        prepare = [ready for _, ready in inputs if ready is not None]
        dim = array.shape[:2] if array.ndim > 1 else array.shape
        recorded = wp.launch(
            view.arrays.kernel(self.kernel), dim=dim, inputs=arrays, outputs=[array],
            device=view.device, record_cmd=True,
        )  # fmt: skip
        fill = LaunchedFill(Replay(recorded).launch, prepare)
        return Slot(view, array, self.shape, self.version, fill)


@dataclass(eq=False)
class Choice(Quantity[wp.array]):
    """One of two ways to compute the same, by what the asset is."""

    test: Callable[[AssetView], bool]
    """Whether the first way can be taken."""
    first: Quantity[wp.array]
    other: Quantity[wp.array]

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.first.name = self.other.name = name

    def open(self, view: AssetView) -> Slot:
        """See `Quantity.open`."""
        return (self.first if self.test(view) else self.other).open(view)


@dataclass(eq=False)
class Components(Quantity[wp.array]):
    """Components of another quantity, sharing its memory."""

    whole: str
    """The quantity they are part of."""
    first: int
    """Position of the first component."""
    dtype: Any

    def open(self, view: AssetView) -> Slot:
        """See `Quantity.open`."""
        whole = view.slot(self.whole)
        source = whole.array
        array = part_of(source, self.dtype, source.shape, source.strides, 4 * self.first)
        return _PartSlot(view, whole, array)
