"""Name tables of a compiled model."""

from __future__ import annotations

import mujoco

from usdsim.core.dialects.mjc_tables import COUNTS
from usdsim.engine.names import NameTable

from .context import Build

__all__ = ["KINDS", "name_table"]

KINDS: dict[str, tuple[mujoco.mjtObj, str]] = {
    kind: (getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), count) for kind, count in COUNTS.items()
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
