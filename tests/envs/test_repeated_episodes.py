"""Motion that depends on the seed alone."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from usdsim.envs import (  # noqa: E402
    ManagerBasedEnv,
    ManagerBasedEnvCfg,
    ManagerBasedRLEnv,
    mdp,
)
from usdsim.envs.managers import ObservationGroupCfg, ObservationTermCfg  # noqa: E402
from usdsim.tasks import find_task  # noqa: E402


class JointPositions(ObservationGroupCfg):
    pos = ObservationTermCfg(func=mdp.joint_pos)


@pytest.mark.parametrize("episodes", [True, False])
def test_a_seed_gives_the_same_motion_whatever_was_before(episodes: bool):
    """With contacts, as what the solver begins with changes last bits of its result."""
    task = find_task("quadruped-flat").env_cfg()
    task.scene.num_envs = 2

    class Plain(ManagerBasedEnvCfg):
        sim, scene, decimation, seed = task.sim, task.scene, task.decimation, 0
        actions, events, observations = task.actions, task.events, {"policy": JointPositions()}

    with ManagerBasedRLEnv(task) if episodes else ManagerBasedEnv(Plain()) as env:
        runs = []
        for _ in range(2):
            env.reset(seed=5)
            for _ in range(10):
                env.step(torch.full((2, 12), 0.2))
            runs.append(env.sim.engine.read("qpos").copy())
    np.testing.assert_array_equal(*runs)
