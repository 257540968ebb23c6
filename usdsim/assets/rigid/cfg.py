"""Rigid object configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from usdsim.assets.common.cfg import AssetBaseCfg

from .rigid_object import RigidObject

__all__ = ["RigidObjectCfg"]


@dataclass(kw_only=True)
class RigidObjectCfg(AssetBaseCfg):
    """A rigid body."""

    @dataclass(kw_only=True)
    class InitialStateCfg(AssetBaseCfg.InitialStateCfg):
        """Initial pose and velocity.

        The velocities are what ``data.default_root_state`` begins with; the simulation starts with
        those authored on the stage.
        """

        vectors: ClassVar[tuple[str, ...]] = ("pos", "lin_vel", "ang_vel")

        lin_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """Linear velocity in the environment's frame [m/s]."""
        ang_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """Angular velocity in the environment's frame [rad/s]."""

    class_type: type[Any] | None = RigidObject
    """Class of the asset."""
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Initial pose and velocity."""
    randomize_materials: bool = False
    """Whether friction may be written while it is simulated even in a large scene, which takes time
    in every step: the engine gets a contact pair for each two shapes that may touch."""
