"""Forward kinematics of one chain for any joint positions, without touching a world's state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.rotations import cross, quat_from_wxyz, quat_to_matrix
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
    kind: int
    """Type."""
    place: int
    """Of its first number in `qpos`."""
    offset: Floats | None
    """Position in its body [m], shape (3,) or (n, 3); None: the body's origin in all worlds."""
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
        low, self.joints = model.low, tuple(joints)
        path = [body]
        while path[-1]:
            path.append(int(low.body_parentid[path[-1]]))
        bodies = [int(low.jnt_bodyid[joint.engine_id]) for joint in joints]
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


class ChainKinematics:
    """A chain in the worlds of some data, ready to be evaluated at any joint positions.

    Args:
        chain: the chain.
        data: the worlds.
        position: of the frame in the last body [m], shape (3,).
        rotation: of the frame in the last body, shape (3, 3).
    """

    def __init__(self, chain: KinematicChain, data: SceneData, position: Floats, rotation: Floats):
        model = data.model
        self._low = model.low
        self._end = position, rotation
        self.qpos = np.array(data.field(model, "qpos")).reshape(-1, model.low.nq)
        self._base = data.field(model, "xpos")[..., chain.start, :].reshape(-1, 3)
        self._turn = data.field(model, "xmat")[..., chain.start, :].reshape(-1, 3, 3)
        positions = _shared(data, "body_pos")
        rotations = quat_to_matrix(quat_from_wxyz(_shared(data, "body_quat")[..., chain.path, :]))
        self._bodies = [
            (positions[..., body, :], rotations[..., i, :, :], self._joints(data, body))
            for i, body in enumerate(chain.path)
        ]
        turning = [j for _, _, joints in self._bodies for j in joints if j.kind in (_HINGE, _SLIDE)]
        # Where each number is among those of the hinges and slides on the way to the frame.
        self._scalars = {joint.joint: i for i, joint in enumerate(turning)}
        self._values = np.array([joint.place for joint in turning], dtype=np.intp)
        self._own = np.array([self._scalars[joint.engine_id] for joint in chain.joints])
        self._slides = np.array([joint.typ == "slide" for joint in chain.joints])
        self._spin = _across(np.stack([joint.axis for joint in turning], axis=-2))
        self._spin_twice = self._spin @ self._spin

    def at(self, joints: Floats, rows: NDArray[np.intp]) -> ChainState:
        """The end of the chain with joints at some positions.

        Args:
            joints: [m or rad], shape (n, k).
            rows: which of the worlds, shape (n,).
        """
        values = self.qpos[rows[:, None], self._values]
        values[:, self._own] = joints
        values -= self._low.qpos0[self._values]
        turns = self._rotations(values, rows)
        point, turn = self._base[rows], self._turn[rows]
        anchors, axes = np.empty((*values.shape, 3)), np.empty((*values.shape, 3))
        for offset, fixed, motions in self._bodies:
            point = point + _turned(turn, _some(offset, rows, 1))
            turn = turn @ _some(fixed, rows, 2)
            for motion in motions:
                arm = None if motion.offset is None else _some(motion.offset, rows, 1)
                anchor = point if arm is None else point + _turned(turn, arm)
                index = self._scalars.get(motion.joint)
                if index is None:
                    quat = self.qpos[rows, motion.place : motion.place + 4]
                    turn = turn @ quat_to_matrix(quat_from_wxyz(quat))
                else:
                    axis = _turned(turn, _some(motion.axis, rows, 1))
                    anchors[:, index], axes[:, index] = anchor, axis
                    if motion.kind == _SLIDE:
                        point = point + values[:, index, None] * axis
                        continue
                    turn = turn @ turns[:, index]
                point = anchor if arm is None else anchor - _turned(turn, arm)
        place, local = self._end
        end = point + _turned(turn, place)
        return ChainState(end, turn @ local, self._jacobian(end, anchors, axes))

    def _jacobian(self, end: Floats, anchors: Floats, axes: Floats) -> Floats:
        anchors, axes = anchors[:, self._own], axes[:, self._own]
        slides = self._slides[:, None]
        linear = np.where(slides, axes, cross(axes, end[:, None] - anchors))
        columns = np.concatenate([linear, np.where(slides, 0.0, axes)], axis=-1)
        return np.ascontiguousarray(np.swapaxes(columns, -1, -2))

    def _rotations(self, values: Floats, rows: NDArray[np.intp]) -> Floats:
        """Rotations of all hinges about their axes (Rodrigues), shape (n, joints, 3, 3)."""
        spin, twice = (_some(part, rows, 3) for part in (self._spin, self._spin_twice))
        sine, cosine = np.sin(values)[..., None, None], np.cos(values)[..., None, None]
        found: Floats = np.eye(3) + sine * spin + (1.0 - cosine) * twice
        return found

    def _joints(self, data: SceneData, body: int) -> list[_ChainJoint]:
        """The joints of a body."""
        low, offsets, axes = self._low, _shared(data, "jnt_pos"), _shared(data, "jnt_axis")
        first, count = int(low.body_jntadr[body]), int(low.body_jntnum[body])
        return [
            _ChainJoint(
                j,
                int(low.jnt_type[j]),
                int(low.jnt_qposadr[j]),
                offsets[..., j, :] if offsets[..., j, :].any() else None,
                axes[..., j, :],
            )
            for j in range(first, first + count)
        ]


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


def _across(axis: Floats) -> Floats:
    """Matrices whose products with vectors are cross products with axes, shape (..., 3, 3)."""
    found = np.zeros((*axis.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., j, i], found[..., i, j] = axis[..., k], -axis[..., k]
    return found
