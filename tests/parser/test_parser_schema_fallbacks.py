"""What applied schemas mean where they author nothing, and what scenes say about all bodies."""

import mujoco
import numpy as np
import pytest
from parser_builders import body, joint, new_stage, parse, shape
from pxr import Gf, Sdf, UsdPhysics, UsdShade

from usdsim.core.errors import CompileError, ParseError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage

TYPES = Sdf.ValueTypeNames


def scene_prim(stage, *schemas):
    prim = UsdPhysics.Scene.Define(stage, "/scene").GetPrim()
    for name in schemas:
        prim.AddAppliedSchema(name)
    return prim


def write(prim, kind, **values):
    for name, value in values.items():
        prim.CreateAttribute(f"mjc:{name.replace('__', ':')}", kind).Set(value)


def arm():
    """A hinge with a motor on it and a tendon along it, in the MuJoCo dialect."""
    stage = new_stage()
    scene = scene_prim(stage, "MjcSceneAPI")
    body(stage, "/b")
    hinge = joint(stage, "/j", body1="/b")
    hinge.AddAppliedSchema("MjcJointAPI")
    motor, rope = stage.DefinePrim("/m", "MjcActuator"), stage.DefinePrim("/t", "MjcTendon")
    motor.CreateRelationship("mjc:target").SetTargets(["/j"])
    rope.CreateRelationship("mjc:path").SetTargets(["/j"])
    rope.CreateAttribute("mjc:type", TYPES.Token).Set("fixed")
    write(rope, TYPES.IntArray, path__indices=[0])
    write(rope, TYPES.DoubleArray, path__coef=[1.0])
    return stage, scene, {"joint": hinge, "motor": motor, "tendon": rope}


RANGES = [
    ("motor", "ctrlRange", "ctrlLimited", "actuator_ctrllimited"),
    ("motor", "forceRange", "forceLimited", "actuator_forcelimited"),
    ("joint", "actuatorfrcrange", "actuatorfrclimited", "jnt_actfrclimited"),
    ("tendon", "range", "limited", "tendon_limited"),
    ("tendon", "actuatorfrcrange", "actuatorfrclimited", "tendon_actfrclimited"),
]


@pytest.mark.parametrize(("what", "name", "switch", "array"), RANGES)
@pytest.mark.parametrize(
    ("limited", "upper", "acts"),
    [
        (None, 2.0, True),
        ("auto", 2.0, True),
        ("auto", None, False),
        ("false", 2.0, False),
        ("true", 2.0, True),
    ],
)
def test_a_range_makes_a_limit_unless_one_is_ruled_out(
    what, name, switch, array, limited, upper, acts
):
    stage, _, prims = arm()
    if upper is not None:
        write(prims[what], TYPES.Double, **{f"{name}__min": -1.0, f"{name}__max": upper})
    if limited is not None:
        write(prims[what], TYPES.Token, **{switch: limited})
    model = compile_scene(parse(stage)).mj
    assert bool(getattr(model, array)[0]) is acts


@pytest.mark.parametrize(("what", "name", "switch", "array"), RANGES)
def test_ranges_need_a_word_where_the_scene_asks_for_one(what, name, switch, array):
    stage, scene, prims = arm()
    write(scene, TYPES.Bool, compiler__autoLimits=False)
    write(prims[what], TYPES.Double, **{f"{name}__min": -1.0, f"{name}__max": 2.0})
    with pytest.raises(CompileError, match="limited"):
        compile_scene(parse(stage))
    write(prims[what], TYPES.Token, **{switch: "true"})
    assert getattr(compile_scene(parse(stage)).mj, array)[0]


@pytest.mark.parametrize(
    ("schema", "authored", "condim"),
    [("MjcCollisionAPI", None, 3), ("MjcCollisionAPI", 4, 4), ("", None, 6)],
)
def test_dimensions_of_contact_follow_friction_unless_the_schema_has_them(schema, authored, condim):
    stage = new_stage()
    body(stage, "/b")
    ball = shape(stage, "/b/g", "Sphere")
    material = UsdShade.Material.Define(stage, "/material")
    UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    material.GetPrim().CreateAttribute("newton:rollingFriction", TYPES.Float).Set(0.01)
    UsdShade.MaterialBindingAPI.Apply(ball).Bind(material, materialPurpose="physics")
    if schema:
        ball.AddAppliedSchema(schema)
    if authored:
        write(ball, TYPES.Int, condim=authored)
    assert compile_scene(parse(stage)).mj.geom_condim[0] == condim


@pytest.mark.parametrize(
    ("schemas", "values", "timestep"),
    [
        ((), {}, None),
        (("MjcSceneAPI",), {}, None),
        (("NewtonSceneAPI",), {}, 1e-3),
        (("NewtonSceneAPI", "MjcSceneAPI"), {}, 1e-3),
        (("NewtonSceneAPI",), {"newton:timeStepsPerSecond": 250}, 4e-3),
        (("NewtonSceneAPI",), {"physxScene:timeStepsPerSecond": 100}, 1e-2),
        (("NewtonSceneAPI", "MjcSceneAPI"), {"mjc:option:timestep": 3e-3}, 3e-3),
    ],
)
def test_the_time_step_of_newtons_schema_gives_way_to_all_that_is_authored(
    schemas, values, timestep
):
    stage = new_stage()
    body(stage, "/b")
    scene = scene_prim(stage, *schemas)
    for name, value in values.items():
        kind = TYPES.Double if isinstance(value, float) else TYPES.Int
        scene.CreateAttribute(name, kind).Set(value)
    result = parse_stage(stage)
    assert result.scene.timestep == timestep
    assumed = "newton:timeStepsPerSecond" in result.report.defaulted["/scene"]
    assert assumed is (timestep == 1e-3)


def test_newtons_schema_says_nothing_where_its_dialect_is_not_asked_for():
    stage = new_stage()
    body(stage, "/b")
    scene_prim(stage, "NewtonSceneAPI")
    assert parse(stage, precedence=("mjc", "physx", "physics")).timestep is None


@pytest.mark.parametrize(
    ("own", "limit", "expected"), [(None, 7, 7), (9, 7, 9), (None, -1, 100), (None, None, 100)]
)
def test_iterations_of_newtons_schema_are_those_of_the_solver(own, limit, expected):
    stage = new_stage()
    body(stage, "/b")
    scene = scene_prim(stage, "MjcSceneAPI", "NewtonSceneAPI")
    if limit is not None:
        scene.CreateAttribute("newton:maxSolverIterations", TYPES.Int).Set(limit)
    if own is not None:
        write(scene, TYPES.Int, option__iterations=own)
    assert compile_scene(parse(stage)).mj.opt.iterations == expected


def two_bodies(exact=False, **compiler):
    stage = new_stage()
    for name, mass in (("a", 1.0), ("b", 3.0)):
        prim = body(stage, f"/{name}", mass=mass)
        UsdPhysics.MassAPI(prim).CreateDiagonalInertiaAttr(Gf.Vec3f(0.5 * mass))
        if exact:
            write(prim, TYPES.Double, mass=mass)
            write(prim, TYPES.Double3, inertia=Gf.Vec3d(0.5 * mass))
    scene = scene_prim(stage, "MjcSceneAPI")
    write(scene, TYPES.Double, **{f"compiler__{name}": v for name, v in compiler.items()})
    return stage


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("compiler", "masses", "inertias"),
    [
        ({}, [1, 3], [0.5, 1.5]),
        ({"setTotalMass": -1.0}, [1, 3], [0.5, 1.5]),
        ({"setTotalMass": 8.0}, [2, 6], [1, 3]),
        ({"boundMass": 2.0}, [2, 3], [0.5, 1.5]),
        ({"boundInertia": 1.0}, [1, 3], [1, 1.5]),
        ({"boundMass": 2.0, "setTotalMass": 10.0}, [4, 6], [1, 3]),
    ],
)
def test_scenes_adjust_the_masses_of_all_bodies(exact, compiler, masses, inertias):
    scene = parse(two_bodies(exact, **compiler))
    np.testing.assert_allclose([b.mass for b in scene.bodies], masses)
    model = compile_scene(scene).mj
    np.testing.assert_allclose(model.body_mass[1:], masses)
    np.testing.assert_allclose(model.body_inertia[1:, 0], inertias)


def test_a_total_mass_must_be_a_number():
    with pytest.raises(ParseError, match="mjc:compiler:setTotalMass"):
        parse_stage(two_bodies(setTotalMass=float("nan")))


CORNERS = [[0, 0], [2, 0], [2, 0.5], [0.5, 0.5], [0.5, 1.5], [0, 1.5]]
CAP = [[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]]


def angle_iron():
    """Points and outward triangles of a prism over an L."""
    points = np.array([[*corner, z] for z in (0.0, 0.7) for corner in CORNERS])
    faces = [face[::-1] for face in CAP] + [[i + 6 for i in face] for face in CAP]
    for i in range(6):
        j = (i + 1) % 6
        faces += [[i, j, j + 6], [i, j + 6, i + 6]]
    return points, faces


def iron(points, faces, approximation, rule):
    stage = new_stage()
    body(stage, "/b", mass=None)
    prim = shape(
        stage, "/b/g", "Mesh", scale=(1, 2, 0.5), points=[Gf.Vec3f(*p) for p in points],
        faceVertexIndices=np.ravel(faces).tolist(), faceVertexCounts=[3] * len(faces),
    )  # fmt: skip
    UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(approximation)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(10.0)
    write(prim, TYPES.Token, inertia=rule)
    return stage


def test_an_unknown_rule_is_refused():
    with pytest.raises(ParseError, match="mjc:inertia"):
        parse_stage(iron(*angle_iron(), "convexHull", "solid"))


@pytest.mark.parametrize("approximation", ["convexHull", "convexDecomposition"])
@pytest.mark.parametrize("rule", ["legacy", "convex", "exact", "shell"])
def test_meshes_weigh_by_the_rule_they_state(rule, approximation):
    points, faces = angle_iron()
    numbers = [" ".join(map(str, np.ravel(values))) for values in (points, faces)]
    reference = mujoco.MjModel.from_xml_string(
        f"""<mujoco><asset><mesh name="m" inertia="{rule}" scale="1 2 .5" vertex="{numbers[0]}"
        face="{numbers[1]}"/></asset><worldbody><body><freejoint/><geom type="mesh" mesh="m"
        density="10"/></body></worldbody></mujoco>"""
    )
    found = parse(iron(points, faces, approximation, rule)).bodies[0]
    assert found.mass == pytest.approx(reference.body_mass[1], rel=1e-6)
    np.testing.assert_allclose(found.com, reference.body_ipos[1], atol=1e-6)
    np.testing.assert_allclose(
        np.sort(found.inertia), np.sort(reference.body_inertia[1]), rtol=1e-5
    )
