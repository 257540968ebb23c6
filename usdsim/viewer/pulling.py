"""Pulling: a spring between a point of a body and the mouse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.render import Marks
from usdsim.scene import SceneData, SceneModel

__all__ = ["Pull"]

Array = NDArray[np.float64]

_RATE = 12.0
"""Natural frequency of the tree that is pulled, on its spring [rad/s]."""
_COLOUR = (0.9, 0.1, 0.6, 1.0)


@dataclass
class Pull:
    """A body of one world on a spring, damped critically.

    Attributes:
        model: the model.
        body: index of the body in the engine.
        point: where it is held, in its frame [m], shape (3,).
        target: where the other end is, in world [m], shape (3,).
    """

    model: SceneModel
    body: int
    point: Array
    target: Array

    @classmethod
    def at(cls, model: SceneModel, data: SceneData, body: int, at: ArrayLike) -> Pull:
        """Hold a body of a single world at a point in world [m]."""
        pose = _pose(model, data, body)
        place = np.asarray(at, np.float64)
        return cls(model, body, quat_apply(quat_conjugate(pose[3:]), place - pose[:3]), place)

    def held(self, data: SceneData) -> Array:
        """Where the point is now, in world [m], shape (3,)."""
        pose = _pose(self.model, data, self.body)
        found: Array = pose[:3] + quat_apply(pose[3:], self.point)
        return found

    def force(self, data: SceneData) -> Array:
        """Force on the body now, in world [N], shape (3,)."""
        link = self.model.link_of_body(self.body)
        if link is None:
            return np.zeros(3)
        low = self.model.low
        mass = float(low.body_subtreemass[low.body_rootid[self.body]])
        velocity = np.asarray(link.get_linear_velocity(data), np.float64).reshape(3)
        stretch = self.target - self.held(data)
        found: Array = mass * (_RATE**2 * stretch - 2.0 * _RATE * velocity)
        return found

    def apply(self, data: SceneData) -> None:
        """Pull during the next step of a single world."""
        link = self.model.link_of_body(self.body)
        if link is not None:
            link.add_external_force(data, self.force(data), point=self.held(data), local=False)

    def marks(self, data: SceneData) -> Marks:
        """The spring."""
        held = self.held(data)
        width = 0.004 * max(float(self.model.low.stat.extent), 1e-6)
        ends = Marks.balls([held, self.target], 2.5 * width, _COLOUR)
        return Marks.joined([Marks.segments(held, self.target, width, _COLOUR), ends])


def _pose(model: SceneModel, data: SceneData, body: int) -> Array:
    link = model.links[model.link_index_of_body(body)]
    return np.asarray(link.get_pose(data), np.float64).reshape(7)
