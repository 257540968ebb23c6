"""Tendon writers: what was set of the tendons of an articulation, brought to the simulation."""

from __future__ import annotations

from usdsim.assets.common.part import AssetPart
from usdsim.views.forms import Chosen, in_forms, with_forms
from usdsim.views.selection import Indices
from usdsim.views.values import Values

__all__ = ["TendonWriters"]


@with_forms
class TendonWriters(AssetPart):
    """Writers that bring properties of tendons to the simulation."""

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
        self._view.write("fixed_tendon_position_limit", limit, env_ids, fixed_tendon_ids)

    @in_forms("write_fixed_tendon_properties_to_sim", "fixed_tendon")
    def _write_fixed(self, chosen: Chosen) -> None:
        """Bring what was set of fixed tendons to the simulation.

        Raises:
            InvalidValueError: an index or a mask is not allowed; nothing is written then.
        """
        self._data.fixed_tendon_properties.write(chosen.rows, chosen.ids)

    @in_forms("write_spatial_tendon_properties_to_sim", "spatial_tendon")
    def _write_spatial(self, chosen: Chosen) -> None:
        """Bring what was set of spatial tendons to the simulation.

        Raises:
            InvalidValueError: an index or a mask is not allowed; nothing is written then.
        """
        self._data.spatial_tendon_properties.write(chosen.rows, chosen.ids)
