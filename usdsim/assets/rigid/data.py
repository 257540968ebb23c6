"""Rigid object data."""

from __future__ import annotations

from usdsim.assets.common.body_data import BodyData
from usdsim.assets.common.material_data import MaterialData
from usdsim.assets.common.root_data import RootData

__all__ = ["RigidObjectData"]


class RigidObjectData(RootData, BodyData, MaterialData):
    """Data of rigid objects: root quantities, and the same per body with an axis of one body."""
