"""Inverse kinematics: joint positions that bring a frame to a pose, in all worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import number, whole
from usdsim.core.errors import InvalidValueError
from usdsim.math.transforms import IDENTITY_POSE, compose_poses, pose_rows
from usdsim.scene.arrays import FloatArray
from usdsim.scene.checks import finite_numbers, finite_pose
from usdsim.scene.data.given import check_data, engine_array
from usdsim.scene.elements.joint import Joint
from usdsim.scene.elements.link import Link
from usdsim.scene.elements.site import Site

from .chain import KinematicChain
from .search import Found, Given, Search, Settings, twists

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["IkResult", "InverseKinematics"]

Floats = NDArray[np.float64]

_LEAST = 1e-12
"""Damping without which a singular arm has no solution."""


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
        self._settings = Settings(
            np.repeat(np.array(weights, dtype=np.float64), 3),
            number("damping", damping),
            number("step_limit", step_limit),
            whole("restarts", restarts),
            int(np.random.SeedSequence(whole("seed", seed)).generate_state(1).astype(np.int32)[0]),
        )
        body, end = _mount(frame)
        if offset is not None:
            end = compose_poses(end, finite_pose(offset, (), "offset"))
        self._chain = KinematicChain(model, body, end, _chosen(model, frame, joints))
        self._spare: Search | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the arrays of the last search."""
        return self.__dict__ | {"_spare": None}

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
        target = self._target(data, target_pose)
        limits = np.broadcast_to(finite_numbers(tolerance, (2,), (), "tolerance"), (2,))
        if not (limits > 0.0).all():
            raise InvalidValueError("tolerance", tolerance, "above 0")
        whole("iterations", iterations, 1)
        found = self._search(data, target, limits, iterations)
        joints = found.joints.reshape(*data.shape, len(self.joints))
        if apply:
            data.write_columns("qpos", self._chain.places, joints)
        errors = found.errors.astype(np.float32).reshape(*data.shape, 2)
        return IkResult(
            joints.astype(np.float32),
            found.converged.reshape(data.shape),
            errors[..., 0],
            errors[..., 1],
            found.steps.astype(np.intp).reshape(data.shape),
        )

    def _search(self, data: SceneData, target: Floats, limits: Floats, iterations: int) -> Found:
        chain, model = self._chain, self._model
        qpos = engine_array(data, model, "qpos").reshape(-1, model.low.nq)
        given = Given(
            *chain.geometry(data),
            data.all_worlds,
            qpos,
            chain.base(data),
            target,
            *chain.bounds(data),
        )
        # Whoever searches takes the arrays away: threads never share them.
        search, self._spare = self._spare, None
        if search is None or not search.fits(given):
            search = Search(chain, self._settings, given)
        found = search.run(given, limits, iterations)
        self._spare = search
        return found

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
        check_data(data, self._model)
        array = data.finite(twist, (6,), "twist")
        settings = self._settings
        amount = settings.damping if damping is None else number("damping", damping, above=False)
        count = int(np.prod(data.shape))
        wanted = np.broadcast_to(array, (*data.shape, 6)).reshape(count, 6)
        qpos = engine_array(data, self._model, "qpos").reshape(-1, self._model.low.nq)
        moving = twists(self._chain, self._chain.geometry(data), qpos, self._chain.base(data))
        weighted = settings.weights * moving
        # The small matrix of the two: it has an inverse however many joints there are.
        square = np.swapaxes(weighted, -1, -2) @ weighted + max(amount, _LEAST) * np.eye(6)
        inner = np.linalg.solve(square, (settings.weights * wanted)[..., None])
        speeds = (weighted @ inner)[..., 0]
        return speeds.reshape(*data.shape, len(self.joints)).astype(np.float32)

    def _target(self, data: SceneData, pose: ArrayLike) -> Floats:
        check_data(data, self._model)
        checked = data.checked_pose(pose, f"target pose of {self._frame.title}")
        return np.broadcast_to(checked, (*data.shape, 7)).reshape(-1, 7)


def _mount(frame: Link | Site) -> tuple[int, Floats]:
    """Body that carries a frame, and pose of the frame in it."""
    low, index = frame.model.low, frame.engine_id
    if isinstance(frame, Link):
        return index, IDENTITY_POSE
    return int(low.site_bodyid[index]), pose_rows(low.site_pos[index], low.site_quat[index])


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
