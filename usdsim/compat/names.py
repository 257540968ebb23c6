"""Import names of Isaac Lab's eras, and the modules here in which their contents are found."""

from __future__ import annotations

__all__ = ["MODULES", "PREFIXES"]

PREFIXES = {
    "isaaclab": "",
    "isaaclab_physx": "",
    "isaaclab_newton": "",
    "isaaclab_contrib": "",
    "isaaclab_assets": "robots",
    "omni.isaac.lab": "",
    "omni.isaac.lab_assets": "robots",
    "isaacsim": "isaacsim",
}
"""Packages by name, and the entry of `MODULES` that each is; modules in it are below that entry."""

_SIM = (
    "usdsim.compat.stages",
    "usdsim.compat.settings",
    "usdsim.compat.aliases",
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
    "assets": ("usdsim.assets", "usdsim.compat.aliases"),
    "cloner": ("usdsim.compat.cloner",),
    "controllers": ("usdsim.controllers",),
    "deformable": ("usdsim.assets", "usdsim.compat.settings"),
    "envs": ("usdsim.envs",),
    "envs.mdp": ("usdsim.envs.mdp", "usdsim.envs.mdp.actions", "usdsim.envs.mdp.events"),
    "isaacsim": ("usdsim.compat.app",),
    "isaacsim.core": ("usdsim.compat.app", "usdsim.compat.stages"),
    "isaacsim.util.debug_draw": ("usdsim.compat.debug_draw",),
    "managers": ("usdsim.envs.managers",),
    "markers": ("usdsim.compat.markers",),
    "physics": ("usdsim.compat.settings",),
    "renderers": ("usdsim.compat.settings",),
    "robots": ("usdsim.compat.robots", "usdsim.robots"),
    "scene": ("usdsim.sim",),
    "sensors": ("usdsim.sensors",),
    "sensors.patterns": ("usdsim.sensors.patterns",),
    "sensors.ray_caster.patterns": ("usdsim.sensors.patterns",),
    "sim": _SIM,
    "utils": (
        "usdsim.compat.configclass",
        "usdsim.compat.timer",
        "usdsim.compat.tables",
        "usdsim.compat.versions",
        "usdsim.envs.signals.modifiers",
    ),
    "utils.assets": ("usdsim.compat.asset_paths",),
    "utils.dict": ("usdsim.compat.tables",),
    "utils.math": ("usdsim.math.tensors",),
    "utils.modifiers": ("usdsim.envs.signals.modifiers",),
    "utils.noise": ("usdsim.envs.signals.noise",),
    "utils.string": ("usdsim.compat.tables",),
    "utils.version": ("usdsim.compat.versions",),
    "utils.warp": ("usdsim.compat.arrays",),
}
"""Modules that have the names of a module, in the order of looking; modules below one that is not
listed itself have the names of that."""
