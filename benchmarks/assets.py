"""The asset door against the bare engine: a learning step, resets, and memory."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mujoco
import mujoco.batch
import numpy as np

from .measure import Comparison, Contender, alternate, in_child
from .models import model_file
from .registry import Row, Settings, benchmark

__all__ = [
    "READ",
    "asset_memory",
    "asset_period",
    "asset_reset",
    "asset_step",
    "resident_memory",
    "robots",
]

_ROBOT = "go1"
_DECIMATION = 4
_STEP = 0.005
_ENV_STEPS = 4_096
READ = (
    "joint_pos", "joint_vel", "joint_acc", "root_pos_w", "root_quat_w", "root_lin_vel_w",
    "root_ang_vel_w", "root_lin_vel_b", "root_ang_vel_b", "projected_gravity_b",
    "body_link_pos_w", "body_link_quat_w",
)  # fmt: skip
"""What a policy and its rewards look at."""
_VEL = mujoco.mjtStage.mjSTAGE_VEL


@contextmanager
def robots(
    path: Path, num_envs: int, actuators: dict[str, Any] | None = None
) -> Iterator[tuple[Any, Any]]:
    """A simulation with a robot on the ground in every environment, and the robots.

    Args:
        path: the robot.
        num_envs: number of environments.
        actuators: configurations of its actuators; None: the engine's drives for all joints.
    """
    from pxr import UsdGeom

    from usdsim.actuators import ImplicitActuatorCfg
    from usdsim.assets.articulation.cfg import ArticulationCfg
    from usdsim.sim.cfg import SimulationCfg
    from usdsim.sim.context import SimulationContext
    from usdsim.spawners import GroundPlaneCfg, clone_environments
    from usdsim.usd.stage import create_stage

    stage = create_stage()
    for prim in ("/World", "/World/envs", "/World/envs/env_0"):
        UsdGeom.Xform.Define(stage, prim)
    robot = UsdGeom.Xform.Define(stage, "/World/envs/env_0/Robot").GetPrim()
    robot.GetReferences().AddReference(str(path))
    with SimulationContext(SimulationCfg(dt=_STEP), stage) as sim:
        GroundPlaneCfg().func("/World/ground", GroundPlaneCfg())
        # Instances share their prims, of which a stage would have hundreds of thousands else.
        clone_environments("/World/envs/env_0", num_envs, 2.5, instanceable=True, stage=stage)
        legs = ImplicitActuatorCfg(
            joint_names_expr=[".*"], stiffness=25.0, damping=0.5, effort_limit_sim=25.0
        )
        cfg = ArticulationCfg(
            prim_path="{ENV_REGEX_NS}/Robot",
            init_state=_standing(),
            actuators={"legs": legs} if actuators is None else actuators,
        )
        articulation = cfg.class_type(cfg)
        sim.reset()
        yield sim, articulation


def _standing() -> Any:
    from usdsim.assets.articulation.cfg import ArticulationCfg

    return ArticulationCfg.InitialStateCfg(
        joint_pos={"(?i).*(calf|knee).*": -1.6, "(?i).*(thigh|pitch).*": 0.8}
    )


def converted(settings: Settings) -> tuple[str, Path]:
    """The robot as a USD file."""
    from usdsim.converters import convert

    name, source = model_file(settings, f"mjlab_{_ROBOT}")
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    target = Path(folder.name) / f"{name}.usdc"
    convert(source, target)
    return name, target


@benchmark
def asset_step(settings: Settings) -> Iterator[Row]:
    """Targets, four times actuators and 5 ms of physics, twelve quantities; against physics."""
    name, path = converted(settings)
    for envs in (1, 64) if settings.quick else (1, 1024, 4096):
        steps = max(1, min(200, _ENV_STEPS // envs))
        with robots(path, envs) as (sim, robot):
            ours, bare = _learning(sim, robot, steps), _physics(sim, robot, steps)
            result = alternate(ours, bare, settings.rounds(11 if envs > 1 else 31))
        detail = _speeds(result, envs * steps * _DECIMATION)
        if envs == 1:
            added = 1e6 * result.added / steps
            label = f"{name}, 1 world, added per learning step"
            yield Row(label, added, "us", 60.0, detail=detail)
        else:
            label = f"{name}, {envs} worlds, ratio to physics alone"
            yield Row(label, result.ratio, "x", 0.93, at_least=True, detail=detail)


@benchmark
def asset_period(settings: Settings) -> Iterator[Row]:
    """The same learning step by `InteractiveScene.simulate`, against steps and one call of four."""
    name, path = converted(settings)
    for envs in (1, 64) if settings.quick else (1, 1024, 4096):
        steps = max(1, min(200, _ENV_STEPS // envs))
        with robots(path, envs) as (sim, robot):
            ours = _learning(sim, robot, steps, held=True)
            for calls, target in ((_DECIMATION, 1.2), (1, 0.95)):
                bare = _physics(sim, robot, steps, calls)
                result = alternate(ours, bare, settings.rounds(11 if envs > 1 else 31))
                detail = _speeds(result, envs * steps * _DECIMATION)
                if envs == 1:
                    label = f"{name}, 1 world, added to physics in {calls} calls"
                    yield Row(label, 1e6 * result.added / steps, "us", 60.0, detail=detail)
                    continue
                label = f"{name}, {envs} worlds, ratio to physics in {calls} calls"
                yield Row(label, result.ratio, "x", target, at_least=True, detail=detail)


@benchmark
def asset_reset(settings: Settings) -> Iterator[Row]:
    """Putting a tenth of the robots into given states, against the bare engine doing so."""
    name, path = converted(settings)
    envs = 64 if settings.quick else 4096
    with robots(path, envs) as (sim, robot):
        ours, bare = _resetting(sim, robot)
        result = alternate(ours, bare, settings.rounds(31))
    detail = {"ms": 1e3 * result.first, "bare_ms": 1e3 * result.second}
    label = f"{name}, a tenth of {envs} worlds, time against bare"
    yield Row(label, 1.0 / result.ratio, "x", 1.3, detail=detail)


@benchmark
def asset_memory(settings: Settings) -> Iterator[Row]:
    """Memory of worlds with robots, read and driven, against the engine's own."""
    name, path = converted(settings)
    few, many = (64, 128) if settings.quick else (1024, 4096)
    per_world = {}
    for kind in ("ours", "bare"):
        sizes = [in_child(_MEMORY.format(path=str(path), envs=n, kind=kind)) for n in (few, many)]
        per_world[kind] = (sizes[1] - sizes[0]) / (many - few)
    detail = {f"{kind}_kib": size / 1024.0 for kind, size in per_world.items()}
    ratio = per_world["ours"] / per_world["bare"] if per_world["bare"] > 0 else float("nan")
    yield Row(f"{name}, memory per world against bare", ratio, "x", 1.3, detail=detail)


_MEMORY = """
from pathlib import Path
from benchmarks.assets import measured_memory
print(measured_memory(Path({path!r}), {envs}, {kind!r}))
"""


def measured_memory(path: Path, envs: int, kind: str) -> int:
    """Resident memory of this process after a few steps [byte].

    Args:
        path: the robot.
        envs: number of worlds.
        kind: ``ours``, or ``bare`` for the same model in the bare engine.
    """
    if kind == "ours":
        with robots(path, envs) as (sim, robot):
            _learning(sim, robot, 2).run()
            return resident_memory()
    with robots(path, 1) as (sim, _):
        model = sim.engine.world_model(0)
    batch = mujoco.batch.Batch(model, envs, persistent=True)
    for name in ("ctrl", "qpos", "qvel", "xpos", "xquat", "cvel"):
        batch.bind(name)
    batch.reset()
    for _ in range(2 * _DECIMATION):
        batch.step(stage=_VEL)
    return resident_memory()


def resident_memory() -> int:
    """Memory of this process [byte]."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return 1024 * int(line.split()[1])
    raise RuntimeError("this system does not tell the memory of a process")


def _speeds(result: Comparison, env_steps: int) -> dict[str, Any]:
    return {
        "env_steps_per_s": env_steps / result.first,
        "bare_env_steps_per_s": env_steps / result.second,
    }


def _targets(robot: Any) -> list[np.ndarray[Any, Any]]:
    """Sixteen sets of position targets near the default ones, shape (envs, joints)."""
    rng = np.random.default_rng(0)
    home = robot.data.default_joint_pos.numpy()
    return [home + rng.normal(0.0, 0.1, home.shape).astype(np.float32) for _ in range(16)]


def _start(sim: Any, robot: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """States the robots stand in: coordinates and velocities of all worlds."""
    layout = robot.root_view.layout
    qpos = np.array(sim.engine.initial.read("qpos"))
    qpos[:, layout.joint_qpos[0]] = robot.data.default_joint_pos.numpy()
    return qpos, np.zeros((len(qpos), sim.engine.compiled.mj.nv))


def _learning(sim: Any, robot: Any, steps: int, *, held: bool = False) -> Contender:
    from usdsim.sim.interactive_scene.step_graphs import StepGraphs

    period = StepGraphs(sim)
    targets, data = _targets(robot), robot.data
    qpos, qvel = _start(sim, robot)

    def restart() -> None:
        sim.engine.write("qpos", qpos)
        sim.engine.write("qvel", qvel)
        sim.engine.write("qacc_warmstart", 0.0)
        sim.engine.read("xpos")

    def run() -> None:
        for step in range(steps):
            robot.set_joint_position_target(targets[step % 16])
            if held:
                period.steps(_DECIMATION, [robot], [])
            for _ in range(0 if held else _DECIMATION):
                robot.write_data_to_sim()
                sim.step()
                robot.update(_STEP)
            for name in READ:
                getattr(data, name).numpy()

    return Contender(restart, run)


def _physics(sim: Any, robot: Any, steps: int, calls: int = _DECIMATION) -> Contender:
    """The same motion in a batch of its own, a period in some number of calls."""
    batch, layout = _bare(sim), robot.root_view.layout
    qpos, qvel = _start(sim, robot)
    ctrl = batch.bind("ctrl")
    columns = layout.drive_ctrls[0]
    targets = [target.astype(np.float64) for target in _targets(robot)]
    states = {"qpos": qpos, "qvel": qvel, "qacc_warmstart": 0.0}

    def restart() -> None:
        for name, value in states.items():
            batch.bind(name)[...] = value
        batch.forward(stage=_VEL)

    def run() -> None:
        for step in range(steps):
            ctrl[:, columns] = targets[step % 16]
            for _ in range(calls):
                batch.step(nstep=_DECIMATION // calls, stage=_VEL)

    return Contender(restart, run)


def _bare(sim: Any) -> mujoco.batch.Batch:
    engine = sim.engine
    model = engine.world_model(0)
    threads = min(engine.threads, engine.num_envs)
    return mujoco.batch.Batch(model, engine.num_envs, threads, persistent=True)


def _resetting(sim: Any, robot: Any) -> tuple[Contender, Contender]:
    """Both write root pose, root velocity and joint state, and have the links' poses after it."""
    envs = sim.num_envs
    rng = np.random.default_rng(0)
    ids = np.sort(rng.choice(envs, max(1, envs // 10), replace=False))
    data = robot.data
    pose = data.root_link_pose_w.numpy()[ids].copy()
    velocity = rng.normal(size=(len(ids), 6)).astype(np.float32)
    position = data.default_joint_pos.numpy()[ids].copy()
    speed = np.zeros_like(position)

    def ours() -> None:
        robot.write_root_pose_to_sim(pose, ids)
        robot.write_root_velocity_to_sim(velocity, ids)
        robot.write_joint_state_to_sim(position, speed, None, ids)
        robot.reset(ids)
        sim.engine.read("xpos")

    batch, layout = _bare(sim), robot.root_view.layout
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    batch.bind("xpos")
    start_q = np.array(sim.engine.read("qpos"))[ids]
    start_q[:, layout.joint_qpos[0]] = position
    start_v = np.zeros((len(ids), sim.engine.compiled.mj.nv))

    def bare() -> None:
        qpos[ids] = start_q
        qvel[ids] = start_v
        batch.forward(ids, _VEL)

    # As in training: resets come between steps.
    return Contender(sim.step, ours), Contender(lambda: batch.step(stage=_VEL), bare)
