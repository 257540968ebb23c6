"""Locked axes of bodies: directions in world in which they cannot move or turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import cross
from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView

__all__ = ["articulated", "locked_axes", "stopped"]

Array = NDArray[np.float64]

_MASKS = ("physxRigidBody:lockedPosAxis", "physxRigidBody:lockedRotAxis")
_ALL = 7


def articulated(context: ParseContext) -> frozenset[str]:
    """Paths of bodies of articulations, on which PhysX has no locks."""
    found: set[str] = set()
    for view, desc in context.descs("Articulation"):
        found.update((view.path, *map(str, desc.articulatedBodies)))
    return frozenset(found)


def locked_axes(context: ParseContext, view: PrimView, *, able: bool) -> NDArray[np.bool_]:
    """Whether a body cannot move along, and not turn about, the axes of the world, shape (6,).

    The masks name axes of the stage, one bit each.

    Args:
        context: of the stage.
        view: the body.
        able: whether it is free and in no articulation; others have no locks.
    """
    locked = np.zeros((2, 3), np.bool_)
    if not able or "physx" not in context.quantities.precedence:
        return locked.ravel()
    turn = np.abs(context.units.to_z_up_matrix) > 0.5
    for row, name in zip(locked, _MASKS, strict=True):
        mask = view.number(name, 0.0)
        if mask not in range(_ALL + 1):
            view.invalid(name, mask, f"a sum of 1 for x, 2 for y and 4 for z, 0 to {_ALL}")
            continue
        row[:] = turn @ [bool(int(mask) & bit) for bit in (1, 2, 4)]
    return locked.ravel()


def stopped(
    locked: NDArray[np.bool_], linear: Array, angular: Array, lever: Array
) -> tuple[Array, Array]:
    """Velocities in world of a body's origin [m/s], and angular [rad/s], less what is locked.

    Args:
        locked: as `locked_axes` says.
        linear: velocity of the origin.
        angular: angular velocity.
        lever: offset of the centre of mass from the origin [m], shape (3,).
    """
    if not locked.any():
        return linear, angular
    turning = np.where(locked[3:], 0.0, angular)
    moving = np.where(locked[:3], 0.0, linear + cross(angular, lever))
    return moving - cross(turning, lever), turning
