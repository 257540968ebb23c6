"""Joint frames that disagree with body poses, and which of the two the initial state follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import (
    IDENTITY_QUAT,
    quat_apply,
    quat_conjugate,
    quat_from_euler,
    quat_multiply,
    quat_to_euler,
    quat_to_rotvec,
)
from usdsim.math.transforms import Pose
from usdsim.parser.bodies.rigid_bodies import BodyRecord
from usdsim.parser.bodies.topology import Forest
from usdsim.parser.context import ParseContext
from usdsim.parser.units import DEGREE

from .authored import JointRecord
from .dofs import joint_axes

__all__ = ["InitialPoses", "settle_frames"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
InitialPoses = Literal["joints", "bodies"]
"""Source of the initial state where joint frames and body poses disagree."""

_APART = 1e-3
"""Distance [m] and angle [rad] from which joint frames count as apart."""


def settle_frames(
    context: ParseContext,
    bodies: Sequence[BodyRecord],
    joints: Sequence[JointRecord],
    forest: Forest,
    follow: InitialPoses,
) -> dict[int, Pose]:
    """Report joints whose frames are apart where the joint cannot move, and reconcile them.

    Where the start follows the joints, frames stay as they are: bodies of a tree are put where the
    frames say, and other joints pull theirs together. One kind of joint never moves its body, as in
    PhysX: a fixed joint that holds an articulation to the world, whose frame in the world becomes
    that of the body. Where the start follows the bodies, this is done for every joint.

    Args:
        context: of the stage.
        bodies: as authored.
        joints: as authored; frames are changed here.
        forest: which joints carry bodies.
        follow: what the initial state follows.

    Returns:
        Poses in their parents of bodies that joints put elsewhere than they are authored.

    Raises:
        InvalidValueError: `follow` is neither.
    """
    if follow not in get_args(InitialPoses):
        raise InvalidValueError("initial_poses", follow, ", ".join(get_args(InitialPoses)))
    based = _Bases(context, bodies, forest)
    moved: dict[int, Pose] = {}
    for i, motion in _displaced(context, bodies, joints):
        joint = joints[i]
        held, distance, angle = _split(motion, _free_axes(context, joint))
        if max(distance, angle) <= _APART:
            continue
        is_base = based.holds(i, joint)
        if is_base or follow == "bodies":
            joint.frame0 = joint.frame0 @ motion @ held.inverse()
        elif i in forest.in_tree and min(joint.body0, joint.body1) >= 0:
            placed = joint.frame0 @ held @ joint.frame1.inverse()
            back = forest.reversed(i, joint)
            moved[joint.body0 if back else joint.body1] = placed.inverse() if back else placed
        _report(context, joint, distance, angle, is_base=is_base, follow=follow)
    return moved


def _report(
    context: ParseContext,
    joint: JointRecord,
    distance: float,
    angle: float,
    *,
    is_base: bool,
    follow: InitialPoses,
) -> None:
    apart = (
        f"joins frames that the poses of its bodies put {distance:.4g} m and "
        f"{angle / DEGREE:.4g} degrees apart where it cannot move"
    )
    path = joint.view.path
    if is_base:
        context.report.info(
            "fixed-base", path, f"{apart}; it holds an articulation to the world where that is"
        )
    elif follow == "bodies":
        context.report.warning(
            "joint-frames-apart", path,
            f"{apart}; the bodies stay and the frame on body0 moves: initial_poses='bodies'",
        )  # fmt: skip
    else:
        context.report.warning(
            "joint-frames-apart", path,
            f"{apart}; the bodies start where the frames meet. Correct physics:localPos0 and "
            "physics:localRot0 or the poses; initial_poses='bodies' keeps those"
            + (_TO_THE_WORLD if -1 in joint.prims else ""),
        )  # fmt: skip


_TO_THE_WORLD = (
    ". The other frame is in the world; let the joint name the prim above the robot as well, and "
    "the robot may be placed anywhere"
)


class _Bases:
    """Joints that hold an articulation to the world.

    They have its schema, or the schema is above their body. Where the body itself has it, the
    articulation floats, and a joint to the world says where the body is, as any other does.
    """

    def __init__(self, context: ParseContext, bodies: Sequence[BodyRecord], forest: Forest):
        self._bodies, self._forest = bodies, forest
        self._roots = {v.path for v in context.views if "PhysicsArticulationRootAPI" in v.apis}

    def holds(self, index: int, joint: JointRecord) -> bool:
        """Whether a joint is fixed, ends in the world, and carries a body of an articulation."""
        if joint.kind != "fixed" or index not in self._forest.in_tree:
            return False
        ends = (joint.body0, joint.body1)
        if min(ends) >= 0 or not self._roots:
            return False
        return joint.view.path in self._roots or self._is_inside(max(ends))

    def _is_inside(self, body: int) -> bool:
        path = self._bodies[body].view.path
        while path := path.rpartition("/")[0]:
            if path in self._roots:
                return True
        return False


def _displaced(
    context: ParseContext, bodies: Sequence[BodyRecord], joints: Sequence[JointRecord]
) -> list[tuple[int, Pose]]:
    """Joints whose frames do not coincide, with the pose of frame 1 in frame 0 as authored."""
    rows = [i for i, joint in enumerate(joints) if joint.kind not in ("free", "distance")]
    if not rows:
        return []
    prims = [record.view.index for record in bodies]
    # The last row is the world, which index -1 finds.
    places = np.vstack([context.frames.pos[prims], np.zeros(3)])
    turns = np.vstack([context.frames.quat[prims], IDENTITY_QUAT])
    pos, quat = [], []
    for side in ("0", "1"):
        ends = [getattr(joints[i], f"body{side}") for i in rows]
        frames = [getattr(joints[i], f"frame{side}") for i in rows]
        turn = turns[ends]
        pos.append(places[ends] + quat_apply(turn, np.array([f.pos for f in frames])))
        quat.append(quat_multiply(turn, np.array([f.quat for f in frames])))
    back = quat_conjugate(quat[0])
    offset = quat_apply(back, pos[1] - pos[0])
    turn = quat_multiply(back, quat[1])
    angle = np.linalg.norm(quat_to_rotvec(turn), axis=1)
    apart = (np.abs(offset).max(axis=1) > _APART) | (angle > _APART)
    return [(rows[k], Pose(offset[k], turn[k])) for k in np.flatnonzero(apart)]


def _free_axes(context: ParseContext, joint: JointRecord) -> tuple[Mask, Mask]:
    """Along (3,) and about (3,) which axes of its frame a joint lets its bodies move."""
    slides, turns = np.zeros(3, dtype=bool), np.zeros(3, dtype=bool)
    for axis in joint_axes(context, joint):
        if axis.kind == "ball":
            turns[:] = True
        elif not axis.locked:
            (turns if axis.kind == "hinge" else slides)["XYZ".index(axis.token)] = True
    return slides, turns


def _split(motion: Pose, free: tuple[Mask, Mask]) -> tuple[Pose, float, float]:
    """The part of a motion that a joint allows, and distance [m] and angle [rad] of the rest."""
    slides, turns = free
    allowed = _allowed_turn(motion.quat, turns)
    rest = quat_to_rotvec(quat_multiply(motion.quat, quat_conjugate(allowed)))
    distance = float(np.linalg.norm(np.where(slides, 0.0, motion.pos)))
    return Pose(np.where(slides, motion.pos, 0.0), allowed), distance, float(np.linalg.norm(rest))


def _allowed_turn(quat: Array, turns: Mask) -> Array:
    """The part of a rotation about the axes that turn: the twist about one, angles about two."""
    if turns.all():
        return quat
    if turns.sum() == 2:
        return quat_from_euler(np.where(turns, quat_to_euler(quat), 0.0))
    twist = np.append(np.where(turns, quat[:3], 0.0), quat[3])
    norm = float(np.linalg.norm(twist))
    return twist / norm if norm > 0.0 else np.array(IDENTITY_QUAT)
