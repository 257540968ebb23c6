"""Decay of the velocities of bodies, as damping of their degrees of freedom."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.context import Build
from usdsim.engine.trees import moving_dofs
from usdsim.parser.description import BodyDescription

__all__ = ["set_body_damping"]

_FREE, _SLIDE, _HINGE = (
    int(kind)
    for kind in (
        mujoco.mjtJoint.mjJNT_FREE,
        mujoco.mjtJoint.mjJNT_SLIDE,
        mujoco.mjtJoint.mjJNT_HINGE,
    )
)
_SLANT = 1e-6
"""Coupling of axes, relative to their damping, that counts as none."""
_LEVER = 0.05
"""Distance of a free body's centre of mass from its origin that counts as none, relative to its
radius of gyration."""
_POSED = (
    "linear and angular damping act on bodies that are free, only slide, or turn about one axis "
    "fixed in the world; give its joint damping"
)
_OFF_CENTRE = (
    "linear damping acts on free bodies whose centre of mass is at their origin, and is left out: "
    "elsewhere it would turn them; move the origin of the body's prim there"
)


def set_body_damping(build: Build, model: mujoco.MjModel) -> None:
    """Turn decay rates of bodies into damping of their degrees of freedom.

    A rate c slows a velocity v by c v per second whatever the mass, so the damping is c times the
    mass, and c times the moment of inertia. That is damping of degrees of freedom where it is the
    same in every pose: on free bodies whose centre of mass is at their origin, on those that only
    slide along axes at right angles, and on those that turn about one axis fixed in the world.
    Elsewhere it would change with the pose; there it is left out.
    """
    data: mujoco.MjData | None = None
    floating: dict[int, _Floating] = {}
    for body, element in zip(build.scene.bodies, build.bodies, strict=True):
        if not body.linear_damping and not body.angular_damping:
            continue
        dofs = moving_dofs(model, element.id)
        kinds = set(model.jnt_type[model.dof_jntid[dofs]].tolist())
        data = data or _at_rest(model)
        linear, angular = _damping(model, data, element.id, body, dofs)
        if kinds == {_FREE} and len(dofs) == 6:
            floats = floating.setdefault(int(dofs[0]), _Floating(body, dofs))
            floats.linear += linear
            floats.angular += angular
        elif kinds == {_SLIDE} or (kinds == {_HINGE} and len(dofs) == 1):
            damping = linear + angular
            if np.abs(damping - np.diag(damping.diagonal())).max() > _SLANT * damping.max():
                build.note(body.path, _POSED)
            else:
                model.dof_damping[dofs] += damping.diagonal()
        elif kinds:
            build.note(body.path, _POSED)
    for floats in floating.values():
        floats.apply(build, model)


class _Floating:
    """Damping of what is rigidly part of a free body."""

    def __init__(self, body: BodyDescription, dofs: NDArray[np.intp]):
        self._path, self._dofs = body.path, dofs
        self.linear, self.angular = np.zeros((6, 6)), np.zeros((6, 6))

    def apply(self, build: Build, model: mujoco.MjModel) -> None:
        damping = self.angular.diagonal().copy()
        inertia = model.dof_M0[self._dofs]
        # A force at the origin turns a body whose centre is elsewhere.
        lever = np.linalg.norm(self.linear[:3, 3:]) / np.sqrt(2.0)
        if lever > _LEVER * self.linear[0, 0] * np.sqrt(inertia[3:].mean() / inertia[:3].mean()):
            build.note(self._path, _OFF_CENTRE)
        else:
            damping += self.linear.diagonal()
        model.dof_damping[self._dofs] += damping


def _at_rest(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return data


def _damping(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    index: int,
    body: BodyDescription,
    dofs: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A body's linear and angular damping of degrees of freedom, both shape (dofs, dofs)."""
    jacobians = np.zeros((2, 3, model.nv))
    mujoco.mj_jacBodyCom(model, data, *jacobians, index)
    moves, turns = jacobians[..., dofs]
    spin = _inertia(model, index, data.xmat[index].reshape(3, 3))
    return (
        body.linear_damping * body.mass * moves.T @ moves,
        body.angular_damping * turns.T @ spin @ turns,
    )


def _inertia(model: mujoco.MjModel, body: int, frame: NDArray[np.float64]) -> NDArray[np.float64]:
    """Inertia about a body's centre of mass [kg m^2], in the axes its frame is given in, (3, 3)."""
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, model.body_iquat[body])
    axes = frame @ rotation.reshape(3, 3)
    return np.asarray((axes * model.body_inertia[body]) @ axes.T)
