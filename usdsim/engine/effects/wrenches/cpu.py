"""Joint wrenches transmitted from one body to the next."""

from __future__ import annotations

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import ALL, Rows
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
        self._roots = np.array(compiled.mj.body_rootid)
        self._filled = self._asked = -1
        self._compensated = False

    def read(self, worlds: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """Force and torque on bodies by their parents, shape (worlds, nbody, 6), read-only."""
        if worlds is None and self._filled == self._versions.forces:
            return self._view
        copies = self._shadow.forward(worlds)
        if worlds is not None:
            found = np.empty((len(worlds), copies.model.nbody, 6))
            self._about_origins(copies, worlds, found)
            found.flags.writeable = False
            return found
        if self._filled < 0:
            self._values = np.empty((copies.nsim, copies.model.nbody, 6))
            self._view = self._values.view()
            self._view.flags.writeable = False
        self._about_origins(copies, ALL, self._values)
        self._filled = self._versions.forces
        return self._view

    def _about_origins(self, copies: mjbatch.Batch, rows: Rows, out: NDArray[np.float64]) -> None:
        """Refer wrenches of some worlds from the trees' centres to the bodies' origins."""
        internal, origins = copies.bind("cfrc_int")[rows], copies.bind("xpos")[rows]
        arm = copies.bind("subtree_com")[rows][:, self._roots] - origins
        force, torque = out[..., :3], out[..., 3:]
        force[:] = internal[..., 3:]
        np.add(internal[..., :3], cross(arm, force), out=torque)
        if self._compensates():
            carried = self._carried(copies, rows)
            force -= carried[..., :3]
            torque -= carried[..., 3:] - cross(origins, carried[..., :3])
        out[:, 0] = 0.0

    def _compensates(self) -> bool:
        """Whether gravity of any body is made up for, asked once for the parameters as they are."""
        if self._asked != self._versions.parameters:
            self._asked = self._versions.parameters
            self._compensated = bool(self._parameters.read("body_gravcomp").any())
        return self._compensated

    def _carried(self, copies: mjbatch.Batch, rows: Rows) -> NDArray[np.float64]:
        """Gravity compensation of each body and those below it, about the world's origin.

        The engine's forces between bodies take it to come through joints.
        """
        read = self._parameters.read
        share = read("body_gravcomp")[rows]
        falls = (read("opt.disableflags")[rows] & _NO_GRAVITY) == 0
        gravity = read("opt.gravity")[rows] * falls.reshape(-1, 1)
        force = -(share * read("body_mass")[rows])[..., None] * gravity[:, None]
        wrench = np.concatenate([force, cross(copies.bind("xipos")[rows], force)], axis=2)
        for body in range(copies.model.nbody - 1, 0, -1):
            wrench[:, copies.model.body_parentid[body]] += wrench[:, body]
        return wrench
