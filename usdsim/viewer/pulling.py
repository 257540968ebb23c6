"""Pulling: a spring between a point of a body and the mouse."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.base import Engine
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_from_wxyz
from usdsim.render import Marks

__all__ = ["Pull"]

Array = NDArray[np.float64]

_RATE = 12.0
"""Natural frequency of the tree that is pulled, on its spring [rad/s]."""
_COLOUR = (0.9, 0.1, 0.6, 1.0)


@dataclass
class Pull:
    """A body of one world on a spring, damped critically.

    Attributes:
        engine: what simulates.
        world: index of the world.
        body: index of the body in the engine.
        point: where it is held, in its frame [m], shape (3,).
        target: where the other end is, in world [m], shape (3,).
    """

    engine: Engine
    world: int
    body: int
    point: Array
    target: Array
    _before: Array = field(default_factory=lambda: np.zeros(6))
    _set: Array | None = None

    @classmethod
    def at(cls, engine: Engine, world: int, body: int, at: ArrayLike) -> Pull:
        """Hold a body at a point in world [m]."""
        place = np.asarray(at, np.float64)
        pull = cls(engine, world, body, np.zeros(3), place)
        pos, quat = pull._pose()
        pull.point = quat_apply(quat_conjugate(quat), place - pos)
        return pull

    def held(self) -> Array:
        """Position of the held point now, in world [m], shape (3,)."""
        pos, quat = self._pose()
        found: Array = pos + quat_apply(quat, self.point)
        return found

    def force(self) -> Array:
        """Force on the body now, in world [N], shape (3,)."""
        model = self.engine.compiled.mj
        root = int(model.body_rootid[self.body])
        mass = float(model.body_subtreemass[root])
        stretch = self.target - self.held()
        found: Array = mass * (_RATE**2 * stretch - 2.0 * _RATE * self._velocity(root))
        return found

    def apply(self) -> None:
        """Put the spring's force of now on the body, until the next call or `release`.

        What others push the body with stays; who sets its external force again, replaces both.
        """
        self.release()
        force = self.force()
        arm = self.held() - self._row("xipos")
        external = self.engine.state("xfrc_applied")
        self._before = np.array(external[self.world, self.body])
        self._set = self._before + np.concatenate([force, np.cross(arm, force)])
        external[self.world, self.body] = self._set
        self.engine.touch(field="xfrc_applied")

    def release(self) -> None:
        """Take the spring's force back, unless something else was set meanwhile."""
        if self._set is None:
            return
        external = self.engine.state("xfrc_applied")
        if np.allclose(external[self.world, self.body], self._set, rtol=1e-6):
            external[self.world, self.body] = self._before
            self.engine.touch(field="xfrc_applied")
        self._set = None

    def marks(self) -> Marks:
        """The spring."""
        held = self.held()
        width = 0.004 * max(float(self.engine.compiled.mj.stat.extent), 1e-6)
        ends = Marks.balls([held, self.target], 2.5 * width, _COLOUR)
        return Marks.joined([Marks.segments(held, self.target, width, _COLOUR), ends])

    def _row(self, name: str, body: int | None = None) -> Array:
        rows = self.engine.read(name)[self.world]
        return np.asarray(rows[self.body if body is None else body], np.float64)

    def _pose(self) -> tuple[Array, Array]:
        return self._row("xpos"), quat_from_wxyz(self._row("xquat"))

    def _velocity(self, root: int) -> Array:
        """Velocity of the body's centre of mass in world [m/s], shape (3,)."""
        twist = self._row("cvel")
        arm = self._row("xipos") - self._row("subtree_com", root)
        found: Array = twist[3:] + np.cross(twist[:3], arm)
        return found
