"""Law of velocity limits: impulses within the step, however many steps of worlds a call makes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import usdsim
from usdsim.engine import CpuEngine
from usdsim.engine.cpu import groups
from usdsim.engine.effects.velocity_limits import impulses

LIMIT = 2.0
WORLDS = 6

HEAVY_TENDON = """
<mujoco><option gravity="0 0 0"/><worldbody>
  <body pos="0 0 1"><freejoint/><geom type="box" size=".2 .1 .05" contype="0"/>
    <body pos=".2 0 0"><joint name="a" axis="0 1 0"/><geom size=".05" pos=".2 0 0" contype="0"/>
      <body pos=".4 0 0"><joint name="b" axis="0 0 1"/><geom size=".05" pos=".2 0 0" contype="0"/>
      </body></body>
    <body pos="-.2 0 0"><joint type="ball"/><geom size=".05" pos="-.2 0 0" contype="0"/>
      <body pos="-.4 0 0"><joint name="c" type="slide" axis="1 0 0"/><geom size=".04" contype="0"/>
      </body></body>
  </body></worldbody>
  <tendon><fixed armature=".01"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed>
  </tendon></mujoco>
"""


def _slowed(model, data, velocity, dofs, limit):
    """Velocities after the impulses that hold a limit, by the engine's own solver."""
    units = np.eye(model.nv)[dofs]
    response = np.zeros_like(units)
    mujoco.mj_solveM(model, data, response, units)
    impulses, held = np.zeros(len(dofs)), np.zeros(len(dofs))
    while True:
        after = (velocity - impulses @ response)[dofs]
        over = (held == 0.0) & (np.abs(after) > limit)
        if not over.any():
            return velocity - impulses @ response
        held[over] = np.sign(after[over])
        axes = np.flatnonzero(held)
        coupling = response[np.ix_(axes, dofs[axes])]
        impulses[axes] = np.linalg.solve(coupling, velocity[dofs[axes]] - limit * held[axes])


@pytest.fixture(scope="module")
def model():
    return usdsim.load_mjcf_str(HEAVY_TENDON)


def _thrown(model):
    """A limited and a free engine in which everything flies about, and the axes with limits."""
    limited, free = (CpuEngine(model.compiled, WORLDS) for _ in range(2))
    limited.set_velocity_limits(LIMIT)
    low = model.low
    for sim in (limited, free):
        sim.write("qvel", np.random.default_rng(0).normal(scale=4.0, size=(WORLDS, low.nv)))
    return limited, free, low.jnt_dofadr[low.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)]


@pytest.mark.parametrize("room", [1 << 22, 1])
@pytest.mark.parametrize("read", [False, True])
def test_impulses_are_those_of_the_engines_solver(model, room, read, monkeypatch):
    monkeypatch.setattr(impulses, "_ROOM", room)
    limited, free, dofs = _thrown(model)
    if read:
        limited.read("xpos")
    starts = [free.world_data(world) for world in range(WORLDS)]
    for sim in (limited, free):
        sim.step()
    for world, start in enumerate(starts):
        end = free.world_data(world)
        expected = _slowed(model.low, start, end.qvel.copy(), dofs, LIMIT)
        assert limited.read("qvel")[world] == pytest.approx(expected, abs=1e-11)
        mujoco.mj_integratePos(model.low, end.qpos, end.qvel - expected, -model.low.opt.timestep)
        assert limited.read("qpos")[world] == pytest.approx(end.qpos, abs=1e-12)


def test_a_limited_step_ends_where_motors_of_that_strength_end_it(model):
    limited, free, dofs = _thrown(model)
    low, step = model.low, model.low.opt.timestep
    starts = [free.world_data(world) for world in range(WORLDS)]
    for sim in (limited, free):
        sim.step()
    for world, start in enumerate(starts):
        inertia = np.zeros((low.nv, low.nv))
        mujoco.mj_fullM(low, start, inertia)
        change = limited.read("qvel")[world] - free.read("qvel")[world]
        start.qfrc_applied[:] = inertia @ change / step
        others = np.setdiff1d(np.arange(low.nv), dofs)
        assert start.qfrc_applied[others] == pytest.approx(0.0, abs=1e-9)
        assert np.abs(start.qfrc_applied[dofs]).max() > 1.0
        mujoco.mj_step(low, start)
        assert limited.read("qvel")[world] == pytest.approx(start.qvel, abs=1e-11)
        # Positions of the free body and of axes; rotations back and forth only nearly add up.
        places = [0, 1, 2, 7, 8, 13]
        assert limited.read("qpos")[world, places] == pytest.approx(start.qpos[places], abs=1e-12)
        assert limited.read("qpos")[world] == pytest.approx(start.qpos, abs=1e-4)


def _states(model, worlds, calls, *, read=False, parts=None):
    """States after calls of so many steps of some worlds, which are pushed differently."""
    sim = CpuEngine(model.compiled, len(worlds))
    # Some are held all the time, some now and then, some never.
    sim.set_velocity_limits(LIMITS[worlds, None])
    push = 1.5 * np.random.default_rng(1).normal(size=(WORLDS, model.low.nv))[worlds]
    found = []
    for number, n in enumerate(calls):
        sim.write("qfrc_applied", push * np.cos(number))
        for part in parts or [None]:
            sim.step(n, part)
            if read:
                sim.read("xpos")
        found.append(np.concatenate([sim.read("qpos"), sim.read("qvel")], axis=1))
    return np.array(found)


LIMITS = np.array([0.5, 1.0, 2.0, 4.0, 8.0, np.inf])
CALLS = (1, 40, 4, 17, 3, 1, 64)
ALL = np.arange(WORLDS)


def test_some_of_these_worlds_are_held_and_some_are_not(model):
    states = _states(model, ALL, CALLS)
    axes = np.abs(states[..., model.low.nq :])[..., 6:8].max(axis=2)
    held = np.isclose(axes[:, :5], LIMITS[:5], rtol=1e-9).sum(axis=0)
    assert held[0] > held[3] > 0 and (axes[:, 5] > 8.0).any()


@pytest.mark.parametrize("read", [False, True])
def test_steps_are_the_same_however_they_are_called(model, read, monkeypatch):
    expected = _states(model, ALL, CALLS)
    assert (_states(model, ALL, CALLS, read=read) == expected).all()
    halves = [[0, 2, 5], [1, 3, 4]]
    assert (_states(model, ALL, CALLS, read=read, parts=halves) == expected).all()
    for world in range(WORLDS):
        alone = _states(model, ALL[world : world + 1], CALLS, read=read)
        assert (alone[:, 0] == expected[:, world]).all()
    monkeypatch.setattr(groups, "TOGETHER", 1)
    assert (_states(model, ALL, CALLS, read=read) == expected).all()


def test_many_steps_are_those_one_by_one(model):
    sims = [CpuEngine(model.compiled, WORLDS) for _ in range(3)]
    for sim, n in zip(sims, (1, 5, 40), strict=True):
        sim.set_velocity_limits(LIMITS[:, None])
        sim.write(
            "qfrc_applied", 0.7 * np.random.default_rng(1).normal(size=(WORLDS, model.low.nv))
        )
        for _ in range(120 // n):
            sim.step(n)
    for sim in sims[1:]:
        for field in ("qpos", "qvel", "xpos", "cvel", "qacc"):
            assert (sim.read(field) == sims[0].read(field)).all(), field


@pytest.mark.parametrize("n", [2, 20])
def test_what_is_too_fast_from_the_start_is_slowed_alike(model, n):
    (single, _, _), (many, _, _) = _thrown(model), _thrown(model)
    for sim in (single, many):
        sim.read("xpos")
    for _ in range(n):
        single.step()
    many.step(n)
    assert (single.read("qvel") == many.read("qvel")).all()
