"""Locked axes of free bodies, as dry friction that nothing overcomes."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.bodies import is_free
from usdsim.engine.compile.context import Build
from usdsim.math.rotations import quat_to_matrix
from usdsim.parser.description import BodyDescription

__all__ = ["set_locked_axes"]

_FIRM = 1e8
"""Acceleration [m/s^2 or rad/s^2] up to which a locked degree of freedom holds."""
_STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""Impedance of its constraint: the highest that the engine has."""
_SLANT = 1e-4
"""Angle [rad] between two axes that counts as none."""
_LEVER = 1e-4
"""Distance of a centre of mass from its origin that counts as none, relative to its radius of
gyration."""
_ONE_TURN = (
    "is locked about one axis only, which bodies are not here: lock two axes or all, or hold the "
    "body by a joint that turns about the others"
)
_SLANTED = (
    "is locked about two axes of the world, but lies across them, and is not locked here: turn the "
    "prim so that one of its axes is the one it turns about, or hold it by a revolute joint"
)
_OFF_CENTRE = (
    "is locked along an axis of the world while its centre of mass turns about its origin, and is "
    "not locked here: move the origin of the prim to the centre of mass, or lock its rotation"
)


def set_locked_axes(build: Build, model: mujoco.MjModel) -> None:
    """Make free bodies move only as their locked axes let them.

    A locked degree of freedom has dry friction, which stops it within a step and holds it against
    all else the solver knows, contacts included; poses may be written as ever. That is a lock
    along and about axes of the world where it is the same in every pose the body can have: of a
    free joint, translation is along axes of the world, and rotation about those of the body.
    """
    for body, element in zip(build.scene.bodies, build.bodies, strict=True):
        if body.locked.any() and is_free(build, body):
            dofs = int(model.body_dofadr[element.id]) + np.flatnonzero(_held(build, body))
            model.dof_frictionloss[dofs] = _FIRM * model.dof_M0[dofs]
            model.dof_solref[dofs] = 2.0 * model.opt.timestep, 1.0
            model.dof_solimp[dofs] = _STIFF


def _held(build: Build, body: BodyDescription) -> NDArray[np.bool_]:
    """Whether each degree of freedom of a free body is locked, shape (6,)."""
    linear, angular = body.locked[:3], body.locked[3:]
    held = np.zeros(6, np.bool_)
    turns = quat_to_matrix(body.initial_pose_w.quat)
    number = int(angular.sum())
    if number == 3:
        held[3:] = True
    elif number == 2:
        axis = turns[int(np.flatnonzero(~angular)[0])]
        if np.abs(axis).max() > np.cos(_SLANT):
            held[3:] = np.abs(axis) < 0.5
        else:
            build.note(body.path, _SLANTED)
    elif number == 1:
        build.note(body.path, _ONE_TURN)
    if linear.any() and _stays(body, linear, turns, held[3:]):
        held[:3] = linear
    elif linear.any():
        build.note(body.path, _OFF_CENTRE)
    return held


def _stays(
    body: BodyDescription,
    linear: NDArray[np.bool_],
    turns: NDArray[np.float64],
    held: NDArray[np.bool_],
) -> bool:
    """Whether the origin moves along locked axes as the centre of mass does, which PhysX locks."""
    free = turns[:, ~held].T
    radius = np.sqrt(body.inertia.max() / body.mass) if body.mass > 0.0 else 0.0
    if len(free) == 1:
        # About one axis, what lies along it does not move, and nothing moves along it.
        lever = np.cross(turns.T @ free[0], body.com)
        across = linear & (np.abs(free[0]) < 0.5)
        return not across.any() or bool(np.linalg.norm(lever) <= _LEVER * radius)
    return len(free) == 0 or bool(np.linalg.norm(body.com) <= _LEVER * radius)
