"""Local frames: positions and orientations that prims state, in the bodies those belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import IDENTITY_QUAT, quat_apply, quat_from_matrix
from usdsim.math.transforms import Pose

from .context import ParseContext
from .prims import PrimView

__all__ = ["in_bodies", "joint_frames"]

Array = NDArray[np.float64]


def joint_frames(
    context: ParseContext,
    joints: Sequence[PrimView],
    bodies: Sequence[Sequence[int]],
    prims: Sequence[Sequence[int]],
) -> list[tuple[Pose, Pose]]:
    """Frames of joints in their two bodies; local positions are scaled like the prims named.

    Args:
        context: of the stage.
        joints: the joint prims.
        bodies: the two bodies of each, numbered as in the context; -1: the world.
        prims: the two prims each names; -1: the world.
    """
    if not joints:
        return []
    local = np.zeros((len(joints), 2, 3))
    quats = np.tile(IDENTITY_QUAT, (len(joints), 2, 1))
    for i, view in enumerate(joints):
        for side in (0, 1):
            pos = view.vector(f"physics:localPos{side}")
            if pos is not None:
                local[i, side] = pos
            turn = view.quat(f"physics:localRot{side}")
            if turn is not None:
                quats[i, side] = turn
    flat_local, flat_quats = local.reshape(-1, 3), quats.reshape(-1, 4)
    body_prims = np.array([*context.body_prims, -1])[np.array(bodies).ravel()]
    pos, quat = in_bodies(context, flat_local, flat_quats, np.array(prims).ravel(), body_prims)
    pairs = [Pose(p, q) for p, q in zip(pos, quat, strict=True)]
    return list(zip(pairs[::2], pairs[1::2], strict=True))


def in_bodies(
    context: ParseContext,
    local: Array,
    quats: Array,
    prims: NDArray[np.int64],
    bodies: NDArray[np.int64],
) -> tuple[Array, Array]:
    """Frames in bodies, positions [m] and quaternions, of frames in prims, in the stage's unit.

    Args:
        context: of the stage.
        local: positions in the prims, scaled as they are, shape (n, 3).
        quats: orientations in the prims, shape (n, 4).
        prims: indices of the prims; -1: the world.
        bodies: indices of the prims of the bodies; -1: the world.
    """
    frames, length = context.frames, context.units.length
    world_pos, world_rot = frames.points(prims, local, quats)
    pos, rot = world_pos.copy(), world_rot.copy()
    on = np.flatnonzero(bodies >= 0)
    turn = np.swapaxes(frames.rotation[bodies[on]], 1, 2)
    pos[on] = np.einsum("nij,nj->ni", turn, world_pos[on] - frames.pos[bodies[on]])
    rot[on] = turn @ world_rot[on]
    quat = quat_from_matrix(rot)
    # A frame given in the body prim itself needs no detour through the world, which costs digits.
    own = np.flatnonzero((prims == bodies) & (bodies >= 0))
    pos[own] = length * frames.scale[bodies[own]] * local[own]
    quat[own] = quats[own]
    sheared = own[frames.sheared[bodies[own]]]
    if len(sheared):
        pos[sheared] = quat_apply(
            frames.quat[bodies[sheared]] * np.array([-1.0, -1.0, -1.0, 1.0]),
            world_pos[sheared] - frames.pos[bodies[sheared]],
        )
    return pos, quat
