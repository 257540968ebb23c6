"""Scene entities as parameters of terms: an asset or sensor, and which of its parts."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError, UnknownNameError

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

    Names are expressions; `resolve` looks them up and sets the indices. Without names, the names
    are those of the indices, and a slice stands for all.
    """

    resolves_names: ClassVar[bool] = True
    """Whether expressions become the names they match, and all parts a slice, which reads without a
    copy; otherwise expressions stay, and only the names of all parts give a slice."""

    name: str = ""
    """Name in the scene."""
    joint_names: str | list[str] | None = None
    """Expressions for joints."""
    joint_ids: list[int] | slice = slice(None)
    """Indices of the joints; one may come as a number."""
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
            InvalidValueError: there is no part of an index.
        """
        if self.name not in scene:
            raise UnknownNameError("scene entity", self.name, scene.keys(), "the scene")
        entity = scene[self.name]
        for kind, finder in _PARTS:
            expressions, given = getattr(self, f"{kind}_names"), getattr(self, f"{kind}_ids")
            if isinstance(given, Integral):
                given = [int(given)]
                setattr(self, f"{kind}_ids", given)
            if expressions is None and isinstance(given, slice):
                continue
            find = getattr(entity, finder, None)
            if find is None:
                raise UnknownNameError(
                    kind, expressions or given, (), f"{self.name!r}, which has none"
                )
            every = [*find(".*")[1]]
            if expressions is None:
                setattr(self, f"{kind}_names", self._named(kind, given, every))
                continue
            ids, names = find(expressions, preserve_order=self.preserve_order)[:2]
            ids = [int(i) for i in ids]
            if not self.resolves_names:
                names = [expressions] if isinstance(expressions, str) else expressions
            whole = ids == [*range(len(every))] and (self.resolves_names or [*names] == every)
            setattr(self, f"{kind}_ids", slice(None) if whole else ids)
            setattr(self, f"{kind}_names", list(names))

    def _named(self, kind: str, ids: Any, names: list[str]) -> list[str]:
        """Names of the parts of a kind with these indices."""
        count = len(names)
        if any(not -count <= int(i) < count for i in ids):
            raise InvalidValueError(
                f"{kind}_ids of {self.name!r}", list(ids), f"indices from 0 to {count - 1}"
            )
        return [names[int(i)] for i in ids]
