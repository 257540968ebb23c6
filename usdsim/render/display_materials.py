"""Display materials of a stage as the engine knows materials: colours, textures and coordinates.

Of surfaces of `UsdPreviewSurface` and NVIDIA's OmniPBR; MuJoCo's own materials come with the scene.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from pxr import Ar, Sdf, Usd, UsdGeom, UsdShade

from usdsim.core.errors import UsdsimError
from usdsim.parser.description import (
    DeformableDescription,
    GenericDescription,
    GeomDescription,
    MeshDescription,
    SceneDescription,
)
from usdsim.parser.element import path_of_prim
from usdsim.parser.shapes.looks import input_source, input_value, plain_colour, surface_of

from .png import decode_image
from .prim_triangles import PrimTriangles

__all__ = ["shown_colour", "with_display_materials"]

logger = logging.getLogger("usdsim")

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

_TEXTURE_2D = 0
_LARGEST = 2048
"""Pixels along an edge of a texture; of larger ones every second, third ... is taken."""


def with_display_materials(
    stage: Usd.Stage, scene: SceneDescription, *, colliders: bool = False
) -> SceneDescription:
    """The scene with colours and textures of the display materials that prims are bound to.

    Meshes whose faces have several materials become a geom for each, which do not collide.

    Args:
        stage: the stage.
        scene: its description, with what is only seen.
        colliders: whether what collides is looked at, and has to stay.
    """
    looks = _Looks(stage, scene)
    parts = scene.geoms if colliders else chain.from_iterable(map(looks.taken_apart, scene.geoms))
    geoms = tuple(looks.dressed(geom) for geom in parts)
    soft = tuple(looks.tinted(body) for body in scene.deformables)
    elements = (*scene.elements, *looks.elements)
    return replace(scene, geoms=geoms, meshes=looks.meshes, deformables=soft, elements=elements)


def shown_colour(prim: Usd.Prim) -> Array | None:
    """Colour and opacity of a prim: what it says, else what its display material says.

    Args:
        prim: what is seen.

    Returns:
        Numbers from 0 to 1, shape (4,); None: neither says one.
    """
    primvars = UsdGeom.PrimvarsAPI(prim)
    colour, opacity = (primvars.GetPrimvar(f"display{name}").Get() for name in ("Color", "Opacity"))
    if colour is None or not len(colour):
        return _read_look(UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]).colour
    return np.array([*colour[0], opacity[0] if opacity is not None and len(opacity) else 1.0])


@dataclass(frozen=True, eq=False)
class _Look:
    """Look of a display material."""

    colour: Array | None
    """Colour and opacity, shape (4,); None: it has none that is a number."""
    pixels: Pixels | None = None
    """Picture in place of the colour, top row first, shape (height, width, 3); None: none."""
    primvar: str = "st"
    """Primvar with texture coordinates, v up."""
    linear: Array = field(default_factory=lambda: np.eye(2))
    """Linear map of the coordinates as row vectors, before they are moved, shape (2, 2)."""
    offset: Array = field(default_factory=lambda: np.zeros(2))

    @property
    def flat(self) -> Array | None:
        """Colour and opacity of what has no texture coordinates, shape (4,); None: it has none."""
        if self.pixels is None:
            return self.colour
        return np.append(self.pixels.mean(axis=(0, 1)) / 255.0, 1.0)


class _Looks:
    """Looks that geoms get, each read once.

    Attributes:
        elements: textures and materials for the scene.
        meshes: the scene's, and those with texture coordinates.
    """

    def __init__(self, stage: Usd.Stage, scene: SceneDescription):
        self._stage = stage
        self.elements: list[GenericDescription] = []
        self.meshes: dict[str, MeshDescription] = dict(scene.meshes)
        self._known: dict[str, _Look] = {}
        self._materials: dict[str, str] = {}
        self._mapped: dict[tuple[str, str, bytes], str] = {}
        self._coordinates: dict[str, tuple[PrimTriangles, NDArray[np.intp]]] = {}

    def taken_apart(self, geom: GeomDescription) -> Iterator[GeomDescription]:
        """A geom for each material of a mesh."""
        mesh = self.meshes.get(str(geom.mesh))
        prim = self._stage.GetPrimAtPath(path_of_prim(geom.path))
        if mesh is None or not prim or "material" in geom.overrides:
            yield geom
            return
        triangles = PrimTriangles(prim, mesh)
        groups = list(triangles.by_material())
        if not groups:
            self._coordinates[geom.path] = triangles, np.arange(len(mesh.faces))
            yield geom
        for number, (material, rows) in enumerate(groups):
            path = f"{geom.path}:{number}" if number else geom.path
            used, corners = np.unique(mesh.faces[rows], return_inverse=True)
            faces: NDArray[np.int32] = corners.reshape(-1, 3).astype(np.int32)
            self.meshes[f"{path}/usdsim_part"] = replace(
                mesh, path=f"{path}/usdsim_part", name=None, points=mesh.points[used], faces=faces
            )
            self._coordinates[path] = triangles, rows
            yield replace(
                geom, path=path, name=geom.name if not number else None, collides=False,
                mesh=f"{path}/usdsim_part", visual_material=material or geom.visual_material,
                rgba=None if material else geom.rgba,
            )  # fmt: skip

    def dressed(self, geom: GeomDescription) -> GeomDescription:
        """A geom in the look of its display material, where it has no other."""
        path = geom.visual_material
        if path is None or "material" in geom.overrides:
            return geom
        look = self._look(UsdShade.Material(self._stage.GetPrimAtPath(path)))
        if look.pixels is None:
            return geom if geom.rgba is not None else replace(geom, rgba=look.colour)
        mesh = None if geom.mesh is None else self._with_coordinates(geom, look)
        if mesh is None:
            return replace(geom, rgba=look.flat)
        overrides = {**geom.overrides, "material": self._material(path, look.pixels)}
        return replace(geom, mesh=mesh, rgba=None, overrides=overrides)

    def tinted(self, body: DeformableDescription) -> DeformableDescription:
        """A deformable body without colour in that of the display material of what shows it."""
        if body.rgba is not None:
            return body
        for path in (*(visual.path for visual in body.visuals), body.mesh):
            binding = UsdShade.MaterialBindingAPI(self._stage.GetPrimAtPath(path))
            flat = self._look(binding.ComputeBoundMaterial()[0]).flat
            if flat is not None:
                return replace(body, rgba=flat)
        return body

    def _look(self, material: UsdShade.Material) -> _Look:
        """Look of a material, read once; one without anything for none."""
        path = str(material.GetPath())
        if path not in self._known:
            self._known[path] = _read_look(material)
        return self._known[path]

    def _material(self, path: str, pixels: Pixels) -> str:
        """Path of the engine's material with a picture, which is made once."""
        if path not in self._materials:
            height, width = pixels.shape[:2]
            made = self._materials[path] = f"{path}/usdsim_look"
            values = {"type": _TEXTURE_2D, "width": width, "height": height, "nchannel": 3}
            picture = f"{path}/usdsim_picture"
            self.elements += [
                GenericDescription(
                    path=picture, kind="texture", overrides={**values, "data": pixels.ravel()}
                ),
                GenericDescription(
                    path=made, kind="material", overrides={}, targets={"textures:rgb": (picture,)}
                ),
            ]
        return self._materials[path]

    def _with_coordinates(self, geom: GeomDescription, look: _Look) -> str | None:
        """Key of the geom's mesh with texture coordinates; None: its prim has none that fit."""
        mesh = self.meshes.get(str(geom.mesh))
        if mesh is None or mesh.overrides.get("usertexcoord") is not None:
            return geom.mesh
        triangles, rows = self._coordinates.get(geom.path, (None, None))
        found = None if triangles is None else triangles.coordinates(look.primvar)
        if found is None:
            return None
        found = (found[rows] @ look.linear + look.offset) * (1.0, -1.0) + (0.0, 1.0)
        values = found.reshape(-1, 2).astype(np.float32)
        key = str(geom.mesh), look.primvar, values.tobytes()
        if key not in self._mapped:
            path = self._mapped[key] = f"{geom.path}/usdsim_mapped"
            corners = np.arange(len(values), dtype=np.int32)
            coordinates = {"usertexcoord": values.ravel(), "userfacetexcoord": corners}
            overrides = {**mesh.overrides, **coordinates}
            self.meshes[path] = replace(mesh, path=path, name=None, overrides=overrides)
        return self._mapped[key]


def _read_look(material: UsdShade.Material) -> _Look:
    """Look of a material, by its universal surface, or else by that for NVIDIA's renderers."""
    shader = surface_of(material)
    if shader is None:
        return _Look(None)
    plain = plain_colour(shader)
    picture = input_value(shader, "diffuse_texture")
    if picture is not None:
        scale = np.array(input_value(shader, "texture_scale") or (1.0, 1.0), np.float64)
        return _Look(plain, _pixels(picture), linear=np.diag(scale))
    texture = input_source(shader, "diffuseColor")
    picture = input_value(texture, "file") if texture else None
    if texture is None or picture is None:
        return _Look(plain)
    return _mapped(_Look(plain, _pixels(picture)), input_source(texture, "st"))


def _mapped(look: _Look, node: UsdShade.Shader | None) -> _Look:
    """The look with what nodes before its texture say of coordinates."""
    linear, offset = np.eye(2), np.zeros(2)
    while node is not None and node.GetIdAttr().Get() == "UsdTransform2d":
        scale = np.array(input_value(node, "scale") or (1.0, 1.0), np.float64)
        angle = np.radians(float(input_value(node, "rotation") or 0.0))
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        shift = np.array(input_value(node, "translation") or (0.0, 0.0), np.float64)
        own = np.diag(scale) @ turn
        linear, offset = own @ linear, shift @ linear + offset
        node = input_source(node, "in")
    name = input_value(node, "varname") if node is not None else None
    return replace(look, linear=linear, offset=offset, primvar=str(name or "st"))


def _pixels(picture: Sdf.AssetPath) -> Pixels | None:
    """The picture of a file, also in a package; None, with a note in the log: it cannot be read."""
    path = picture.resolvedPath
    asset = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(path)) if path else None
    try:
        if asset is None:
            raise FileNotFoundError("there is no such file")
        pixels = decode_image(bytes(asset.GetBuffer()), path.rstrip("]"))
    except (UsdsimError, OSError) as error:
        logger.warning("Texture %r is not drawn: %s", picture.path, error)
        return None
    step = -(-max(pixels.shape[:2]) // _LARGEST)
    return np.ascontiguousarray(pixels[::step, ::step])
