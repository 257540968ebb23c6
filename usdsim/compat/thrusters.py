"""Thrusters by configurations of any kind, with limits brought into range rather than refused."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import warp as wp

from usdsim import actuators
from usdsim.views.usable import usable
from usdsim.views.values import to_numpy

__all__ = ["Thruster", "ThrusterCfg"]

_LEAST_CONSTANT = 1.0e-6
"""Least thrust per squared speed [N s^2]."""


@dataclass(kw_only=True)
class ThrusterCfg(actuators.ThrusterCfg):
    """Rotors that are integrated as Isaac Lab does unless told otherwise."""

    rate_limit: Literal["thrust", "speed"] = "speed"
    """See `usdsim.actuators.ThrusterCfg`."""
    integration_scheme: Literal["exact", "euler", "rk4", "rk4_reversed"] = "rk4"
    """Likewise."""
    use_discrete_approximation: bool | None = True
    """Likewise."""


_OURS = {field.name for field in fields(ThrusterCfg)}
"""Names of the fields of a configuration."""


class Thruster(actuators.Thruster):
    """Rotors of a group; see `usdsim.actuators.Thruster`.

    Args:
        cfg: a configuration, or anything with attributes of its names; others are passed over.
        thruster_names: names of the rotors.
        thruster_ids: their indices in the vehicle, or a slice; others than one for each name are
            passed over.
        num_envs: number of environments.
        device: where arrays live.
        init_thruster_rps: speeds at the start [1/s], shape (num_envs, num_thrusters).
    """

    def __init__(
        self,
        cfg: Any,
        thruster_names: list[str],
        thruster_ids: Any,
        num_envs: int,
        device: str,
        init_thruster_rps: Any,
    ):
        if not isinstance(cfg, actuators.ThrusterCfg):
            known = {name: value for name, value in vars(cfg).items() if name in _OURS}
            constants = [max(k, _LEAST_CONSTANT) for k in known.pop("thrust_const_range")]
            cfg = ThrusterCfg(
                thruster_names_expr=thruster_names,
                thrust_const_range=(constants[0], constants[1]),
                **known,
            )
        ids = thruster_ids if isinstance(thruster_ids, slice) else to_numpy(thruster_ids).tolist()
        if not isinstance(ids, slice) and len(ids) != len(thruster_names):
            ids = slice(None)
        super().__init__(cfg, thruster_names, ids, num_envs, device, init_thruster_rps)
        for value in vars(self).values():
            if type(value) is wp.array:
                usable(value)
