"""Joint drives: targets, through actuator models, to the inputs of the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.actuators import ActuatorBaseCfg, ActuatorCollection
from usdsim.views import FIELDS, AssetView
from usdsim.views.copies.device import DeviceCopies
from usdsim.views.usable import usable

from .configured_dofs import matching_joints
from .drive_senders import HostSender, KernelSender
from .joint_data import TARGETS, JointData
from .joint_friction_writers import write_friction

__all__ = ["JointDrives", "make_actuators", "write_parameters"]

ROWS = {
    "stiffness": "joint_stiffness",
    "damping": "joint_damping",
    "armature": "joint_armature",
    "friction": "joint_friction_coefficient",
    "dynamic_friction": "joint_dynamic_friction_coefficient",
    "viscous_friction": "joint_viscous_friction_coefficient",
    "effort_limit": "joint_effort_limit",
    "velocity_limit": "joint_velocity_limit",
}
"""Parameters of actuators and the rows of the field table they are in."""
_MEASURED = (("qpos", "joint_qpos"), ("qvel", "joint_dofs"))
"""State that actuators measure: the engine's field, and the table of its columns."""
_GAINS = ("stiffness", "damping")
_WRITTEN = {
    "stiffness": "stiffness",
    "damping": "damping",
    "armature": "armature",
    "viscous_friction": "viscous_friction",
    "effort_limit": "effort_limit_sim",
    "velocity_limit": "velocity_limit_sim",
}
"""Parameters brought to the engine as they are, and the arrays of a model they come from."""
_FOLLOWING = ("stiffness", "damping", "effort_limit", "velocity_limit")
"""Parameters of the engine's drives that their models show."""


def make_actuators(
    view: AssetView,
    cfgs: Mapping[str, ActuatorBaseCfg],
    authored: Mapping[str, Mapping[str, float]],
) -> ActuatorCollection:
    """The actuator models of an articulation, with the stage's values where none is configured.

    Args:
        view: window of the articulation on the engine.
        cfgs: configurations by group.
        authored: what the stage says of joints, by name and parameter, where the engine has what
            is configured.
    """
    on_stage = {name: FIELDS[row].read(view) for name, row in ROWS.items()}
    layout = view.layout
    for cfg in cfgs.values():
        for joint in matching_joints(cfg, layout.joint_names):
            for name, value in authored.get(layout.joint_names[joint], {}).items():
                if getattr(cfg, name) is not None:
                    on_stage[name][:, joint] = value
    return ActuatorCollection.from_cfgs(
        cfgs, layout.joint_names, layout.num_instances, view.device, on_stage=on_stage
    )


def write_parameters(view: AssetView, actuators: ActuatorCollection) -> None:
    """Bring what was configured to the engine: gains of drives, limits, armature and friction.

    The drives of joints whose effort a model makes get no gains.
    """
    implicit = actuators.implicit
    values = {name: actuators.joint_values(source) for name, source in _WRITTEN.items()}
    for name in _GAINS:
        values[name][:, ~implicit] = 0.0
    for name, wanted in values.items():
        _write_changed(view, ROWS[name], wanted)
    static, dynamic = (actuators.joint_values(name) for name in ("friction", "dynamic_friction"))
    for name, model in actuators.items():
        if model.cfg.friction is not None and model.cfg.dynamic_friction is None:
            ids = np.asarray(actuators.joint_ids(name))
            dynamic[:, ids] = _following(view, static, dynamic)[:, ids]
    present = [FIELDS[ROWS[name]].read(view) for name in ("friction", "dynamic_friction")]
    columns = np.flatnonzero(
        (present[0] != static).any(axis=0) | (present[1] != dynamic).any(axis=0)
    )
    if len(columns):
        write_friction(view, static[:, columns], dynamic[:, columns], None, columns)


def _following(
    view: AssetView, static: NDArray[np.float32], dynamic: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Dynamic friction where only the static one is configured."""
    before = FIELDS[ROWS["friction"]].read(view).astype(np.float32)
    return np.where(dynamic == before, static, np.minimum(dynamic, static))


def _write_changed(view: AssetView, row: str, wanted: NDArray[np.float32]) -> None:
    """Write the joints that differ, which leaves what all worlds share to the others."""
    present = FIELDS[row].read(view).astype(np.float32)
    columns = np.flatnonzero((present != wanted).any(axis=0))
    if len(columns):
        view.write(row, wanted[:, columns], None, columns)


class JointDrives:
    """Runs the actuators of an articulation and commands the engine's drives.

    Args:
        view: window of the articulation on the engine.
        data: its data, with targets.
        actuators: its actuator models.
    """

    def __init__(self, view: AssetView, data: JointData, actuators: ActuatorCollection):
        self._view, self._data, self._actuators = view, data, actuators
        layout = view.layout
        self._none = not layout.num_joints
        self._changes = view.engine.versions
        self._versions = self._changes.parameters, -1
        self._graph: Any = None
        self._measure: list[Callable[[], object]] = []
        self._owed = False
        if self._none:
            return
        self._sender = (KernelSender if view.copies.by_kernels else HostSender)(view)
        self._inputs = tuple(data.defaults[name] for name in TARGETS)
        shape = layout.num_instances, layout.num_joints
        self._measured = [
            usable(wp.zeros(shape, dtype=wp.float32, device=view.device)) for _ in _MEASURED
        ]
        self._on_host = [
            (field, view.columns(table), array.numpy())
            for array, (field, table) in zip(self._measured, _MEASURED, strict=True)
        ]
        # Where targets are the commands, models only tell efforts, and wait until asked for them.
        self._handed_on: list[tuple[Any, Any]] = []
        if actuators.hands_on and not view.copies.by_kernels:
            pairs = zip(self._sender.commands, self._inputs, strict=True)
            self._handed_on = [(command.numpy(), target.numpy()) for command, target in pairs]
            self._inputs = self._sender.commands
            actuators.put_off(self.settle)
        self._read_targets()

    def apply(self) -> None:
        """Compute commands from the targets and the present state, and give them to the engine."""
        if self._none:
            return
        if self._versions != (self._changes.parameters, self._changes.arrays):
            self.prepare()
        for measure in self._measure:
            measure()
        self._owed = True
        if self._handed_on:
            for command, target in self._handed_on:
                command[...] = target
        else:
            self.settle()
        self._sender.send()

    def settle(self) -> None:
        """Run the models for the last commands, if nobody has asked for that yet."""
        if not self._owed:
            return
        self._owed = False
        if self._graph is None:
            self._launch()
            self._capture()
        else:
            wp.capture_launch(self._graph)

    def show(self, starts: Mapping[str, NDArray[np.float64]]) -> None:
        """Set the efforts to those of the last of several steps that had the same commands.

        Args:
            starts: the engine's ``qpos`` and ``qvel`` as the step started from them.
        """
        if self._none:
            return
        for field, columns, host in self._on_host:
            columns.gather(starts[field], host)
        self._owed = True

    def prepare(self) -> bool:
        """Follow changed parameters and arrays; returns whether there is anything to launch."""
        if self._none:
            return False
        versions, (parameters, arrays) = self._changes, self._versions
        if parameters != versions.parameters:
            self.settle()
            self.follow()
        if arrays != versions.arrays:
            self._sender.renew()
            self._measure = [self._measuring(k) for k in range(len(_MEASURED))]
            self._graph = None
        self._versions = versions.parameters, versions.arrays
        return True

    def launch(self) -> None:
        """Launch the device part of `apply`, as a part of the caller's recording."""
        if not self._none:
            for measure in self._measure:
                measure()
            self._launch()

    def note(self) -> None:
        """Update the host's bookkeeping after a recorded `launch`."""
        if not self._none:
            self._sender.send()

    def _measuring(self, k: int) -> Callable[[], object]:
        """Function that measures a quantity, or sees to it that the engine's own array is current.

        Networks and laws of users get copies, which they may write to.
        """
        field, table = _MEASURED[k]
        copies = self._view.copies
        if isinstance(copies, DeviceCopies) and self._actuators.in_one_kernel:
            watched = copies.columns(table).watched(field)
            if watched is not None:
                self._measured[k], fresh = watched
                return fresh
        return copies.gatherer(field, table, self._measured[k])

    def _launch(self) -> None:
        efforts = self._data.computed_torque, self._data.applied_torque
        arrays: Any = *self._inputs, *self._measured, *self._sender.commands, *efforts
        self._actuators.compute(*arrays)
        self._sender.launch()

    def _capture(self) -> None:
        """Keep the launches as a graph, which starts in a tenth of the time."""
        if not self._actuators.recordable:
            return
        with wp.ScopedCapture(device=self._view.device) as capture:
            self._launch()
        self._graph = capture.graph

    def follow(self) -> None:
        """Copy the present gains and limits of the engine's drives to their implicit models."""
        view, actuators = self._view, self._actuators
        every = [*actuators.values(), actuators.rest]
        models = [
            (model, model.joint_indices)
            for model in every
            if model.is_implicit_model and model.num_joints
        ]
        for name in _FOLLOWING if models else ():
            values = FIELDS[ROWS[name]].read(view)
            for model, ids in models:
                setattr(model, name, values[:, ids])

    def _read_targets(self) -> None:
        """Start with the targets authored on the stage."""
        controls = self._view.engine.read("ctrl")
        layout = self._view.layout
        for k, name in enumerate(("joint_pos_target", "joint_vel_target")):
            rows = controls[:, layout.drive_ctrls + k]
            shape = layout.num_instances, layout.num_joints
            self._view.buffers[name].assign(rows.reshape(shape).astype(np.float32))
