"""Steps of engines in which kinematic bodies and sampled targets move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.effects.impacts.cpu import Impacts
from usdsim.engine.effects.sticking.cpu import Sticking
from usdsim.engine.effects.targets.following import SampledTargets
from usdsim.engine.fields import OUTDATES
from usdsim.engine.indices import ascending, checked_ids, checked_worlds
from usdsim.engine.part import EnginePart

from .motion import KinematicMotion

__all__ = ["MOTION", "SURFACE", "KinematicSteps"]

SURFACE = "geom_surfacevel"
"""Parameter that carries."""
_POSES = ("mocap_pos", "mocap_quat")
MOTION = ("qpos", "qvel")
"""Fields that say how the others move."""
_PLACED = (*_POSES, "time")
"""Fields that say where kinematic bodies are."""


class KinematicSteps(EnginePart):
    """The part of an engine that moves kinematic bodies, and lets targets follow their samples."""

    _impacts: Impacts
    _sticking: Sticking
    _velocities_of_bodies: NDArray[Any] | None = None
    _places: tuple[NDArray[Any], NDArray[Any]]

    if TYPE_CHECKING:

        def _write_surfaces(self, values: NDArray[Any], geoms: NDArray[np.intp]) -> NDArray[Any]:
            """Set surface velocities without deriving anything; returns what the engine has now."""
            ...

        def _meet(self, ids: NDArray[Any] | None, *, early: bool) -> None:
            """Send back what kinematic bodies have met, before a step or after it."""
            ...

        def _approached(self, worlds: NDArray[Any]) -> NDArray[np.intp]:
            """Worlds in which something meets that would be sent back, as bodies are now."""
            ...

        def _renew_motion(self, worlds: NDArray[Any]) -> None:
            """Compute positions of bodies after mocap poses were written, and no forces."""
            ...

        def _plain_steps(self, n: int, ids: NDArray[Any] | None) -> list[Any]:
            """Step without looking at kinematic bodies; returns failures to raise."""
            ...

    def _open_motion(self) -> None:
        """Start with what moves in the model."""
        self.kinematics = KinematicMotion(self.compiled, self.num_envs)
        self._targets = SampledTargets(self.compiled, self.num_envs)
        self._guides = bool(len(self.kinematics.table) or len(self._targets.columns))

    @property
    def _guided(self) -> bool:
        """Whether the next step has to move anything."""
        return self.kinematics.active or self._targets.active

    def _reset_motion(self, ids: NDArray[Any] | None) -> None:
        """Start anew where worlds were put; None: all."""
        if len(self.kinematics.table):
            self.kinematics.reset(self.state("mocap_pos"), self.state("mocap_quat"), ids)
        if len(self._targets.columns):
            self._targets.reset(self.state("ctrl"), np.asarray(self.state("time")), ids)

    def set_kinematic_velocity(
        self, values: ArrayLike, env_ids: ArrayLike | None, bodies: ArrayLike
    ) -> None:
        """Set velocities of kinematic bodies, which last until a pose or another one is written.

        Args:
            values: what broadcasts to (worlds, bodies, 6), in world at the bodies' origins, linear
                first [m/s, rad/s].
            env_ids: worlds, as indices or a mask; None: all.
            bodies: engine bodies that `kinematics` has rows of.

        Raises:
            InvalidValueError: a number is not finite; nothing is written then.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        order = {int(body): row for row, body in enumerate(self.kinematics.table.bodies)}
        rows = [order[int(body)] for body in np.ravel(np.asarray(bodies))]
        self.kinematics.set_velocity(values, worlds, rows)
        self.touch(worlds, "mocap_pos")

    def _sorted(self, env_ids: ArrayLike) -> NDArray[np.intp]:
        """Worlds in ascending order, each once."""
        return ascending(checked_ids("env_ids", env_ids, self.num_envs))

    def _written(self, ids: NDArray[np.intp] | None, field: str) -> None:
        """Mark what depends on a state field, written in checked worlds, as stale."""
        if field in _PLACED:
            self._posed(field, ids)
        elif field == "eq_active":
            self._wake(ids)
        elif field in MOTION:
            self._sticking.forget(ids)
        level = OUTDATES.get(field)
        if level:
            self._outdate(level, ids)

    def _wake(self, ids: NDArray[np.intp] | None) -> None:
        """Wake bodies whose support may have changed; here none sleep."""

    def _posed(self, field: str, ids: Any) -> None:
        """Pass a write of a state field on to kinematic bodies; one of time places them."""
        if field in _POSES and len(self.kinematics.table):
            self.kinematics.posed = True
        elif field == "time":
            self.kinematics.place(ids)

    def _with_kinematic_velocities(self, values: NDArray[Any]) -> NDArray[Any]:
        """Velocities of bodies, in an array of their own that is the same every time."""
        if self._velocities_of_bodies is None:
            self._velocities_of_bodies = np.empty_like(values)
        found = self._velocities_of_bodies
        np.copyto(found, values)
        self.kinematics.fill(found, self.read("subtree_com"), self.read("xpos"))
        view = found.view()
        view.flags.writeable = False
        return view

    def _guided_steps(self, n: int, ids: NDArray[Any] | None) -> list[Any]:
        """Step, and move kinematic bodies and sampled targets before each step."""
        if not self._guides:
            return self._plain_steps(n, ids)
        motion, moves = self.kinematics, self.kinematics.active
        if not moves:
            motion.stepped(ids)
            if not self._targets.active:
                return self._plain_steps(n, ids)
        worlds = np.arange(self.num_envs) if ids is None else np.asarray(ids)
        step = np.array(self.param("opt.timestep"), dtype=np.float64).reshape(-1)[worlds]
        if moves:
            motion.begin(self.state("mocap_pos"), self.state("mocap_quat"), n * step, worlds)
        found: list[Any] = []
        for left in range(n, 0, -1):
            moment = np.array(self.time, dtype=np.float64)[worlds]
            if moves:
                self._move_bodies(moment, step, worlds, last=left == 1)
                if self._impacts.active and motion.moving:
                    # What a body moved into is sent back before the engine's contacts push.
                    self._meet(ids, early=True)
            if self._targets.active:
                controls = self.state("ctrl")
                values = self._targets.follow(controls, moment, step, worlds)
                controls[np.ix_(worlds, self._targets.columns)] = values
                self.touch(worlds, "ctrl")
            if moves and self._lead(step, worlds):
                with self._impacts.held_back():
                    found += self._plain_steps(1, ids)
                self._follow(worlds)
                if self._impacts.active:
                    self._meet(ids, early=False)
            else:
                found += self._plain_steps(1, ids)
        if moves:
            motion.end(self.state("mocap_pos"), self.state("mocap_quat"), worlds)
        return found

    def _lead(self, step: NDArray[Any], worlds: NDArray[Any]) -> bool:
        """Move bodies to where contacts find them in the next step; returns whether any moved.

        They stay where something is about to bounce on them: it has to come to where they are.
        """
        ahead = self.kinematics.lead(step, worlds)
        if not ahead.any():
            return False
        places = self.state("mocap_pos")[np.ix_(worlds, self.kinematics.table.mocaps)]
        led = (places + ahead).astype(places.dtype)
        self._put("mocap_pos", led, worlds)
        if self._impacts.active:
            met = np.isin(worlds, self._approached(worlds))
            led[met] = places[met]
            self._put("mocap_pos", led, worlds)
        self._places = places, led
        return True

    def _follow(self, worlds: NDArray[Any]) -> None:
        """Move bodies back to where they are, and leave forces those of the step."""
        cells = np.ix_(worlds, self.kinematics.table.mocaps)
        present, (places, led) = self.state("mocap_pos"), self._places
        # A world that failed has started anew elsewhere.
        present[cells] = np.where(present[cells] == led, places, present[cells])
        self._renew_motion(worlds)

    def _put(self, field: str, values: NDArray[Any], worlds: NDArray[Any]) -> None:
        """Write poses of bodies of some worlds, where they differ from the present ones."""
        cells, present = np.ix_(worlds, self.kinematics.table.mocaps), self.state(field)
        moved = (values != present[cells]).any(axis=(1, 2))
        if moved.any():
            present[cells] = values
            self.touch(worlds[moved], field)
        self.kinematics.posed = False

    def _move_bodies(
        self, moment: NDArray[Any], step: NDArray[Any], worlds: NDArray[Any], *, last: bool
    ) -> None:
        """Move kinematic bodies of some worlds by one time step.

        Worlds in which none moves keep every bit: they do what they do alone.
        """
        motion = self.kinematics
        cells = np.ix_(worlds, motion.table.mocaps)
        poses = motion.advance(moment, step, worlds, last=last)
        still = motion.still(worlds)
        for field, values in zip(_POSES, poses, strict=True):
            values[still] = self.state(field)[cells][still]
            self._put(field, values, worlds)
        geoms = motion.table.geoms
        if len(geoms):
            wanted = motion.surfaces(self.param(SURFACE)[:, geoms])
            motion.wrote(self._write_surfaces(wanted, geoms))
            self._impacts.follow()
