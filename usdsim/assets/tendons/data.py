"""Tendon data: properties of the tendons of an articulation."""

from __future__ import annotations

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.aliases import TendonAliases
from usdsim.assets.common.data import AssetData, Default
from usdsim.views import AssetView
from usdsim.views.copies.scatter import InstanceColumns

from .elements import TendonProperties, read_properties, write_properties

__all__ = ["TendonBuffers", "TendonData"]

Ids = NDArray[np.intp]

_PROPERTIES = {
    "stiffness": "stiffness",
    "damping": "damping",
    "limit_stiffness": "limit_stiffness",
    "offset": "offset",
    "rest_length": "rest_length",
    "position_limit": "limits",
}
"""Names in the field table, and attributes of `TendonProperties`."""
_PUBLIC = {"position_limit": "pos_limits"}
"""Names of data where they are others than those of the field table."""
_OF_KIND = {
    "fixed_tendon": tuple(_PROPERTIES),
    "spatial_tendon": ("stiffness", "damping", "limit_stiffness", "offset"),
}
"""Properties that users set of each kind."""


class TendonBuffers:
    """Properties of one kind of tendons as set, which a call brings to the engine.

    Args:
        view: window of the asset on the engine.
        kind: ``fixed_tendon`` or ``spatial_tendon``.

    Attributes:
        arrays: what users set, by name of the property.
    """

    def __init__(self, view: AssetView, kind: str):
        self._view = view
        self._columns = InstanceColumns(getattr(view.layout, f"{kind}s"))
        count = view.layout.num_instances
        self._values = read_properties(view.engine, self._columns, count)
        self.arrays: dict[str, wp.array] = {}
        for name in _OF_KIND[kind]:
            values = getattr(self._values, _PROPERTIES[name]).astype(np.float32)
            dtype = wp.vec2f if name == "position_limit" else wp.float32
            self.arrays[name] = wp.array(values, dtype=dtype, device=view.device)
            view.buffers[f"{kind}_{name}"] = self.arrays[name]

    def write(self, rows: Ids | None, ids: Ids | None) -> None:
        """Bring what was set to the engine.

        Args:
            rows: instances; None: all.
            ids: tendons; None: all.
        """
        values = {
            source: self.arrays[name].numpy().astype(np.float64)
            for name, source in _PROPERTIES.items()
            if name in self.arrays
        }
        current = TendonProperties(**{**vars(self._values), **values})
        write_properties(self._view.engine, self._columns, current, rows, ids)


class TendonData(TendonAliases, AssetData):
    """Properties of tendons, as set.

    A tendon's length is the sum of gearing times position of its joints, or the length of the line
    through its attachments. The offset is added before it is compared with rest length and limits.
    """

    fixed_tendon_stiffness: Default = Default()
    """Stiffness of fixed tendons [N/m], shape (num_instances, num_fixed_tendons)."""
    fixed_tendon_damping: Default = Default()
    """Damping of fixed tendons [N s/m], shape (num_instances, num_fixed_tendons)."""
    fixed_tendon_limit_stiffness: Default = Default()
    """Stiffness of the limits of fixed tendons, 0: as stiff as the solver allows [N/m], shape
    (num_instances, num_fixed_tendons)."""
    fixed_tendon_rest_length: Default = Default()
    """Lengths of fixed tendons without force [m], shape (num_instances, num_fixed_tendons)."""
    fixed_tendon_offset: Default = Default()
    """Offsets added to the lengths of fixed tendons [m], shape
    (num_instances, num_fixed_tendons)."""
    fixed_tendon_pos_limits: Default = Default()
    """Lower and upper limits of the lengths of fixed tendons, infinite for none [m], shape
    (num_instances, num_fixed_tendons) of vec2f."""
    spatial_tendon_stiffness: Default = Default()
    """Stiffness of spatial tendons [N/m], shape (num_instances, num_spatial_tendons)."""
    spatial_tendon_damping: Default = Default()
    """Damping of spatial tendons [N s/m], shape (num_instances, num_spatial_tendons)."""
    spatial_tendon_limit_stiffness: Default = Default()
    """Stiffness of the limits of spatial tendons, 0: as stiff as the solver allows [N/m], shape
    (num_instances, num_spatial_tendons)."""
    spatial_tendon_offset: Default = Default()
    """Offsets added to the lengths of spatial tendons [m], shape
    (num_instances, num_spatial_tendons)."""

    default_fixed_tendon_stiffness: Default = Default()
    """`fixed_tendon_stiffness` at the start [N/m], shape (num_instances, num_fixed_tendons)."""
    default_fixed_tendon_damping: Default = Default()
    """`fixed_tendon_damping` at the start [N s/m], shape (num_instances, num_fixed_tendons)."""
    default_fixed_tendon_limit_stiffness: Default = Default()
    """`fixed_tendon_limit_stiffness` at the start [N/m], shape
    (num_instances, num_fixed_tendons)."""
    default_fixed_tendon_rest_length: Default = Default()
    """`fixed_tendon_rest_length` at the start [m], shape (num_instances, num_fixed_tendons)."""
    default_fixed_tendon_offset: Default = Default()
    """`fixed_tendon_offset` at the start [m], shape (num_instances, num_fixed_tendons)."""
    default_fixed_tendon_pos_limits: Default = Default()
    """`fixed_tendon_pos_limits` at the start [m], shape (num_instances, num_fixed_tendons) of
    vec2f."""
    default_spatial_tendon_stiffness: Default = Default()
    """`spatial_tendon_stiffness` at the start [N/m], shape (num_instances, num_spatial_tendons)."""
    default_spatial_tendon_damping: Default = Default()
    """`spatial_tendon_damping` at the start [N s/m], shape (num_instances, num_spatial_tendons)."""
    default_spatial_tendon_limit_stiffness: Default = Default()
    """`spatial_tendon_limit_stiffness` at the start [N/m], shape
    (num_instances, num_spatial_tendons)."""
    default_spatial_tendon_offset: Default = Default()
    """`spatial_tendon_offset` at the start [m], shape (num_instances, num_spatial_tendons)."""

    fixed_tendon_properties: TendonBuffers
    """Buffers that bring properties of fixed tendons to the engine."""
    spatial_tendon_properties: TendonBuffers
    """Buffers that bring properties of spatial tendons to the engine."""

    @property
    def fixed_tendon_names(self) -> list[str]:
        """Names of the fixed tendons, in the order of arrays."""
        return list(self._view.layout.fixed_tendon_names)

    @property
    def spatial_tendon_names(self) -> list[str]:
        """Names of the spatial tendons, in the order of arrays."""
        return list(self._view.layout.spatial_tendon_names)

    def _open_defaults(self, initial: NDArray[np.float64]) -> None:
        super()._open_defaults(initial)
        for kind in _OF_KIND:
            buffers = TendonBuffers(self._view, kind)
            setattr(self, f"{kind}_properties", buffers)
            for name, array in buffers.arrays.items():
                public = f"{kind}_{_PUBLIC.get(name, name)}"
                self.defaults[public] = array
                self.defaults[f"default_{public}"] = wp.clone(array)
