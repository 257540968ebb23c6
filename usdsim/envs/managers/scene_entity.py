"""Scene entities as parameters of terms: an asset or sensor, and which of its parts."""

from __future__ import annotations

from typing import Any

from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import UnknownNameError

__all__ = ["SceneEntityCfg"]

_PARTS = (
    ("joint", "find_joints"),
    ("body", "find_bodies"),
    ("fixed_tendon", "find_fixed_tendons"),
    ("object_collection", "find_objects"),
)
"""Kinds of parts, and what finds them by expressions."""


class SceneEntityCfg(DeclaredConfiguration):
    """An asset or sensor of the scene, and which of its joints, bodies, tendons or objects.

    Names are expressions; `resolve` looks them up and sets the indices. Without names, indices are
    taken as they are, and a slice stands for all.
    """

    name: str = ""
    """Name in the scene."""
    joint_names: str | list[str] | None = None
    """Expressions for joints."""
    joint_ids: list[int] | slice = slice(None)
    """Indices of the joints."""
    body_names: str | list[str] | None = None
    """Expressions for bodies."""
    body_ids: list[int] | slice = slice(None)
    """Indices of the bodies."""
    fixed_tendon_names: str | list[str] | None = None
    """Expressions for fixed tendons."""
    fixed_tendon_ids: list[int] | slice = slice(None)
    """Indices of the fixed tendons."""
    object_collection_names: str | list[str] | None = None
    """Expressions for the objects of a collection."""
    object_collection_ids: list[int] | slice = slice(None)
    """Indices of the objects."""
    preserve_order: bool = False
    """Whether parts come in the order of the expressions, rather than in that of the entity."""

    def resolve(self, scene: Any) -> None:
        """Look the names up.

        Args:
            scene: the scene.

        Raises:
            UnknownNameError: there is no such entity, or an expression matches nothing.
        """
        if self.name not in scene:
            raise UnknownNameError("scene entity", self.name, scene.keys(), "the scene")
        entity = scene[self.name]
        for kind, finder in _PARTS:
            expressions = getattr(self, f"{kind}_names")
            if expressions is None:
                continue
            find = getattr(entity, finder, None)
            if find is None:
                raise UnknownNameError(kind, expressions, (), f"{self.name!r}, which has none")
            ids, names = find(expressions, preserve_order=self.preserve_order)[:2]
            count = len(find(".*")[0])
            ids = [int(i) for i in ids]
            # All in their own order are a slice, which reads without a copy.
            setattr(self, f"{kind}_ids", slice(None) if ids == [*range(count)] else ids)
            setattr(self, f"{kind}_names", list(names))
