"""Simulation options that may change at run time."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.arguments import choice, number, truth, whole
from usdsim.engine import Engine

from .arrays import FloatArray
from .checks import finite_numbers

__all__ = ["Options"]

_DISABLE = mujoco.mjtDisableBit

_ENOUGH = {"iterations": 100, "ls_iterations": 50}
"""Iterations that let Newton's method converge, those of MuJoCo where nothing is said."""


def _number(name: str, doc: str, *, field: str = "", above: bool = True) -> Any:
    """An option that is a number, above 0 or at least 0; `field` is the engine's name for it."""
    field = field or name

    def read(options: Options) -> float:
        return float(getattr(options.engine_options, field))

    def write(options: Options, value: float) -> None:
        options.set_option(field, number(name, value, above=above))

    return property(read, write, doc=doc)


def _count(name: str, doc: str, *, field: str, least: int) -> Any:
    """An option that is a whole number; `field` is the engine's name for it."""

    def read(options: Options) -> int:
        return int(getattr(options.engine_options, field))

    def write(options: Options, value: int) -> None:
        options.set_option(field, whole(name, value, least))

    return property(read, write, doc=doc)


def _vector(field: str, doc: str) -> Any:
    """An option that is a vector of three finite numbers."""

    def read(options: Options) -> FloatArray:
        return np.asarray(getattr(options.engine_options, field)).astype(np.float32)

    def write(options: Options, value: ArrayLike) -> None:
        options.set_option(field, finite_numbers(value, (), (3,), field))

    return property(read, write, doc=doc)


def _choice(field: str, kind: Any, doc: str) -> Any:
    """An option that is one of the words of an engine's enumeration."""
    words = {name.partition("_")[2].lower(): int(value) for name, value in kind.__members__.items()}

    def read(options: Options) -> str:
        value = int(getattr(options.engine_options, field))
        return next(word for word, number in words.items() if number == value)

    def write(options: Options, value: str) -> None:
        options.set_option(field, words[choice(field, value, words)])

    return property(read, write, doc=f"{doc} One of {', '.join(map(repr, words))}.")


def _flag(name: str, bit: Any, doc: str) -> Any:
    """An option that switches something off."""

    def read(options: Options) -> bool:
        return bool(options.engine_options.disableflags & bit)

    def write(options: Options, value: bool) -> None:
        flags = int(options.engine_options.disableflags)
        on = truth(name, value)
        options.set_option("disableflags", flags | int(bit) if on else flags & ~int(bit))

    return property(read, write, doc=doc)


class Options:
    """Options of a model. A change acts on every data of the model at once.

    Assigning what is not allowed raises an `InvalidValueError` and changes nothing.

    Args:
        model: the compiled model, which keeps the values.
    """

    __slots__ = ("_changes", "_opt", "_told", "version")

    def __init__(self, model: mujoco.MjModel):
        self._opt = model.opt
        self._changes: list[str] = []
        # Iterations that were asked for, where the solver does more.
        self._told: int | None = None
        # Grows with every change; data compare it before each step.
        self.version = 0

    def __repr__(self) -> str:
        names = [name for name, value in vars(type(self)).items() if getattr(value, "fset", None)]
        return f"Options({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    # What happens --------------------------------------------------------------------------------

    timestep = _number("timestep", "Simulated time per step, above 0 [s].")
    gravity = _vector("gravity", "Gravity in world [m/s^2], read-only (assign a new one), (3,).")
    wind = _vector("wind", "Velocity of the medium in world [m/s], read-only, shape (3,).")
    density = _number("density", "Density of the medium, 0 or more [kg/m^3].", above=False)
    viscosity = _number("viscosity", "Viscosity of the medium, 0 or more [Pa s].", above=False)
    magnetic = _vector("magnetic", "Magnetic flux that magnetometers measure, read-only, (3,).")

    # How it is computed --------------------------------------------------------------------------

    integrator = _choice("integrator", mujoco.mjtIntegrator, "How motion is integrated.")
    solver = _choice("solver", mujoco.mjtSolver, "Algorithm of the constraint solver.")
    cone = _choice("cone", mujoco.mjtCone, "Shape of friction cones.")

    @property
    def max_iterations(self) -> int:
        """Iterations of the constraint solver at most, above 0; see `set_solver_iterations`."""
        return int(self._opt.iterations) if self._told is None else self._told

    @max_iterations.setter
    def max_iterations(self, value: int) -> None:
        given = whole("max_iterations", value, 1)
        if self._told is not None:
            self._told, given = given, max(given, _ENOUGH["iterations"])
        self.set_option("iterations", given)

    solver_tolerance = _number(
        "solver_tolerance",
        field="tolerance",
        doc="Improvement below which the constraint solver stops, above 0.",
    )
    max_line_search_iterations = _count(
        "max_line_search_iterations",
        field="ls_iterations",
        doc="Iterations of its search along a line at most, above 0.",
        least=1,
    )
    friction_impedance_ratio = _number(
        "friction_impedance_ratio",
        field="impratio",
        doc="How much stiffer friction is than contact, above 0; larger values creep less with "
        "elliptic cones.",
    )
    no_slip_iterations = _count(
        "no_slip_iterations",
        field="noslip_iterations",
        doc="Iterations afterwards that suppress slip, 0 or more.",
        least=0,
    )

    # What is left out ----------------------------------------------------------------------------

    disable_gravity = _flag(
        "disable_gravity", _DISABLE.mjDSBL_GRAVITY, "Whether gravity is switched off."
    )
    disable_contacts = _flag(
        "disable_contacts", _DISABLE.mjDSBL_CONTACT, "Whether contacts are switched off."
    )
    disable_constraints = _flag(
        "disable_constraints",
        _DISABLE.mjDSBL_CONSTRAINT,
        "Whether all constraints are, contacts and limits included.",
    )
    disable_equalities = _flag(
        "disable_equalities", _DISABLE.mjDSBL_EQUALITY, "Whether loops and welds are open."
    )
    disable_friction_loss = _flag(
        "disable_friction_loss",
        _DISABLE.mjDSBL_FRICTIONLOSS,
        "Whether joints and tendons have no dry friction.",
    )
    disable_limits = _flag(
        "disable_limits", _DISABLE.mjDSBL_LIMIT, "Whether joints and tendons have no limits."
    )
    disable_springs = _flag(
        "disable_springs", _DISABLE.mjDSBL_SPRING, "Whether passive springs are switched off."
    )
    disable_dampers = _flag(
        "disable_dampers", _DISABLE.mjDSBL_DAMPER, "Whether passive dampers are switched off."
    )
    disable_actuation = _flag(
        "disable_actuation", _DISABLE.mjDSBL_ACTUATION, "Whether actuators are switched off."
    )
    disable_control_clamping = _flag(
        "disable_control_clamping",
        _DISABLE.mjDSBL_CLAMPCTRL,
        "Whether controls may exceed their ranges.",
    )
    disable_warm_start = _flag(
        "disable_warm_start",
        _DISABLE.mjDSBL_WARMSTART,
        "Whether the solver forgets the last step's solution.",
    )
    disable_parent_filter = _flag(
        "disable_parent_filter",
        _DISABLE.mjDSBL_FILTERPARENT,
        "Whether links collide with their parents too.",
    )

    # For programs of others ----------------------------------------------------------------------

    def let_solver_converge(self) -> None:
        """Solve constraints by Newton's method to the end, however few iterations are told."""
        self._told = self.max_iterations
        self.solver = "newton"
        for field, least in _ENOUGH.items():
            self.set_option(field, max(int(getattr(self._opt, field)), least))

    # For data ------------------------------------------------------------------------------------

    def apply(self, engine: Engine, since: int) -> int:
        """Bring what changed after version `since` to an engine; returns the version reached."""
        for field in dict.fromkeys(self._changes[since:]):
            engine.set_param(f"opt.{field}", np.asarray(getattr(self._opt, field)))
        return self.version

    @property
    def engine_options(self) -> mujoco.MjOption:
        """The engine's own options; what is written into them reaches new data only."""
        return self._opt

    def set_option(self, field: str, value: Any) -> None:
        """Set one of the engine's options to a checked value, for living data too."""
        if np.array_equal(getattr(self._opt, field), value):
            return
        setattr(self._opt, field, value)
        self._changes.append(field)
        self.version += 1
