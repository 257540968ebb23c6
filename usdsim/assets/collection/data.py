"""Rigid object collection data."""

from __future__ import annotations

from usdsim.assets.aliases import ObjectAliases
from usdsim.assets.common.material_data import MaterialData

from .body_data import ObjectBodyData

__all__ = ["RigidObjectCollectionData"]


class RigidObjectCollectionData(ObjectAliases, ObjectBodyData, MaterialData):
    """Data of collections: arrays (instance, object), under the names of objects and of bodies."""

    @property
    def object_names(self) -> list[str]:
        """Names of the objects, in the order of arrays."""
        return self.body_names
