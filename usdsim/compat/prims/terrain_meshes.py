"""Meshes of terrain as prims."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pxr import Usd

from usdsim.math.quaternion_order import identity_rot, rot_quat
from usdsim.math.transforms import Pose
from usdsim.terrains.spawning import spawn_terrain_mesh
from usdsim.terrains.surfaces import MeshLike, as_terrain_mesh
from usdsim.usd.prims import get_prim
from usdsim.usd.stage import current_stage
from usdsim.usd.xforms import set_local_pose

__all__ = ["create_prim_from_mesh"]


def create_prim_from_mesh(
    prim_path: str,
    mesh: MeshLike,
    *,
    visual_material: Any = None,
    physics_material: Any = None,
    translation: ArrayLike | None = None,
    orientation: ArrayLike | None = None,
) -> Usd.Prim:
    """Define a mesh that collides.

    Args:
        prim_path: where; nothing may be there yet.
        mesh: points in the prim's frame [stage units] and triangles.
        visual_material: configuration of what it looks like; None: none.
        physics_material: configuration of its surface; None: none.
        translation: position in the parent's frame [stage units].
        orientation: unit quaternion in the parent's frame, in the order of `set_quaternion_order`.

    Raises:
        StageError: there is a prim already.
    """
    stage = current_stage()
    spawn_terrain_mesh(
        stage, prim_path, [as_terrain_mesh(mesh)], (), visual_material, physics_material
    )
    prim = get_prim(stage, prim_path)
    place = np.zeros(3) if translation is None else np.asarray(translation, float)
    turn = rot_quat(identity_rot() if orientation is None else orientation)
    set_local_pose(prim, Pose(place, turn))
    return prim
