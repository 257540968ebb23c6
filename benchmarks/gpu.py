"""Steps per second on a Warp device: the bare solver's graph, the engine, the engine with views.

``python -m benchmarks.gpu --device cuda --envs 4096`` writes JSON with the device's name. It runs
on ``warp:cpu`` too, where the figures say nothing about a GPU but every path is exercised.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

import usdsim
from usdsim.engine import CompiledModel, create_engine
from usdsim.engine.create import array_device
from usdsim.engine.warp_pid import single_input
from usdsim.views import kernels
from usdsim.views.layout import AssetLayout, root_rows
from usdsim.views.quantity import Launched, Stored
from usdsim.views.view import AssetView

from .measure import ROOT, Contender
from .models import QUADRUPED

__all__ = ["main", "measure"]

_PACKAGES = ("mujoco-core", "mujoco-warp", "warp-lang", "numpy")


class _Readings:
    """What a learning loop reads each step."""

    joint_pos = Stored("qpos", "joint_qpos", "joint")
    joint_vel = Stored("qvel", "joint_dofs", "joint")
    body_pose = Launched(
        kernels.link_poses, ("engine:xpos", "engine:xquat", "layout:bodies"), "body", wp.transformf
    )
    body_velocity = Launched(
        kernels.origin_velocities,
        (
            *("engine:cvel", "engine:subtree_com", "engine:xpos"),
            *("layout:bodies", "model:body_trees"),
        ),
        "body",
        wp.spatial_vectorf,
    )

    def __init__(self, view: AssetView):
        self._view = view


def main() -> int:
    """Measure and write what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, ... or warp:cpu")
    parser.add_argument("--envs", type=int, nargs="+", default=[1024, 4096, 16384])
    parser.add_argument("--steps", type=int, default=200, help="per timed run")
    parser.add_argument("--rounds", type=int, default=5, help="timed runs, of which the median")
    parser.add_argument("--model", type=Path, default=QUADRUPED, help="MJCF, URDF or USD file")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "gpu.json")
    arguments = parser.parse_args()
    compiled = usdsim.load_model(arguments.model).compiled
    document = {
        "device": str(wp.get_device(array_device(arguments.device)).name),
        "versions": {package: version(package) for package in _PACKAGES},
        "model": arguments.model.name,
        "steps": arguments.steps,
        "results": [
            measure(compiled, arguments.device, envs, arguments.steps, arguments.rounds)
            for envs in arguments.envs
        ],
    }
    text = json.dumps(document, indent=2)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(text + "\n")
    print(text)
    return 0


def measure(
    compiled: CompiledModel, device: str, envs: int, steps: int, rounds: int
) -> dict[str, Any]:
    """World steps per second of each contender, and what the engine is given in room.

    Args:
        compiled: the model.
        device: where to simulate.
        envs: number of worlds.
        steps: steps per timed run.
        rounds: timed runs; the contenders take turns.
    """
    engine: Any = create_engine(compiled, envs, device=device, check_interval=0)
    contenders = {
        "bare": _bare(compiled, engine, envs, kinematics=False),
        "bare_with_kinematics": _bare(compiled, engine, envs, kinematics=True),
        "engine": Contender(engine.reset, engine.step),
        "engine_with_views": _with_views(compiled, engine, envs),
    }
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds + 1):
        for name, contender in contenders.items():
            contender.prepare()
            times[name].append(_seconds(contender.run, steps, engine.device))
    engine.check()
    speeds = {name: envs * steps / statistics.median(t[1:]) for name, t in times.items()}
    return {"envs": envs, "room": engine.capacity, "env_steps_per_s": speeds}


def _seconds(step: Callable[[], object], steps: int, device: str) -> float:
    wp.synchronize_device(device)
    started = time.perf_counter()
    for _ in range(steps):
        step()
    wp.synchronize_device(device)
    return time.perf_counter() - started


def _bare(compiled: CompiledModel, engine: Any, envs: int, *, kinematics: bool) -> Contender:
    """The solver's own step in a graph, on its own data."""
    contacts, constraints = engine.capacity
    with wp.ScopedDevice(engine.device):
        model = mjw.put_model(single_input(compiled.mj))
        model.opt.warn_overflow = 0
        data = mjw.make_data(single_input(compiled.mj), envs, nconmax=contacts, njmax=constraints)
        initial = np.tile(compiled.initial.qpos, (envs, 1)).astype(np.float32)

        def restart() -> None:
            mjw.reset_data(model, data)
            data.qpos.assign(initial)

        def step() -> None:
            mjw.step(model, data)
            if kinematics:
                mjw.fwd_position(model, data)
                mjw.fwd_velocity(model, data)

        step()
        with wp.ScopedCapture() as capture:
            step()
    return Contender(restart, lambda: wp.capture_launch(capture.graph))


def _with_views(compiled: CompiledModel, engine: Any, envs: int) -> Contender:
    """Controls written, a step, and joints, poses and velocities read, all on the device."""
    model = compiled.mj
    bodies = np.arange(1, model.nbody, dtype=np.int32)[None]
    joints = np.flatnonzero(model.jnt_type >= 2).astype(np.int32)[None]
    layout = AssetLayout(
        title="robot",
        num_worlds=envs,
        bodies=bodies,
        joints=joints,
        joint_qpos=model.jnt_qposadr[joints],
        joint_dofs=model.jnt_dofadr[joints],
        **root_rows(compiled, [[1]]),
    )
    view = AssetView(engine, layout, _Readings)
    readings = _Readings(view)
    ctrl = engine.device_array("ctrl")
    wanted = wp.clone(ctrl)

    def step() -> None:
        wp.copy(ctrl, wanted)
        engine.touch_device(field="ctrl")
        engine.step()
        for name in ("joint_pos", "joint_vel", "body_pose", "body_velocity"):
            getattr(readings, name)

    return Contender(engine.reset, step)


if __name__ == "__main__":
    sys.exit(main())
