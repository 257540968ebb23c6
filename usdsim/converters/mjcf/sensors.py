"""Sensors, keyframes, custom data and plugin instances."""

from __future__ import annotations

from typing import Any

import numpy as np

from usdsim.core.dialects.mjc_tables import TYPES
from usdsim.core.dialects.mjc_tokens import OBJECT

from .context import MjcfContext
from .rows import write_rows

__all__ = ["convert_custom", "convert_keyframes", "convert_plugins", "convert_sensors"]


def _target(context: MjcfContext, code: int, index: int) -> str | None:
    kind = "body" if OBJECT[code] == "xbody" else OBJECT[code]
    return context.path(kind, index) if kind in context.paths else None


def convert_sensors(context: MjcfContext) -> None:
    """Define every sensor."""
    model = context.model
    for index, sensor in enumerate(context.elements("sensor")):
        path = context.paths["sensor"][index]
        context.define(path, TYPES["sensor"], sensor.name)
        write_rows(context, path, "sensor", index)
        for name, kind, found in (
            ("mjc:object", model.sensor_objtype[index], model.sensor_objid[index]),
            ("mjc:reference", model.sensor_reftype[index], model.sensor_refid[index]),
        ):
            target = _target(context, int(kind), int(found))
            if target is not None:
                context.link(path, name, [target])
        plugin = int(model.sensor_plugin[index])
        if plugin >= 0:
            context.link(path, "mjc:plugin", [context.paths["plugin"][plugin]])


def convert_keyframes(context: MjcfContext) -> None:
    """Define every keyframe."""
    for index, key in enumerate(context.elements("key")):
        path = context.paths["key"][index]
        context.define(path, TYPES["key"], key.name)
        write_rows(context, path, "key", index)


def convert_custom(context: MjcfContext) -> None:
    """Define custom numbers, texts and tuples."""
    for kind in ("numeric", "text", "tuple"):
        for index, element in enumerate(context.elements(kind)):
            path = context.paths[kind][index]
            context.define(path, TYPES[kind], element.name)
            if kind == "tuple":
                _write_tuple(context, path, index)
            else:
                write_rows(context, path, kind, index)


def _write_tuple(context: MjcfContext, path: str, index: int) -> None:
    model = context.model
    start, count = int(model.tuple_adr[index]), int(model.tuple_size[index])
    entries = slice(start, start + count)
    types = model.tuple_objtype[entries]
    targets: list[str] = []
    indices: list[int] = []
    for code, found in zip(types, model.tuple_objid[entries], strict=True):
        target = _target(context, int(code), int(found)) or context.root
        if target not in targets:
            targets.append(target)
        indices.append(targets.index(target))
    context.set(path, "mjc:types", "int[]", types)
    context.link(path, "mjc:objects", targets)
    context.set(path, "mjc:objects:indices", "int[]", indices)
    context.set(path, "mjc:parameters", "double[]", model.tuple_objprm[entries])


def convert_plugins(context: MjcfContext) -> None:
    """Define every plugin instance, with its configuration as data."""
    slots = _slots(context)
    for index, plugin in enumerate(context.elements("plugin")):
        path = context.paths["plugin"][index]
        context.define(path, TYPES["plugin"], plugin.name)
        if not plugin.name:
            context.report.info(
                "plugin-name", path, "has no name in the source; recompiled, it has its path"
            )
        context.set(path, "mjc:plugin", "string", plugin.plugin_name or slots.get(index, ""))
        config = {str(key): str(value) for key, value in plugin.config.items()}
        context.set(path, "mjc:config:keys", "string[]", list(config))
        context.set(path, "mjc:config:values", "string[]", list(config.values()))


def _slots(context: MjcfContext) -> dict[int, str]:
    """Plugin names of instances that only the elements using them name."""
    model = context.model
    found = {
        int(mesh.plugin.id): str(mesh.plugin.plugin_name)
        for mesh in context.elements("mesh")
        if mesh.plugin.active and not mesh.plugin.name
    }
    users: tuple[tuple[str, Any], ...] = (
        ("body", model.body_plugin),
        ("geom", model.geom_plugin),
        ("actuator", model.actuator_plugin),
        ("sensor", model.sensor_plugin),
    )
    for kind, instances in users:
        for index in np.flatnonzero(np.asarray(instances) >= 0):
            element = context.elements(kind)[int(index)]
            found[int(instances[index])] = element.plugin.plugin_name
    return found
