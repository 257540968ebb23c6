"""Root writers on a device: poses and velocities by kernels, without the host's help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.layout import FIXED, FREE, MOCAP

from .kernels import write_root_poses, write_root_velocities

if TYPE_CHECKING:
    from usdsim.views.view import AssetView

__all__ = ["DeviceRoots"]

Ids = NDArray[np.intp]
_LED = ("mocap_pos", "mocap_quat")
"""Fields of the poses of kinematic roots."""
_INERTIAL = ("body_ipos", "body_iquat")
"""Fields of centres of mass and principal axes in links."""


class DeviceRoots:
    """Writes the roots of an asset that are free or kinematic.

    Args:
        view: window of the asset on the engine of a device.
    """

    def __init__(self, view: AssetView):
        self._view = view
        layout = view.layout
        kinds = set(layout.root_kinds.reshape(-1).tolist())
        self.placed = FIXED not in kinds
        """Whether poses of all roots can be written: none is fixed."""
        self._moves = FREE in kinds
        self._fields = [*(["qpos"] if FREE in kinds else []), *(_LED if MOCAP in kinds else ())]
        self._whole = layout.num_instances, layout.num_roots
        self._tables = [
            wp.array(np.ascontiguousarray(table, np.int32), dtype=wp.int32, device=view.device)
            for table in (layout.root_kinds, layout.roots, layout.root_qpos, layout.root_dofs)
        ]

    def upload(
        self, values: NDArray[Any], rows: Ids | None, ids: Ids | None
    ) -> tuple[wp.array, DeviceSelection]:
        """Upload what the host gave, checked, as `poses` and `velocities` take it."""
        device, numbers = self._view.device, np.ascontiguousarray(values, np.float32)
        selection = DeviceSelection.of(rows, ids, device)
        return wp.array(numbers, dtype=wp.float32, device=device), selection

    def poses(
        self,
        values: wp.array,
        selection: DeviceSelection,
        *,
        of_com: bool,
        rows: Ids | None = None,
    ) -> None:
        """Set poses in world, quaternions scaled to unit length.

        Args:
            values: rows of at least seven numbers, shape (rows, roots, ...).
            selection: instances and roots.
            of_com: whether they are those of centres of mass rather than of links.
            rows: instances, where the host knows them.
        """
        arrays = self._view.arrays
        kinds, bodies, starts, _ = self._tables
        self._launch(
            write_root_poses,
            selection,
            [values, of_com, kinds, bodies, starts, *map(arrays.parameter, _INERTIAL)],
            [arrays.state(field) for field in ("qpos", *_LED)],
        )
        for field in self._fields:
            self._touch(field, selection, rows)

    def velocities(
        self,
        values: wp.array,
        selection: DeviceSelection,
        *,
        of_com: bool,
        first: int = 0,
        rows: Ids | None = None,
    ) -> None:
        """Set velocities in world, linear first; roots that are not free are passed over.

        Args:
            values: rows with six numbers from `first` on, shape (rows, roots, ...).
            selection: instances and roots.
            of_com: whether they are those of centres of mass rather than of links' origins.
            first: where the numbers begin.
            rows: instances, where the host knows them.
        """
        if not self._moves:
            return
        arrays = self._view.arrays
        self._launch(
            write_root_velocities,
            selection,
            [
                *(values, first, of_com),
                *(*self._tables, arrays.parameter(_INERTIAL[0]), arrays.state("qpos")),
            ],
            [arrays.state("qvel")],
        )
        self._touch("qvel", selection, rows)

    def _launch(
        self,
        kernel: wp.Kernel,
        selection: DeviceSelection,
        inputs: list[Any],
        outputs: list[wp.array],
    ) -> None:
        wp.launch(
            kernel,
            selection.size(self._whole),
            inputs=[*selection.arguments, *inputs],
            outputs=outputs,
            device=self._view.device,
        )

    def _touch(self, field: str, selection: DeviceSelection, rows: Ids | None) -> None:
        matches = self._view.layout.matches
        known: Any = selection.worlds(matches)
        if rows is not None:
            known = np.unique(rows // matches)
        self._view.arrays.touch(field, known)
