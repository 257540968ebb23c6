"""Render materials and textures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from usdsim.converters.emit.materials import bind_material, emit_preview_material
from usdsim.converters.mjcf.context import MjcfContext
from usdsim.converters.mjcf.rows import write_rows
from usdsim.core.dialects.mjc_arrays import texture_pixels
from usdsim.core.dialects.mjc_tokens import COLORSPACE, TEXTURE_ROLE
from usdsim.core.png import encode_png

__all__ = ["bind_materials", "convert_materials", "convert_textures"]

_RGB_ROLES = (TEXTURE_ROLE.index("rgb"), TEXTURE_ROLE.index("rgba"))
"""Texture roles that colour a surface."""
_RESTATED = (
    "mjc:rgba", "mjc:roughness", "mjc:shininess", "mjc:metallic", "mjc:emission",
)  # fmt: skip
_SHADED = tuple(
    f"inputs:{name}"
    for name in ("diffuseColor", "opacity", "roughness", "metallic", "emissiveColor")
)
"""Shader inputs that say the look of a material."""
_SKIP = ("data", "file", "cubefiles", "content", "gridlayout")


def convert_textures(context: MjcfContext) -> dict[int, str]:
    """Define every texture asset; returns the image files other tools can use, by index."""
    images: dict[int, str] = {}
    for index, path, texture in context.defined("texture"):
        write_rows(context, path, "texture", index, skip=_SKIP)
        layout = "".join(texture.gridlayout[i] for i in range(len(texture.gridlayout)))
        layout = layout.rstrip("\0")
        if layout.strip("."):
            context.set(path, "mjc:gridlayout", "string", layout)
        _write_content(context, path, index, texture)
        image = _image(context, index, texture)
        if image:
            images[index] = image
    return images


def _write_content(context: MjcfContext, path: str, index: int, texture: Any) -> None:
    """Write a texture's pixels: raw values, files, or nothing for procedural textures."""
    if len(texture.data):
        context.set(path, "mjc:pixels", "uchar[]", np.frombuffer(bytes(texture.data), np.uint8))
        return
    faces = [texture.cubefiles[i] for i in range(6)]
    if texture.file:
        found = _find(context, texture, texture.file)
        if isinstance(found, bytes):
            context.set(path, "mjc:content", "uchar[]", np.frombuffer(found, np.uint8))
            context.set(path, "mjc:file", "asset", texture.file)
        else:
            context.set(path, "mjc:file", "asset", context.placer.place(found, decoded=True))
    elif any(faces):
        images = [_find(context, texture, face) if face else None for face in faces]
        if any(isinstance(image, bytes) for image in images):
            _write_compiled(context, path, index)
            return
        placed = [
            context.placer.place(i, decoded=True) if isinstance(i, Path) else "" for i in images
        ]
        context.set(path, "mjc:cubefiles", "asset[]", placed)


def _write_compiled(context: MjcfContext, path: str, index: int) -> None:
    """The pixels that files in memory decode to; flips and missing faces are in them."""
    model = context.model
    pixels = texture_pixels(model, index)
    context.set(path, "mjc:pixels", "uchar[]", pixels.ravel())
    for name, value in zip(("height", "width", "nchannel"), pixels.shape, strict=True):
        context.set(path, f"mjc:{name}", "int", value)
    for name in ("hflip", "vflip"):
        context.set(path, f"mjc:{name}", "bool", False)
    context.set(path, "mjc:colorspace", "token", COLORSPACE[int(model.tex_colorspace[index])])


def _find(context: MjcfContext, texture: Any, file: str) -> Path | bytes:
    """The file of a texture where MuJoCo looks for it, or its bytes from memory."""
    spec = context.source.spec
    folder = texture.compiler.texturedir
    if spec.strippath:
        file = file.replace("\\", "/").rpartition("/")[2]
    for name in (file, str(Path(folder) / file)):
        if spec.assets and name in spec.assets:
            return bytes(spec.assets[name])
    return Path(spec.modelfiledir) / folder / file


def _image(context: MjcfContext, index: int, texture: Any) -> str:
    """Asset path of a picture of a 2d texture."""
    model = context.model
    if model.tex_type[index] != 0:
        return ""
    if Path(texture.file).suffix.lower() == ".png" and not (texture.hflip or texture.vflip):
        found = _find(context, texture, texture.file)
        if isinstance(found, Path):
            return context.placer.place(found, decoded=True)
    if not context.placer.folder:
        return ""  # A stage in memory has no place for a picture that has to be made.
    name = re.sub(r"[^A-Za-z0-9_]", "_", texture.name) or "texture"
    png = encode_png(texture_pixels(model, index))
    return context.placer.place_bytes(f"{name}.png", png)


def convert_materials(context: MjcfContext, images: dict[int, str]) -> None:
    """Define every render material."""
    model = context.model
    if model.nmat:
        context.define(f"{context.root}/Materials", "Scope")
    for index, material in enumerate(context.elements("material")):
        path = context.paths["material"][index]
        roles = {r: int(t) for r, t in enumerate(model.mat_texid[index]) if t >= 0}
        texture = next((images[roles[r]] for r in _RGB_ROLES if roles.get(r) in images), None)
        emit_preview_material(
            context.layer,
            path,
            model.mat_rgba[index],
            roughness=_roughness(model, index),
            metallic=max(float(model.mat_metallic[index]), 0.0),
            emission=float(model.mat_emission[index]) or None,
            texture=texture,
        )
        context.keep_name(path, material.name)
        write_rows(context, path, "material", index)
        context.restate(path, *_RESTATED)
        context.restate(f"{path}/Surface", *_SHADED)
        for role, target in roles.items():
            context.refer(path, f"mjc:texture:{TEXTURE_ROLE[role]}", "texture", target)


def _roughness(model: Any, index: int) -> float:
    authored = float(model.mat_roughness[index])
    return authored if authored >= 0.0 else 1.0 - float(model.mat_shininess[index])


def bind_materials(context: MjcfContext) -> None:
    """Bind the render materials of geoms."""
    for index, material in enumerate(context.model.geom_matid):
        if material >= 0:
            geom = context.spec(context.paths["geom"][index])
            bind_material(geom, context.paths["material"][material])
