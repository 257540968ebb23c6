"""Textures and the render materials that use them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

import mujoco
import numpy as np

from usdsim.core.dialects.mjc_tokens import TEXTURE_ROLE
from usdsim.parser.description import GenericDescription

from .overrides import apply_overrides

__all__ = ["add_material", "add_texture"]


def add_texture(spec: mujoco.MjSpec, element: GenericDescription, names: Mapping[str, str]) -> Any:
    """Add a procedural, file or raw texture."""
    values = dict(element.overrides)
    content, pixels = values.pop("content", None), values.pop("data", None)
    layout = values.pop("gridlayout", None)
    texture = spec.add_texture(name=names[element.path])
    apply_overrides(texture, "texture", values, names)
    if layout is not None:
        for i, face in enumerate(str(layout)):
            texture.gridlayout[i] = face
    if content is not None:
        # The engine decodes the bytes itself, as it would have decoded the source's file.
        suffix = PurePosixPath(texture.file).suffix
        texture.file = f"{element.path.strip('/').replace('/', '_')}{suffix}"
        spec.assets[texture.file] = np.asarray(content, dtype=np.uint8).tobytes()
    if pixels is not None:
        texture.data = np.asarray(pixels, dtype=np.uint8).tobytes()
    return texture


def add_material(spec: mujoco.MjSpec, element: GenericDescription, names: Mapping[str, str]) -> Any:
    """Add a render material with its textures by role."""
    material = spec.add_material(name=names[element.path])
    apply_overrides(material, "material", element.overrides, names)
    for relation, paths in element.targets.items():
        role = relation.rpartition(":")[2]
        if paths and role in TEXTURE_ROLE:
            material.textures[TEXTURE_ROLE.index(role)] = names[paths[0]]
    return material
