"""Visual geometry, left out where physics does not need it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from usdsim.parser.description import SceneDescription

__all__ = ["without_looks"]

_KINDS = frozenset({"material", "skin", "texture"})
_REFERENCES = frozenset({"material", "texture"})


def without_looks(scene: SceneDescription) -> SceneDescription:
    """The scene without display materials, textures and skins, and without references to them."""
    return replace(
        scene,
        geoms=_plain(scene.geoms),
        sites=_plain(scene.sites),
        meshes=dict(zip(scene.meshes, _plain(scene.meshes.values()), strict=True)),
        elements=_plain([e for e in scene.elements if e.kind not in _KINDS]),
    )


def _plain(elements: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(
        replace(e, overrides={k: v for k, v in e.overrides.items() if k not in _REFERENCES})
        if not _REFERENCES.isdisjoint(e.overrides)
        else e
        for e in elements
    )
