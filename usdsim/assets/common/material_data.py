"""Material data: friction and restitution of the shapes of an asset."""

from __future__ import annotations

import warp as wp

from usdsim.views import FIELDS, Quantity
from usdsim.views.quantity import Computed

from .data import AssetData, Default

__all__ = ["MaterialData"]


class MaterialData(AssetData):
    """Friction and restitution of shapes; see `MaterialWriters` for what they do."""

    default_material_properties: Default = Default("material_properties")
    """Static friction, dynamic friction and restitution at the start, shape
    (num_instances, num_shapes, 3)."""

    material_properties: Quantity[wp.array] = Computed(
        FIELDS["material_properties"].read, "geom", wp.float32, 3
    )
    """Static friction, dynamic friction and restitution, shape (num_instances, num_shapes, 3).
    Static friction has no effect."""

    @property
    def num_shapes(self) -> int:
        """Number of colliders of an instance."""
        return len(self._view.layout.geom_names)

    @property
    def shape_names(self) -> list[str]:
        """Names of the colliders, in the order of arrays."""
        return list(self._view.layout.geom_names)
