"""Sources that write plans set, one class per quantity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.scene.elements.actuator_kinds import GeneralActuator, PidActuator, PositionActuator
from usdsim.scene.parameters.overrides import check_override, shared_parameter

from .quantities import writable
from .query import FlatColumns, Setter
from .sources import ACTUATORS, BALLS, GEOMS, HINGES_AND_SLIDES, ElementFilter, WriteSource

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


def _floats(body: Any) -> bool:
    return body.floatingbase is not None


def _weighs(link: Any) -> bool:
    low = link.model.low
    return int(low.body_weldid[link.engine_id]) != 0 and int(low.body_mocapid[link.engine_id]) < 0


_FREE_BODIES = ElementFilter("body", "bodies with a floating base", _floats)
_PLACED_BODIES = ElementFilter(
    "body",
    "bodies with a floating base, and mocap bodies",
    lambda body: body.is_mocap or _floats(body),
)
_MOVED_LINKS = ElementFilter("link", "links that can move and are not moved by the user", _weighs)
_SERVOS = ElementFilter(
    "actuator",
    "position actuators",
    lambda item: isinstance(item, PositionActuator | PidActuator),
)
_DAMPED = ElementFilter(
    "actuator",
    "position and general actuators",
    lambda item: isinstance(item, PositionActuator | GeneralActuator),
)


class ActuatorCtrls(WriteSource, of=ACTUATORS, quantity="ctrl"):
    """Controls of actuators, shape (*B, n)."""


class _Override(WriteSource):
    """Parameter of elements in each world."""

    def columns(self, model: SceneModel, elements: Sequence[Any]) -> tuple[FlatColumns, ...]:
        """Columns of the parameter, which go to the engine's parameters."""
        if not elements:
            return ()
        parameter = shared_parameter(elements, self.quantity)

        def put(data: SceneData, values: NDArray[np.float64]) -> None:
            model.set_overrides(data, elements, self.quantity, values)

        def check(data: SceneData, values: NDArray[np.float64]) -> None:
            check_override(parameter, elements, data, values)

        shape = (len(elements), *([self.width] if self.width else []))
        setter = Setter(put, shape, check)
        return (FlatColumns("", np.arange(len(elements) * max(self.width, 1)), setter=setter),)


class ActuatorDampingOverride(_Override, of=_DAMPED, quantity="damping"):
    """Damping of position and general actuators in each world, shape (*B, n)."""


class ActuatorKpOverride(_Override, of=_SERVOS, quantity="kp"):
    """Stiffness of position actuators in each world, shape (*B, n)."""


class LinkMassOverride(_Override, of=_MOVED_LINKS, quantity="mass"):
    """Masses of links that forces move in each world [kg], shape (*B, n)."""


class LinkCenterOfMassOverride(_Override, of=_MOVED_LINKS, quantity="center_of_mass", width=3):
    """Centres of mass of links that forces move, in their frames in each world [m], (*B, n, 3)."""


class GeomFrictionOverride(_Override, of=GEOMS, quantity="friction", width=3):
    """Friction of geoms in each world (sliding, torsional, rolling), shape (*B, n, 3)."""


class _BaseNumbers(WriteSource):
    """Numbers of floating bases; of bodies moved by the user, a part of their pose."""

    numbers: ClassVar[slice]
    """Numbers among those of a floating base."""
    mocap: ClassVar[int] = -1
    """Place of the same among the parts of a mocap body's pose."""

    def columns(self, model: SceneModel, elements: Sequence[Any]) -> tuple[FlatColumns, ...]:
        """Columns of the numbers, of one body after the other."""
        found = []
        for body in elements:
            if body.is_mocap:
                found.append(writable(model, body.mocap)["pose"][self.mocap])
            else:
                (part,) = writable(model, body.floatingbase)[self.quantity]
                found.append(FlatColumns(part.field, part.at[self.numbers]))
        return tuple(found)


class BodyPosition(_BaseNumbers, of=_PLACED_BODIES, quantity="dof_pos", width=3):
    """World positions of bodies with a floating base and mocap bodies [m], shape (*B, n, 3)."""

    numbers, mocap = slice(0, 3), 0


class BodyRotation(_BaseNumbers, of=_PLACED_BODIES, quantity="dof_pos", width=4):
    """Orientations of such bodies in world (x, y, z, w), any length but zero, (*B, n, 4)."""

    numbers, mocap = slice(3, 7), 1


class BodyLinearVelocity(_BaseNumbers, of=_FREE_BODIES, quantity="dof_vel", width=3):
    """World velocities of floating bodies' origins [m/s], shape (*B, n, 3)."""

    numbers = slice(0, 3)


class BodyAngularVelocity(WriteSource, of=_FREE_BODIES, width=3):
    """World angular velocities of floating bodies [rad/s], shape (*B, n, 3)."""

    def columns(self, model: SceneModel, elements: Sequence[Any]) -> tuple[FlatColumns, ...]:
        """Columns that are converted, as the engine keeps them in the frames of the bodies."""

        def put(data: SceneData, values: NDArray[np.float64]) -> None:
            for index, body in enumerate(elements):
                body.floatingbase.set_global_angular_velocity(data, values[..., index, :])

        setter = Setter(put, (len(elements), 3))
        return (FlatColumns("", np.arange(3 * len(elements)), setter=setter),)


class BodyJointPosition(WriteSource, of=HINGES_AND_SLIDES, quantity="dof_pos"):
    """Positions of hinges and slides [m or rad], shape (*B, n)."""


class BodyJointVelocity(WriteSource, of=HINGES_AND_SLIDES, quantity="dof_vel"):
    """Velocities of hinges and slides [m/s or rad/s], shape (*B, n)."""


class JointQuaternion(WriteSource, of=BALLS, quantity="dof_pos", width=4):
    """Orientations of ball joints in the joint's frame (x, y, z, w), any length but zero."""


class JointAngularVelocity(WriteSource, of=BALLS, quantity="dof_vel", width=3):
    """Angular velocities of ball joints in the joint's frame [rad/s], shape (*B, n, 3)."""
