"""Deformable object layout: its elements in the engine."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.assets.common.matching import relative_names
from usdsim.core.dialects.mjc_arrays import element_corners
from usdsim.core.errors import StageError
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.math.rotations import quat_conjugate, quat_multiply, quat_to_matrix
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.usd.xforms import world_pose
from usdsim.views.layout import Ids
from usdsim.views.nodes.layout import NodeLayout

__all__ = ["deformable_layout"]

Array = NDArray[np.float64]


def deformable_layout(
    compiled: CompiledModel, stage: Any, num_worlds: int, prims: tuple[str, ...], title: str
) -> NodeLayout:
    """The deformable bodies at or below prims, one each.

    Args:
        compiled: the model.
        stage: the stage.
        num_worlds: number of worlds.
        prims: the matches of an asset in one world.
        title: the asset in messages.

    Raises:
        StageError: there is not exactly one at or below each prim, or they are not built alike.
    """
    bodies = [_single(compiled, prim, title) for prim in prims]
    first, model = bodies[0], compiled.mj
    corners = [element_corners(model, body.flex).copy() for body in bodies]
    free = np.flatnonzero(np.asarray(first.dof_adr) >= 0).astype(np.int32)
    moved = np.flatnonzero(np.asarray(first.mocap_ids) >= 0).astype(np.int32)
    surface = first.description.kind == "surface"
    thickness = first.description.thickness if surface else 0.0
    for prim, body, own in zip(prims, bodies, corners, strict=True):
        alike = (
            np.array_equal(own, corners[0])
            and np.array_equal(body.dof_adr >= 0, first.dof_adr >= 0)
            and np.array_equal(body.mocap_ids >= 0, first.mocap_ids >= 0)
            and body.description.thickness == first.description.thickness
        )
        if not alike:
            raise StageError(
                f"{prims[0]} and {prim} are matched by one expression but are not built alike: "
                "they have other vertices, elements, attachments or thickness. Match only prims "
                "that are built alike."
            )
    rests = [_rest_shapes(stage, body.description, corners[0]) for body in bodies]
    return NodeLayout(
        title=title,
        num_worlds=num_worlds,
        body_names=relative_names([first.description.path]),
        nodes=_rows([np.arange(body.vertices.start, body.vertices.stop) for body in bodies]),
        free=free,
        free_qpos=_triples([body.qpos_adr[free] for body in bodies]),
        free_dofs=_triples([body.dof_adr[free] for body in bodies]),
        free_rows=_rows([np.asarray(body.eq_ids)[free].reshape(-1) for body in bodies]),
        node_qpos=_rows([body.qpos_adr for body in bodies]),
        node_dofs=_rows([body.dof_adr for body in bodies]),
        origins=np.array([body.origins for body in bodies], np.float64),
        moved=moved,
        moved_mocaps=_rows([body.mocap_ids[moved] for body in bodies]),
        corners=_padded(corners[0]),
        rest_shapes=np.array(rests, np.float64),
        stiffness=_rows([_stiffness(model, body.flex, len(corners[0])) for body in bodies]),
        thickness=float(thickness),
    )


def _single(compiled: CompiledModel, prim: str, title: str) -> Any:
    found = [body for body in compiled.deformables if body.description.is_below(prim)]
    if len(found) != 1:
        listed = ", ".join(body.description.path for body in found[:5]) or "none"
        raise StageError(
            f"The {title} needs exactly one deformable body at or below {prim}; there are "
            f"{len(found)}: {listed}. Make one prim a deformable body, with "
            "define_deformable_body_properties or the deformable_props of a spawner."
        )
    return found[0]


def _padded(corners: Ids) -> Ids:
    missing = np.full((len(corners), 4 - corners.shape[1]), -1, np.int32)
    return np.concatenate([corners, missing], axis=1)


def _stiffness(model: mujoco.MjModel, flex: int, count: int) -> Ids:
    """First stiffness number of each element; -1: none."""
    start = int(model.flex_stiffnessadr[flex])
    later = model.flex_stiffnessadr[model.flex_stiffnessadr > start]
    end = int(later.min()) if len(later) else int(model.nflexstiffness)
    width = (end - start) // max(count, 1)
    if start < 0 or width == 0:
        return np.full(count, -1, np.int32)
    return np.arange(count, dtype=np.int32) * width + start


def _rest_shapes(stage: Any, description: Any, corners: Ids) -> Array:
    """Columns from the first corner of each element to the others, in the axes of the prim."""
    prim = stage.GetPrimAtPath(description.path)
    pose, _ = world_pose(prim, allow_shear=True)
    turn = quat_conjugate(quat_multiply(stage_units(stage, Report()).to_z_up, pose.quat))
    points = description.rest_points @ quat_to_matrix(turn).T
    columns = np.swapaxes(points[corners[:, 1:]] - points[corners[:, :1]], 1, 2)
    if columns.shape[2] == 3:
        return np.asarray(columns)
    if columns.shape[2] == 1:
        return np.concatenate([columns, _across(columns[..., 0])], axis=2)
    normal = np.cross(columns[..., 0], columns[..., 1])
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return np.concatenate([columns, normal[..., None]], axis=2)


def _across(along: Array) -> Array:
    """Two unit vectors at right angles to each and to one another, as columns, shape (n, 3, 2)."""
    return np.swapaxes(np.linalg.svd(along[:, None, :])[2][:, 1:], 1, 2)


def _rows(rows: list[Any]) -> Ids:
    return np.array(rows, np.int32).reshape(len(rows), -1)


def _triples(starts: list[Any]) -> Ids:
    """The three coordinates that begin at each."""
    return _rows([(np.asarray(own)[:, None] + np.arange(3)).reshape(-1) for own in starts])
