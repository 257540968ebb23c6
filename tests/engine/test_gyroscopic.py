"""Bodies without gyroscopic torque: closed forms on both engines, single worlds, and the stage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_scenes import Z, body, pose, scene
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene, create_engine
from usdsim.math.rotations import quat_apply
from usdsim.parser import parse_stage

STEP = 0.002
SPIN = np.array([2.0, 3.0, 1.0])
INERTIA = np.array([0.1, 0.2, 0.3])
TILT = pose((0.0, 0.0, 0.0), Z, 0.7)


def spinning(**values):
    """A body of three moments of inertia that spins about none of its axes."""
    top = body(at=TILT, inertia=INERTIA, angular_velocity=SPIN, gyroscopic=False, **values)
    return replace(scene([top], timestep=STEP), gravity=np.zeros(3))


def angular_velocity(sim) -> np.ndarray:
    """In world [rad/s], shape (num_envs, 3)."""
    qpos, qvel = sim.read("qpos"), sim.read("qvel")
    return quat_apply(np.roll(qpos[:, 3:7], -1, axis=1), qvel[:, 3:6])


def test_a_body_without_gyroscopic_torque_keeps_its_rotation(device):
    sim = create_engine(compile_scene(spinning()), 2, device=device)
    for _ in range(250):
        sim.step()
    np.testing.assert_allclose(angular_velocity(sim), [SPIN, SPIN], rtol=1e-4)
    assert not sim.state("xfrc_applied").any()


def test_a_torque_of_a_program_acts_on_the_inertia_alone_and_stays(device):
    sim = create_engine(compile_scene(spinning()), 3, device=device)
    torque = np.array([0.3, -0.2, 0.4])
    sim.write("xfrc_applied", [[*np.zeros(3), *torque]], ids=[1])
    sim.step(env_ids=[0, 2])
    turn = quat_apply(np.tile(TILT.quat, (3, 1)), np.eye(3))
    change = STEP * turn.T @ np.diag(1.0 / INERTIA) @ turn @ torque
    found = angular_velocity(sim)
    # Derivatives of gyroscopic torque, which the integrator has, turn it by a step of rotation.
    np.testing.assert_allclose(found[[0, 2]] - SPIN, [change, change], rtol=0.02)
    np.testing.assert_allclose(found[1], SPIN, rtol=1e-6)
    assert sim.read("xfrc_applied")[:, 1, 3:] == pytest.approx(np.tile(torque, (3, 1)))


def test_inertia_of_each_world_counts(device):
    sim = create_engine(compile_scene(spinning(com=0.1 * Z)), 2, device=device)
    sim.set_param("body_inertia", [[[0.3, 0.2, 0.15]]], env_ids=[1], ids=[1])
    sim.step(250)
    np.testing.assert_allclose(angular_velocity(sim), [SPIN, SPIN], rtol=1e-3)


def stage(*apis: str) -> Usd.Stage:
    made = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(made, "Z")
    prim = UsdGeom.Xform.Define(made, "/top").GetPrim()
    for api in ("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI", *apis):
        prim.AddAppliedSchema(api)
    UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(1.0)
    name = "physxRigidBody:enableGyroscopicForces"
    prim.CreateAttribute(name, Sdf.ValueTypeNames.Bool, False).Set(False)
    return made


def test_the_attribute_acts_and_passes_strict_mode():
    result = parse_stage(stage(), strict=True)
    assert not result.scene.bodies[0].gyroscopic
    assert not result.report.by_code("foreign-setting")


def test_bodies_of_articulations_feel_gyroscopic_torque_as_in_physx():
    result = parse_stage(stage("PhysicsArticulationRootAPI"), strict=True)
    assert result.scene.bodies[0].gyroscopic
    (note,) = result.report.by_code("foreign-setting")
    assert note.attribute == "physxRigidBody:enableGyroscopicForces"
