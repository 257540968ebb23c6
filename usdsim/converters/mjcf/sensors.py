"""Sensors, keyframes, custom data and plugin instances."""

from __future__ import annotations

from usdsim.core.dialects.mjc_tokens import OBJECT

from .context import MjcfContext
from .rows import write_rows

__all__ = ["convert_custom", "convert_keyframes", "convert_plugins", "convert_sensors"]


def _kind(code: int) -> str:
    """Kind of element that the engine's number of a type stands for."""
    return "body" if OBJECT[code] == "xbody" else OBJECT[code]


def convert_sensors(context: MjcfContext) -> None:
    """Define every sensor."""
    model = context.model
    for index, path, _ in context.defined("sensor"):
        write_rows(context, path, "sensor", index)
        for name, kind, found in (
            ("mjc:object", model.sensor_objtype[index], model.sensor_objid[index]),
            ("mjc:reference", model.sensor_reftype[index], model.sensor_refid[index]),
        ):
            if _kind(kind) in context.paths:
                context.refer(path, name, _kind(kind), int(found))
        context.refer(path, "mjc:plugin", "plugin", int(model.sensor_plugin[index]))


def convert_keyframes(context: MjcfContext) -> None:
    """Define every keyframe."""
    for index, path, _ in context.defined("key"):
        write_rows(context, path, "key", index)


def convert_custom(context: MjcfContext) -> None:
    """Define custom numbers, texts and tuples."""
    for kind in ("numeric", "text", "tuple"):
        for index, path, _ in context.defined(kind):
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
        known = context.paths.get(_kind(code)) if found >= 0 else None
        target = known[found] if known else context.root
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
    for index, path, plugin in context.defined("plugin"):
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
    for kind in ("body", "geom", "actuator", "sensor"):
        for element, instance in zip(
            context.elements(kind), getattr(model, f"{kind}_plugin").tolist(), strict=True
        ):
            if instance >= 0:
                found[instance] = element.plugin.plugin_name
    return found
