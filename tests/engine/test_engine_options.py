"""Solver options: defaults, or exactly those of the stage."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import body, dof, geom, ground, one_joint, pose, scene

from usdsim.engine import compile_scene
from usdsim.engine.compile.loose import MANY
from usdsim.parser.description import GenericDescription

STANDING = ([body()], (), [ground(), geom()])


def test_stage_without_options_gets_the_ones_that_hold():
    model = compile_scene(scene(*STANDING)).mj
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert model.opt.impratio == 100.0
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    assert model.opt.timestep == 0.002
    assert model.geom_solref[1] == pytest.approx([0.015, 2.0])


def test_stage_with_options_keeps_exactly_those():
    options = {"option.impratio": 3.0}
    model = compile_scene(scene(*STANDING, options=options)).mj
    plain = mujoco.MjSpec().compile()
    assert model.opt.impratio == 3.0
    for field in ("cone", "integrator", "solver", "iterations", "tolerance", "timestep"):
        assert getattr(model.opt, field) == getattr(plain.opt, field), field
    assert model.geom_solref[1] == pytest.approx([0.02, 1.0])
    assert model.geom_solimp[1] == pytest.approx([0.9, 0.95, 0.001, 0.5, 2.0])


def test_time_step_and_gravity_of_the_scene():
    described = scene(*STANDING, timestep=0.005, gravity=np.array([1.0, 2.0, 3.0]))
    model = compile_scene(described).mj
    assert model.opt.timestep == 0.005
    assert model.opt.gravity == pytest.approx([1, 2, 3])


def test_options_win_over_the_standard_time_step():
    options = {"option.timestep": 0.001}
    assert compile_scene(scene(*STANDING, timestep=0.01, options=options)).mj.opt.timestep == 0.001


def test_dialect_values_win_over_standard_ones():
    special = {"solref": np.array([0.03, 0.9]), "condim": 4, "friction": np.array([0.9, 0.1, 0.2])}
    shaped = scene([body()], (), [geom(overrides=special)])
    model = compile_scene(shaped).mj
    assert model.geom_solref[0] == pytest.approx([0.03, 0.9])
    assert model.geom_condim[0] == 4
    assert model.geom_friction[0] == pytest.approx([0.9, 0.1, 0.2])
    hinge = one_joint(dof(damping=0.1, overrides={"damping[0]": 0.7, "stiffness[0]": 2.0}))
    model = compile_scene(hinge).mj
    assert (model.dof_damping[0], model.jnt_stiffness[0]) == (0.7, 2.0)


def sensor(path: str, name: str | None) -> GenericDescription:
    overrides = {
        "type": int(mujoco.mjtSensor.mjSENS_JOINTPOS),
        "objtype": int(mujoco.mjtObj.mjOBJ_JOINT),
        "objname": "/joint",
    }
    return GenericDescription(path=path, kind="sensor", name=name, overrides=overrides)


def test_elements_of_the_dialect_are_found_by_path_even_without_a_name():
    elements = (
        sensor("/s/a", ""),
        sensor("/s/b", "angle"),
        sensor("/s/c", ""),
        sensor("/s/d", None),
    )
    described = one_joint(dof())
    names = compile_scene(scene(described.bodies, described.joints, elements=elements)).names
    assert names.names("sensor") == ("", "angle", "", "/s/d")
    assert [names.index("sensor", f"/s/{c}") for c in "abcd"] == [0, 1, 2, 3]


def test_looks_are_dropped_unless_exact():
    material = GenericDescription(path="/red", kind="material", name="red")
    shape = geom(overrides={"material": "/red"})
    described = scene([body()], (), [shape], elements=(material,))
    assert compile_scene(described).mj.nmat == 0
    assert compile_scene(described, exact=True).mj.geom_matid[0] == 0


def test_a_range_finder_keeps_everything_it_could_see():
    finder = GenericDescription(
        path="/ray",
        kind="sensor",
        overrides={"type": int(mujoco.mjtSensor.mjSENS_RANGEFINDER)},
    )
    from usdsim.engine.compile.context import Build
    from usdsim.engine.compile.shapes.geoms import kept_geoms

    looks = geom("/body/looks", collides=False)
    described = scene([body()], (), [looks], elements=(finder,))
    assert kept_geoms(Build(described, False)) == [0]
    assert kept_geoms(Build(scene([body()], (), [looks]), False)) == []


def boxes(places):
    """Boxes of 0.1 m and 1 kg at those places."""
    inertia = np.full(3, 0.1**2 / 6.0)
    bodies = [body(f"/b{i}", pose(place), inertia=inertia) for i, place in enumerate(places)]
    shapes = [geom(f"/b{i}/box", i, "box", (0.05,) * 3) for i in range(len(bodies))]
    return scene(bodies, (), [ground(), *shapes], timestep=1.0 / 120.0)


def moved_in_two_seconds(described):
    """How far any box moves in any direction [m]."""
    model = compile_scene(described).mj
    data = mujoco.MjData(model)
    start = np.array(data.qpos).reshape(-1, 7)
    mujoco.mj_step(model, data, nstep=240)
    return np.abs(data.qpos.reshape(-1, 7) - start)[:, :3].max()


def test_stacks_of_many_loose_bodies_sag_less_than_half_a_millimetre():
    stacks = boxes([(0.3 * (i // 8), 0.0, 0.05 + 0.1 * (i % 8)) for i in range(MANY)])
    assert moved_in_two_seconds(stacks) < 5e-4


@pytest.mark.parametrize("slope", [10.0, 20.0, 25.5, 26.0, 26.4])
def test_many_loose_bodies_stand_on_slopes_that_friction_holds(slope):
    angle = np.radians(slope)
    row = boxes([(0.3 * i, 0.0, 0.05) for i in range(MANY)])
    gravity = 9.81 * np.array([0.0, np.sin(angle), -np.cos(angle)])
    assert moved_in_two_seconds(replace(row, gravity=gravity)) < 1e-4


def test_a_wall_of_many_boxes_stands_with_few_iterations_of_the_solver():
    places = [(0.1 * i + 0.025 * (row % 2), 0.0, 0.05 + 0.1 * row) for row, i in np.ndindex(8, 8)]
    model = compile_scene(boxes(places)).mj
    data = mujoco.MjData(model)
    steps, iterations = 240, 0
    for _ in range(steps):
        mujoco.mj_step(model, data)
        iterations += int(data.solver_niter.sum())
    moved = np.abs(data.qpos.reshape(-1, 7)[:, :2] - np.array(places)[:, :2]).max()
    assert moved < 2e-4
    assert iterations < 8 * steps


def test_options_of_the_stage_hold_for_many_loose_bodies_too():
    row = boxes([(0.3 * i, 0.0, 0.05) for i in range(MANY)])
    model = compile_scene(replace(row, options={"option.impratio": 3.0})).mj
    assert model.opt.impratio == 3.0
    assert model.geom_solimp[1] == pytest.approx([0.9, 0.95, 0.001, 0.5, 2.0])
