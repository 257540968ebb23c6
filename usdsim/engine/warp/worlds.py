"""Model and data of all worlds on a Warp device."""

from __future__ import annotations

import logging
import warnings
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.engine.fields import STATE
from usdsim.math.rotations import quat_from_matrix, quat_to_wxyz

from . import kernels
from .capacity import Capacity
from .memory import KeptMemory
from .pid import PidTables, single_input

__all__ = ["STATE_FIELDS", "WarpWorlds"]

logger = logging.getLogger("usdsim")

STATE_FIELDS = tuple(sorted(STATE - {"plugin_state", "time"}))
"""State that the device keeps in rows of worlds; time is kept beside, in double precision."""
_TURNED = {"geom_xquat": "geom_xmat", "site_xquat": "site_xmat", "xiquat": "ximat"}
"""Orientations of which the device keeps matrices only."""
_FIELDS = mjbatch.DATA_FIELDS - {"qLD", "qLDiagInv"}
"""Fields there may be: not factors of the mass matrix, which have another form on the device."""
_CONVEX_BOXES = int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
_DISTANCE_SENSORS = [
    int(getattr(mujoco.mjtSensor, f"mjSENS_GEOM{kind}")) for kind in ("DIST", "NORMAL", "FROMTO")
]


def _convex_boxes(model: mujoco.MjModel) -> int:
    """Option that keeps two boxes from colliding by the method for convex shapes.

    In single precision that method loses contacts of boxes that are centred on each other, so that
    one sinks into the other. Their own method does not, but knows no distance of boxes apart,
    which sensors of distance ask for.
    """
    return 0 if np.isin(model.sensor_type, _DISTANCE_SENSORS).any() else _CONVEX_BOXES


def _lengthen(m: Any) -> None:
    """Repeat the kinds of actuators' transmissions for each control.

    A kernel about tendons asks for so many, and drives have several controls each.
    """
    missing = m.nu - m.actuator_trntype.shape[0]
    if missing > 0:
        kinds = np.concatenate([m.actuator_trntype.numpy(), np.full(missing, -1, np.int32)])
        m.actuator_trntype = wp.array(kinds, dtype=wp.int32, device=m.actuator_trntype.device)


class WarpWorlds:
    """Worlds of `mujoco_warp`, and which of its arrays has which engine field.

    Args:
        model: the model to put on the device.
        num_envs: number of worlds.
        capacity: room for contacts and constraints.
        device: name of the Warp device.
        prepared: the model on the device; see `device_model`.

    Attributes:
        model: what was put on the device.
        m: the model on the device.
        d: the data on the device.
        time: of each world, which the device's own single precision would not count on [s].
        pid: tables of drives with several inputs; None: there are none.
        memory: where launches get the memory from that they need for a while.
        generation: how often arrays were replaced.
    """

    model: mujoco.MjModel
    pid: PidTables | None
    m: Any
    d: Any

    def __init__(
        self,
        model: mujoco.MjModel,
        num_envs: int,
        capacity: Capacity,
        device: str,
        prepared: Any,
    ):
        self.num_envs, self.device = num_envs, device
        self.time = wp.zeros(num_envs, dtype=wp.float64, device=device)
        # No plugin runs on a device, so there is none with a state.
        none = wp.zeros((num_envs, 0), dtype=wp.float32, device=device)
        self._kept = {"time": self.time, "plugin_state": none}
        self.memory = KeptMemory(wp.get_device(device))
        self.generation = 0
        self.build(model, capacity, prepared)

    def build(self, model: mujoco.MjModel, capacity: Capacity, prepared: Any = None) -> None:
        """Set up anew; state starts at the model's reference.

        Args:
            model: the model.
            capacity: room for contacts and constraints.
            prepared: the model on the device, where it is there already.
        """
        self.model, self.capacity = model, capacity
        self.generation += 1
        with wp.ScopedDevice(self.device), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.m = prepared or mjw.put_model(single_input(model))
            self.m.opt.disableflags |= _convex_boxes(model)
            _lengthen(self.m)
            self.d = self._make_data(model, capacity)
        self.m.opt.warn_overflow = 0
        for warning in caught:
            logger.debug("%s", warning.message)
        self._fields: dict[str, wp.array] = {}
        self.pid = PidTables.of(model, self.device)
        if self.pid is not None:
            self._fields["ctrl"] = wp.zeros_like(self.d.ctrl)

    @property
    def branches(self) -> bool:
        """Whether a branch of a recording can look for contacts.

        The scans by which pairs of very many shapes and of soft bodies are listed ask the device
        itself for memory.
        """
        return bool(self.m.opt.broadphase == mjw.BroadphaseType.NXN and not self.m.nflex)

    def _make_data(self, model: mujoco.MjModel, capacity: Capacity) -> Any:
        try:
            return mjw.make_data(
                model, self.num_envs, nconmax=capacity.contacts, njmax=capacity.constraints
            )
        except (MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "alloc" not in str(error):
                raise
            raise InvalidValueError(
                "num_envs",
                self.num_envs,
                f"as many worlds as fit into the memory of {self.device}",
                f"Each has room for {capacity.contacts} contacts and {capacity.constraints} "
                "constraint rows; nconmax and njmax change that.",
            ) from error

    def hand_over_controls(self) -> None:
        """Copy the controls that were written to the solver, where it has them in another form."""
        if self.pid is None:
            return
        m = self.m
        wp.launch(
            kernels.combine_inputs,
            (self.num_envs, m.nactuator),
            inputs=[
                m.actuator_ctrladr,
                m.actuator_ctrlnum,
                m.actuator_ctrlspec,
                m.actuator_biasprm,
                m.actuator_ctrlrange,
                self.pid.pid,
                self.pid.limited,
                self.array("ctrl"),
            ],
            outputs=[self.d.ctrl],
        )

    def array(self, field: str) -> wp.array:
        """The array of an engine field, typed as the device has it.

        Raises:
            UnknownNameError: there is no such field.
        """
        if field in self._kept:
            return self._kept[field]
        found = self._fields.get(field)
        if found is None:
            found = getattr(self.d, field, None) if field in _FIELDS else None
            if not isinstance(found, wp.array) or found.shape[0] != self.num_envs:
                raise UnknownNameError("engine field", field, self.names(), "the Warp engine")
            self._fields[field] = found
        return found

    def names(self) -> list[str]:
        """Fields there are."""
        arrays = [(name, getattr(self.d, name, None)) for name in _FIELDS]
        found = [name for name, a in arrays if isinstance(a, wp.array) and len(a) == self.num_envs]
        return sorted({*found, *self._kept, *_TURNED, "ncon"})

    def rows(self, field: str) -> wp.array:
        """A field as rows of 32-bit words, or of bytes where it holds booleans."""
        return self.words(self.array(field))

    def words(self, array: wp.array) -> wp.array:
        """An array with a row per world as such rows."""
        dtype: Any = wp.uint8 if array.dtype is wp.bool else wp.int32
        width = array.strides[0] // wp.types.type_size_in_bytes(dtype)
        return wp.array(
            ptr=array.ptr,
            dtype=dtype,
            shape=(self.num_envs, width),
            device=array.device,
            copy=False,
        )

    def numpy(self, field: str) -> NDArray[Any]:
        """A field on the host, shape (num_envs, ...); shares memory where the device is the CPU.

        Matrices are rows of their entries, as in the engine's own documentation.
        """
        if field in _TURNED:
            turned = self.numpy(_TURNED[field])
            matrices = turned.reshape(*turned.shape[:2], 3, 3)
            return quat_to_wxyz(quat_from_matrix(matrices)).astype(turned.dtype)
        array = self.array(field)
        values = array.numpy()
        return np.asarray(values.reshape(*array.shape, -1) if values.ndim > 3 else values)

    def upload(self, field: str, values: NDArray[Any]) -> None:
        """Upload a field's values from the host."""
        array = self.array(field)
        array.assign(np.ascontiguousarray(values).reshape(array.numpy().shape))

    def copy_rows(self, field: str, chosen: wp.array, source: wp.array) -> None:
        """Copy rows of chosen worlds into a field; see `rows` for their form."""
        target = self.rows(field)
        if target.size:
            kernel = kernels.copy_byte_rows if target.dtype is wp.uint8 else kernels.copy_rows
            wp.launch(
                kernel, self.num_envs, inputs=[chosen, source], outputs=[target], device=self.device
            )
