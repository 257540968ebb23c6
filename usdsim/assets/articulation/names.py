"""Articulation names: joints and tendons by name, and their order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.part import AssetPart
from usdsim.core.errors import UnknownNameError
from usdsim.core.names import match_names
from usdsim.views.selection import Indices, selected

from .layout import ArticulationElements

__all__ = ["ArticulationNames"]

Found = tuple[list[int], list[str]]
"""Indices and names."""


class ArticulationNames(AssetPart):
    """Names and numbers of joints and tendons, and where bodies and joints are in the engine.

    Args:
        owner: the articulation.
    """

    @property
    def num_joints(self) -> int:
        """Number of hinges and slides."""
        return self._view.layout.num_joints

    @property
    def num_fixed_tendons(self) -> int:
        """Number of fixed tendons."""
        return len(self.fixed_tendon_names)

    @property
    def num_spatial_tendons(self) -> int:
        """Number of spatial tendons."""
        return len(self.spatial_tendon_names)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, in the order of arrays."""
        return list(self._view.layout.joint_names)

    @property
    def ball_joint_names(self) -> list[str]:
        """Names of the ball joints, which are in no array of joints."""
        return list(self._found.ball_joint_names)

    @property
    def fixed_tendon_names(self) -> list[str]:
        """Names of the fixed tendons: those of the joints that are their roots."""
        return list(self._view.layout.fixed_tendon_names)

    @property
    def spatial_tendon_names(self) -> list[str]:
        """Names of the spatial tendons: those of the prims of their root attachments."""
        return list(self._view.layout.spatial_tendon_names)

    # -- order ---------------------------------------------------------------------------------

    @property
    def backend_joint_names(self) -> list[str]:
        """Names of the joints in the engine's order."""
        return list(self._found.backend_joint_names)

    @property
    def backend_body_names(self) -> list[str]:
        """Names of the bodies in the engine's order."""
        return list(self._found.backend_body_names)

    def map_joint_ids_to_backend(self, joint_ids: Indices = None) -> NDArray[np.intp]:
        """Positions of joints in the engine's order, see `backend_joint_names`.

        Args:
            joint_ids: joints, as indices or a slice; None: all.
        """
        ids = selected("joint_ids", joint_ids, self.num_joints)
        return self._found.joint_map[slice(None) if ids is None else ids].copy()

    def map_body_ids_to_backend(self, body_ids: Indices = None) -> NDArray[np.intp]:
        """Positions of bodies in the engine's order, see `backend_body_names`.

        Args:
            body_ids: bodies, as indices or a slice; None: all.
        """
        ids = selected("body_ids", body_ids, self._view.layout.num_bodies)
        return self._found.body_map[slice(None) if ids is None else ids].copy()

    # -- finding -------------------------------------------------------------------------------

    def find_joints(
        self,
        name_keys: str | Sequence[str],
        joint_subset: Sequence[str] | None = None,
        preserve_order: bool = False,
    ) -> Found:
        """Find joints by name.

        Args:
            name_keys: regular expressions that match whole names.
            joint_subset: names of the joints to search; None: all.
            preserve_order: whether the result is in the order of the expressions instead of the
                joints searched.

        Returns:
            Indices among all joints, whatever the subset, and names.

        Raises:
            UnknownNameError: an expression matches nothing, or the subset has a joint there is not.
        """
        return self._find("joint", name_keys, self.joint_names, joint_subset, preserve_order)

    def find_fixed_tendons(
        self,
        name_keys: str | Sequence[str],
        tendon_subsets: Sequence[str] | None = None,
        preserve_order: bool = False,
    ) -> Found:
        """Find fixed tendons by name.

        Args:
            name_keys: regular expressions that match whole names.
            tendon_subsets: names of the tendons to search; None: all.
            preserve_order: whether the result is in the order of the expressions instead of the
                tendons searched.

        Returns:
            Indices among all fixed tendons, whatever the subset, and names.

        Raises:
            UnknownNameError: an expression matches nothing.
        """
        names = self.fixed_tendon_names
        return self._find("fixed tendon", name_keys, names, tendon_subsets, preserve_order)

    def find_spatial_tendons(
        self,
        name_keys: str | Sequence[str],
        tendon_subsets: Sequence[str] | None = None,
        preserve_order: bool = False,
    ) -> Found:
        """Find spatial tendons by name.

        Args:
            name_keys: regular expressions that match whole names.
            tendon_subsets: names of the tendons to search; None: all.
            preserve_order: whether the result is in the order of the expressions instead of the
                tendons searched.

        Returns:
            Indices among all spatial tendons, whatever the subset, and names.

        Raises:
            UnknownNameError: an expression matches nothing.
        """
        names = self.spatial_tendon_names
        return self._find("spatial tendon", name_keys, names, tendon_subsets, preserve_order)

    def _find(
        self,
        kind: str,
        keys: str | Sequence[str],
        names: Sequence[str],
        subset: Sequence[str] | None,
        preserve_order: bool,
    ) -> Found:
        searched = list(names if subset is None else subset)
        for name in searched:
            if name not in names:
                raise UnknownNameError(kind, name, names, self._view.layout.title)
        _, found = match_names(
            keys, searched, preserve_order=preserve_order, kind=kind, where=self._view.layout.title
        )
        return [names.index(name) for name in found], found

    @property
    def _found(self) -> ArticulationElements:
        _ = self._view
        found: ArticulationElements = self._owner._elements
        return found
