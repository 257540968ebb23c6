"""Properties of tendons of an articulation, which act once they are written to the simulation."""

from __future__ import annotations

from typing import Any

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask
from usdsim.views.values import Values

__all__ = ["FixedTendonSetters", "SpatialTendonSetters"]


class FixedTendonSetters:
    """Setters of properties of fixed tendons.

    `write_fixed_tendon_properties_to_sim_index` brings them to the simulation.
    """

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @property
    def data(self) -> Any:
        """What the asset is and does."""
        raise TypeError("an asset has data")

    @writes("fixed_tendon_stiffness")
    def set_fixed_tendon_stiffness(
        self, stiffness: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of fixed tendons."""

    @writes("fixed_tendon_stiffness")
    def set_fixed_tendon_stiffness_index(
        self,
        *,
        stiffness: Values,
        fixed_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the stiffness of fixed tendons."""

    @writes("fixed_tendon_stiffness")
    def set_fixed_tendon_stiffness_mask(
        self, *, stiffness: Values, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the stiffness of fixed tendons."""

    @writes("fixed_tendon_damping")
    def set_fixed_tendon_damping(
        self, damping: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the damping of fixed tendons."""

    @writes("fixed_tendon_damping")
    def set_fixed_tendon_damping_index(
        self,
        *,
        damping: Values,
        fixed_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the damping of fixed tendons."""

    @writes("fixed_tendon_damping")
    def set_fixed_tendon_damping_mask(
        self, *, damping: Values, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the damping of fixed tendons."""

    @writes("fixed_tendon_limit_stiffness")
    def set_fixed_tendon_limit_stiffness(
        self, limit_stiffness: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of the limits of fixed tendons; 0: as stiff as the solver allows."""

    @writes("fixed_tendon_limit_stiffness")
    def set_fixed_tendon_limit_stiffness_index(
        self,
        *,
        limit_stiffness: Values,
        fixed_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the stiffness of the limits of fixed tendons; 0: as stiff as the solver allows."""

    @writes("fixed_tendon_limit_stiffness")
    def set_fixed_tendon_limit_stiffness_mask(
        self, *, limit_stiffness: Values, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the stiffness of the limits of fixed tendons; 0: as stiff as the solver allows."""

    @writes("fixed_tendon_position_limit")
    def set_fixed_tendon_position_limit(
        self, limit: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set limits of the length of fixed tendons."""

    @writes("fixed_tendon_position_limit")
    def set_fixed_tendon_position_limit_index(
        self,
        *,
        limit: Values,
        fixed_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set limits of the length of fixed tendons."""

    @writes("fixed_tendon_position_limit")
    def set_fixed_tendon_position_limit_mask(
        self, *, limit: Values, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set limits of the length of fixed tendons."""

    @writes("fixed_tendon_position_limit")
    def set_fixed_tendon_limit(
        self, limit: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set limits of the length of fixed tendons."""

    @writes("fixed_tendon_rest_length")
    def set_fixed_tendon_rest_length(
        self, rest_length: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the lengths without force of fixed tendons."""

    @writes("fixed_tendon_rest_length")
    def set_fixed_tendon_rest_length_index(
        self,
        *,
        rest_length: Values,
        fixed_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the lengths without force of fixed tendons."""

    @writes("fixed_tendon_rest_length")
    def set_fixed_tendon_rest_length_mask(
        self, *, rest_length: Values, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the lengths without force of fixed tendons."""

    @writes("fixed_tendon_offset")
    def set_fixed_tendon_offset(
        self, offset: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set what is added to the lengths of fixed tendons."""

    @writes("fixed_tendon_offset")
    def set_fixed_tendon_offset_index(
        self,
        *,
        offset: Values,
        fixed_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set what is added to the lengths of fixed tendons."""

    @writes("fixed_tendon_offset")
    def set_fixed_tendon_offset_mask(
        self, *, offset: Values, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set what is added to the lengths of fixed tendons."""

    def write_fixed_tendon_properties_to_sim(
        self, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Bring what was set of fixed tendons to the simulation.

        Args:
            fixed_tendon_ids: fixed tendons, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
        """
        self.write_fixed_tendon_properties_to_sim_index(
            fixed_tendon_ids=fixed_tendon_ids, env_ids=env_ids
        )

    def write_fixed_tendon_properties_to_sim_index(
        self, *, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Bring what was set of fixed tendons to the simulation.

        Args:
            fixed_tendon_ids: fixed tendons, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.

        Raises:
            InvalidValueError: an index is not allowed; nothing is written then.
        """
        layout = self._view.layout
        rows = selected("env_ids", env_ids, layout.num_instances)
        count = len(layout.fixed_tendon_names)
        self.data.fixed_tendon_properties.write(
            rows, selected("fixed_tendon_ids", fixed_tendon_ids, count)
        )

    def write_fixed_tendon_properties_to_sim_mask(
        self, *, fixed_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Bring what was set of fixed tendons to the simulation where masks are true.

        Args:
            fixed_tendon_mask: which fixed tendons, shape (num_fixed_tendons,); None: all.
            env_mask: which instances, shape (num_instances,); None: all.

        Raises:
            InvalidValueError: a mask is not boolean; nothing is written then.
            ShapeError: a mask has the wrong length.
        """
        layout = self._view.layout
        rows = selected_by_mask("env_mask", env_mask, layout.num_instances)
        count = len(layout.fixed_tendon_names)
        self.data.fixed_tendon_properties.write(
            rows, selected_by_mask("fixed_tendon_mask", fixed_tendon_mask, count)
        )


class SpatialTendonSetters:
    """Setters of properties of spatial tendons.

    `write_spatial_tendon_properties_to_sim_index` brings them to the simulation.
    """

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @property
    def data(self) -> Any:
        """What the asset is and does."""
        raise TypeError("an asset has data")

    @writes("spatial_tendon_stiffness")
    def set_spatial_tendon_stiffness(
        self, stiffness: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of spatial tendons."""

    @writes("spatial_tendon_stiffness")
    def set_spatial_tendon_stiffness_index(
        self,
        *,
        stiffness: Values,
        spatial_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the stiffness of spatial tendons."""

    @writes("spatial_tendon_stiffness")
    def set_spatial_tendon_stiffness_mask(
        self, *, stiffness: Values, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the stiffness of spatial tendons."""

    @writes("spatial_tendon_damping")
    def set_spatial_tendon_damping(
        self, damping: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the damping of spatial tendons."""

    @writes("spatial_tendon_damping")
    def set_spatial_tendon_damping_index(
        self,
        *,
        damping: Values,
        spatial_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the damping of spatial tendons."""

    @writes("spatial_tendon_damping")
    def set_spatial_tendon_damping_mask(
        self, *, damping: Values, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the damping of spatial tendons."""

    @writes("spatial_tendon_limit_stiffness")
    def set_spatial_tendon_limit_stiffness(
        self, limit_stiffness: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set the stiffness of the limits of spatial tendons; 0: as stiff as the solver allows."""

    @writes("spatial_tendon_limit_stiffness")
    def set_spatial_tendon_limit_stiffness_index(
        self,
        *,
        limit_stiffness: Values,
        spatial_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set the stiffness of the limits of spatial tendons; 0: as stiff as the solver allows."""

    @writes("spatial_tendon_limit_stiffness")
    def set_spatial_tendon_limit_stiffness_mask(
        self, *, limit_stiffness: Values, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set the stiffness of the limits of spatial tendons; 0: as stiff as the solver allows."""

    @writes("spatial_tendon_offset")
    def set_spatial_tendon_offset(
        self, offset: Values, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set what is added to the lengths of spatial tendons."""

    @writes("spatial_tendon_offset")
    def set_spatial_tendon_offset_index(
        self,
        *,
        offset: Values,
        spatial_tendon_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set what is added to the lengths of spatial tendons."""

    @writes("spatial_tendon_offset")
    def set_spatial_tendon_offset_mask(
        self, *, offset: Values, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set what is added to the lengths of spatial tendons."""

    def write_spatial_tendon_properties_to_sim(
        self, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Bring what was set of spatial tendons to the simulation.

        Args:
            spatial_tendon_ids: spatial tendons, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
        """
        self.write_spatial_tendon_properties_to_sim_index(
            spatial_tendon_ids=spatial_tendon_ids, env_ids=env_ids
        )

    def write_spatial_tendon_properties_to_sim_index(
        self, *, spatial_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Bring what was set of spatial tendons to the simulation.

        Args:
            spatial_tendon_ids: spatial tendons, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.

        Raises:
            InvalidValueError: an index is not allowed; nothing is written then.
        """
        layout = self._view.layout
        rows = selected("env_ids", env_ids, layout.num_instances)
        count = len(layout.spatial_tendon_names)
        self.data.spatial_tendon_properties.write(
            rows, selected("spatial_tendon_ids", spatial_tendon_ids, count)
        )

    def write_spatial_tendon_properties_to_sim_mask(
        self, *, spatial_tendon_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Bring what was set of spatial tendons to the simulation where masks are true.

        Args:
            spatial_tendon_mask: which spatial tendons, shape (num_spatial_tendons,); None: all.
            env_mask: which instances, shape (num_instances,); None: all.

        Raises:
            InvalidValueError: a mask is not boolean; nothing is written then.
            ShapeError: a mask has the wrong length.
        """
        layout = self._view.layout
        rows = selected_by_mask("env_mask", env_mask, layout.num_instances)
        count = len(layout.spatial_tendon_names)
        self.data.spatial_tendon_properties.write(
            rows, selected_by_mask("spatial_tendon_mask", spatial_tendon_mask, count)
        )
