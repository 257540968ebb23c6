"""Reach of links: how far they can be from the centre of mass of all that hangs together."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.parameters.cpu import Parameters

__all__ = ["PLACES", "reaches"]

PLACES = ("body_pos", "body_ipos", "jnt_pos", "jnt_range", "qpos0")
"""Parameters that say how far apart links can be."""

_SLIDE, _FREE = int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_FREE)
_SOFT = 2.0
"""Limits of slides are soft: they go no further than this times their range."""


def reaches(model: mujoco.MjModel, parameters: Parameters) -> NDArray[np.float64]:
    """Bound on the distance [m] of each centre of mass from that of its tree, shape (nbody,).

    Both are no further from where the tree stands than all its links in a row are long. It is
    infinite where a slide has no limits, and holds in all worlds.
    """

    def length(name: str) -> NDArray[np.float64]:
        return np.asarray(np.linalg.norm(parameters.read(name), axis=-1).max(axis=0))

    kinds, roots = model.jnt_type, model.body_rootid
    start = parameters.read("qpos0")[:, model.jnt_qposadr]
    travel = np.abs(parameters.read("jnt_range") - start[..., None]).max(axis=(0, 2), initial=0.0)
    travel = np.where(model.jnt_limited != 0, _SOFT * travel, np.inf)
    turned = np.where(kinds == _FREE, 0.0, 2.0 * length("jnt_pos"))
    shifts = np.where(kinds == _SLIDE, travel, turned)
    lengths = length("body_ipos") + np.bincount(model.jnt_bodyid, shifts, model.nbody)
    lengths += np.where(roots == np.arange(model.nbody), 0.0, length("body_pos"))
    return np.asarray(2.0 * np.bincount(roots, lengths, model.nbody)[roots])
