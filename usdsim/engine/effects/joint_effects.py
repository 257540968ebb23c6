"""Joint effects of engines: limits, friction, accelerations and wrenches, as callers see them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.engine.effects.acceleration.cpu import StepAcceleration
from usdsim.engine.effects.friction.cpu import JointFriction
from usdsim.engine.effects.limits import Limits
from usdsim.engine.effects.wrenches.cpu import JointWrenches
from usdsim.engine.fields import Stale
from usdsim.engine.indices import checked_worlds
from usdsim.engine.parameters.cpu import Parameters
from usdsim.engine.part import EnginePart

__all__ = ["JointEffects"]


class JointEffects(EnginePart):
    """The part of engines that is about joints."""

    _acceleration: StepAcceleration
    _friction: JointFriction
    _limits: Limits
    _parameters: Parameters
    _wrenches: JointWrenches

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
        """Set the largest speeds of bodies, which act from the next step on.

        Args:
            values: what broadcasts to (worlds, bodies, 2) [m/s, rad/s], inf for none.
            env_ids: worlds, as indices or a mask; None: all.
            bodies: bodies, as indices or a mask; None: all that joints move.

        Raises:
            InvalidValueError: a value is negative or not a number.
            UnsupportedError: no joint moves a body.
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
        """Start to record what `acceleration` needs, which costs a copy of velocities per step."""
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
