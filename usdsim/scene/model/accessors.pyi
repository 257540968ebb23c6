"""Element accessors of a `SceneModel`: lists, counts, names and look-ups, from one table of kinds."""

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

from .structure import Structure

__all__ = ["ElementAccessors", "stub_text"]

def stub_text() -> str: ...

class ElementAccessors:
    _structure: Structure

    @property
    def links(self) -> list[Link]:
        """All links. A link is a rigid body; the world is not one."""

    @property
    def num_links(self) -> int:
        """Number of links."""

    @property
    def link_names(self) -> list[str | None]:
        """Names of all links."""

    def get_link(self, arg: str | int) -> Link:
        """A link by name, path or index."""

    def get_link_index(self, name: str | int) -> int:
        """Index of a link."""
    @property
    def bodies(self) -> list[Body]:
        """All bodies. A body is a whole kinematic tree."""

    @property
    def num_bodies(self) -> int:
        """Number of bodies."""

    @property
    def body_names(self) -> list[str | None]:
        """Names of all bodies."""

    def get_body(self, key: str | int) -> Body:
        """A body by name, path or index."""

    def get_body_index(self, name: str | int) -> int:
        """Index of a body."""
    @property
    def joints(self) -> list[Joint]:
        """All joints: hinges, slides and balls; floating bases are not joints."""

    @property
    def num_joints(self) -> int:
        """Number of joints."""

    @property
    def joint_names(self) -> list[str | None]:
        """Names of all joints."""

    def get_joint(self, key: str | int) -> Joint:
        """A joint by name, path or index."""

    def get_joint_index(self, name: str | int) -> int:
        """Index of a joint."""
    @property
    def geoms(self) -> list[Geom]:
        """All geoms, in the order of the source."""

    @property
    def num_geoms(self) -> int:
        """Number of geoms."""

    @property
    def geom_names(self) -> list[str | None]:
        """Names of all geoms."""

    def get_geom(self, arg: str | int) -> Geom:
        """A geom by name, path or index."""

    def get_geom_index(self, name: str | int) -> int:
        """Index of a geom."""
    @property
    def sites(self) -> list[Site]:
        """All sites: named frames."""

    @property
    def num_sites(self) -> int:
        """Number of sites."""

    @property
    def site_names(self) -> list[str | None]:
        """Names of all sites."""

    def get_site(self, key: str | int) -> Site:
        """A site by name, path or index."""

    def get_site_index(self, name: str | int) -> int:
        """Index of a site."""
    @property
    def actuators(self) -> list[Actuator]:
        """All actuators, in the order of their controls."""

    @property
    def num_actuators(self) -> int:
        """Number of actuators."""

    @property
    def actuator_names(self) -> list[str | None]:
        """Names of all actuators."""

    def get_actuator(self, arg: str | int) -> Actuator:
        """An actuator by name, path or index."""

    def get_actuator_index(self, name: str | int) -> int:
        """Index of an actuator."""
    @property
    def keyframes(self) -> list[Keyframe]:
        """All keyframes: named states."""

    @property
    def num_keyframes(self) -> int:
        """Number of keyframes."""

    @property
    def keyframe_names(self) -> list[str | None]:
        """Names of all keyframes."""

    def get_keyframe(self, key: str | int) -> Keyframe:
        """A keyframe by name, path or index."""

    def get_keyframe_index(self, name: str | int) -> int:
        """Index of a keyframe."""
    @property
    def hfields(self) -> list[HField]:
        """All height fields: elevations on grids."""

    @property
    def num_hfields(self) -> int:
        """Number of height fields."""

    @property
    def hfield_names(self) -> list[str | None]:
        """Names of all height fields."""

    def get_hfield(self, arg: str | int) -> HField:
        """A height field by name, path or index."""

    def get_hfield_index(self, name: str | int) -> int:
        """Index of a height field."""
    @property
    def tendons(self) -> list[Tendon]:
        """All tendons."""

    @property
    def num_tendons(self) -> int:
        """Number of tendons."""

    @property
    def tendon_names(self) -> list[str | None]:
        """Names of all tendons."""

    def get_tendon(self, key: str | int) -> Tendon:
        """A tendon by name, path or index."""

    def get_tendon_index(self, name: str | int) -> int:
        """Index of a tendon."""
    @property
    def sensors(self) -> list[Sensor]:
        """All sensors, in the order of their values."""

    @property
    def num_sensors(self) -> int:
        """Number of sensors."""

    @property
    def sensor_names(self) -> list[str | None]:
        """Names of all sensors."""

    def get_sensor(self, key: str | int) -> Sensor:
        """A sensor by name, path or index."""

    def get_sensor_index(self, name: str | int) -> int:
        """Index of a sensor."""
