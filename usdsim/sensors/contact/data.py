"""Contact sensor data."""

from __future__ import annotations

from dataclasses import dataclass

from usdsim.views.usable import UsableArray

__all__ = ["ContactSensorData"]


@dataclass(kw_only=True, eq=False)
class ContactSensorData:
    """Arrays of a contact sensor. N instances, B bodies, M filters, T samples.

    Forces are what the bodies undergo, normal and friction forces together.
    """

    net_forces_w: UsableArray
    """Sum of contact forces on each body, world [N], vec3f, shape (N, B)."""
    net_forces_w_history: UsableArray
    """The last samples of it, newest first, zero where none was taken since the last reset [N],
    vec3f, shape (N, T, B). Without a history, T is 1 and it is `net_forces_w` itself."""
    force_matrix_w: UsableArray | None = None
    """Contact forces on each body by each filter, world [N], vec3f, shape (N, B, M); None without
    filters."""
    force_matrix_w_history: UsableArray | None = None
    """The last samples of it, newest first [N], vec3f, shape (N, T, B, M); None without filters."""
    contact_pos_w: UsableArray | None = None
    """Mean of the points where each body is pressed by each filter: middles of overlaps, where the
    engine's forces act, world, NaN where none is [m], vec3f, shape (N, B, M); None unless
    tracked."""
    friction_forces_w: UsableArray | None = None
    """Sum of what rubs each body along the surfaces of each filter, world [N], vec3f, shape
    (N, B, M); None unless tracked."""
    last_air_time: UsableArray | None = None
    """Time without contact before the last contact began [s], shape (N, B); None unless tracked."""
    current_air_time: UsableArray | None = None
    """Time since contact was lost, 0 in contact [s], shape (N, B); None unless tracked."""
    last_contact_time: UsableArray | None = None
    """Time in contact before contact was last lost [s], shape (N, B); None unless tracked."""
    current_contact_time: UsableArray | None = None
    """Time since contact began, 0 in the air [s], shape (N, B); None unless tracked."""
    pos_w: UsableArray | None = None
    """Positions of the bodies, world [m], vec3f, shape (N, B); None unless tracked."""
    quat_w: UsableArray | None = None
    """Orientations of the bodies, world, xyzw, quatf, shape (N, B); None unless tracked."""
