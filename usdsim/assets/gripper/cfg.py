"""Surface gripper configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from usdsim.assets.common.cfg import AssetBaseCfg
from usdsim.core.arguments import number

from .mounts import PROPERTIES
from .surface_gripper import SurfaceGripper

__all__ = ["SurfaceGripperCfg"]


@dataclass(kw_only=True)
class SurfaceGripperCfg(AssetBaseCfg):
    """A surface gripper: prims of type ``IsaacSurfaceGripper``, or prims with one below them.

    What is None is that of the prim.
    """

    class_type: type[Any] | None = SurfaceGripper
    """Class of the asset."""
    max_grip_distance: float | None = None
    """Distance from an attachment point, along its axis, up to which things are gripped [m]."""
    coaxial_force_limit: float | None = None
    """Largest force along the axis, beyond which the gripper lets go [N]."""
    shear_force_limit: float | None = None
    """Largest force across the axis, beyond which the gripper lets go [N]."""
    retry_interval: float | None = None
    """Time for which a closing gripper looks for something to hold, and then opens [s]."""

    def validate(self) -> None:
        """Check every value; see `AssetBaseCfg.validate`."""
        super().validate()
        for name in PROPERTIES:
            value = getattr(self, name)
            if value is not None:
                number(f"{type(self).__name__}.{name}", value, above=False)
