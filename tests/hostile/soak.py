"""Long life of one process: ``python tests/hostile/soak.py --cycles 2000 --seconds 3600``.

Simulations, models, data and engines are made and dropped on every engine, worlds run with random
resets, overrides and failures, and memory, descriptors and threads are watched. At the end a run
with a fixed seed is repeated in a fresh process; both have to agree bit by bit.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import usdsim
from usdsim.core.errors import SimulationError, UsdsimError
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.usd.stage import create_stage

__all__ = ["main"]

MJCF = """
<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 .1"/>
  <body name="base" pos="0 0 .3"><freejoint/><geom name="trunk" type="box" size=".1 .1 .1"/>
  <body name="arm" pos="0 0 .2"><joint name="elbow" axis="0 1 0" damping=".1"/>
  <geom type="capsule" size=".03 .1"/></body></body></worldbody>
  <actuator><motor name="m" joint="elbow" ctrlrange="-1 1"/></actuator></mujoco>
"""
DEVICES = ("cpu", "warp:cpu")


def usage() -> tuple[float, int, int]:
    """Memory [MiB], descriptors and threads of this process."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    memory = int(fields["VmRSS"].split()[0]) / 1024.0
    return memory, len(os.listdir("/proc/self/fd")), int(fields["Threads"])


def load() -> usdsim.SceneModel:
    """The model, converted anew."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "m.xml"
        source.write_text(MJCF)
        return usdsim.load_model(usdsim.convert(source))


def episode(model: usdsim.SceneModel, device: str, seed: int, steps: int) -> str:
    """A run with random controls, resets, overrides and failures; a hash of where it ends."""
    rng = np.random.default_rng(seed)
    data = usdsim.SceneData(model, batch=4, device=device, on_failure="raise")
    link, joint = model.links[0], model.joints[0]
    for step in range(steps):
        data.actuator_ctrls = rng.uniform(-1.0, 1.0, (4, 1))
        chance = rng.random()
        if chance < 0.02:
            data[[int(rng.integers(4))]].reset()
        elif chance < 0.04:
            link.set_mass_override(data, rng.uniform(0.5, 2.0, 4))
        elif chance < 0.05:
            joint.set_dof_vel(data, np.where(np.arange(4) == rng.integers(4), 1e9, 0.0)[:, None])
        try:
            model.step(data)
        except SimulationError:
            data.reset()
        except UsdsimError as error:
            raise AssertionError(f"step {step}: {error}") from error
    ends = np.concatenate([np.ravel(data.dof_pos), np.ravel(data.dof_vel), np.ravel(data.time)])
    assert np.isfinite(ends).all()
    return hashlib.sha256(np.ascontiguousarray(ends).tobytes()).hexdigest()


def cycle(number: int) -> None:
    """Make everything once, use it a little, and drop it."""
    model = load()
    episode(model, DEVICES[number % 10 == 0], number, 5)
    with SimulationContext(SimulationCfg(threads=1), create_stage()) as sim:
        stage = sim.stage
        sphere = stage.DefinePrim("/World/b", "Sphere")
        for api in ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"):
            sphere.AddAppliedSchema(api)
        sim.reset()
        sim.step()


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 if something grew, or a fresh process disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="simulated time [s]")
    parser.add_argument("--only", choices=DEVICES, help="print the hash of one run and end")
    options = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)
    if options.only:
        print(episode(load(), options.only, 7, 500))
        return 0
    for number in range(20):
        cycle(number)
    before = usage()
    for number in range(options.cycles):
        cycle(number)
    after = usage()
    episode(load(), "cpu", 1, int(options.seconds / 0.002))
    last = usage()
    grown = [(after[0] - before[0]) / options.cycles * 1024.0, last[0] - after[0]]
    print(f"before {before}, after {options.cycles} cycles {after}, after the run {last}")
    print(
        f"{grown[0]:.2f} KiB per cycle, {grown[1]:.1f} MiB in {options.seconds:g} s of simulation"
    )
    failed = (
        grown[0] > 16.0 or grown[1] > 64.0 or last[1] > before[1] + 2 or last[2] > before[2] + 2
    )
    for device in DEVICES:
        mine = episode(load(), device, 7, 500)
        fresh = subprocess.run(
            [sys.executable, __file__, "--only", device], capture_output=True, text=True, check=True
        ).stdout.strip().splitlines()[-1]  # fmt: skip
        print(f"{device}: {'equal' if mine == fresh else 'DIFFERENT'}")
        failed |= mine != fresh
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
