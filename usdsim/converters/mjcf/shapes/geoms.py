"""Geoms: colliders and visible shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from usdsim.converters.emit.materials import bind_material, emit_physics_material
from usdsim.converters.emit.meshes import set_approximation
from usdsim.converters.emit.shapes import (
    emit_colour,
    emit_purpose,
    emit_shape,
    enable_collision,
)
from usdsim.converters.mjcf.context import MjcfContext, wxyz_pose
from usdsim.converters.mjcf.rows import write_rows
from usdsim.core.dialects.mjc_tokens import GEOM
from usdsim.math.transforms import Pose
from usdsim.usd.drafts import PrimDraft, apply, keep, refer, write

from .hfields import emit_terrain
from .meshes import authored_pose, mesh_pose

__all__ = ["convert_geoms", "emit_surface", "skip_sizes"]

_HIDDEN_GROUP = 3
"""First group MuJoCo does not draw by default."""
_MESH, _SDF, _HFIELD = GEOM.index("mesh"), GEOM.index("sdf"), GEOM.index("hfield")
_RESTATED = "primvars:displayColor", "primvars:displayOpacity", "mjc:rgba", "mjc:solref"
"""Attributes that say twice how a geom looks, and how its contacts give way."""
_RESTATED_MESH = "points", "faceVertexIndices", "physics:approximation"
"""Attributes that say twice what the mesh of a geom is."""
_USED = {"plane": 0, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}


def convert_geoms(context: MjcfContext) -> None:
    """Define every geom below its body, and the physics materials they share."""
    paired = {*context.model.pair_geom1.tolist(), *context.model.pair_geom2.tolist()}
    frictions: dict[tuple[float, ...], str] = {}
    for index in range(context.model.ngeom):
        _convert_geom(context, index, index in paired, frictions)


def _convert_geom(
    context: MjcfContext, index: int, paired: bool, frictions: dict[tuple[float, ...], str]
) -> None:
    model, path = context.model, context.paths["geom"][index]
    kind = GEOM[int(model.geom_type[index])]
    pose = wxyz_pose(model.geom_pos[index], model.geom_quat[index])
    size = model.geom_size[index]
    collides = paired or bool(model.geom_contype[index] or model.geom_conaffinity[index])
    data = int(model.geom_dataid[index])
    if kind in ("mesh", "sdf"):
        geom = context.elements("geom")[index]
        pose = mesh_pose(model, data, pose, authored_pose(geom))
    prim = emit_surface(context, path, kind, data, size, pose, collides=collides)
    context.keep_name(path, context.elements("geom")[index].name)
    emit_colour(prim, _colour(context, index))
    emit_purpose(prim, "guide" if model.geom_group[index] >= _HIDDEN_GROUP else "default")
    if collides:
        _make_collider(context, prim, index, kind, frictions)
    else:
        apply(prim, "MjcImageableAPI")
    write_rows(context, path, "geom", index, skip=("fromto", *skip_sizes(prim, kind, size)))
    if kind == "sdf":
        context.set(path, "mjc:type", "token", kind)
    context.restate(path, *_RESTATED, *(_RESTATED_MESH if data >= 0 else ()))
    context.refer(path, "mjc:plugin", "plugin", int(model.geom_plugin[index]))


def skip_sizes(prim: PrimDraft, kind: str, size: NDArray[np.float64]) -> tuple[str, ...]:
    """The field of sizes where a shape says all of them; those it says are kept otherwise."""
    used = _USED.get(kind)
    if used is None or (used and not size[used:].any()):
        return ("size",)
    if used:
        keep(prim, {"size": size[:used]})
    return ()


def _colour(context: MjcfContext, index: int) -> NDArray[np.float32]:
    """Colour of the geom: that of its material where it has one."""
    material = int(context.model.geom_matid[index])
    return context.model.mat_rgba[material] if material >= 0 else context.model.geom_rgba[index]


def emit_surface(
    context: MjcfContext,
    path: str,
    kind: str,
    data: int,
    size: NDArray[np.float64],
    pose: Pose,
    *,
    collides: bool = False,
) -> PrimDraft:
    """Define the Gprim of a geom or site.

    Args:
        context: the conversion.
        path: prim path.
        kind: a token of `GEOM`.
        data: index of its mesh or height field.
        size: half sizes [m], shape (3,).
        pose: in the body; of a mesh, that of the asset's frame.
        collides: whether it is to be a collider.
    """
    if kind in ("mesh", "sdf"):
        asset = context.meshes[data]
        prim = context.define(path, "Mesh")
        refer(prim, asset.path)
        context.place(prim, pose, asset.scale)
        context.link(path, "mjc:mesh", [asset.path])
        return prim
    if kind == "hfield":
        prim = emit_terrain(context, path, data)
        context.place(prim, pose)
        context.link(path, "mjc:hfield", [context.paths["hfield"][data]])
        return prim
    context.keep_sign(path, pose)
    prim = emit_shape(context.layer, path, kind, size, pose, collides=collides)
    if kind == "ellipsoid":
        # One with equal radii is drawn as a sphere, but the engine treats it otherwise.
        context.set(path, "mjc:type", "token", kind)
    return prim


def _make_collider(
    context: MjcfContext,
    prim: PrimDraft,
    index: int,
    kind: str,
    frictions: dict[tuple[float, ...], str],
) -> None:
    model = context.model
    enable_collision(prim)
    apply(prim, "MjcCollisionAPI")
    if kind == "mesh":
        set_approximation(prim, "convexHull")
    elif kind in ("sdf", "hfield"):
        set_approximation(prim, "sdf" if kind == "sdf" else "none")
    apply(prim, "NewtonCollisionAPI")
    margin, gap = float(model.geom_margin[index]), float(model.geom_gap[index])
    write(prim, "newton:contactMargin", "float", margin)
    write(prim, "newton:contactGap", "float", gap)
    exact = {"rest_offset": margin, "contact_gap": gap, "friction": model.geom_friction[index]}
    keep(prim, exact)
    # Below zero, MuJoCo takes its smallest coefficient; the number itself is beside the material.
    key = tuple(max(0.0, float(v)) for v in model.geom_friction[index])
    if key not in frictions:
        frictions[key] = context.claim(context.scope_path("Materials"), "", "surface")
        material = emit_physics_material(
            context.layer,
            frictions[key],
            static_friction=key[0],
            dynamic_friction=key[0],
            torsional_friction=key[1],
            rolling_friction=key[2],
        )
        names = "static_friction", "dynamic_friction", "torsional_friction", "rolling_friction"
        keep(material, dict(zip(names, (key[0], *key), strict=True)))
    bind_material(prim, frictions[key], physics=True)
