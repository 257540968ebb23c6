"""Springs of constraints and contacts, as values of an editable world."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from usdsim.core.errors import InvalidValueError, UnsupportedError

from .elements import Field
from .values import Case, Value, Variant

__all__ = [
    "ConstraintForceModel",
    "FrequencyDampingRatio",
    "Impedance",
    "ImpedanceDamping",
    "ImpedanceSpring",
    "Range",
    "SpringDampCoeff",
    "SpringDamper",
    "StiffnessDamping",
    "ends_of",
    "force_model",
    "limits",
    "spring",
]


class Range:
    """Interval with both ends, which stays as it is.

    Args:
        lower: lower end.
        upper: upper end.
    """

    def __init__(self, lower: float = 0.0, upper: float = 0.0):
        self._ends = (float(lower), float(upper))

    def __iter__(self) -> Iterator[float]:
        return iter(self._ends)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and self._ends == other._ends

    def __hash__(self) -> int:
        return hash(self._ends)

    def __repr__(self) -> str:
        return "Range({}, {})".format(*self)


@dataclass
class StiffnessDamping(Value):
    """Spring of a constraint, as accelerations: stiffness [1/s^2] and damping [1/s]."""

    k: float = 2500.0
    """Stiffness [1/s^2]; of springs of joints, [N/m] or [N m/rad]."""
    d: float = 100.0
    """Damping [1/s]; of springs of joints, [N s/m] or [N m s/rad]."""


@dataclass
class Impedance(Value):
    """Impedance of a constraint, MuJoCo's ``solimp``."""

    d0: float = 0.9
    """Impedance at distance 0."""
    dmax: float = 0.95
    """Impedance from `width` on."""
    width: float = 0.001
    """Distance over which it changes [m] or [rad]."""
    middle: float = 0.5
    """Share of `width` at which the curve turns."""
    power: float = 2.0
    """Power of the curve."""


@dataclass
class ImpedanceSpring(Value):
    """Spring of a constraint with its impedance."""

    spring: StiffnessDamping = field(default_factory=StiffnessDamping)
    """Spring, MuJoCo's ``solref``."""
    impedance: Impedance = field(default_factory=Impedance)
    """Impedance, MuJoCo's ``solimp``."""


@dataclass
class ImpedanceDamping(Value):
    """Friction of a joint as a soft constraint."""

    damping: float = 100.0
    """Damping [1/s]."""
    impedance: float = 0.0
    """Impedance at velocity 0."""


@dataclass
class FrequencyDampingRatio(Value):
    """Spring by what it does: natural frequency and damping ratio."""

    w: float = 50.0
    """Natural frequency [rad/s]."""
    z: float = 1.0
    """Damping ratio."""


class SpringDampCoeff(Variant):
    """Spring of a joint, by coefficients or by what it does."""

    stiffness_damping = Case("value", kind=StiffnessDamping)
    frequency_damping_ratio = Case("value", kind=FrequencyDampingRatio)


@dataclass
class SpringDamper(Value):
    """Spring of a joint with where it rests."""

    coeff: SpringDampCoeff = field(
        default_factory=lambda: SpringDampCoeff.frequency_damping_ratio(FrequencyDampingRatio())
    )
    """Stiffness and damping."""
    target_pos: float = 0.0
    """Position at rest [m] or [rad]."""


class ConstraintForceModel(Variant):
    """Law of a constraint. MuJoCo has the springs with an impedance."""

    hard = Case("bounciness", "erp")
    force_spring = Case("value", kind=StiffnessDamping)
    acceleration_spring = Case("value", kind=StiffnessDamping)
    impedance = Case("value", kind=ImpedanceSpring)


def spring_of(reference: Any) -> StiffnessDamping:
    """Spring of MuJoCo's ``solref``: a time constant and a damping ratio, or both negative."""
    first, second = (float(value) for value in reference)
    if first <= 0.0:
        return StiffnessDamping(-first, -second)
    return StiffnessDamping(1.0 / (first * second) ** 2, 2.0 / first)


def reference_of(value: StiffnessDamping) -> list[float]:
    """MuJoCo's ``solref`` of a spring."""
    if value.k > 0.0 and value.d > 0.0:
        return [2.0 / value.d, 0.5 * value.d / math.sqrt(value.k)]
    return [-value.k, -value.d]


def spring(reference: str = "solref", impedance: str = "solimp") -> Any:
    """Field of a spring with its impedance."""

    def read(owner: Any) -> ImpedanceSpring:
        numbers = [float(value) for value in getattr(owner.element, impedance)]
        return ImpedanceSpring(spring_of(getattr(owner.element, reference)), Impedance(*numbers))

    def write(owner: Any, value: ImpedanceSpring) -> None:
        curve = value.impedance
        numbers = [curve.d0, curve.dmax, curve.width, curve.middle, curve.power]
        setattr(owner.element, reference, reference_of(value.spring))
        setattr(owner.element, impedance, numbers)

    return Field(read, write, ImpedanceSpring)


def force_model(reference: str = "solref", impedance: str = "solimp") -> Any:
    """Field of the law of a constraint."""
    whole = spring(reference, impedance)

    def write(owner: Any, value: ConstraintForceModel) -> None:
        if value.variant != "impedance":
            raise UnsupportedError(
                f"{value.variant!r} of {owner!r} is not a law of MuJoCo's constraints: "
                "ConstraintForceModel.impedance(ImpedanceSpring()) is."
            )
        whole.__set__(owner, value.value)

    return Field(
        lambda owner: ConstraintForceModel.impedance(whole.__get__(owner, type(owner))),
        write,
        ConstraintForceModel,
    )


def ends_of(what: str, value: Range | Iterable[float] | None) -> tuple[float, float]:
    """Ends of an interval; None: an endless one.

    Raises:
        InvalidValueError: it is no interval.
    """
    try:
        low, high = (-math.inf, math.inf) if value is None else map(float, value)
    except (TypeError, ValueError):
        low = high = math.nan
    if math.isnan(low) or math.isnan(high):
        raise InvalidValueError(what, value, "a Range or None")
    return low, high


def limits(attribute: str, limited: str, always: bool = False) -> Any:
    """Field of an interval and of whether it holds; None, or an endless one: it does not.

    Args:
        attribute: of the interval.
        limited: of whether it holds.
        always: whether it is a `Range` always.
    """

    def read(owner: Any) -> Range | None:
        low, high = (float(value) for value in getattr(owner.element, attribute))
        said = int(getattr(owner.element, limited))
        if said == 1 or (said == 2 and owner.home.spec.compiler.autolimits and low < high):
            return Range(low, high)
        return Range(-math.inf, math.inf) if always else None

    def write(owner: Any, value: Range | None) -> None:
        ends = ends_of(f"{attribute} of {owner!r}", value)
        holds = all(math.isfinite(end) for end in ends)
        setattr(owner.element, limited, int(holds))
        setattr(owner.element, attribute, ends if holds else (0.0, 0.0))

    return Field(read, write)
