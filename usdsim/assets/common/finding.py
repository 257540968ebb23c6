"""Finding bodies of an asset by name."""

from __future__ import annotations

from collections.abc import Sequence

from usdsim.core.names import match_names

from .part import AssetPart

__all__ = ["BodyFinder", "ShapeFinder"]


class BodyFinder(AssetPart):
    """Names of the bodies of an asset or a sensor."""

    @property
    def _where(self) -> str:
        """What has the bodies, in messages."""
        return self._view.layout.title

    @property
    def num_bodies(self) -> int:
        """Number of bodies of an instance."""
        return self._view.layout.num_bodies

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies, in the order of arrays."""
        return list(self._view.layout.body_names)

    def find_bodies(
        self, name_keys: str | Sequence[str], preserve_order: bool = False
    ) -> tuple[list[int], list[str]]:
        """Bodies whose names match.

        Args:
            name_keys: a regular expression for whole names, or several.
            preserve_order: whether the order is that of the expressions rather than of the bodies.

        Returns:
            Indices and names.

        Raises:
            UnknownNameError: an expression matches no body.
            InvalidValueError: an expression is none, or two of them match one body.
        """
        return match_names(
            name_keys,
            self.body_names,
            preserve_order=preserve_order,
            kind="body",
            where=self._where,
        )


class ShapeFinder(BodyFinder):
    """Names of the bodies and colliders of an asset."""

    @property
    def num_shapes(self) -> int:
        """Number of colliders of an instance."""
        return len(self._view.layout.geom_names)

    @property
    def shape_names(self) -> list[str]:
        """Names of the colliders, in the order of arrays."""
        return list(self._view.layout.geom_names)
