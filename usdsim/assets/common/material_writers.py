"""Writing surfaces of the shapes of an asset."""

from __future__ import annotations

from usdsim.views import AssetView, writes
from usdsim.views.selection import Indices, Mask
from usdsim.views.values import Values

__all__ = ["MaterialWriters"]


class MaterialWriters:
    """Writers of surfaces, in force at once; see `RootWriters` for their three forms.

    What a shape touches combines friction and restitution with its own, by the combine modes of the
    materials on the stage. In large scenes friction can be written only where the configuration
    says ``randomize_materials=True``; the error says so. The engine has one sliding coefficient,
    the dynamic one: static friction is kept and reported, but has no effect.
    """

    @property
    def _view(self) -> AssetView:
        raise TypeError("an asset has a view")

    @property
    def num_shapes(self) -> int:
        """Number of colliders of an instance."""
        return len(self._view.layout.geom_names)

    @property
    def shape_names(self) -> list[str]:
        """Names of the colliders, in the order of arrays."""
        return list(self._view.layout.geom_names)

    @writes("material_properties")
    def set_material_properties(
        self, materials: Values, shape_ids: Indices = None, env_ids: Indices = None
    ) -> None:
        """Set static friction, dynamic friction and restitution of shapes."""

    @writes("material_properties")
    def set_material_properties_index(
        self,
        *,
        materials: Values,
        shape_ids: Indices = None,
        env_ids: Indices = None,
        full_data: bool = False,
    ) -> None:
        """Set static friction, dynamic friction and restitution of shapes."""

    @writes("material_properties")
    def set_material_properties_mask(
        self, *, materials: Values, shape_mask: Mask = None, env_mask: Mask = None
    ) -> None:
        """Set static friction, dynamic friction and restitution of shapes."""
