"""Surface velocities of colliders: conveyor belts and turntables."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.context import Build
from usdsim.math.rotations import cross, quat_apply, quat_conjugate, quat_from_wxyz

__all__ = ["CARRYING", "add_surface_velocities", "set_surface_velocities", "surface_velocity_of"]

Array = NDArray[np.float64]

CARRYING = "flg_surfacevel"
"""Member of a model that says whether surfaces may move; no file can set it by itself."""


def add_surface_velocities(build: Build) -> None:
    """Enable surface velocities in the spec; the engine leaves them out where none is authored."""
    for index, element in build.geoms.items():
        motion = _motion(build, index)
        if motion is not None:
            element.surfacevel = motion


def set_surface_velocities(build: Build, model: mujoco.MjModel) -> None:
    """Set the surface velocities of colliders, in the frames the engine chose."""
    for index, element in build.geoms.items():
        motion = _motion(build, index)
        if motion is not None:
            geom = element.id
            model.geom_surfacevel[geom] = surface_velocity_of(
                motion, model.geom_pos[geom], quat_from_wxyz(model.geom_quat[geom])
            )
    if any(body.kinematic and body.carries for body in build.scene.bodies):
        # What they touch is carried while they move.
        setattr(model, CARRYING, 1)


def surface_velocity_of(motion: Array, pos: Array, quat: Array) -> Array:
    """A rigid motion in a body's frame, as it is in the frame of a geom on it.

    Args:
        motion: linear velocity at the body's origin [m/s] and angular velocity [rad/s], shape (6,).
        pos: of the geom in the body [m], shape (3,).
        quat: of the geom in the body, xyzw, shape (4,).
    """
    linear, angular = motion[:3], motion[3:]
    back = quat_conjugate(quat)
    moved = quat_apply(back, linear + cross(angular, pos))
    return np.concatenate([moved, quat_apply(back, angular)])


def _motion(build: Build, index: int) -> Array | None:
    geom = build.scene.geoms[index]
    if geom.body < 0 or not geom.collides or "surfacevel" in geom.overrides:
        return None
    motion = build.scene.bodies[geom.body].surface_velocity
    return motion if motion.any() else None
