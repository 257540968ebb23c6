"""Configurations of converters with the options of Isaac Lab 3.0, besides those that are here."""

from __future__ import annotations

import logging
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

from usdsim import converters
from usdsim.core.errors import UnknownNameError

__all__ = ["MjcfConverterCfg", "MjcfFileCfg", "UrdfConverterCfg", "UrdfFileCfg"]

logger = logging.getLogger("usdsim")

_COLLIDERS = {
    "Convex Hull": "convex_hull",
    "Convex Decomposition": "convex_decomposition",
    "Bounding Sphere": "bounding_sphere",
    "Bounding Cube": "bounding_box",
}


@dataclass(kw_only=True)
class _Options:
    """Options of both: how the result is laid out, which leaves its physics as it is."""

    collision_type: str = "Convex Hull"
    """Approximation of collision meshes."""
    merge_mesh: bool = False
    """Accepted: whether the meshes of a link become one."""
    robot_type: str = "Default"
    """Accepted: kind of robot, as a label."""
    run_asset_transformer: bool = True
    """Accepted: whether the result is several files; see `structure`."""

    _UNHEARD: ClassVar[tuple[str, ...]] = ()
    """Fields without effect that would have one on the physics."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field, and say so where it has no effect."""
        super().__setattr__(name, value)
        if name in self._UNHEARD and value != _default(self, name):
            title = type(self).__name__
            logger.warning("%s.%s is %r, which has no effect here.", title, name, value)


@dataclass(kw_only=True)
class _UrdfOptions(_Options):
    ros_package_paths: list[dict[str, str]] = field(default_factory=list)
    """Folders of packages, as mappings with ``name`` and ``path``."""
    run_multi_physics_conversion: bool = True
    """Accepted: whether attributes of other simulators are written; see `target`."""
    debug_mode: bool = False
    """Accepted: whether files in between are kept."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field, and the one here that means the same."""
        super().__setattr__(name, value)
        if name == "collision_type" and value != _default(self, name):
            if value not in _COLLIDERS:
                raise UnknownNameError("collision_type", value, _COLLIDERS, type(self).__name__)
            self.__setattr__("collider_type", _COLLIDERS[value])
        elif name == "ros_package_paths" and value:
            self.__setattr__("packages", {entry["name"]: entry["path"] for entry in value})


@dataclass(kw_only=True)
class _MjcfOptions(_Options):
    collision_from_visuals: bool = False
    """Whether visual shapes collide, without effect: those of the file do."""
    import_physics_scene: bool = False
    """Accepted: the options of the file are written, and those of the stage count."""
    link_density: float = 0.0
    """Density of links without inertia [kg/m^3], without effect: that of the file counts."""
    override_gain_type: str | None = None
    """Kind of the gains of actuators, without effect."""
    override_bias_type: str | None = None
    """Kind of their biases, without effect."""
    override_gain_prm: list[float] | None = None
    """Their gains, without effect."""
    override_bias_prm: list[float] | None = None
    """Their biases, without effect."""

    _UNHEARD: ClassVar[tuple[str, ...]] = (
        *("collision_from_visuals", "link_density", "override_gain_type", "override_bias_type"),
        *("override_gain_prm", "override_bias_prm"),
    )


def _default(options: _Options, name: str) -> Any:
    found = next(entry for entry in fields(options) if entry.name == name)
    return None if found.default is MISSING else found.default


@dataclass(kw_only=True)
class UrdfConverterCfg(_UrdfOptions, converters.UrdfConverterCfg):
    """Options for URDF files."""


@dataclass(kw_only=True)
class UrdfFileCfg(_UrdfOptions, converters.UrdfFileCfg):
    """A URDF file, how to convert it, and properties to write over its own."""


@dataclass(kw_only=True)
class MjcfConverterCfg(_MjcfOptions, converters.MjcfConverterCfg):
    """Options for MJCF files."""


@dataclass(kw_only=True)
class MjcfFileCfg(_MjcfOptions, converters.MjcfFileCfg):
    """An MJCF file, how to convert it, and properties to write over its own."""
