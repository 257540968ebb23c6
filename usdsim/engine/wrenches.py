"""What joints transmit from one body to the next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.core.errors import SimulationError
from usdsim.parser.description import GenericDescription

from .compile import CompiledModel, compile_scene
from .failures import Quiet
from .fields import STATE
from .friction import FIELD
from .parameters import Parameters
from .versions import Versions

__all__ = ["JointWrenches"]

_ACC = int(mujoco.mjtStage.mjSTAGE_ACC)
_NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
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
_STRUCTURE: tuple[str, ...] = ("body_simple", "dof_Madr", "dof_simplenum", "name", "sensor_")
_STRUCTURE += ("B_", "D_", "M_", "efm", "map")
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
        self._compiled, self._parameters, self._versions = compiled, parameters, versions
        self._copies: mjbatch.Batch | None = None
        self._state: list[tuple[NDArray[Any], NDArray[Any]]] = []
        self._synced = (-1, -1)
        self._filled = -1
        self._quiet = Quiet()

    def read(self, worlds: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """Force and torque on bodies by their parents, shape (worlds, nbody, 6), read-only."""
        if worlds is None and self._filled == self._versions.forces:
            return self._view
        copies = self._sync()
        try:
            with self._quiet:
                copies.forward(None if worlds is None else np.unique(worlds), _ACC)
        except mjbatch.SimulationError as error:
            words = copies.error(int(error.ids[0]))
            raise SimulationError(
                f"The forces of world {error.ids[0]} cannot be computed: {words}", list(error.ids)
            ) from error
        rows: Any = slice(None) if worlds is None else worlds
        found = self._about_origins(copies, rows)
        if worlds is None:
            np.copyto(self._values, found)
            self._filled = self._versions.forces
            return self._view
        found.flags.writeable = False
        return found

    def _sync(self) -> mjbatch.Batch:
        """The copies, in the state of the engine's worlds."""
        source = self._parameters.batch
        version = self._versions.arrays, self._versions.parameters
        if self._copies is None or self._synced[0] != version[0]:
            self._copies = self._copy(source)
            self._synced = version[0], -1
        copies = self._copies
        if self._synced != version:
            for name in _parameters():
                values = source.expanded(name)
                if values is not None:
                    copies.expand(name)[...] = values
            flags = copies.expanded("opt.disableflags")
            if flags is not None:
                copies.expand("opt.disableflags")[...] = flags & ~_NO_SENSORS
            self._synced = version
        loss = source.expanded(FIELD)
        if loss is not None:
            # It may follow the state; see `friction`.
            copies.expand(FIELD)[...] = loss
        for target, state in self._state:
            np.copyto(target, state)
        return copies

    def _copy(self, source: mjbatch.Batch) -> mjbatch.Batch:
        scene = self._compiled.scene
        elements = (*scene.elements, _SENSOR)
        sensing = compile_scene(replace(scene, elements=elements), exact=self._compiled.exact)
        # The engine may have had to give up its shortcut for lone bodies.
        model = sensing.mj if source.model is self._compiled.mj else sensing.loose
        for name in _parameters():
            if name.startswith("opt."):
                setattr(model.opt, name[4:], getattr(source.model.opt, name[4:]))
            else:
                getattr(model, name)[...] = getattr(source.model, name)
        model.opt.disableflags &= ~_NO_SENSORS
        self._values = np.zeros((source.nsim, model.nbody, 6))
        self._view = self._values.view()
        self._view.flags.writeable = False
        copies = mjbatch.Batch(model, source.nsim, source.nthread)
        for name in _RESULTS:
            copies.bind(name)
        pairs = [(copies.bind(name), source.bind(name)) for name in STATE]
        self._state = [pair for pair in pairs if pair[0].size]
        return copies

    def _about_origins(self, copies: mjbatch.Batch, rows: Any) -> NDArray[np.float64]:
        """From torque and force about the trees' centres to force and torque about the bodies'."""
        internal, origins = copies.bind("cfrc_int")[rows], copies.bind("xpos")[rows]
        centres = copies.bind("subtree_com")[rows][:, copies.model.body_rootid]
        force = np.array(internal[..., 3:])
        torque = internal[..., :3] + np.cross(centres - origins, force)
        carried = self._carried(copies, rows)
        if carried is not None:
            force -= carried[..., :3]
            torque -= carried[..., 3:] - np.cross(origins, carried[..., :3])
        found = np.concatenate([force, torque], axis=2)
        found[:, 0] = 0.0
        return found

    def _carried(self, copies: mjbatch.Batch, rows: Any) -> NDArray[np.float64] | None:
        """What makes up for gravity on each body and those below it, about the world's origin.

        The engine's forces between bodies take it to come through joints.
        """
        read = self._parameters.read
        share = read("body_gravcomp")[rows]
        if not share.any():
            return None
        falls = (read("opt.disableflags")[rows] & _NO_GRAVITY) == 0
        gravity = read("opt.gravity")[rows] * falls.reshape(-1, 1)
        force = -(share * read("body_mass")[rows])[..., None] * gravity[:, None]
        wrench = np.concatenate([force, np.cross(copies.bind("xipos")[rows], force)], axis=2)
        for body in range(copies.model.nbody - 1, 0, -1):
            wrench[:, copies.model.body_parentid[body]] += wrench[:, body]
        return wrench


def _parameters() -> list[str]:
    """Model fields that describe the world rather than how it is stored."""
    return [name for name in mjbatch.MODEL_FIELDS if not name.startswith(_STRUCTURE)]
