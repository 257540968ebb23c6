"""Kinematic motion: poses and velocities that are given, and the surface velocities that carry."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import assign
from usdsim.math.rotations import (
    cross,
    quat_apply,
    quat_conjugate,
    quat_from_axis_angle,
    quat_from_wxyz,
    quat_multiply,
    quat_normalize,
    quat_to_rotvec,
    quat_to_wxyz,
)

from .table import kinematic_table

__all__ = ["KinematicMotion"]

Array = NDArray[np.float64]
Ids = NDArray[np.intp]

JUMP = 50.0
"""Speed [m/s] above which a written pose is a jump rather than a motion."""
LEAD = 0.02
"""Distance [m] by which contacts may meet a body ahead of where it is, at most."""
TURN = 2.0 * np.pi * 50.0
"""Angular speed [rad/s] above which it is one."""


class KinematicMotion:
    """Motion of the kinematic bodies of every world.

    The engine knows where these bodies are, not that they move. Their velocity therefore becomes
    the surface velocity of their colliders, which contacts take as that of the surface: friction
    pulls along what rests on them, translating and turning.

    A pose that was written is where a body is at the end of the next call of step; it moves there
    evenly, and stands still after. A velocity that was written lasts. A pose and a velocity written
    together, a pose written before the first step after a reset, and one further away than `JUMP`
    allows place the body without carrying anything. Animated bodies follow their samples.

    Args:
        compiled: the model.
        num_envs: number of worlds.

    Attributes:
        table: which bodies they are.
        velocity: in world at their origins, linear first [m/s, rad/s], (num_envs, bodies, 6).
        posed: whether poses may have been written since the last step.
        rows: body that each geom of the model is on; -1: none of these, shape (ngeom,).
    """

    def __init__(self, compiled: CompiledModel, num_envs: int):
        self.table = table = kinematic_table(compiled)
        count = len(table)
        self.velocity = np.zeros((num_envs, count, 6))
        self.posed = False
        self._pos = np.zeros((num_envs, count, 3))
        self._quat = np.tile([0.0, 0.0, 0.0, 1.0], (num_envs, count, 1))
        self._seen = np.zeros((num_envs, count, 7))
        self._lasts = np.zeros((num_envs, count), np.bool_)
        self._given = np.zeros((num_envs, count), np.bool_)
        self._fresh = np.ones(num_envs, np.bool_)
        self._moves = False
        self._origin = [samples.at(0.0) for _, samples in table.samples]
        self._place = [
            (np.zeros((num_envs, len(members), 3)), np.zeros((num_envs, len(members), 4)))
            for members, _ in table.samples
        ]
        self._base = np.zeros((num_envs, len(table.geoms), 6))
        self.rows = np.full(compiled.mj.ngeom, -1)
        self.rows[table.geoms] = table.owners
        self._written: Array | None = None
        self._goal: tuple[Array, Array] | None = None

    @property
    def active(self) -> bool:
        """Whether the next step has to move anything."""
        return self.posed or self._moves or bool(self.table.samples)

    @property
    def moving(self) -> bool:
        """Whether any body has a velocity."""
        return bool(self.velocity.any())

    def row(self, body: int) -> int | None:
        """Row of an engine body; None: it is not kinematic, or moves by MuJoCo's own rule."""
        found = np.flatnonzero(self.table.bodies == body)
        return int(found[0]) if len(found) else None

    def fastest(self, reach: float) -> Array:
        """Speed that no point of a kinematic body exceeds in each world [m/s], shape (num_envs,).

        Args:
            reach: distance of points from origins of their bodies [m].
        """
        linear, angular = (np.linalg.norm(self.velocity[..., i : i + 3], axis=-1) for i in (0, 3))
        return np.asarray((linear + reach * angular).max(axis=1, initial=0.0))

    def of_points(self, world: int, geoms: NDArray[Any], points: Array) -> Array:
        """Velocity of points of geoms, zero where these are on no kinematic body [m/s].

        Args:
            world: index of the world.
            geoms: one for each point, shape (n,).
            points: where they are in world [m], shape (n, 3).
        """
        rows = self.rows[geoms]
        velocity = self.velocity[world, rows]
        found = velocity[:, :3] + cross(velocity[:, 3:], points - self._pos[world, rows])
        return np.asarray(np.where(rows[:, None] >= 0, found, 0.0))

    def set_velocity(self, values: ArrayLike, worlds: ArrayLike | None, rows: ArrayLike) -> None:
        """Set lasting velocities of bodies.

        Args:
            values: what broadcasts to (worlds, rows, 6), in world, linear first [m/s, rad/s].
            worlds: indices; None: all.
            rows: rows of the table.

        Raises:
            InvalidValueError: a number is not finite; nothing is written then.
        """
        if not np.isfinite(np.asarray(values, dtype=np.float64)).all():
            raise InvalidValueError("velocity of a kinematic body", values, "finite numbers")
        chosen = None if worlds is None else np.asarray(worlds)
        assign("velocity", self.velocity, values, chosen, rows)
        for flags in (self._given, self._lasts):
            assign("velocity", flags[..., None], [True], chosen, rows)
        self._moves = True

    def place(self, worlds: Ids | None) -> None:
        """Take poses that are written before the next step of some worlds as places; None: all."""
        self._fresh[slice(None) if worlds is None else worlds] = True

    def stepped(self, worlds: Ids | None) -> None:
        """Record steps of some worlds in which no body moved; None: of all."""
        if len(self.table):
            self._fresh[slice(None) if worlds is None else worlds] = False

    def reset(self, pos: NDArray[Any], quat: NDArray[Any], worlds: Ids | None) -> None:
        """Start anew where the worlds were put.

        Args:
            pos: of all mocap bodies in all worlds [m], shape (num_envs, n, 3).
            quat: their orientations, wxyz, shape (num_envs, n, 4).
            worlds: those that were reset; None: all.
        """
        if not len(self.table):
            return
        rows = np.arange(len(self._fresh)) if worlds is None else worlds
        self._pos[rows], self._quat[rows] = self._read(pos, quat, rows)
        self._seen[rows] = self._raw(pos, quat, rows)
        self.velocity[rows] = self.table.velocity
        self._lasts[rows], self._given[rows] = True, False
        self._fresh[rows] = True
        self._moves = bool(self.velocity.any()) or self._written is not None
        animated = zip(self.table.samples, self._origin, self._place, strict=True)
        for (members, _), (start, turn), (move, rotate) in animated:
            cells = np.ix_(rows, members)
            rotate[rows] = quat_multiply(self._quat[cells], quat_conjugate(turn))
            move[rows] = self._pos[cells] - quat_apply(rotate[rows], start)

    def begin(self, pos: NDArray[Any], quat: NDArray[Any], seconds: Array, worlds: Ids) -> None:
        """Adopt what was written since the last call.

        Args:
            pos: of all mocap bodies [m], shape (num_envs, n, 3).
            quat: their orientations, wxyz, shape (num_envs, n, 4).
            seconds: how long the call will last in each of `worlds` [s], shape (len(worlds),).
            worlds: those that will be stepped.
        """
        self.posed = False
        goal_pos, goal_quat = self._read(pos, quat, worlds)
        written = (self._raw(pos, quat, worlds) != self._seen[worlds]).any(axis=-1)
        given, lasts = self._given[worlds], self._lasts[worlds]
        span = seconds[:, None, None]
        linear = (goal_pos - self._pos[worlds]) / span
        turned = quat_multiply(goal_quat, quat_conjugate(self._quat[worlds]))
        angular = quat_to_rotvec(turned) / span
        far = (np.linalg.norm(linear, axis=-1) > JUMP) | (np.linalg.norm(angular, axis=-1) > TURN)
        target = written & ~given & ~far & ~self._fresh[worlds][:, None]
        placed = written & ~target
        velocity = self.velocity[worlds]
        velocity[~given & (written | ~lasts)] = 0.0
        velocity[target] = np.concatenate([linear, angular], axis=-1)[target]
        lasts[written & ~given] = False
        self.velocity[worlds], self._lasts[worlds] = velocity, lasts
        self._given[worlds], self._fresh[worlds] = False, False
        at, turn = self._pos[worlds], self._quat[worlds]
        at[placed], turn[placed] = goal_pos[placed], goal_quat[placed]
        self._pos[worlds], self._quat[worlds] = at, turn
        goal = np.concatenate([goal_pos, goal_quat], axis=-1)
        self._goal = (target, goal) if target.any() else None

    def advance(self, time: Array, step: Array, worlds: Ids, *, last: bool) -> tuple[Array, Array]:
        """Move bodies by one time step.

        Args:
            time: of each of `worlds` before the step [s], shape (len(worlds),).
            step: its length [s], same shape.
            worlds: those that are stepped.
            last: whether it is the last step of the call.

        Returns:
            Positions [m], (len(worlds), k, 3), and orientations, wxyz, (len(worlds), k, 4).
        """
        velocity, length = self.velocity[worlds], step[:, None]
        pos = self._pos[worlds] + velocity[..., :3] * length[..., None]
        speed = np.linalg.norm(velocity[..., 3:], axis=-1)
        axis = velocity[..., 3:] / np.where(speed == 0.0, 1.0, speed)[..., None]
        axis[speed == 0.0] = (0.0, 0.0, 1.0)
        turned = quat_multiply(quat_from_axis_angle(axis, speed * length), self._quat[worlds])
        quat = quat_normalize(turned)
        for (members, samples), place in zip(self.table.samples, self._place, strict=True):
            move, rotate = (part[worlds] for part in place)
            here, there = (samples.at(moment) for moment in (time, time + step))
            pos[:, members] = move + quat_apply(rotate, there[0])
            quat[:, members] = quat_multiply(rotate, there[1])
            turn = quat_to_rotvec(quat_multiply(there[1], quat_conjugate(here[1])))
            for part, change in ((slice(0, 3), there[0] - here[0]), (slice(3, 6), turn)):
                velocity[:, members, part] = quat_apply(rotate, change / length[..., None])
        self.velocity[worlds] = velocity
        if last and self._goal is not None:
            target, goal = self._goal
            pos[target], quat[target] = goal[target][:, :3], goal[target][:, 3:]
        self._pos[worlds], self._quat[worlds] = pos, quat
        return pos, quat_to_wxyz(quat)

    def lead(self, step: Array, worlds: Ids) -> Array:
        """Distance by which contacts have to find bodies ahead of where they are, to keep up [m].

        The engine's contacts damp the velocity of what is pushed, as they do not know that of the
        body: pushed at a speed v, it would be behind by v times the damping over the stiffness.
        Downwards there is none: what falls after a body is not pushed. Shape (len(worlds), k, 3).

        Args:
            step: of each of `worlds` [s], shape (len(worlds),).
            worlds: those that are about to be stepped.
        """
        velocity = self.velocity[worlds, :, :3]
        falling = np.minimum(velocity @ self.table.up, 0.0)
        velocity = velocity - falling[..., None] * self.table.up
        # A step takes bodies where they are at its end, which is one step ahead.
        ahead = np.maximum(self.table.lags - step[:, None], 0.0)[..., None] * velocity
        size = np.linalg.norm(ahead, axis=-1, keepdims=True)
        return np.asarray(ahead * np.minimum(1.0, LEAD / np.maximum(size, LEAD)))

    def still(self, worlds: Ids) -> NDArray[np.bool_]:
        """Bodies of some worlds that stand still, shape (len(worlds), bodies)."""
        found = np.logical_not(np.asarray(self.velocity[worlds].any(axis=-1)))
        for members, _ in self.table.samples:
            found[:, members] = False
        return found

    def surfaces(self, present: NDArray[Any]) -> Array:
        """Surface velocities of the colliders, in their frames, shape (num_envs, g, 6).

        Args:
            present: what the engine has now, same shape; what somebody else wrote there, as the
                motion of a belt, is kept.
        """
        if self._written is None:
            self._base[...] = present
        else:
            foreign = (present != self._written).any(axis=-1)
            self._base[foreign] = present[foreign]
        table = self.table
        velocity, quat = self.velocity[:, table.owners], self._quat[:, table.owners]
        back = quat_conjugate(quat)
        linear = quat_apply(back, velocity[..., :3])
        angular = quat_apply(back, velocity[..., 3:])
        linear = linear + cross(angular, np.broadcast_to(table.geom_pos, linear.shape))
        turn = np.broadcast_to(quat_conjugate(table.geom_quat), quat.shape)
        added = np.concatenate([quat_apply(turn, linear), quat_apply(turn, angular)], axis=-1)
        values: Array = self._base + added
        return values

    def wrote(self, surfaces: NDArray[Any]) -> None:
        """Remember the surface velocities that the engine now has."""
        self._written = np.array(surfaces)

    def end(self, pos: NDArray[Any], quat: NDArray[Any], worlds: Ids) -> None:
        """Remember where the engine has the bodies after a call."""
        self._seen[worlds] = self._raw(pos, quat, worlds)
        self._moves = bool(self.velocity.any())

    def fill(self, cvel: NDArray[Any], subtree_com: NDArray[Any], xpos: NDArray[Any]) -> None:
        """Give velocities of bodies, as the engine has them, to what it takes to stand still.

        Args:
            cvel: angular and linear velocity at the centre of each tree, shape (num_envs, n, 6).
            subtree_com: centres of mass of bodies and all on them [m], shape (num_envs, n, 3).
            xpos: origins of bodies [m], same shape.
        """
        table = self.table
        velocity = self.velocity[:, table.part_owners]
        lever = subtree_com[:, table.part_roots] - xpos[:, table.bodies[table.part_owners]]
        angular = velocity[..., 3:]
        cvel[:, table.parts, :3] = angular
        cvel[:, table.parts, 3:] = velocity[..., :3] + cross(angular, lever)

    def _raw(self, pos: NDArray[Any], quat: NDArray[Any], worlds: Ids) -> Array:
        cells = np.ix_(worlds, self.table.mocaps)
        return np.concatenate([pos[cells], quat[cells]], axis=-1).astype(np.float64)

    def _read(self, pos: NDArray[Any], quat: NDArray[Any], worlds: Ids) -> tuple[Array, Array]:
        raw = self._raw(pos, quat, worlds)
        return raw[..., :3], quat_normalize(quat_from_wxyz(raw[..., 3:]))
