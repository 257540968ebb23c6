"""Environments: what managers add to the scene's own loop, and what ground costs its contacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import usdsim

from .measure import Contender, alternate
from .registry import Row, Settings, Skip, benchmark

__all__ = ["environment_overhead", "terrain_contacts"]

_TASK = "quadruped-flat"
_SETTLE = 100
"""Time steps before contacts are timed: the robot stands then."""


@benchmark
def environment_overhead(settings: Settings) -> Iterator[Row | Skip]:
    """What a decision of the quadruped takes longer than its scene with the same targets.

    48 observations with noise, 10 rewards, commands, pushes and the resets of episodes that end,
    against targets that are set, four time steps and updates of assets and sensors.
    """
    try:
        import torch

        from usdsim.tasks import find_task
    except (ModuleNotFoundError, usdsim.UsdsimError) as error:
        yield Skip("environments", str(error))
        return
    count = 64 if settings.quick else 4096
    steps = 4
    with find_task(_TASK).make(num_envs=count, seed=0) as env:
        robot, scene = env.scene["robot"], env.scene
        actions = [0.3 * torch.randn(count, 12) for _ in range(steps)]
        target = robot.data.default_joint_pos.torch.clone()

        def begin() -> None:
            env.reset(seed=0)
            lengths = env.episode_length_buf
            lengths.copy_(torch.randint_like(lengths, env.max_episode_length))

        def decide() -> None:
            for action in actions:
                env.step(action)

        def simulate() -> None:
            for action in actions:
                robot.set_joint_position_target(target + 0.25 * action)
                scene.simulate(env.cfg.decimation)

        result = alternate(Contender(begin, decide), Contender(begin, simulate), settings.rounds(9))
    yield Row(
        f"decision of {count} quadrupeds beyond their scene's own loop",
        100.0 * (1.0 / result.ratio - 1.0),
        "%",
        15.0,
        detail={"ms": 1e3 * result.first / steps, "scene_ms": 1e3 * result.second / steps},
    )


@benchmark
def terrain_contacts(settings: Settings) -> Iterator[Row | Skip]:
    """A step of a quadruped that stands on each kind of the rough task's ground, over flat ground.

    Every kind is a field of six by eight pieces, of which the robot stands on one.
    """
    try:
        from usdsim.tasks.quadruped_rough import TERRAIN
    except (ModuleNotFoundError, usdsim.UsdsimError) as error:
        yield Skip("terrains", str(error))
        return
    flat = _standing("quadruped-flat")
    kinds = dict(list(TERRAIN.sub_terrains.items())[: 1 if settings.quick else None])
    for name, kind in kinds.items():
        ground = _standing("quadruped-rough", TERRAIN.replace(sub_terrains={name: kind}))
        result = alternate(_steps(ground), _steps(flat), settings.rounds(11))
        yield Row(f"step on {name}, times that on flat ground", 1.0 / result.ratio, "x")


def _standing(task: str, terrain: Any = None) -> usdsim.SceneModel:
    from usdsim.tasks import find_task

    cfg = find_task(task).env_cfg(num_envs=1, seed=0)
    if terrain is not None:
        cfg.scene.terrain.terrain_generator = terrain
    from usdsim.envs import ManagerBasedRLEnv

    with ManagerBasedRLEnv(cfg) as env:
        env.sim.write_back()
        return usdsim.load_model(env.sim.stage)


def _steps(model: usdsim.SceneModel) -> Contender:
    data = usdsim.SceneData(model, batch=(16,))
    first = np.array(data.actuator_ctrls)

    def restart() -> None:
        data.reset()
        data.actuator_ctrls = first
        model.step_n(data, _SETTLE)

    return Contender(restart, lambda: model.step_n(data, 200))
