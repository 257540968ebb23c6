"""Speed limits of links: closed forms, both engines, and nothing where nothing is too fast."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import G, X, Z, body, dof, joint, light_links, one_joint, pose, scene

from usdsim.engine import compile_scene, create_engine
from usdsim.parser.description import DriveDescription

STEP = 0.002
LIMIT = 5.0


def wheel(**values):
    """A body that turns about an axis of the world through its centre of mass."""
    return replace(one_joint(dof(axis=Z), **values), timestep=STEP)


def pushed(description, torque: float, steps: int, device: str, worlds: int = 1):
    sim = create_engine(compile_scene(description), worlds, device=device)
    sim.write("qfrc_applied", [[torque]])
    for _ in range(steps):
        sim.step()
    return sim


def test_a_driven_link_ends_above_its_limit_by_what_one_step_adds(device):
    """A step from w leads to min(w, limit) + h M / I."""
    sim = pushed(wheel(max_angular_velocity=LIMIT), 1.0, 200, device)
    gain = STEP * 1.0 / 0.01
    assert sim.read("qvel")[0, 0] == pytest.approx(LIMIT + gain, rel=1e-5)
    speeds = np.minimum(gain * np.arange(1, 201), LIMIT + gain)
    assert sim.read("qpos")[0, 0] == pytest.approx(STEP * speeds.sum(), rel=1e-4)


def test_armature_shares_in_the_torque_against_the_link(device):
    """A torque for the link's own inertia I leaves (w - limit) A / (I + A) of the excess."""
    description = wheel(max_angular_velocity=LIMIT)
    description = replace(description, joints=(joint(dof(axis=Z, armature=0.03, velocity=9.0)),))
    sim = create_engine(compile_scene(description), device=device)
    sim.step()
    assert sim.read("qvel")[0, 0] == pytest.approx(LIMIT + 4.0 * 0.75, rel=1e-5)


def test_the_speed_of_a_centre_of_mass_is_limited(device):
    """A force at the end of an arm r stops the excess of a point mass m with inertia I."""
    arm = 0.5
    description = wheel(max_linear_velocity=1.0, com=arm * X)
    sim = create_engine(compile_scene(description), device=device)
    sim.write("qvel", [[4.0]])
    sim.step()
    share = arm**2 / (arm**2 + 0.01)
    assert sim.read("qvel")[0, 0] == pytest.approx(4.0 - 2.0 * share, rel=1e-4)


def two_links(**values):
    """Two bodies on parallel hinges; the outer one turns fast, the other one does not."""
    inner = body("/inner", joints=(0,))
    outer = body("/outer", pose(), parent=0, joints=(1,), **values)
    joints = (
        joint(dof("/a", axis=Z, velocity=2.0), path="/a"),
        joint(dof("/b", axis=Z, velocity=6.0), path="/b", parent=0, child=1),
    )
    return scene([inner, outer], joints, gravity=np.zeros(3), timestep=STEP)


def test_an_outer_link_alone_is_held_from_outside(device):
    """The torque is none between the links: the inner one keeps its speed."""
    sim = create_engine(compile_scene(two_links(max_angular_velocity=LIMIT)), 2, device=device)
    sim.step()
    np.testing.assert_allclose(sim.read("qvel"), [[2.0, LIMIT - 2.0]] * 2, rtol=1e-5)


def floating(**values):
    """A free body that falls, with a link on a hinge below its own centre of mass."""
    root = body("/root", **values)
    link = body("/link", pose(-0.3 * Z), parent=0, joints=(0,), mass=0.5)
    hinge = joint(dof("/hinge"), path="/hinge", parent=0, child=1)
    return scene([root, link], [hinge], timestep=STEP)


def test_a_floating_root_falls_with_what_hangs_on_it(device):
    """The root alone is slowed: a step from v takes its mass times the excess from both."""
    sim = create_engine(compile_scene(floating(max_linear_velocity=1.0)), device=device)
    speed = 0.0
    for _ in range(200):
        excess = max(speed - 1.0, 0.0)
        speed += STEP * G - excess * 1.0 / 1.5
        sim.step()
    assert sim.read("qvel")[0, 2] == pytest.approx(-speed, rel=1e-4)
    assert not sim.read("xfrc_applied").any()


def test_forces_of_programs_stay_as_they_were(device):
    sim = create_engine(compile_scene(wheel(max_angular_velocity=LIMIT)), 2, device=device)
    torque = np.array([0.0, 0.0, 0.0, 0.1, -0.2, 1.0])
    sim.write("xfrc_applied", torque, ids=[1])
    before = np.array(sim.read("xfrc_applied"))
    sim.step(100)
    np.testing.assert_array_equal(sim.read("xfrc_applied"), before)
    np.testing.assert_allclose(sim.read("qvel"), LIMIT + STEP / 0.01, rtol=1e-5)


def chain(limit: float = np.inf, speed: float = np.inf):
    """Four links on parallel hinges with drives, on a body that falls."""
    law = DriveDescription(stiffness=0.5, damping=0.02, target_position=1.0)
    bodies, joints = light_links(law, 4)
    bodies = [
        replace(link, max_angular_velocity=limit, max_linear_velocity=speed) for link in bodies
    ]
    return scene(bodies, joints, timestep=STEP)


def moved(sim, calls: int, n: int, reads: bool = True) -> np.ndarray:
    """State after some calls at controls of their own for each world."""
    for call in range(calls):
        targets = np.sin(call + np.arange(sim.num_envs)[:, None] + np.arange(4))
        sim.write("ctrl", targets, ids=3 * np.arange(4))
        for _ in range(4 // n):
            sim.step(n)
        if reads:
            sim.read("xpos")
    return np.concatenate([sim.read("qpos"), sim.read("qvel")], axis=1)


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("limits", [(8.0, np.inf), (np.inf, 1.0), (8.0, 1.0)])
def test_many_steps_in_a_call_are_those_one_by_one(device, limits, reads):
    compiled = compile_scene(chain(*limits))
    one, many, free = (
        create_engine(model, 5, device=device)
        for model in (compiled, compiled, compile_scene(chain()))
    )
    found = moved(many, 20, 4, reads)
    np.testing.assert_array_equal(found, moved(one, 20, 1, reads))
    assert not np.array_equal(found, moved(free, 20, 4, reads))


@pytest.mark.parametrize("n", [1, 4])
def test_limits_that_nothing_reaches_change_no_bit(device, n):
    spare, free = (
        create_engine(compile_scene(model), 5, device=device)
        for model in (chain(1e4, 1e3), chain())
    )
    np.testing.assert_array_equal(moved(spare, 20, n), moved(free, 20, n))


def test_worlds_without_fast_links_are_as_without_limits():
    limited, free = (create_engine(compile_scene(two_links(**values)), 3, device="cpu")
                     for values in ({"max_angular_velocity": LIMIT}, {}))  # fmt: skip
    for sim in (limited, free):
        sim.write("qvel", [[1.0, 1.0]], env_ids=[0, 2])
        sim.step(20)
    np.testing.assert_array_equal(limited.read("qpos")[[0, 2]], free.read("qpos")[[0, 2]])
    assert (limited.read("qpos")[1] != free.read("qpos")[1]).any()


def test_both_engines_agree():
    compiled = compile_scene(chain(8.0, 1.0))
    found = [moved(create_engine(compiled, 3, device=name), 20, 4) for name in ("cpu", "warp:cpu")]
    np.testing.assert_allclose(*found, atol=1e-3)


def test_worlds_have_their_own_limits(device):
    sim = create_engine(compile_scene(wheel()), 3, device=device)
    sim.set_body_speed_limits([[[np.inf, 1.0]], [[np.inf, 2.0]]], env_ids=[0, 2], bodies=[1])
    sim.write("qvel", [[4.0]])
    sim.step(2)
    np.testing.assert_allclose(sim.read("qvel")[:, 0], [1.0, 4.0, 2.0], rtol=1e-5)
    sim.set_body_speed_limits(np.inf)
    sim.write("qvel", [[4.0]])
    sim.step(2)
    np.testing.assert_allclose(sim.read("qvel")[:, 0], 4.0, rtol=1e-5)


def on_a_slide(speed: float, **values):
    """A turning body with another one that is ten metres out on a slide without limits."""
    inner = body("/inner", joints=(0,))
    outer = body("/outer", pose(), parent=0, joints=(1,), **values)
    joints = (
        joint(dof("/a", axis=Z, velocity=speed), path="/a"),
        joint(dof("/b", kind="slide", axis=X, position=10.0), path="/b", kind="prismatic",
              parent=0, child=1),
    )  # fmt: skip
    return scene([inner, outer], joints, gravity=np.zeros(3), timestep=STEP)


def test_centres_of_mass_far_out_are_fast_in_slow_rotation():
    sim = create_engine(compile_scene(on_a_slide(1.0, max_linear_velocity=3.0)))
    for _ in range(2):
        sim.step(2)
    assert sim.read("qvel")[0, 0] == pytest.approx(0.3, rel=0.01)


@pytest.mark.parametrize("limit", ["max_linear_velocity", "max_angular_velocity"])
def test_slides_without_limits_at_rest_are_no_invalid_numbers(limit):
    sim = create_engine(compile_scene(on_a_slide(0.0, **{limit: 3.0})))
    with np.errstate(all="raise"):
        sim.step(4)
    assert not sim.read("qvel").any()


def test_links_and_bodies_without_gyroscopic_torque_share_a_step(device):
    spin = np.array([2.0, 3.0, 1.0])
    top = body("/top", inertia=np.array([0.1, 0.2, 0.3]), angular_velocity=spin, gyroscopic=False)
    link = body("/link", joints=(0,), max_angular_velocity=LIMIT)
    hinge = joint(dof(axis=Z, velocity=9.0), child=1)
    description = scene([top, link], [hinge], gravity=np.zeros(3), timestep=STEP)
    sim = create_engine(compile_scene(description), 3, device=device)
    sim.step(100, env_ids=[0, 2])
    dofs = sim.compiled.mj.jnt_dofadr[sim.compiled.names.find("joint", "/joint")]
    np.testing.assert_allclose(sim.read("qvel")[:, dofs], [LIMIT, 9.0, LIMIT], rtol=1e-4)
    turning = sim.read("cvel")[0, sim.compiled.names.find("body", "/top"), :3]
    np.testing.assert_allclose(turning, spin, rtol=1e-3)
    assert not sim.read("xfrc_applied").any()


def test_calls_of_many_steps_are_recorded_and_agree_under_runge_kutta():
    compiled = compile_scene(chain(8.0))
    one, many = (create_engine(compiled, 3, device="cpu") for _ in range(2))
    for sim in (one, many):
        sim.set_param("opt.integrator", int(mujoco.mjtIntegrator.mjINT_RK4))
    many.step(40)
    for _ in range(40):
        one.step()
    np.testing.assert_array_equal(one.read("qpos"), many.read("qpos"))
