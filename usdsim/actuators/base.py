"""Actuator base class: parameters per joint, and commands turned into efforts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.device import resolve_device
from usdsim.views.copies.device_selection import selected_rows
from usdsim.views.usable import usable, usable_fields
from usdsim.views.values import to_numpy

from .actions import ArticulationActions
from .columns import ModelColumns
from .custom_law import CustomLaw
from .custom_limits import EffortLimits
from .kernels import CUSTOM_LIMITS, DELAYED, DRIVEN, NETWORK
from .limits import JointLimits, one_limit_each, resolve_limits
from .pipeline import NetworkRunner, Pipeline, nothing_put_off
from .values import JointValue, require_least, resolve_joint_parameter

__all__ = ["ActuatorBase", "ActuatorBaseCfg"]

_GAINS = ("stiffness", "damping")
_JOINT = ("armature", "friction", "dynamic_friction", "viscous_friction")


class _ValueColumn:
    """An array of a model's columns that reads as the array and is written by value."""

    def __init__(self, doc: str):
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: ActuatorBase | None, owner: type | None = None) -> Any:
        if model is None:
            return self
        model.settle()
        return getattr(model.columns, self._name)

    def __set__(self, model: ActuatorBase, value: Any) -> None:
        model.settle()
        array = getattr(model.columns, self._name)
        array.assign(
            resolve_joint_parameter(
                value, 0.0, model.joint_names, array.shape[0],
                what=f"{self._name} of {model.title}",
            )
        )  # fmt: skip


class ActuatorBase:
    """A model of the actuators of some joints of an articulation.

    It takes targets of position, velocity and effort, and what the joints do, to what the engine
    shall apply. Parameters come from the configuration, and from the stage where that has None.
    The arrays `stiffness`, `damping`, `effort_limit` and `velocity_limit` may be written at any
    time, in place or by assignment, and act from the next `compute` on.

    A class of your own that defines `compute` is asked for the efforts of its joints in every
    step; `super().compute` is the law of its base. One that defines `_clip_effort` has limits of
    its own, in place of those of its base.

    Args:
        cfg: the configuration, which is not changed.
        joint_names: names of the joints.
        joint_ids: their indices in the articulation, or ``slice(None)`` for all.
        num_envs: number of worlds.
        device: where arrays live.
        stiffness: gain on the stage [N m/rad or N/m].
        damping: gain on the stage [N m s/rad or N s/m].
        armature: inertia on the stage [kg m^2 or kg].
        friction: static friction on the stage [N m or N].
        dynamic_friction: dynamic friction on the stage [N m or N].
        viscous_friction: viscous friction on the stage [N m s/rad or N s/m].
        effort_limit: limit on the stage [N m or N].
        velocity_limit: limit on the stage [rad/s or m/s].
        group: name of the group of actuators, used in messages.

    Attributes:
        cfg: the configuration.
        joint_property_resolution_table: by property, a row per joint whose value was not simply
            configured: name, index, value on the stage, configured value, used value.
        armature: inertia the actuators add [kg m^2 or kg], shape (num_envs, num_joints).
        friction: static friction [N m or N], shape (num_envs, num_joints).
        dynamic_friction: dynamic friction [N m or N], shape (num_envs, num_joints).
        viscous_friction: viscous friction [N m s/rad or N s/m], shape (num_envs, num_joints).
        effort_limit_sim: limit of the engine's joint [N m or N], shape (num_envs, num_joints).
        velocity_limit_sim: limit of the engine's joint [rad/s or m/s], shape
            (num_envs, num_joints).
        joint_limits: limits as resolved at the start.
        columns: the arrays behind it, shared with other models in a collection.
        settle: called before efforts are read and parameters handed out: makes efforts that were
            put off.

    Raises:
        InvalidValueError: a parameter is negative or not numeric, or limits contradict each other.
        UnknownNameError: a pattern matches no joint.
        ShapeError: an array of values has the wrong shape.
    """

    is_implicit_model: ClassVar[bool] = False
    """Whether the engine's drive makes the effort."""
    kind: ClassVar[int] = 0
    """Law of the kernels: bits of `usdsim.actuators.kernels`."""

    stiffness = _ValueColumn(
        "Gain on position errors [N m/rad or N/m], shape (num_envs, num_joints)."
    )
    damping = _ValueColumn(
        "Gain on velocity errors [N m s/rad or N s/m], shape (num_envs, num_joints)."
    )
    effort_limit = _ValueColumn(
        "Limit of the model's effort [N m or N], shape (num_envs, num_joints)."
    )
    velocity_limit = _ValueColumn("Limit of velocity [rad/s or m/s], shape (num_envs, num_joints).")

    def __init__(
        self,
        cfg: ActuatorBaseCfg,
        joint_names: Sequence[str],
        joint_ids: slice | Sequence[int],
        num_envs: int,
        device: str,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        armature: Any = 0.0,
        friction: Any = 0.0,
        dynamic_friction: Any = 0.0,
        viscous_friction: Any = 0.0,
        effort_limit: Any = np.inf,
        velocity_limit: Any = np.inf,
        *,
        group: str = "",
    ):
        self.cfg = cfg
        self._names, self._ids = list(joint_names), joint_ids
        self._device, self._num_envs = resolve_device(device), num_envs
        self.title = f"actuator group {group!r}" if group else type(cfg).__name__
        if not isinstance(joint_ids, slice) and len(joint_ids) != len(self._names):
            raise ShapeError(f"joint_ids of {self.title}", (len(joint_ids),), "one per joint name")
        self.joint_property_resolution_table: dict[str, list[tuple[Any, ...]]] = {}
        values: dict[str, NDArray[Any]] = {}
        on_stage = {
            "stiffness": stiffness, "damping": damping, "armature": armature, "friction": friction,
            "dynamic_friction": dynamic_friction, "viscous_friction": viscous_friction,
        }  # fmt: skip
        for name, default in on_stage.items():
            values[name] = self._resolve(name, getattr(cfg, name), default)
        limits = self.joint_limits = self._limits(effort_limit, velocity_limit)
        if self.is_implicit_model:
            self.cfg = one_limit_each(cfg)
        self._record(
            "effort_limit_sim", cfg.effort_limit_sim, effort_limit, limits.effort_limit_sim
        )
        self._record(
            "velocity_limit_sim", cfg.velocity_limit_sim, velocity_limit, limits.velocity_limit_sim
        )
        for name in _JOINT:
            setattr(self, name, self._array(values.pop(name)))
        self.effort_limit_sim = self._array(limits.effort_limit_sim)
        self.velocity_limit_sim = self._array(limits.velocity_limit_sim)
        values["effort_limit"] = limits.effort_limit
        values["velocity_limit"] = limits.velocity_limit
        self._custom_law = self._find_custom_law()
        own = NETWORK | (CUSTOM_LIMITS if self._has_custom_limits() else 0)
        values["flags"] = np.full(len(self._names), own if self._custom_law else self.kind)
        values.update(self._column_values())
        self.columns = ModelColumns.create(num_envs, len(self._names), self._device, values)
        usable_fields(self.columns)
        self.seed(None)
        self._pipeline: Pipeline | None = None
        self._effort_limits: EffortLimits | None = None
        self._inputs: tuple[Any, ...] = ()
        self._outputs: tuple[Any, ...] = ()
        self.settle: Callable[[], object] = nothing_put_off

    @property
    def computed_effort(self) -> Any:
        """Effort before limits [N m or N], shape (num_envs, num_joints)."""
        self.settle()
        return self.columns.computed

    @computed_effort.setter
    def computed_effort(self, value: Any) -> None:
        self.load("computed_effort", self.columns.computed, value)

    @property
    def applied_effort(self) -> Any:
        """Effort within limits [N m or N], shape (num_envs, num_joints).

        Where the engine makes the effort, what it would be at the state given to `compute`.
        Classes that define `compute` may set both efforts.
        """
        self.settle()
        return self.columns.applied

    @applied_effort.setter
    def applied_effort(self, value: Any) -> None:
        self.load("applied_effort", self.columns.applied, value)

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Inputs `compute` was given last: targets of position, velocity and effort, and the state.

        Five arrays of shape (num_envs, num_joints); zero before the first call.
        """
        self._own_pipeline()
        return self._inputs

    @property
    def num_joints(self) -> int:
        """Number of joints of the group."""
        return len(self._names)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints."""
        return list(self._names)

    @property
    def joint_indices(self) -> slice | Sequence[int]:
        """Indices of the joints in the articulation; ``slice(None)``: all."""
        return self._ids

    @property
    def network(self) -> NetworkRunner | None:
        """Runner that evaluates the model's network; None: it has none."""
        return None

    @property
    def runner(self) -> NetworkRunner | None:
        """Runner that makes the effort where kernels do not: a law of its own, or a network."""
        return self._custom_law or self.network

    def reset(self, env_ids: Any = None) -> None:
        """Forget the past of some worlds, and draw what is random anew.

        Args:
            env_ids: worlds, as indices, a slice, a mask or a `DeviceSelection`; None: all.

        Raises:
            InvalidValueError: a world does not exist.
        """
        rows = selected_rows("env_ids", env_ids, self._num_envs, self._device)
        self._own_pipeline().reset(rows)

    def compute(
        self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any
    ) -> ArticulationActions:
        """Turn commands into what the engine shall do.

        Args:
            control_action: targets of the group's joints, which are not changed.
            joint_pos: positions [rad or m], shape (num_envs, num_joints).
            joint_vel: velocities [rad/s or m/s], shape (num_envs, num_joints).

        Returns:
            The commands for the engine: an effort, or the targets of a drive, in arrays that the
            next call overwrites.

        Raises:
            ShapeError: an array has the wrong shape.
        """
        pipeline = self._own_pipeline()
        positions = control_action.joint_positions
        given = (
            joint_pos if positions is None else positions,
            control_action.joint_velocities,
            control_action.joint_efforts,
            joint_pos,
            joint_vel,
        )
        names = ("joint_positions", "joint_velocities", "joint_efforts", "joint_pos", "joint_vel")
        for name, buffer, value in zip(names, self._inputs, given, strict=True):
            self.load(name, buffer, value)
        pipeline.compute(*self._inputs, *self._outputs)
        if self._has_custom_limits():
            self.applied_effort = self._clip_effort(self.columns.computed)
            wp.copy(self._outputs[2], self.columns.applied)
        return self._result(control_action)

    def _clip_effort(self, effort: Any) -> Any:
        """Effort within the model's limits at the state given to `compute` last; a copy.

        Args:
            effort: shape (num_envs, num_joints) [N m or N].
        """
        if self._effort_limits is None:
            self._effort_limits = EffortLimits(self)
        return self._effort_limits.applied(effort)

    def _has_custom_limits(self) -> bool:
        return type(self)._clip_effort is not ActuatorBase._clip_effort

    def use_columns(self, columns: ModelColumns) -> None:
        """Work on other arrays, which hold the same values."""
        usable_fields(columns)
        self.columns = columns
        self._pipeline = self._effort_limits = None

    def seed(self, seed: int | None) -> None:
        """Start the random numbers anew; None: other ones in every run."""
        self.columns.reseed(seed)

    def _result(self, action: ArticulationActions) -> ArticulationActions:
        if not self.kind & DRIVEN:
            return ArticulationActions(
                joint_efforts=self._outputs[2], joint_indices=action.joint_indices
            )
        if not self.kind & DELAYED:
            return action
        return ArticulationActions(
            joint_positions=self._outputs[0],
            joint_velocities=self._outputs[1],
            joint_efforts=self._outputs[2],
            joint_indices=action.joint_indices,
        )

    def _own_pipeline(self) -> Pipeline:
        """Runs this model alone, on arrays of the group's joints."""
        if self._pipeline is None:
            network, count = self.network, self.num_joints
            networks = [] if network is None else [(network, 0, count)]
            columns = self.columns
            if self._custom_law:
                kinds = wp.full(count, self.kind, dtype=wp.int32, device=self._device)
                columns = dataclasses.replace(columns, flags=kinds)
            self._pipeline = Pipeline(columns, range(count), networks, self._device)
            shape = (self._num_envs, count)
            buffers = [
                usable(wp.zeros(shape, dtype=wp.float32, device=self._device)) for _ in range(8)
            ]
            self._inputs = tuple(buffers[:5])
            self._outputs = (*buffers[5:], self.columns.computed, self.columns.applied)
        return self._pipeline

    def _find_custom_law(self) -> CustomLaw | None:
        """Runner that asks a class with a law or limits of its own; None: the kernels have both."""
        if type(self).compute is ActuatorBase.compute and not self._has_custom_limits():
            return None
        if self.is_implicit_model:
            raise InvalidValueError(
                f"class of {self.title}", type(self).__name__,
                "a class that leaves compute() to the engine's drive, or one of IdealPDActuator",
            )  # fmt: skip
        return CustomLaw(self, forgets=type(self).reset is not ActuatorBase.reset)

    def load(self, name: str, buffer: Any, value: Any) -> None:
        """Copy commands of the group's joints into an array.

        Args:
            name: of the value, for messages.
            buffer: the array, shape (num_envs, num_joints).
            value: an array of Warp, NumPy or torch, or a number; None: zero.

        Raises:
            ShapeError: the value has another shape.
        """
        if value is None:
            buffer.zero_()
        elif isinstance(value, wp.array) and value.dtype == wp.float32:
            if value.shape != buffer.shape:
                raise ShapeError(f"{name} of {self.title}", value.shape, str(buffer.shape))
            wp.copy(buffer, value)
        else:
            array = resolve_joint_parameter(
                to_numpy(value), 0.0, self._names, self._num_envs, what=f"{name} of {self.title}"
            )
            buffer.assign(array)

    def _limits(self, effort_limit: Any, velocity_limit: Any) -> JointLimits:
        """Limits of the model and of the engine's joints."""
        return resolve_limits(
            self.cfg, self._names, self._num_envs,
            effort_default=effort_limit, velocity_default=velocity_limit,
            implicit=self.is_implicit_model, what=self.title,
        )  # fmt: skip

    def _column_values(self) -> dict[str, NDArray[Any]]:
        """Extra columns of a model, besides gains and limits."""
        return {}

    def _array(self, values: NDArray[np.float32]) -> Any:
        return usable(wp.array(values, dtype=wp.float32, device=self._device))

    def _resolve(self, name: str, configured: JointValue, default: Any) -> NDArray[np.float32]:
        what = f"{name} of {self.title}"
        used = resolve_joint_parameter(configured, default, self._names, self._num_envs, what=what)
        require_least(used, self._names, what)
        self._record(name, configured, default, used)
        return used

    def _record(
        self, name: str, configured: JointValue, default: Any, used: NDArray[np.float32]
    ) -> None:
        """Record where values come from, for joints that keep or change what the stage has."""
        stage = np.broadcast_to(to_numpy(default).astype(np.float32), used.shape)
        if configured is not None and np.array_equal(stage, used):
            return
        nothing = np.full(used.shape, np.nan, dtype=np.float32)
        asked = resolve_joint_parameter(configured, nothing, self._names, self._num_envs)
        ids = range(len(self._names)) if isinstance(self._ids, slice) else self._ids
        self.joint_property_resolution_table[name] = [
            (joint, int(i), float(a), None if b != b else float(b), float(c))
            for joint, i, a, b, c in zip(self._names, ids, stage[0], asked[0], used[0], strict=True)
        ]


@dataclass(kw_only=True)
class ActuatorBaseCfg(Configuration):
    """Configuration of the actuators of some joints.

    Every value is a number for all joints of the group, ``{pattern: number}`` with regular
    expressions over joint names, one number per joint, or None: as on the stage. Joints that no
    pattern matches stay as on the stage too.
    """

    class_type: type[ActuatorBase] = ActuatorBase
    """The model it configures."""
    joint_names_expr: list[str]
    """Regular expressions for the names of the group's joints."""
    effort_limit: JointValue = None
    """Largest effort of the actuator [N m or N]."""
    velocity_limit: JointValue = None
    """Largest velocity of the actuator [rad/s or m/s]."""
    effort_limit_sim: JointValue = None
    """Largest effort the engine lets through [N m or N]."""
    velocity_limit_sim: JointValue = None
    """Largest velocity the engine allows the joint [rad/s or m/s]."""
    stiffness: JointValue = None
    """Gain on position errors [N m/rad or N/m]."""
    damping: JointValue = None
    """Gain on velocity errors [N m s/rad or N s/m]."""
    armature: JointValue = None
    """Inertia the actuator adds to its joint [kg m^2 or kg]."""
    friction: JointValue = None
    """Static friction of the joint [N m or N]."""
    dynamic_friction: JointValue = None
    """Dynamic friction of the joint [N m or N]."""
    viscous_friction: JointValue = None
    """Viscous friction of the joint [N m s/rad or N s/m]."""
    actuator_effort_limit: JointValue = None
    """Another name of `effort_limit`; with it, the joint's limit stays as on the stage."""
    actuator_velocity_limit: JointValue = None
    """Another name of `velocity_limit`."""
    joint_effort_limit: JointValue = None
    """Another name of `effort_limit_sim`."""
    joint_velocity_limit: JointValue = None
    """Another name of `velocity_limit_sim`."""
