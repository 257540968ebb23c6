"""Thruster configuration: from commands of a group of rotors to thrust."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from usdsim.core.arguments import choice, interval, number
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError

from .thruster import Thruster

__all__ = ["ThrusterCfg"]

# Largest time step, in time constants, at which the error still shrinks; None: at any.
_STABLE = {"exact": None, "euler": 2.0, "rk4": 2.785, "rk4_reversed": None}
# Schemes that need a time constant above zero, unless the step is added to it.
_DIVIDING = ("euler", "rk4", "rk4_reversed")


@dataclass(kw_only=True)
class ThrusterCfg(Configuration):
    """A group of rotors whose speed follows the command like a first-order lag.

    Thrust is T = k w |w| at the rotor speed w [1/s], and the speed goes towards that of the
    commanded thrust: dw/dt = (w* - w) / tau, with one time constant for speeding up and one for
    slowing down. Ranges are drawn from, uniformly, per environment and rotor at every reset.
    """

    class_type: type[Thruster] = Thruster
    """Class of the model."""
    thruster_names_expr: str | Sequence[str]
    """Patterns (full match) of the names of the rotor bodies."""
    thrust_range: tuple[float, float]
    """Least and largest thrust [N]. Below zero: the rotor can turn backwards."""
    dt: float | None = None
    """Time between calls of `Thruster.compute` [s]; None: the time step of the simulation, which
    the vehicle fills in."""
    tau_inc_range: tuple[float, float] | None = None
    """Time constant of speeding up [s]."""
    tau_dec_range: tuple[float, float] | None = None
    """Time constant of slowing down [s]."""
    rise_time_constant: float | None = None
    """Time constant of speeding up where it is the same for all [s]; instead of `tau_inc_range`."""
    fall_time_constant: float | None = None
    """Time constant of slowing down where it is the same for all [s]; instead of
    `tau_dec_range`."""
    thrust_const_range: tuple[float, float] = (2.3e-4, 2.3e-4)
    """Thrust per squared speed, k [N s^2]. The default is that of an 8 inch propeller: at 103 1/s
    four of them carry 1 kg."""
    torque_to_thrust_ratio: float = 0.013
    """Drag torque about the rotor axis per thrust [m]."""
    max_thrust_rate: float = 1.0e5
    """Largest change of thrust [N/s], averaged over a time step; of the speed [1/s^2] with
    ``rate_limit="speed"``."""
    rate_limit: Literal["thrust", "speed"] = "thrust"
    """Quantity that `max_thrust_rate` limits."""
    integration_scheme: Literal["exact", "euler", "rk4", "rk4_reversed"] = "exact"
    """Integration of the lag: ``exact`` at any time step, Euler, or Runge-Kutta of fourth order.
    ``rk4_reversed`` evaluates the Runge-Kutta stages on the wrong side of the current speed and so
    answers too fast; with ``use_discrete_approximation=True`` and ``rate_limit="speed"`` it repeats
    results of simulators that integrate this way."""
    use_discrete_approximation: bool | None = None
    """Whether the rate is divided by tau + dt instead of tau. It makes Euler implicit, hence stable
    at any time step, and Runge-Kutta less accurate. None: for Euler only. Without effect on
    ``exact``."""
    seed: int = 0
    """Seed of the draws. Each rotor of each environment has its own sequence, whatever the groups
    and whichever environments are reset."""

    @property
    def discrete(self) -> bool:
        """`use_discrete_approximation`, decided."""
        if self.use_discrete_approximation is None:
            return self.integration_scheme == "euler"
        return self.use_discrete_approximation

    @property
    def time_constants(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Ranges of the time constants of speeding up and of slowing down [s].

        Raises:
            InvalidValueError: one is given twice, or not at all.
        """
        return (
            _one_of("tau_inc_range", self.tau_inc_range, "rise_time_constant", self),
            _one_of("tau_dec_range", self.tau_dec_range, "fall_time_constant", self),
        )

    def validate(self) -> None:
        """Check all values.

        Raises:
            InvalidValueError: a value is not allowed, or the scheme diverges at this time step.
        """
        for name, allowed in (
            ("integration_scheme", tuple(_STABLE)),
            ("rate_limit", ("thrust", "speed")),
        ):
            choice(f"ThrusterCfg.{name}", getattr(self, name), allowed)
        if self.dt is None:
            raise InvalidValueError(
                "ThrusterCfg.dt", None, "a time step above 0 [s]", "A vehicle fills it in."
            )
        number("ThrusterCfg.dt", self.dt, unit="s")
        if self.max_thrust_rate != math.inf:
            number("ThrusterCfg.max_thrust_rate", self.max_thrust_rate)
        number("ThrusterCfg.torque_to_thrust_ratio", self.torque_to_thrust_ratio, above=False)
        interval("ThrusterCfg.thrust_range", self.thrust_range)
        interval("ThrusterCfg.thrust_const_range", self.thrust_const_range, 0.0, above=True)
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise InvalidValueError("ThrusterCfg.seed", self.seed, "an integer")
        shortest = math.inf
        for name, limits in zip(
            ("tau_inc_range", "tau_dec_range"), self.time_constants, strict=True
        ):
            dividing = self.integration_scheme in _DIVIDING and not self.discrete
            least, _ = interval(f"ThrusterCfg.{name}", limits, 0.0, above=dividing)
            shortest = min(shortest, least)
        self._require_stable(self.dt, shortest)

    def _require_stable(self, dt: float, tau: float) -> None:
        limit = _STABLE[self.integration_scheme]
        if limit is not None and not self.discrete and dt > limit * tau:
            raise InvalidValueError(
                "ThrusterCfg.dt",
                dt,
                f"at most {limit:g} times the shortest time constant, {limit * tau:g} s, for the "
                f"scheme {self.integration_scheme!r}",
                "The scheme diverges there: use 'exact', or a shorter time step.",
            )


def _one_of(
    name: str, limits: tuple[float, float] | None, single: str, cfg: ThrusterCfg
) -> tuple[float, float]:
    value = getattr(cfg, single)
    if (limits is None) == (value is None):
        raise InvalidValueError(
            f"ThrusterCfg.{name}",
            limits,
            f"a pair of times [s], or None with {single} given",
            f"{single} is {value!r}: give one of the two.",
        )
    return (value, value) if limits is None else limits
