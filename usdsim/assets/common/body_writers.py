"""Writing mass properties of the bodies of an asset."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["BodyWriters"]


class BodyWriters:
    """Writers of mass properties, in force at once; see `RootWriters` for their three forms."""

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @writes("masses")
    def set_masses(self, masses: Values, body_ids: Indices = None, env_ids: Indices = None) -> None:
        """Set the masses of bodies; their inertia stays as it is."""

    @writes("masses")
    def set_masses_index(
        self,
        *,
        masses: Values,
        body_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the masses of bodies; their inertia stays as it is."""

    @writes("masses")
    def set_masses_mask(
        self, *, masses: Values, body_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the masses of bodies; their inertia stays as it is."""

    @writes("coms")
    def set_coms(self, coms: Values, body_ids: Indices = None, env_ids: Indices = None) -> None:
        """Set centres of mass and principal axes of bodies in their links' frames."""

    @writes("coms")
    def set_coms_index(
        self,
        *,
        coms: Values,
        body_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set centres of mass and principal axes of bodies in their links' frames."""

    @writes("coms")
    def set_coms_mask(self, *, coms: Values, body_mask: Mask = None, env_mask: Mask = None) -> None:
        """Set centres of mass and principal axes of bodies in their links' frames."""

    @writes("inertias")
    def set_inertias(
        self, inertias: Values, body_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set inertias of bodies about their centres of mass in their links' axes."""

    @writes("inertias")
    def set_inertias_index(
        self,
        *,
        inertias: Values,
        body_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set inertias of bodies about their centres of mass in their links' axes."""

    @writes("inertias")
    def set_inertias_mask(
        self, *, inertias: Values, body_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set inertias of bodies about their centres of mass in their links' axes."""
