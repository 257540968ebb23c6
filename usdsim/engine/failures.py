"""Failures of worlds: what the engine's warnings mean, where, and what happens then."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import SimulationError
from usdsim.engine.compile.pipeline import CompiledModel

__all__ = [
    "Failed",
    "FailureLog",
    "FailurePolicy",
    "WorldFailure",
    "failure_error",
    "joined_errors",
]

logger = logging.getLogger("usdsim")

FailurePolicy = Literal["raise", "reset", "report"]
"""``raise`` a `SimulationError` after all worlds stepped, ``reset`` the failed worlds and go on, or
only ``report`` in `Engine.failures`. A world whose state became infinite is put back to its initial
state by the first two; the last leaves it where the engine's own rule puts it."""


@dataclass(frozen=True, slots=True)
class WorldFailure:
    """Failure of one world."""

    world: int
    """Index of the world."""
    time: float
    """Simulation time of the world when it failed [s]."""
    message: str
    """Message: what happened, and the remedy."""
    prims: tuple[str, ...] = ()
    """Prim paths involved."""

    def __str__(self) -> str:
        """One line: world, time, prims, message."""
        where = f" at {', '.join(map(repr, self.prims))}" if self.prims else ""
        return f"World {self.world} at {self.time:.4f} s{where}: {self.message}"


KEPT_FAILURES = 10_000
"""Number of failures an engine remembers."""

Effect = Literal["degraded", "failed", "lost"]
"""The world goes on less exactly; did not do as told; has no valid state any more."""


@dataclass(frozen=True, slots=True)
class EngineWarning:
    """A warning the engine counts per world."""

    message: str
    index: str
    """Kind of the engine's number: ``dof``, ``qpos``, ``actuator`` or nothing."""
    effect: Effect


_DIVERGED = "Use a smaller time step, softer gains or more armature."
W = mujoco.mjtWarning
WARNINGS: dict[int, EngineWarning] = {
    int(W.mjWARN_INERTIA): EngineWarning(
        "the inertia matrix is nearly singular. Add armature or mass.", "dof", "degraded"
    ),
    int(W.mjWARN_CONTACTFULL): EngineWarning(
        "contacts were dropped for lack of memory. Raise the scene's memory size.", "", "degraded"
    ),
    int(W.mjWARN_CNSTRFULL): EngineWarning(
        "constraints were dropped for lack of memory. Raise the scene's memory size.",
        "",
        "degraded",
    ),
    int(W.mjWARN_BADQPOS): EngineWarning(
        f"a position is not finite or huge. {_DIVERGED}", "qpos", "lost"
    ),
    int(W.mjWARN_BADQVEL): EngineWarning(
        f"a velocity is not finite or huge. {_DIVERGED}", "dof", "lost"
    ),
    int(W.mjWARN_BADQACC): EngineWarning(
        f"an acceleration is not finite or huge. {_DIVERGED}", "dof", "lost"
    ),
    int(W.mjWARN_BADCTRL): EngineWarning(
        "a control is not finite or huge; controls were ignored. Write smaller ones.",
        "actuator",
        "failed",
    ),
}


@dataclass
class Failed:
    """Failures that one look at the worlds found."""

    failures: list[WorldFailure]
    lost: list[int]
    """Worlds that have no valid state any more."""

    @property
    def worlds(self) -> list[int]:
        """Worlds that failed."""
        return [failure.world for failure in self.failures]

    def handle(
        self, policy: FailurePolicy, reset: Callable[[list[int]], object]
    ) -> list[WorldFailure]:
        """Reset worlds as the policy says; returns the failures that the caller raises."""
        if not self.failures or policy == "report":
            return []
        if policy == "reset":
            reset(self.worlds)
            return []
        if self.lost:
            reset(self.lost)
        return self.failures


class FailureLog:
    """Log of failures of an engine's worlds.

    Args:
        compiled: the model.

    Attributes:
        failures: the latest ones, oldest first.
        failed: worlds that failed; who has seen to one takes it out.
    """

    def __init__(self, compiled: CompiledModel):
        self._compiled = compiled
        self._warned: set[str] = set()
        self.failures: list[WorldFailure] = []
        self.failed: set[int] = set()

    def add_warnings(self, warnings: Iterable[tuple[int, float, NDArray[np.int32]]]) -> Failed:
        """Log what the engine's warnings say of worlds; worlds that go on are warned of once.

        Args:
            warnings: world, time [s] and counts as for `_describe`.
        """
        failed, lost = list[WorldFailure](), list[int]()
        for world, time, counts in warnings:
            failure, effect = _describe(self._compiled, world, time, counts)
            self.failures.append(failure)
            if effect == "degraded":
                self._warn(failure)
                continue
            failed.append(failure)
            if effect == "lost":
                lost.append(world)
        del self.failures[:-KEPT_FAILURES]
        self.failed.update(failure.world for failure in failed)
        return Failed(failed, lost)

    def add_errors(
        self, messages: Mapping[int, str], times: NDArray[np.float64]
    ) -> list[WorldFailure]:
        """Log worlds that the engine stopped with an error.

        Args:
            messages: of the engine, by world.
            times: of all worlds [s].
        """
        stopped = [WorldFailure(i, float(times[i]), text) for i, text in messages.items()]
        self.failures += stopped
        del self.failures[:-KEPT_FAILURES]
        self.failed.update(messages)
        return stopped

    def _warn(self, failure: WorldFailure) -> None:
        if failure.message not in self._warned:
            self._warned.add(failure.message)
            logger.warning("%s", failure)


def failure_error(failures: Sequence[WorldFailure], num_envs: int) -> SimulationError:
    """The error to raise for worlds that failed."""
    worlds = {failure.world for failure in failures}
    shown = "\n".join(map(str, failures[:5]))
    return SimulationError(
        f"{len(worlds)} of {num_envs} worlds failed; the others went on.\n{shown}",
        [failure.world for failure in failures],
        [failure.time for failure in failures],
        [failure.prims for failure in failures],
    )


def joined_errors(errors: Sequence[SimulationError]) -> SimulationError:
    """One error in place of those of several steps."""
    if len(errors) == 1:
        return errors[0]
    return SimulationError(
        "\n".join(map(str, errors)),
        [world for error in errors for world in error.worlds],
        [time for error in errors for time in error.times],
        [prims for error in errors for prims in error.prims],
    )


def _describe(
    compiled: CompiledModel, world: int, time: float, counts: NDArray[np.int32]
) -> tuple[WorldFailure, Effect]:
    """The worst failure of one world, and what it means for the world.

    Args:
        compiled: the model.
        world: index of the world.
        time: when it happened [s].
        counts: last index and number of each of the engine's warnings, shape (7, 2).
    """
    kinds = [kind for kind in WARNINGS if counts[kind, 1]]
    kind = max(kinds, key=lambda kind: get_args(Effect).index(WARNINGS[kind].effect))
    warning = WARNINGS[kind]
    prims = _prims(compiled, warning.index, int(counts[kind, 0]))
    return WorldFailure(world, time, warning.message, prims), warning.effect


def _prims(compiled: CompiledModel, what: str, index: int) -> tuple[str, ...]:
    model, names = compiled.mj, compiled.names
    if what == "actuator":
        # The engine counts controls; an actuator may have several.
        actuator = int(np.searchsorted(model.actuator_ctrladr, index, side="right")) - 1
        return tuple(path for path in (names.paths("actuator")[actuator],) if path)
    if not what:
        return ()
    if what == "qpos":
        joint = int(np.searchsorted(model.jnt_qposadr, index, side="right")) - 1
    else:
        joint = int(model.dof_jntid[index])
    body = int(model.jnt_bodyid[joint])
    paths = names.paths("joint")[joint], names.paths("body")[body] or names.names("body")[body]
    return tuple(dict.fromkeys(path for path in paths if path))
