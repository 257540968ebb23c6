"""Elements of a `SceneModel`, by name or index, and from the engine's ids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.scene.elements.floating_base import FloatingBase
from usdsim.scene.elements.link import Link
from usdsim.scene.elements.mocap import Mocap

from .accessors import ElementAccessors
from .structure import Structure

__all__ = ["ModelElements"]


class ModelElements(ElementAccessors):
    """Elements by name or index, and from the engine's ids."""

    _structure: Structure

    @property
    def floating_bases(self) -> list[FloatingBase]:
        """All floating bases; each is named as its link."""
        return [*self._structure.bases.items]

    @property
    def mocaps(self) -> list[Mocap]:
        """All bodies moved by the user."""
        return [*self._structure.mocaps.items]

    # From engine ids -----------------------------------------------------------------------------

    def link_index_of_body(self, body: int) -> int:
        """Index of the link that an engine body is, moves as one with or hangs on; -1: none."""
        return self._structure.link_of[body] if body > 0 else -1

    def link_of_body(self, body: int) -> Link | None:
        """The link of `link_index_of_body`; None: the world."""
        index = self.link_index_of_body(body)
        return self._structure.links.items[index] if index >= 0 else None

    def body_of_link(self, body: int) -> int:
        """Index of the kinematic tree of an engine body."""
        return self._structure.body_of_root[int(self._structure.root_of(body))]

    @property
    def link_ids(self) -> NDArray[np.intp]:
        """Engine ids of the links, shape (num_links,)."""
        return self._structure.link_ids

    @property
    def site_ids(self) -> NDArray[np.intp]:
        """Engine ids of the sites, shape (num_sites,)."""
        return self._structure.site_ids

    @property
    def geom_ids(self) -> NDArray[np.intp]:
        """Engine ids of the geoms, -1 for those that are only looked at, shape (num_geoms,)."""
        return self._structure.geom_ids

    @property
    def geom_bodies(self) -> NDArray[np.intp]:
        """Engine ids of the bodies that carry the geoms, shape (num_geoms,)."""
        return self._structure.geom_bodies

    def public_geoms(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Indices of geoms from engine ids; -1 stays -1."""
        found = self._structure.geom_index
        return ids if found is None else found[ids]

    def geoms_of_body(self, body: int) -> list[int]:
        """Indices of the geoms of an engine body."""
        return [*self._structure.geoms_of_body[body]]

    @property
    def mesh_variant_sets(self) -> dict[str, list[str]]:
        """Names of the meshes of each set of variants; a place in it is a variant.

        A tuple of meshes and mesh geoms in the file is a set for these geoms.
        """
        return {name: [*meshes] for name, meshes in self._structure.variant_names.items()}

    def variant_set_of(self, geom: int) -> tuple[str | None, list[int]]:
        """Name and meshes of the set of variants of an engine geom; None and []: it has none."""
        return self._structure.variants.get(geom, (None, []))

    @property
    def joint_ids(self) -> NDArray[np.intp]:
        """Engine ids of the joints, shape (num_joints,)."""
        return self._structure.joint_ids

    @property
    def tendon_ids(self) -> NDArray[np.intp]:
        """Engine ids of the tendons, shape (num_tendons,)."""
        return self._structure.tendon_ids

    def joints_of_body(self, body: int) -> list[int]:
        """Indices of the joints of an engine body."""
        return [*self._structure.joints_of_body[body]]
