"""Long life of one process: ``python tests/hostile/soak.py --cycles 2000 --seconds 3600``.

Simulations, models, data and engines are made and dropped on both engines; then each engine runs
the simulated time with random resets, overrides and failures. Memory in use, descriptors and
threads have to stay as they are. What the allocator keeps beyond that, as pages that small parts
are left in, is printed beside it. At the end a run with a fixed seed is repeated in a fresh
process; both have to agree bit by bit.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import hashlib
import logging
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import usdsim
from usdsim.core.errors import SimulationError
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.usd.stage import create_stage

__all__ = ["main"]

MJCF = """
<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="5 5 .1"/>
  <body name="base" pos="0 0 .3"><freejoint/><geom name="trunk" type="box" size=".1 .1 .1"/>
  <body name="arm" pos="0 0 .2"><joint name="elbow" axis="0 1 0" damping=".1"/>
  <geom type="capsule" size=".03 .1"/></body></body></worldbody>
  <actuator><motor name="m" joint="elbow" ctrlrange="-1 1"/></actuator></mujoco>
"""
DEVICES = ("cpu", "warp:cpu")
TIME_STEP = 0.01
"""That of the model [s]."""
WARM_UP = 1000
"""Steps of a run after which everything is allocated."""
SETTLED = 600
"""Cycles after which the allocator's pages are taken: before, each small part that OpenUSD keeps
may hold on to a page of its own."""


@dataclass(frozen=True)
class Usage:
    """What a process holds."""

    memory: float
    """Resident memory [MiB]."""
    used: float
    """Memory that was asked for and not given back [MiB]; 0 without the GNU library."""
    blocks: int
    """Pieces of memory of Python's own allocator."""
    descriptors: int
    threads: int

    def flat(self, before: Usage) -> bool:
        """Whether descriptors and threads are as many as before, but for one or two."""
        return self.descriptors <= before.descriptors + 2 and self.threads <= before.threads + 2

    def __str__(self) -> str:
        used = f"{self.used:.1f} MiB in use, {self.blocks} blocks,"
        return f"{self.memory:.1f} MiB {used} {self.descriptors} descriptors {self.threads} threads"


class _Allocated(ctypes.Structure):
    """``struct mallinfo2`` of the GNU library."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost",
    ))  # fmt: skip


def _used() -> float:
    library = ctypes.CDLL(None)
    library.malloc_trim(0)
    library.mallinfo2.restype = _Allocated
    found = library.mallinfo2()
    return float(found.uordblks + found.hblkhd) / 2**20


def usage() -> Usage:
    """What this process holds now, without what its allocator keeps for later."""
    gc.collect()
    used = 0.0
    with suppress(OSError, AttributeError):  # Of the GNU library only.
        used = _used()
    status = Path("/proc/self/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    descriptors = len(os.listdir("/proc/self/fd"))
    memory = int(fields["VmRSS"].split()[0]) / 1024.0
    return Usage(memory, used, sys.getallocatedblocks(), descriptors, int(fields["Threads"]))


def load() -> usdsim.SceneModel:
    """The model, converted anew."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "m.xml"
        source.write_text(MJCF)
        return usdsim.load_model(usdsim.convert(source))


class Run:
    """Worlds with random controls, resets, overrides and failures, all decided by a seed."""

    def __init__(self, device: str, seed: int):
        self._model, self._rng = load(), np.random.default_rng(seed)
        self._data = usdsim.SceneData(self._model, batch=4, device=device, on_failure="raise")
        self.failures = 0

    def steps(self, count: int) -> None:
        """Go on for some steps; a world that fails, fails alone, and is reset with the others."""
        rng, data, model = self._rng, self._data, self._model
        for _ in range(count):
            data.actuator_ctrls = rng.uniform(-1.0, 1.0, (4, 1))
            chance = rng.random()
            if chance < 0.02:
                data[[int(rng.integers(4))]].reset()
            elif chance < 0.04:
                model.links[0].set_mass_override(data, rng.uniform(0.5, 2.0, 4))
            elif chance < 0.05:
                fast = np.where(np.arange(4) == rng.integers(4), 1e9, 0.0)
                model.joints[0].set_dof_vel(data, fast[:, None])
            try:
                model.step(data)
            except SimulationError:
                self.failures += 1
                data.reset()

    def end(self) -> str:
        """A hash of positions, velocities and times."""
        data = self._data
        ends = np.concatenate([np.ravel(data.dof_pos), np.ravel(data.dof_vel), np.ravel(data.time)])
        assert np.isfinite(ends).all()
        return hashlib.sha256(np.ascontiguousarray(ends).tobytes()).hexdigest()


def cycle(number: int) -> None:
    """Make everything once, use it a little, and drop it."""
    device = DEVICES[number % 10 == 0]
    Run(device, number).steps(5)
    with SimulationContext(SimulationCfg(threads=1, device=device), create_stage()) as sim:
        sphere = sim.stage.DefinePrim("/World/b", "Sphere")
        for api in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"):
            sphere.AddAppliedSchema(api)
        sim.reset()
        sim.step()


def lives(cycles: int) -> bool:
    """Whether memory, descriptors and threads stay flat while everything is made and dropped."""
    for number in range(0, 1000, 10):  # On devices, whose pools come one by one.
        cycle(number)
    for number in range(SETTLED):
        cycle(number)
    before = usage()
    for number in range(cycles):
        cycle(number)
    after = usage()
    kept, grown = (
        (getattr(after, name) - getattr(before, name)) / cycles * 1024.0
        for name in ("used", "memory")
    )
    print(
        f"{before}, after {cycles} cycles {after}: {kept:.2f} KiB in use per cycle, resident "
        f"{grown:.2f} KiB",
        flush=True,
    )
    pieces = (after.blocks - before.blocks) / cycles
    return kept < 4.0 and pieces < 1.0 and grown < 16.0 and after.flat(before)


def runs(device: str, seconds: float) -> bool:
    """Whether memory, descriptors and threads stay flat while worlds run."""
    run, left = Run(device, 1), round(seconds / TIME_STEP)
    run.steps(min(WARM_UP, left))
    before = usage()
    run.steps(left - min(WARM_UP, left))
    after = usage()
    run.end()
    print(f"{device}: {before}, after {seconds:g} s {after}, {run.failures} failures", flush=True)
    return after.memory - before.memory < 32.0 and after.flat(before)


def repeats(device: str) -> bool:
    """Whether a run in this process ends where one in a fresh process does, bit by bit."""
    mine = Run(device, 7)
    mine.steps(500)
    fresh = subprocess.run(
        [sys.executable, __file__, "--only", device], capture_output=True, text=True, check=True
    ).stdout.split()[-1]
    equal = mine.end() == fresh
    print(f"{device}: {'equal to' if equal else 'DIFFERENT from'} a fresh process", flush=True)
    return equal


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 if something grew, or a fresh process disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="simulated time [s]")
    parser.add_argument("--only", choices=DEVICES, help="print the hash of one run and end")
    options = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    if options.only:
        run = Run(options.only, 7)
        run.steps(500)
        print(run.end())
        return 0
    sound = [lives(options.cycles)]
    sound += [runs(device, options.seconds) for device in DEVICES]
    sound += [repeats(device) for device in DEVICES]
    return int(not all(sound))


if __name__ == "__main__":
    sys.exit(main())
