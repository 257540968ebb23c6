"""Recorded step of the Warp engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.effects.acceleration.warp import WarpAcceleration
from usdsim.engine.effects.body_speeds.warp import WarpBodySpeeds
from usdsim.engine.effects.breaking.warp import WarpBreaking
from usdsim.engine.effects.friction.warp import WarpFriction
from usdsim.engine.effects.impacts.warp import WarpImpacts
from usdsim.engine.effects.saturation.warp import WarpSaturatedDrives
from usdsim.engine.effects.step_forces.warp import WarpStepForces
from usdsim.engine.effects.sticking.warp import WarpSticking
from usdsim.engine.effects.velocity_limits.warp import WarpVelocityLimits
from usdsim.engine.fields import FORCES
from usdsim.engine.graphs import Graphs, when

from . import kernels
from .force_sums import WarpSums
from .worlds import STATE_FIELDS, WarpWorlds

__all__ = ["WarpStep"]

_OVERFLOW = int(
    mjw.OverflowType.ALL & ~mjw.OverflowType.ITERATIONS & ~mjw.OverflowType.LS_ITERATIONS
)
_RESULTS = (*sorted(FORCES), "sensordata")
_STEPPED = (*STATE_FIELDS, *_RESULTS)
_SLEEP = int(mujoco.mjtEnableBit.mjENBL_SLEEP)
_ENERGY = int(mujoco.mjtEnableBit.mjENBL_ENERGY)
_SENSORS_OFF = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)


class WarpStep:
    """Launches steps of all worlds or some, as recordings where possible.

    Positions and velocities of bodies are computed after the state has advanced, so that they
    always describe it; the next step goes on from them.

    Args:
        worlds: the device's model and data.
        limits: velocity limits of joints, speed limits of bodies, force limits of stiff drives.
        friction: static friction of joints and of contacts.
        acceleration: acceleration over a step.
        breaking: joints that break.
        forces: what acts on bodies in one step, from the motion that it starts with.
        impacts: rebounds.
        graphs: whether to record.

    Attributes:
        failure: kind and index of what each world failed by, -1: it did not, (num_envs, 2).
        when: time of that failure [s], shape (num_envs,).
        alarm: bits that tell whether anything happened at all, shape (1,).
        peak: most constraints in a world, most contacts and most pairs in all, shape (3,).
        defaults: rows that worlds start from, by state field.
    """

    def __init__(
        self,
        worlds: WarpWorlds,
        limits: tuple[WarpVelocityLimits, WarpBodySpeeds, WarpSaturatedDrives],
        friction: tuple[WarpFriction, WarpSticking],
        acceleration: WarpAcceleration,
        breaking: WarpBreaking,
        forces: WarpStepForces,
        impacts: WarpImpacts,
        graphs: bool = True,
    ):
        self.worlds = worlds
        self._axes, self._bodies, self._drives = limits
        self._friction, self._sticking = friction
        self._acceleration, self._breaking, self._impacts = acceleration, breaking, impacts
        self._forces = forces
        self.graphs = Graphs(worlds.device, graphs)
        count, device = worlds.num_envs, worlds.device
        self.failure = wp.full((count, 2), -1, dtype=wp.int32, device=device)
        self.when = wp.zeros(count, dtype=wp.float64, device=device)
        self.alarm = wp.zeros(1, dtype=wp.int32, device=device)
        self.peak = wp.zeros(3, dtype=wp.int32, device=device)
        self.defaults: dict[str, wp.array] = {}
        self._all = wp.full(count, True, dtype=wp.bool, device=device)
        self._chosen = wp.full(count, True, dtype=wp.bool, device=device)
        self._others = wp.full(count, False, dtype=wp.bool, device=device)
        self._lost = wp.zeros(count, dtype=wp.bool, device=device)
        self._started = wp.zeros(count, dtype=wp.float64, device=device)
        self._zero = wp.zeros((1, 2), dtype=wp.int32, device=device)
        self._any = wp.zeros(1, dtype=wp.int32, device=device)
        self._seen = -1

    # -- recordings ----------------------------------------------------------------------------

    def motion(self) -> None:
        """Compute positions and velocities of bodies in all worlds."""
        self._friction.update(None)
        self._run("motion", self._motion)

    def meet(self, worlds: NDArray[np.intp] | None, early: bool) -> None:
        """Apply restitution impulses to some worlds, before or after a step; None: to all."""
        self._friction.update(None)
        self._choose(np.arange(self.worlds.num_envs) if worlds is None else worlds)
        self._run(("meet", early), lambda: self._meet(early))

    def approached(self) -> NDArray[np.intp]:
        """Worlds in which contacts approach fast enough to rebound, as bodies are now."""
        self._run("approached", lambda: self._impacts.find(self._all))
        return self._impacts.found()

    def forward(self, worlds: NDArray[np.intp] | None) -> None:
        """Compute forces and all else that follows from the state of some worlds; None: all."""
        self._friction.update(worlds)
        if worlds is None:
            self._run("forward", self._forward)
        else:
            self._choose(worlds)
            self._run("forward some", self._forward_some)

    def aside(self, kind: str, function: Callable[[], object]) -> None:
        """Launch a function on forces of the present state, then restore those of the last step.

        Args:
            kind: name of what is launched.
            function: launches it.
        """
        self._friction.update(None)
        self._run(kind, lambda: self._aside(function))

    def step(self, worlds: NDArray[np.intp] | None, times: int = 1) -> None:
        """Advance some worlds; None: all."""
        held = self._impacts.held
        self._friction.update(worlds)
        self._drives.update()
        if worlds is None:
            self._run(("step", held), lambda: self._step(self._all), times)
        else:
            self._choose(worlds)
            self._acceleration.begin()
            self._run(("step some", held), lambda: self._step(self._chosen, others=True), times)

    def prepare(self) -> int:
        """Prepare `launch`; returns a number that changes when the arrays it uses do."""
        self._friction.update(None)
        self._drives.update()
        self._renew()
        return self.worlds.generation

    def launch(self) -> None:
        """Launch a step of all worlds, as a part of somebody else's recording."""
        with wp.ScopedDevice(self.worlds.device), self.worlds.memory.in_use():
            self._step(self._all)

    def reset(self, worlds: NDArray[np.intp] | wp.array | None, rows: dict[str, wp.array]) -> None:
        """Set the state of some worlds, given by ids or a mask on the device, to given rows.

        See `WarpWorlds.rows` for their form.
        """
        chosen = self._all if worlds is None else worlds
        if isinstance(chosen, np.ndarray):
            self._choose(chosen)
            chosen = self._chosen
        if self.worlds.m.opt.enableflags & _SLEEP:
            with wp.ScopedDevice(self.worlds.device):
                mjw.reset_data(self.worlds.m, self.worlds.d, chosen)
        for field, source in rows.items():
            self.worlds.copy_rows(field, chosen, source)

    def clear_alarm(self) -> None:
        """Clear failures, overflow and alarm."""
        self.failure.fill_(-1)
        self.alarm.zero_()
        self.peak.zero_()
        self.worlds.d.overflow.zero_()

    def _run(self, kind: Hashable, function: Any, times: int = 1) -> None:
        self._renew()
        with self.worlds.memory.in_use():
            self.graphs.run(kind, function, times)

    def _renew(self) -> None:
        """Allocate what depends on the model, as recordings must not allocate."""
        if self._seen == self.worlds.generation:
            return
        self._seen = self.worlds.generation
        self.graphs.clear()
        self.worlds.memory.clear()
        self._forces.prepare()
        self._sums = WarpSums(self.worlds)
        self._saved: dict[str, wp.array] = {}

    def _has(self, name: str) -> bool:
        return name in self.worlds.names() and self.worlds.array(name).size > 0

    def _choose(self, worlds: NDArray[np.intp]) -> None:
        mask = np.zeros(self.worlds.num_envs, np.bool_)
        mask[worlds] = True
        self._chosen.assign(mask)
        self._others.assign(~mask)

    # -- sequences -----------------------------------------------------------------------------

    def _motion(self) -> None:
        m, d = self.worlds.m, self.worlds.d
        # Rows of friction are set up with the others, from what acts now.
        self._friction.launch()
        self._sticking.launch()
        mjw.fwd_position(m, d, factorize=False)
        mjw.sensor_pos(m, d)
        mjw.fwd_velocity(m, d)
        mjw.sensor_vel(m, d)
        if m.opt.enableflags & _ENERGY:
            d.energy.zero_()
            mjw.energy_pos(m, d)
            mjw.energy_vel(m, d)
        self._watch_capacity()

    def _meet(self, early: bool) -> None:
        self._motion()
        self._impacts.launch(self._chosen, self._motion, early)

    def _watch_capacity(self) -> None:
        d = self.worlds.d
        wp.launch(
            kernels.watch_capacity,
            self.worlds.num_envs,
            inputs=[d.njmax, d.naconmax, _OVERFLOW, d.nefc, d.nacon, d.ncollision, d.overflow],
            outputs=[self.peak, self.alarm],
        )

    def _forward(self) -> None:
        m, d = self.worlds.m, self.worlds.d
        self.worlds.hand_over_controls()
        self._friction.launch()
        mjw.forward(m, d)
        self._sums.limit()
        self._watch_capacity()

    def _forward_some(self) -> None:
        self._save(_RESULTS)
        self._forward()
        self._restore(_RESULTS)

    def _aside(self, function: Callable[[], object]) -> None:
        self._save(_RESULTS)
        self._forward()
        function()
        for name in _RESULTS:
            if name in self._saved:
                wp.copy(self.worlds.rows(name), self._saved[name])

    def _step(self, chosen: wp.array, others: bool = False) -> None:
        worlds, m, d = self.worlds, self.worlds.m, self.worlds.d
        if others:
            self._save(_STEPPED)
        numbers = worlds.num_envs, max(m.nq, m.nv, m.nu, 1)
        wp.launch(
            kernels.begin_step,
            numbers,
            inputs=[chosen, worlds.time, d.qpos, d.qvel],
            outputs=[
                d.time,
                self._started,
                self._lost,
                worlds.array("ctrl"),
                self.failure,
                self.when,
                *self._acceleration.kept,
                self._any,
                self.alarm,
            ],
        )
        worlds.hand_over_controls()
        self._forces.begin(chosen)
        self._sticking.begin(chosen, self._try_contacts)
        self._drives.begin(chosen)
        whole = m.opt.integrator == mjw.IntegratorType.RK4 or m.opt.enableflags & _SLEEP
        if whole:
            mjw.step(m, d)
        else:
            self._sums.clear()
            self._advance()
        self._drives.end()
        self._forces.end()
        self._sums.limit()
        if others:
            self._restore(_STEPPED)
        self._breaking.launch(chosen)
        limits, beyond = self._axes.watched
        wp.launch(
            kernels.watch_state,
            numbers,
            inputs=[m.opt.timestep, chosen, self._started, d.qpos, d.qvel, d.qacc, limits],
            outputs=[
                self._lost,
                beyond,
                worlds.time,
                self.failure,
                self.when,
                self._any,
                self.alarm,
            ],
        )
        when(self._any, self._mend)
        self._bodies.launch(chosen)
        self._motion()
        self._impacts.launch(chosen, self._motion)

    def _try_contacts(self) -> None:
        self._sums.clear()
        self._forward()
        self._motion()

    def _advance(self) -> None:
        """Advance the state by the solver's second half of a step.

        It is `mjw.step2`, but factors of the mass matrix are made where they are used.
        """
        m, d = self.worlds.m, self.worlds.d
        if m.opt.integrator == mjw.IntegratorType.DISCRETE:
            mjw.step2(m, d)
            return
        mjw.fwd_actuation(m, d)
        mjw.fwd_acceleration(m, d, factorize=True)
        mjw.solve(m, d)
        if m.opt.run_rne_postconstraint or (
            m.sensor_rne_postconstraint and not m.opt.disableflags & _SENSORS_OFF
        ):
            mjw.rne_postconstraint(m, d)
        mjw.sensor_acc(m, d, skip_rne_postconstraint=True)
        if m.opt.integrator == mjw.IntegratorType.EULER:
            mjw.euler(m, d)
        else:
            mjw.implicit(m, d)

    def _mend(self) -> None:
        """Restart worlds that diverged, and reduce velocities of others to their limits."""
        self._recover()
        self._axes.enforce(self._lost)

    def _recover(self) -> None:
        """Restart worlds that diverged, so that nothing infinite reaches the others."""
        self.worlds.copy_rows("time", self._lost, self._zero)
        for field, source in self.defaults.items():
            self.worlds.copy_rows(field, self._lost, source)
        if "qvel" in self.defaults:
            self._acceleration.restart(self._lost, self.defaults["qvel"])

    def _save(self, names: Iterable[str]) -> None:
        """Save rows of fields; there is room for them from the first time on."""
        for name in names:
            if name in self._saved:
                wp.copy(self._saved[name], self.worlds.rows(name))
            elif self._has(name):
                self._saved[name] = wp.clone(self.worlds.rows(name))

    def _restore(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._saved:
                self.worlds.copy_rows(name, self._others, self._saved[name])
