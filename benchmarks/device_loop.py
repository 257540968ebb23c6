"""The loops the benchmarks of devices compare: a learning loop, and the bare solver's graph."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco_warp as mjw
import numpy as np
import warp as wp

from usdsim.actuators import IdealPDActuatorCfg
from usdsim.assets import ArticulationCfg, AssetBaseCfg
from usdsim.engine.create import array_device
from usdsim.engine.warp.pid import single_input
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg
from usdsim.usd.stage import create_stage

from .assets import READ, resident_memory
from .measure import Contender
from .pd_kernel import apply_pd

__all__ = [
    "DECIMATION",
    "BareGraph",
    "Running",
    "contenders",
    "control_step",
    "measured_memory",
    "room",
    "scene_of",
    "start_up",
]

DECIMATION = 4
_STEP = 0.005
_STIFFNESS, _DAMPING = 25.0, 0.5
_EFFORT = 25.0
_CHECK = 64
"""Calls of `step` from one look at failures to the next, as looking waits for the device."""

_POSES = {
    "mjlab_go1": {".*_thigh_joint": 0.8, ".*_calf_joint": -1.6},
    "gym_humanoid": {".*_knee": -0.5},
}
"""Joint positions that robots start in, where their limits exclude zero."""


class _SceneCfg(InteractiveSceneCfg):
    """A robot on the ground."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    robot: ArticulationCfg


@dataclass(frozen=True)
class Running:
    """A simulation, its scene and the robots in it."""

    sim: Any
    scene: Any
    robot: Any


@contextmanager
def scene_of(path: Path, envs: int, device: str) -> Iterator[Running]:
    """A robot on the ground in every environment, with an actuator model on every joint.

    Args:
        path: the robot.
        envs: number of environments.
        device: where to simulate.
    """
    with _built(path, envs, device) as running:
        running.sim.reset()
        yield Running(running.sim, running.scene, running.scene["robot"])


@contextmanager
def _built(path: Path, envs: int, device: str) -> Iterator[Running]:
    robot = ArticulationCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=path),
        init_state=ArticulationCfg.InitialStateCfg(joint_pos=_POSES.get(path.stem, {})),
        actuators={
            "all": IdealPDActuatorCfg(
                joint_names_expr=[".*"],
                stiffness=_STIFFNESS,
                damping=_DAMPING,
                effort_limit=_EFFORT,
                velocity_limit_sim=1e6,
            )
        },
    )
    options = {"check_interval": _CHECK}
    simulation = SimulationCfg(dt=_STEP, device=device, device_options=options)
    with SimulationContext(simulation, create_stage()) as sim:
        cfg = _SceneCfg(num_envs=envs, env_spacing=2.5, robot=robot)
        yield Running(sim, InteractiveScene(cfg), None)
    gc.collect()


def control_step(running: Running, targets: wp.array) -> None:
    """What a learning loop does between two decisions, all of it on the device."""
    running.robot.set_joint_position_target(targets)
    running.scene.simulate(DECIMATION)
    for name in READ:
        getattr(running.robot.data, name)


def contenders(running: Running, steps: int) -> tuple[Contender, Contender]:
    """The learning loop and the bare solver's graph, of so many control steps each."""
    rng = np.random.default_rng(0)
    home = running.robot.data.default_joint_pos.numpy()
    device = running.sim.engine.device
    targets = [
        wp.array(home + rng.normal(0.0, 0.1, home.shape), dtype=wp.float32, device=device)
        for _ in range(16)
    ]
    return _learning(running, targets, steps), _bare(running, targets, steps)


def room(running: Running) -> dict[str, int]:
    """Contacts and constraint rows per world that both have room for."""
    contacts, constraints = running.sim.engine.capacity
    return {"contacts": contacts, "constraints": constraints}


def _start(running: Running) -> np.ndarray[Any, Any]:
    """Coordinates of all worlds with the joints in their default positions."""
    layout = running.robot.root_view.layout
    qpos = np.array(running.sim.engine.initial.read("qpos"))
    qpos[:, layout.joint_qpos[0]] = running.robot.data.default_joint_pos.numpy()
    return qpos


def _learning(running: Running, targets: list[wp.array], steps: int) -> Contender:
    engine, start = running.sim.engine, _start(running)

    def restart() -> None:
        engine.check()
        engine.write("qpos", start)
        for field in ("qvel", "qacc_warmstart"):
            engine.write(field, 0.0)
        engine.refresh("xpos")
        wp.synchronize_device(engine.device)

    def run() -> None:
        for step in range(steps):
            control_step(running, targets[step % len(targets)])
        wp.synchronize_device(engine.device)

    return Contender(restart, run)


def _bare(running: Running, targets: list[wp.array], steps: int) -> Contender:
    """The solver's own steps in a graph, with the law of the actuators before each."""
    device = running.sim.engine.device
    with wp.ScopedDevice(device):
        bare = BareGraph(running)
        start = wp.array(_start(running), dtype=wp.float32)

    def restart() -> None:
        with wp.ScopedDevice(device):
            mjw.reset_data(bare.m, bare.d)
            wp.copy(bare.d.qpos, start)
        wp.synchronize_device(device)

    def run() -> None:
        for step in range(steps):
            bare.control_step(targets[step % len(targets)])
        wp.synchronize_device(device)

    return Contender(restart, run)


class BareGraph:
    """The model of a simulation in the bare solver, and a control step of it, recorded.

    Args:
        running: the simulation.
        envs: number of worlds; None: as many as it has.

    Attributes:
        m: the model on the current device.
        d: the data there.
    """

    def __init__(self, running: Running, envs: int | None = None):
        engine, layout = running.sim.engine, running.robot.root_view.layout
        model, envs = single_input(engine.world_model(0)), envs or engine.num_envs
        contacts, constraints = engine.capacity
        self.m = mjw.put_model(model)
        self.m.opt.warn_overflow = 0
        self.d = mjw.make_data(model, envs, nconmax=contacts, njmax=constraints)
        tables = (layout.joint_qpos, layout.joint_dofs, layout.drive_ctrls)
        self._ids = [wp.array(table[0], dtype=wp.int32) for table in tables]
        self._target = wp.zeros((envs, layout.num_joints), dtype=wp.float32)
        self._steps()
        with wp.ScopedCapture() as capture:
            self._steps()
        self._graph = capture.graph

    def _steps(self) -> None:
        d = self.d
        for _ in range(DECIMATION):
            wp.launch(
                apply_pd,
                self._target.shape,
                [*self._ids, _STIFFNESS, _DAMPING, _EFFORT, d.qpos, d.qvel, self._target],
                [d.ctrl],
            )
            mjw.step(self.m, d)

    def control_step(self, targets: wp.array) -> None:
        """Four steps towards targets, shape (envs, joints)."""
        wp.copy(self._target, targets)
        wp.capture_launch(self._graph)


def start_up(path: Path, envs: int, device: str, rounds: int) -> dict[str, float]:
    """Medians of what starting takes [s], after one start that compiles and loads all kernels.

    Args:
        path: the robot.
        envs: number of environments.
        device: where to simulate.
        rounds: further starts.
    """
    found = [_one_start(path, envs, device) for _ in range(rounds + 1)][1:]
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def _one_start(path: Path, envs: int, device: str) -> dict[str, float]:
    with _built(path, envs, device) as built:
        began = time.perf_counter()
        built.sim.reset()
        running = Running(built.sim, built.scene, built.scene["robot"])
        target = running.robot.data.default_joint_pos
        reset = _settled(device) - began
        times = []
        for _ in range(4):
            started = time.perf_counter()
            control_step(running, target)
            times.append(_settled(device) - started)
    steady = min(times[1:])
    return {
        "reset_s": reset,
        "first_step_s": reset + times[0],
        "record_s": times[0] - steady,
        "control_step_s": steady,
    }


def _settled(device: str) -> float:
    wp.synchronize_device(array_device(device))
    return time.perf_counter()


def measured_memory(path: Path, envs: int, device: str, kind: str) -> int:
    """Memory in use after a few control steps: of the GPU, or of this process [byte].

    Args:
        path: the robot.
        envs: number of worlds.
        device: where to simulate.
        kind: ``ours``, or ``bare`` for the same model in the bare solver.
    """
    with scene_of(path, envs if kind == "ours" else 1, device) as running:
        name, target = running.sim.engine.device, running.robot.data.default_joint_pos
        if kind == "ours":
            for _ in range(2):
                control_step(running, target)
            return _in_use(name)
        with wp.ScopedDevice(name):
            bare = BareGraph(running, envs)
            bare.control_step(wp.zeros((envs, target.shape[1]), dtype=wp.float32))
            return _in_use(name)


def _in_use(device: str) -> int:
    found = wp.get_device(device)
    if not found.is_cuda:
        return resident_memory()
    wp.synchronize_device(found)
    return int(found.total_memory - found.free_memory)
