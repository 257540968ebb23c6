"""Plugins, options, flags, sizes, statistics and visual settings of a stage that brings its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import mujoco

from usdsim.core.dialects.mjc_scene import DISABLE, ENABLE
from usdsim.core.errors import CompileError
from usdsim.parser.description import SceneDescription

from .overrides import set_field

__all__ = ["add_plugins", "apply_options"]

_GROUPS = 31
"""Groups of actuators, a bit each."""


def apply_options(spec: mujoco.MjSpec, scene: SceneDescription) -> None:
    """Set everything global; nothing changes where the stage authors no ``mjc:`` options.

    Args:
        spec: the spec being built; its compiler is set to take every value as it is.
        scene: the description.
    """
    compiler = spec.compiler
    compiler.degree = False
    compiler.autolimits = True
    compiler.alignfree = False
    compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
    add_plugins(spec, scene)
    if not scene.options:
        return
    compiler.LRopt.useexisting = 1
    flags: dict[str, bool] = {}
    for path, value in scene.options.items():
        group, _, field = path.rpartition(".")
        if group == "flag":
            flags[field] = bool(value)
        elif path == "option.actuatorgroupdisable":
            spec.option.disableactuator = _mask_of(value)
        else:
            set_field(_owner(spec, group), field, value)
    _set_flags(spec.option, flags)


def _mask_of(groups: Iterable[int]) -> int:
    """Bits of groups of actuators."""
    mask = 0
    for group in map(int, groups):
        if not 0 <= group < _GROUPS:
            raise CompileError(
                f"mjc:option:actuatorgroupdisable of the physics scene has the group {group}; "
                f"allowed: 0 to {_GROUPS - 1}."
            )
        mask |= 1 << group
    return mask


def _owner(spec: mujoco.MjSpec, group: str) -> Any:
    owner: Any = spec
    for name in filter(None, group.split(".")):
        owner = getattr(owner, "global_" if name == "global" else name)
    return owner


def _set_flags(option: mujoco.MjOption, flags: Mapping[str, bool]) -> None:
    for names, mask, inverted in ((DISABLE, "disableflags", True), (ENABLE, "enableflags", False)):
        bits = int(getattr(option, mask))
        for bit, name in enumerate(names):
            if name in flags:
                bits = bits & ~(1 << bit) | (int(flags[name] != inverted) << bit)
        setattr(option, mask, bits)


def add_plugins(spec: mujoco.MjSpec, scene: SceneDescription) -> None:
    """Add plugin instances, before the elements that use them."""
    for element in scene.elements:
        if element.kind != "plugin":
            continue
        values = element.overrides
        plugin = str(values.get("plugin_name", ""))
        if not plugin:
            # MuJoCo would compile what refers to it, and crash.
            raise CompileError(f"{element.path} names no plugin; set mjc:plugin, 'mujoco.pid'.")
        spec.activate_plugin(plugin)
        instance = spec.add_plugin(
            name=element.name or element.path, plugin_name=plugin, active=True
        )
        keys, entries = values.get("config:keys", ()), values.get("config:values", ())
        if len(keys) != len(entries):
            raise CompileError(
                f"{element.path}: config:keys has {len(keys)} entries and config:values "
                f"{len(entries)}; give every key a value."
            )
        instance.config = dict(zip(keys, entries, strict=True))
