"""Failure detection: worlds that went wrong, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel

from .base import WorldFailure

__all__ = ["WARNINGS", "Effect", "EngineWarning", "Quiet", "describe"]


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


class Quiet:
    """Keeps the engine from writing warnings to the console and to a file beside the program."""

    __slots__ = ("_before", "_silent")

    def __init__(self) -> None:
        self._before = self._silent = mujoco.MjLogConfig.get()
        self._silent.logto_console = self._silent.logto_file = False

    def __enter__(self) -> None:
        self._before = mujoco.MjLogConfig.get()
        self._silent.set()

    def __exit__(self, *error: object) -> None:
        self._before.set()


def describe(
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
