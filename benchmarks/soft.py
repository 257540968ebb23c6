"""Deformable bodies against the bare engine, in the same process, in turn."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import mujoco.batch
import numpy as np
from pxr import Usd

import usdsim

from .measure import Contender, alternate
from .registry import Row, Settings, benchmark

__all__ = ["soft_bodies", "soft_cube"]

_FALL = 50
"""Steps before time is taken: the cube lies on the ground then."""


@benchmark
def soft_bodies(settings: Settings) -> Iterator[Row]:
    """A step of a soft cube on the ground, and the ratio to `mujoco.batch` on the same model.

    Both read where all vertices are after each step.
    """
    for cells in (2,) if settings.quick else (2, 5):
        model = usdsim.load_model(soft_cube(cells))
        vertices = int(model.low.nflexvert)
        for envs in (1,) if settings.quick or cells > 2 else (1, 64):
            steps = max(4, 2_000 // (cells**2 * envs))
            ours, bare = _scene_loop(model, envs, steps), _bare_loop(model.low, envs, steps)
            result = alternate(ours, bare, settings.rounds(15))
            case = f"cube of {vertices} vertices, {envs} world{'s' * (envs > 1)}"
            detail = {"bare_ms_per_step": 1e3 * result.second / steps}
            yield Row(f"{case}, one step", 1e3 * result.first / steps, "ms", detail=detail)
            label = f"{case}, ratio to the bare engine"
            yield Row(label, result.ratio, "x", 0.9, at_least=True)


def soft_cube(cells: int) -> Usd.Stage:
    """A cube of 0.2 m and 4 kg that lies on the ground.

    Args:
        cells: along each side, with a point in the middle of each.
    """
    from usdsim.schemas import PhysxDeformableBodyPropertiesCfg
    from usdsim.spawners import DeformableBodyMaterialCfg, GroundPlaneCfg, MeshCuboidCfg
    from usdsim.usd import create_stage

    stage = create_stage()
    ground = GroundPlaneCfg()
    ground.func("/ground", ground, stage=stage)
    cube = MeshCuboidCfg(
        size=(0.2, 0.2, 0.2),
        deformable_props=PhysxDeformableBodyPropertiesCfg(
            mass=4.0, simulation_hexahedral_resolution=cells
        ),
        physics_material=DeformableBodyMaterialCfg(
            youngs_modulus=1e5, poissons_ratio=0.3, elasticity_damping=0.01
        ),
    )
    cube.func("/cube", cube, translation=(0.0, 0.0, 0.1), stage=stage)
    return stage


def _scene_loop(model: usdsim.SceneModel, envs: int, steps: int) -> Contender:
    data = usdsim.SceneData(model, batch=(envs,))

    def restart() -> None:
        data.reset()
        model.step_n(data, _FALL)

    def run() -> None:
        for _ in range(steps):
            model.step(data)
            np.array(data.low.read("flexvert_xpos"))

    return Contender(restart, run)


def _bare_loop(low: mujoco.MjModel, envs: int, steps: int) -> Contender:
    batch = mujoco.batch.Batch(low, envs, persistent=True)
    points, stage = batch.bind("flexvert_xpos"), mujoco.mjtStage.mjSTAGE_VEL

    def restart() -> None:
        batch.reset(keyframe=-1)
        for _ in range(_FALL):
            batch.step(stage=stage)

    def run() -> None:
        for _ in range(steps):
            batch.step(stage=stage)
            np.array(points)

    return Contender(restart, run)
