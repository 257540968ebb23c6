"""Thrusters of a multirotor: their groups, commands and thrusts."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, count
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import warp as wp

from usdsim.actuators import MultiRotorActions, Thruster, ThrusterCfg
from usdsim.assets.common.base import Rows
from usdsim.core.errors import InvalidValueError
from usdsim.core.names import match_names, resolve_values
from usdsim.views import AssetLayout, AssetView
from usdsim.views.copies.device_selection import DeviceSelection, selected_rows
from usdsim.views.memory import part_of

from .kernels import copy_thrusts

if TYPE_CHECKING:
    from .cfg import MultirotorCfg

__all__ = ["ThrusterGroups", "thruster_bodies"]

logger = logging.getLogger("usdsim")

_EXCESS = 1e-6
"""Tolerance of rounding of thrusts at the ends of their range."""


class ThrusterGroups:
    """All thrusters of a multirotor, group after group.

    Args:
        view: window of the vehicle on the engine.
        cfg: its configuration.
        dt: time step of the simulation [s].
        title: the vehicle in messages.

    Attributes:
        models: models by name of the group, as a read-only mapping.
        names: names of the thrusters.
        bodies: their positions among the bodies of the vehicle.
        torque_ratios: drag torque per thrust [m], shape (num_thrusters,).
        default_rps: rotor speeds a reset starts from [1/s], shape (num_instances, num_thrusters).
        target: thrusts asked for [N], same shape.
        computed: thrusts before they are limited [N], same shape.
        applied: thrusts [N], same shape.

    Raises:
        UnknownNameError: a pattern for speeds matches no thruster.
        InvalidValueError: a speed or a time step is not allowed.
    """

    def __init__(self, view: AssetView, cfg: MultirotorCfg, dt: float, title: str):
        self._device = view.device
        groups = thruster_bodies(view.layout, cfg)
        self.names = view.layout.thruster_names
        self.bodies = tuple(chain.from_iterable(groups.values()))
        column = count()
        columns = {name: [next(column) for _ in bodies] for name, bodies in groups.items()}
        shape = view.layout.num_instances, len(self.names)
        start = cfg.init_state.rps
        what = f"init_state.rps of {title}"
        rps = resolve_values(start, self.names, kind="thruster", what=what)
        speeds = np.broadcast_to(rps, shape).astype(np.float32)
        self.default_rps = wp.array(speeds, dtype=wp.float32, device=self._device)
        self.target = wp.zeros(shape, dtype=wp.float32, device=self._device)
        self.torque_ratios = np.zeros(shape[1])
        models: dict[str, Thruster] = {}
        for name, ids in columns.items():
            group = cfg.actuators[name]
            self.torque_ratios[ids] = group.torque_to_thrust_ratio
            models[name] = group.class_type(
                _timed(group, dt, f"actuators[{name!r}] of {title}"),
                [self.names[i] for i in ids],
                ids,
                shape[0],
                self._device,
                speeds[:, ids],
            )
            # A reset reads the speeds of the vehicle, which the user may have written.
            models[name].init_thruster_rps = self._columns(self.default_rps, ids)
        self.models: Mapping[str, Thruster] = MappingProxyType(models)
        self._actions = [
            (model, MultiRotorActions(self._columns(self.target, columns[name]), columns[name]))
            for name, model in models.items()
        ]
        self._gather: list[wp.Launch] = []
        self.computed = self._gathered("computed_thrust", columns)
        self.applied = self._gathered("applied_thrust", columns)
        self._restore(DeviceSelection())
        self._report_limits(title, columns)

    def advance(self) -> None:
        """Advance all thrusters by one time step towards the targets."""
        for model, actions in self._actions:
            model.compute(actions)
        for launch in self._gather:
            launch.launch()

    def reset(self, rows: Rows) -> None:
        """Start the rotors of some vehicles anew; None: all."""
        chosen = selected_rows("env_ids", rows, self.target.shape[0], self._device)
        for model in self.models.values():
            model.reset(chosen)
        for launch in self._gather:
            launch.launch()
        self._restore(chosen)

    def _restore(self, vehicles: DeviceSelection) -> None:
        """Ask some vehicles for the thrusts they have."""
        whole = self.target.shape[0], self.target.shape[1]
        wp.launch(
            copy_thrusts,
            dim=vehicles.size(whole),
            inputs=[vehicles.rows, vehicles.row_mask, self.applied],
            outputs=[self.target],
            device=self._device,
        )

    def _columns(self, whole: wp.array, ids: list[int]) -> wp.array:
        """The columns of a group, which are in a row, in the array of the vehicle."""
        if len(ids) == whole.shape[1]:
            return whole
        shape = whole.shape[0], len(ids)
        return part_of(whole, wp.float32, shape, whole.strides, ids[0] * whole.strides[1])

    def _gathered(self, name: str, columns: Mapping[str, list[int]]) -> wp.array:
        """An array of all groups: that of the one group, or one they are copied to."""
        arrays = {group: getattr(model, name) for group, model in self.models.items()}
        if len(arrays) == 1:
            return next(iter(arrays.values()))
        whole = wp.zeros_like(self.target)
        for group, array in arrays.items():
            launch = wp.launch(
                copy_thrusts,
                dim=array.shape,
                inputs=[None, None, array],
                outputs=[self._columns(whole, columns[group])],
                device=self._device,
                record_cmd=True,
            )
            launch.launch()
            self._gather.append(launch)
        return whole

    def _report_limits(self, title: str, columns: Mapping[str, list[int]]) -> None:
        """Warn of rotors that would start beyond their range."""
        thrusts = self.computed.numpy()
        for name, model in self.models.items():
            low, high = model.cfg.thrust_range
            part = thrusts[:, columns[name]]
            outside = (part < low - _EXCESS) | (part > high * (1.0 + _EXCESS) + _EXCESS)
            if outside.any():
                row, column = np.argwhere(outside)[0]
                logger.warning(
                    "init_state.rps of the %s gives %s the thrust %.4g N, outside the range "
                    "%g ... %g N of actuators[%r], which limits it.",
                    title,
                    model.thruster_names[column],
                    part[row, column],
                    low,
                    high,
                    name,
                )


def thruster_bodies(layout: AssetLayout, cfg: MultirotorCfg) -> dict[str, list[int]]:
    """Positions of the thrusters of each group among the bodies, by name of the group.

    Raises:
        UnknownNameError: a pattern matches no body.
        InvalidValueError: a body is in two groups.
    """
    found: dict[str, list[int]] = {}
    for name, group in cfg.actuators.items():
        where = f"{layout.title} for actuators[{name!r}]"
        bodies, names = match_names(
            group.thruster_names_expr, layout.body_names, kind="body", where=where
        )
        taken = set(chain.from_iterable(found.values()))
        twice = sorted(n for body, n in zip(bodies, names, strict=True) if body in taken)
        if twice:
            raise InvalidValueError(
                f"actuators[{name!r}].thruster_names_expr of {layout.title}",
                group.thruster_names_expr,
                "patterns that match no thruster of another group",
                f"It matches {', '.join(twice)}, which another group has already.",
            )
        found[name] = bodies
    return found


def _timed(group: ThrusterCfg, dt: float, where: str) -> ThrusterCfg:
    """A configuration with the time step of the simulation, unless it has its own."""
    if group.dt is None:
        return replace(group, dt=dt)
    if abs(group.dt - dt) > 1e-6 * dt:
        logger.warning(
            "%s has the time step %g s, and the simulation %g s. Call write_data_to_sim once in "
            "each of the former, or leave `dt` out.",
            where,
            group.dt,
            dt,
        )
    return group
