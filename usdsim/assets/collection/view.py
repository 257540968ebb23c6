"""Collection root view: a row per object and instance, those of the first object first."""

from __future__ import annotations

import numpy as np
import warp as wp

from usdsim.assets.common.root_view import RootView
from usdsim.views.selection import Indices, selected
from usdsim.views.usable import UsableArray, usable
from usdsim.views.values import Values, reshaped, to_numpy

__all__ = ["CollectionView"]


_OF_ROOTS = {"root_link_pose_w": "body_link_pose_w", "root_com_vel_w": "body_com_vel_w"}
"""Quantities of the objects by those of single roots."""


class CollectionView(RootView):
    """The window of a collection on the engine; see `RootView`.

    Rows of its getters and setters are objects of instances, as `reshape_data_to_view` of the
    collection orders them.
    """

    @property
    def count(self) -> int:
        """Number of objects in all instances."""
        return self.layout.num_instances * self.layout.num_bodies

    @property
    def prim_paths(self) -> list[str]:
        """Prim path of each row."""
        return [path for paths in zip(*self.link_paths, strict=True) for path in paths]

    def read(self, name: str) -> UsableArray:
        """A copy of a quantity of the data, in one row per object and instance.

        Raises:
            StageError: the collection has none of this name.
        """
        found = super().read(_OF_ROOTS.get(name, name))
        rows = np.ascontiguousarray(found.numpy().swapaxes(0, 1)).reshape(-1, *found.shape[2:])
        return usable(wp.array(rows, dtype=wp.float32, device=self.device))

    def put(self, field: str, values: Values, indices: Indices = None) -> None:
        """Write a row of the field table, of values of all rows.

        Args:
            field: the row of the table.
            values: in the shape `read` gives.
            indices: which rows are written; None: all.
        """
        instances, objects = self.layout.num_instances, self.layout.num_bodies
        given = to_numpy(values)
        data = reshaped(field, given, (objects, instances, *given.shape[1:])).swapaxes(0, 1)
        rows = selected("indices", indices, self.count)
        chosen = np.arange(self.count) if rows is None else np.asarray(rows)
        for column in range(objects):
            here = chosen[chosen // instances == column] % instances
            if here.size:
                self.write(field, data[here, column][:, None], here, [column])
