"""What particular families write: units, dialects, drives, tendons, sensors, old names."""

import math
import warnings

import numpy as np
import pytest
from pxr import Sdf, UsdGeom, UsdPhysics
from schema_stages import rigid_bodies

from usdsim import schemas
from usdsim.usd.attributes import authored, is_authored
from usdsim.usd.schemas import applied_schemas, apply_api, has_api
from usdsim.usd.stage import create_stage

DEG = 180.0 / math.pi


def test_each_dialect_has_its_own_unit():
    """Degrees on joints in PhysX and Newton, radians in MuJoCo; armature has no angle unit."""
    stage = create_stage()
    UsdPhysics.RevoluteJoint.Define(stage, "/joint")
    cfg = schemas.JointPropertiesCfg(
        armature=0.2, damping=0.5, friction=0.3, velocity_limit=2.0,
        dialects=("physx", "newton", "mjc"),
    )  # fmt: skip
    assert schemas.modify_joint_properties("/joint", cfg, stage)
    prim = stage.GetPrimAtPath("/joint")
    for name, value in {
        "newton:armature": 0.2,
        "physxJoint:armature": 0.2,
        "mjc:armature": 0.2,
        "newton:damping": 0.5 / DEG,
        "physxJointAxis:angular:viscousFrictionCoefficient": 0.5 / DEG,
        "mjc:damping": 0.5,
        "newton:friction": 0.3,
        "physxJointAxis:angular:dynamicFrictionEffort": 0.3,
        "mjc:frictionloss": 0.3,
        "newton:velocityLimit": 2.0 * DEG,
        "physxJoint:maxJointVelocity": 2.0 * DEG,
    }.items():
        assert authored(prim, name) == pytest.approx(value, rel=1e-6), name
    for api in ("NewtonJointAPI", "PhysxJointAPI", "PhysxJointAxisAPI:angular", "MjcJointAPI"):
        assert api in applied_schemas(prim)


def test_contact_offsets_become_newtons_margin_and_gap():
    stage = create_stage()
    UsdGeom.Sphere.Define(stage, "/a")
    cfg = schemas.CollisionBaseCfg(contact_offset=0.05, rest_offset=0.02, dialects=("newton",))
    schemas.define_collision_properties("/a", cfg, stage)
    prim = stage.GetPrimAtPath("/a")
    assert authored(prim, "newton:contactMargin") == pytest.approx(0.02)
    assert authored(prim, "newton:contactGap") == pytest.approx(0.03)
    assert not is_authored(prim, "physxCollision:contactOffset")
    read = schemas.read_collision_properties("/a", schemas.CollisionBaseCfg, stage)
    assert (read.contact_offset, read.rest_offset) == pytest.approx((0.05, 0.02))


def test_a_field_without_a_spelling_in_the_dialect_is_reported():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/a")
    cfg = schemas.PhysxRigidBodyPropertiesCfg(linear_damping=0.1, dialects=("newton",))
    result = schemas.define_rigid_body_properties("/a", cfg, stage)
    assert [s.reason for s in result.skipped] == ["linear_damping has no spelling in newton"]
    assert not is_authored(stage.GetPrimAtPath("/a"), "physxRigidBody:linearDamping")


def test_mimic_signs_differ_between_newton_and_physx():
    stage = create_stage()
    for path in ("/leader", "/follower"):
        UsdPhysics.RevoluteJoint.Define(stage, path).CreateAxisAttr("Z")
    cfg = schemas.MimicJointPropertiesCfg(
        reference_joint="/leader", gearing=2.0, offset=0.1, dialects=("newton", "physx")
    )
    schemas.define_mimic_joint_properties("/follower", cfg, stage)
    prim = stage.GetPrimAtPath("/follower")
    assert authored(prim, "newton:mimicCoef1") == 2.0
    assert authored(prim, "newton:mimicCoef0") == pytest.approx(0.1 * DEG)
    assert authored(prim, "physxMimicJoint:rotZ:gearing") == -2.0
    assert authored(prim, "physxMimicJoint:rotZ:offset") == pytest.approx(-0.1 * DEG)
    targets = prim.GetRelationship("physxMimicJoint:rotZ:referenceJoint").GetTargets()
    assert targets == [Sdf.Path("/leader")]


def test_mimic_is_for_single_axis_joints():
    stage = create_stage()
    UsdPhysics.SphericalJoint.Define(stage, "/ball")
    with pytest.raises(ValueError, match="revolute and prismatic"):
        schemas.define_mimic_joint_properties("/ball", schemas.MimicJointPropertiesCfg(), stage)


def test_values_are_converted_to_the_stages_units():
    """1 m is 100 cm, 1 kg is 1000 g, 1 kg/m^3 is 1e-3 g/cm^3, 1 N m is 1e7 g cm^2/s^2."""
    stage = create_stage(meters_per_unit=0.01, kilograms_per_unit=0.001)
    UsdGeom.Cube.Define(stage, "/a")
    UsdPhysics.RevoluteJoint.Define(stage, "/joint")
    schemas.define_mass_properties(
        "/a",
        schemas.MassPropertiesCfg(
            mass=2.0, density=1000.0, center_of_mass=(0.1, 0.0, 0.0), diagonal_inertia=(1, 1, 1)
        ),
        stage,
    )
    schemas.define_collision_properties("/a", schemas.CollisionBaseCfg(contact_offset=0.02), stage)
    schemas.modify_joint_drive_properties(
        "/joint", schemas.PhysxJointDrivePropertiesCfg(max_force=3.0, stiffness=1.0), stage
    )
    prim, joint = stage.GetPrimAtPath("/a"), stage.GetPrimAtPath("/joint")
    assert authored(prim, "physics:mass") == pytest.approx(2000.0)
    assert authored(prim, "physics:density") == pytest.approx(1.0)
    np.testing.assert_allclose(authored(prim, "physics:centerOfMass"), [10.0, 0.0, 0.0])
    np.testing.assert_allclose(authored(prim, "physics:diagonalInertia"), [1e7] * 3)
    assert authored(prim, "physxCollision:contactOffset") == pytest.approx(2.0)
    assert authored(joint, "drive:angular:physics:maxForce") == pytest.approx(3e7)
    assert authored(joint, "drive:angular:physics:stiffness") == pytest.approx(1e7 / DEG)
    assert schemas.read_mass_properties("/a", stage=stage).mass == 2.0


def test_joints_of_other_types_get_no_drive():
    stage = create_stage()
    UsdPhysics.SphericalJoint.Define(stage, "/ball")
    UsdPhysics.RevoluteJoint.Define(stage, "/driven")
    UsdPhysics.RevoluteJoint.Define(stage, "/root")
    apply_api(stage.GetPrimAtPath("/driven"), "PhysxTendonAxisAPI", "t")
    apply_api(stage.GetPrimAtPath("/root"), "PhysxTendonAxisRootAPI", "t")
    cfg = schemas.PhysxJointDrivePropertiesCfg(stiffness=1.0)
    assert not schemas.modify_joint_drive_properties("/ball", cfg, stage)
    assert schemas.modify_joint_drive_properties("/root", cfg, stage)
    # The registered root schema brings the axis schema along; a plain axis is a driven child.
    assert not schemas.modify_joint_drive_properties("/driven", cfg, stage)
    assert not has_api(stage.GetPrimAtPath("/driven"), "PhysicsDriveAPI")


@pytest.mark.parametrize(
    ("authored_gains", "expected"),
    [((), 1e-3 / DEG), ((0.0, 0.0), 1e-3 / DEG), ((0.0, 2.0), 0.0), ((5.0, 0.0), 5.0)],
)
def test_ensure_drives_exist_gives_passive_drives_a_stiffness(authored_gains, expected):
    stage = create_stage()
    joint = UsdPhysics.RevoluteJoint.Define(stage, "/joint").GetPrim()
    if authored_gains:
        drive = UsdPhysics.DriveAPI.Apply(joint, "angular")
        drive.CreateStiffnessAttr(authored_gains[0])
        drive.CreateDampingAttr(authored_gains[1])
    cfg = schemas.PhysxJointDrivePropertiesCfg(ensure_drives_exist=True)
    schemas.modify_joint_drive_properties("/joint", cfg, stage)
    assert authored(joint, "drive:angular:physics:stiffness") == pytest.approx(expected)
    assert cfg.stiffness is None


def test_tendons_are_written_instance_by_instance():
    stage = create_stage()
    prim = UsdPhysics.RevoluteJoint.Define(stage, "/joint").GetPrim()
    for name in ("a", "b"):
        apply_api(prim, "PhysxTendonAxisRootAPI", name)
    every = schemas.PhysxFixedTendonPropertiesCfg(stiffness=3.0)
    assert schemas.modify_fixed_tendon_properties("/joint", every, stage)
    one = schemas.PhysxFixedTendonPropertiesCfg(damping=4.0, instance_names="b")
    assert schemas.modify_fixed_tendon_properties("/joint", one, stage)
    assert authored(prim, "physxTendon:a:stiffness") == 3.0
    assert authored(prim, "physxTendon:b:stiffness") == 3.0
    assert not is_authored(prim, "physxTendon:a:damping")
    assert authored(prim, "physxTendon:b:damping") == 4.0
    none = schemas.PhysxFixedTendonPropertiesCfg(damping=4.0, instance_names="c")
    assert not schemas.modify_fixed_tendon_properties("/joint", none, stage)
    with pytest.raises(ValueError, match="instance_names"):
        empty = schemas.PhysxFixedTendonPropertiesCfg(damping=4.0, instance_names=[])
        schemas.modify_fixed_tendon_properties("/joint", empty, stage)


@pytest.mark.parametrize("token", schemas.APPROXIMATIONS)
def test_every_approximation_can_be_authored(token):
    stage = create_stage()
    UsdGeom.Mesh.Define(stage, "/mesh")
    cfg = schemas.MeshCollisionBaseCfg(mesh_approximation_name=token)
    schemas.define_mesh_collision_properties("/mesh", cfg, stage)
    assert authored(stage.GetPrimAtPath("/mesh"), "physics:approximation") == token


@pytest.mark.parametrize(
    ("cls", "token"),
    [
        (schemas.BoundingCubePropertiesCfg, "boundingCube"),
        (schemas.BoundingSpherePropertiesCfg, "boundingSphere"),
        (schemas.ConvexHullPropertiesCfg, "convexHull"),
        (schemas.ConvexDecompositionPropertiesCfg, "convexDecomposition"),
        (schemas.TriangleMeshPropertiesCfg, "none"),
        (schemas.TriangleMeshSimplificationPropertiesCfg, "meshSimplification"),
        (schemas.SDFMeshPropertiesCfg, "sdf"),
        (schemas.SphereFillPropertiesCfg, "sphereFill"),
    ],
)
def test_a_configuration_stands_for_its_approximation(cls, token):
    stage = create_stage()
    UsdGeom.Mesh.Define(stage, "/mesh")
    collision = schemas.CollisionBaseCfg(mesh_collision_property=cls())
    schemas.define_collision_properties("/mesh", collision, stage)
    assert authored(stage.GetPrimAtPath("/mesh"), "physics:approximation") == token


def test_unknown_approximations_and_shapes_without_mesh():
    stage = create_stage()
    UsdGeom.Sphere.Define(stage, "/sphere")
    with pytest.raises(ValueError, match="convexHull"):
        cfg = schemas.MeshCollisionBaseCfg(mesh_approximation_name="convex_hull")
        schemas.define_mesh_collision_properties("/sphere", cfg, stage)
    collision = schemas.CollisionBaseCfg(mesh_collision_property=schemas.ConvexHullPropertiesCfg())
    result = schemas.define_collision_properties("/sphere", collision, stage)
    assert result
    assert [s.path for s in result.skipped] == ["/sphere"]
    assert not has_api(stage.GetPrimAtPath("/sphere"), "PhysicsMeshCollisionAPI")


def test_several_configurations_are_written_at_once():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/a")
    cfgs = [
        schemas.PhysxRigidBodyPropertiesCfg(linear_damping=0.1),
        schemas.MujocoRigidBodyPropertiesCfg(gravcomp=1.0),
    ]
    result = schemas.define_rigid_body_properties("/a", cfgs, stage)
    assert result.changed == ("/a.physxRigidBody:linearDamping", "/a.mjc:gravcomp")


def test_contact_sensors_reach_nested_bodies_and_keep_them_awake():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/robot")
    rigid_bodies(stage, "/robot/a", "/robot/a/inner")
    result = schemas.activate_contact_sensors("/robot", threshold=2.0, stage=stage)
    assert result == True  # noqa: E712 - the result stands in for a bool
    for path in ("/robot/a", "/robot/a/inner"):
        prim = stage.GetPrimAtPath(path)
        assert authored(prim, "physxRigidBody:sleepThreshold") == 0.0
        assert authored(prim, "physxContactReport:threshold") == 2.0
        assert has_api(prim, "PhysxContactReportAPI")
    assert not is_authored(stage.GetPrimAtPath("/robot"), "physxRigidBody:sleepThreshold")


def test_contact_sensors_need_a_body():
    stage = create_stage()
    UsdGeom.Xform.Define(stage, "/empty")
    with pytest.raises(ValueError, match="No rigid body"):
        schemas.activate_contact_sensors("/empty", stage=stage)
    with pytest.raises(ValueError):
        schemas.activate_contact_sensors("/missing", stage=stage)
    with pytest.raises(ValueError, match="threshold"):
        schemas.activate_contact_sensors("/empty", threshold=-1.0, stage=stage)


def test_old_names_work_and_warn():
    with pytest.warns(DeprecationWarning, match="max_force"):
        cfg = schemas.PhysxJointDrivePropertiesCfg(max_effort=80.0)
    assert cfg.max_force == 80.0
    with pytest.warns(DeprecationWarning, match="max_joint_velocity"):
        cfg.max_velocity = 10.0
    assert cfg.max_joint_velocity == 10.0
    assert cfg.max_velocity == 10.0
    with pytest.warns(DeprecationWarning):
        both = schemas.PhysxJointDrivePropertiesCfg(max_effort=80.0, max_force=20.0)
    assert both.max_force == 20.0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RigidBodyPropertiesCfg", "PhysxRigidBodyPropertiesCfg"),
        ("CollisionPropertiesCfg", "PhysxCollisionPropertiesCfg"),
        ("ArticulationRootPropertiesCfg", "PhysxArticulationRootPropertiesCfg"),
        ("JointDrivePropertiesCfg", "PhysxJointDrivePropertiesCfg"),
        ("FixedTendonPropertiesCfg", "PhysxFixedTendonPropertiesCfg"),
        ("SpatialTendonPropertiesCfg", "PhysxSpatialTendonPropertiesCfg"),
        ("DeformableBodyPropertiesCfg", "PhysxDeformableBodyPropertiesCfg"),
    ],
)
def test_old_class_names_are_the_new_ones_with_a_warning(old, new):
    with pytest.warns(DeprecationWarning, match=new):
        cfg = getattr(schemas, old)()
    assert isinstance(cfg, getattr(schemas, new))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(schemas, new)()


def test_the_sample_of_the_reference_implementation():
    """2.x names and numbers, read back to 1e-5."""
    stage = create_stage()
    UsdPhysics.RevoluteJoint.Define(stage, "/joint")
    with pytest.warns(DeprecationWarning):
        cfg = schemas.JointDrivePropertiesCfg(
            drive_type="acceleration", max_effort=80.0, max_velocity=10.0, stiffness=10.0,
            damping=0.1,
        )  # fmt: skip
    assert schemas.modify_joint_drive_properties("/joint", cfg, stage)
    prim = stage.GetPrimAtPath("/joint")
    drive = UsdPhysics.DriveAPI(prim, "angular")
    assert drive.GetStiffnessAttr().Get() == pytest.approx(10.0 * math.pi / 180.0, abs=1e-5)
    assert drive.GetDampingAttr().Get() == pytest.approx(0.1 * math.pi / 180.0, abs=1e-5)
    assert drive.GetMaxForceAttr().Get() == pytest.approx(80.0, abs=1e-5)
    assert drive.GetTypeAttr().Get() == "acceleration"
    velocity = prim.GetAttribute("physxJoint:maxJointVelocity").Get()
    assert velocity == pytest.approx(10.0 * 180.0 / math.pi, abs=1e-4)


def test_authoring_works_in_a_variant():
    stage = create_stage()
    prim = UsdGeom.Xform.Define(stage, "/a").GetPrim()
    variants = prim.GetVariantSets().AddVariantSet("load")
    for name, mass in (("light", 1.0), ("heavy", 10.0)):
        variants.AddVariant(name)
        variants.SetVariantSelection(name)
        with variants.GetVariantEditContext():
            schemas.define_mass_properties("/a", schemas.MassPropertiesCfg(mass=mass), stage)
    variants.SetVariantSelection("light")
    assert authored(prim, "physics:mass") == 1.0
    variants.SetVariantSelection("heavy")
    assert authored(prim, "physics:mass") == 10.0
    assert list(stage.GetRootLayer().GetPrimAtPath("/a").properties.keys()) == []


def test_a_result_adds_up():
    a = schemas.SchemaResult(["/a"], ["/a.x"], [])
    b = schemas.SchemaResult([], [], [schemas.Skipped("/b", "why")])
    total = a + b
    assert total
    assert (total.prims, total.changed) == (("/a",), ("/a.x",))
    assert total.skipped[0].reason == "why"
    assert "SchemaResult(True" in repr(total)
