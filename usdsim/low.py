"""Low level of data: its engine by the public order, contacts by index, and single rays."""

from usdsim.scene.data.low import (
    LowContact,
    LowData,
    Ray,
    RaycastInfo,
    RaycastResult,
    enable_immediate_raycast,
    is_immediate_raycast_enabled,
    raycast_closest,
)

__all__ = [
    "LowContact",
    "LowData",
    "Ray",
    "RaycastInfo",
    "RaycastResult",
    "enable_immediate_raycast",
    "is_immediate_raycast_enabled",
    "raycast_closest",
]
