"""Static friction of contacts, which holds more than the dynamic one brakes."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, body, compile_scene, geom, ground, pose, scene
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

import usdsim
from usdsim.engine import CpuEngine
from usdsim.engine.warp.engine import WarpEngine
from usdsim.parser.description import WORLD, MaterialDescription

HALF = 0.1


def material(static, dynamic, **values):
    return MaterialDescription(
        path="/rubber", static_friction=static, dynamic_friction=dynamic, **values
    )


def tilted(surface, angle=0.0, num_envs=1, device="cpu", height=HALF, kind="box", steps=0.005):
    """A box or ball on the ground, where gravity pulls as on a slope of this angle [rad]."""
    inertia = 0.4 * HALF**2 if kind == "sphere" else 2.0 / 3.0 * HALF**2
    described = scene(
        [body(at=pose((0.0, 0.0, height)), inertia=np.full(3, inertia))],
        [],
        [ground(material=0), geom(size=(HALF,) * 3, kind=kind, material=0)],
        materials=(surface,),
        gravity=G * np.array([np.sin(angle), 0.0, -np.cos(angle)]),
        timestep=steps,
    )
    compiled = compile_scene(described)
    if device == "cpu":
        return CpuEngine(compiled, num_envs)
    return WarpEngine(compiled, num_envs, device)


def push(sim, speed):
    sim.write("qvel", [speed, 0.0, 0.0, 0.0, 0.0, 0.0])


def run(sim, seconds):
    sim.step(round(seconds / float(sim.compiled.mj.opt.timestep)))
    return sim.read("qpos")[:, 0], sim.read("qvel")[:, 0]


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_what_rests_sticks_and_what_is_pushed_slides(device):
    angle = np.radians(20.0)
    sim = tilted(material(0.9, 0.1), angle, 2, device)
    sim.write("qvel", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [1])
    places, speeds = run(sim, 1.0)
    rate = G * (np.sin(angle) - 0.1 * np.cos(angle))
    assert abs(places[0]) < 1e-4 and abs(speeds[0]) < 1e-4
    assert speeds[1] == pytest.approx(1.0 + rate, rel=0.01)
    assert places[1] == pytest.approx(1.0 + 0.5 * rate, rel=0.01)


@settings(max_examples=15)
@given(
    dynamic=st.floats(0.05, 0.4),
    more=st.floats(0.1, 0.5),
    share=st.floats(0.2, 1.8).filter(lambda s: abs(s - 1.0) > 0.05),
    step=st.sampled_from([0.001, 0.002, 0.005]),
)
@example(dynamic=0.1875, more=0.193359375, share=0.732421875, step=0.005)  # It rocks.
@example(dynamic=0.3656, more=0.3333, share=1.3108, step=0.002)  # It rocks as it slides.
def test_static_friction_is_the_slope_that_holds(dynamic, more, share, step):
    static = dynamic + more
    angle = np.arctan(static * share)
    sim = tilted(material(static, dynamic), angle, steps=step)
    place = run(sim, 0.5)[0][0]
    if share < 1.0:
        assert abs(place) < 2e-3
    else:
        rate = G * (np.sin(angle) - dynamic * np.cos(angle))
        assert place == pytest.approx(0.5 * rate * 0.5**2, rel=0.05, abs=0.005)


def test_what_slides_comes_to_rest_and_is_then_held():
    sim = tilted(material(0.9, 0.1), np.radians(3.0))
    push(sim, 0.5)
    rate = G * (0.1 * np.cos(np.radians(3.0)) - np.sin(np.radians(3.0)))
    place, speed = run(sim, 2.0)
    assert speed[0] == pytest.approx(0.0, abs=1e-5)
    assert place[0] == pytest.approx(0.5**2 / (2.0 * rate), rel=0.02)
    load = 0.5 * G
    sim.write("qfrc_applied", [load, 0.0, 0.0, 0.0, 0.0, 0.0])
    held, _ = run(sim, 0.5)
    assert held[0] == pytest.approx(place[0], abs=1e-3)


def test_a_push_beyond_static_friction_lets_go():
    sim = tilted(material(0.5, 0.2))
    sim.write("qfrc_applied", [0.45 * G, 0.0, 0.0, 0.0, 0.0, 0.0])
    _, speed = run(sim, 0.3)
    assert abs(speed[0]) < 1e-3
    sim.write("qfrc_applied", [0.55 * G, 0.0, 0.0, 0.0, 0.0, 0.0])
    _, speed = run(sim, 0.5)
    assert speed[0] == pytest.approx(0.5 * (0.55 - 0.2) * G, rel=0.05)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_what_lands_fast_brakes_with_dynamic_friction(restitution):
    sim = tilted(material(0.9, 0.1, restitution=restitution), height=HALF + 0.2)
    push(sim, 3.0)
    _, speed = run(sim, 0.4)
    assert speed[0] == pytest.approx(3.0 - 0.1 * G * 0.4, abs=0.06)


def test_a_ball_that_lands_slowly_is_turned_by_static_friction():
    sim = tilted(material(0.9, 0.05, restitution=0.5), height=HALF + 0.5, kind="sphere")
    push(sim, 1.0)
    _, speed = run(sim, 0.45)
    # It sticks: friction takes two sevenths of its speed at once.
    assert speed[0] == pytest.approx(5.0 / 7.0, rel=0.01)


def test_a_ball_rolls_down_where_dynamic_friction_would_let_it_slip():
    angle = np.radians(30.0)
    sim = tilted(material(0.9, 0.05), angle, kind="sphere")
    _, speed = run(sim, 0.5)
    assert speed[0] == pytest.approx(5.0 / 7.0 * G * np.sin(angle) * 0.5, rel=0.01)


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_static_friction_differs_between_worlds_and_changes(device):
    angle = np.radians(20.0)
    sim = tilted(material(0.9, 0.1), angle, 3, device)
    sim.set_surfaces([0.2, 0.1, 0.0], [1])
    places, _ = run(sim, 0.5)
    assert (np.abs(places[[0, 2]]) < 1e-4).all() and places[1] > 0.2
    np.testing.assert_allclose(sim.param("pair_friction")[:, 0, 0], 0.1)
    np.testing.assert_allclose(sim.surfaces[:, 1, :2], [[0.9, 0.1], [0.2, 0.1], [0.9, 0.1]])
    sim.reset()
    sim.set_param("geom_friction", [0.3, 0.005, 1e-4], [2])
    places, _ = run(sim, 0.5)
    assert abs(places[0]) < 1e-4 and places[1] > 0.2 and places[2] > 0.03


def test_worlds_reset_on_their_own_hold_again():
    sim = tilted(material(0.9, 0.1), np.radians(20.0), 2)
    push(sim, 1.0)
    run(sim, 0.3)
    sim.reset([0])
    places, _ = run(sim, 0.3)
    assert abs(places[0]) < 1e-4 and places[1] > 0.5


def test_scenes_without_such_a_material_have_nothing_to_look_at():
    model = tilted(material(0.3, 0.3)).compiled
    assert not len(model.surfaces.sticking) and model.mj.nsensor == 0


def test_too_many_pairs_keep_dynamic_friction_and_say_so():
    count = 30
    bodies = [body(f"/b{i}", pose((float(i), 0.0, HALF))) for i in range(count)]
    shapes = [geom(f"/b{i}/ball", i, material=0) for i in range(count)]
    floor = ground(material=0)
    assert floor.body == WORLD
    compiled = compile_scene(scene(bodies, [], [floor, *shapes], materials=(material(0.9, 0.1),)))
    assert not len(compiled.surfaces.sticking)
    assert any("static friction is above the dynamic one" in text for _, text in compiled.notes)


def test_what_feels_contacts_is_no_sensor_of_the_scene(tmp_path):
    stage = Usd.Stage.CreateNew(str(tmp_path / "slope.usda"))
    UsdPhysics.Scene.Define(stage, "/scene")
    shape = UsdGeom.Sphere.Define(stage, "/ball").GetPrim()
    floor = UsdGeom.Plane.Define(stage, "/ground").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(shape)
    surface = UsdShade.Material.Define(stage, "/rubber")
    values = UsdPhysics.MaterialAPI.Apply(surface.GetPrim())
    values.CreateStaticFrictionAttr(0.9)
    values.CreateDynamicFrictionAttr(0.1)
    for prim in (shape, floor):
        UsdPhysics.CollisionAPI.Apply(prim)
        binding = UsdShade.MaterialBindingAPI.Apply(prim)
        binding.Bind(surface, UsdShade.Tokens.weakerThanDescendants, "physics")
    model = usdsim.load_model(stage)
    assert len(model.compiled.surfaces.sticking) == 1
    assert not model.sensors
