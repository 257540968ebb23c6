"""Saturation of stiff drives: force limits that act on the implicit force."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.dense_inertia import dense_inertia
from usdsim.engine.indices import ALL
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.versions import Versions
from usdsim.parser.description import EnvelopeDescription

from .envelope import Envelopes
from .implicit import implicit_inertia, is_discrete
from .law import Laws, bounded_forces, of_worlds
from .watch import Watch

__all__ = ["FIELD", "Laws", "SaturatedDrives"]

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

FIELD = "actuator_forcerange"
"""The engine's parameter: least and largest force of an actuator."""
_STIFF = 1.0
"""Change of a drive's force within a step, over what causes it, from which its limits flip."""
_NOBODY = np.zeros(0, np.intp)


class SaturatedDrives:
    """Drives whose gains are too stiff for the time step, where they reach their force limits.

    The engine integrates a drive's force implicitly, but only while it is within its limits. A
    drive beyond them pushes as hard as it may for a whole step, which takes a light joint past the
    speed that it should have to where it pushes as hard against it: the joint shakes and may never
    arrive. Here the limits apply to the implicit force instead: that at the end of the step, with
    all that acts. It is f = clip(c - D a), where a is the acceleration, c the force at the present
    velocity, and D = h kd + h^2 kp. How accelerations answer to forces follows from the mass
    matrix; what else acts, contacts included, from the accelerations at the engine's own forces.
    The engine then gets limits that leave this force only, for that step.

    Drives within their limits are the engine's, and so are those with D times the inverse inertia
    up to 1: they cannot pass by what they aim at. Drives with a performance envelope belong here
    whatever their gains, with limits at the speed they have.

    Args:
        compiled: the model.
        parameters: the engine's.
        versions: the engine's.

    Attributes:
        enveloped: whether limits of any depend on speed, so that each step has to be looked at.
    """

    def __init__(self, compiled: CompiledModel, parameters: Parameters, versions: Versions):
        self._parameters, self._versions = parameters, versions
        model, names = compiled.mj, compiled.names
        found, envelopes = [], []
        for joint in compiled.scene.joints:
            for dof in joint.dofs:
                actuator = names.find("actuator", dof.path)
                index = names.find("joint", dof.path)
                if dof.drive is not None and actuator is not None and index is not None:
                    found.append((actuator, model.jnt_dofadr[index], model.jnt_qposadr[index]))
                    envelopes.append(astuple(dof.drive.envelope or EnvelopeDescription()))
        rows = np.array(found, np.intp).reshape(-1, 3)
        self._actuators, self._dofs, self._places = rows.T
        self._envelopes = np.array(envelopes).reshape(-1, 3).T[:, None]
        top, _, resistance = self._envelopes
        self._moving = np.isfinite(top) | (resistance > 0.0)
        self.enveloped = bool(self._moving.any())
        self._model = model
        self._discrete = is_discrete(model)
        self._inputs = np.asarray(model.actuator_ctrladr[self._actuators], np.intp)
        self._known = -1
        self._laws = Laws(np.zeros(0, np.intp), *np.zeros((6, 1, 0)))
        self._implicit: Floats = np.zeros((1, model.nv))
        self._watch: Watch | None = None
        self._held: Ids = np.zeros(0, np.intp)
        self._ranges: Floats = np.zeros((0, 0, 2))

    @property
    def active(self) -> bool:
        """Whether any drive is stiff and limited."""
        return len(self.laws.columns) > 0

    @property
    def laws(self) -> Laws:
        """Laws of the stiff drives as the parameters have them now."""
        if self._known != self._versions.parameters:
            if len(self._actuators):
                self._laws = self._read_laws()
            self._known = self._versions.parameters
        return self._laws

    def force(self, qpos: Floats, qvel: Floats, ctrl: Floats, worlds: Ids | None) -> Floats:
        """Force of each stiff drive before its limits, shape (n, drives).

        Args:
            qpos: positions in some worlds, shape (n, nq).
            qvel: velocities, shape (n, nv).
            ctrl: controls, shape (n, nu).
            worlds: which they are; None: all.
        """
        laws, columns = self.laws, self.laws.columns
        inputs = self._inputs[columns]
        target, speed, push = (ctrl[:, inputs + i] for i in range(3))
        force = push + of_worlds(laws.stiffness, worlds) * (target - qpos[:, self._places[columns]])
        force += of_worlds(laws.damping, worlds) * (speed - qvel[:, self._dofs[columns]])
        return np.asarray(force)

    def beyond(self, qpos: Floats, qvel: Floats, ctrl: Floats, worlds: Ids | None) -> Any:
        """Whether each of them is beyond its limits, shape (n, drives); see `force`."""
        force = self.force(qpos, qvel, ctrl, worlds)
        low, high = self.laws.limits(qvel[:, self._dofs[self.laws.columns]], worlds)
        return (force < low) | (force > high)

    def watch(self, batch: mjbatch.Batch) -> Watch | None:
        """Alarm for the drives of all worlds; None: none is stiff and limited."""
        laws = self.laws
        if not len(laws.columns):
            return None
        if self._watch is None or not self._watch.serves(batch, laws):
            columns = laws.columns
            places, dofs, inputs = (v[columns] for v in (self._places, self._dofs, self._inputs))
            parts = ("qpos", places), ("qvel", dofs), *(("ctrl", inputs + i) for i in range(3))
            actuators = self._actuators[columns]
            self._watch = Watch(batch, laws, parts, actuators, self._parameters)
        return self._watch

    def saturated(self, batch: mjbatch.Batch, worlds: Ids | None) -> Ids:
        """Worlds of some that have a stiff drive beyond its limits, ascending."""
        watch, rows = self.watch(batch), ALL if worlds is None else worlds
        if self.enveloped:
            # Their limits move.
            raised = np.arange(batch.nsim)[rows]
        else:
            alarm = watch.beyond(batch.state[rows], rows) if watch else None
            if alarm is None:
                return _NOBODY
            raised = np.flatnonzero(alarm) if worlds is None else worlds[alarm]
        qpos, qvel, ctrl = (batch.bind(name)[raised] for name in ("qpos", "qvel", "ctrl"))
        found = raised[self.beyond(qpos, qvel, ctrl, raised).any(axis=1)]
        if len(found):
            # What `hold` needs is filled by calls after it was asked for, and costs each a copy.
            for field in ("M", "qacc", "actuator_force"):
                batch.bind(field)
        return found

    def hold(self, batch: mjbatch.Batch, worlds: Ids) -> None:
        """Narrow the force ranges of saturated drives of some worlds to the implicit force.

        Args:
            batch: the worlds, with all that follows from their state and controls.
            worlds: which of them, ascending.
        """
        laws, columns = self.laws, self.laws.columns
        dofs, actuators = self._dofs[columns], self._actuators[columns]
        qpos, qvel, ctrl = (batch.bind(name)[worlds] for name in ("qpos", "qvel", "ctrl"))
        wanted = self.force(qpos, qvel, ctrl, worlds)
        constant = wanted - of_worlds(laws.ahead, worlds) * qvel[:, dofs]
        slope, (low, high) = of_worlds(laws.slope, worlds), laws.limits(qvel[:, dofs], worlds)
        beyond = (wanted < low) | (wanted > high)
        force = batch.bind("actuator_force")[worlds][:, actuators]
        acceleration, mobility = self._answers(batch, worlds, dofs)
        if self._discrete:
            # There accelerations are those of forces at the end of the step.
            ends = constant - slope * acceleration
            force = np.where(beyond | (slope <= 0.0), force, ends)
        found = bounded_forces(constant, slope, (low, high), acceleration, mobility, force)
        ranges = batch.expand(FIELD)
        self._held, self._ranges = worlds, ranges[worlds]
        rows, drives = np.nonzero(beyond)
        # Drives without gains, which only pass on what programs push, have kept the engine's force.
        found = np.clip(found, low, high)
        ranges[worlds[rows], actuators[drives]] = found[rows, drives][:, None]

    def release(self, batch: mjbatch.Batch) -> None:
        """Restore the limits of drives."""
        if len(self._held):
            batch.expand(FIELD)[self._held] = self._ranges
            self._held = self._held[:0]

    def _answers(self, batch: mjbatch.Batch, worlds: Ids, dofs: Ids) -> tuple[Floats, Floats]:
        """Accelerations of axes in the step to come, and per force on each.

        They are those of the inertia with all that the engine integrates implicitly, but the drives
        in question: damping of joints, for example, may be many times the inertia of a light one.

        Returns:
            Accelerations at the engine's forces, shape (n, drives), and answers to forces,
            (n, drives, drives).
        """
        nv = batch.model.nv
        metric, every = dense_inertia(batch.model, batch.bind("M")[worlds]), np.arange(nv)
        acceleration = batch.bind("qacc")[worlds]
        force = np.vecdot(metric, acceleration[:, None])
        metric[:, every, every] += of_worlds(self._implicit, worlds)
        pushes = np.broadcast_to(np.eye(nv)[:, dofs], (len(worlds), nv, len(dofs)))
        found = np.linalg.solve(metric, np.concatenate([pushes, force[..., None]], axis=2))[:, dofs]
        return acceleration[:, dofs] if self._discrete else found[..., -1], found[..., :-1]

    def _read_laws(self) -> Laws:
        read, actuators = self._parameters.read, self._actuators
        step = read("opt.timestep")[:, None]
        gains, bounds = read("actuator_biasprm")[:, actuators], read(FIELD)[:, actuators]
        stiffness, damping = np.maximum(-gains[..., 1], 0.0), np.maximum(-gains[..., 2], 0.0)
        slope = step * damping + step**2 * stiffness
        mobility = read("dof_invweight0")[:, self._dofs]
        stiff = (slope * mobility > _STIFF) | self._moving
        stiff = stiff & (read("actuator_forcelimited")[:, actuators] != 0)
        columns = np.flatnonzero(stiff.any(axis=0))
        stiff = stiff[:, columns]
        values = (
            stiffness[:, columns],
            damping[:, columns],
            (step * stiffness)[:, columns],
            np.where(stiff, slope[:, columns], 0.0),
            np.where(stiff, bounds[:, columns, 0], -np.inf),
            np.where(stiff, bounds[:, columns, 1], np.inf),
        )
        others = np.ones(slope.shape, np.bool_)
        others[:, columns] = ~stiff
        self._implicit = implicit_inertia(
            *(self._model, self._parameters, self._dofs),
            *(np.where(others, gains, 0.0) for gains in (stiffness, damping)),
        )
        response = (step * mobility)[:, columns]
        if (response == response[:1]).all():
            response = response[:1]
        speed, gradient, resistance = self._envelopes[:, :, columns]
        envelope = Envelopes(speed, gradient, resistance, response)
        alike = all((value == value[:1]).all() for value in values)
        tables = (value[:1] if alike else value for value in values)
        return Laws(columns, *tables, envelope=envelope)
