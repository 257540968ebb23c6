"""Rigid object collection configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from usdsim.assets.rigid.cfg import RigidObjectCfg
from usdsim.core.arguments import of_kind
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError

from .rigid_object_collection import RigidObjectCollection

__all__ = ["RigidObjectCollectionCfg"]


@dataclass(kw_only=True)
class RigidObjectCollectionCfg(Configuration):
    """Rigid objects that are read and written together."""

    class_type: type[Any] | None = RigidObjectCollection
    """Class of the asset."""
    rigid_objects: dict[str, RigidObjectCfg] = field(default_factory=dict)
    """The objects by name; their order is that of arrays."""

    @property
    def debug_vis(self) -> bool:
        """Whether frames of any object are drawn on the stage from the start."""
        return any(cfg.debug_vis for cfg in self.rigid_objects.values())

    def validate(self) -> None:
        """Check every value.

        Raises:
            InvalidValueError: there is no object, or a value of one is not allowed.
            StageError: an object has no prim path.
        """
        if not isinstance(self.rigid_objects, Mapping) or not self.rigid_objects:
            raise InvalidValueError(
                f"{type(self).__name__}.rigid_objects",
                self.rigid_objects,
                "a mapping of one RigidObjectCfg or more by name",
            )
        for name, cfg in self.rigid_objects.items():
            of_kind(f"rigid_objects[{name!r}]", cfg, RigidObjectCfg).validate()
