"""Effort and velocity limits: the motor's, the joint's, or both."""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError

from .values import JointValue, require_least, resolve_joint_parameter

__all__ = ["UNLIMITED_EFFORT", "JointLimits", "one_limit_each", "resolve_limits"]

logger = logging.getLogger("usdsim")

UNLIMITED_EFFORT = 1.0e9
"""Effort limit of the engine's joint where only the motor's shall act [N m or N]."""

Values = NDArray[np.float32]

_SPELLINGS = {
    "effort_limit": "actuator_effort_limit",
    "velocity_limit": "actuator_velocity_limit",
    "effort_limit_sim": "joint_effort_limit",
    "velocity_limit_sim": "joint_velocity_limit",
}


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Limits of some joints, each of shape (num_envs, num_joints)."""

    effort_limit: Values
    """Effort limit of the actuator model [N m or N]."""
    effort_limit_sim: Values
    """Effort limit of the engine's joint [N m or N]."""
    velocity_limit: Values
    """Velocity limit of the actuator model [rad/s or m/s]."""
    velocity_limit_sim: Values
    """Velocity limit of the engine's joint [rad/s or m/s]."""


@dataclass(frozen=True)
class _LimitReader:
    """Reads limits of a configuration under both of their names."""

    cfg: Any
    joint_names: Sequence[str]
    num_envs: int
    what: str

    def value(self, name: str) -> JointValue:
        """Limit that is configured under either name."""
        first, second = getattr(self.cfg, name), getattr(self.cfg, _SPELLINGS[name])
        if first is None or second is None:
            return second if first is None else first
        self.require_equal(name, first, _SPELLINGS[name], second)
        warnings.warn(
            f"{self.what}: {name} and {_SPELLINGS[name]} are the same limit; set one of them.",
            stacklevel=2,
        )
        return first

    def resolve(self, value: JointValue, default: Any, name: str) -> Values:
        """Numbers per world and joint."""
        out = resolve_joint_parameter(
            value, default, self.joint_names, self.num_envs, what=f"{name} of {self.what}"
        )
        require_least(out, self.joint_names, f"{self.what}: {name}")
        return out

    def require_equal(self, name: str, a: JointValue, other: str, b: JointValue) -> None:
        """Refuse two different values for one limit."""
        first, second = self.resolve(a, np.inf, name), self.resolve(b, np.inf, other)
        differ = (first != second).any(axis=0)
        if differ.any():
            joints = [self.joint_names[i] for i in np.flatnonzero(differ).tolist()]
            raise InvalidValueError(
                f"{self.what}: {name} of joints {joints}", first[0, differ].tolist(),
                f"the same as {other}, which is {second[0, differ].tolist()}",
                "They are one limit here; set one of them.",
            )  # fmt: skip


def resolve_limits(
    cfg: Any,
    joint_names: Sequence[str],
    num_envs: int,
    *,
    effort_default: Any,
    velocity_default: Any,
    implicit: bool,
    what: str,
) -> JointLimits:
    """The limits a configuration amounts to.

    Where the engine makes the effort, the actuator's limits are the joint's: ``effort_limit`` and
    ``effort_limit_sim`` are one value, and ``velocity_limit`` without ``velocity_limit_sim`` has no
    effect. Other models clamp to ``effort_limit`` themselves, and the joint's limit is out of the
    way unless ``effort_limit_sim`` is given; with the names ``actuator_effort_limit`` and
    ``joint_effort_limit`` it stays as on the stage.

    Args:
        cfg: the configuration, which is not changed.
        joint_names: the joints.
        num_envs: number of worlds.
        effort_default: effort limits on the stage [N m or N].
        velocity_default: velocity limits on the stage [rad/s or m/s].
        implicit: whether the engine's drive makes the effort.
        what: what messages call the group.

    Raises:
        InvalidValueError: two values for one limit differ, or a limit is negative.
        UnknownNameError: a pattern matches no joint.
        ShapeError: an array of values has the wrong shape.
    """
    reader = _LimitReader(cfg, joint_names, num_envs, what)
    effort, velocity = reader.value("effort_limit"), reader.value("velocity_limit")
    effort_sim, velocity_sim = reader.value("effort_limit_sim"), reader.value("velocity_limit_sim")
    if implicit:
        effort_sim = _one(reader, "effort_limit", effort, effort_sim)
        if velocity is not None and velocity_sim is None:
            logger.warning(
                "%s: velocity_limit has no effect on a drive of the engine; to limit the joint's "
                "velocity set velocity_limit_sim.",
                what,
            )
        elif velocity is not None:
            reader.require_equal("velocity_limit", velocity, "velocity_limit_sim", velocity_sim)
        effort, velocity = effort_sim, velocity_sim
        sim_default = effort_default
    else:
        # The second set of names comes with its own rule for the limit nobody configured.
        renamed = cfg.actuator_effort_limit is not None
        sim_default = effort_default if renamed else UNLIMITED_EFFORT
    velocities = reader.resolve(velocity_sim, velocity_default, "velocity_limit_sim")
    return JointLimits(
        reader.resolve(effort, effort_default, "effort_limit"),
        reader.resolve(effort_sim, sim_default, "effort_limit_sim"),
        reader.resolve(velocity, velocities, "velocity_limit"),
        velocities,
    )


def _one(reader: _LimitReader, name: str, motor: JointValue, joint: JointValue) -> JointValue:
    """The one limit of an implicit model."""
    if motor is not None and joint is not None:
        reader.require_equal(name, motor, f"{name}_sim", joint)
    return motor if joint is None else joint


def one_limit_each(cfg: Any) -> Any:
    """A copy of a drive's configuration that states its limits under both names.

    A velocity limit of the model alone, which has no effect on a drive, is none in it.

    Args:
        cfg: the configuration, which is not changed.
    """
    stated = copy.copy(cfg)
    effort = cfg.effort_limit if cfg.effort_limit is not None else cfg.effort_limit_sim
    stated.effort_limit = stated.effort_limit_sim = effort
    stated.velocity_limit = cfg.velocity_limit_sim
    return stated
