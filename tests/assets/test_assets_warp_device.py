"""Assets report and do the same on a Warp device as on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from articulation_stages import ANYWHERE, advance, chain, environments, values
from device_under_test import DEVICE

from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.sim import SimulationCfg, SimulationContext
from usdsim.views.quantity import Quantity

pytest.importorskip("mujoco_warp")

ENVS = 3
GAINS = {"Stiffness": 0.2, "Damping": 0.02}
"""Of the drives [N m/deg, N m s/deg]."""


def quantities(robot):
    """Names of everything an articulation's data compute."""
    kind = type(robot.data)
    names = [name for name in dir(kind) if isinstance(getattr(kind, name, None), Quantity)]
    return [name for name in names if not name.startswith("_")]


def play(device):
    """Readings of all quantities at three moments."""
    stage = environments(chain(2, fixed=False, height=2.0, drive=GAINS), ENVS)
    cfg = SimulationCfg(device=device, dt=0.005)
    record = []
    with SimulationContext(cfg, stage) as simulation:
        robot = Articulation(ArticulationCfg(prim_path=ANYWHERE))
        simulation.reset()
        values(robot.data.joint_acc)
        advance(simulation, robot, 5)
        record.append(readings(robot))
        robot.write_joint_state_to_sim([[0.3, -0.2]], [[1.0, 0.5]], env_ids=[1])
        robot.write_joint_stiffness_to_sim(3.0, env_ids=[2])
        robot.set_masses([[2.5, 1.0, 0.5]], env_ids=[0])
        robot.set_joint_position_target([[0.5, 0.1], [0.0, 0.2], [0.3, 0.4]])
        robot.set_joint_effort_target([[0.1, 0.0]], env_ids=[0])
        pose = np.tile([0.0, 0.0, 3.0, 0.0, 0.6, 0.0, 0.8], (1, 1))
        robot.write_root_link_pose_to_sim(pose, env_ids=[2])
        record.append(readings(robot))
        advance(simulation, robot, 40)
        record.append(readings(robot))
        robot.reset([0])
        simulation.reset(soft=True)
        record.append(readings(robot))
    return record


def readings(robot):
    return {name: values(getattr(robot.data, name)) for name in quantities(robot)}


@pytest.mark.parametrize("memory", ["shared", "separate"])
def test_every_quantity_of_an_articulation_agrees(memory, request):
    wanted = play("cpu")
    if memory == "separate":
        request.getfixturevalue("separate_memory")
    found = play(DEVICE)
    assert len(wanted[0]) > 40
    for moment, (cpu, device) in enumerate(zip(wanted, found, strict=True)):
        for name, expected in cpu.items():
            loose = 5e-2 if "acc" in name else 2e-3
            scale = max(1.0, np.abs(expected[np.isfinite(expected)]).max(initial=0.0))
            np.testing.assert_allclose(
                device[name], expected, atol=loose * scale, err_msg=f"{name} at {moment}"
            )
