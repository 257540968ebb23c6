"""Forward kinematics of one chain for any joint positions, without touching a world's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.rotations import quat_from_wxyz, quat_to_matrix
from usdsim.scene.elements.joint import Joint

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["ChainKinematics", "ChainState", "KinematicChain"]

Floats = NDArray[np.float64]

_HINGE, _SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)


class ChainState(NamedTuple):
    """The end of the chain in world."""

    position: Floats
    """[m], shape (n, 3)."""
    rotation: Floats
    """Matrices, shape (n, 3, 3)."""
    jacobian: Floats
    """Jacobian to linear, then angular velocity, shape (n, 6, k)."""


@dataclass(frozen=True)
class _ChainJoint:
    """A joint on the chain."""

    joint: int
    """Engine id."""
    column: int
    """Column among the chain's joints; -1: it stays where it is."""
    offset: Floats
    """Position in its body [m], shape (3,) or (n, 3)."""
    axis: Floats
    """Axis in its body, shape (3,) or (n, 3)."""


class KinematicChain:
    """A chain of bodies from what no chosen joint moves to a body.

    Args:
        model: the model.
        body: engine id of the last body.
        joints: the joints that move; all others stay where the data has them.

    Raises:
        InvalidValueError: a joint does not move the body.
        UnsupportedError: a joint is neither hinge nor slide.
    """

    def __init__(self, model: SceneModel, body: int, joints: Sequence[Joint]):
        self._low = model.low
        self._model, self.joints = model, tuple(joints)
        path = [body]
        while path[-1]:
            path.append(int(self._low.body_parentid[path[-1]]))
        bodies = [int(self._low.jnt_bodyid[joint.engine_id]) for joint in joints]
        for joint, owner in zip(joints, bodies, strict=True):
            if owner not in path:
                raise InvalidValueError(
                    "joints", joint.title, "joints between the root and the frame"
                )
            if joint.typ not in ("hinge", "slide"):
                raise UnsupportedError(
                    f"{joint.title} is a {joint.typ}; inverse kinematics moves hinges and slides. "
                    "Leave it out: it stays where it is."
                )
        first = max(path.index(owner) for owner in bodies)
        self._path = path[first::-1]
        self._start = path[first + 1]
        self._column = {joint.engine_id: i for i, joint in enumerate(joints)}
        self.places = np.array([joint.dof_pos_index for joint in joints], dtype=np.intp)

    def solver(self, data: SceneData, position: Floats, rotation: Floats) -> ChainKinematics:
        """Kinematics of these worlds, with a frame fixed to the last body at its end.

        Args:
            data: the worlds.
            position: of the frame in the body [m], shape (3,).
            rotation: of the frame in the body, shape (3, 3).
        """
        return ChainKinematics(self, data, position, rotation)

    def bounds(self, data: SceneData) -> tuple[Floats, Floats]:
        """Lower and upper limits of the joints in each world, infinite for none, shape (n, k)."""
        ids = [joint.engine_id for joint in self.joints]
        ranges = np.take(data.param("jnt_range"), ids, axis=len(data.shape))
        acts = np.take(data.param("jnt_limited"), ids, axis=len(data.shape))[..., None] != 0
        bounds = np.where(acts, ranges, (-np.inf, np.inf)).reshape(-1, len(ids), 2)
        return bounds[..., 0], bounds[..., 1]

    @property
    def start(self) -> int:
        """Engine id of the body the chain hangs on."""
        return self._start

    @property
    def path(self) -> list[int]:
        """Engine ids of the bodies of the chain, from the root outwards."""
        return self._path

    def motions(self, body: int, offsets: Floats, axes: Floats) -> list[_ChainJoint]:
        """The joints of a body, given positions and axes of all joints."""
        first, count = int(self._low.body_jntadr[body]), int(self._low.body_jntnum[body])
        return [
            _ChainJoint(j, self._column.get(j, -1), offsets[..., j, :], axes[..., j, :])
            for j in range(first, first + count)
        ]


class ChainKinematics:
    """A chain in the worlds of some data, ready to be evaluated at any joint positions.

    Args:
        chain: the chain.
        data: the worlds.
        position: of the frame in the last body [m], shape (3,).
        rotation: of the frame in the last body, shape (3, 3).
    """

    def __init__(self, chain: KinematicChain, data: SceneData, position: Floats, rotation: Floats):
        model, self._chain = data.model, chain
        self._low = model.low
        self._end = position, rotation
        self.qpos = np.array(data.field(model, "qpos")).reshape(-1, model.low.nq)
        self._base = data.field(model, "xpos")[..., chain.start, :].reshape(-1, 3)
        self._turn = data.field(model, "xmat")[..., chain.start, :].reshape(-1, 3, 3)
        offsets, axes = _shared(data, "jnt_pos"), _shared(data, "jnt_axis")
        positions = _shared(data, "body_pos")
        rotations = quat_to_matrix(quat_from_wxyz(_shared(data, "body_quat")[..., chain.path, :]))
        self._bodies = [
            (positions[..., body, :], rotations[..., i, :, :], chain.motions(body, offsets, axes))
            for i, body in enumerate(chain.path)
        ]

    def at(self, joints: Floats, rows: NDArray[np.intp]) -> ChainState:
        """The end of the chain with joints at some positions.

        Args:
            joints: [m or rad], shape (n, k).
            rows: which of the worlds, shape (n,).
        """
        point, turn = self._base[rows], self._turn[rows]
        axes: list[tuple[int, int, Floats, Floats]] = []
        for offset, fixed, motions in self._bodies:
            point = point + _turned(turn, _some(offset, rows, 1))
            turn = turn @ _some(fixed, rows, 2)
            for motion in motions:
                point, turn = self._move(motion, joints, rows, point, turn, axes)
        place, local = self._end
        end = point + _turned(turn, place)
        jacobian = np.zeros((len(rows), 6, joints.shape[1]))
        for column, kind, anchor, axis in axes:
            if kind == _HINGE:
                jacobian[:, :3, column] = np.cross(axis, end - anchor)
                jacobian[:, 3:, column] = axis
            else:
                jacobian[:, :3, column] = axis
        return ChainState(end, turn @ local, jacobian)

    def _move(
        self,
        motion: _ChainJoint,
        joints: Floats,
        rows: NDArray[np.intp],
        point: Floats,
        turn: Floats,
        axes: list[tuple[int, int, Floats, Floats]],
    ) -> tuple[Floats, Floats]:
        """Frame of a body after one of its joints; notes axes of the joints that move."""
        low, joint = self._low, motion.joint
        kind, place = int(low.jnt_type[joint]), int(low.jnt_qposadr[joint])
        offset, local = _some(motion.offset, rows, 1), _some(motion.axis, rows, 1)
        if kind not in (_HINGE, _SLIDE):
            anchor = point + _turned(turn, offset)
            turn = turn @ quat_to_matrix(quat_from_wxyz(self.qpos[rows, place : place + 4]))
            return anchor - _turned(turn, offset), turn
        value = joints[:, motion.column] if motion.column >= 0 else self.qpos[rows, place]
        value = value - low.qpos0[place]
        anchor, axis = point + _turned(turn, offset), _turned(turn, local)
        if motion.column >= 0:
            axes.append((motion.column, kind, anchor, axis))
        if kind == _SLIDE:
            return point + value[:, None] * axis, turn
        turn = turn @ _rotation(local, value)
        return anchor - _turned(turn, offset), turn


def _shared(data: SceneData, name: str) -> Floats:
    """A model parameter: that of all worlds if they share it, else one per world in front."""
    values = data.param(name)
    if not data.shape:
        return values
    # Parameters that no world has of its own are handed out as one, repeated without a copy.
    return values[0] if values.strides[0] == 0 and len(values) else values


def _some(values: Floats, rows: NDArray[np.intp], ndim: int) -> Floats:
    """Rows of chosen worlds in `_shared` values whose own number of axes is `ndim`."""
    return values[rows] if values.ndim > ndim else values


def _turned(rotation: Floats, vector: Floats) -> Floats:
    """Vectors rotated by matrices, shape (n, 3)."""
    return (rotation @ vector[..., None])[..., 0]


def _rotation(axis: Floats, angle: Floats) -> Floats:
    """Matrices of rotations about unit axes, shape (n, 3, 3)."""
    x, y, z = axis[..., 0], axis[..., 1], axis[..., 2]
    zero = np.zeros_like(x)
    rows = [[zero, -z, y], [z, zero, -x], [-y, x, zero]]
    cross = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + sine * cross + (1.0 - cosine) * (cross @ cross)
