"""Meshes and curves that show flexible bodies and skins."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.converters.emit.materials import bind_material
from usdsim.converters.mjcf.context import MjcfContext
from usdsim.core.dialects.mjc_arrays import bone_rows, element_corners, part_rows
from usdsim.math.deformable.elements import border_faces, measures
from usdsim.math.deformable.skinning import skinned_points
from usdsim.math.meshes.bounds import bounds
from usdsim.math.rotations import quat_from_wxyz
from usdsim.usd.names import DRAWS

__all__ = ["draw_deformables"]

_FOLDER = "Deformables"


def draw_deformables(context: MjcfContext) -> None:
    """Define a mesh, or curves for ropes, that shows each flexible body and skin where it starts.

    A mesh has every vertex of the body in its order, those inside too, so that it can follow.
    """
    model = context.model
    if not model.nflex and not model.nskin:
        return
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_flex(model, data)
    folder = context.claim(context.root, _FOLDER, _FOLDER)
    context.define(folder, "Scope")
    _draw_skins(context, data, folder)
    _draw_flexes(context, data, folder)


def _draw_flexes(context: MjcfContext, data: mujoco.MjData, folder: str) -> None:
    model = context.model
    for index, flex in enumerate(context.elements("flex")):
        points = data.flexvert_xpos[part_rows(model, "flex_vert", index)]
        elements = element_corners(model, index)
        path = context.claim(folder, flex.name, "flex")
        if elements.shape[1] == 2:
            _draw_curves(context, path, points, elements, 2.0 * float(model.flex_radius[index]))
        else:
            _draw_mesh(context, path, points, _triangles(points, elements))
        material = int(model.flex_matid[int(model.flex_elemadr[index])])
        _finish(context, path, "flex", index, material, flex.rgba)


def _draw_skins(context: MjcfContext, data: mujoco.MjData, folder: str) -> None:
    model = context.model
    for index, skin in enumerate(context.elements("skin")):
        path = context.claim(folder, skin.name, "skin")
        points = _skinned(model, data, index)
        _draw_mesh(context, path, points, model.skin_face[part_rows(model, "skin_face", index)])
        material = int(model.skin_matid[index])
        _finish(context, path, "skin", index, material, model.skin_rgba[index])


def _skinned(model: mujoco.MjModel, data: mujoco.MjData, index: int) -> NDArray[np.float64]:
    bones, moved = bone_rows(model, index)
    bind = [model.skin_bonebindpos[bones], quat_from_wxyz(model.skin_bonebindquat[bones])]
    bodies = model.skin_bonebodyid[bones]
    poses = [data.xpos[bodies], quat_from_wxyz(data.xquat[bodies])]
    return skinned_points(
        model.skin_vert[part_rows(model, "skin_vert", index)],
        np.concatenate(bind, axis=1, dtype=np.float64),
        np.concatenate(poses, axis=1),
        model.skin_bonevertnum[bones],
        model.skin_bonevertid[moved],
        model.skin_bonevertweight[moved],
    )


def _triangles(points: NDArray[Any], elements: NDArray[np.int32]) -> NDArray[np.int32]:
    """Triangles of a surface, or those around a volume, counter-clockwise seen from outside."""
    if elements.shape[1] == 3:
        return elements
    inverted = measures(np.asarray(points, np.float64), elements) < 0.0
    turned = np.where(inverted[:, None], elements[:, [0, 1, 3, 2]], elements)
    return border_faces(turned)


def _draw_mesh(
    context: MjcfContext, path: str, points: NDArray[Any], triangles: NDArray[np.int32]
) -> None:
    context.define(path, "Mesh")
    counts = np.full(len(triangles), 3, dtype=np.int32)
    context.set(path, "faceVertexCounts", "int[]", counts, uniform=False)
    context.set(path, "faceVertexIndices", "int[]", triangles.ravel(), uniform=False)
    context.set(path, "subdivisionScheme", "token", "none")
    context.set(path, "doubleSided", "bool", True)
    _set_points(context, path, points)


def _draw_curves(
    context: MjcfContext, path: str, points: NDArray[Any], edges: NDArray[np.int32], width: float
) -> None:
    context.define(path, "BasisCurves")
    context.set(path, "type", "token", "linear")
    counts = np.full(len(edges), 2, dtype=np.int32)
    context.set(path, "curveVertexCounts", "int[]", counts, uniform=False)
    context.set(path, "widths", "float[]", np.full(edges.size, width), uniform=False)
    _set_points(context, path, points[edges.ravel()])


def _set_points(context: MjcfContext, path: str, points: NDArray[Any]) -> None:
    context.set(path, "points", "point3f[]", points, uniform=False)
    if len(points):
        context.set(path, "extent", "float3[]", bounds(points), uniform=False)


def _finish(
    context: MjcfContext, path: str, kind: str, index: int, material: int, rgba: NDArray[Any]
) -> None:
    """Author purpose and look of what is drawn."""
    context.link(path, DRAWS, [context.paths[kind][index]])
    if material >= 0:
        bind_material(context.spec(path), context.paths["material"][material])
        return
    colour = np.array([rgba[:3]], dtype=np.float32)
    context.set(path, "primvars:displayColor", "color3f[]", colour, uniform=False)
    context.set(path, "primvars:displayOpacity", "float[]", [float(rgba[3])], uniform=False)
