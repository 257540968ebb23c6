"""Threads, precision and answers that other programs expect: what holds for the whole process."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from usdsim.core.arguments import choice, whole
from usdsim.core.errors import StageError, UnsupportedError
from usdsim.core.processors import set_default_threads

if TYPE_CHECKING:
    from .options import Options

__all__ = [
    "ContactCounts",
    "Integrators",
    "SolverIterations",
    "UnknownNames",
    "UrdfActuators",
    "UrdfBases",
    "contact_counts",
    "init_thread_pool",
    "real_dtype",
    "set_contact_counts",
    "set_integrators",
    "set_solver_iterations",
    "set_unknown_names",
    "set_urdf_actuators",
    "set_urdf_bases",
    "settle_options",
    "unknown_names",
    "urdf_options",
]

UnknownNames = Literal["raise", "none"]
"""Answer to an unknown name: an error with the names that are close, or None."""

ContactCounts = Literal["each", "once"]
"""Places of the number of contacts among the values of a contact sensor."""

UrdfBases = Literal["fixed", "free"]
"""Joint of a URDF robot's root to the world, where the file has none."""

UrdfActuators = Literal["drives", "motors"]
"""Actuators of a URDF robot's joints."""

Integrators = Literal["file", "implicitfast"]
"""Integrator of motion that models are loaded with."""

SolverIterations = Literal["told", "enough"]
"""Iterations of the constraint solver of models that are loaded."""

_EXPLICIT = ("euler", "rk4")
"""Integrators that take the damping of actuators from the start of a step."""

_threads: int | None = None
_chosen: dict[str, Any] = {
    "places": "each",
    "bases": "fixed",
    "actuators": "drives",
    "integrators": "file",
    "iterations": "told",
}
"""Choices that hold, by name of the argument; ``answer`` is missing until it is asked for."""


def _choose(what: str, value: str, allowed: Any) -> None:
    choice(what, value, get_args(allowed))
    _chosen[what] = value


def init_thread_pool(num_threads: int | None = None, core_ids: Sequence[int] | None = None) -> None:
    """Set once how many threads worlds have that are not given a number.

    Args:
        num_threads: 1 or more; 0 or None: one per CPU that the process may use.
        core_ids: not available: which CPUs a process may use is set from outside.

    Raises:
        StageError: it was set before.
        UnsupportedError: with `core_ids`.
    """
    global _threads
    if core_ids is not None:
        raise UnsupportedError(
            "core_ids cannot be set here. Start the process on the CPUs it is to use: "
            "os.sched_setaffinity(0, ids) before usdsim is imported, or taskset."
        )
    if _threads is not None:
        raise StageError(
            f"The number of threads was already set to {_threads}. "
            "Give SceneData(..., threads=n) where one data is to have another number."
        )
    _threads = whole("num_threads", num_threads or 0)
    set_default_threads(_threads)


def real_dtype() -> str:
    """Name of the NumPy type of the arrays that are read: ``"float32"``."""
    return "float32"


def set_contact_counts(places: ContactCounts) -> None:
    """Choose where contact sensors give the number of contacts, the datum ``found``.

    ``"each"``, as in the beginning and in MuJoCo: before the other data of each contact;
    ``"once"``: before all of them, as programs for MotrixSim expect. It holds for models whose data
    are made afterwards; `Sensor.get_fields` has the number with each contact in either case.

    Raises:
        InvalidValueError: another choice.
    """
    _choose("places", places, ContactCounts)


def contact_counts() -> ContactCounts:
    """Choice of `set_contact_counts`."""
    places: ContactCounts = _chosen["places"]
    return places


def set_unknown_names(answer: UnknownNames) -> None:
    """Choose what look-ups of elements by name answer to a name that does not exist.

    ``model.get_link("trunc")``, ``model.get_link_index("trunc")`` and their like raise, or give
    None, as programs for MotrixSim expect. The environment variable ``USDSIM_UNKNOWN_NAMES`` says
    the same for programs that are not to be changed. Everything else raises in either case.

    Args:
        answer: ``"raise"``, as in the beginning, or ``"none"``.

    Raises:
        InvalidValueError: another answer.
    """
    _choose("answer", answer, UnknownNames)


def unknown_names() -> UnknownNames:
    """Answer that `set_unknown_names` chose, else that of the environment variable.

    Raises:
        InvalidValueError: the variable says something else.
    """
    if "answer" not in _chosen:
        _choose("answer", os.environ.get("USDSIM_UNKNOWN_NAMES") or "raise", UnknownNames)
    answer: UnknownNames = _chosen["answer"]
    return answer


def set_urdf_bases(bases: UrdfBases) -> None:
    """Choose whether robots that are loaded from URDF stand fixed or move freely.

    A file says it by a joint between its root ``world`` and the robot, which holds in either case.

    Args:
        bases: ``"fixed"``, as in the beginning, or ``"free"``, as programs for MotrixSim expect.

    Raises:
        InvalidValueError: another choice.
    """
    _choose("bases", bases, UrdfBases)


def set_urdf_actuators(actuators: UrdfActuators) -> None:
    """Choose the actuators of robots that are loaded from URDF, which says only their limits.

    Args:
        actuators: ``"drives"``, as in the beginning: of joints with a limit of effort, named as
            they are, see `UrdfConverterCfg.joint_drive`; or ``"motors"``, as programs for MotrixSim
            expect: ``<joint>_motor`` of each joint, whose command is the force.

    Raises:
        InvalidValueError: another choice.
    """
    _choose("actuators", actuators, UrdfActuators)


def urdf_options(kind: str) -> dict[str, Any]:
    """Options for the conversion of a file of a kind that the choices for URDF imply."""
    implied = {
        "free_root": _chosen["bases"] == "free",
        "joint_motors": _chosen["actuators"] == "motors",
    }
    return {name: True for name, is_so in implied.items() if is_so and kind == "urdf"}


def set_integrators(integrators: Integrators) -> None:
    """Choose the integrator of models that are loaded afterwards.

    ``"file"``, as in the beginning: what the file says. ``"implicitfast"``: the damping of joints,
    tendons and actuators is that at the end of a step, as in programs for MotrixSim, which has no
    other integrator and overlooks what files say. A servo with a damping above twice the inertia
    per time step is stable with it, and not with ``Euler``, the one of MJCF that says none.
    Integrators that are as implicit stay. `Options.integrator` is that of one model.

    Raises:
        InvalidValueError: another choice.
    """
    _choose("integrators", integrators, Integrators)


def set_solver_iterations(iterations: SolverIterations) -> None:
    """Choose how far the constraint solver goes in models that are loaded afterwards.

    ``"told"``, as in the beginning: by the method and for the iterations that the file or
    `Options.max_iterations` says. ``"enough"``: by Newton's method until it has converged, and
    `Options.max_iterations` is kept and changes nothing up to 100. Programs for MotrixSim, whose
    solver is another one, are content with three iterations, after which Newton's method may be
    further from the solution than in the beginning: robots that stand are thrown into the air.

    Raises:
        InvalidValueError: another choice.
    """
    _choose("iterations", iterations, SolverIterations)


def settle_options(options: Options) -> None:
    """Give a model that was loaded the integrator and the iterations that were chosen."""
    if _chosen["integrators"] != "file" and options.integrator in _EXPLICIT:
        options.integrator = _chosen["integrators"]
    if _chosen["iterations"] == "enough":
        options.let_solver_converge()
