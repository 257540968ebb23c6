"""Kinematic chains: the joints between a body and what it hangs on, as rows for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.rotations import IDENTITY_QUAT, quat_apply, quat_from_wxyz, quat_multiply
from usdsim.math.transforms import pose_rows
from usdsim.scene.arrays import bounded
from usdsim.scene.data.given import engine_array
from usdsim.scene.elements.joint import Joint

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["KinematicChain"]

Floats = NDArray[np.float64]


class KinematicChain:
    """A chain of bodies from what no chosen joint moves to a frame on a body.

    Args:
        model: the model.
        body: engine id of the last body.
        end: pose of the frame in it: [m] and quaternion (x, y, z, w), shape (7,).
        joints: the joints that move; all others stay where the data has them.

    Raises:
        InvalidValueError: a joint does not move the body.
        UnsupportedError: a joint is neither hinge nor slide.
    """

    def __init__(self, model: SceneModel, body: int, end: Floats, joints: Sequence[Joint]):
        self.joints, self._end = tuple(joints), end
        low = model.low
        path = _path(model, body, self.joints)
        self._start, self._path = path[0], path[1:]
        counts = [(int(low.body_jntadr[body]), int(low.body_jntnum[body])) for body in self._path]
        self._joints_of = [range(first, first + number) for first, number in counts]
        every = [joint for own in self._joints_of for joint in own]
        columns = {joint.engine_id: column for column, joint in enumerate(self.joints)}
        self.table: NDArray[np.int32] = np.array(
            [(low.jnt_type[j], low.jnt_qposadr[j], columns.get(j, -1)) for j in every], np.int32
        )
        """Type, place in `qpos` and column of each joint, -1 for those that stay, shape (n, 3)."""
        self.zeros: Floats = low.qpos0[self.table[:, 1]]
        """Values at which joints turn and shift nothing [rad or m], shape (n,)."""
        self.places = np.array([joint.dof_pos_index for joint in self.joints], dtype=np.intp)
        """Places in `qpos` of the joints that move, shape (k,)."""
        self._ids = [joint.engine_id for joint in self.joints]
        self._fields = [("body_pos", self._path), ("body_quat", self._path)]
        self._fields += [("jnt_pos", every), ("jnt_axis", every)]
        self._known: tuple[list[bytes], tuple[Floats, Floats]] | None = None

    def bounds(self, data: SceneData) -> tuple[Floats, Floats]:
        """Lower and upper limits of the joints in each world, infinite for none, shape (n, k)."""
        ranges = data.param("jnt_range")[..., self._ids, :]
        acts = data.param("jnt_limited")[..., self._ids]
        bounds = bounded(ranges, acts).reshape(-1, len(self._ids), 2)
        return bounds[..., 0], bounds[..., 1]

    def base(self, data: SceneData) -> Floats:
        """Poses of what the chain hangs on: [m] and quaternion (x, y, z, w), shape (worlds, 7)."""
        position = engine_array(data, data.model, "xpos")[..., self._start, :].reshape(-1, 3)
        turn = engine_array(data, data.model, "xquat")[..., self._start, :].reshape(-1, 4)
        return pose_rows(position, turn)

    def geometry(self, data: SceneData) -> tuple[Floats, Floats]:
        """Links and axes of the chain, in one row where all worlds share them.

        Returns:
            Poses of each joint in the frame behind the one before it, and of the end behind the
            last, shape (1 or worlds, n + 1, 7), and axes of the joints, (1 or worlds, n, 3).
        """
        parts = [_shared(data, name)[..., rows, :] for name, rows in self._fields]
        content = [part.tobytes() for part in parts]
        known = self._known
        if known is None or known[0] != content:
            known = self._known = content, self._folded(*parts)
        return known[1]

    def _folded(
        self, body_pos: Floats, body_quat: Floats, jnt_pos: Floats, jnt_axis: Floats
    ) -> tuple[Floats, Floats]:
        quats = quat_from_wxyz(body_quat)
        links: list[Floats] = []
        pose: tuple[Floats, Floats] = np.zeros(3), IDENTITY_QUAT
        for i, joints in enumerate(self._joints_of):
            pose = _behind(pose, body_pos[..., i, :], quats[..., i, :])
            for _ in joints:
                offset = jnt_pos[..., len(links), :]
                links.append(_row(*_behind(pose, offset, IDENTITY_QUAT)))
                pose = -offset, IDENTITY_QUAT
        links.append(_row(*_behind(pose, self._end[:3], self._end[3:])))
        stacked = np.stack(np.broadcast_arrays(*links), axis=-2)
        return stacked.reshape(-1, *stacked.shape[-2:]), jnt_axis.reshape(-1, len(links) - 1, 3)


def _path(model: SceneModel, body: int, joints: Sequence[Joint]) -> list[int]:
    """Engine ids of what the joints hang on, then of the bodies from the first joint outwards."""
    low, path = model.low, [body]
    while path[-1]:
        path.append(int(low.body_parentid[path[-1]]))
    owners = [int(low.jnt_bodyid[joint.engine_id]) for joint in joints]
    for joint, owner in zip(joints, owners, strict=True):
        if owner not in path:
            raise InvalidValueError("joints", joint.title, "joints between the root and the frame")
        if joint.typ not in ("hinge", "slide"):
            raise UnsupportedError(
                f"{joint.title} is a {joint.typ}; inverse kinematics moves hinges and slides. "
                "Leave it out: it stays where it is."
            )
    return path[max(path.index(owner) for owner in owners) + 1 :: -1]


def _shared(data: SceneData, name: str) -> Floats:
    """A model parameter: that of all worlds if they share it, else one per world in front."""
    values = data.param(name)
    if not data.shape:
        return values
    # Parameters that no world has of its own are handed out as one, repeated without a copy.
    return values[0] if values.strides[0] == 0 and len(values) else values


def _behind(pose: tuple[Floats, Floats], position: Floats, turn: Floats) -> tuple[Floats, Floats]:
    """A pose given in the frame of another, in the frame of that one."""
    return pose[0] + quat_apply(pose[1], position), quat_multiply(pose[1], turn)


def _row(position: Floats, turn: Floats) -> Floats:
    shape = np.broadcast_shapes(position.shape[:-1], turn.shape[:-1])
    parts = np.broadcast_to(position, (*shape, 3)), np.broadcast_to(turn, (*shape, 4))
    return np.concatenate(parts, axis=-1)
