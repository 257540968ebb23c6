"""Failure reports of worlds, and names of keyframes."""

from __future__ import annotations

import operator
from collections.abc import Sequence

from usdsim.core.errors import InvalidValueError, SimulationError
from usdsim.engine.compile.pipeline import CompiledModel

from .base import WorldFailure

__all__ = ["KEPT_FAILURES", "failure_error", "joined_errors", "keyframe_index"]

KEPT_FAILURES = 10_000
"""Number of failures an engine remembers."""


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


def keyframe_index(compiled: CompiledModel, keyframe: int | str) -> int:
    """The engine's index of a keyframe.

    Args:
        compiled: the model.
        keyframe: its index, name or path.

    Raises:
        InvalidValueError: there is no such index.
        UnknownNameError: there is no such name or path.
    """
    if isinstance(keyframe, str):
        return compiled.names.index("key", keyframe)
    count = compiled.mj.nkey
    try:
        index = operator.index(keyframe)
    except TypeError:
        index = -1
    if not 0 <= index < count:
        allowed = f"0 to {count - 1}" if count else "None: the model has no keyframes"
        raise InvalidValueError("keyframe", keyframe, allowed)
    return index
