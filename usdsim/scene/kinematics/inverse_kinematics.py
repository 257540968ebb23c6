"""Joint positions that bring a frame to a pose, and velocities that move it, in all worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import number, whole
from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_from_wxyz, quat_to_matrix
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import finite_numbers, unit_quaternion
from usdsim.scene.elements.joint import Joint
from usdsim.scene.elements.link import Link
from usdsim.scene.elements.site import Site

from .chain import KinematicChain
from .search import Found, Problem, search

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["IkResult", "InverseKinematics"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

_LEAST = 1e-12
"""Damping without which a singular arm has no solution."""
_WIDE = 256
"""Searches that are run side by side at no more cost than a few."""
_FREE_RANGE = np.pi
"""Range of restarts of joints without limits: this far to both sides [m or rad]."""


@dataclass(frozen=True)
class IkResult:
    """Result of inverse kinematics in each world."""

    dof_pos: FloatArray
    """Positions of the solver's joints [m or rad], the best ones found, shape (*B, k)."""
    converged: NDArray[np.bool_]
    """Whether both errors are within the tolerance, shape (*B,)."""
    position_error: FloatArray
    """Distance to the target [m], shape (*B,)."""
    orientation_error: FloatArray
    """Angle to the target [rad], shape (*B,)."""
    iterations: NDArray[np.intp]
    """Steps tried, shape (*B,)."""


class InverseKinematics:
    """Moves a link or a site to poses by damped least squares (Levenberg-Marquardt).

    The state of the data is read, not changed: joints that do not take part and everything the
    chain hangs on stay where they are. Joint limits of each world are kept.

    Args:
        model: the model.
        frame: what is to reach the poses.
        joints: which joints to move, as elements, names or paths; None: all hinges and slides
            between the root and the frame.
        damping: how far from singular a step is kept at first, and in `velocity`.
        step_limit: largest change of a joint in one step [m or rad].
        position_weight: importance of the position; 0: it does not matter.
        orientation_weight: importance of the orientation [m/rad]; 0: it does not matter.
        restarts: how often worlds that do not converge are tried again from random positions.
        seed: of those positions.
        offset: pose in `frame` of what is to reach the poses: [m] and unit quaternion
            (x, y, z, w), shape (7,); None: the frame itself.

    Raises:
        InvalidValueError: a number is out of range, or a joint does not move the frame.
        UnsupportedError: a joint is a ball.
    """

    def __init__(
        self,
        model: SceneModel,
        frame: Link | Site,
        joints: Sequence[Joint | str] | None = None,
        *,
        damping: float = 1e-2,
        step_limit: float = 0.5,
        position_weight: float = 1.0,
        orientation_weight: float = 0.3,
        restarts: int = 20,
        seed: int = 0,
        offset: ArrayLike | None = None,
    ):
        if not isinstance(frame, Link | Site) or frame.model is not model:
            raise InvalidValueError("frame", frame, f"a link or site of {model!r}")
        weights = (
            number("position_weight", position_weight, above=False),
            number("orientation_weight", orientation_weight, above=False),
        )
        if not any(weights):
            raise InvalidValueError("weights", weights, "at least one above 0")
        self._model, self._frame = model, frame
        self._damping = number("damping", damping)
        self._step_limit = number("step_limit", step_limit)
        self._restarts, self._seed = whole("restarts", restarts), whole("seed", seed)
        self._weights = np.repeat(np.array(weights, dtype=np.float64), 3)
        body, self._end = _mount(frame)
        if offset is not None:
            self._end = _moved(self._end, offset)
        self._chain = KinematicChain(model, body, _chosen(model, frame, joints))

    @property
    def frame(self) -> Link | Site:
        """Frame that is to reach the poses."""
        return self._frame

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints it moves, in the order of its results."""
        return self._chain.joints

    def solve(
        self,
        data: SceneData,
        target_pose: ArrayLike,
        iterations: int = 100,
        tolerance: float | tuple[float, float] = 1e-4,
        apply: bool = False,
    ) -> IkResult:
        """Find joint positions, starting from those of the data.

        Args:
            data: the worlds.
            target_pose: world position [m] and unit quaternion (x, y, z, w), (7,) or (*B, 7).
            iterations: most steps to try from one start.
            tolerance: largest error of position [m] and orientation [rad].
            apply: write the positions found into the data, in every world.

        Raises:
            ShapeError: the target has another shape.
            InvalidValueError: the target is not finite, or its quaternion not of unit length.
        """
        position, rotation = self._target(data, target_pose)
        low, high = self._chain.bounds(data)
        limits = np.broadcast_to(finite_numbers(tolerance, (2,), (), "tolerance"), (2,))
        if not (limits > 0.0).all():
            raise InvalidValueError("tolerance", tolerance, "above 0")
        whole("iterations", iterations, 1)
        problem = Problem(
            self._chain.solver(data, *self._end),
            position,
            rotation,
            low,
            high,
            self._weights,
            limits,
            self._damping,
            self._step_limit,
        )
        every = np.arange(len(position))
        start = problem.kinematics.qpos[:, self._chain.places]
        best = search(problem, every, np.clip(start, low, high), iterations)
        self._restart(problem, best, data.all_worlds, iterations)
        if apply:
            data.write_columns(
                "qpos", self._chain.places, best.joints.reshape(*data.shape, len(self.joints))
            )
        return _result(best, data.shape)

    def _restart(self, problem: Problem, best: Found, worlds: Ids, iterations: int) -> None:
        """Try again from random positions where nothing good was found."""
        attempt = 0
        while attempt < self._restarts:
            left = np.flatnonzero(~best.converged)
            if not len(left):
                return
            # Many short arrays cost as much as one long one: few worlds try several times at once.
            # What is kept does not depend on it: attempts are looked at in their order.
            block = range(attempt, min(attempt + max(1, _WIDE // len(left)), self._restarts))
            starts = [self._random(problem, left, worlds[left], index) for index in block]
            rows = np.tile(left, len(block))
            found = search(problem, rows, np.concatenate(starts), iterations)
            for first in range(0, len(rows), len(left)):
                part = slice(first, first + len(left))
                _improve(best, found.some(part), left)
            attempt = block.stop

    def velocity(
        self, data: SceneData, twist: ArrayLike, damping: float | None = None
    ) -> FloatArray:
        """Joint velocities that move the frame as asked, or nearly so near singularities.

        Args:
            data: the worlds.
            twist: linear [m/s], then angular velocity [rad/s] in world, shape (6,) or (*B, 6).
            damping: 0 or more; None: the solver's.

        Returns:
            [m/s or rad/s], shape (*B, k).
        """
        data.check_model(self._model)
        array = data.finite(twist, (6,), "twist")
        amount = self._damping if damping is None else number("damping", damping, above=False)
        count = int(np.prod(data.shape))
        wanted = np.broadcast_to(array, (*data.shape, 6)).reshape(count, 6)
        kinematics = self._chain.solver(data, *self._end)
        now = kinematics.at(kinematics.qpos[:, self._chain.places], np.arange(count))
        jacobian = self._weights[:, None] * now.jacobian
        # The small matrix of the two: it has an inverse however many joints there are.
        square = jacobian @ np.swapaxes(jacobian, -1, -2)
        square += max(amount, _LEAST) * np.eye(6)
        inner = np.linalg.solve(square, (self._weights * wanted)[..., None])
        speeds = (np.swapaxes(jacobian, -1, -2) @ inner)[..., 0]
        return speeds.reshape(*data.shape, len(self.joints)).astype(np.float32)

    def _target(self, data: SceneData, pose: ArrayLike) -> tuple[Floats, Floats]:
        data.check_model(self._model)
        checked = data.checked_pose(pose, f"target pose of {self._frame.title}")
        shape = (int(np.prod(data.shape)), 7)
        full = np.broadcast_to(checked, (*data.shape, 7)).reshape(shape)
        return full[:, :3], quat_to_matrix(full[:, 3:])

    def _random(self, problem: Problem, rows: Ids, worlds: Ids, attempt: int) -> Floats:
        """Positions within the limits, the same for a world whatever else is solved beside it."""
        low, high = problem.low[rows], problem.high[rows]
        start = problem.kinematics.qpos[rows][:, self._chain.places]
        low = np.where(np.isfinite(low), low, start - _FREE_RANGE)
        high = np.where(np.isfinite(high), high, start + _FREE_RANGE)
        draws = (np.random.default_rng([self._seed, world, attempt]) for world in worlds)
        share = [draw.random(low.shape[1]) for draw in draws]
        return low + np.array(share) * (high - low)


def _result(best: Found, shape: tuple[int, ...]) -> IkResult:
    """Result of the search, in the shape of the data."""
    errors = best.errors.astype(np.float32)
    return IkResult(
        best.joints.reshape(*shape, best.joints.shape[-1]).astype(np.float32),
        best.converged.reshape(shape),
        errors[:, 0].reshape(shape),
        errors[:, 1].reshape(shape),
        best.steps.reshape(shape),
    )


def _improve(best: Found, found: Found, rows: Ids) -> None:
    """Take over what searches for some worlds found, where it is better."""
    wanted = ~best.converged[rows]
    best.steps[rows[wanted]] += found.steps[wanted]
    best.take(found, rows, wanted & (found.converged | (found.cost < best.cost[rows])))


def _mount(frame: Link | Site) -> tuple[int, tuple[Floats, Floats]]:
    """Body that carries a frame, and position and rotation of the frame in it."""
    low, index = frame.model.low, frame.engine_id
    if isinstance(frame, Link):
        return index, (np.zeros(3), np.eye(3))
    rotation = quat_to_matrix(quat_from_wxyz(low.site_quat[index]))
    return int(low.site_bodyid[index]), (np.array(low.site_pos[index]), rotation)


def _moved(end: tuple[Floats, Floats], offset: ArrayLike) -> tuple[Floats, Floats]:
    """Position and rotation of what has a pose in a frame."""
    pose = finite_numbers(offset, (), (7,), "offset")
    turn = quat_to_matrix(unit_quaternion(pose[3:], "offset"))
    return end[0] + end[1] @ pose[:3], end[1] @ turn


def _chosen(
    model: SceneModel, frame: Link | Site, joints: Sequence[Joint | str] | None
) -> list[Joint]:
    """The joints to move."""
    if joints is not None:
        chosen = [j if isinstance(j, Joint) else model.catalog("joint").get(j) for j in joints]
        if len({joint.index for joint in chosen}) < len(chosen):
            raise InvalidValueError("joints", [joint.name for joint in chosen], "each joint once")
    else:
        moving = set(frame.dof_vel_indices.tolist())
        chosen = [j for j in model.joints if j.dof_vel_index in moving and j.typ != "ball"]
    if not chosen:
        raise InvalidValueError(
            "joints", [], f"at least one hinge or slide that moves {frame.title}"
        )
    return chosen
