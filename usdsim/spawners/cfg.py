"""Bases of the spawner configurations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pxr import Usd

from usdsim.core.configuration import Configuration
from usdsim.core.errors import UnsupportedError
from usdsim.schemas import (
    CollisionBaseCfg,
    DeformableBodyBaseCfg,
    MassPropertiesCfg,
    RigidBodyBaseCfg,
)
from usdsim.schemas.authoring.forms import check_forms

__all__ = [
    "DeformableObjectSpawnerCfg",
    "RigidObjectSpawnerCfg",
    "SpawnerCfg",
    "unset",
]


def unset(prim_path: str, cfg: SpawnerCfg, *args: Any, **kwargs: Any) -> Usd.Prim:
    """Stands for a spawn function where a configuration class has none of its own."""
    raise UnsupportedError(
        f"{type(cfg).__name__} says nothing about what to spawn at {prim_path}. "
        "Use a configuration with a `func`, such as SphereCfg or UsdFileCfg."
    )


@dataclass(kw_only=True)
class SpawnerCfg(Configuration):
    """Prims to put on the stage: ``cfg.func(prim_path, cfg, translation, orientation)``.

    Configurations are never changed by the functions they are given to.
    """

    func: Callable[..., Usd.Prim] = unset
    """Function that spawns it."""
    visible: bool = True
    """Whether it is seen."""
    semantic_tags: Sequence[tuple[str, str]] | None = None
    """Pairs of kind and label, such as ``("class", "cube")``."""
    copy_from_source: bool = True
    """Whether further copies are copies of the prims; otherwise they refer to the first one."""

    def validate(self) -> None:
        """Check the values.

        Raises:
            InvalidValueError: a value is not of its field's form.
        """
        check_forms(self)


@dataclass(kw_only=True)
class RigidObjectSpawnerCfg(SpawnerCfg):
    """Base class of what can be a rigid body."""

    mass_props: MassPropertiesCfg | None = None
    """Mass properties; None: none are authored."""
    rigid_props: RigidBodyBaseCfg | Sequence[RigidBodyBaseCfg] | None = None
    """Rigid body properties, one configuration or several; None: it is not a rigid body."""
    collision_props: CollisionBaseCfg | None = None
    """Collider properties; None: it does not collide."""
    activate_contact_sensors: bool = False
    """Whether its rigid bodies report contacts."""


@dataclass(kw_only=True)
class DeformableObjectSpawnerCfg(SpawnerCfg):
    """Base class of what can be a deformable body."""

    mass_props: MassPropertiesCfg | None = None
    """Mass properties; None: none are authored."""
    deformable_props: DeformableBodyBaseCfg | None = None
    """Deformable body properties; None: it does not deform."""
