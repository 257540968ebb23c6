"""Root writers: poses and velocities of the bodies that carry an asset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.engine.base import Engine
from usdsim.math.rotations import (
    cross,
    quat_apply,
    quat_conjugate,
    quat_from_axis_angle,
    quat_from_wxyz,
    quat_multiply,
    quat_to_wxyz,
)
from usdsim.views.copies.device import DeviceCopies
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.fields.parameters import unit_quaternions
from usdsim.views.layout import FIXED, FREE, MOCAP

if TYPE_CHECKING:
    from usdsim.views.view import AssetView

__all__ = ["RootPose", "RootState", "RootVelocity"]

Array = NDArray[Any]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class _RootGroup:
    """Roots of one kind in some worlds: one row per world, one column per root."""

    worlds: Ids
    """Worlds, shape (n, 1)."""
    bodies: Ids
    """Engine bodies, shape (k,)."""
    starts: Ids
    """Their position coordinates or mocap indices, shape (k,)."""
    dofs: Ids
    """Their degrees of freedom, shape (k,)."""
    values: Array
    """Values of the user, float64, shape (n, k, ...)."""


def _groups(
    view: AssetView, values: Array, rows: Ids | None, ids: Ids | None, kind: int
) -> list[_RootGroup]:
    layout = view.layout
    if kind not in layout.kinds_of_roots:
        return []
    kinds = layout.root_kinds.reshape(-1)
    groups = []
    for worlds, chosen, part in view.columns("root_places").parts(rows, ids):
        keep = kinds[chosen] == kind
        if not keep.any():
            continue
        index = chosen[keep]
        everywhere = np.arange(layout.num_worlds) if worlds is None else worlds
        mine = values[part] if keep.all() else values[part][:, keep]
        groups.append(
            _RootGroup(
                everywhere[:, None],
                layout.roots.reshape(-1)[index].astype(np.intp),
                layout.root_qpos.reshape(-1)[index].astype(np.intp),
                layout.root_dofs.reshape(-1)[index].astype(np.intp),
                np.asarray(mine, dtype=np.float64),
            )
        )
    return groups


def _com_offset(view: AssetView, group: _RootGroup) -> tuple[Array, Array]:
    """Position and orientation (xyzw) of the centre of mass in the link frame, (n, k, ...)."""
    at = (group.worlds, group.bodies)
    quat = quat_from_wxyz(view.engine.param("body_iquat")[at])
    return view.engine.param("body_ipos")[at], quat


@dataclass(frozen=True)
class RootPose:
    """Poses in world (x, y, z, qx, qy, qz, qw) of link frames or centres of mass.

    The pose of a root that joints hold to the world is the one it has when they are at zero, so
    that writing it and writing the joints can be done in any order.
    """

    of_com: bool
    """Whether they are those of centres of mass rather than of links."""

    def write(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set poses of some instances and roots, shape (rows, ids, 7).

        Raises:
            InvalidValueError: a quaternion has not unit length; nothing is written then.
        """
        quat = unit_quaternions(values[..., 3:], view.layout.title)
        roots = view.copies.roots
        if roots is not None and roots.placed:
            found, selection = roots.upload(values, rows, ids)
            roots.poses(found, selection, of_com=self.of_com, rows=rows)
            return
        values = np.concatenate([values[..., :3], quat], axis=-1)
        for kind in (FREE, MOCAP, FIXED):
            for group in _groups(view, values, rows, ids, kind):
                pos, rotation = self._link(view, group)
                _PUT[kind](view, group, pos, quat_to_wxyz(rotation))

    def write_directly(
        self, view: AssetView, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """Set poses that are on the device; refused where roots are fixed, which are parameters.

        See `DirectStore.write_directly`. Quaternions are scaled to unit length.
        """
        roots = copies.roots
        if roots.placed:
            roots.poses(values, selection, of_com=self.of_com)
        return roots.placed

    def _link(self, view: AssetView, group: _RootGroup) -> tuple[Array, Array]:
        pos, quat = group.values[..., :3], group.values[..., 3:]
        if not self.of_com:
            return pos, quat
        offset, turn = _com_offset(view, group)
        quat = quat_multiply(quat, quat_conjugate(turn))
        return pos - quat_apply(quat, offset), quat


def _put_free(view: AssetView, group: _RootGroup, pos: Array, wxyz: Array) -> None:
    qpos, worlds = view.engine.state("qpos"), group.worlds[:, 0]
    for k, start in enumerate(group.starts):
        qpos[worlds, start : start + 3] = pos[:, k]
        qpos[worlds, start + 3 : start + 7] = wxyz[:, k]
    view.engine.touch(worlds, "qpos")


def _put_mocap(view: AssetView, group: _RootGroup, pos: Array, wxyz: Array) -> None:
    at = (group.worlds, group.starts)
    view.engine.state("mocap_pos")[at] = pos
    view.engine.state("mocap_quat")[at] = wxyz
    for field in ("mocap_pos", "mocap_quat"):
        view.engine.touch(group.worlds[:, 0], field)


def _put_fixed(view: AssetView, group: _RootGroup, pos: Array, wxyz: Array) -> None:
    """Move the frame a body is fixed to, or in which its joints, at zero, leave it."""
    engine = view.engine
    parents = engine.compiled.mj.body_parentid[group.bodies]
    undo = quat_conjugate(quat_from_wxyz(engine.read("xquat")[group.worlds, parents]))
    pos = quat_apply(undo, pos - engine.read("xpos")[group.worlds, parents])
    quat = quat_multiply(undo, quat_from_wxyz(wxyz))
    for k, body in enumerate(group.bodies):
        offset, turn = _at_zero(engine, group.worlds[:, 0], int(body))
        quat[:, k] = quat_multiply(quat[:, k], quat_conjugate(turn))
        pos[:, k] -= quat_apply(quat[:, k], offset)
    for field, value in (("body_pos", pos), ("body_quat", quat_to_wxyz(quat))):
        engine.set_param(field, value, env_ids=group.worlds[:, 0], ids=group.bodies)


def _at_zero(engine: Engine, worlds: Ids, body: int) -> tuple[Array, Array]:
    """Pose that hinges and slides at zero, rather than at their reference, give a body.

    Returns:
        Position, shape (len(worlds), 3), and orientation (xyzw), shape (len(worlds), 4).
    """
    model = engine.compiled.mj
    pos, quat = np.zeros((len(worlds), 3)), np.tile([0.0, 0.0, 0.0, 1.0], (len(worlds), 1))
    first = int(model.body_jntadr[body])
    for joint in range(first, first + int(model.body_jntnum[body])):
        kind = mujoco.mjtJoint(model.jnt_type[joint])
        if kind not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            continue
        back = -engine.param("qpos0")[worlds, model.jnt_qposadr[joint]]
        axis, anchor = (engine.param(name)[worlds, joint] for name in ("jnt_axis", "jnt_pos"))
        if kind == mujoco.mjtJoint.mjJNT_SLIDE:
            pos = pos + quat_apply(quat, axis * back[:, None])
        else:
            turn = quat_from_axis_angle(axis, back)
            pos = pos + quat_apply(quat, anchor - quat_apply(turn, anchor))
            quat = quat_multiply(quat, turn)
    return pos, quat


_PUT = {FREE: _put_free, MOCAP: _put_mocap, FIXED: _put_fixed}


@dataclass(frozen=True)
class RootVelocity:
    """Velocities in world, linear first, of link origins or centres of mass."""

    of_com: bool
    """Whether they are those of centres of mass rather than of links."""

    def write(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set velocities of some instances and roots, shape (rows, ids, 6).

        Raises:
            InvalidValueError: a root that cannot move is given a velocity.
        """
        _require_rest(view, values, rows, ids)
        self._lead(view, values, rows, ids)
        roots = view.copies.roots
        if roots is not None:
            found, selection = roots.upload(values, rows, ids)
            roots.velocities(found, selection, of_com=self.of_com, rows=rows)
            return
        for group in _groups(view, values, rows, ids, FREE):
            self._put(view, group)

    def write_directly(
        self, view: AssetView, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """Set velocities that are on the device; roots that cannot move are passed over.

        See `DirectStore.write_directly`. The host moves kinematic roots: where
        there are no others the host writes them, among others they are passed over.
        """
        if (view.layout.root_kinds == MOCAP).all():
            return False
        copies.roots.velocities(values, selection, of_com=self.of_com)
        return True

    def _lead(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set velocities of kinematic roots."""
        for group in _groups(view, values, rows, ids, MOCAP):
            linear, angular = group.values[..., :3], group.values[..., 3:]
            if self.of_com:
                quat = quat_from_wxyz(view.engine.state("mocap_quat")[group.worlds, group.starts])
                offset = view.engine.param("body_ipos")[group.worlds, group.bodies]
                linear = linear - cross(angular, quat_apply(quat, offset))
            led = _led(view, group)
            velocity = np.concatenate([linear, angular], axis=-1)[:, led]
            if led.any():
                worlds, bodies = group.worlds[:, 0], group.bodies[led]
                view.engine.set_kinematic_velocity(velocity, worlds, bodies)

    def _put(self, view: AssetView, group: _RootGroup) -> None:
        engine, worlds = view.engine, group.worlds[:, 0]
        qpos, qvel = engine.state("qpos"), engine.state("qvel")
        places = zip(group.bodies, group.starts, group.dofs, strict=True)
        for k, (body, start, dof) in enumerate(places):
            linear, angular = group.values[:, k, :3], group.values[:, k, 3:]
            quat = quat_from_wxyz(qpos[worlds, start + 3 : start + 7])
            if self.of_com:
                offset = engine.param("body_ipos")[worlds, body]
                linear = linear - cross(angular, quat_apply(quat, offset))
            qvel[worlds, dof : dof + 3] = linear
            # The engine keeps the angular velocity of a free body in the body's axes.
            qvel[worlds, dof + 3 : dof + 6] = quat_apply(quat_conjugate(quat), angular)
        engine.touch(worlds, "qvel")


def _require_rest(view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
    """Refuse velocities of roots that cannot have any."""
    for kind in (MOCAP, FIXED):
        for group in _groups(view, values, rows, ids, kind):
            moving = np.argwhere(group.values.any(axis=-1) & ~_led(view, group))
            if len(moving):
                raise _held(view, group, *moving[0])


def _led(view: AssetView, group: _RootGroup) -> NDArray[np.bool_]:
    """Mask of the bodies of a group that kinematic velocities move."""
    rows = [view.engine.kinematics.row(int(body)) for body in group.bodies]
    return np.array([row is not None for row in rows], np.bool_)


def _held(view: AssetView, group: _RootGroup, row: int, column: int) -> InvalidValueError:
    compiled, body = view.engine.compiled, group.bodies[column]
    jointed = compiled.mj.body_jntnum[body] > 0
    return InvalidValueError(
        f"velocity of {compiled.names.paths('body')[body]} in world {group.worlds[row, 0]}",
        group.values[row, column].tolist(),
        "zero: it is held to the world by joints" if jointed else "zero: it is fixed",
        f"Write {'the velocities of its joints' if jointed else 'its pose'} instead. "
        "Nothing was written.",
    )


@dataclass(frozen=True)
class RootState:
    """A pose and a velocity in one row of thirteen numbers."""

    pose: RootPose
    velocity: RootVelocity

    def write(self, view: AssetView, values: Array, rows: Ids | None, ids: Ids | None) -> None:
        """Set states of some instances and roots, shape (rows, ids, 13)."""
        unit_quaternions(values[..., 3:7], view.layout.title)
        _require_rest(view, values[..., 7:], rows, ids)
        self.pose.write(view, values[..., :7], rows, ids)
        self.velocity.write(view, values[..., 7:], rows, ids)

    def write_directly(
        self, view: AssetView, copies: DeviceCopies, values: wp.array, selection: DeviceSelection
    ) -> bool:
        """Set states that are on the device; see `RootPose` and `RootVelocity`."""
        roots = copies.roots
        if (view.layout.root_kinds == MOCAP).all():
            return False
        if roots.placed:
            roots.poses(values, selection, of_com=self.pose.of_com)
            roots.velocities(values, selection, of_com=self.velocity.of_com, first=7)
        return roots.placed
