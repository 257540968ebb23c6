"""Frames of the world, in which MuJoCo up to 2.3.3 took all of a model that asked for it.

Such a model has ``coordinate="global"`` among its compiler settings. Read as if its frames were
those of parents, every number is what it was; what is left to do is to restate it in its body, and
the body in its parent. A body that did not say where it was, was where its inertial frame is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import (
    quat_apply,
    quat_from_wxyz,
    quat_normalize,
    quat_to_matrix,
    quat_to_wxyz,
)
from usdsim.math.transforms import Pose

__all__ = ["into_parents", "placed_in_world"]


def placed_in_world(root: Element) -> list[bool] | None:
    """Whether each body in the order of a model says where in the world it is.

    Returns:
        None for a model whose frames are those of parents.
    """
    if all(element.get("coordinate") != "global" for element in root.iter("compiler")):
        return None
    worlds = root.iter("worldbody")
    return [bool(body.get("pos")) for world in worlds for body in world.iter("body")]


def into_parents(spec: mujoco.MjSpec, placed: Sequence[bool]) -> None:
    """Restate frames of the world in those of parents.

    Args:
        spec: specification of a model that was read as if they were so already; it is changed.
        placed: whether each body says where it is, without the world.

    Raises:
        ValueError: MuJoCo refuses the model for another reason.
    """
    compiled = None if all(placed) else spec.copy().compile()
    bodies = zip(list(_below(spec.worldbody)), placed, strict=True)
    for number, (body, given) in enumerate(bodies, start=1):
        own = _pose(spec, body)
        if compiled is not None and not given:
            turn = quat_from_wxyz(compiled.body_iquat[number])
            own = Pose(compiled.body_ipos[number].copy(), turn)
        _restate_parts(spec, body, own.inverse())
        _place(body, own)
    _restate_bodies(spec.worldbody, Pose())


def _below(body: Any) -> Iterator[Any]:
    for child in body.bodies:
        yield child
        yield from _below(child)


def _restate_bodies(parent: Any, frame: Pose) -> None:
    for body in parent.bodies:
        own = Pose(np.array(body.pos), quat_from_wxyz(body.quat))
        _restate_bodies(body, own)
        _place(body, frame.inverse() @ own)


def _restate_parts(spec: mujoco.MjSpec, body: Any, inward: Pose) -> None:
    """Restate what is on a body in its frame, of which `inward` is the inverse."""
    for part in (*body.geoms, *body.sites, *body.cameras):
        ends = np.array(getattr(part, "fromto", [np.nan]))
        if np.isnan(ends[0]):
            _place(part, inward @ _pose(spec, part))
        else:
            part.fromto = inward.apply(ends.reshape(2, 3)).ravel()
    for joint in body.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_FREE:
            joint.pos, joint.axis = inward.apply(joint.pos), quat_apply(inward.quat, joint.axis)
    for light in body.lights:
        light.pos, light.dir = inward.apply(light.pos), quat_apply(inward.quat, light.dir)
    if body.explicitinertial:
        _restate_inertia(spec, body, inward)


def _restate_inertia(spec: mujoco.MjSpec, body: Any, inward: Pose) -> None:
    xx, yy, zz, xy, xz, yz = body.fullinertia
    if np.isnan(xx):
        own = Pose(np.array(body.ipos), _quat(spec, body.iquat, body.ialt))
        found = inward @ own
        body.ipos, body.iquat = found.pos, quat_to_wxyz(found.quat)
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        return
    body.ipos = inward.apply(body.ipos)
    turn = quat_to_matrix(inward.quat)
    turned = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    body.fullinertia = [*np.diag(turned), turned[0, 1], turned[0, 2], turned[1, 2]]


def _pose(spec: mujoco.MjSpec, element: Any) -> Pose:
    return Pose(np.array(element.pos), _quat(spec, element.quat, element.alt))


def _place(element: Any, pose: Pose) -> None:
    element.pos, element.quat = pose.pos, quat_to_wxyz(pose.quat)
    element.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT


def _quat(spec: mujoco.MjSpec, quat: Any, other: Any) -> NDArray[np.float64]:
    """Orientation of an element, xyzw, however it is given."""
    if other.type != mujoco.mjtOrientation.mjORIENTATION_QUAT:
        settings = spec.compiler
        quat = spec.resolve_orientation(settings.degree, settings.eulerseq, other)
    return quat_normalize(quat_from_wxyz(quat))
