"""Limited loading: in a process of its own, which is ended when it takes too much.

Nothing can interrupt a reader of OpenUSD or a compile of MuJoCo, and nothing survives the crash of
one, but another process.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from usdsim.core.errors import CompileError, UsdsimError
from usdsim.core.workers import WorkerProcess, check_limit

from .model.scene_model import SceneModel

__all__ = ["load_limited"]

_UNLIMITED = 30 * 24 * 3600.0
"""Longest time where only memory is limited [s]."""


def load_limited(
    file: Path,
    options: Mapping[str, Any],
    time_limit: float | None,
    memory_limit: float | None,
) -> SceneModel:
    """Load a file in a process of its own.

    Args:
        file: what is loaded.
        options: arguments of `load_model`.
        time_limit: longest time, with about a second for starting the process [s].
        memory_limit: most memory the process may take [MiB].

    Raises:
        InvalidValueError: a limit is not positive.
        CompileError: a limit is exceeded, or the process crashes.
        UsdsimError: whatever `load_model` raises there.
    """
    check_limit("time_limit", time_limit)
    check_limit("memory_limit", memory_limit)
    worker = WorkerProcess("usdsim.scene.worker", memory_limit)
    with tempfile.TemporaryDirectory(prefix="usdsim-", ignore_cleanup_errors=True) as folder:
        out = Path(folder) / "model"
        request = {"path": str(file), "options": dict(options), "out": str(out)}
        try:
            answer = worker.ask(request, time_limit or _UNLIMITED)
        finally:
            worker.stop()
        if answer["status"] != "done":
            limits = f"time_limit={time_limit}, memory_limit={memory_limit}"
            raise CompileError(
                f"Cannot load {str(file)!r}: {answer['message']}. Raise the limits ({limits}) if "
                "it is to."
            )
        outcome = pickle.loads(out.read_bytes())
    if isinstance(outcome, UsdsimError):
        raise outcome
    return SceneModel(*outcome)
