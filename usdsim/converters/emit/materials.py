"""Display materials and physics materials."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from usdsim.usd.drafts import (
    LayerDraft,
    PrimDraft,
    apply,
    connect,
    declare,
    define,
    fill,
    link,
    write,
)

__all__ = ["bind_material", "emit_physics_material", "emit_preview_material"]


def _floats(values: ArrayLike) -> tuple[float, ...]:
    return tuple(np.atleast_1d(np.asarray(values, dtype=np.float64)).tolist())


def _texture(layer: LayerDraft, path: str, texture: str, rgba: tuple[float, ...]) -> str:
    """Define a shader that samples an image; returns its output."""
    reader = define(layer, f"{path}/Coordinates", "Shader")
    fill(reader, "Shader", {"info:id": "UsdPrimvarReader_float2"})
    write(reader, "inputs:varname", "string", "st")
    declare(reader, "outputs:result", "float2")
    shader = define(layer, f"{path}/Texture", "Shader")
    fill(shader, "Shader", {"info:id": "UsdUVTexture"})
    write(shader, "inputs:file", "asset", texture)
    connect(shader, "inputs:st", "float2", f"{path}/Coordinates.outputs:result")
    for name in ("wrapS", "wrapT"):
        write(shader, f"inputs:{name}", "token", "repeat")
    write(shader, "inputs:scale", "float4", (*rgba[:3], 1.0))
    declare(shader, "outputs:rgb", "float3")
    return f"{path}/Texture.outputs:rgb"


def emit_preview_material(
    layer: LayerDraft,
    path: str,
    rgba: ArrayLike,
    *,
    roughness: float | None = None,
    metallic: float | None = None,
    emission: ArrayLike | float | None = None,
    texture: str | None = None,
) -> PrimDraft:
    """Define a UsdPreviewSurface material.

    Args:
        layer: where to author.
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
    material = define(layer, path, "Material")
    shader = define(layer, f"{path}/Surface", "Shader")
    fill(shader, "Shader", {"info:id": "UsdPreviewSurface"})
    write(shader, "inputs:diffuseColor", "color3f", colour[:3])
    if texture is not None:
        source = _texture(layer, path, texture, colour)
        connect(shader, "inputs:diffuseColor", "color3f", source)
    scalars = {"opacity": colour[3], "roughness": roughness, "metallic": metallic}
    for name, value in scalars.items():
        if value is not None:
            write(shader, f"inputs:{name}", "float", float(value))
    if emission is not None:
        values = _floats(emission)
        glow = values if len(values) > 1 else tuple(values[0] * v for v in colour[:3])
        write(shader, "inputs:emissiveColor", "color3f", glow)
    declare(shader, "outputs:surface", "token")
    connect(material, "outputs:surface", "token", f"{path}/Surface.outputs:surface")
    return material


def emit_physics_material(
    layer: LayerDraft,
    path: str,
    *,
    static_friction: float = 0.5,
    dynamic_friction: float = 0.5,
    restitution: float = 0.0,
    torsional_friction: float | None = None,
    rolling_friction: float | None = None,
    contact_stiffness: float | None = None,
    contact_damping: float | None = None,
) -> PrimDraft:
    """Define a physics material.

    Args:
        layer: where to author.
        path: prim path.
        static_friction: coefficient at rest.
        dynamic_friction: coefficient while sliding.
        restitution: 0 (no bounce) to 1.
        torsional_friction: [m].
        rolling_friction: [m].
        contact_stiffness: of compliant contact [N/m].
        contact_damping: of compliant contact [N s/m].

    Returns:
        The material.
    """
    material = define(layer, path, "Material")
    values = {
        "physics:staticFriction": static_friction,
        "physics:dynamicFriction": dynamic_friction,
        "physics:restitution": restitution,
    }
    fill(material, "PhysicsMaterialAPI", values)
    more = {
        "torsionalFriction": torsional_friction,
        "rollingFriction": rolling_friction,
        "contactStiffness": contact_stiffness,
        "contactDamping": contact_damping,
    }
    for name, value in more.items():
        if value is not None:
            apply(material, "NewtonMaterialAPI")
            write(material, f"newton:{name}", "float", value)
    return material


def bind_material(prim: PrimDraft, material: PrimDraft | str, *, physics: bool = False) -> None:
    """Bind a material, or that of a path, to a prim, for display or for physics."""
    apply(prim, "MaterialBindingAPI")
    path = material if isinstance(material, str) else material.path
    if physics:
        how = {"bindMaterialAs": "weakerThanDescendants"}
        link(prim, "material:binding:physics", [path], metadata=how)
    else:
        link(prim, "material:binding", [path])
