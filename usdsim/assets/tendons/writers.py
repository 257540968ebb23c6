"""Properties of tendons of an articulation, which act once they are written to the simulation."""

from __future__ import annotations

from usdsim.assets.writers import TendonRows
from usdsim.views.selection import Indices, Mask, selected, selected_by_mask
from usdsim.views.values import Values

__all__ = ["TendonWriters"]


class TendonWriters(TendonRows):
    """Setters of properties of tendons, and writers that bring them to the simulation."""

    def set_fixed_tendon_limit(
        self, limit: Values, fixed_tendon_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set limits of the length; another name of `set_fixed_tendon_position_limit`.

        Args:
            limit: limits of the length (lower, upper) [m], shape
                (len(env_ids), len(fixed_tendon_ids), 2) or what broadcasts to it.
            fixed_tendon_ids: fixed tendons, as indices or a slice; None: all.
            env_ids: instances, as indices or a slice; None: all.
        """
        self.set_fixed_tendon_position_limit(limit, fixed_tendon_ids, env_ids)

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
