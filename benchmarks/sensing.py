"""Sensors at the asset door, read after every change, against bare MuJoCo measuring the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import mujoco
import mujoco.batch
import numpy as np

from .assets import converted
from .measure import Contender, alternate
from .registry import Row, Settings, benchmark

__all__ = ["height_scans", "joint_wrenches", "ray_casters"]

_GRID = (1.6, 1.0)
"""Extent of a height scan [m]: 17 by 11 rays at 0.1 m."""


@contextmanager
def _sensing(path: Path, envs: int, sensor: Any, terrain: Any = None) -> Iterator[tuple[Any, Any]]:
    """A simulation with a robot and a sensor in every environment, and the sensor."""
    from pxr import UsdGeom

    from usdsim.sim.cfg import SimulationCfg
    from usdsim.sim.context import SimulationContext
    from usdsim.spawners import GroundPlaneCfg, clone_environments
    from usdsim.terrains import TerrainImporter
    from usdsim.usd.stage import create_stage

    stage = create_stage()
    for prim in ("/World", "/World/envs", "/World/envs/env_0"):
        UsdGeom.Xform.Define(stage, prim)
    robot = UsdGeom.Xform.Define(stage, "/World/envs/env_0/Robot").GetPrim()
    robot.GetReferences().AddReference(str(path))
    with SimulationContext(SimulationCfg(dt=0.005), stage) as sim:
        if terrain is None:
            GroundPlaneCfg().func("/World/ground", GroundPlaneCfg())
        else:
            TerrainImporter(terrain)
        clone_environments("/World/envs/env_0", envs, 0.5, instanceable=True, stage=stage)
        made = sensor.class_type(sensor)
        sim.reset()
        yield sim, made


def _rough() -> Any:
    """Terrain of pyramids, steps and noise."""
    from usdsim.tasks.quadruped_rough import TERRAIN
    from usdsim.terrains import TerrainImporterCfg

    return TerrainImporterCfg(prim_path="/World/ground", terrain_generator=TERRAIN)


@benchmark
def height_scans(settings: Settings) -> Iterator[Row]:
    """Heights under 187 points around each robot, over `Batch.ray` in the robots' worlds."""
    name, path = converted(settings)
    envs = 64 if settings.quick else 4096
    for ground, terrain, target in (("a plane", None, 0.6), ("rough ground", _rough(), 0.2)):
        with _sensing(path, envs, _scan(path), terrain) as (sim, scan):
            yield _rays(settings, sim, scan, f"{name}, {envs} worlds over {ground}", target)


@benchmark
def ray_casters(settings: Settings) -> Iterator[Row]:
    """A lidar of 16 by 36 rays on each robot, over `Batch.ray` in the robots' worlds."""
    from usdsim.sensors import OffsetCfg, RayCasterCfg
    from usdsim.sensors.patterns import LidarPatternCfg

    name, path = converted(settings)
    lidar = RayCasterCfg(
        prim_path=_trunk(path),
        mesh_prim_paths=["/World/ground"],
        offset=OffsetCfg(pos=(0.0, 0.0, 0.5)),
        max_distance=20.0,
        pattern_cfg=LidarPatternCfg(
            channels=16,
            vertical_fov_range=(-45.0, 15.0),
            horizontal_fov_range=(0.0, 350.0),
            horizontal_res=10.0,
        ),
    )
    for envs in (1, 64) if settings.quick else (1, 256):
        case = f"{name}, {envs} world{'s' if envs > 1 else ''} over rough ground"
        with _sensing(path, envs, lidar, _rough()) as (sim, caster):
            yield _rays(settings, sim, caster, case, 0.3)


def _trunk(path: Path) -> str:
    """Expression for the first body of a robot."""
    from pxr import Usd, UsdPhysics

    stage = Usd.Stage.Open(str(path))
    root = stage.GetDefaultPrim().GetPath()
    bodies = (prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.RigidBodyAPI))
    return f"{{ENV_REGEX_NS}}/Robot/{next(bodies).GetPath().MakeRelativePath(root)}"


def _scan(path: Path) -> Any:
    from usdsim.sensors import OffsetCfg, RayCasterCfg
    from usdsim.sensors.patterns import GridPatternCfg

    return RayCasterCfg(
        prim_path=_trunk(path),
        mesh_prim_paths=["/World/ground"],
        offset=OffsetCfg(pos=(0.0, 0.0, 3.0)),
        ray_alignment="yaw",
        pattern_cfg=GridPatternCfg(size=_GRID, resolution=0.1),
    )


def _rays(settings: Settings, sim: Any, caster: Any, case: str, target: float) -> Row:
    """A sample of a caster, poses and hit points included, against rays in the robots' worlds."""
    engine = sim.engine
    pose = np.array(engine.read("qpos"))
    count = engine.num_envs
    rays = caster.num_rays
    _ = caster.data
    start, direction = (array.numpy().copy() for array in caster._cast[:2])
    low = engine.world_model(0)
    ground = [k for k, p in enumerate(engine.compiled.names.paths("geom")) if "ground" in p]
    low.geom_group[:] = 0
    low.geom_group[ground] = 1
    batch = mujoco.batch.Batch(low, count)
    np.copyto(batch.bind("qpos"), pose)
    group = np.array([0, 1, 0, 0, 0, 0], np.uint8)

    def ours() -> None:
        caster.update(0.0, force_recompute=True)
        caster.data.ray_hits_w.numpy()

    def bare() -> None:
        distance, _, _ = batch.ray(start, direction, group, normal=True)
        _ = start + distance[..., None] * direction

    result = alternate(Contender(_nothing, ours), Contender(_nothing, bare), settings.rounds(21))
    detail = {"ms": 1e3 * result.first, "bare_ms": 1e3 * result.second, "rays": rays}
    return Row(f"{case}, time over bare", 1.0 / result.ratio, "x", target, detail=detail)


@benchmark
def joint_wrenches(settings: Settings) -> Iterator[Row]:
    """Joint wrenches of every body, read after each write, over `mj_forward` and ``cfrc_int``."""
    from usdsim.sensors import JointWrenchSensorCfg

    name, path = converted(settings)
    cfg = JointWrenchSensorCfg(prim_path="{ENV_REGEX_NS}/Robot")
    with _sensing(path, 1, cfg) as (sim, sensor):
        engine = sim.engine
        control, low = np.array(engine.read("ctrl")), sim.engine.compiled.mj
        state = mujoco.MjData(low)
        state.qpos[:] = engine.read("qpos")[0]
        wrenches = np.empty((low.nbody, 6))

        def ours() -> None:
            for _ in range(100):
                engine.write("ctrl", control)
                sensor.data.force.numpy()

        def bare() -> None:
            for _ in range(100):
                state.ctrl[:] = control[0]
                mujoco.mj_forward(low, state)
                mujoco.mj_rnePostConstraint(low, state)
                arm = state.subtree_com[low.body_rootid] - state.xpos
                wrenches[:, :3] = state.cfrc_int[:, 3:]
                wrenches[:, 3:] = state.cfrc_int[:, :3] + np.cross(arm, wrenches[:, :3])

        result = alternate(
            Contender(_nothing, ours), Contender(_nothing, bare), settings.rounds(21)
        )
    detail = {"us": 1e4 * result.first, "bare_us": 1e4 * result.second}
    yield Row(f"{name}, 1 world, time over bare", 1.0 / result.ratio, "x", 1.5, detail=detail)


def _nothing() -> None:
    pass
