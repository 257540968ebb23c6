"""Import names of Isaac Lab's eras, and the modules here in which their contents are found."""

from __future__ import annotations

__all__ = ["MODULES", "PREFIXES"]

PREFIXES = {"isaaclab": "", "omni.isaac.lab": ""}
"""Packages whose modules are those of `MODULES`, by name of the package."""

_SIM = (
    "usdsim.compat.stages",
    "usdsim.sim",
    "usdsim.spawners",
    "usdsim.schemas",
    "usdsim.schemas.deprecated",
    "usdsim.converters",
)

MODULES: dict[str, tuple[str, ...]] = {
    "": (),
    "actuators": ("usdsim.actuators",),
    "app": ("usdsim.compat.app",),
    "assets": ("usdsim.assets",),
    "controllers": ("usdsim.controllers",),
    "markers": ("usdsim.compat.markers",),
    "scene": ("usdsim.sim",),
    "sensors": ("usdsim.sensors",),
    "sensors.patterns": ("usdsim.sensors.patterns",),
    "sim": _SIM,
    "utils": ("usdsim.compat.configclass", "usdsim.compat.timer"),
    "utils.assets": ("usdsim.compat.asset_paths",),
    "utils.math": ("usdsim.math.tensors",),
}
"""Modules that have the names of a module, in the order of looking; modules below one that is not
listed itself have the names of that."""
