"""Joint effects on the CPU: limits, friction, breaking and wrenches around a step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.acceleration.cpu import StepAcceleration
from usdsim.engine.effects.body_speeds.cpu import BodySpeeds
from usdsim.engine.effects.friction.cpu import JointFriction
from usdsim.engine.effects.impacts.cpu import Impacts
from usdsim.engine.effects.kinematics.motion import KinematicMotion
from usdsim.engine.effects.limits import Limits
from usdsim.engine.effects.saturation.cpu import SaturatedDrives
from usdsim.engine.effects.sticking.cpu import Sticking
from usdsim.engine.effects.velocity_limits.cpu import VelocityLimits
from usdsim.engine.effects.wrenches.cpu import JointWrenches
from usdsim.engine.fields import Stale
from usdsim.engine.freshness import Freshness
from usdsim.engine.indices import ALL, Rows, checked_worlds
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.versions import Versions

__all__ = ["JointEffects"]


class JointEffects:
    """The part of `CpuEngine` that is about joints."""

    compiled: CompiledModel
    num_envs: int
    versions: Versions
    kinematics: KinematicMotion
    _fresh: Freshness
    _parameters: Parameters
    _wanted: int

    if TYPE_CHECKING:

        def read(self, field: str) -> NDArray[Any]:
            """A field of all worlds; see `Engine.read`."""
            ...

        def state(self, field: str) -> NDArray[Any]:
            """Live writable view of a state field; see `Engine.state`."""
            ...

        def _outdate(self, level: Stale, ids: NDArray[Any] | None) -> None: ...

    def _open_effects(self) -> None:
        """Start with the model's velocity limits, frictions and restitutions."""
        # Where state fields go, by name, as the last of several steps starts from them.
        self._starts: Mapping[str, NDArray[Any]] = {}
        self._sticking = Sticking(self.compiled, self._parameters, self.num_envs)
        self._impacts = Impacts(self.compiled, self.num_envs, self._sticking)
        self._friction = JointFriction(self.compiled, self._parameters, self.versions)
        self._acceleration = StepAcceleration(self.num_envs, self.compiled.mj.nv)
        self._wrenches = JointWrenches(self.compiled, self._parameters, self.versions)
        self._limits = Limits(
            VelocityLimits(self.compiled, self.num_envs),
            BodySpeeds(self.compiled, self.num_envs),
            SaturatedDrives(self.compiled, self._parameters, self.versions),
        )

    def _keep_start(self, rows: Rows, start: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Record the state at the start of the last of several steps of some worlds.

        Args:
            rows: the worlds.
            start: that state, by field, a row for each of them; None: the one they are in.
        """
        if self._acceleration.enabled:
            values = self.state("qvel") if start is None else start["qvel"]
            whole = start is not None or rows is ALL
            self._acceleration.keep(values if whole else values[rows], rows)
        for field, target in self._starts.items():
            target[rows] = self.state(field)[rows] if start is None else start[field]

    @property
    def _kept(self) -> frozenset[str]:
        """State fields that `_keep_start` records."""
        return frozenset({*self._starts, "qvel"} if self._acceleration.enabled else self._starts)

    def _rebound(self, ids: NDArray[np.intp] | None) -> None:
        """Apply restitution impulses after the step that was just made."""
        if self._impacts.active and not self._impacts.held:
            step, contacts = self._parameters.read("opt.timestep"), self.read("ncon")
            batch = self._parameters.batch
            changed = self._impacts.resolve(batch, contacts, ids, step, self.kinematics)
            if len(changed):
                self._fresh.outdate(Stale.MOTION, changed)

    @property
    def _watching(self) -> bool:
        """Whether anything has to be done before or after each step, or the last one."""
        return (
            self._acceleration.enabled
            or self._limits.active
            or self._between_steps
            or bool(self._starts)
        )

    @property
    def _between_steps(self) -> bool:
        """Whether each step has to be looked at before the next one."""
        return (
            self._sticking.active
            or self._friction.active
            or self._impacts.active
            or len(self.compiled.breakable.paths) > 0
        )

    @property
    def velocity_limits(self) -> NDArray[np.float64]:
        """Largest speeds of joints [m/s or rad/s], inf: none, read-only, shape (num_envs, nv)."""
        return self._limits.axes.values

    def set_velocity_limits(
        self,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        dofs: ArrayLike | None = None,
    ) -> None:
        """Set the largest speeds of joints, which act from the next step on.

        Args:
            values: what broadcasts to (worlds, degrees of freedom) [m/s or rad/s], inf for none.
            env_ids: worlds, as indices or a mask; None: all.
            dofs: degrees of freedom, as indices or a mask; None: those of all hinges and slides.

        Raises:
            InvalidValueError: a value is negative or not a number.
            UnsupportedError: a degree of freedom is not that of a hinge or slide.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        self._limits.axes.set(values, worlds, dofs)
        self._limits.update()
        self.versions.parameters += 1

    @property
    def body_speed_limits(self) -> NDArray[np.float64]:
        """Largest speeds of centres of mass [m/s] and rotations [rad/s] of bodies, inf: none.

        Read-only, shape (num_envs, nbody, 2).
        """
        return self._limits.bodies.values

    def set_body_speed_limits(
        self,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        bodies: ArrayLike | None = None,
    ) -> None:
        """Set the largest speeds of free bodies, which act from the next step on.

        Args:
            values: what broadcasts to (worlds, bodies, 2) [m/s, rad/s], inf for none.
            env_ids: worlds, as indices or a mask; None: all.
            bodies: bodies, as indices or a mask; None: all that are free and carry no others.

        Raises:
            InvalidValueError: a value is negative or not a number.
            UnsupportedError: a body is not free, or others hang on it.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        self._limits.bodies.set(values, worlds, bodies)
        self._limits.update()
        self.versions.parameters += 1

    @property
    def joint_friction(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Static and dynamic friction [N or N m], read-only, shape (num_envs, nv) each."""
        return self._friction.values()

    def set_joint_friction(
        self,
        static: ArrayLike | None = None,
        dynamic: ArrayLike | None = None,
        env_ids: ArrayLike | None = None,
        dofs: ArrayLike | None = None,
    ) -> None:
        """Set dry friction of joints; see `friction.JointFriction` for when which one acts.

        Friction that grows with speed is the parameter ``dof_damping``. Writing the parameter
        ``dof_frictionloss`` sets both frictions; reading it tells which one acts.

        Args:
            static: friction of joints at rest [N or N m]; None: as it is.
            dynamic: friction of joints in motion [N or N m]; None: as it is.
            env_ids: worlds, as indices or a mask; None: all.
            dofs: degrees of freedom, as indices or a mask; None: those of all hinges and slides.

        Raises:
            InvalidValueError: a value is negative or not a number, or dynamic friction would
                exceed static friction.
            UnsupportedError: a degree of freedom is not that of a hinge or slide.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        self._friction.set(static, dynamic, worlds, dofs)
        self.versions.parameters += 1
        self._outdate(Stale.FORCES, worlds)

    def track_acceleration(self) -> None:
        """Keep from now on what `acceleration` needs, which costs a copy of velocities per step."""
        self._acceleration.enable()

    def acceleration(self) -> NDArray[np.float64]:
        """Change of velocity per time over the last step [m/s^2 or rad/s^2], (num_envs, nv).

        It is what the motion did, which implicit integration and velocity limits make differ from
        what the forces imply. Worlds written or reset since their last step, and all worlds until
        one step after tracking began, get what the forces at their state imply: ``qacc``. The array
        is read-only and live: the next call after a change fills it anew.
        """
        version = self.versions.forces
        values = self._acceleration.current(version)
        if values is None:
            self.track_acceleration()
            implied = self.read("qacc") if self._acceleration.missing() else None
            step = self._parameters.read("opt.timestep")
            values = self._acceleration.fill(version, self.read("qvel"), step, implied)
        return values

    def joint_wrenches(self, env_ids: ArrayLike | None = None) -> NDArray[np.float64]:
        """Forces and torques that joints transmit to bodies, shape (num_envs, nbody, 6).

        Row b is the force [N] and then the torque [N m] on body b by its parent, through all
        joints or the fixed attachment between them, along world axes and about the origin of b's
        frame. A body that hangs at rest is pulled up by its weight; the parent undergoes the
        opposite. They are those of the current state and inputs, not of the last step. The
        world, body 0, has none. What makes up for gravity on a body acts on it from outside, as
        gravity does; forces of a medium around bodies and of tendons, and muscles between sites,
        count as transmitted by joints.

        Args:
            env_ids: worlds, as indices or a mask; None: all. The array is read-only and, for all
                worlds, live: the next call after a change fills it anew.
        """
        worlds = checked_worlds(env_ids, self.num_envs)
        self._friction.update(worlds)
        return self._wrenches.read(worlds)
