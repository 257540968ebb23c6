"""Joint wrenches transmitted from one body to the next."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.mirror import ShadowWorlds
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.versions import Versions
from usdsim.math.rotations import cross
from usdsim.parser.description import GenericDescription

__all__ = ["JointWrenches"]

_NO_GRAVITY = int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
# The engine computes forces between bodies for the sake of sensors only.
_SENSOR = GenericDescription(
    path="",
    kind="sensor",
    name="",
    overrides={
        "type": int(mujoco.mjtSensor.mjSENS_FRAMELINACC),
        "objtype": int(mujoco.mjtObj.mjOBJ_XBODY),
        "objname": "world",
    },
)
_RESULTS = ("cfrc_int", "subtree_com", "xipos", "xpos")


class JointWrenches:
    """Computes forces and torques between bodies in worlds beside the engine's.

    The engine's own worlds keep the forces of their last step, so what the current state implies
    is computed in copies of them.

    Args:
        compiled: the model.
        parameters: the engine's, with the worlds.
        versions: the engine's.
    """

    def __init__(self, compiled: CompiledModel, parameters: Parameters, versions: Versions):
        self._parameters, self._versions = parameters, versions
        self._shadow = ShadowWorlds(
            compiled, lambda: parameters.batch, versions, (_SENSOR,), _RESULTS
        )
        self._values = self._view = np.zeros((0, 0, 6))
        self._filled = -1

    def read(self, worlds: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """Force and torque on bodies by their parents, shape (worlds, nbody, 6), read-only."""
        if worlds is None and self._filled == self._versions.forces:
            return self._view
        copies = self._shadow.forward(worlds)
        found = self._about_origins(copies, slice(None) if worlds is None else worlds)
        if worlds is not None:
            found.flags.writeable = False
            return found
        if self._filled < 0:
            self._values = np.empty_like(found)
            self._view = self._values.view()
            self._view.flags.writeable = False
        np.copyto(self._values, found)
        self._filled = self._versions.forces
        return self._view

    def _about_origins(self, copies: mjbatch.Batch, rows: Any) -> NDArray[np.float64]:
        """Refer wrenches from the trees' centres to the bodies' origins."""
        internal, origins = copies.bind("cfrc_int")[rows], copies.bind("xpos")[rows]
        centres = copies.bind("subtree_com")[rows][:, copies.model.body_rootid]
        force = np.array(internal[..., 3:])
        torque = internal[..., :3] + cross(centres - origins, force)
        carried = self._carried(copies, rows)
        if carried is not None:
            force -= carried[..., :3]
            torque -= carried[..., 3:] - cross(origins, carried[..., :3])
        found = np.concatenate([force, torque], axis=2)
        found[:, 0] = 0.0
        return found

    def _carried(self, copies: mjbatch.Batch, rows: Any) -> NDArray[np.float64] | None:
        """Gravity compensation of each body and those below it, about the world's origin.

        The engine's forces between bodies take it to come through joints.
        """
        read = self._parameters.read
        share = read("body_gravcomp")[rows]
        if not share.any():
            return None
        falls = (read("opt.disableflags")[rows] & _NO_GRAVITY) == 0
        gravity = read("opt.gravity")[rows] * falls.reshape(-1, 1)
        force = -(share * read("body_mass")[rows])[..., None] * gravity[:, None]
        wrench = np.concatenate([force, cross(copies.bind("xipos")[rows], force)], axis=2)
        for body in range(copies.model.nbody - 1, 0, -1):
            wrench[:, copies.model.body_parentid[body]] += wrench[:, body]
        return wrench
