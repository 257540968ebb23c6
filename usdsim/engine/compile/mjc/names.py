"""Engine names of described elements."""

from __future__ import annotations

from collections.abc import Iterator

from usdsim.engine.names import Namer
from usdsim.parser.description import ElementDescription, SceneDescription

__all__ = ["element_names"]


def element_names(scene: SceneDescription) -> dict[str, str]:
    """Name in the spec by prim path, for every element and degree of freedom of `scene`.

    The source's name where one is recorded (``""``: unnamed), else the prim path. A name taken by
    an earlier element of the same kind falls back to the path.
    """
    namer = Namer()
    names: dict[str, str] = {}
    for kind, path, source in _elements(scene):
        if path not in names:
            # Elements refer to plugin instances by name, so these need one.
            source = (source or None) if kind == "plugin" else source
            names[path] = namer.take(kind, source, path)
    return names


def _elements(scene: SceneDescription) -> Iterator[tuple[str, str, str | None]]:
    groups: list[tuple[str, tuple[ElementDescription, ...]]] = [
        ("body", scene.bodies),
        ("geom", scene.geoms),
        ("site", scene.sites),
        ("mesh", tuple(scene.meshes.values())),
        ("hfield", tuple(scene.height_fields.values())),
        ("actuator", scene.actuators),
    ]
    for kind, elements in groups:
        for element in elements:
            yield kind, element.path, element.name
    for joint in scene.joints:
        for dof in joint.dofs:
            yield "joint", dof.path, dof.name if dof.name is not None else joint.name
    for element in scene.elements:
        yield element.kind, element.path, element.name
