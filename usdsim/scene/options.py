"""Simulation options that may change at run time."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.errors import InvalidValueError
from usdsim.engine import CpuEngine

from .arrays import FloatArray, frozen, numbers, require_finite

__all__ = ["Options"]

_DISABLE = mujoco.mjtDisableBit


class Options:
    """Options of a model. A change acts on every data of the model from its next step on.

    Args:
        model: the compiled model, which keeps the values.
    """

    __slots__ = ("_changes", "_opt", "version")

    def __init__(self, model: mujoco.MjModel):
        self._opt = model.opt
        self._changes: list[str] = []
        # Grows with every change; data compare it before each step.
        self.version = 0

    @property
    def timestep(self) -> float:
        """Simulated time per step, above 0 [s]."""
        return float(self._opt.timestep)

    @timestep.setter
    def timestep(self, value: float) -> None:
        self._set("timestep", _positive("timestep", value))

    @property
    def max_iterations(self) -> int:
        """Iterations of the constraint solver at most, above 0."""
        return int(self._opt.iterations)

    @max_iterations.setter
    def max_iterations(self, value: int) -> None:
        if int(value) != value:
            raise InvalidValueError("max_iterations", value, "an integer above 0")
        self._set("iterations", int(_positive("max_iterations", value)))

    @property
    def solver_tolerance(self) -> float:
        """Improvement below which the constraint solver stops, above 0."""
        return float(self._opt.tolerance)

    @solver_tolerance.setter
    def solver_tolerance(self, value: float) -> None:
        self._set("tolerance", _positive("solver_tolerance", value))

    @property
    def gravity(self) -> FloatArray:
        """Gravity in world [m/s^2], read-only (assign a new one), shape (3,)."""
        return frozen(self._opt.gravity.astype(np.float32))

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        array = numbers(value, (), (3,), "gravity")
        require_finite(array, (3,), "gravity")
        self._set("gravity", array)

    @property
    def disable_gravity(self) -> bool:
        """Whether gravity is switched off."""
        return bool(self._opt.disableflags & _DISABLE.mjDSBL_GRAVITY)

    @disable_gravity.setter
    def disable_gravity(self, value: bool) -> None:
        self._flag(int(_DISABLE.mjDSBL_GRAVITY), value)

    @property
    def disable_contacts(self) -> bool:
        """Whether contacts are switched off."""
        return bool(self._opt.disableflags & _DISABLE.mjDSBL_CONTACT)

    @disable_contacts.setter
    def disable_contacts(self, value: bool) -> None:
        self._flag(int(_DISABLE.mjDSBL_CONTACT), value)

    # For data ------------------------------------------------------------------------------------

    def apply(self, engine: CpuEngine, since: int) -> int:
        """Bring what changed after version `since` to an engine; returns the version reached."""
        for field in dict.fromkeys(self._changes[since:]):
            engine.set_param(f"opt.{field}", np.asarray(getattr(self._opt, field)))
        return self.version

    def _set(self, field: str, value: Any) -> None:
        if np.array_equal(getattr(self._opt, field), value):
            return
        setattr(self._opt, field, value)
        self._changes.append(field)
        self.version += 1

    def _flag(self, bit: int, value: bool) -> None:
        flags = int(self._opt.disableflags)
        self._set("disableflags", flags | bit if value else flags & ~bit)


def _positive(what: str, value: float) -> float:
    if not isinstance(value, int | float | np.number) or not 0 < value < np.inf:
        raise InvalidValueError(what, value, "a finite number above 0")
    return value
