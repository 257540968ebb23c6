"""Element accessors of a `SceneModel`: lists, counts, names and look-ups, kind by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.scene.elements.actuator import Actuator
from usdsim.scene.elements.body import Body
from usdsim.scene.elements.geom import Geom
from usdsim.scene.elements.hfield import HField
from usdsim.scene.elements.joint import Joint
from usdsim.scene.elements.keyframe import Keyframe
from usdsim.scene.elements.link import Link
from usdsim.scene.elements.site import Site
from usdsim.scene.elements.tendon import Tendon
from usdsim.scene.sensors.sensor import Sensor

if TYPE_CHECKING:
    from .structure import Structure

__all__ = ["ElementAccessors"]


class ElementAccessors:
    """Access to elements.

    A key is a name of the source file, a prim path, the last part of a path where it is unique, or
    an index. Unknown keys raise `UnknownNameError` with close matches, unless
    `usdsim.set_unknown_names` chose None for names. Elements without a name in
    their source file have None among the names.
    """

    _structure: Structure

    @property
    def links(self) -> list[Link]:
        """All links. A link is a rigid body; the world is not one."""
        return [*self._structure.links.items]

    @property
    def num_links(self) -> int:
        """Number of links."""
        return len(self._structure.links)

    @property
    def link_names(self) -> list[str | None]:
        """Names of all links."""
        return [*self._structure.links.names]

    def get_link(self, arg: str | int) -> Link:
        """A link by name, path or index."""
        return self._structure.links.find(arg)

    def get_link_index(self, name: str | int) -> int:
        """Index of a link."""
        return self._structure.links.find_index(name)

    @property
    def bodies(self) -> list[Body]:
        """All bodies. A body is a whole kinematic tree."""
        return [*self._structure.bodies.items]

    @property
    def num_bodies(self) -> int:
        """Number of bodies."""
        return len(self._structure.bodies)

    @property
    def body_names(self) -> list[str | None]:
        """Names of all bodies."""
        return [*self._structure.bodies.names]

    def get_body(self, key: str | int) -> Body:
        """A body by name, path or index."""
        return self._structure.bodies.find(key)

    def get_body_index(self, name: str | int) -> int:
        """Index of a body."""
        return self._structure.bodies.find_index(name)

    @property
    def joints(self) -> list[Joint]:
        """All joints: hinges, slides and balls; floating bases are not joints."""
        return [*self._structure.joints.items]

    @property
    def num_joints(self) -> int:
        """Number of joints."""
        return len(self._structure.joints)

    @property
    def joint_names(self) -> list[str | None]:
        """Names of all joints."""
        return [*self._structure.joints.names]

    def get_joint(self, key: str | int) -> Joint:
        """A joint by name, path or index."""
        return self._structure.joints.find(key)

    def get_joint_index(self, name: str | int) -> int:
        """Index of a joint."""
        return self._structure.joints.find_index(name)

    @property
    def geoms(self) -> list[Geom]:
        """All geoms, in the order of the source."""
        return [*self._structure.geoms.items]

    @property
    def num_geoms(self) -> int:
        """Number of geoms."""
        return len(self._structure.geoms)

    @property
    def geom_names(self) -> list[str | None]:
        """Names of all geoms."""
        return [*self._structure.geoms.names]

    def get_geom(self, arg: str | int) -> Geom:
        """A geom by name, path or index."""
        return self._structure.geoms.find(arg)

    def get_geom_index(self, name: str | int) -> int:
        """Index of a geom."""
        return self._structure.geoms.find_index(name)

    @property
    def sites(self) -> list[Site]:
        """All sites: named frames."""
        return [*self._structure.sites.items]

    @property
    def num_sites(self) -> int:
        """Number of sites."""
        return len(self._structure.sites)

    @property
    def site_names(self) -> list[str | None]:
        """Names of all sites."""
        return [*self._structure.sites.names]

    def get_site(self, key: str | int) -> Site:
        """A site by name, path or index."""
        return self._structure.sites.find(key)

    def get_site_index(self, name: str | int) -> int:
        """Index of a site."""
        return self._structure.sites.find_index(name)

    @property
    def actuators(self) -> list[Actuator]:
        """All actuators, in the order of their controls."""
        return [*self._structure.actuators.items]

    @property
    def num_actuators(self) -> int:
        """Number of actuators."""
        return len(self._structure.actuators)

    @property
    def actuator_names(self) -> list[str | None]:
        """Names of all actuators."""
        return [*self._structure.actuators.names]

    def get_actuator(self, arg: str | int) -> Actuator:
        """An actuator by name, path or index."""
        return self._structure.actuators.find(arg)

    def get_actuator_index(self, name: str | int) -> int:
        """Index of an actuator."""
        return self._structure.actuators.find_index(name)

    @property
    def keyframes(self) -> list[Keyframe]:
        """All keyframes: named states."""
        return [*self._structure.keyframes.items]

    @property
    def num_keyframes(self) -> int:
        """Number of keyframes."""
        return len(self._structure.keyframes)

    @property
    def keyframe_names(self) -> list[str | None]:
        """Names of all keyframes."""
        return [*self._structure.keyframes.names]

    def get_keyframe(self, key: str | int) -> Keyframe:
        """A keyframe by name, path or index."""
        return self._structure.keyframes.find(key)

    def get_keyframe_index(self, name: str | int) -> int:
        """Index of a keyframe."""
        return self._structure.keyframes.find_index(name)

    @property
    def hfields(self) -> list[HField]:
        """All height fields: elevations on grids."""
        return [*self._structure.hfields.items]

    @property
    def num_hfields(self) -> int:
        """Number of height fields."""
        return len(self._structure.hfields)

    @property
    def hfield_names(self) -> list[str | None]:
        """Names of all height fields."""
        return [*self._structure.hfields.names]

    def get_hfield(self, arg: str | int) -> HField:
        """A height field by name, path or index."""
        return self._structure.hfields.find(arg)

    def get_hfield_index(self, name: str | int) -> int:
        """Index of a height field."""
        return self._structure.hfields.find_index(name)

    @property
    def tendons(self) -> list[Tendon]:
        """All tendons."""
        return [*self._structure.tendons.items]

    @property
    def num_tendons(self) -> int:
        """Number of tendons."""
        return len(self._structure.tendons)

    @property
    def tendon_names(self) -> list[str | None]:
        """Names of all tendons."""
        return [*self._structure.tendons.names]

    def get_tendon(self, key: str | int) -> Tendon:
        """A tendon by name, path or index."""
        return self._structure.tendons.find(key)

    def get_tendon_index(self, name: str | int) -> int:
        """Index of a tendon."""
        return self._structure.tendons.find_index(name)

    @property
    def sensors(self) -> list[Sensor]:
        """All sensors, in the order of their values."""
        return [*self._structure.sensors.items]

    @property
    def num_sensors(self) -> int:
        """Number of sensors."""
        return len(self._structure.sensors)

    @property
    def sensor_names(self) -> list[str | None]:
        """Names of all sensors."""
        return [*self._structure.sensors.names]

    def get_sensor(self, key: str | int) -> Sensor:
        """A sensor by name, path or index."""
        return self._structure.sensors.find(key)

    def get_sensor_index(self, name: str | int) -> int:
        """Index of a sensor."""
        return self._structure.sensors.find_index(name)
