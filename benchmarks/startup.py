"""What a new process costs: imports, the command line, the first step, memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import usdsim

from .measure import ROOT, in_child, median_time
from .models import QUADRUPED
from .registry import Row, Settings, benchmark

__all__ = ["first_step", "imports", "memory"]

_IMPORT = """
import time
started = time.perf_counter()
import usdsim
print(time.perf_counter() - started)
"""

_FIRST_STEP = """
import time
started = time.perf_counter()
import usdsim
model = usdsim.load_model({stage!r})
model.step(usdsim.SceneData(model, batch=(64,)))
print(time.perf_counter() - started)
"""

_MEMORY = """
import usdsim

def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])

model = usdsim.load_model({stage!r})
model.step(usdsim.SceneData(model, batch=(1,)))
before = resident()
data = usdsim.SceneData(model, batch=({envs},))
model.step(data)
model.get_link_poses(data)
print((resident() - before) / {envs})
"""


@benchmark
def imports(settings: Settings) -> Iterator[Row]:
    """``import usdsim`` and ``usdsim --help``."""
    rounds = settings.rounds(9)
    seconds = statistics.median(in_child(_IMPORT) for _ in range(rounds))
    yield Row("import usdsim", seconds, "s", 0.4)
    command = [sys.executable, "-m", "usdsim", "--help"]
    seconds = median_time(
        lambda: subprocess.run(command, check=True, capture_output=True, cwd=ROOT), rounds
    )
    yield Row("usdsim --help", seconds, "s", 0.6)


@benchmark
def first_step(settings: Settings) -> Iterator[Row]:
    """A new process, from its first line to the first step of a model it has not seen."""
    with tempfile.TemporaryDirectory() as folder:
        code = _FIRST_STEP.format(stage=str(_quadruped_stage(folder)))
        cold = [
            in_child(code, {"WARP_CACHE_PATH": str(Path(folder) / f"cache_{number}")})
            for number in range(settings.rounds(3))
        ]
        yield Row("empty kernel cache", statistics.median(cold), "s", 5.0)
        warm = [in_child(code) for _ in range(settings.rounds(5))]
        yield Row("warm kernel cache", statistics.median(warm), "s", 1.0)


@benchmark
def memory(settings: Settings) -> Iterator[Row]:
    """Resident memory that each further world takes."""
    if not Path("/proc/self/status").is_file():
        return
    envs = 256 if settings.quick else 4096
    with tempfile.TemporaryDirectory() as folder:
        stage = str(_quadruped_stage(folder))
        kibibytes = in_child(_MEMORY.format(stage=stage, envs=envs))
    yield Row(f"quadruped, per world of {envs}", kibibytes, "KiB")


def _quadruped_stage(folder: str) -> Path:
    stage = Path(folder) / "quadruped.usda"
    usdsim.convert(QUADRUPED, stage)
    return stage
