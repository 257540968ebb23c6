"""Terrain meshes put on a stage, as colliders that are seen as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.schemas import CollisionBaseCfg, define_collision_properties
from usdsim.spawners import bind_physics_material, bind_visual_material
from usdsim.spawners.meshes import define_triangles
from usdsim.usd.attributes import author
from usdsim.usd.prims import define_prim

from .surfaces import TerrainMesh

__all__ = ["spawn_terrain_mesh"]

GREY = np.full((1, 3), 0.25, np.float32)


def spawn_terrain_mesh(
    stage: Any,
    path: str,
    meshes: Sequence[TerrainMesh],
    colors: Sequence[NDArray[np.float32] | None],
    visual_material: Any,
    physics_material: Any,
) -> None:
    """Put meshes below a prim, each as a collider of its own.

    Pieces that are prims of their own are read one by one, and a piece that is a regular grid is a
    height field whatever its neighbours are.

    Args:
        stage: the stage.
        path: the prim.
        meshes: in the stage's axes and units.
        colors: linear RGB of each mesh's vertices, shape (n, 3); None, or none: grey.
        visual_material: how all look; None: by their colours.
        physics_material: surface of all; None: the default.
    """
    define_prim(stage, path, "Xform")
    materials = []
    for kind, cfg, bind in (
        ("visual", visual_material, bind_visual_material),
        ("physics", physics_material, bind_physics_material),
    ):
        if cfg is not None:
            material = f"{path}/{kind}Material"
            cfg.func(material, cfg, stage=stage)
            materials.append((material, bind))
    for index, mesh in enumerate(meshes):
        piece = f"{path}/mesh" if len(meshes) == 1 else f"{path}/mesh_{index}"
        points, faces = mesh.vertices.astype(np.float32), mesh.faces.astype(np.int32)
        prim = define_triangles(stage, piece, points, faces)
        own = colors[index] if index < len(colors) else None
        author(prim, "primvars:displayColor", "color3f[]", GREY if own is None else own)
        if own is not None:
            prim.GetAttribute("primvars:displayColor").SetMetadata("interpolation", "vertex")
        define_collision_properties(piece, CollisionBaseCfg(), stage)
        for material, bind in materials:
            bind(piece, material, stage)
