"""Wrench slots: sums of forces and torques as they were given, before they are composed."""

from __future__ import annotations

from functools import cached_property

import warp as wp

from usdsim.core.errors import ShapeError
from usdsim.views.usable import usable

from .kernels import SLOTS, add_slots, local_forces

__all__ = ["WrenchSlots"]


class WrenchSlots:
    """Forces and torques as they were given, summed per body and frame.

    Args:
        num_instances: number of instances of the asset.
        num_bodies: number of bodies of an instance.
        device: where arrays live.

    Attributes:
        num_instances: number of instances of the asset.
        num_bodies: number of bodies of an instance.
        device: where arrays live.
        active: whether anything was added or set since the last reset of all instances.
    """

    def __init__(self, num_instances: int, num_bodies: int, device: str):
        self.num_instances, self.num_bodies, self.device = num_instances, num_bodies, device
        self._shape = num_instances, num_bodies
        self.active = False

    @cached_property
    def slots(self) -> wp.array:
        """Sums of what was given, vec3f, shape (SLOTS, num_instances, num_bodies).

        Most assets are never pushed, so there is room for them when somebody asks.
        """
        return wp.zeros((SLOTS, *self._shape), dtype=wp.vec3f, device=self.device)

    @property
    def acting(self) -> wp.array | None:
        """Sums that act: `slots`, or None where nothing does."""
        return self.slots if self.active else None

    @property
    def global_force_at_com_w(self) -> wp.array:
        """Forces given in world at centres of mass [N], vec3f, shape as `global_force_w`."""
        return usable(self.slots[3])

    @property
    def global_force_w(self) -> wp.array:
        """Forces given in world at points [N], vec3f, shape (num_instances, num_bodies)."""
        return usable(self.slots[4])

    @property
    def global_torque_w(self) -> wp.array:
        """Torques given in world [N m], vec3f, shape (num_instances, num_bodies).

        They include those of `global_force_w` about the world's origin.
        """
        return usable(self.slots[5])

    @property
    def local_force_b(self) -> wp.array:
        """Forces given in link frames [N], vec3f, shape (num_instances, num_bodies); a copy."""
        forces = wp.empty(self._shape, dtype=wp.vec3f, device=self.device)
        wp.launch(local_forces, self._shape, [self.slots], [forces], device=self.device)
        return usable(forces)

    @property
    def local_torque_b(self) -> wp.array:
        """Torques given in link frames [N m], vec3f, shape (num_instances, num_bodies).

        They include those of forces at points about the links' origins.
        """
        return usable(self.slots[2])

    def add_raw_buffers_from(self, other: WrenchSlots) -> None:
        """Add all that another composer was given, in the frames it was given in.

        Args:
            other: a composer of as many instances and bodies.

        Raises:
            ShapeError: the other one has other numbers of instances or bodies.
        """
        if other._shape != self._shape:
            raise ShapeError("what other is given for", other._shape, str(self._shape))
        if other.active:
            wp.launch(add_slots, self.slots.shape, [other.slots], [self.slots], device=self.device)
            self.active = True
