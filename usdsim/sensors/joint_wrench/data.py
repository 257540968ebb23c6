"""Joint wrench sensor data."""

from __future__ import annotations

from dataclasses import dataclass

import warp as wp

__all__ = ["JointWrenchSensorData"]


@dataclass(kw_only=True, eq=False)
class JointWrenchSensorData:
    """Arrays of a joint wrench sensor. N instances, B bodies, T samples.

    The wrench on a body is what its parent exerts on it through the joint between them.
    """

    force: wp.array
    """Forces on the bodies, axes of the joint frames [N], vec3f, shape (N, B)."""
    torque: wp.array
    """Torques on the bodies about the joint frames' origins, axes of the joint frames [N m],
    vec3f, shape (N, B)."""
    force_history: wp.array
    """The last samples of the forces, newest first, zero where none was taken since the last reset
    [N], vec3f, shape (N, T, B). Without a history, T is 1 and it is `force` itself."""
    torque_history: wp.array
    """The last samples of the torques, newest first [N m], vec3f, shape (N, T, B)."""
