"""Static geoms: those that no joint and no kinematic body ever moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.math.rotations import quat_apply, quat_from_wxyz, quat_multiply, quat_to_matrix

__all__ = ["PLACING", "static_geoms"]

PLACING = frozenset({"body_pos", "body_quat", "geom_pos", "geom_quat"})
"""The parameters their poses follow from."""


def static_geoms(
    model: mujoco.MjModel, read: Callable[[str], NDArray[Any]]
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Poses in world of static geoms.

    Args:
        model: the model.
        read: from a parameter to its values in all worlds, shape (num_envs, ...).

    Returns:
        The geoms' ids, their positions [m], shape (num_envs, n, 3), and their rotation matrices row
        by row, shape (num_envs, n, 9).
    """
    still = (model.body_weldid == 0) & (model.body_mocapid[model.body_rootid] == -1)
    geoms = np.flatnonzero(still[model.geom_bodyid])
    count = len(read("body_pos"))
    pos = {0: np.zeros((count, 3))}
    quat = {0: np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))}
    for body in np.flatnonzero(still)[1:].tolist():
        parent = int(model.body_parentid[body])
        own = quat_from_wxyz(read("body_quat")[:, body])
        pos[body] = pos[parent] + quat_apply(quat[parent], read("body_pos")[:, body])
        quat[body] = quat_multiply(quat[parent], own)
    bodies = model.geom_bodyid[geoms].tolist()
    if not bodies:
        return geoms, np.zeros((count, 0, 3)), np.zeros((count, 0, 9))
    base_pos = np.stack([pos[body] for body in bodies], axis=1)
    base_quat = np.stack([quat[body] for body in bodies], axis=1)
    own = quat_from_wxyz(read("geom_quat")[:, geoms])
    rotation = quat_to_matrix(quat_multiply(base_quat, own)).reshape(count, len(geoms), 9)
    return geoms, base_pos + quat_apply(base_quat, read("geom_pos")[:, geoms]), rotation
