"""Sources that query plans read, one class per quantity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.scene.arrays import FloatArray

from .quantities import readable
from .query import Entry, FlatColumns
from .sources import LookupRule, QuerySource, source_class

if TYPE_CHECKING:
    from usdsim.scene.data.scene_data import SceneData
    from usdsim.scene.model.scene_model import SceneModel

__all__ = [
    "ActuatorControls",
    "BodyDofPosition",
    "BodyDofVelocity",
    "DofPosition",
    "DofVelocity",
    "GeomAngularVelocity",
    "GeomLinearVelocity",
    "GeomPairCollision",
    "GeomPosition",
    "GeomRotation",
    "JointAngularVelocity",
    "JointPosition",
    "JointQuaternion",
    "JointVelocity",
    "LinkAngularVelocity",
    "LinkLinearVelocity",
    "LinkNetContactForces",
    "LinkPosition",
    "LinkRotation",
    "SensorValues",
    "SitePosition",
    "SiteRotation",
]

_MODULE = "usdsim.query"


def _each(quantity: str) -> Callable[[SceneModel, list[Any]], tuple[FlatColumns, ...]]:
    """Columns of a quantity of elements, one after the other."""

    def columns(model: SceneModel, elements: list[Any]) -> tuple[FlatColumns, ...]:
        return tuple(part for item in elements for part in readable(model, item)[quantity])

    return columns


def _whole(quantity: str) -> Callable[[SceneModel, list[Any]], tuple[FlatColumns, ...]]:
    """Columns of a quantity of the whole scene."""
    return lambda model, _: readable(model, None)[quantity]


def _net_forces(model: SceneModel, links: list[Any]) -> tuple[FlatColumns, ...]:
    """Net contact forces, which the engine does not keep."""
    chosen = np.array([link.index for link in links], dtype=np.intp)

    def forces(data: SceneData) -> FloatArray:
        return model.get_link_net_contact_forces(data)[..., chosen, :]

    return (FlatColumns("", np.arange(6 * len(chosen)), getter=forces),)


def _read(name: str, says: str, rule: LookupRule) -> type[Any]:
    return source_class(QuerySource, name, says, rule, _MODULE)


_SINGLE = "joints with one degree of freedom: hinges and slides"
_BALL = "ball joints"


def _is_single(joint: Any) -> bool:
    return bool(joint.num_dof_pos == 1)


def _is_ball(joint: Any) -> bool:
    return bool(joint.num_dof_pos == 4)


ActuatorControls = _read(
    "ActuatorControls",
    "Controls of actuators, shape (*B, n).",
    LookupRule(_each("ctrl"), "actuator"),
)
DofPosition = _read(
    "DofPosition", "Positions of all degrees of freedom [m or rad].", LookupRule(_whole("dof_pos"))
)
DofVelocity = _read(
    "DofVelocity",
    "Velocities of all degrees of freedom [m/s or rad/s].",
    LookupRule(_whole("dof_vel")),
)
GeomPosition = _read(
    "GeomPosition",
    "World positions of geoms [m], shape (*B, n, 3).",
    LookupRule(_each("position"), "geom", 3),
)
GeomRotation = _read(
    "GeomRotation",
    "Orientations of geoms in world (x, y, z, w), shape (*B, n, 4).",
    LookupRule(_each("rotation"), "geom", 4),
)
GeomLinearVelocity = _read(
    "GeomLinearVelocity",
    "World velocities of geoms' origins [m/s], shape (*B, n, 3).",
    LookupRule(_each("linear_velocity"), "geom", 3),
)
GeomAngularVelocity = _read(
    "GeomAngularVelocity",
    "World angular velocities of geoms [rad/s], shape (*B, n, 3).",
    LookupRule(_each("angular_velocity"), "geom", 3),
)
LinkPosition = _read(
    "LinkPosition",
    "World positions of links [m], shape (*B, n, 3).",
    LookupRule(_each("position"), "link", 3),
)
LinkRotation = _read(
    "LinkRotation",
    "Orientations of links in world (x, y, z, w), shape (*B, n, 4).",
    LookupRule(_each("rotation"), "link", 4),
)
LinkLinearVelocity = _read(
    "LinkLinearVelocity",
    "World velocities of links' origins [m/s], shape (*B, n, 3).",
    LookupRule(_each("linear_velocity"), "link", 3),
)
LinkAngularVelocity = _read(
    "LinkAngularVelocity",
    "World angular velocities of links [rad/s], shape (*B, n, 3).",
    LookupRule(_each("angular_velocity"), "link", 3),
)
LinkNetContactForces = _read(
    "LinkNetContactForces",
    "Net contact forces [N] and moments [N m] of links in world, shape (*B, n, 6).",
    LookupRule(_net_forces, "link", 6),
)
SitePosition = _read(
    "SitePosition",
    "World positions of sites [m], shape (*B, n, 3).",
    LookupRule(_each("position"), "site", 3),
)
SiteRotation = _read(
    "SiteRotation",
    "Orientations of sites in world (x, y, z, w), shape (*B, n, 4).",
    LookupRule(_each("rotation"), "site", 4),
)
SensorValues = _read(
    "SensorValues",
    "Values of sensors, one after the other, shape (*B, sum of sizes).",
    LookupRule(_each("value"), "sensor"),
)
JointPosition = _read(
    "JointPosition",
    "Positions of hinges and slides [m or rad], shape (*B, n).",
    LookupRule(_each("dof_pos"), "joint", 0, _is_single, _SINGLE, required=True),
)
JointVelocity = _read(
    "JointVelocity",
    "Velocities of hinges and slides [m/s or rad/s], shape (*B, n).",
    LookupRule(_each("dof_vel"), "joint", 0, _is_single, _SINGLE, required=True),
)
JointQuaternion = _read(
    "JointQuaternion",
    "Orientations of ball joints in the joint's frame (x, y, z, w), shape (*B, n, 4).",
    LookupRule(_each("dof_pos"), "joint", 4, _is_ball, _BALL, required=True),
)
JointAngularVelocity = _read(
    "JointAngularVelocity",
    "Angular velocities of ball joints in the joint's frame [rad/s], shape (*B, n, 3).",
    LookupRule(_each("dof_vel"), "joint", 3, _is_ball, _BALL, required=True),
)


class _BodyDofs(QuerySource):
    """Degrees of freedom of one body.

    Args:
        body: name, path or index.
        include_base: whether those of the floating base come first, if it has one.
    """

    quantity = ""
    rule = LookupRule(lambda model, bodies: (), "body")

    def __init__(self, body: str | int, include_base: bool = True):
        super().__init__([body])
        self.body = body
        """Body, as it was given."""
        self.include_base = bool(include_base)
        """Whether those of the floating base come first."""

    def entry(self, model: SceneModel, name: str) -> Entry:
        """Named part of a plan that this source is; see `Source.entry`."""
        body = model.catalog("body").get(self.body)
        columns = [*readable(model, body)[f"joint_{self.quantity}"]]
        if self.include_base and body.floatingbase is not None:
            columns = [*readable(model, body.floatingbase)[self.quantity], *columns]
        return Entry(name, tuple(columns), (sum(len(part.at) for part in columns),))


class BodyDofPosition(_BodyDofs):
    """Positions of one body's degrees of freedom [m or rad], shape (*B, n)."""

    quantity = "dof_pos"


class BodyDofVelocity(_BodyDofs):
    """Velocities of one body's degrees of freedom [m/s or rad/s], shape (*B, n)."""

    quantity = "dof_vel"


class GeomPairCollision(QuerySource):
    """Contact of pairs of geoms: 1 where they touch, else 0, shape (*B, n).

    Args:
        pairs: names, paths or indices of two geoms each.
    """

    rule = LookupRule(lambda model, geoms: (), "geom")

    def __init__(self, pairs: Sequence[tuple[str | int, str | int]]):
        super().__init__(None)
        self.pairs = [tuple(pair) for pair in pairs]
        """Pairs, as they were given."""
        for pair in self.pairs:
            if len(pair) != 2:
                raise ShapeError("pairs", (len(self.pairs), len(pair)), "(n, 2)")
            if isinstance(pair[0], str) != isinstance(pair[1], str):
                raise InvalidValueError("pair", pair, "two names or two indices")

    def entry(self, model: SceneModel, name: str) -> Entry:
        """Named part of a plan that this source is; see `Source.entry`."""
        find = model.catalog("geom").index
        pairs = [[find(geom) for geom in pair] for pair in self.pairs]

        def touching(data: SceneData) -> FloatArray:
            return model.get_contact_query(data).is_colliding(pairs).astype(np.float32)

        columns = FlatColumns("", np.arange(len(pairs)), getter=touching)
        return Entry(name, (columns,), (len(pairs),))
