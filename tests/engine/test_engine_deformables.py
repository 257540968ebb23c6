"""Deformable bodies in the engine, against theory."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from engine_scenes import body, geom, ground, pose, scene
from soft_scenes import linear_equilibrium, sheet, soft, tet_grid

from usdsim.core.errors import CompileError, SimulationError, UnknownNameError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.engine.compile.deformables import CONVEX_TOLERANCE, ITERATIONS
from usdsim.math.deformable.elements import lumped_masses, measures
from usdsim.parser.description import (
    WORLD,
    CollisionGroupDescription,
    MaterialDescription,
    PinDescription,
)

G = 9.81
STILL = np.zeros(3)


def pin(vertices, points, holder=WORLD):
    return PinDescription(
        path="/pin", body=holder, vertices=np.asarray(vertices, np.int32), points=points
    )


def engine_of(*soft_bodies, steps=0, **values):
    compiled = compile_scene(scene(deformables=soft_bodies, **values))
    engine = CpuEngine(compiled)
    if steps:
        engine.step(steps)
    return engine, compiled.deformables[0]


def vertices(engine, soft_body):
    return np.array(engine.read("flexvert_xpos")[0, soft_body.vertices])


def held_at(points, axis=0):
    return np.flatnonzero(points[:, axis] < 1e-9)


# -- layout ------------------------------------------------------------------------------------


def test_lookups_name_the_vertices_in_their_order():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.3, 0.4), at=(1.0, 2.0, 3.0))
    engine, found = engine_of(
        soft(points, elements), bodies=[body("/box")], geoms=[geom("/box/shape")]
    )
    compiled = engine.compiled
    assert compiled.deformable("/soft") is found is compiled.deformable("/soft/mesh")
    assert compiled.names.index("flex", "/soft") == found.flex
    assert compiled.num_bodies == 2
    assert (found.body_ids == np.arange(2, 2 + len(points))).all()
    np.testing.assert_allclose(vertices(engine, found), points, atol=1e-12)
    moved = np.random.default_rng(0).normal(size=points.shape)
    qpos = np.array(engine.read("qpos"))
    qpos[0, found.qpos_adr[:, None] + np.arange(3)] = moved
    engine.write("qpos", qpos)
    np.testing.assert_allclose(vertices(engine, found), found.origins + moved, atol=1e-12)
    assert compiled.mj.nv == 6 + 3 * len(points)
    with pytest.raises(UnknownNameError, match="/sofd"):
        compiled.deformable("/sofd")


def test_initial_points_and_velocities():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    start = points * 1.1 + [0.0, 0.0, 1.0]
    speed = np.tile([0.1, 0.2, 0.3], (len(points), 1))
    engine, found = engine_of(soft(points, elements, start=start, velocities=speed))
    np.testing.assert_allclose(vertices(engine, found), start, atol=1e-12)
    np.testing.assert_allclose(engine.read("qvel")[0].reshape(-1, 3), speed)
    engine.step(3)
    engine.reset()
    np.testing.assert_allclose(vertices(engine, found), start, atol=1e-12)


def test_mass_is_lumped_to_vertices():
    points, elements = tet_grid((2, 1, 1), (0.4, 0.2, 0.2))
    engine, found = engine_of(soft(points, elements, mass=3.0))
    masses = engine.compiled.mj.body_mass[found.body_ids]
    assert masses.sum() == pytest.approx(3.0)
    expected = np.zeros(len(points))
    for corners, volume in zip(elements, measures(points, elements), strict=True):
        expected[corners] += volume / 4
    np.testing.assert_allclose(masses, 3.0 * expected / expected.sum())


# -- motion ------------------------------------------------------------------------------------


def test_tiny_bodies_are_simulated():
    points, elements = tet_grid((3, 3, 3), (1e-3, 1e-3, 1e-3))
    engine, found = engine_of(soft(points, elements, mass=1e-6), steps=10)
    assert vertices(engine, found)[:, 2].max() < points[:, 2].max()


def test_free_fall_is_exact_and_does_not_deform():
    points, elements = tet_grid((2, 2, 2), (0.2, 0.2, 0.2), at=(0.0, 0.0, 5.0))
    engine, found = engine_of(soft(points, elements), steps=100, timestep=0.002)
    drop = G * 0.002**2 * 100 * 101 / 2
    np.testing.assert_allclose(vertices(engine, found), points - [0, 0, drop], atol=1e-9)


def test_floats_without_gravity_and_slows_down():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    speed = np.tile([1.0, 0.0, 0.0], (len(points), 1))
    engine, _ = engine_of(
        soft(points, elements, gravity_scale=0.0, linear_damping=2.0, velocities=speed),
        steps=500,
        timestep=0.001,
    )
    left = engine.read("qvel")[0].reshape(-1, 3)
    np.testing.assert_allclose(left, speed * np.exp(-1.0), rtol=2e-3, atol=1e-9)


def test_momentum_is_conserved():
    points, elements = tet_grid((2, 2, 2), (0.2, 0.2, 0.2))
    speed = 0.05 * np.random.default_rng(1).normal(size=points.shape)
    engine, found = engine_of(
        soft(points, elements, velocities=speed), gravity=STILL, timestep=0.0005
    )
    mass = engine.compiled.mj.body_mass[found.body_ids]

    def momenta():
        v = engine.read("qvel")[0].reshape(-1, 3)
        return mass @ v, mass @ np.cross(vertices(engine, found), v)

    linear, angular = momenta()
    engine.step(200)
    after = momenta()
    np.testing.assert_allclose(after[0], linear, atol=1e-9)
    np.testing.assert_allclose(after[1], angular, atol=2e-3 * np.abs(angular).max())


# -- elasticity --------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.0, 0.3, 0.45])
def test_small_deflections_are_those_of_textbook_elements(ratio):
    points, elements = tet_grid((4, 2, 2), (0.8, 0.2, 0.2))
    held, load = held_at(points), np.array([0.03, 0.0, -0.1])
    engine, found = engine_of(
        soft(
            points,
            elements,
            poissons_ratio=ratio,
            elasticity_damping=0.1,
            pins=(pin(held, points[held]),),
        ),
        gravity=load,
        timestep=0.01,
        steps=500,
    )
    forces = lumped_masses(elements, measures(points, elements), len(points), 8.0)[:, None] * load
    fixed = np.isin(np.arange(len(points)), held)
    expected = linear_equilibrium(points, elements, 1e5, ratio, forces, fixed)
    moved = vertices(engine, found) - points
    assert np.abs(moved - expected).max() < 5e-3 * np.abs(expected).max()
    assert (found.dof_adr[held] == -1).all()
    assert len(found.moving) == len(points) - len(held)


def test_beam_comes_closer_to_euler_and_bernoulli_with_finer_meshes():
    length, side, modulus, density = 1.0, 0.2, 5e6, 1000.0
    theory = density * side**2 * G * length**4 / (8 * modulus * side**4 / 12)
    errors = []
    for n in (1, 2, 3):
        points, elements = tet_grid((5 * n, n, n), (length, side, side))
        held = held_at(points)
        engine, found = engine_of(
            soft(
                points,
                elements,
                mass=density * side**2 * length,
                youngs_modulus=modulus,
                elasticity_damping=0.02,
                pins=(pin(held, points[held]),),
            ),
            timestep=0.01,
            steps=150,
        )
        tip = points[:, 0] > length - 1e-9
        sag = float((points - vertices(engine, found))[tip, 2].mean())
        errors.append(1.0 - sag / theory)
    # Elements of constant strain are too stiff in bending, the less so the smaller they are.
    assert errors[0] > errors[1] > errors[2] > 0.0
    assert errors[2] < 0.25


def test_hanging_sheet_stretches_as_a_rod_does():
    length, width, thickness, modulus, density = 1.0, 0.1, 0.01, 1e5, 200.0
    flat, elements = sheet((20, 2), (length, width))
    points = flat[:, [1, 2, 0]] * [1.0, 1.0, -1.0]
    held = np.flatnonzero(points[:, 2] > -1e-9)
    engine, found = engine_of(
        soft(
            points,
            elements,
            mass=density * length * width * thickness,
            thickness=thickness,
            youngs_modulus=modulus,
            poissons_ratio=0.0,
            elasticity_damping=0.05,
            pins=(pin(held, points[held]),),
        ),
        timestep=0.01,
        steps=300,
    )
    bottom = points[:, 2] < -length + 1e-9
    stretch = float((points - vertices(engine, found))[bottom, 2].mean())
    assert stretch == pytest.approx(density * G * length**2 / (2 * modulus), rel=0.02)


def test_sheet_bends_as_a_plate_and_by_its_own_modulus():
    length, width, thickness, modulus, mass = 0.5, 0.1, 0.01, 1e7, 0.005
    points, elements = sheet((10, 2), (length, width))
    held = np.flatnonzero(points[:, 0] < 0.06)
    free = length - points[held, 0].max()
    weight = mass * G / (length * width)

    def sag(**values):
        engine, found = engine_of(
            soft(
                points,
                elements,
                mass=mass,
                thickness=thickness,
                youngs_modulus=modulus,
                poissons_ratio=0.0,
                elasticity_damping=0.2,
                pins=(pin(held, points[held]),),
                **values,
            ),
            timestep=0.01,
            steps=200,
        )
        tip = points[:, 0] > length - 1e-9
        return float((points - vertices(engine, found))[tip, 2].mean())

    plate = weight * free**4 / (8 * modulus * thickness**3 / 12)
    plain = sag()
    # The first hinge bends fully, though half of it is in the clamp; the rest is the hinge model's.
    plate *= 1.0 + 2.0 * 0.05 / free + 2.0 * (0.05 / free) ** 2
    assert plain == pytest.approx(plate, rel=0.25)
    assert sag(bend_modulus=modulus) == pytest.approx(plain, rel=1e-6)
    assert sag(bend_modulus=2 * modulus) == pytest.approx(plain / 2, rel=0.02)


def test_without_modulus_vertices_fly_apart():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    speed = points - points.mean(axis=0)
    engine, found = engine_of(
        soft(points, elements, youngs_modulus=0.0, velocities=speed, gravity_scale=0.0),
        steps=500,
        timestep=0.002,
    )
    np.testing.assert_allclose(vertices(engine, found), points + speed, atol=1e-9)


# -- contact -----------------------------------------------------------------------------------


def test_cube_at_rest_presses_its_weight_on_the_ground():
    points, elements = tet_grid((2, 2, 2), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.01))
    engine, found = engine_of(
        soft(points, elements, elasticity_damping=0.02), geoms=[ground()], steps=600
    )
    pushed = engine.read("qfrc_constraint")[0].reshape(-1, 3).sum(axis=0)
    np.testing.assert_allclose(pushed, [0.0, 0.0, 8.0 * G], atol=1e-3)
    low = vertices(engine, found)[:, 2].min()
    assert abs(low) < 1e-3


def test_rest_offset_lifts():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.03))
    engine, found = engine_of(
        soft(points, elements, rest_offset=0.02, contact_offset=0.03, elasticity_damping=0.02),
        geoms=[ground()],
        steps=600,
    )
    assert vertices(engine, found)[:, 2].min() == pytest.approx(0.02, abs=1.5e-3)


def test_sheet_lies_on_half_its_thickness():
    points, elements = sheet((4, 4), (0.4, 0.4), at=(0.0, 0.0, 0.03))
    engine, found = engine_of(
        soft(points, elements, mass=0.5, thickness=0.02, elasticity_damping=0.01),
        geoms=[ground()],
        steps=500,
    )
    np.testing.assert_allclose(vertices(engine, found)[:, 2], 0.01, atol=1e-3)


@pytest.mark.parametrize("slope, slides", [(20.0, False), (35.0, True)])
def test_friction_holds_up_to_its_angle(slope, slides):
    turn = np.deg2rad(slope)
    points, elements = tet_grid((2, 2, 1), (0.2, 0.2, 0.1), at=(0.0, 0.0, 0.0))
    engine, found = engine_of(
        soft(points, elements, friction=0.5, youngs_modulus=1e6, elasticity_damping=0.02),
        gravity=G * np.array([np.sin(turn), 0.0, -np.cos(turn)]),
        geoms=[ground()],
        steps=500,
    )
    moved = float((vertices(engine, found) - points)[:, 0].mean())
    excess = G * (np.sin(turn) - 0.5 * np.cos(turn))
    if slides:
        assert moved == pytest.approx(excess / 2, rel=0.05)
    else:
        assert abs(moved) < 2e-3


def test_friction_combines_where_all_it_meets_is_alike(caplog):
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    rough = MaterialDescription(path="/rough", dynamic_friction=1.0)
    slick = MaterialDescription(path="/slick", dynamic_friction=0.0)
    bodies = [soft(points, elements, friction=0.5)]
    one = compile_scene(scene(geoms=[ground(material=0)], materials=(rough,), deformables=bodies))
    assert one.mj.flex_friction[0, 0] == pytest.approx(0.75)
    geoms = [ground(material=0), geom("/wall", WORLD, "box", (1, 1, 1), material=1)]
    two = compile_scene(scene(geoms=geoms, materials=(rough, slick), deformables=bodies))
    assert two.mj.flex_friction[0, 0] == pytest.approx(0.5)
    assert "different friction" in caplog.text and "/soft" in caplog.text


def test_what_does_not_collide_falls_through():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.1))
    engine, found = engine_of(soft(points, elements, collides=False), geoms=[ground()], steps=200)
    assert vertices(engine, found)[:, 2].max() < 0.0


@pytest.mark.parametrize("how", ["pair", "group"])
def test_filtered_pairs_and_groups(how):
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.1))
    two = [
        soft(points, elements, path="/a"),
        soft(points + np.array([3.0, 0.0, 0.0]), elements, path="/b"),
    ]
    rules = {"deformable_filters": frozenset({(0, 0)})}
    if how == "group":
        groups = (
            CollisionGroupDescription(path="/one", deformables=(0,), filtered=frozenset({1})),
            CollisionGroupDescription(path="/two", geoms=(0,)),
        )
        rules = {"groups": groups}
    engine, through = engine_of(*two, geoms=[ground()], steps=250, **rules)
    assert vertices(engine, through)[:, 2].max() < 0.0
    assert vertices(engine, engine.compiled.deformable("/b"))[:, 2].min() > -5e-3


def test_two_deformables_may_pass_through_each_other():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.0))
    pair = [
        soft(points, elements, path="/low", elasticity_damping=0.05),
        soft(points + np.array([0, 0, 0.21]), elements, path="/high", elasticity_damping=0.05),
    ]
    engine, _ = engine_of(*pair, geoms=[ground()], steps=300)
    high = engine.compiled.deformable("/high")
    assert vertices(engine, high)[:, 2].min() > 0.15
    apart = frozenset({(0, -2)})
    engine, _ = engine_of(*pair, geoms=[ground()], steps=300, deformable_filters=apart)
    assert vertices(engine, high)[:, 2].min() < 0.05


# -- held and moved ----------------------------------------------------------------------------


def test_kinematic_body_follows_its_points_and_carries():
    points, elements = tet_grid((2, 2, 1), (0.4, 0.4, 0.1))
    ball = body("/ball", pose((0.2, 0.2, 0.151)))
    engine, found = engine_of(
        soft(points, elements, kinematic=True),
        bodies=[ball],
        geoms=[geom("/ball/shape", size=(0.05, 0, 0))],
        steps=400,
    )
    assert engine.compiled.mj.nv == 6
    assert (found.dof_adr == -1).all() and not len(found.moving)
    np.testing.assert_allclose(vertices(engine, found), points, atol=1e-12)
    assert engine.read("xpos")[0, 1, 2] == pytest.approx(0.15, abs=3e-3)
    moved = np.array(engine.read("mocap_pos"))
    moved[0, found.mocap_ids] += [0.0, 0.0, 0.3]
    engine.write("mocap_pos", moved)
    np.testing.assert_allclose(vertices(engine, found), points + np.array([0, 0, 0.3]), atol=1e-12)
    assert engine.compiled.mj.flex_rigid[0] == 0


def test_world_holds_vertices_elsewhere_than_they_rest():
    points, elements = tet_grid((2, 1, 1), (0.4, 0.2, 0.2))
    left, right = held_at(points), np.flatnonzero(points[:, 0] > 0.4 - 1e-9)
    pulled = points[right] + [0.04, 0.0, 0.0]
    engine, found = engine_of(
        soft(
            points,
            elements,
            poissons_ratio=0.0,
            elasticity_damping=0.05,
            pins=(pin(left, points[left]), pin(right, pulled)),
        ),
        gravity=STILL,
        steps=400,
    )
    now = vertices(engine, found)
    np.testing.assert_allclose(now[right], pulled, atol=1e-4)
    middle = np.isclose(points[:, 0], 0.2)
    np.testing.assert_allclose(now[middle, 0], 0.22, atol=1e-4)


def test_rigid_body_hangs_on_a_deformable_one():
    points, elements = tet_grid((1, 1, 2), (0.1, 0.1, 0.2), at=(0.0, 0.0, 1.0))
    top, low = np.flatnonzero(points[:, 2] > 1.199), np.flatnonzero(points[:, 2] < 1.001)
    weight = body("/weight", pose((0.05, 0.05, 0.9)), mass=2.0)
    spring = soft(
        points,
        elements,
        mass=0.01,
        youngs_modulus=1e5,
        poissons_ratio=0.0,
        elasticity_damping=0.05,
        pins=(pin(top, points[top]), pin(low, points[low] - [0.05, 0.05, 0.9], holder=0)),
    )
    engine, _ = engine_of(spring, bodies=[weight], steps=800)
    strain = 2.0 * G / (1e5 * 0.1**2)
    # The stress law is linear in Green's strain: F = E A (e + e^2 / 2) (1 + e).
    roots = np.roots([0.5, 1.5, 1.0, -strain])
    stretch = float(roots[np.isreal(roots)].real.max())
    assert 0.9 - engine.read("xpos")[0, 1, 2] == pytest.approx(0.2 * stretch, rel=0.02)


# -- options and refusals ----------------------------------------------------------------------


def test_integrator_is_chosen_unless_authored():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    kinds = mujoco.mjtIntegrator

    def integrator(**options):
        options = {f"option.{name}": value for name, value in options.items()}
        return compile_scene(
            scene(deformables=[soft(points, elements)], options=options)
        ).mj.opt.integrator

    assert integrator() == kinds.mjINT_DISCRETE
    assert integrator(iterations=50) == kinds.mjINT_DISCRETE
    assert integrator(integrator=int(kinds.mjINT_EULER)) == kinds.mjINT_EULER
    with pytest.raises(CompileError, match=r"'/soft'.*implicitfast.*discrete"):
        integrator(integrator=int(kinds.mjINT_IMPLICITFAST))
    still = scene(deformables=[soft(points, elements, kinematic=True)])
    assert compile_scene(still).mj.opt.integrator == kinds.mjINT_IMPLICITFAST


@pytest.mark.parametrize(
    "values, message",
    [
        ({"mass": -1.0}, "mass is -1"),
        ({"mass": 0.0}, "mass is 0"),
        ({"youngs_modulus": np.nan}, "Young's modulus is nan"),
        ({"poissons_ratio": 0.5}, "Poisson's ratio is 0.5"),
        ({"friction": -0.1}, "friction is -0.1"),
        ({"linear_damping": np.inf}, "linear damping is inf"),
        ({"elasticity_damping": -1.0}, "elasticity damping is -1"),
        ({"rest_offset": np.nan}, "rest offset is nan"),
        ({"pins": (pin([99], np.zeros((1, 3))),)}, "vertex 99 does not exist"),
        ({"pins": (pin([0], np.zeros((1, 3)), holder=3),)}, "body 3 does not exist"),
    ],
)
def test_bad_values_are_named(values, message):
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    with pytest.raises(CompileError, match=f"(?s)'/soft'.*{message}"):
        compile_scene(scene(deformables=[soft(points, elements, **values)]))


def test_bad_points_are_named():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    broken = points.copy()
    broken[3, 1] = np.inf
    with pytest.raises(CompileError, match=r"'/soft'.*points"):
        compile_scene(scene(deformables=[replace(soft(points, elements), points=broken)]))
    with pytest.raises(CompileError, match=r"'/soft'.*element"):
        compile_scene(scene(deformables=[soft(points, elements + 1)]))
    with pytest.raises(CompileError, match="thickness"):
        flat, triangles = sheet((1, 1), (1, 1))
        compile_scene(scene(deformables=[soft(flat, triangles, thickness=0.0)]))


def test_failure_names_the_vertex():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    options = {"option.integrator": int(mujoco.mjtIntegrator.mjINT_EULER)}
    kick = np.random.default_rng(0).normal(size=points.shape)
    body_ = soft(points, elements, youngs_modulus=1e9, velocities=kick)
    engine, _ = engine_of(body_, options=options)
    with pytest.raises(SimulationError, match="/soft/mesh:"):
        engine.step(2000)


def test_cube_lies_still_on_a_box():
    points, elements = tet_grid((3, 3, 3), (0.2, 0.2, 0.2), at=(0.0, 0.0, 0.005))
    table = geom("/table", WORLD, "box", (1.0, 1.0, 0.5), pose=pose((0, 0, -0.5)))
    engine, found = engine_of(
        soft(points, elements, youngs_modulus=1e6, elasticity_damping=0.01),
        geoms=[table],
        steps=400,
    )
    pushed = engine.read("qfrc_constraint")[0].reshape(-1, 3).sum(axis=0)
    np.testing.assert_allclose(pushed, [0.0, 0.0, 8.0 * G], atol=0.02 * 8.0 * G)
    assert np.abs(engine.read("qvel")).max() < 0.005
    moved = (vertices(engine, found) - points).mean(axis=0)
    np.testing.assert_allclose(moved[:2], 0.0, atol=1e-3)


def test_very_soft_cube_comes_to_rest_on_a_box():
    points, elements = tet_grid((2, 2, 2), (0.2, 0.2, 0.2))
    table = geom("/table", WORLD, "box", (1.0, 1.0, 0.5), pose=pose((0, 0, -0.5)))
    engine, _ = engine_of(
        soft(points, elements, youngs_modulus=2e4, elasticity_damping=0.01),
        geoms=[table],
        steps=600,
    )
    speeds = []
    for _ in range(100):
        engine.step(1)
        speeds.append(np.abs(engine.read("qvel")).max())
    assert np.sqrt(np.mean(np.square(speeds))) < 0.02


def soft_pairs(count: int):
    """As many soft bodies as balls, which each meet the ball of their own group alone."""
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    balls = [geom(f"/ball{i}", WORLD, size=(0.1, 0, 0)) for i in range(count)]
    bodies = [soft(points, elements, path=f"/soft{i}") for i in range(count)]
    groups = tuple(
        CollisionGroupDescription(
            path=f"/group{i}",
            geoms=(i,),
            deformables=(i,),
            filtered=frozenset({*range(count)} - {i}),
        )
        for i in range(count)
    )
    return compile_scene(scene(geoms=balls, deformables=bodies, groups=groups)).mj


def meets(model) -> np.ndarray:
    """Which flexes meet which geoms by the engine's masks."""
    first = model.flex_contype[:, None] & model.geom_conaffinity
    return (first | model.flex_conaffinity[:, None] & model.geom_contype) != 0


def test_soft_bodies_are_in_groups(caplog):
    np.testing.assert_array_equal(meets(soft_pairs(31)), np.eye(31, dtype=bool))
    assert "collision groups" not in caplog.text


def test_more_groups_than_the_engine_knows(caplog):
    model = soft_pairs(33)
    assert np.count_nonzero(meets(model)) == np.count_nonzero(np.diag(meets(model))) == 30
    assert caplog.text.count("is in one of more than 31 different collision groups") == 3


def test_solver_options_of_the_stage_are_kept():
    points, elements = tet_grid((1, 1, 1), (0.2, 0.2, 0.2))
    bodies = [soft(points, elements)]
    own = compile_scene(scene(deformables=bodies, options={"option.iterations": 7})).mj.opt
    assert (own.iterations, own.ccd_tolerance) == (7, 1e-6)
    default = compile_scene(scene(deformables=bodies)).mj.opt
    assert (default.iterations, default.ccd_tolerance) == (ITERATIONS, CONVEX_TOLERANCE)
    none = compile_scene(scene(bodies=[body()])).mj.opt
    assert (none.iterations, none.ccd_tolerance) == (100, 1e-6)
    with pytest.raises(CompileError, match="PGS and noslip"):
        compile_scene(scene(deformables=bodies, options={"option.noslip_iterations": 2}))
