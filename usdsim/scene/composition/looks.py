"""Looks of an editable world: textures and materials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from .elements import Field, WorldPart, all_of, kept, refused
from .fields import choice, codes, listed, number, text
from .values import Case, LiveList, Value, Variant, vector

__all__ = [
    "AlphaMode",
    "BuildinAttr",
    "ColorSpace",
    "Layer",
    "Mark",
    "Material",
    "MaterialRole",
    "TexcoordOrigin",
    "Texture",
    "TextureSource",
    "TextureType",
]

_TEXTURE, _BUILTIN, _MARK = mujoco.mjtTexture, mujoco.mjtBuiltin, mujoco.mjtMark
_SPACE = mujoco.mjtColorSpace


class Mark(Enum):
    """Pattern on a texture that is made."""

    None_ = "none"
    Edge = "edge"
    Cross = "cross"
    Random = "random"


class ColorSpace(Enum):
    """Meaning of the numbers of a texture."""

    Srgb = "srgb"
    Linear = "linear"


class TextureType(Enum):
    """Use of a texture."""

    D2 = "2d"
    Skybox = "skybox"


class MaterialRole(Enum):
    """Use of a texture of a material."""

    Rgb = "rgb"
    Normal = "normal"
    Orm = "orm"
    Emissive = "emissive"
    Rgba = "rgba"
    Roughness = "roughness"
    Metallic = "metallic"


class TexcoordOrigin(Enum):
    """Corner of a texture with coordinates (0, 0)."""

    TopLeft = "top left"
    BottomLeft = "bottom left"


class AlphaMode(Variant):
    """Transparency of a material, which here is that of its colour."""

    opaque = Case()
    mask = Case("value")
    blend = Case()
    multiply = Case()


@dataclass
class BuildinAttr(Value):
    """Texture that is made of two colours."""

    rgb1: list[float] = field(default_factory=lambda: [0.0] * 3)
    """First colour."""
    rgb2: list[float] = field(default_factory=lambda: [0.0] * 3)
    """Second colour."""
    width: float = 0.0
    """Width [pixels]."""
    height: float = 0.0
    """Height [pixels]."""
    mark: Mark = Mark.None_
    """Pattern on it."""
    markrgb: list[float] = field(default_factory=lambda: [0.0] * 3)
    """Colour of the pattern."""


class TextureSource(Variant):
    """Picture of a texture: a file, or one that is made."""

    file = Case("value", kind=str | Path)
    gradient = Case("value", kind=BuildinAttr)
    checker = Case("value", kind=BuildinAttr)
    flat = Case("value", kind=BuildinAttr)


_BUILTINS = {
    "gradient": _BUILTIN.mjBUILTIN_GRADIENT,
    "checker": _BUILTIN.mjBUILTIN_CHECKER,
    "flat": _BUILTIN.mjBUILTIN_FLAT,
}
_MARKS = codes(Mark, _MARK, "mjMARK_")


def _picture(owner: Any) -> TextureSource:
    texture = owner.element
    if texture.file or texture.builtin == _BUILTIN.mjBUILTIN_NONE:
        return TextureSource.file(Path(texture.file))
    (kind,) = (kind for kind, known in _BUILTINS.items() if known == texture.builtin)
    (mark,) = (mark for mark, known in _MARKS.items() if known == texture.mark)
    first, second, marks = (
        [float(v) for v in rgb] for rgb in (texture.rgb1, texture.rgb2, texture.markrgb)
    )
    width, height = float(texture.width), float(texture.height)
    return TextureSource(kind, BuildinAttr(first, second, width, height, mark, marks))


def _set_picture(owner: Any, value: TextureSource) -> None:
    texture, said = owner.element, value.value
    if value.variant == "file":
        texture.file, texture.builtin = str(said), _BUILTIN.mjBUILTIN_NONE
        return
    texture.file, texture.builtin = "", _BUILTINS[value.variant]
    texture.rgb1, texture.rgb2, texture.markrgb = said.rgb1, said.rgb2, said.markrgb
    texture.mark, texture.width, texture.height = (
        _MARKS[said.mark],
        int(said.width),
        int(said.height),
    )
    # The sky is six squares, of which a height of all of them may be said.
    if texture.type == _TEXTURE.mjTEXTURE_SKYBOX:
        texture.height = texture.width


class Texture(WorldPart):
    """Texture for materials to refer to."""

    name = text()
    type_ = choice(
        "type",
        codes(TextureType, _TEXTURE, "mjTEXTURE_"),
        "a cube texture of MuJoCo: see element",
    )
    source = Field(_picture, _set_picture, TextureSource)
    color_space = choice(
        "colorspace",
        codes(ColorSpace, _SPACE, "mjCOLORSPACE_"),
        unsaid=(_SPACE.mjCOLORSPACE_AUTO,),
    )
    gen_mipmaps = kept(bool)
    compress = kept(bool)
    grid_size = refused(None, "World.spec.add_texture has gridsize")
    grid_layout = refused(None, "World.spec.add_texture has gridlayout")

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_texture(
            type=_TEXTURE.mjTEXTURE_2D,
            builtin=_BUILTIN.mjBUILTIN_FLAT,
            colorspace=_SPACE.mjCOLORSPACE_SRGB,
        )


_ROLE = int(mujoco.mjtTextureRole.mjTEXROLE_RGB)


def _set_texture(owner: Any, value: str | None) -> None:
    owner.element.textures[_ROLE] = value or ""


@dataclass
class Layer(Value):
    """Texture of a material in one role."""

    texture_name: str | None = None
    """Name of the texture."""
    role: MaterialRole = MaterialRole.Rgb
    """Use of it."""


_ROLES = {
    role: int(getattr(mujoco.mjtTextureRole, f"mjTEXROLE_{role.name.upper()}"))
    for role in MaterialRole
}


def _layers(owner: Any) -> list[Layer]:
    names = owner.element.textures
    return [Layer(names[place], role) for role, place in _ROLES.items() if names[place]]


def _set_layers(owner: Any, values: Sequence[Layer]) -> None:
    # The texture in the role of colour is `texture_name` too, which a material without such a
    # layer keeps.
    names = [name if place == _ROLE else "" for place, name in enumerate(owner.element.textures)]
    for layer in all_of(Layer, values, f"layer of {owner!r}"):
        names[_ROLES[layer.role]] = layer.texture_name or ""
    owner.element.textures = names


def _emission(owner: Any) -> LiveList:
    material = owner.element
    return LiveList(float(material.emission) * np.append(material.rgba[:3], 1.0))


def _set_emission(owner: Any, value: Any) -> None:
    glow = vector(np.atleast_1d(value)[:3], 3, f"emissive of {owner!r}")
    owner.element.emission = float(glow.max())


def _share(attribute: str, unsaid: float) -> Field:
    """Field of a share that is -1 where nothing is said."""
    whole = number(attribute)

    def read(owner: Any) -> float:
        value = float(getattr(owner.element, attribute))
        return unsaid if value < 0.0 or math.isnan(value) else value

    return Field(read, whole.__set__)


class Material(WorldPart):
    """Material for geoms to refer to. Its emission has the hue of its colour."""

    name = text()
    color = listed("rgba", 4)
    emissive = Field(_emission, _set_emission)
    emissive_intensity = kept(lambda: 1000.0)
    specular_color = kept(lambda: [1.0] * 4)
    texture_name = Field(
        lambda owner: owner.element.textures[_ROLE] or None, _set_texture, str | None
    )
    tex_repeat = listed("texrepeat", 2)
    tex_translation = kept(lambda: [0.0, 0.0])
    tex_uniform = number("texuniform", bool)
    tex_origin = kept(lambda: TexcoordOrigin.TopLeft)
    reflectance = number("reflectance")
    ior = kept(lambda: 1.0)
    transmisive = kept(float)
    metallic = _share("metallic", 0.0)
    roughness = _share("roughness", 0.5)
    flip_tangent_u = kept(bool)
    flip_tangent_v = kept(bool)
    layers = Field(_layers, _set_layers)
    alpha_mode = kept(AlphaMode.opaque)
    detail_repeat = kept(lambda: [1.0, 1.0])
    detail_strength = kept(lambda: 1.0)
    both_side = kept(bool)
    depth_bias = kept(int)
    cast_shadow = kept(lambda: True)

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_material(rgba=[0.5, 0.5, 0.5, 1.0], metallic=0.5, roughness=0.5)
