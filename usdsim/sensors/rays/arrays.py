"""Ray arrays: where rays start and point, and what they hit."""

from __future__ import annotations

from dataclasses import dataclass

import warp as wp

__all__ = ["RayArrays"]


@dataclass(frozen=True, eq=False)
class RayArrays:
    """Rays of all instances on a device, and their hits. N instances, R rays each."""

    start: wp.array
    """Starts in world [m], vec3d, shape (N, R)."""
    direction: wp.array
    """Unit vectors in world, vec3d, shape (N, R)."""
    distance: wp.array
    """Distances to the first hit [m], -1 for none, float64, shape (N, R)."""
    normal: wp.array
    """Outward normals at the hit in world, zero for none, vec3d, shape (N, R)."""

    @classmethod
    def zeros(cls, shape: tuple[int, int], device: str) -> RayArrays:
        """Arrays of zeros.

        Args:
            shape: (N, R).
            device: name of the Warp device.
        """
        types = (wp.vec3d, wp.vec3d, wp.float64, wp.vec3d)
        return cls(*(wp.zeros(shape, dtype=dtype, device=device) for dtype in types))

    @property
    def rays(self) -> list[wp.array]:
        """Starts and directions."""
        return [self.start, self.direction]

    @property
    def hits(self) -> list[wp.array]:
        """Distances and normals."""
        return [self.distance, self.normal]
