"""Rigid object configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from usdsim.assets.common.cfg import BodyAssetCfg

from .rigid_object import RigidObject

__all__ = ["RigidObjectCfg"]


@dataclass(kw_only=True)
class RigidObjectCfg(BodyAssetCfg):
    """A rigid body."""

    @dataclass(kw_only=True)
    class InitialStateCfg(BodyAssetCfg.InitialStateCfg):
        """Initial pose and velocity.

        The velocities are what ``data.default_root_state`` begins with; the simulation starts with
        those authored on the stage.
        """

    class_type: type[Any] | None = RigidObject
    """Class of the asset."""
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Initial pose and velocity."""
