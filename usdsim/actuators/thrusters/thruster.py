"""Thrusters: rotors from commanded to actual thrust."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine import device as devices
from usdsim.views.copies.device_selection import (
    DeviceSelection,
    device_array,
    device_instances,
    selected_rows,
)
from usdsim.views.selection import Indices, Mask, selected_either
from usdsim.views.values import Values, broadcast, to_numpy

from .actions import MultiRotorActions
from .kernels import EULER, EXACT, RK4, RK4_REVERSED, advance_thrusters, reset_thrusters

if TYPE_CHECKING:
    from .cfg import ThrusterCfg

__all__ = ["Thruster"]

_SCHEMES = {"exact": EXACT, "euler": EULER, "rk4": RK4, "rk4_reversed": RK4_REVERSED}
# Stands for no limit; finite, because it is multiplied by time constants that may be zero.
_UNLIMITED = 1.0e30
_TARGET = 11  # place of the targets among the arguments of the kernel


class Thruster:
    """A group of rotors of one kind, in every environment.

    Args:
        cfg: the model; it is copied.
        thruster_names: names of the rotors.
        thruster_ids: their indices in the vehicle; ``slice(None)``: all.
        num_envs: number of environments.
        device: where the arrays live, such as ``cpu``.
        init_thruster_rps: rotor speeds at the start and after a reset [1/s], what broadcasts to
            (num_envs, num_thrusters).

    Raises:
        InvalidValueError: a value of the configuration or a speed is not allowed.
        ShapeError: names, indices and speeds do not fit each other.
    """

    cfg: ThrusterCfg
    """The configuration."""
    tau_inc_s: wp.array
    """Time constants of speeding up [s], shape (num_envs, num_thrusters)."""
    tau_dec_s: wp.array
    """Time constants of slowing down [s], shape (num_envs, num_thrusters)."""
    thrust_const: wp.array
    """Thrust per squared speed [N s^2], shape (num_envs, num_thrusters)."""
    init_thruster_rps: wp.array
    """Rotor speeds a reset starts from [1/s], shape (num_envs, num_thrusters)."""
    curr_thrust: wp.array
    """Thrust now, the state of the model [N], shape (num_envs, num_thrusters)."""
    rps: wp.array
    """Rotor speed now [1/s], shape (num_envs, num_thrusters)."""
    computed_thrust: wp.array
    """Thrust before it is limited to the range [N], shape (num_envs, num_thrusters)."""
    applied_thrust: wp.array
    """Thrust along the rotor axis [N], shape (num_envs, num_thrusters)."""
    applied_torque: wp.array
    """Size of the drag torque about the rotor axis [N m], shape (num_envs, num_thrusters). It acts
    on the vehicle against the rotor's direction of turning."""

    def __init__(
        self,
        cfg: ThrusterCfg,
        thruster_names: Sequence[str],
        thruster_ids: slice | Sequence[int] | Any,
        num_envs: int,
        device: str,
        init_thruster_rps: Values,
    ):
        cfg.validate()
        if num_envs < 1:
            raise InvalidValueError("num_envs", num_envs, "1 or more")
        self.cfg = copy.deepcopy(cfg)
        self._names = list(thruster_names)
        self._indices = thruster_ids
        streams = _as_list(thruster_ids, len(self._names))
        self._device = devices.resolve_device(device)
        self.num_envs = int(num_envs)
        shape = (self.num_envs, len(self._names))
        speeds = broadcast("init_thruster_rps", init_thruster_rps, shape)
        if cfg.thrust_range[0] >= 0.0 and (speeds < 0.0).any():
            raise InvalidValueError(
                "init_thruster_rps",
                float(speeds.min()),
                "0 or more, as the thrust range has no negative thrust",
            )
        with wp.ScopedDevice(self._device):
            self.init_thruster_rps = wp.array(speeds, dtype=wp.float32)
            self._streams = wp.array(streams, dtype=wp.int32)
            self._draws = wp.zeros(shape, dtype=wp.int32)
            self._target = wp.zeros(shape, dtype=wp.float32)
            for name in _ARRAYS:
                setattr(self, name, wp.zeros(shape, dtype=wp.float32))
        self._bound = self._target
        self._advance = self._record()
        self.reset()

    @property
    def num_thrusters(self) -> int:
        """Number of rotors of the group in one environment."""
        return len(self._names)

    @property
    def thruster_names(self) -> list[str]:
        """Names of the rotors."""
        return list(self._names)

    @property
    def thruster_indices(self) -> slice | Sequence[int] | Any:
        """Indices of the rotors in the vehicle, as they were given."""
        return self._indices

    @property
    def device(self) -> str:
        """Device of the arrays."""
        return self._device

    def compute(self, control_action: MultiRotorActions) -> MultiRotorActions:
        """Advance the rotors by one time step towards the commanded thrusts.

        Commands beyond the thrust range count as its ends. NaN is passed on, not hidden.

        Args:
            control_action: the commands [N]; left as it is. A float32 Warp array of the shape
                (num_envs, num_thrusters) on the device is read in place.

        Returns:
            The thrusts to apply [N]: `applied_thrust` itself, for the same rotors.

        Raises:
            InvalidValueError: there are no thrusts, or no numbers.
            ShapeError: they do not broadcast to (num_envs, num_thrusters).
        """
        self._bind(control_action.thrusts)
        self._advance.launch()
        return MultiRotorActions(self.applied_thrust, control_action.thruster_indices)

    def reset(self, env_ids: Indices | DeviceSelection = None, env_mask: Mask = None) -> None:
        """Draw the parameters of some environments anew and start their rotors.

        Thrust becomes that of the initial speeds: k w |w|. Other environments keep all they have.

        Args:
            env_ids: environments, as indices or a selection of rows; None: all.
            env_mask: environments instead of `env_ids`, shape (num_envs,). A Warp array of booleans
                on the device is used without looking at it on the host.

        Raises:
            InvalidValueError: an environment does not exist, or both arguments are given.
            ShapeError: the mask has the wrong length.
        """
        if env_ids is not None and env_mask is not None:
            raise InvalidValueError("env_mask", env_mask, "None where env_ids are given")
        count, device = self.num_envs, self._device
        chosen = env_ids if isinstance(env_ids, DeviceSelection) else None
        if env_mask is not None:
            chosen = device_instances(None, env_mask, count, device)
        if chosen is None:
            rows = selected_either("env", env_ids, env_mask, count)
            chosen = selected_rows("env_ids", rows, count, device)
        self._launch_reset(chosen)

    def reset_idx(self, env_ids: Indices = None) -> None:
        """Same as `reset` of some environments.

        Args:
            env_ids: environments; None: all.
        """
        self.reset(env_ids)

    def _bind(self, thrusts: Values | None) -> None:
        """Bind the commands that a step reads from, copied only if a kernel cannot read them."""
        if thrusts is None:
            raise InvalidValueError(
                "control_action.thrusts", None, f"thrusts [N] of {self.num_thrusters} rotors"
            )
        shape = (self.num_envs, self.num_thrusters)
        source = device_array(thrusts, wp.float32, self._device)
        if source is None or source.shape != shape:
            values = broadcast("control_action.thrusts", to_numpy(thrusts), shape)
            source = self._target
            source.assign(values.astype(np.float32))
        if source is not self._bound:
            self._advance.set_param_at_index(_TARGET, source)
            self._bound = source

    def _record(self) -> wp.Launch:
        cfg = self.cfg
        limits = {"thrust": _UNLIMITED, "speed": _UNLIMITED}
        limits[cfg.rate_limit] = min(cfg.max_thrust_rate, _UNLIMITED)
        return wp.launch(
            advance_thrusters,
            dim=(self.num_envs, self.num_thrusters),
            inputs=[
                _SCHEMES[cfg.integration_scheme],
                cfg.discrete,
                cfg.dt,
                *cfg.thrust_range,
                limits["thrust"],
                limits["speed"],
                cfg.torque_to_thrust_ratio,
                self.tau_inc_s,
                self.tau_dec_s,
                self.thrust_const,
                self._target,
            ],
            outputs=[getattr(self, name) for name in _OUTPUTS],
            device=self._device,
            record_cmd=True,
        )

    def _launch_reset(self, chosen: DeviceSelection) -> None:
        cfg = self.cfg
        wp.launch(
            reset_thrusters,
            dim=chosen.size((self.num_envs, self.num_thrusters)),
            inputs=[
                cfg.seed % 2**31,
                *cfg.thrust_range,
                cfg.torque_to_thrust_ratio,
                *(wp.vec2(*limits) for limits in (*cfg.time_constants, cfg.thrust_const_range)),
                self._streams,
                self.init_thruster_rps,
                chosen.rows,
                chosen.row_mask,
            ],
            outputs=[self._draws, *(getattr(self, name) for name in _ARRAYS)],
            device=self._device,
        )


_OUTPUTS = ("curr_thrust", "rps", "computed_thrust", "applied_thrust", "applied_torque")
_ARRAYS = ("tau_inc_s", "tau_dec_s", "thrust_const", *_OUTPUTS)


def _as_list(ids: slice | Sequence[int] | Any, count: int) -> list[int]:
    """Indices of the rotors in the vehicle, one per name."""
    if count == 0:
        raise InvalidValueError("thruster_names", [], "one or more names")
    if isinstance(ids, slice):
        chosen: Any = range(count) if ids == slice(None) else range(sys.maxsize)[ids]
    else:
        chosen = to_numpy(ids)
        good = chosen.dtype.kind in "iu" and (chosen >= 0).all()
        if not good or len(np.unique(chosen)) != chosen.size:
            raise InvalidValueError("thruster_ids", ids, "a slice, or different indices from 0")
    if np.ndim(chosen) != 1 or len(chosen) != count:
        raise ShapeError("thruster_ids", (len(chosen),), f"({count},), one per thruster name")
    return [int(i) for i in chosen]
