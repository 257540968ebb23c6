"""Environments authored differently, and worlds randomised while they run, on both engines."""

from __future__ import annotations

import numpy as np
import pytest
from articulation_stages import ANYWHERE, ARM, INERTIA, MASS, ROBOT, advance, chain, environments
from asset_stages import G, cuboid
from pxr import UsdPhysics

from usdsim.assets import RigidObject, RigidObjectCfg
from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.spawners import GroundPlaneCfg, RigidBodyMaterialCfg

pytestmark = pytest.mark.usefixtures("device")

DT, STEPS = 0.002, 100
HEIGHTS, MASSES, FRICTIONS = (0.1, 0.2, 0.3), (1.0, 2.0, 5.0), (0.05, 0.3, 0.9)


def surface(friction):
    # The greater of two frictions counts, and the ground has none.
    return RigidBodyMaterialCfg(
        static_friction=friction, dynamic_friction=friction, friction_combine_mode="max"
    )


def test_environments_may_author_sizes_masses_and_materials_of_their_own(make_sim):
    angle = np.radians(20.0)
    sim = make_sim(gravity=(0.0, G * np.sin(angle), -G * np.cos(angle)), dt=DT)
    ground = GroundPlaneCfg(physics_material=surface(0.0))
    ground.func("/World/floor", ground, stage=sim.stage)
    for i, (height, mass, friction) in enumerate(zip(HEIGHTS, MASSES, FRICTIONS, strict=True)):
        cfg = cuboid(size=(0.4, 0.4, height), mass=mass, physics_material=surface(friction))
        cfg.func(
            f"/World/envs/env_{i}/box", cfg, translation=(0.0, 0.0, height / 2), stage=sim.stage
        )
    box = RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/box"))
    sim.reset()
    np.testing.assert_allclose(box.data.body_mass.numpy()[:, 0], MASSES, rtol=1e-6)
    sim.step_n(STEPS)
    pos = box.data.root_link_pos_w.numpy()
    slide = [max(0.0, np.sin(angle) - mu * np.cos(angle)) for mu in FRICTIONS]
    expected = 0.5 * G * np.array(slide) * (STEPS * DT) ** 2
    np.testing.assert_allclose(pos[:, 1], expected, rtol=0.03, atol=1e-3)
    np.testing.assert_allclose(pos[:, 2], np.array(HEIGHTS) / 2, atol=1e-3)
    assert expected[0] > 0.05 and expected[2] == 0.0


@pytest.fixture
def pendulums():
    """Three of them, without gravity, of which the second environment authors another drive."""
    stage = environments(chain(1, drive={"Stiffness": 0.5, "Damping": 0.0}), 3)
    joint = ROBOT.replace("env_0", "env_1") + "/joint_1"
    drive = UsdPhysics.DriveAPI(stage.GetPrimAtPath(joint), "angular")
    drive.GetStiffnessAttr().Set(1.0)
    with SimulationContext(SimulationCfg(dt=DT, gravity=(0.0, 0.0, 0.0)), stage) as sim:
        robot = Articulation(ArticulationCfg(prim_path=ANYWHERE))
        sim.reset()
        yield sim, robot


def swing(sim, robot, count):
    """Angle after some steps from rest at 0.2 rad, shape (3,)."""
    robot.write_joint_state_to_sim(np.full((3, 1), 0.2), np.zeros((3, 1)))
    robot.set_joint_position_target(np.zeros((3, 1)))
    advance(sim, robot, count)
    return robot.data.joint_pos.numpy()[:, 0].copy()


def harmonic(stiffness, inertia, time):
    return 0.2 * np.cos(np.sqrt(np.array(stiffness) / np.array(inertia)) * time)


def test_drives_swing_as_each_world_says_whether_authored_or_randomised(pendulums):
    sim, robot = pendulums
    degree = 180.0 / np.pi
    about = INERTIA + MASS * ARM**2
    found = swing(sim, robot, STEPS)
    authored = np.array([0.5, 1.0, 0.5]) * degree
    np.testing.assert_allclose(found, harmonic(authored, about, STEPS * DT), atol=3e-3)

    robot.write_joint_stiffness_to_sim(20.0, env_ids=[2])
    robot.set_masses([[3.0]], body_ids=[1], env_ids=[0])
    robot.set_inertias([[[0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.2]]], body_ids=[1], env_ids=[0])
    robot.write_joint_armature_to_sim(0.3, env_ids=[1])
    stiffness = [authored[0], authored[1], 20.0]
    inertia = [0.2 + 3.0 * ARM**2, about + 0.3, about]
    found = swing(sim, robot, STEPS)
    np.testing.assert_allclose(found, harmonic(stiffness, inertia, STEPS * DT), atol=3e-3)

    robot.set_coms([[[0.0, 0.0, -0.2, 0, 0, 0, 1]]], body_ids=[1], env_ids=[2])
    robot.write_joint_position_limit_to_sim([[[0.15, 0.3]]], env_ids=[0])
    inertia[2] = INERTIA + MASS * 0.2**2
    found = swing(sim, robot, STEPS)
    expected = harmonic(stiffness, inertia, STEPS * DT)
    np.testing.assert_allclose(found[1:], expected[1:], atol=4e-3)
    assert expected[0] < 0.1 and found[0] > 0.14


def test_what_was_randomised_stays_through_resets(pendulums):
    sim, robot = pendulums
    robot.write_joint_stiffness_to_sim([[3.0], [4.0], [5.0]])
    robot.set_masses([[1.5]], body_ids=[1], env_ids=[2])
    before = swing(sim, robot, STEPS)
    robot.reset([0, 2])
    sim.reset(soft=True)
    np.testing.assert_allclose(robot.data.joint_stiffness.numpy()[:, 0], [3.0, 4.0, 5.0])
    np.testing.assert_allclose(robot.data.body_mass.numpy()[:, 1], [MASS, MASS, 1.5])
    np.testing.assert_allclose(swing(sim, robot, STEPS), before, atol=1e-6)
