"""Name tables of a compiled model."""

from __future__ import annotations

import mujoco

from usdsim.engine.names import NameTable

from .context import Build

__all__ = ["KINDS", "name_table"]

KINDS: dict[str, tuple[mujoco.mjtObj, str]] = {
    "body": (mujoco.mjtObj.mjOBJ_BODY, "nbody"),
    "joint": (mujoco.mjtObj.mjOBJ_JOINT, "njnt"),
    "geom": (mujoco.mjtObj.mjOBJ_GEOM, "ngeom"),
    "site": (mujoco.mjtObj.mjOBJ_SITE, "nsite"),
    "camera": (mujoco.mjtObj.mjOBJ_CAMERA, "ncam"),
    "light": (mujoco.mjtObj.mjOBJ_LIGHT, "nlight"),
    "mesh": (mujoco.mjtObj.mjOBJ_MESH, "nmesh"),
    "hfield": (mujoco.mjtObj.mjOBJ_HFIELD, "nhfield"),
    "flex": (mujoco.mjtObj.mjOBJ_FLEX, "nflex"),
    "skin": (mujoco.mjtObj.mjOBJ_SKIN, "nskin"),
    "texture": (mujoco.mjtObj.mjOBJ_TEXTURE, "ntex"),
    "material": (mujoco.mjtObj.mjOBJ_MATERIAL, "nmat"),
    "pair": (mujoco.mjtObj.mjOBJ_PAIR, "npair"),
    "exclude": (mujoco.mjtObj.mjOBJ_EXCLUDE, "nexclude"),
    "equality": (mujoco.mjtObj.mjOBJ_EQUALITY, "neq"),
    "tendon": (mujoco.mjtObj.mjOBJ_TENDON, "ntendon"),
    "actuator": (mujoco.mjtObj.mjOBJ_ACTUATOR, "nactuator"),
    "sensor": (mujoco.mjtObj.mjOBJ_SENSOR, "nsensor"),
    "numeric": (mujoco.mjtObj.mjOBJ_NUMERIC, "nnumeric"),
    "text": (mujoco.mjtObj.mjOBJ_TEXT, "ntext"),
    "tuple": (mujoco.mjtObj.mjOBJ_TUPLE, "ntuple"),
    "key": (mujoco.mjtObj.mjOBJ_KEY, "nkey"),
    "plugin": (mujoco.mjtObj.mjOBJ_PLUGIN, "nplugin"),
}
"""Element kinds: the engine's object type and where the model has their number."""


def name_table(build: Build, model: mujoco.MjModel) -> NameTable:
    """Paths and names of every element of the model."""
    names = {
        kind: [mujoco.mj_id2name(model, obj, i) or "" for i in range(getattr(model, size))]
        for kind, (obj, size) in KINDS.items()
    }
    paths = {kind: [""] * len(entries) for kind, entries in names.items()}
    paths["body"][0] = "/"
    for kind, table in build.elements.items():
        for path, element in table.items():
            paths[kind][element.id] = path
    for kind, described in _described(build).items():
        _fill(paths[kind], names[kind], described)
    return NameTable(paths, names, where=build.scene.source)


def _described(build: Build) -> dict[str, list[tuple[str, str]]]:
    """Path and engine name of the dialect's own elements, by kind, in order."""
    found: dict[str, list[tuple[str, str]]] = {}
    for actuator in build.scene.actuators:
        found.setdefault("actuator", []).append((actuator.path, build.names[actuator.path]))
    for element in build.scene.elements:
        if element.kind in KINDS:
            found.setdefault(element.kind, []).append((element.path, build.names[element.path]))
    return found


def _fill(paths: list[str], names: list[str], described: list[tuple[str, str]]) -> None:
    by_name = {name: i for i, name in enumerate(names) if name}
    unnamed = iter([i for i, name in enumerate(names) if not name and not paths[i]])
    for path, name in described:
        index = by_name.get(name) if name else next(unnamed, None)
        if index is not None and not paths[index]:
            paths[index] = path
