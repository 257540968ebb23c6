"""Display and surface materials of a robot, each defined once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.emit import emit_physics_material, emit_preview_material
from usdsim.math.mesh_files.raw_mesh import RawMaterial
from usdsim.usd.drafts import PrimDraft, define, keep_source_name

from .context import UrdfContext
from .reading.model import UrdfLink, UrdfMaterial

__all__ = ["MaterialLibrary"]

Array = NDArray[np.float64]
_GREY = np.array([0.7, 0.7, 0.7, 1.0])


class MaterialLibrary:
    """Defines materials on first use, equal ones once."""

    def __init__(self, context: UrdfContext):
        self._context = context
        self._display: dict[tuple[object, ...], PrimDraft] = {}
        self._surface: dict[tuple[object, ...], PrimDraft] = {}
        self._scope = ""

    def of_shape(self, material: UrdfMaterial | None) -> tuple[PrimDraft, Array] | None:
        """Display material and colour of a URDF material; None if it says nothing.

        A material without a colour or texture stands for the robot's material of that name.
        """
        if material is None:
            return None
        if material.rgba is None and material.texture is None:
            shared = self._context.robot.materials.get(material.name)
            if shared is None or (shared.rgba is None and shared.texture is None):
                return None
            material = shared
        rgba = _GREY if material.rgba is None else material.rgba
        texture = self._texture(material)
        if texture is not None and material.rgba is None:
            rgba = np.ones(4)
        return self._get(material.name or "material", rgba, texture), rgba

    def of_mesh(self, material: RawMaterial) -> tuple[PrimDraft, Array] | None:
        """Display material and colour a mesh file brings along; None if it brings none."""
        texture = self._context.placer.place_texture(material)
        if material.rgba is None and texture is None:
            return None
        rgba = np.ones(4) if material.rgba is None else material.rgba
        scalars = (material.roughness, material.metallic)
        return self._get(material.name or "material", rgba, texture, scalars), rgba

    def surface(self, link: UrdfLink) -> PrimDraft | None:
        """Physics material of a link; None if the file says nothing about its surface."""
        soft = (link.contact_stiffness, link.contact_damping)
        said = (link.restitution, link.torsional_friction, link.rolling_friction)
        if link.friction is None and soft[0] is None and all(value is None for value in said):
            return None
        friction = link.friction or (0.5, 0.5)
        key = (friction, *said, soft)
        if key not in self._surface:
            path = self._path("surface")
            self._surface[key] = emit_physics_material(
                self._context.layer,
                path,
                static_friction=friction[0],
                dynamic_friction=friction[0],
                restitution=link.restitution or 0.0,
                torsional_friction=link.torsional_friction,
                rolling_friction=link.rolling_friction,
                contact_stiffness=soft[0],
                contact_damping=None if soft[0] is None else soft[1],
            )
        return self._surface[key]

    def _texture(self, material: UrdfMaterial) -> str | None:
        if material.texture is None:
            return None
        file = self._context.resolver.find(material.texture)
        if file is None:
            code, problem = self._context.resolver.missing(material.texture)
            self._context.report.warn(
                code or "texture-missing", material.where, f"{problem}; left out"
            )
            return None
        return self._context.placer.place(Path(file)) or None

    def _get(
        self,
        name: str,
        rgba: Array,
        texture: str | None,
        scalars: tuple[float | None, float | None] = (None, None),
    ) -> PrimDraft:
        key = (name, tuple(rgba.tolist()), texture, scalars)
        if key not in self._display:
            path = self._path(name)
            self._display[key] = emit_preview_material(
                self._context.layer,
                path,
                rgba,
                texture=texture,
                roughness=scalars[0],
                metallic=scalars[1],
            )
            keep_source_name(self._display[key], name)
        return self._display[key]

    def _path(self, name: str) -> str:
        context = self._context
        if not self._scope:
            self._scope = f"{context.root}/Materials"
            define(context.layer, self._scope, "Scope")
        return f"{self._scope}/{context.names.unique(self._scope, name)}"
