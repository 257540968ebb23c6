"""Limits of joints: what runs into one stops, and what lies on one stays there."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import X, body, dof, engine, joint, run, scene
from hypothesis import given, settings
from hypothesis import strategies as st

from usdsim.engine import compile_scene
from usdsim.engine.compile.start_limits import within_limits
from usdsim.math.transforms import Pose
from usdsim.parser.description import (
    BodyDescription,
    DofDescription,
    JointDescription,
    SceneDescription,
)

TURNED = 0.08
"""Most of its speed with which an axis comes back from a limit."""
SUNK = 2e-4
"""Most that an axis sinks into a limit under its weight [m or rad]."""


def axis(kind, velocity=0.0, gravity=0.0, lower=-0.5):
    """One body on a hinge or slide along x."""
    turning = DofDescription(path="/j", kind=kind, lower=lower, upper=2.0, velocity=velocity)
    name = "revolute" if kind == "hinge" else "prismatic"
    connection = JointDescription(path="/j", kind=name, parent=-1, child=0, dofs=(turning,))
    carried = BodyDescription(
        path="/b", joints=(0,), mass=1.0, inertia=np.full(3, 0.1), com=np.array([0.0, 0.3, 0.0])
    )
    force = np.array([-gravity, 0.0, 0.0]) if kind == "slide" else np.array([0.0, 0.0, -gravity])
    return SceneDescription(gravity=force, timestep=0.002, bodies=(carried,), joints=(connection,))


def motion(scene, seconds):
    position, velocity = run(engine(scene), seconds, "qpos", "qvel")
    return np.hstack([position, velocity])


@pytest.mark.parametrize("kind", ["hinge", "slide"])
@pytest.mark.parametrize("speed", [0.5, 3.0])
def test_what_runs_into_a_limit_stops_there(kind, speed):
    path = motion(axis(kind, velocity=-speed), 0.5 / speed + 0.5)
    assert path[1:, 1].max() < TURNED * speed
    assert path[:, 0].min() == pytest.approx(-0.5, abs=0.005 * speed)


@pytest.mark.parametrize("kind", ["hinge", "slide"])
def test_what_lies_on_a_limit_stays_there(kind):
    path = motion(axis(kind, gravity=9.81, lower=0.0), 1.0)
    assert abs(path[-1, 0]) < SUNK


def chain(count=10, play=0.1):
    """Links of 0.5 m in a row, on hinges with little play, which their weight takes up."""
    links, hinges = [], []
    for i in range(count):
        offset = np.array([0.5 if i else 0.25, 0.0, 0.0])
        turning = dof(f"/j{i}", "hinge", np.array([0.0, 1.0, 0.0]), lower=-play, upper=play)
        turning = replace(turning, anchor=np.array([-0.25, 0.0, 0.0]))
        links.append(
            replace(body(f"/b{i}", mass=1.0, joints=(i,)), parent=i - 1, rest_pose=Pose(offset))
        )
        hinges.append(joint(turning, path=f"/j{i}", parent=i - 1, child=i))
    return scene(links, hinges)


def test_a_chain_falls_into_its_limits_as_into_rigid_ones():
    """Its end, 5 m away, is near where time steps of 0.1 ms have it with the hardest limits."""
    compiled = compile_scene(chain())
    model = compiled.mj
    run_on(model, 1.0, found := mujoco.MjData(model))
    model.opt.timestep = 1e-4
    model.jnt_solref[:], model.jnt_solimp[:] = (2e-4, 5.0), (0.9999, 0.9999, 0.001, 0.5, 2.0)
    run_on(model, 1.0, rigid := mujoco.MjData(model))
    assert rigid.xpos[-1, 2] < -0.5
    assert np.linalg.norm(found.xpos[-1] - rigid.xpos[-1]) < 0.03


def run_on(model, seconds, data):
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)


@given(
    masses=st.tuples(st.floats(0.1, 10.0), st.floats(0.1, 10.0)),
    start=st.floats(-5.0, 5.0),
    kind=st.sampled_from(["hinge", "slide"]),
)
@settings(max_examples=20)
def test_a_start_outside_of_limits_is_brought_to_them_by_mass(masses, start, kind):
    """The centre of mass stays where it was, and there is no speed."""
    first, second = (
        body(path, mass=m, inertia=np.full(3, m), joints=own)
        for path, m, own in (("/a", masses[0], ()), ("/b", masses[1], (0,)))
    )
    sliding = dof("/j", kind, X, lower=-1.0, upper=0.5, position=start)
    pair = scene([first, replace(second, parent=0)], [joint(sliding, parent=0, child=1)])
    sim = engine(replace(pair, gravity=np.zeros(3)))
    place = float(np.clip(start, -1.0, 0.5))
    assert sim.read("qpos")[0, 7] == pytest.approx(place, abs=1e-6)
    share = (start - place) * masses[1] / sum(masses)
    if kind == "slide":
        assert sim.read("qpos")[0, :3] == pytest.approx([share, 0.0, 0.0], abs=1e-6)
    else:
        assert 2.0 * np.arctan2(*sim.read("qpos")[0, [4, 3]]) == pytest.approx(share, abs=1e-6)
    sim.step(100)
    assert np.abs(sim.read("qvel")).max() < 1e-3


def arms(count, coupled=()):
    """Arms of two hinges that start outside of their limits, some of them coupled to the next."""
    arm = (
        '<body pos="{i} 0 0"><joint name="a{i}" axis="1 0 0" range=".5 1"/>'
        '<geom type="capsule" fromto="0 0 0 0 .5 0" size=".1"/>'
        '<body pos="0 .5 0"><joint name="b{i}" axis="1 0 0" range="-2 -1"/>'
        '<geom type="capsule" fromto="0 0 0 0 .5 0" size=".05"/></body></body>'
    )
    bodies = "".join(arm.format(i=i) for i in range(count))
    ties = "".join(f'<joint joint1="a{i}" joint2="a{i + 1}"/>' for i in coupled)
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><worldbody>{bodies}</worldbody>'
        f"<equality>{ties}</equality></mujoco>"
    )


def test_what_nothing_couples_starts_as_if_it_were_alone(monkeypatch):
    sizes, lstsq = [], np.linalg.lstsq
    monkeypatch.setattr(
        np.linalg, "lstsq", lambda a, *rest, **kw: sizes.append(len(a)) or lstsq(a, *rest, **kw)
    )
    alone, company = np.zeros(2), np.zeros(10)
    within_limits(arms(1), alone)
    within_limits(arms(5), company)
    np.testing.assert_array_equal(company.reshape(5, 2), np.tile(alone, (5, 1)))
    assert max(sizes) == 2


def test_what_is_coupled_starts_within_limits_together():
    qpos = np.array([0.0, 0.0, 0.2, 0.0, 0.2, 0.0, 0.0, 0.0])
    within_limits(arms(4, coupled=(1,)), qpos)
    assert qpos[2] == pytest.approx(qpos[4], abs=1e-9)
    np.testing.assert_allclose(qpos[::2], 0.5, atol=1e-9)
    np.testing.assert_allclose(qpos[1::2], -1.0, atol=1e-9)
