"""Asset data base class, and arrays in it that belong to the user."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.arguments import number
from usdsim.core.errors import NamesAbsent
from usdsim.views import FIELDS, AssetView
from usdsim.views.memory import part_of
from usdsim.views.usable import usable
from usdsim.views.values import broadcast

__all__ = ["AssetData", "Default", "open_default_states"]


class Default:
    """An array of an asset's data that the user writes: in place, or by assigning values.

    The simulation never reads it by itself; it is there to be written back on a reset.

    Args:
        row: row of the field table that it starts with; empty: the class of the data makes it.
        dtype: type of an element.
    """

    name = ""

    def __init__(self, row: str = "", dtype: Any = wp.float32):
        self.row, self.dtype = row, dtype

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, data: AssetData | None, owner: type | None = None) -> Any:
        """The array."""
        return self if data is None else usable(data.defaults[self.name])

    def __set__(self, data: AssetData, values: Any) -> None:
        """Copy values into the array; they may broadcast to its shape.

        Raises:
            ShapeError: they do not.
            InvalidValueError: they are not finite numbers.
        """
        array = data.defaults[self.name]
        shape = (*array.shape, *getattr(array.dtype, "_shape_", ()))
        array.assign(np.array(broadcast(self.name, values, shape), dtype=np.float32))


class AssetData(NamesAbsent):
    """State and parameters of an asset, always for the present state of the simulation.

    Arrays stay the same objects while the simulation runs, and are filled anew when they are read
    after something changed. Copy what should survive a step.

    Args:
        view: window of the asset on the engine.
        initial: pose and velocity each root starts with in its environment's frame, as rows of
            position, quaternion xyzw, linear and angular velocity, shape (num_roots, 13).

    Attributes:
        defaults: arrays of the `Default` attributes by name.
        is_primed: whether everything in it is there; True once the asset is initialized.
        time: what `update` was told of since the start [s].
    """

    def __init__(self, view: AssetView, initial: NDArray[np.float64]):
        self._view = view
        self.defaults: dict[str, wp.array] = {}
        self.is_primed = False
        self.time = 0.0
        self._open_defaults(initial)

    def _absent(self, name: str) -> tuple[str, str]:
        view = vars(self).get("_view")
        return "data" if view is None else f"data of {view.layout.title}", ""

    def _open_defaults(self, initial: NDArray[np.float64]) -> None:
        """Create the arrays of the `Default` attributes."""
        view = self._view
        for name, default in inspect.getmembers_static(type(self)):
            if isinstance(default, Default) and default.row:
                values = np.array(FIELDS[default.row].read(view), np.float32)
                self.defaults[name] = wp.array(values, dtype=default.dtype, device=view.device)

    @property
    def device(self) -> str:
        """Device of the arrays."""
        return str(self._view.device)

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies, in the order of arrays."""
        return list(self._view.layout.body_names)

    def update(self, dt: float) -> None:
        """Accept that time went by; data need no update to be current.

        Args:
            dt: time since the last call [s].

        Raises:
            InvalidValueError: the time is negative or not finite.
        """
        self.time += number("dt", dt, above=False)


def open_default_states(
    view: AssetView, initial: NDArray[np.float64], prefix: str
) -> dict[str, wp.array]:
    """Arrays of states to reset to, and of their poses and velocities, which share memory.

    Args:
        view: window of an asset.
        initial: what they start as, shape (num_roots, 13).
        prefix: of the names, such as ``default_root``.

    Returns:
        Arrays by name, ``<prefix>_state`` of shape (num_instances, num_roots, 13), and
        ``<prefix>_pose`` and ``<prefix>_vel``, (num_instances, num_roots) of transformf and
        spatial_vectorf, without the axis of the root where there is one.
    """
    rows = np.broadcast_to(initial, (view.layout.num_instances, *initial.shape))
    whole = wp.array(np.array(rows, np.float32), dtype=wp.float32, device=view.device)

    def part(first: int, dtype: Any) -> wp.array:
        array = part_of(whole, dtype, whole.shape[:2], whole.strides[:2], 4 * first)
        return view.public(array, "root")

    return {
        f"{prefix}_state": view.public(whole, "root"),
        f"{prefix}_pose": part(0, wp.transformf),
        f"{prefix}_vel": part(7, wp.spatial_vectorf),
    }
