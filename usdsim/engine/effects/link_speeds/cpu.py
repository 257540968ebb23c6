"""Speed limits of links: forces against the motion of bodies that joints hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.body_speeds.cpu import BodySpeeds, kept_share
from usdsim.engine.effects.step_forces.cpu import angular_momentum
from usdsim.engine.indices import Rows
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.versions import Versions
from usdsim.math.rotations import cross

from .reach import PLACES, reaches

__all__ = ["LinkSpeeds"]

Array = NDArray[np.float64]
Ids = NDArray[np.intp]

_LARGE = 1e30
"""Distance that stands for an infinite one, as infinity times zero is no number."""
_MARGIN = 1.0 + 1e-6
"""By how much more than the distance is taken, for numbers are rounded."""


class LinkSpeeds:
    """Forces on links that start a step beyond a limit, for that step.

    The force m v (1 - limit / v) / h at the centre of mass and the torque I w (1 - limit / w) / h
    act against the motion of each link on its own, as PhysX has it: they bring a body that nothing
    holds to its limit in one step, and joints, motors and what hangs on it share in them. What
    drives a link on ends above its limit by what it adds in one step.

    Args:
        compiled: the model.
        limits: speed limits of its bodies.
        parameters: the engine's.
        versions: counters of what changed.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        limits: BodySpeeds,
        parameters: Parameters,
        versions: Versions,
    ):
        self._model, self._limits = compiled.mj, limits
        self._parameters, self._versions = parameters, versions
        self._known: int | None = None
        self._far = np.zeros(0)
        self._of_links, self._calm = np.zeros((1, 0, 2)), np.inf
        self._places: Rows = self.bodies

    def __len__(self) -> int:
        return len(self.bodies)

    @property
    def bodies(self) -> Ids:
        """Links that have a limit in any world, ascending."""
        return self._limits.links

    def update(self) -> None:
        """Note that limits were set."""
        self._known = None

    def may_act(self, velocity: Array, rows: Rows) -> NDArray[np.bool_] | None:
        """Whether any link of a world may be beyond a limit, shape (n,); None: nowhere.

        Centres of mass are taken to be as far as can be from where the engine knows velocities.

        Args:
            velocity: ``cvel`` of the worlds in `rows`, shape (n, nbody, 6).
            rows: what picks them.
        """
        self._settle()
        motion = velocity[:, self._places]
        if np.vecdot(motion, motion).max() < self._calm:
            return None
        limits = self._of_links if len(self._of_links) == 1 else self._of_links[rows]
        turning = np.linalg.norm(motion[..., :3], axis=-1)
        moving = np.linalg.norm(motion[..., 3:], axis=-1) + self._far * turning
        over = (turning > limits[..., 1]) | (moving > limits[..., 0])
        return np.asarray(over.any(axis=1)) if np.count_nonzero(over) else None

    def wrenches(
        self, worlds: Ids, velocity: Array, place: Array, centre: Array, frame: Array
    ) -> Array:
        """Forces and torques on `bodies` in worlds that are about to step, shape (n, k, 6).

        Args:
            worlds: which, shape (n,).
            velocity: ``cvel`` of all bodies in all worlds, shape (num_envs, nbody, 6).
            place: their centres of mass, ``xipos``, shape (num_envs, nbody, 3).
            centre: those of their subtrees, ``subtree_com``, of the same shape.
            frame: their principal axes, ``ximat``, shape (num_envs, nbody, 9).
        """
        rows, bodies, read = worlds[:, None], self.bodies, self._parameters.read
        limits, motion = self._limits.values[rows, bodies], velocity[rows, bodies]
        turning = motion[..., :3]
        arm = place[rows, bodies] - centre[rows, self._model.body_rootid[bodies]]
        moving = motion[..., 3:] + cross(turning, arm)
        rate = 1.0 / read("opt.timestep")[worlds][:, None]
        mass = read("body_mass")[rows, bodies]
        force = -(mass * rate * (1.0 - kept_share(moving, limits[..., 0])))[..., None] * moving
        inertia = read("body_inertia")[rows, bodies]
        momentum = angular_momentum(turning, frame[rows, bodies], inertia)
        torque = -(rate * (1.0 - kept_share(turning, limits[..., 1])))[..., None] * momentum
        return np.concatenate([force, torque], axis=-1)

    def _settle(self) -> None:
        """Derive what `may_act` needs from limits and parameters as they are now."""
        batch = self._parameters.batch
        written = batch.differing and any(batch.expanded(name) is not None for name in PLACES)
        known = self._versions.parameters if written else -1
        if self._known == known:
            return
        self._known = known
        limits = self._limits.values[:, self.bodies]
        # One row is faster to compare with than one per world.
        self._of_links = limits[:1] if (limits == limits[:1]).all() else limits
        first, last = int(self.bodies[0]), int(self.bodies[-1]) + 1
        together = last - first == len(self.bodies)
        self._places = slice(first, last) if together else self.bodies
        least = limits.min(axis=0)
        reach = _MARGIN * reaches(self._model, self._parameters)[self.bodies]
        self._far = np.where(np.isfinite(least[:, 0]), np.minimum(reach, _LARGE), 0.0)
        # Where the square of a motion, of both of its parts, is below this, nothing is beyond.
        slowest = np.minimum(least[:, 1], least[:, 0] / np.hypot(1.0, self._far))
        self._calm = float(slowest.min()) ** 2
