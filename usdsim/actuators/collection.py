"""Actuator collection: all models of an articulation, run together over its arrays."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.arguments import choice
from usdsim.core.errors import InvalidValueError, ShapeError, UsdsimError
from usdsim.core.names import match_names
from usdsim.engine.device import resolve_device
from usdsim.views.copies.device_selection import DeviceSelection, selected_rows
from usdsim.views.selection import selected

from .base import ActuatorBase, ActuatorBaseCfg
from .columns import ModelColumns
from .implicit import ImplicitActuator, ImplicitActuatorCfg
from .kernels import DRIVEN
from .pipeline import Pipeline, nothing_put_off
from .values import disjoint, resolve_joint_parameter

__all__ = ["ActuatorCollection", "format_resolution_tables", "group_ids", "group_of_joints"]

logger = logging.getLogger("usdsim")

_ON_STAGE = (
    "stiffness",
    "damping",
    "armature",
    "friction",
    "dynamic_friction",
    "viscous_friction",
    "effort_limit",
    "velocity_limit",
)
_ARRAYS = (
    "pos_target",
    "vel_target",
    "effort_target",
    "joint_pos",
    "joint_vel",
    "pos_cmd_out",
    "vel_cmd_out",
    "effort_cmd_out",
    "computed_out",
    "applied_out",
)


class ActuatorCollection(Mapping[str, ActuatorBase]):
    """Groups of actuators by name, as a read-only mapping, over one articulation.

    Joints of no group are driven as on the stage, by `rest`. The models' arrays become views of
    shared ones, so that all groups are computed together.

    Args:
        groups: models by group name.
        joint_names: all joints of the articulation.
        num_envs: number of worlds.
        device: where arrays live.
        on_stage: parameters on the stage by name (``stiffness``, ``damping``, ``armature``,
            ``friction``, ``dynamic_friction``, ``viscous_friction``, ``effort_limit``,
            ``velocity_limit``) for joints of no group, each a number, (num_joints,) or
            (num_envs, num_joints).
        seed: of everything random; None: different in every run.

    Raises:
        InvalidValueError: a joint is in two groups, or an index is no joint of the articulation.
    """

    def __init__(
        self,
        groups: Mapping[str, ActuatorBase],
        joint_names: Sequence[str],
        num_envs: int,
        device: str,
        *,
        on_stage: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ):
        self._device, self._num_envs = resolve_device(device), num_envs
        self._joint_names = tuple(joint_names)
        self._groups = dict(groups)
        self._ids = {name: self._joint_ids(name, model) for name, model in groups.items()}
        taken = group_of_joints(self._ids, self._joint_names)
        left = [i for i in range(len(self._joint_names)) if i not in taken]
        self._rest = self._make_rest(left, on_stage or {})
        parts = [*zip(self._groups.values(), self._ids.values(), strict=True), (self._rest, left)]
        self._parts = [(model, ids) for model, ids in parts if ids]
        joints = [i for _, ids in self._parts for i in ids]
        columns = [model.columns for model, _ in self._parts] or [self._rest.columns]
        self._columns = ModelColumns.join(columns, self._device)
        networks, first = [], 0
        for model, _ in self._parts:
            stop = first + model.num_joints
            model.use_columns(self._columns.view(first, stop))
            if model.runner is not None:
                networks.append((model.runner, first, stop))
            first = stop
        self._pipeline = Pipeline(self._columns, joints, networks, self._device)
        self.settle: Callable[[], object] = nothing_put_off
        self.seed(seed)

    @classmethod
    def from_cfgs(
        cls,
        cfgs: Mapping[str, ActuatorBaseCfg],
        joint_names: Sequence[str],
        num_envs: int,
        device: str,
        *,
        on_stage: Mapping[str, Any] | None = None,
        seed: int | None = None,
    ) -> ActuatorCollection:
        """Create the models of some configurations.

        Args:
            cfgs: configurations by group name, which are not changed.
            joint_names: all joints of the articulation.
            num_envs: number of worlds.
            device: where arrays live.
            on_stage: parameters on the stage by name, each a number, (num_joints,) or
                (num_envs, num_joints).
            seed: of everything random; None: different in every run.

        Raises:
            InvalidValueError: a group has no joint, a joint is in two groups, or a value is not
                allowed.
            UnknownNameError: a pattern of values matches no joint.
        """
        values = _resolved(on_stage or {}, joint_names, num_envs)
        groups = {}
        for name, cfg in cfgs.items():
            ids = group_ids(name, cfg, joint_names)
            chosen: slice | list[int] = slice(None) if len(ids) == len(joint_names) else ids
            own = {key: array[:, ids] for key, array in values.items()}
            names = [joint_names[i] for i in ids]
            groups[name] = cfg.class_type(cfg, names, chosen, num_envs, device, **own, group=name)
        return cls(groups, joint_names, num_envs, device, on_stage=values, seed=seed)

    def __getitem__(self, name: str) -> ActuatorBase:
        return self._groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups)

    def __len__(self) -> int:
        return len(self._groups)

    @property
    def rest(self) -> ActuatorBase:
        """The drives of joints that are in no group."""
        return self._rest

    @property
    def num_joints(self) -> int:
        """Number of joints of the articulation."""
        return len(self._joint_names)

    @property
    def recordable(self) -> bool:
        """Whether kernels alone do all of `compute`, so that a graph can repeat it."""
        networks = [model.runner for model, _ in self._parts]
        return all(network.recordable for network in networks if network is not None)

    @property
    def in_one_kernel(self) -> bool:
        """Whether one kernel does all of `compute`: no network and no law of a user's."""
        return all(model.runner is None for model, _ in self._parts)

    @property
    def implicit(self) -> NDArray[np.bool_]:
        """Whether the engine's drive makes a joint's effort, shape (num_joints,)."""
        out = np.ones(self.num_joints, dtype=bool)
        for name, model in self._groups.items():
            out[self._ids[name]] = model.is_implicit_model
        return out

    @property
    def hands_on(self) -> bool:
        """Whether targets go to the engine's drives as they are, and at once, for all joints."""
        return all(model.kind == DRIVEN and model.runner is None for model in self._groups.values())

    def put_off(self, settle: Callable[[], object]) -> None:
        """Defer the efforts of all models until they are read.

        Args:
            settle: makes them, if they are not there yet.
        """
        self.settle = settle
        for model in (*self._groups.values(), self._rest):
            model.settle = settle

    def joint_ids(self, name: str) -> list[int]:
        """Indices of a group's joints in the articulation.

        Raises:
            KeyError: there is no such group.
        """
        return list(self._ids[name])

    def joint_values(self, name: str) -> NDArray[np.float32]:
        """A parameter of all joints by articulation index, shape (num_envs, num_joints).

        Args:
            name: an array of `ActuatorBase`, such as ``stiffness`` or ``effort_limit_sim``.
        """
        out = np.zeros((self._num_envs, self.num_joints), dtype=np.float32)
        for model, ids in self._parts:
            out[:, ids] = getattr(model, name).numpy()
        return out

    def seed(self, seed: int | None) -> None:
        """Start the random numbers anew: the same seed gives the same delays.

        A world's delays depend on the seed and on how often it was reset, not on other worlds.
        """
        self._columns.reseed(seed)

    def reset(self, env_ids: Any = None) -> None:
        """Forget the past of all models in some worlds, and draw delays anew.

        Args:
            env_ids: worlds, as indices, a slice, a mask or a `DeviceSelection`; None: all.

        Raises:
            InvalidValueError: a world does not exist.
        """
        if self._pipeline.remembers:
            self._pipeline.reset(selected_rows("env_ids", env_ids, self._num_envs, self._device))
        elif not isinstance(env_ids, DeviceSelection):
            selected("env_ids", env_ids, self._num_envs, repeats=True)

    def compute(
        self,
        pos_target: Any,
        vel_target: Any,
        effort_target: Any,
        joint_pos: Any,
        joint_vel: Any,
        pos_cmd_out: Any,
        vel_cmd_out: Any,
        effort_cmd_out: Any,
        computed_out: Any,
        applied_out: Any,
    ) -> None:
        """Turn the targets of all joints into commands for the engine's drives.

        Every argument is a float32 array on the collection's device, shape (num_envs, num_joints),
        in the articulation's order of joints. Launches are recorded for the arrays of the last
        call; the same ones again cost no preparation, wait for nothing on the host, and may be
        captured in a graph (unless torch evaluates a network, or a class defines its own law).

        Args:
            pos_target: position targets [rad or m].
            vel_target: velocity targets [rad/s or m/s].
            effort_target: efforts added to the control law [N m or N].
            joint_pos: joint positions [rad or m].
            joint_vel: joint velocities [rad/s or m/s].
            pos_cmd_out: position commands of the drives [rad or m].
            vel_cmd_out: velocity commands of the drives [rad/s or m/s].
            effort_cmd_out: efforts for the drives to add [N m or N]; of models that make the effort
                themselves, all of it: their drives must have no gains.
            computed_out: efforts before limits [N m or N].
            applied_out: efforts within limits [N m or N].

        Raises:
            ShapeError: an array has the wrong shape.
            InvalidValueError: an array has the wrong type or is elsewhere.
        """
        arrays = (
            pos_target, vel_target, effort_target, joint_pos, joint_vel,
            pos_cmd_out, vel_cmd_out, effort_cmd_out, computed_out, applied_out,
        )  # fmt: skip
        if not self._pipeline.is_bound(arrays):
            self._check(arrays)
        self._pipeline.compute(*arrays)

    def _check(self, arrays: tuple[Any, ...]) -> None:
        shape = (self._num_envs, self.num_joints)
        for name, array in zip(_ARRAYS, arrays, strict=True):
            if not isinstance(array, wp.array) or array.dtype != wp.float32:
                kind = getattr(array, "dtype", type(array).__name__)
                raise InvalidValueError(name, kind, "a Warp array of float32")
            if array.shape != shape:
                raise ShapeError(name, array.shape, f"{shape}: (num_envs, num_joints)")
            if str(array.device.alias) != self._device:
                raise InvalidValueError(name, f"on {array.device.alias}", f"on {self._device}")

    def _joint_ids(self, name: str, model: ActuatorBase) -> list[int]:
        count, ids = self.num_joints, model.joint_indices
        found = list(range(count))[ids] if isinstance(ids, slice) else [int(i) for i in ids]
        if len(found) != model.num_joints or any(not 0 <= i < count for i in found):
            raise InvalidValueError(
                f"joint indices of actuator group {name!r}", ids,
                f"{model.num_joints} of the indices 0 to {count - 1}",
            )  # fmt: skip
        return found

    def _make_rest(self, left: list[int], on_stage: Mapping[str, Any]) -> ActuatorBase:
        whole = _resolved(on_stage, self._joint_names, self._num_envs)
        values: dict[str, Any] = {name: value[:, left] for name, value in whole.items()}
        names = [self._joint_names[i] for i in left]
        cfg = ImplicitActuatorCfg(joint_names_expr=names)
        return ImplicitActuator(cfg, names, left, self._num_envs, self._device, **values)


def group_of_joints(ids: Mapping[str, Sequence[int]], joint_names: Sequence[str]) -> dict[int, str]:
    """Group of each joint that has one, by index.

    Args:
        ids: indices of the joints of each group.
        joint_names: names of all joints.

    Raises:
        InvalidValueError: a joint is in two groups.
    """
    words = "joint", "one group of actuators per joint", "Make the groups disjoint."
    found = disjoint(ids.items(), joint_names, words)
    return {i: name for name, joints in found for i in joints}


def format_resolution_tables(collection: Mapping[str, ActuatorBase]) -> str:
    """Joint parameters of all groups and their sources, as text; also logged at level INFO."""
    lines = []
    header = ("group", "property", "joint", "index", "on stage", "configured", "used")
    rows: list[tuple[str, ...]] = [header]
    for group, model in collection.items():
        for name, table in model.joint_property_resolution_table.items():
            rows += [(group, name, *map(_text, row)) for row in table]
    widths = [max(len(row[i]) for row in rows) for i in range(len(header))]
    for row in rows:
        lines.append("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    text = "\n".join(lines)
    logger.info("Joint parameters of actuators:\n%s", text)
    return text


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _resolved(
    on_stage: Mapping[str, Any], joint_names: Sequence[str], num_envs: int
) -> dict[str, NDArray[Any]]:
    """Parameters on the stage by name, shape (num_envs, num_joints) each."""
    for name in on_stage:
        choice("on_stage", name, _ON_STAGE)
    return {
        name: resolve_joint_parameter(value, 0.0, joint_names, num_envs, what=name)
        for name, value in on_stage.items()
    }


def group_ids(name: str, cfg: ActuatorBaseCfg, joint_names: Sequence[str]) -> list[int]:
    """Indices of the joints of a group.

    Raises:
        InvalidValueError: a pattern matches no joint, or two match one.
    """
    try:
        return match_names(cfg.joint_names_expr, joint_names, kind="joint")[0]
    except UsdsimError as error:
        raise InvalidValueError(
            f"joint_names_expr of actuator group {name!r}", cfg.joint_names_expr,
            "patterns that each match a joint, and no joint twice", str(error),
        ) from error  # fmt: skip
