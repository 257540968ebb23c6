"""USD's mass precedence, against OpenUSD's own computation and closed forms."""

import mujoco
import numpy as np
import pytest
from parser_builders import about, body, new_stage, parse, shape
from pxr import Gf, Sdf, UsdPhysics, UsdShade

from usdsim.core.errors import ParseError
from usdsim.engine import compile_scene
from usdsim.math.rotations import quat_to_matrix
from usdsim.parser import parse_stage


def tensor(found):
    turn = quat_to_matrix(found.inertia_quat)
    return turn @ np.diag(found.inertia) @ turn.T


def crate(meters=1.0):
    """A cube of edge 2 m at (1, 0, 0), on a body scaled by two."""
    stage = new_stage(meters=meters)
    prim = body(stage, "/b", scale=(2, 2, 2), mass=None)
    cube = shape(stage, "/b/c", pos=(0.5 / meters, 0, 0), size=1.0 / meters)
    return stage, UsdPhysics.MassAPI.Apply(prim), UsdPhysics.MassAPI.Apply(cube)


def bind_density(stage, prim, density):
    material = UsdShade.Material.Define(stage, "/material")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim()).CreateDensityAttr(density)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(
        material, UsdShade.Tokens.weakerThanDescendants, "physics"
    )


TABLE = [
    ({}, 8000.0, "default"),
    ({"material": 11.0}, 88.0, "density"),
    ({"material": 11.0, "body_density": 5.0}, 40.0, "density"),
    ({"body_density": 5.0, "shape_density": 7.0}, 56.0, "density"),
    ({"body_density": 5.0, "shape_density": 7.0, "shape_mass": 3.0}, 3.0, "density"),
    ({"body_density": 5.0, "shape_mass": 3.0, "body_mass": 4.0}, 4.0, "authored"),
    ({"body_mass": 0.0, "body_density": 5.0}, 40.0, "density"),
]


@pytest.mark.parametrize(("authored", "mass", "source"), TABLE)
def test_precedence(authored, mass, source):
    stage, of_body, of_shape = crate()
    setters = {
        "body_mass": of_body.CreateMassAttr,
        "body_density": of_body.CreateDensityAttr,
        "shape_mass": of_shape.CreateMassAttr,
        "shape_density": of_shape.CreateDensityAttr,
        "material": lambda value: bind_density(stage, of_shape.GetPrim(), value),
    }
    for name, value in authored.items():
        setters[name](value)
    found = parse(stage).bodies[0]
    assert found.mass == pytest.approx(mass)
    assert found.mass_source == source
    np.testing.assert_allclose(found.com, [1, 0, 0])
    np.testing.assert_allclose(found.inertia, np.full(3, mass * 4 / 6))
    np.testing.assert_allclose(_reference(stage)[0], mass)


def _reference(stage):
    """Mass, diagonal inertia and centre by OpenUSD's own rules for the crate."""

    def shape_info(prim):
        info = UsdPhysics.RigidBodyAPI.MassInformation()
        info.volume, info.inertia = 8.0, Gf.Matrix3f(8.0 * 4 / 6)
        info.centerOfMass, info.localPos = Gf.Vec3f(0), Gf.Vec3f(1, 0, 0)
        info.localRot = Gf.Quatf(1)
        return info

    api = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/b"))
    return api.ComputeMassProperties(shape_info)


def test_an_authored_centre_is_scaled_and_moves_the_inertia():
    stage, of_body, _ = crate()
    of_body.CreateMassAttr(3.0)
    of_body.CreateCenterOfMassAttr(Gf.Vec3f(0, 1, 0))
    found = parse(stage).bodies[0]
    _, diagonal, centre, _ = _reference(stage)
    np.testing.assert_allclose(found.com, np.array(centre), atol=1e-6)
    np.testing.assert_allclose(np.sort(found.inertia), np.sort(np.array(diagonal)), rtol=1e-6)
    # 3 kg, edge 2 m, seen from a point (1, -2, 0) away
    expected = 2.0 * np.eye(3) + 3.0 * np.array([[4, 2, 0], [2, 1, 0], [0, 0, 5]])
    np.testing.assert_allclose(tensor(found), expected, rtol=1e-9)


def test_authored_inertia_wins():
    stage, of_body, _ = crate()
    of_body.CreateDiagonalInertiaAttr(Gf.Vec3f(1, 2, 2.5))
    turn = about((1, 1, 0), 30)
    of_body.CreatePrincipalAxesAttr(Gf.Quatf(turn[3], *turn[:3]))
    found = parse(stage).bodies[0]
    assert found.mass == pytest.approx(8000)
    rotation = quat_to_matrix(turn)
    np.testing.assert_allclose(
        tensor(found), rotation @ np.diag([1, 2, 2.5]) @ rotation.T, rtol=1e-6, atol=1e-7
    )


def test_newtons_tensor_wins_over_the_diagonal():
    stage, of_body, _ = crate()
    of_body.CreateDiagonalInertiaAttr(Gf.Vec3f(1, 2, 2.5))
    of_body.GetPrim().CreateAttribute("newton:inertia", Sdf.ValueTypeNames.DoubleArray).Set(
        [3.0, 4.0, 5.0, 0.1, 0.2, 0.3]
    )
    expected = np.array([[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]])
    np.testing.assert_allclose(tensor(parse(stage).bodies[0]), expected, atol=1e-12)


def test_units_of_mass():
    stage = new_stage(meters=0.01, kilograms=0.001)
    prim = body(stage, "/b", mass=None)
    api = UsdPhysics.MassAPI.Apply(prim)
    api.CreateMassAttr(500.0)
    api.CreateCenterOfMassAttr(Gf.Vec3f(10, 0, 0))
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(1e4, 2e4, 2e4))
    found = parse(stage).bodies[0]
    assert found.mass == pytest.approx(0.5)
    np.testing.assert_allclose(found.com, [0.1, 0, 0])
    np.testing.assert_allclose(found.inertia, [1e-3, 2e-3, 2e-3], rtol=1e-6)


def test_disabled_colliders_and_visuals_do_not_weigh():
    stage, _, of_shape = crate()
    UsdPhysics.CollisionAPI(of_shape.GetPrim()).CreateCollisionEnabledAttr(False)
    shape(stage, "/b/light", "Sphere", radius=0.5)
    shape(stage, "/b/visual", "Sphere", collides=False)
    assert parse(stage).bodies[0].mass == pytest.approx(1000 * 4 / 3 * np.pi)


def test_a_body_with_mass_but_no_collider_is_a_small_ball():
    stage = new_stage()
    body(stage, "/b", mass=2.0)
    found = parse(stage).bodies[0]
    np.testing.assert_allclose(found.inertia, np.full(3, 0.4 * 2.0 * 0.01))


def test_the_small_ball_of_a_body_without_collider_is_where_its_mass_is():
    stage = new_stage()
    api = UsdPhysics.MassAPI(body(stage, "/b", mass=2.0))
    api.CreateCenterOfMassAttr(Gf.Vec3f(0, 3, 4))
    found = parse(stage).bodies[0]
    _, diagonal, centre, _ = UsdPhysics.RigidBodyAPI(api.GetPrim()).ComputeMassProperties(
        lambda _: UsdPhysics.RigidBodyAPI.MassInformation()
    )
    np.testing.assert_allclose(found.com, np.array(centre))
    np.testing.assert_allclose(found.inertia, np.array(diagonal), rtol=1e-6)


def test_a_collider_states_its_own_inertia():
    stage, _, of_shape = crate()
    of_shape.CreateMassAttr(2.0)
    of_shape.CreateCenterOfMassAttr(Gf.Vec3f(0, 0.25, 0))
    of_shape.CreateDiagonalInertiaAttr(Gf.Vec3f(1, 1, 1.5))
    found = parse(stage).bodies[0]
    np.testing.assert_allclose(found.com, [1, 0.5, 0])
    np.testing.assert_allclose(tensor(found), np.diag([1, 1, 1.5]), atol=1e-9)


def solid(kind, **sizes):
    """Mass 1 kg/m^3 times volume, and moments about the centre, of a body with one collider."""
    stage = new_stage()
    prim = body(stage, "/b", mass=None)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(1.0)
    shape(stage, "/b/c", kind, **sizes)
    found = parse(stage).bodies[0]
    return found.mass, tensor(found), found.com


CYLINDER = (np.pi * 2.0, np.pi * 2.0 * np.array([7 / 12, 7 / 12, 0.5]))
CAPSULE = (
    np.pi * 2 + np.pi * 4 / 3,
    np.pi * np.array([7 / 6 + 4 / 3 * 2.15, 7 / 6 + 4 / 3 * 2.15, 1 + 8 / 15]),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "sizes", "mass", "moments"),
    [
        ("Cube", {"size": 1.0, "scale": (2, 3, 4)}, 24, 24 / 12 * np.array([25, 20, 13])),
        ("Sphere", {"radius": 1.0}, 4 / 3 * np.pi, np.full(3, 8 / 15 * np.pi)),
        (
            "Sphere",
            {"radius": 1.0, "scale": (1, 2, 3)},
            8 * np.pi,
            8 * np.pi / 5 * np.array([13, 10, 5]),
        ),
        ("Cylinder", {"radius": 1.0, "height": 2.0}, *CYLINDER),
        ("Cylinder", {"radius": 1.0, "height": 2.0, "axis": "X"}, CYLINDER[0], CYLINDER[1][::-1]),
        ("Cylinder_1", {"radiusTop": 1.0, "radiusBottom": 1.0, "height": 2.0}, *CYLINDER),
        ("Capsule", {"radius": 1.0, "height": 2.0}, *CAPSULE),
        ("Capsule", {"radius": 1.0, "height": 2.0, "axis": "X"}, CAPSULE[0], CAPSULE[1][::-1]),
        ("Capsule_1", {"radiusTop": 1.0, "radiusBottom": 1.0, "height": 2.0}, *CAPSULE),
        (
            "Cone",
            {"radius": 1.0, "height": 2.0},
            2 / 3 * np.pi,
            2 / 3 * np.pi * np.array([0.15 + 0.15, 0.15 + 0.15, 0.3]),
        ),
        (
            "Cylinder_1",
            {"radiusTop": 1e-9, "radiusBottom": 1.0, "height": 2.0},
            2 / 3 * np.pi,
            2 / 3 * np.pi * np.array([0.15 + 0.15, 0.15 + 0.15, 0.3]),
        ),
    ],
)
def test_closed_forms(kind, sizes, mass, moments):
    found_mass, found, _ = solid(kind, **sizes)
    assert found_mass == pytest.approx(mass, rel=1e-6)
    np.testing.assert_allclose(found, np.diag(moments), rtol=1e-6, atol=1e-6)


def test_a_scaled_cone_has_the_inertia_of_the_stretched_solid():
    mass, found, com = solid("Cone", radius=1.0, height=2.0, scale=(1, 2, 3))
    assert mass == pytest.approx(2 / 3 * np.pi * 6)
    # second moments of a cone scale with the square of each factor
    xx, yy, zz = mass * np.array([0.15, 0.15 * 4, 0.15 * 9])
    np.testing.assert_allclose(np.diag(found), [yy + zz, xx + zz, xx + yy], rtol=1e-9)
    np.testing.assert_allclose(com, [0, 0, -1.5])


def test_a_tapered_capsule_weighs_like_a_mesh_of_it():
    """Against tetrahedra of a fine mesh of the same profile."""
    from usdsim.math.inertia import mesh_mass
    from usdsim.parser.shapes.solids import pill_mass, round_points, solid_mesh

    exact = pill_mass(0.5, 0.2, 1.0)
    rough = mesh_mass(1.0, *solid_mesh(round_points(0.5, 0.2, 1.0)))
    # 24 points around and six rings: the inscribed solid is 2 % smaller
    assert exact.mass == pytest.approx(rough.mass, rel=0.03)
    assert exact.mass > rough.mass
    np.testing.assert_allclose(exact.com, rough.com, atol=0.01)


def test_a_rotated_collider_turns_its_inertia():
    _, found, _ = solid("Cube", size=1.0, scale=(2, 3, 4), turn=about((0, 0, 1), 90))
    np.testing.assert_allclose(np.diag(found), 2 * np.array([20, 25, 13]), rtol=1e-9)


def test_a_sheared_collider_keeps_volume_and_second_moments():
    from parser_builders import place
    from pxr import UsdGeom

    stage = new_stage()
    prim = body(stage, "/b", mass=None)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(1.0)
    place(UsdGeom.Xform.Define(stage, "/b/x").GetPrim(), scale=(2, 1, 1))
    shape(stage, "/b/x/c", turn=about((0, 0, 1), 45), size=2.0)
    found = parse(stage).bodies[0]
    assert found.mass == pytest.approx(16)
    # a unit cube turned by 45 degrees has the same second moments; then x is doubled
    second = 16 / 3 * np.diag([4, 1, 1])
    np.testing.assert_allclose(
        tensor(found), np.trace(second) * np.eye(3) - second, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("moments", [(0.1, 0.2, 0.3), (0.7, 0.1, 0.8), (0.3, 0.6, 0.9)])
def test_laminas_load_although_single_precision_rounds_their_moments(moments):
    stage = new_stage()
    prim = body(stage, "/plate", mass=None)
    mass = UsdPhysics.MassAPI.Apply(prim)
    mass.CreateMassAttr(1.0)
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*moments))
    scene = parse(stage)
    np.testing.assert_allclose(scene.bodies[0].inertia, moments, rtol=1e-7)
    low, middle, high = np.sort(compile_scene(scene).mj.body_inertia[1])
    assert low + middle >= high


def hollow(kind, mass=None, **authored):
    """Mass properties of a body with a hollow collider at density 1000."""
    stage = new_stage()
    prim = body(stage, "/b", mass=mass)
    sizes = {name: value for name, value in authored.items() if ":" not in name}
    wall = shape(stage, "/b/c", kind, pos=(1, 0, 0), **sizes)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(1000.0)
    wall.AddAppliedSchema("NewtonMassAPI")
    wall.GetAttribute("newton:massModel").Set("shell")
    for name, value in authored.items():
        if ":" in name:
            wall.CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(value)
    result = parse_stage(stage)
    assert not result.report.by_code("unsupported")
    return result.scene.bodies[0], result.report


THICK = {"newton:shellThickness": 0.1}
WALLS = {
    "Sphere": ({"radius": 0.5}, 4 / 3 * np.pi * (0.5**3 - 0.4**3)),
    "Cube": ({"size": 1.0}, 1.0 - 0.8**3),
    "Cylinder": ({"radius": 0.5, "height": 2.0}, np.pi * (0.5**2 * 2.0 - 0.4**2 * 1.8)),
    "Capsule": (
        {"radius": 0.5, "height": 2.0},
        np.pi * ((0.5**2 - 0.4**2) * 2.0 + 4 / 3 * (0.5**3 - 0.4**3)),
    ),
}


@pytest.mark.parametrize("kind", WALLS)
def test_shells_weigh_their_walls(kind):
    sizes, volume = WALLS[kind]
    found, _ = hollow(kind, **sizes, **THICK)
    assert found.mass == pytest.approx(1000.0 * volume)
    np.testing.assert_allclose(found.com, [1, 0, 0], atol=1e-12)


def test_inertia_of_a_thick_and_of_a_thin_spherical_shell():
    thick, _ = hollow("Sphere", radius=0.5, **THICK)
    moment = 0.4 * 1000 * 4 / 3 * np.pi * (0.5**5 - 0.4**5)
    np.testing.assert_allclose(thick.inertia, np.full(3, moment))
    thin, _ = hollow("Sphere", mass=3.0, radius=0.5, **{"newton:shellThickness": 1e-6})
    assert thin.mass == 3.0
    np.testing.assert_allclose(thin.inertia, np.full(3, 2 / 3 * 3.0 * 0.25), rtol=1e-5)


def test_walls_of_unstated_thickness_are_those_of_the_margin_and_told():
    found, report = hollow("Sphere", radius=0.5, **{"newton:contactMargin": 0.1})
    assert found.mass == pytest.approx(1000 * WALLS["Sphere"][1])
    assert report.defaulted["/b/c"]["newton:shellThickness"] == pytest.approx(0.1)


def test_walls_of_cones_are_thin_and_those_without_a_cavity_solid():
    cone, _ = hollow("Cone", radius=0.3, height=0.4, **{"newton:shellThickness": 0.001})
    area = np.pi * 0.3 * (0.3 + 0.5)
    assert cone.mass == pytest.approx(1000 * 0.001 * area, rel=0.02)
    full, _ = hollow("Sphere", radius=0.5, **{"newton:shellThickness": 0.5})
    assert full.mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.125)


def test_walls_that_cannot_be_are_refused():
    with pytest.raises(ParseError, match=r"shellThickness: is -1\.0; allowed: a positive number"):
        hollow("Sphere", radius=0.5, **{"newton:shellThickness": -1.0})


@pytest.mark.parametrize("edge", [2e-4, 1e-5])
def test_grains_fall_though_their_moments_are_below_those_of_the_engine(edge):
    stage = new_stage()
    body(stage, "/grain", mass=None)
    shape(stage, "/grain/c", size=edge)
    body(stage, "/held", pos=(1, 0, 0), mass=None)
    shape(stage, "/held/c", size=edge)
    joint = UsdPhysics.FixedJoint.Define(stage, "/held/j")
    joint.CreateBody1Rel().SetTargets(["/held"])
    joint.CreateLocalPos0Attr((1, 0, 0))
    result = parse_stage(stage)
    findings = result.report.by_code("inertia-repaired")
    assert [finding.path for finding in findings] == ["/grain"]
    grain, held = result.scene.bodies
    assert grain.mass == pytest.approx(1000.0 * edge**3)
    assert held.inertia == pytest.approx(np.full(3, 1000.0 * edge**5 / 6.0))
    model = compile_scene(result.scene).mj
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    assert data.qvel[:3] == pytest.approx([0.0, 0.0, -9.81 * model.opt.timestep])
