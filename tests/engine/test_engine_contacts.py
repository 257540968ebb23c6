"""Contact: friction, materials, offsets, restitution, compliance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_scenes import G, X, Y, Z, body, engine, geom, ground, pose, run, scene

from usdsim.engine import CpuEngine, compile_scene
from usdsim.math.rotations import quat_apply
from usdsim.parser.description import WORLD, MaterialDescription

SIZE = 0.1


@pytest.fixture
def large(monkeypatch):
    """Treat every scene as one too large to have contact pairs for all its shapes."""
    monkeypatch.setattr("usdsim.engine.surfaces.varied.FEW_PAIRS", 0)


def slope(kind: str, degrees: float, materials=(), **values):
    """A box resting on a slope, just touching; the slope descends along +x."""
    tilt = pose((0, 0, 0), Y, np.radians(degrees))
    normal = quat_apply(tilt.quat, Z)
    if kind == "plane":
        ramp = geom("/ramp", WORLD, "plane", (0, 0, 0), pose=tilt)
    else:
        ramp = geom("/ramp", WORLD, "box", (10, 10, 0.5), pose=replace(tilt, pos=-0.5 * normal))
    box = geom("/body/box", 0, "box", (SIZE,) * 3)
    if materials:
        ramp, box = replace(ramp, material=0), replace(box, material=len(materials) - 1)
    resting = body(at=replace(tilt, pos=SIZE * normal), inertia=np.full(3, 0.4 * SIZE**2))
    return scene([resting], (), [ramp, box], materials=tuple(materials), **values)


def slide(description, seconds: float) -> float:
    """Distance slid down the slope [m]."""
    sim = engine(description)
    (q,) = run(sim, seconds, "qpos")
    downhill = quat_apply(description.bodies[0].rest_pose.quat, X)
    return float((q[-1, :3] - q[0, :3]) @ downhill)


@pytest.mark.parametrize("kind", ["plane", "box"])
@pytest.mark.parametrize("material", [(), (MaterialDescription(path="/m"),)])
@pytest.mark.parametrize("timestep", [0.002, 1 / 120, 1 / 60])
def test_box_holds_on_a_slope_just_below_its_friction_angle(kind, material, timestep):
    held = slope(kind, 26.0, material, timestep=timestep)
    assert abs(slide(held, 2.0)) < 0.2e-3


@pytest.mark.parametrize("kind", ["plane", "box"])
def test_box_slides_at_the_rate_theory_gives(kind):
    angle = np.radians(30)
    expected = 0.5 * G * (np.sin(angle) - 0.5 * np.cos(angle))
    assert slide(slope(kind, 30.0), 1.0) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(("timestep", "sinks"), [(0.002, 5e-4), (1 / 120, 1e-3), (1 / 60, 2e-3)])
def test_stack_of_boxes_stays(timestep, sinks):
    boxes = [
        body(f"/b{i}", pose((0, 0, 0.1 + 0.2 * i)), inertia=np.full(3, 0.007)) for i in range(5)
    ]
    shapes = [geom(f"/b{i}/box", i, "box", (0.1,) * 3) for i in range(5)]
    sim = engine(scene(boxes, (), [ground(), *shapes], timestep=timestep))
    run(sim, 3.0)
    at = sim.read("xpos")[0, 1:]
    assert at[:, 2] == pytest.approx([0.1 + 0.2 * i for i in range(5)], abs=sinks)
    assert np.abs(at[:, :2]).max() < 5e-4
    assert np.abs(sim.read("qvel")).max() < 1e-3


COMBINED = [
    (None, None, 0.5),
    ("average", None, 0.5),
    ("min", None, 0.2),
    ("min", "multiply", 0.16),
    ("max", "min", 0.8),
    ("multiply", "average", 0.16),
]


@pytest.mark.parametrize(("first", "second", "expected"), COMBINED)
def test_friction_combines_as_the_materials_say(first, second, expected):
    materials = (
        MaterialDescription(
            path="/a", static_friction=0.8, dynamic_friction=0.8, friction_combine=first
        ),
        MaterialDescription(
            path="/b", static_friction=0.2, dynamic_friction=0.2, friction_combine=second
        ),
    )
    below, above = np.degrees(np.arctan(expected)) + np.array([-3.0, 3.0])
    assert abs(slide(slope("plane", below, materials), 1.0)) < 1e-3
    assert slide(slope("plane", above, materials), 1.0) > 0.05


def test_equal_materials_need_no_pairs(large):
    materials = (MaterialDescription(path="/a"), MaterialDescription(path="/b"))
    assert compile_scene(slope("plane", 10.0, materials)).mj.npair == 0


def test_friction_set_per_world_reaches_combined_pairs():
    materials = (
        MaterialDescription(path="/a", dynamic_friction=0.8),
        MaterialDescription(path="/b", dynamic_friction=0.2),
    )
    sim = CpuEngine(compile_scene(slope("plane", 25.0, materials)), 2)
    box = sim.compiled.names.index("geom", "/body/box")
    sim.set_param("geom_friction", [0.6, 0.005, 1e-4], env_ids=[1], ids=[box])
    start = sim.read("xpos")[:, 1].copy()
    sim.step(300)
    moved = np.linalg.norm(sim.read("xpos")[:, 1] - start, axis=1)
    angle, t = np.radians(25), 0.6
    expected = 0.5 * G * (np.sin(angle) - 0.5 * np.cos(angle)) * t**2
    assert moved[0] == pytest.approx(max(expected, 0), abs=2e-3)
    assert moved[1] < 1e-3


@pytest.mark.parametrize("timestep", [0.002, 1 / 120])
@pytest.mark.parametrize("restitution", [0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 0.95, 1.0])
def test_balls_bounce_back_with_their_restitution(restitution, timestep):
    """Dropped so that they meet the ground at all parts of a time step."""
    phases = 32
    ball = body(at=pose((0, 0, 1.1)))
    material = MaterialDescription(path="/m", restitution=restitution)
    shapes = [ground(material=0), geom(material=0)]
    drop = scene([ball], (), shapes, materials=(material,), timestep=timestep)
    sim = engine(drop, num_envs=phases)
    step = np.sqrt(2 * G) * timestep
    sim.write("qpos", 1.1 + step * np.arange(phases)[:, None] / phases, ids=[2])
    lowest, highest = np.zeros(phases), np.zeros(phases)
    for _ in range(round(0.9 / timestep)):
        sim.step()
        speed = sim.read("qvel")[:, 2]
        lowest, highest = np.minimum(lowest, speed), np.maximum(highest, speed)
    # Before they meet the ground, weight adds up to one step to the speed that is read.
    fall = G * timestep
    assert (highest >= restitution * -lowest - 1e-6).all()
    assert (highest <= restitution * (fall - lowest) + 1e-6).all()


def test_restitution_averages_over_materials():
    materials = (
        MaterialDescription(path="/a", restitution=0.8),
        MaterialDescription(path="/b", restitution=0.2),
    )
    drop = scene(
        [body(at=pose((0, 0, 1.1)))],
        (),
        [ground(material=0), geom(material=1)],
        materials=materials,
    )
    (v,) = run(engine(drop), 0.7, "qvel")
    assert v[:, 2].max() / -v[:, 2].min() == pytest.approx(0.5, abs=0.02)


def test_many_balls_of_one_bouncing_material_need_no_pairs(large):
    material = MaterialDescription(path="/m", restitution=0.8)
    balls = [body(f"/b{i}", pose((i, 0, 1.1))) for i in range(5)]
    shapes = [geom(f"/b{i}/s", i, material=0) for i in range(5)]
    drop = scene(balls, (), [ground(material=0), *shapes], materials=(material,))
    assert compile_scene(drop).mj.npair == 0


def test_compliant_material_sinks_by_weight_over_stiffness():
    material = MaterialDescription(path="/m", contact_stiffness=2000.0, contact_damping=10.0)
    ball = body(at=pose((0, 0, 0.1)), mass=1.0)
    soft = scene([ball], (), [ground(), geom(material=0)], materials=(material,))
    sim = engine(soft)
    run(sim, 3.0)
    assert 0.1 - sim.read("qpos")[0, 2] == pytest.approx(G / 2000, rel=1e-3)


@pytest.mark.parametrize(
    ("mode", "stiffness", "damping"),
    [(None, 1000.0, 11.0), ("min", 1500.0, 2.0), ("max", 500.0, 20.0)],
)
def test_springs_of_two_compliant_materials_combine_as_in_physx(mode, stiffness, damping):
    """Of two stiffnesses PhysX takes the smaller one where restitutions ask for the larger."""
    one, other = (
        MaterialDescription(path="/m", contact_stiffness=k, contact_damping=d, **modes)
        for k, d, modes in (
            (500.0, 20.0, {"restitution_combine": mode, "damping_combine": mode}),
            (1500.0, 2.0, {}),
        )
    )
    shapes = [ground(material=0), geom(material=1)]
    ball = body(at=pose((0, 0, 0.1)))
    (found,) = compile_scene(scene([ball], (), shapes, materials=(one, other))).mj.pair_solref
    # The reference is per inverse mass, less the hundredth that is added to it.
    np.testing.assert_allclose(found, [-0.99 * stiffness, -0.99 * damping])


@pytest.mark.parametrize("stiffness", [400.0, 2e4])
def test_a_box_of_compliant_material_rests_on_its_corners_and_holds_on_a_slope(stiffness):
    material = MaterialDescription(
        path="/m", contact_stiffness=stiffness, contact_damping=50.0, static_friction=0.8,
        dynamic_friction=0.8,
    )  # fmt: skip
    assert 0.0 <= slide(slope("plane", 20.0, (material,)), 2.0) < 6e-3
    sim = engine(slope("plane", 0.0, (material,)))
    run(sim, 2.0)
    assert SIZE - sim.read("qpos")[0, 2] == pytest.approx(G / stiffness / 4, rel=0.05)
    assert np.abs(sim.read("qvel")).max() < 1e-3


def test_parameters_of_the_solver_on_a_shape_outrank_its_material(large):
    soft = MaterialDescription(path="/m", contact_stiffness=2000.0, restitution=0.5)
    own = {"solref": np.array([0.03, 0.8])}
    ball = body(at=pose((0, 0, 0.1)))
    shapes = [ground(material=0, overrides=own), geom(material=0, overrides=own)]
    model = compile_scene(scene([ball], (), shapes, materials=(soft,))).mj
    assert model.npair == 0
    np.testing.assert_array_equal(model.geom_solref, [[0.03, 0.8]] * 2)
    shapes[0] = ground(material=0)
    assert compile_scene(scene([ball], (), shapes, materials=(soft,))).mj.npair == 1


def test_rest_offset_lifts_and_contact_offset_detects_early():
    ball = body(at=pose((0, 0, 0.12)))
    offset = scene([ball], (), [ground(), geom(rest_offset=0.01, contact_gap=0.02)])
    sim = engine(offset)
    data = sim.world_data(0)
    assert (data.ncon, data.nefc) == (1, 0)
    run(sim, 2.0)
    assert sim.read("qpos")[0, 2] == pytest.approx(0.11, abs=5e-4)


def test_rolling_friction_stops_a_ball():
    rolls = MaterialDescription(path="/m", rolling_friction=0.01)
    ball = body(at=pose((0, 0, 0.1)), linear_velocity=X, angular_velocity=10.0 * Y)

    def distance(materials, material):
        table = scene(
            [ball], (), [ground(material=material), geom(material=material)], materials=materials
        )
        sim = engine(table)
        run(sim, 2.0)
        return sim.read("qpos")[0, 0]

    assert distance((), None) == pytest.approx(2.0, rel=0.02)
    # The torque mu_r m g slows the mass m and the inertia I = m r^2 of this ball.
    rate = 0.01 * G / (0.1 * 2.0)
    assert distance((rolls,), 0) == pytest.approx(0.5 / rate, rel=0.03)


def test_more_material_pairs_than_sensible_are_noted(monkeypatch):
    monkeypatch.setattr("usdsim.engine.surfaces.pairs.most_pairs", lambda *_: 0)
    materials = (
        MaterialDescription(path="/a", dynamic_friction=0.8),
        MaterialDescription(path="/b", dynamic_friction=0.2),
    )
    compiled = compile_scene(slope("plane", 10.0, materials))
    assert compiled.mj.npair == 0
    assert "combination of materials" in compiled.notes[0][1]


def boxes_and(count, materials):
    """Boxes far above the ground, with materials by turns after the first, which the ground has."""
    bodies = [body(f"/b{i}", pose((i, 0, 5))) for i in range(count)]
    kinds = len(materials) - 1
    shapes = [
        geom(f"/b{i}/box", i, "box", (SIZE,) * 3, material=1 + i % kinds) for i in range(count)
    ]
    return scene(bodies, (), [replace(ground(), material=0), *shapes], materials=tuple(materials))


def surfaces(*frictions):
    return [
        MaterialDescription(path=f"/m{i}", static_friction=value, dynamic_friction=value)
        for i, value in enumerate(frictions)
    ]


def test_pairs_with_what_stands_still_come_before_those_of_moving_shapes(monkeypatch, large):
    """Six boxes of two materials meet each other in nine ways, and the ground in six."""
    scene_of = boxes_and(6, surfaces(0.9, 0.2, 0.6))
    frictions = compile_scene(scene_of).mj.pair_friction[:, 0]
    assert np.unique(frictions.round(6)).tolist() == [0.4, 0.55, 0.75]
    found = []
    for most in (15, 14, 6, 5):
        monkeypatch.setattr("usdsim.engine.surfaces.pairs.most_pairs", lambda *_, m=most: m)
        compiled = compile_scene(scene_of)
        found.append((compiled.mj.npair, [note for _, note in compiled.notes]))
    assert [pairs for pairs, _ in found] == [15, 6, 6, 0]
    assert not found[0][1]
    assert "both move" in found[1][1][0]
    assert "one stands still" in found[3][1][0] and "both move" in found[3][1][1]


def test_scenes_of_many_moving_shapes_bear_more_pairs(large):
    """A hundred boxes of two materials meet each other in 2,500 ways, 150 of them in 5,625."""
    assert compile_scene(boxes_and(150, surfaces(0.5, 0.2, 0.6))).mj.npair == 75**2 + 150


def test_materials_of_equal_values_mix_as_one(large):
    """A material for each of many props costs no more than one for all of them."""
    alike = [0.3] * 40
    assert compile_scene(boxes_and(40, surfaces(0.3, *alike))).mj.npair == 0
    assert compile_scene(boxes_and(40, surfaces(0.9, *alike))).mj.npair == 40
