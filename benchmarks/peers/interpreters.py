"""Peers that cannot live in this process: which interpreters have them, and talking to those."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from benchmarks.measure import ROOT
from benchmarks.registry import Settings

__all__ = ["PEERS", "Kind", "Peer", "median_child_time", "open_peer", "python_of"]


@dataclass(frozen=True)
class Kind:
    """A peer."""

    script: str
    """What runs there."""
    module: str
    """What it must be able to import."""


PEERS = {
    "newton": Kind("in_newton.py", "newton"),
    "converters": Kind("in_converters.py", "mujoco_usd_converter"),
}
"""Peers by name. The converters need an OpenUSD of their own, newton another MuJoCo."""


class Peer:
    """A process that answers requests, one line of JSON each.

    Attributes:
        versions: of the packages that are compared with.
    """

    def __init__(self, process: subprocess.Popen[str]):
        self._input, self._output = cast(IO[str], process.stdin), cast(IO[str], process.stdout)
        self.versions = self.ask(what="versions")

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            RuntimeError: the process ended.
        """
        self._input.write(json.dumps(request) + "\n")
        self._input.flush()
        line = self._output.readline()
        if not line:
            raise RuntimeError(f"the peer ended at {request}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def python_of(settings: Settings, name: str) -> str | None:
    """The interpreter that has a peer; None if there is none, or it lacks the peer."""
    given = settings.interpreters.get(name) or os.environ.get(f"USDSIM_PEER_{name.upper()}")
    if not given:
        return None
    code = f"import importlib.util as u, sys; sys.exit(u.find_spec({PEERS[name].module!r}) is None)"
    try:
        found = subprocess.run([given, "-c", code], capture_output=True, timeout=60)
    except OSError:
        return None
    return given if found.returncode == 0 else None


@contextmanager
def open_peer(python: str, name: str) -> Iterator[Peer]:
    """A process of a peer, which ends with the block."""
    script = Path(__file__).parent / PEERS[name].script
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            [python, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # What lies beside the script is not for its interpreter.
            env={**_environment(), "PYTHONSAFEPATH": "1"},
        ) as process,
    ):
        try:
            yield Peer(process)
        finally:
            process.kill()


def median_child_time(python: str, code: str, rounds: int) -> float:
    """Median of the number that code prints last in a new process, after one that does not count.

    Raises:
        RuntimeError: the code failed.
    """
    return statistics.median([_number(python, code) for _ in range(rounds + 1)][1:])


def _number(python: str, code: str) -> float:
    cwd = ROOT if python == sys.executable else None
    run = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, cwd=cwd, env=_environment()
    )
    if run.returncode:
        raise RuntimeError(run.stderr.strip()[-500:])
    return float(run.stdout.split()[-1])


def _environment() -> dict[str, str]:
    """That of this process, without what would lead others to its packages and plugins."""
    ours = ("PYTHONPATH", "PXR_PLUGINPATH_NAME")
    return {name: value for name, value in os.environ.items() if name not in ours}
