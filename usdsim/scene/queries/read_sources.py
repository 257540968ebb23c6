"""Sources that query plans read, one class per quantity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.scene.arrays import FloatArray

from .quantities import readable
from .query import Entry, FlatColumns
from .sources import ACTUATORS, BALLS, GEOMS, HINGES_AND_SLIDES, LINKS, SENSORS, SITES, QuerySource

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


class ActuatorControls(QuerySource, of=ACTUATORS, quantity="ctrl"):
    """Controls of actuators, shape (*B, n)."""


class DofPosition(QuerySource, quantity="dof_pos"):
    """Positions of all degrees of freedom [m or rad]."""


class DofVelocity(QuerySource, quantity="dof_vel"):
    """Velocities of all degrees of freedom [m/s or rad/s]."""


class GeomPosition(QuerySource, of=GEOMS, quantity="position", width=3):
    """World positions of geoms [m], shape (*B, n, 3)."""


class GeomRotation(QuerySource, of=GEOMS, quantity="rotation", width=4):
    """Orientations of geoms in world (x, y, z, w), shape (*B, n, 4)."""


class GeomLinearVelocity(QuerySource, of=GEOMS, quantity="linear_velocity", width=3):
    """World velocities of geoms' origins [m/s], shape (*B, n, 3)."""


class GeomAngularVelocity(QuerySource, of=GEOMS, quantity="angular_velocity", width=3):
    """World angular velocities of geoms [rad/s], shape (*B, n, 3)."""


class LinkPosition(QuerySource, of=LINKS, quantity="position", width=3):
    """World positions of links [m], shape (*B, n, 3)."""


class LinkRotation(QuerySource, of=LINKS, quantity="rotation", width=4):
    """Orientations of links in world (x, y, z, w), shape (*B, n, 4)."""


class LinkLinearVelocity(QuerySource, of=LINKS, quantity="linear_velocity", width=3):
    """World velocities of links' origins [m/s], shape (*B, n, 3)."""


class LinkAngularVelocity(QuerySource, of=LINKS, quantity="angular_velocity", width=3):
    """World angular velocities of links [rad/s], shape (*B, n, 3)."""


class LinkNetContactForces(QuerySource, of=LINKS, width=6):
    """Net contact forces [N] and moments [N m] of links in world, shape (*B, n, 6)."""

    def columns(self, model: SceneModel, elements: Sequence[Any]) -> tuple[FlatColumns, ...]:
        """Columns that are computed, as the engine does not keep these forces."""
        chosen = np.array([link.index for link in elements], dtype=np.intp)

        def forces(data: SceneData) -> FloatArray:
            return model.get_link_net_contact_forces(data, chosen)

        return (FlatColumns("", np.arange(6 * len(chosen)), getter=forces),)


class SitePosition(QuerySource, of=SITES, quantity="position", width=3):
    """World positions of sites [m], shape (*B, n, 3)."""


class SiteRotation(QuerySource, of=SITES, quantity="rotation", width=4):
    """Orientations of sites in world (x, y, z, w), shape (*B, n, 4)."""


class SensorValues(QuerySource, of=SENSORS, quantity="value"):
    """Values of sensors, one after the other, shape (*B, sum of sizes)."""


class JointPosition(QuerySource, of=HINGES_AND_SLIDES, quantity="dof_pos", required=True):
    """Positions of hinges and slides [m or rad], shape (*B, n)."""


class JointVelocity(QuerySource, of=HINGES_AND_SLIDES, quantity="dof_vel", required=True):
    """Velocities of hinges and slides [m/s or rad/s], shape (*B, n)."""


class JointQuaternion(QuerySource, of=BALLS, quantity="dof_pos", width=4, required=True):
    """Orientations of ball joints in the joint's frame (x, y, z, w), shape (*B, n, 4)."""


class JointAngularVelocity(QuerySource, of=BALLS, quantity="dof_vel", width=3, required=True):
    """Angular velocities of ball joints in the joint's frame [rad/s], shape (*B, n, 3)."""


class _BodyDofs(QuerySource):
    """Degrees of freedom of one body.

    Args:
        body: name, path or index.
        include_base: whether those of the floating base come first, if it has one.
    """

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


class BodyDofPosition(_BodyDofs, quantity="dof_pos"):
    """Positions of one body's degrees of freedom [m or rad], shape (*B, n)."""


class BodyDofVelocity(_BodyDofs, quantity="dof_vel"):
    """Velocities of one body's degrees of freedom [m/s or rad/s], shape (*B, n)."""


class GeomPairCollision(QuerySource):
    """Contact of pairs of geoms: 1 where they touch, else 0, shape (*B, n).

    Args:
        pairs: names, paths or indices of two geoms each.
    """

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
