import mujoco
import numpy as np
import pytest
from parser_builders import body, by_path, joint, new_stage, parse, shape
from pxr import Sdf, UsdPhysics, UsdShade

from usdsim.core.dialects.newton import NEWTON
from usdsim.core.dialects.physx import PHYSX
from usdsim.core.errors import InvalidValueError
from usdsim.engine import compile_scene
from usdsim.parser import parse_stage

TYPES = Sdf.ValueTypeNames
DEGREE = np.pi / 180


def write(prim, **values):
    """Attributes with ``__`` for ``:``, by Python type."""
    for name, value in values.items():
        kind = {bool: TYPES.Bool, int: TYPES.Int, str: TYPES.Token}.get(type(value), TYPES.Float)
        prim.CreateAttribute(name.replace("__", ":"), kind).Set(value)


def hinge(kind="Revolute", meters=1.0):
    stage = new_stage(meters=meters)
    body(stage, "/b")
    return stage, joint(stage, "/j", kind, None, "/b")


def dof_of(stage, **options):
    return parse(stage, **options).joints[0].dofs[0]


def test_newton_joints_are_in_degrees():
    stage, prim = hinge()
    write(
        prim, newton__armature=0.1, newton__damping=0.5 * DEGREE, newton__friction=0.25,
        newton__velocityLimit=180.0, newton__limitStiffness=100 * DEGREE,
        newton__limitDamping=2 * DEGREE,
    )  # fmt: skip
    dof = dof_of(stage)
    found = (
        dof.armature, dof.damping, dof.friction, dof.velocity_limit, dof.limit_stiffness,
        dof.limit_damping,
    )  # fmt: skip
    np.testing.assert_allclose(found, [0.1, 0.5, 0.25, np.pi, 100, 2], rtol=1e-6)


def test_newton_sliding_joints_are_in_stage_units():
    stage, prim = hinge("Prismatic", meters=0.01)
    write(prim, newton__damping=0.5, newton__velocityLimit=200.0, newton__friction=300.0)
    dof = dof_of(stage)
    np.testing.assert_allclose([dof.damping, dof.velocity_limit, dof.friction], [0.5, 2.0, 3.0])


def test_physx_joints():
    stage, prim = hinge()
    write(
        prim, physxJoint__armature=0.2, physxJoint__maxJointVelocity=90.0,
        physxLimit__angular__stiffness=10.0, physxLimit__angular__damping=1.0,
        physxJointAxis__angular__viscousFrictionCoefficient=3 * DEGREE,
        physxJointAxis__angular__dynamicFrictionEffort=4.0,
    )  # fmt: skip
    dof = dof_of(stage)
    found = (
        dof.armature, dof.velocity_limit, dof.limit_stiffness, dof.limit_damping, dof.damping,
        dof.friction,
    )  # fmt: skip
    np.testing.assert_allclose(found, [0.2, np.pi / 2, 10, 1, 3, 4], rtol=1e-6)


def test_soft_limits_of_physx_give_way_by_their_stiffness_per_radian():
    """At rest a moment is the stiffness times the angle beyond the limit."""
    stage, prim = hinge()
    write(
        prim, physics__upperLimit=20.0, physics__lowerLimit=-20.0,
        physxLimit__angular__stiffness=5.0, physxLimit__angular__damping=1.0,
    )  # fmt: skip
    model = compile_scene(parse_stage(stage).scene).mj
    moment, limit = 2.0, np.radians(20.0)
    data = mujoco.MjData(model)
    data.qfrc_applied[:] = moment
    mujoco.mj_step(model, data, nstep=20_000)
    assert data.qpos[0] == pytest.approx(limit + moment / 5.0, rel=2e-3)


def test_sentinels_mean_hard_limits_and_no_speed_limit():
    stage, prim = hinge()
    write(
        prim, newton__limitStiffness=float("-inf"), newton__limitDamping=float("-inf"),
        newton__velocityLimit=float("inf"),
    )  # fmt: skip
    dof = dof_of(stage)
    assert (dof.limit_stiffness, dof.limit_damping, dof.velocity_limit) == (None, None, np.inf)


@pytest.mark.parametrize("damping", [float("-inf"), 2.0])
def test_limits_of_infinite_stiffness_are_hard(damping):
    stage, prim = hinge()
    write(prim, newton__limitStiffness=float("inf"), newton__limitDamping=damping)
    result = parse_stage(stage)
    dof = result.scene.joints[0].dofs[0]
    assert (dof.limit_stiffness, dof.limit_damping) == (None, None)
    assert not result.report.warnings
    compile_scene(result.scene)
    # Among dialects it is a number like any other.
    write(prim, physxLimit__angular__stiffness=10.0)
    (conflict,) = parse_stage(stage).report.by_code("conflict")
    assert conflict.attribute == "physxLimit:angular:stiffness"
    softer = dof_of(stage, precedence=("physx", "newton"))
    assert softer.limit_stiffness == pytest.approx(10.0, rel=1e-6)


def test_newton_wins_over_physx_and_a_disagreement_is_reported():
    stage, prim = hinge()
    write(prim, newton__armature=0.1, physxJoint__armature=0.2)
    result = parse_stage(stage)
    assert result.scene.joints[0].dofs[0].armature == pytest.approx(0.1)
    (conflict,) = result.report.by_code("conflict")
    assert (conflict.path, conflict.attribute) == ("/j", "physxJoint:armature")
    assert dof_of(stage, precedence=("physx", "newton")).armature == pytest.approx(0.2)


def test_agreement_is_no_conflict():
    stage, prim = hinge()
    write(prim, newton__armature=0.1, physxJoint__armature=0.1)
    assert not parse_stage(stage).report.by_code("conflict")


def test_mujoco_can_be_outranked():
    stage, prim = hinge()
    prim.CreateAttribute("mjc:armature", TYPES.Double).Set(0.5)
    write(prim, newton__armature=0.1)
    dof = dof_of(stage)
    assert dof.armature == 0.5 and not dof.overrides
    for precedence in (("newton", "mjc"), ("newton", "physx", "physics")):
        dof = dof_of(stage, precedence=precedence)
        assert dof.armature == pytest.approx(0.1) and not dof.overrides


def material(stage, prim):
    found = UsdShade.Material.Define(stage, "/material").GetPrim()
    UsdPhysics.MaterialAPI.Apply(found)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(
        UsdShade.Material(found), UsdShade.Tokens.weakerThanDescendants, "physics"
    )
    return found


def test_materials_bound_to_an_ancestor_hold_unless_the_collider_has_its_own():
    stage = new_stage()
    over = body(stage, "/b")
    shape(stage, "/b/g")
    UsdPhysics.MaterialAPI(material(stage, over)).CreateDynamicFrictionAttr(0.9)
    own = shape(stage, "/b/h")
    scene = parse(stage)
    assert [scene.materials[g.material].dynamic_friction for g in scene.geoms] == pytest.approx(
        [0.9, 0.9]
    )
    found = UsdShade.Material.Define(stage, "/other")
    UsdPhysics.MaterialAPI.Apply(found.GetPrim()).CreateDynamicFrictionAttr(0.1)
    UsdShade.MaterialBindingAPI.Apply(own).Bind(found, materialPurpose="physics")
    scene = parse(stage)
    frictions = [scene.materials[g.material].dynamic_friction for g in scene.geoms]
    assert frictions == pytest.approx([0.9, 0.1])


def test_materials():
    stage = new_stage(meters=0.01)
    prim = material(stage, shape(stage, "/g"))
    api = UsdPhysics.MaterialAPI(prim)
    api.CreateStaticFrictionAttr(0.8)
    api.CreateDynamicFrictionAttr(0.6)
    api.CreateRestitutionAttr(0.3)
    api.CreateDensityAttr(1e-3)
    write(
        prim, newton__torsionalFriction=2.0, newton__rollingFriction=1.0,
        physxMaterial__frictionCombineMode="max", physxMaterial__restitutionCombineMode="min",
        physxMaterial__compliantContactStiffness=1e4, physxMaterial__compliantContactDamping=10.0,
    )  # fmt: skip
    scene = parse(stage)
    found = scene.materials[scene.geoms[0].material]
    np.testing.assert_allclose(
        [found.static_friction, found.dynamic_friction, found.restitution, found.density],
        [0.8, 0.6, 0.3, 1e3],
    )
    assert (found.friction_combine, found.restitution_combine) == ("max", "min")
    np.testing.assert_allclose([found.torsional_friction, found.rolling_friction], [0.02, 0.01])
    np.testing.assert_allclose([found.contact_stiffness, found.contact_damping], [1e4, 10.0])


def test_unauthored_coefficients_are_the_schemas():
    stage = new_stage()
    material(stage, shape(stage, "/g"))
    result = parse_stage(stage)
    found = result.scene.materials[0]
    assert (found.static_friction, found.dynamic_friction, found.restitution) == (0, 0, 0)
    assert "physics:staticFriction" in result.report.defaulted["/material"]


def test_a_material_on_the_scene_is_the_default():
    stage = new_stage()
    shape(stage, "/g")
    material(stage, UsdPhysics.Scene.Define(stage, "/scene").GetPrim())
    assert parse(stage).geoms[0].material == 0


def test_colliders_without_material_have_none():
    stage = new_stage()
    shape(stage, "/g")
    assert parse(stage).geoms[0].material is None


def follower(*, kinds=("Revolute", "Revolute"), meters=1.0):
    stage = new_stage(meters=meters)
    for name in "ab":
        body(stage, f"/{name}")
    joint(stage, "/lead", kinds[0], None, "/a")
    return stage, joint(stage, "/follow", kinds[1], None, "/b")


def test_newton_mimic():
    stage, prim = follower()
    prim.AddAppliedSchema("NewtonMimicAPI")
    prim.CreateRelationship("newton:mimicJoint").SetTargets(["/lead"])
    write(prim, newton__mimicCoef0=90.0, newton__mimicCoef1=-2.0)
    mimic = by_path(parse(stage).joints)["/follow"].mimic
    assert mimic.joint == "/lead"
    assert (mimic.offset, mimic.gearing) == (pytest.approx(np.pi / 2), -2.0)
    write(prim, newton__mimicEnabled=False)
    assert by_path(parse(stage).joints)["/follow"].mimic is None


def test_physx_mimic_has_the_opposite_sign():
    stage, prim = follower()
    prim.AddAppliedSchema("PhysxMimicJointAPI:rotX")
    prim.CreateRelationship("physxMimicJoint:rotX:referenceJoint").SetTargets(["/lead"])
    write(prim, physxMimicJoint__rotX__gearing=2.0, physxMimicJoint__rotX__offset=-90.0)
    mimic = by_path(parse(stage).joints)["/follow"].mimic
    assert (mimic.offset, mimic.gearing) == (pytest.approx(np.pi / 2), -2.0)


def test_mimic_between_sliding_and_turning():
    """1 cm of slide per degree of the leader."""
    stage, prim = follower(kinds=("Revolute", "Prismatic"), meters=0.01)
    prim.AddAppliedSchema("PhysxMimicJointAPI:transX")
    prim.CreateRelationship("physxMimicJoint:transX:referenceJoint").SetTargets(["/lead"])
    write(prim, physxMimicJoint__transX__gearing=-1.0)
    mimic = by_path(parse(stage).joints)["/follow"].mimic
    assert mimic.gearing == pytest.approx(0.01 / DEGREE)


def test_newton_actuators_are_drives_in_radians():
    stage, _ = hinge()
    prim = stage.DefinePrim("/actuator", "NewtonActuator")
    for api in ("NewtonPDControlAPI", "NewtonMaxEffortClampingAPI", "NewtonActuatorDelayAPI"):
        prim.AddAppliedSchema(api)
    prim.CreateRelationship("newton:targets").SetTargets(["/j"])
    write(prim, newton__kp=100.0, newton__kd=10.0, newton__maxEffort=50.0, newton__delaySteps=5)
    result = parse_stage(stage)
    drive = result.scene.joints[0].dofs[0].drive
    assert (drive.stiffness, drive.damping, drive.max_force) == (100.0, 10.0, 50.0)
    assert [f.attribute for f in result.report.by_code("unsupported")] == ["newton:delaySteps"]


def test_fixed_tendons():
    stage = new_stage(meters=0.01)
    for name in "abc":
        body(stage, f"/{name}")
    for first, second in ((None, "a"), ("a", "b"), ("b", "c")):
        prim = joint(stage, f"/j_{second}", "Revolute", first and f"/{first}", f"/{second}")
        prim.AddAppliedSchema(f"PhysxTendonAxis{'' if first else 'Root'}API:t")
        if second == "c":
            continue
        prim.CreateAttribute("physxTendon:t:gearing", TYPES.FloatArray).Set([0.5])
        prim.CreateAttribute("physxTendon:t:forceCoefficient", TYPES.FloatArray).Set([0.5])
    root = stage.GetPrimAtPath("/j_a")
    write(
        root, physxTendon__t__stiffness=10.0, physxTendon__t__damping=1.0,
        physxTendon__t__restLength=4.0, physxTendon__t__offset=1.0,
        physxTendon__t__lowerLimit=-2.0, physxTendon__t__upperLimit=3.0,
        physxTendon__t__limitStiffness=70.0,
    )  # fmt: skip
    result = parse_stage(stage)
    assert not result.report.by_code("unsupported")
    (tendon,) = result.scene.elements
    assert tendon.kind == "tendon" and tendon.path == "/j_a:t"
    assert tendon.overrides["limit:stiffness"] == pytest.approx(70.0)
    values = tendon.overrides
    assert values["path"] == ("/j_a", "/j_b", "/j_c")
    np.testing.assert_allclose(values["path:coef"], np.array([0.5, 0.5, 1.0]) * 0.01 / DEGREE)
    np.testing.assert_allclose([values["stiffness[0]"], values["damping[0]"]], [10, 1])
    np.testing.assert_allclose(values["springlength"], [0.03, 0.03])
    np.testing.assert_allclose([values["range[0]"], values["range[1]"]], [-0.03, 0.02])
    assert values["type"] == 1 and values["limited"] == 1


@pytest.mark.parametrize(
    ("gearing", "coefficients", "found"),
    [
        ((1.0, -2.0), (1.0, -2.0), False),
        ((1.0, -2.0), (57.295779, -114.591559), False),
        ((1.0, 1.0), None, False),
        ((1.0, -2.0), None, True),
        ((1.0, -2.0), (1.0, 2.0), True),
    ],
)
def test_torques_of_fixed_tendons_follow_the_force_coefficient(gearing, coefficients, found):
    """Gearing is length per degree and the coefficient torque per force: k 40, q .3 and .1 rad."""
    stage = new_stage()
    for name in "ab":
        body(stage, f"/{name}")
    for i, (first, second) in enumerate(((None, "a"), ("a", "b"))):
        prim = joint(stage, f"/j_{second}", "Revolute", first and f"/{first}", f"/{second}")
        prim.AddAppliedSchema(f"PhysxTendonAxis{'' if first else 'Root'}API:t")
        prim.CreateAttribute("physxTendon:t:gearing", TYPES.FloatArray).Set([gearing[i]])
        if coefficients:
            name = "physxTendon:t:forceCoefficient"
            prim.CreateAttribute(name, TYPES.FloatArray).Set([coefficients[i]])
    write(stage.GetPrimAtPath("/j_a"), physxTendon__t__stiffness=40.0)
    result = parse_stage(stage)
    assert bool(result.report.by_code("unsupported")) == found
    if found:
        return
    (tendon,) = result.scene.elements
    arms = tendon.overrides["path:coef"]
    force = -40.0 * tendon.overrides.get("force:scale", 1.0) * (arms @ [0.3, 0.1])
    length = np.degrees([0.3, 0.1]) @ gearing
    expected = -40.0 * length * np.array(coefficients or (1.0, 1.0))
    np.testing.assert_allclose(force * arms, expected, rtol=1e-5)


def test_a_branching_tendon_is_one_per_branch():
    stage = new_stage()
    for name in "abc":
        body(stage, f"/{name}")
    for first, second in ((None, "a"), ("a", "b"), ("a", "c")):
        prim = joint(stage, f"/j_{second}", "Revolute", first and f"/{first}", f"/{second}")
        prim.AddAppliedSchema(f"PhysxTendonAxis{'' if first else 'Root'}API:t")
    tendons = parse(stage).elements
    assert [t.overrides["path"] for t in tendons] == [("/j_a", "/j_b"), ("/j_a", "/j_c")]
    assert len({t.path for t in tendons}) == 2


def test_spatial_tendons_run_through_sites():
    stage = new_stage()
    ends = []
    for i, name in enumerate("abc"):
        prim = body(stage, f"/{name}", (i, 0, 0), scale=(2, 2, 2))
        role = ("Root", "", "Leaf")[i]
        prim.AddAppliedSchema(f"PhysxTendonAttachment{role}API:t{i}")
        prim.CreateAttribute(f"physxTendon:t{i}:localPos", TYPES.Point3f).Set((0, 0, 0.5))
        if i:
            prim.CreateRelationship(f"physxTendon:t{i}:parentLink").SetTargets([ends[-1]])
            write(prim, **{f"physxTendon__t{i}__parentAttachment": f"t{i - 1}"})
        ends.append(f"/{name}")
    write(stage.GetPrimAtPath("/a"), physxTendon__t0__stiffness=7.0)
    write(stage.GetPrimAtPath("/c"), physxTendon__t2__restLength=1.5)
    scene = parse(stage)
    (tendon,) = scene.elements
    assert tendon.overrides["path"] == ("/a:t0", "/b:t1", "/c:t2")
    assert tendon.overrides["stiffness[0]"] == 7.0
    np.testing.assert_allclose(tendon.overrides["springlength"], [1.5, 1.5])
    sites = by_path(scene.sites)
    assert [sites[p].body for p in tendon.overrides["path"]] == [0, 1, 2]
    np.testing.assert_allclose(sites["/a:t0"].pose.pos, [0, 0, 1])


@pytest.mark.parametrize(("rest", "stretch"), [(1.5, 2 * 1.0 + 0.25 - 1.5), (-1.0, 0.25)])
def test_gearing_counts_length_and_leaves_the_force(rest, stretch):
    """As in PhysX: a geared line pulls with what its spring states; -1 is the first length."""
    stage = new_stage()
    body(stage, "/a")
    joint(stage, "/fixed", "Fixed", None, "/a")
    leaf = body(stage, "/b", (1, 0, 0))
    slide = joint(stage, "/slide", "Prismatic", "/a", "/b")
    UsdPhysics.Joint(slide).CreateLocalPos0Attr((1, 0, 0))
    root = stage.GetPrimAtPath("/a")
    root.AddAppliedSchema("PhysxTendonAttachmentRootAPI:t")
    write(root, physxTendon__t__stiffness=7.0, physxTendon__t__offset=0.25)
    leaf.AddAppliedSchema("PhysxTendonAttachmentLeafAPI:l")
    leaf.CreateRelationship("physxTendon:l:parentLink").SetTargets(["/a"])
    write(leaf, physxTendon__l__parentAttachment="t", physxTendon__l__gearing=2.0)
    write(leaf, physxTendon__l__restLength=rest)
    model = compile_scene(parse(stage)).mj
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.qfrc_passive == pytest.approx([-7.0 * stretch], rel=1e-5)


@pytest.mark.parametrize("table", [NEWTON, PHYSX])
def test_tables_are_consistent(table):
    names = [row.usd for row in table]
    assert len(set(names)) == len(names)
    for row in table:
        assert row.doc and row.api and row.type and "." in row.spec
        assert row.default is not None


def test_newton_table_agrees_with_the_published_schema():
    """Types and fallbacks of every row, against the schema registered in this process."""
    from pxr import Usd

    registry = Usd.SchemaRegistry()
    for row in NEWTON:
        definition = registry.FindAppliedAPIPrimDefinition(row.api)
        if definition is None:
            pytest.skip("newton-usd-schemas is not registered in this process")
        attribute = definition.GetAttributeDefinition(row.usd)
        assert str(attribute.GetTypeName()) == row.type, row.usd
        assert attribute.GetFallbackValue() == pytest.approx(row.default) or str(
            row.default
        ) == str(attribute.GetFallbackValue()), row.usd


def test_an_unknown_dialect_is_named():
    stage, _ = hinge()
    with pytest.raises(InvalidValueError, match="bullet"):
        parse_stage(stage, precedence=("mjc", "bullet"))


def test_values_of_the_dialect_that_vary_start_with_their_first_sample():
    stage = new_stage()
    prim = shape(stage, "/s")
    mixing = prim.CreateAttribute("mjc:solmix", TYPES.Double)
    mixing.Set(0.75)
    mixing.Set(0.25, 3.0)
    (geom,) = parse(stage).geoms
    assert geom.overrides["solmix"] == 0.25


@pytest.mark.parametrize("name", ["mjc:material", "mjc:margin", "mjc:solmix"])
def test_properties_of_the_other_sort_are_unread(name):
    stage = new_stage()
    prim = shape(stage, "/s")
    if name == "mjc:material":
        prim.CreateAttribute(name, TYPES.String).Set("/look")
    else:
        prim.CreateRelationship(name).AddTarget("/look")
    result = parse_stage(stage)
    assert not result.scene.geoms[0].overrides
    (finding,) = result.report.by_code("unsupported")
    assert (finding.path, finding.attribute) == ("/s", name)


def test_bodies_that_are_shapes_have_the_values_of_both():
    stage = new_stage()
    prim = shape(stage, "/s")
    UsdPhysics.RigidBodyAPI.Apply(prim)
    prim.CreateAttribute("mjc:solmix", TYPES.Double).Set(0.25)
    prim.CreateAttribute("mjc:gravcomp", TYPES.Double).Set(0.5)
    prim.CreateAttribute("mjc:nonsense", TYPES.Double).Set(0.5)
    result = parse_stage(stage)
    assert result.scene.geoms[0].overrides == {"solmix": 0.25}
    assert result.scene.bodies[0].gravity_compensation == 0.5
    assert [f.attribute for f in result.report.by_code("unsupported")] == ["mjc:nonsense"]
