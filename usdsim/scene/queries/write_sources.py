"""Sources that write plans set, one class per quantity."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.scene.elements.actuator_kinds import GeneralActuator, PidActuator, PositionActuator
from usdsim.scene.parameters.overrides import check_override, shared_parameter

from .quantities import writable
from .query import FlatColumns, Setter
from .sources import LookupRule, WriteSource, source_class

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = [
    "ActuatorCtrls",
    "ActuatorDampingOverride",
    "ActuatorKpOverride",
    "BodyAngularVelocity",
    "BodyJointPosition",
    "BodyJointVelocity",
    "BodyLinearVelocity",
    "BodyPosition",
    "BodyRotation",
    "GeomFrictionOverride",
    "JointAngularVelocity",
    "JointQuaternion",
    "LinkCenterOfMassOverride",
    "LinkMassOverride",
]

Find = Callable[["SceneModel", list[Any]], tuple[FlatColumns, ...]]


def _each(quantity: str) -> Find:
    """Columns of a quantity of elements, one after the other."""

    def columns(model: SceneModel, elements: list[Any]) -> tuple[FlatColumns, ...]:
        return tuple(part for item in elements for part in writable(model, item)[quantity])

    return columns


def _of_base(quantity: str, numbers: slice, mocap: int = -1) -> Find:
    """Some numbers of floating bases; of bodies moved by the user, a part of their pose."""

    def columns(model: SceneModel, bodies: list[Any]) -> tuple[FlatColumns, ...]:
        found = []
        for body in bodies:
            if body.is_mocap:
                found.append(writable(model, body.mocap)["pose"][mocap])
            else:
                (part,) = writable(model, body.floatingbase)[quantity]
                found.append(FlatColumns(part.field, part.at[numbers]))
        return tuple(found)

    return columns


def _turning(model: SceneModel, bodies: list[Any]) -> tuple[FlatColumns, ...]:
    """World angular velocities, which the engine keeps in the frames of the bodies."""

    def put(data: SceneData, values: NDArray[np.float64]) -> None:
        for index, body in enumerate(bodies):
            body.floatingbase.set_global_angular_velocity(data, values[..., index, :])

    setter = Setter(put, (len(bodies), 3))
    return (FlatColumns("", np.arange(3 * len(bodies)), setter=setter),)


def _override(name: str, width: int = 0) -> Find:
    """A parameter of elements in each world."""

    def columns(model: SceneModel, elements: list[Any]) -> tuple[FlatColumns, ...]:
        if not elements:
            return ()
        parameter = shared_parameter(elements, name)

        def put(data: SceneData, values: NDArray[np.float64]) -> None:
            model.set_overrides(data, elements, name, values)

        def check(data: SceneData, values: NDArray[np.float64]) -> None:
            check_override(parameter, elements, data, values)

        shape = (len(elements), *([width] if width else []))
        setter = Setter(put, shape, check)
        return (FlatColumns("", np.arange(len(elements) * max(width, 1)), setter=setter),)

    return columns


def _floats(body: Any) -> bool:
    return body.floatingbase is not None


def _moves(body: Any) -> bool:
    return body.is_mocap or _floats(body)


def _weighs(link: Any) -> bool:
    low = link.model.low
    return int(low.body_weldid[link.engine_id]) != 0 and int(low.body_mocapid[link.engine_id]) < 0


def _single(joint: Any) -> bool:
    return bool(joint.num_dof_pos == 1)


def _ball(joint: Any) -> bool:
    return bool(joint.num_dof_pos == 4)


def _write(name: str, says: str, rule: LookupRule) -> type[Any]:
    return source_class(WriteSource, name, says, rule, "usdsim.write")


_FREE = "bodies with a floating base"
_MOVED = f"{_FREE}, and mocap bodies"
_HEAVY = "links that can move and are not moved by the user"
_SINGLE = "hinges and slides"

ActuatorCtrls = _write(
    "ActuatorCtrls", "Controls of actuators, shape (*B, n).", LookupRule(_each("ctrl"), "actuator")
)
ActuatorDampingOverride = _write(
    "ActuatorDampingOverride",
    "Damping of actuators in each world, shape (*B, n).",
    LookupRule(
        _override("damping"),
        "actuator",
        0,
        lambda item: isinstance(item, PositionActuator | GeneralActuator),
        "position and general actuators",
    ),
)
ActuatorKpOverride = _write(
    "ActuatorKpOverride",
    "Stiffness of position actuators in each world, shape (*B, n).",
    LookupRule(
        _override("kp"),
        "actuator",
        0,
        lambda item: isinstance(item, PositionActuator | PidActuator),
        "position actuators",
    ),
)
BodyPosition = _write(
    "BodyPosition",
    "World positions of bodies [m], shape (*B, n, 3).",
    LookupRule(_of_base("dof_pos", slice(0, 3), 0), "body", 3, _moves, _MOVED),
)
BodyRotation = _write(
    "BodyRotation",
    "Orientations of bodies in world (x, y, z, w), shape (*B, n, 4); any length but zero.",
    LookupRule(_of_base("dof_pos", slice(3, 7), 1), "body", 4, _moves, _MOVED),
)
BodyLinearVelocity = _write(
    "BodyLinearVelocity",
    "World velocities of floating bodies' origins [m/s], shape (*B, n, 3).",
    LookupRule(_of_base("dof_vel", slice(0, 3)), "body", 3, _floats, _FREE),
)
BodyAngularVelocity = _write(
    "BodyAngularVelocity",
    "World angular velocities of floating bodies [rad/s], shape (*B, n, 3).",
    LookupRule(_turning, "body", 3, _floats, _FREE),
)
BodyJointPosition = _write(
    "BodyJointPosition",
    "Positions of hinges and slides [m or rad], shape (*B, n).",
    LookupRule(_each("dof_pos"), "joint", 0, _single, _SINGLE),
)
BodyJointVelocity = _write(
    "BodyJointVelocity",
    "Velocities of hinges and slides [m/s or rad/s], shape (*B, n).",
    LookupRule(_each("dof_vel"), "joint", 0, _single, _SINGLE),
)
JointQuaternion = _write(
    "JointQuaternion",
    "Orientations of ball joints in the joint's frame (x, y, z, w), shape (*B, n, 4); any length "
    "but zero.",
    LookupRule(_each("dof_pos"), "joint", 4, _ball, "ball joints"),
)
JointAngularVelocity = _write(
    "JointAngularVelocity",
    "Angular velocities of ball joints in the joint's frame [rad/s], shape (*B, n, 3).",
    LookupRule(_each("dof_vel"), "joint", 3, _ball, "ball joints"),
)
LinkMassOverride = _write(
    "LinkMassOverride",
    "Masses of links in each world [kg], shape (*B, n).",
    LookupRule(_override("mass"), "link", 0, _weighs, _HEAVY),
)
LinkCenterOfMassOverride = _write(
    "LinkCenterOfMassOverride",
    "Centres of mass of links in their frames in each world [m], shape (*B, n, 3).",
    LookupRule(_override("center_of_mass", 3), "link", 3, _weighs, _HEAVY),
)
GeomFrictionOverride = _write(
    "GeomFrictionOverride",
    "Friction of geoms in each world (sliding, torsional, rolling), shape (*B, n, 3).",
    LookupRule(_override("friction", 3), "geom", 3),
)
