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

__all__ = ["into_parents", "placed_in_world"]

_Frame = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Position [m] and orientation, wxyz."""


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
    world = (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    bodies = zip(list(_below(spec.worldbody)), placed, strict=True)
    for number, (body, given) in enumerate(bodies, start=1):
        own = _frame(spec, body)
        if compiled is not None and not given:
            own = compiled.body_ipos[number].copy(), compiled.body_iquat[number].copy()
        _restate_parts(spec, body, own)
        body.pos, body.quat = own
        body.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    _restate_bodies(spec.worldbody, world)


def _below(body: Any) -> Iterator[Any]:
    for child in body.bodies:
        yield child
        yield from _below(child)


def _restate_bodies(parent: Any, frame: _Frame) -> None:
    for body in parent.bodies:
        own = np.array(body.pos), np.array(body.quat)
        _restate_bodies(body, own)
        body.pos, body.quat = _relative(frame, own)


def _restate_parts(spec: mujoco.MjSpec, body: Any, own: _Frame) -> None:
    """Restate what is on a body in its frame."""
    for part in (*body.geoms, *body.sites, *body.cameras):
        ends = np.array(getattr(part, "fromto", [np.nan]))
        if np.isnan(ends[0]):
            part.pos, part.quat = _relative(own, _frame(spec, part))
            part.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        else:
            part.fromto = [x for end in (ends[:3], ends[3:]) for x in _point(own, end)]
    for joint in body.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_FREE:
            joint.pos, joint.axis = _point(own, joint.pos), _direction(own, joint.axis)
    for light in body.lights:
        light.pos, light.dir = _point(own, light.pos), _direction(own, light.dir)
    if body.explicitinertial:
        _restate_inertia(spec, body, own)


def _restate_inertia(spec: mujoco.MjSpec, body: Any, own: _Frame) -> None:
    xx, yy, zz, xy, xz, yz = body.fullinertia
    if np.isnan(xx):
        quat = _orientation(spec, body.iquat, body.ialt)
        body.ipos, body.iquat = _relative(own, (np.array(body.ipos), quat))
        body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        return
    body.ipos = _point(own, body.ipos)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turned = np.array([_direction(own, row) for row in tensor])
    turned = np.array([_direction(own, column) for column in turned.T])
    body.fullinertia = [*np.diag(turned), turned[0, 1], turned[0, 2], turned[1, 2]]


def _frame(spec: mujoco.MjSpec, element: Any) -> _Frame:
    return np.array(element.pos), _orientation(spec, element.quat, element.alt)


def _orientation(spec: mujoco.MjSpec, quat: Any, other: Any) -> NDArray[np.float64]:
    if other.type != mujoco.mjtOrientation.mjORIENTATION_QUAT:
        settings = spec.compiler
        return np.array(spec.resolve_orientation(settings.degree, settings.eulerseq, other))
    found = np.array(quat)
    mujoco.mju_normalize4(found)
    return found


def _relative(frame: _Frame, own: _Frame) -> _Frame:
    pos, quat = np.zeros(3), np.zeros(4)
    mujoco.mju_mulPose(pos, quat, *_inverse(frame), *own)
    return pos, quat


def _point(frame: _Frame, point: Any) -> NDArray[np.float64]:
    found = np.zeros(3)
    mujoco.mju_trnVecPose(found, *_inverse(frame), np.array(point))
    return found


def _direction(frame: _Frame, direction: Any) -> NDArray[np.float64]:
    found = np.zeros(3)
    mujoco.mju_rotVecQuat(found, np.array(direction), _inverse(frame)[1])
    return found


def _inverse(frame: _Frame) -> _Frame:
    pos, quat = np.zeros(3), np.zeros(4)
    mujoco.mju_negPose(pos, quat, *frame)
    return pos, quat
