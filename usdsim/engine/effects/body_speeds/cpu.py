"""Speed limits of bodies, and what keeps free ones at them after each step."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import Rows, checked_ids
from usdsim.engine.trees import last_dofs
from usdsim.math.rotations import cross, quat_apply, quat_from_axis_angle, quat_multiply

__all__ = ["BodySpeeds", "kept_share"]

Array = NDArray[np.float64]
_FREE = int(mujoco.mjtJoint.mjJNT_FREE)


def _lone_bodies(model: mujoco.MjModel) -> NDArray[np.bool_]:
    """Whether each body is free and nothing hangs on it, shape (nbody,)."""
    free = np.zeros(model.nbody, np.bool_)
    free[model.jnt_bodyid[model.jnt_type == _FREE]] = True
    return free & (np.bincount(model.body_parentid, minlength=model.nbody) == 0)


def _moving_bodies(model: mujoco.MjModel) -> NDArray[np.bool_]:
    """Whether each body is moved by joints and is no point of a deformable one, shape (nbody,)."""
    moving = last_dofs(model) >= 0
    moving[model.flex_vertbodyid[model.flex_vertbodyid >= 0]] = False
    return moving


class BodySpeeds:
    """Largest speeds of bodies in each world, which `beyond` and `clamp` enforce of free ones.

    After a step, a free body beyond a limit on which nothing hangs keeps the direction of its
    velocity and gets the limit as its size. Positions give back what the excess has moved them.
    Of all others see `LinkSpeeds`.

    Args:
        compiled: the model; its scene says what the limits are at first.
        num_envs: number of worlds.

    Attributes:
        values: limits of the centre of mass [m/s] and of the rotation [rad/s], infinite where there
            is none, shape (num_envs, nbody, 2).
        bodies: those with a limit in any world that are free and carry no others.
        links: the others with a limit in any world, ascending.
    """

    values: Array
    bodies: NDArray[np.intp]
    links: NDArray[np.intp]

    def __init__(self, compiled: CompiledModel, num_envs: int):
        self._compiled = compiled
        self._able = _moving_bodies(compiled.mj)
        self._lone = _lone_bodies(compiled.mj)
        limits = np.full((compiled.mj.nbody, 2), np.inf)
        for body in compiled.scene.bodies:
            speeds = body.max_linear_velocity, body.max_angular_velocity
            index = compiled.names.find("body", body.path) if np.isfinite(speeds).any() else None
            if index is not None and self._able[index]:
                limits[index] = speeds
        self._store(np.repeat(limits[None], num_envs, axis=0))

    def __len__(self) -> int:
        return len(self.bodies)

    def set(
        self, values: ArrayLike, worlds: NDArray[np.intp] | None, bodies: ArrayLike | None
    ) -> None:
        """Change limits of some worlds and bodies.

        Args:
            values: what broadcasts to (worlds, bodies, 2) [m/s, rad/s].
            worlds: which; None: all.
            bodies: indices or a mask; None: all that joints move.

        Raises:
            InvalidValueError: a value is negative or not a number.
            UnsupportedError: no joint moves a body.
        """
        model = self._compiled.mj
        chosen = np.flatnonzero(self._able)
        if bodies is not None:
            chosen = checked_ids("bodies of the speed limit", bodies, model.nbody)
        wrong = chosen[~self._able[chosen]]
        if len(wrong):
            path = self._compiled.names.paths("body")[int(wrong[0])]
            raise UnsupportedError(
                f"Body {wrong[0]} ({path!r}) has no speed limit: no joint moves it. Bodies that "
                "are free or hang on joints have one."
            )
        numbers = np.asarray(values, np.float64)
        if not (numbers >= 0.0).all():
            shown = float(numbers[~(numbers >= 0.0)].flat[0])
            raise InvalidValueError("speed limit of a body", shown, "zero or more; inf for none")
        rows = np.arange(len(self.values)) if worlds is None else worlds
        result = np.array(self.values)
        result[np.ix_(rows, chosen)] = numbers
        self._store(result)

    def beyond(self, velocities: Array, rows: Rows) -> NDArray[np.bool_] | None:
        """Whether any body of a world may be beyond its limits, shape (n,); None: nowhere.

        Args:
            velocities: of the worlds in `rows` [m/s or rad/s], shape (n, nv).
            rows: what picks them.
        """
        limits = self.values[rows][:, self.bodies]
        parts = velocities[:, self._dofs]
        turning = np.linalg.norm(parts[..., 3:], axis=-1)
        moving = np.linalg.norm(parts[..., :3], axis=-1) + turning * self._reach
        over = (moving > limits[..., 0]) | (turning > limits[..., 1])
        return np.asarray(over.any(axis=1)) if np.count_nonzero(over) else None

    def clamp(
        self, batch: mjbatch.Batch, worlds: NDArray[np.intp], timestep: Array
    ) -> NDArray[np.intp]:
        """Enforce the limits in the state of some worlds; returns those that were over one.

        Args:
            batch: the worlds.
            worlds: those that may be.
            timestep: of every world of the batch [s].
        """
        positions, velocities = batch.bind("qpos"), batch.bind("qvel")
        velocity = velocities[worlds[:, None, None], self._dofs]
        quat = np.roll(positions[worlds[:, None, None], self._quats], -1, axis=-1)
        own = batch.expanded("body_ipos")
        com = self._com[None] if own is None else own[worlds[:, None], self.bodies]
        limits = self.values[worlds][:, self.bodies]
        turning = velocity[..., 3:]
        moving = velocity[..., :3] + quat_apply(quat, cross(turning, com))
        slow = moving * kept_share(moving, limits[..., 0])[..., None]
        fast = turning * kept_share(turning, limits[..., 1])[..., None]
        over = ((slow != moving) | (fast != turning)).any(axis=-1)
        new = np.concatenate([slow - quat_apply(quat, cross(fast, com)), fast], axis=-1)
        change = np.where(over[..., None], velocity - new, 0.0)
        velocities[worlds[:, None, None], self._dofs] = velocity - change
        step = np.asarray(timestep)[worlds][:, None, None]
        places = self._quats[:, :3] - 3
        positions[worlds[:, None, None], places] -= step * change[..., :3]
        turn = -step * change[..., 3:]
        angle = np.linalg.norm(turn, axis=-1)
        axis = turn / np.maximum(angle, np.finfo(np.float64).tiny)[..., None]
        turned = quat_multiply(quat, quat_from_axis_angle(axis, angle))
        turned = np.where(over[..., None], turned, quat)
        positions[worlds[:, None, None], self._quats] = np.roll(turned, 1, axis=-1)
        return worlds[over.any(axis=1)]

    def _store(self, values: Array) -> None:
        model = self._compiled.mj
        values.flags.writeable = False
        self.values = values
        limited = np.isfinite(values).any(axis=(0, 2))
        self.bodies = np.flatnonzero(limited & self._lone)
        self.links = np.flatnonzero(limited & ~self._lone)
        joints = model.body_jntadr[self.bodies]
        self._dofs = model.jnt_dofadr[joints][:, None] + np.arange(6)
        self._quats = model.jnt_qposadr[joints][:, None] + np.arange(3, 7)
        self._com = np.array(model.body_ipos[self.bodies])
        self._reach = np.linalg.norm(self._com, axis=-1)


def kept_share(vectors: Array, limits: Array) -> Array:
    """Share of each vector that is as long as its limit; 1 for those that are no longer."""
    size = np.linalg.norm(vectors, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(size > limits, limits / size, 1.0))
