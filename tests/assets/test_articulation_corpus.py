"""Real robots as articulations: found whole, and moving as authored while nothing is commanded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from articulation_stages import advance, values
from device_under_test import DEVICE

from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.converters import convert
from usdsim.engine import CpuEngine
from usdsim.parser.stage import parse_stage
from usdsim.sim.context import SimulationContext
from usdsim.usd.stage import open_stage

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.parametrize(
        "device", ["cpu", pytest.param(DEVICE, marks=pytest.mark.nightly)], indirect=True
    ),
]

ROBOTS = {
    "mjcf/mjlab_go1": 12,
    "mjcf/mink_allegro": 16,
    "mjcf/gym_humanoid": 17,
    "mjcf/rs_panda_gripper": 2,
    "usd/examples/ant.usda": 8,
    "usd/tests/four_link_chain_articulation.usda": 3,
    "usd/tests/revolute_articulation.usda": 1,
}
"""Robots and their number of hinges and slides."""


def stage_of(path: Path, folder: Path):
    if path.suffix == ".usda":
        return open_stage(path)
    source = sorted(path.rglob("*.xml"), key=lambda p: ("scene" not in p.name, len(str(p))))[0]
    convert(source, folder / "robot.usdc")
    return open_stage(folder / "robot.usdc")


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_as_authored(corpus, name, tmp_path, device):
    stage = stage_of(corpus / name, tmp_path)
    scene = parse_stage(stage).scene
    (found,) = scene.articulations[:1]
    axes = {
        dof.name or scene.joints[j].name or dof.path.rsplit("/", 1)[1]: dof
        for j in found.joints
        for dof in scene.joints[j].dofs
        if dof.kind in ("hinge", "slide")
    }
    start = {
        joint: float(np.clip(0.0, dof.lower, dof.upper))
        for joint, dof in axes.items()
        if not dof.lower <= 0.0 <= dof.upper
    }
    state = ArticulationCfg.InitialStateCfg(joint_pos=start)
    with SimulationContext(stage=stage) as sim:
        robot = Articulation(ArticulationCfg(prim_path=found.path, init_state=state))
        sim.reset()
        assert robot.num_joints == ROBOTS[name] == len(axes)
        assert robot.num_bodies == len(found.bodies)
        bare = CpuEngine(sim.engine.compiled, 1, threads=1)
        advance(sim, robot, 10)
        bare.step(10)
        # Targets are float32.
        np.testing.assert_allclose(
            sim.engine.read("qpos"), bare.read("qpos"), atol=1e-6 if device == "cpu" else 1e-4
        )
        assert np.isfinite(values(robot.data.body_incoming_joint_wrench_b)).all()
        limits = values(robot.data.soft_joint_pos_limits)
        assert (limits[..., 0] <= limits[..., 1]).all()
