"""Limits of joints: what runs into one stops, and what lies on one stays there."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import engine, run

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
    dof = DofDescription(path="/j", kind=kind, lower=lower, upper=2.0, velocity=velocity)
    name = "revolute" if kind == "hinge" else "prismatic"
    joint = JointDescription(path="/j", kind=name, parent=-1, child=0, dofs=(dof,))
    body = BodyDescription(
        path="/b", joints=(0,), mass=1.0, inertia=np.full(3, 0.1), com=np.array([0.0, 0.3, 0.0])
    )
    force = np.array([-gravity, 0.0, 0.0]) if kind == "slide" else np.array([0.0, 0.0, -gravity])
    return SceneDescription(gravity=force, timestep=0.002, bodies=(body,), joints=(joint,))


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
