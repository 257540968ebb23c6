"""Display materials and physics materials."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from pxr import Gf, Sdf, Usd, UsdPhysics, UsdShade

from usdsim.usd.attributes import author
from usdsim.usd.schemas import apply_api

__all__ = ["bind_material", "emit_physics_material", "emit_preview_material"]


def _floats(values: ArrayLike) -> tuple[float, ...]:
    return tuple(np.atleast_1d(np.asarray(values, dtype=np.float64)).tolist())


def _texture(stage: Usd.Stage, path: str, texture: str, rgba: tuple[float, ...]) -> UsdShade.Shader:
    reader = UsdShade.Shader.Define(stage, f"{path}/Coordinates")
    reader.CreateIdAttr("UsdPrimvarReader_float2")
    reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("st")
    st = reader.CreateOutput("result", Sdf.ValueTypeNames.Float2)
    shader = UsdShade.Shader.Define(stage, f"{path}/Texture")
    shader.CreateIdAttr("UsdUVTexture")
    shader.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(texture)
    shader.CreateInput("st", Sdf.ValueTypeNames.Float2).ConnectToSource(st)
    shader.CreateInput("wrapS", Sdf.ValueTypeNames.Token).Set("repeat")
    shader.CreateInput("wrapT", Sdf.ValueTypeNames.Token).Set("repeat")
    shader.CreateInput("scale", Sdf.ValueTypeNames.Float4).Set(Gf.Vec4f(*rgba[:3], 1.0))
    return shader


def emit_preview_material(
    stage: Usd.Stage,
    path: str,
    rgba: ArrayLike,
    *,
    roughness: float | None = None,
    metallic: float | None = None,
    emission: ArrayLike | float | None = None,
    texture: str | None = None,
) -> UsdShade.Material:
    """Define a UsdPreviewSurface material.

    Args:
        stage: where to author.
        path: prim path.
        rgba: diffuse colour and opacity, shape (4,).
        roughness: 0 (mirror) to 1 (matte).
        metallic: 0 to 1.
        emission: emitted colour, shape (3,), or a factor on the diffuse colour.
        texture: image file multiplied with the colour, as the asset path to author.

    Returns:
        The material.
    """
    colour = _floats(rgba)
    material = UsdShade.Material.Define(stage, path)
    shader = UsdShade.Shader.Define(stage, f"{path}/Surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    diffuse = shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    diffuse.Set(Gf.Vec3f(*colour[:3]))
    if texture is not None:
        source = _texture(stage, path, texture, colour)
        diffuse.ConnectToSource(source.CreateOutput("rgb", Sdf.ValueTypeNames.Float3))
    shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(colour[3])
    scalars = {"roughness": roughness, "metallic": metallic}
    for name, value in scalars.items():
        if value is not None:
            shader.CreateInput(name, Sdf.ValueTypeNames.Float).Set(float(value))
    if emission is not None:
        values = _floats(emission)
        glow = values if len(values) > 1 else tuple(values[0] * v for v in colour[:3])
        shader.CreateInput("emissiveColor", Sdf.ValueTypeNames.Color3f).Set(Gf.Vec3f(*glow))
    material.CreateSurfaceOutput().ConnectToSource(
        shader.CreateOutput("surface", Sdf.ValueTypeNames.Token)
    )
    return material


def emit_physics_material(
    stage: Usd.Stage,
    path: str,
    *,
    static_friction: float = 0.5,
    dynamic_friction: float = 0.5,
    restitution: float = 0.0,
    density: float | None = None,
    torsional_friction: float | None = None,
    rolling_friction: float | None = None,
    contact_stiffness: float | None = None,
    contact_damping: float | None = None,
) -> UsdShade.Material:
    """Define a physics material.

    Args:
        stage: where to author.
        path: prim path.
        static_friction: coefficient at rest.
        dynamic_friction: coefficient while sliding.
        restitution: 0 (no bounce) to 1.
        density: [kg/m^3].
        torsional_friction: [m].
        rolling_friction: [m].
        contact_stiffness: of compliant contact [N/m].
        contact_damping: of compliant contact [N s/m].

    Returns:
        The material.
    """
    material = UsdShade.Material.Define(stage, path)
    prim = material.GetPrim()
    api = UsdPhysics.MaterialAPI.Apply(prim)
    api.CreateStaticFrictionAttr(static_friction)
    api.CreateDynamicFrictionAttr(dynamic_friction)
    api.CreateRestitutionAttr(restitution)
    if density is not None:
        api.CreateDensityAttr(density)
    more = {
        "torsionalFriction": torsional_friction,
        "rollingFriction": rolling_friction,
        "contactStiffness": contact_stiffness,
        "contactDamping": contact_damping,
    }
    for name, value in more.items():
        if value is not None:
            apply_api(prim, "NewtonMaterialAPI")
            author(prim, f"newton:{name}", "float", value)
    return material


def bind_material(
    prim: Usd.Prim, material: UsdShade.Material | Usd.Prim, *, physics: bool = False
) -> None:
    """Bind a material to a prim, for display or for physics."""
    shade = UsdShade.Material(material) if isinstance(material, Usd.Prim) else material
    api = UsdShade.MaterialBindingAPI.Apply(prim)
    if physics:
        api.Bind(shade, UsdShade.Tokens.weakerThanDescendants, "physics")
    else:
        api.Bind(shade)
