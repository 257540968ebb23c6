"""Configuration to USD and back is the identity."""

import dataclasses

import pytest
from pxr import UsdGeom, UsdPhysics, UsdShade

from usdsim import schemas
from usdsim.usd.schemas import apply_api
from usdsim.usd.stage import create_stage

AWKWARD = (0.1, 1.0 / 3.0, 12.3456, 1e-7, 98765.4)
"""Numbers single precision does not hold exactly; six digits have to survive."""


def _stage(**units):
    stage = create_stage(**units)
    UsdGeom.Xform.Define(stage, "/body")
    UsdGeom.Mesh.Define(stage, "/mesh")
    UsdShade.Material.Define(stage, "/material")
    for name, axis in (("joint", "X"), ("leader", "Y")):
        UsdPhysics.RevoluteJoint.Define(stage, f"/{name}").CreateAxisAttr(axis)
    UsdPhysics.PrismaticJoint.Define(stage, "/slider")
    apply_api(stage.GetPrimAtPath("/joint"), "PhysxTendonAxisRootAPI", "t")
    return stage


CASES = [
    (
        "/body",
        schemas.define_rigid_body_properties,
        schemas.read_rigid_body_properties,
        schemas.PhysxRigidBodyPropertiesCfg(
            rigid_body_enabled=True, kinematic_enabled=False, disable_gravity=True,
            linear_damping=0.1, angular_damping=0.3, max_linear_velocity=1000.7,
            max_angular_velocity=12.3456, max_depenetration_velocity=1e-7,
            max_contact_impulse=98765.4, solver_position_iteration_count=4, sleep_threshold=5e-5,
        ),
    ),
    (
        "/body",
        schemas.define_mass_properties,
        schemas.read_mass_properties,
        schemas.MassPropertiesCfg(
            mass=0.1, density=1234.5, center_of_mass=(0.1, -0.2, 0.3),
            diagonal_inertia=(0.01, 0.02, 0.025), principal_axes=(0.0, 0.0, 0.0, 1.0),
        ),
    ),
    (
        "/mesh",
        schemas.define_collision_properties,
        schemas.read_collision_properties,
        schemas.PhysxCollisionPropertiesCfg(
            collision_enabled=True, contact_offset=0.02, rest_offset=0.001,
            torsional_patch_radius=0.3,
        ),
    ),
    (
        "/mesh",
        schemas.define_collision_properties,
        schemas.read_collision_properties,
        schemas.MujocoCollisionPropertiesCfg(
            margin=0.1, solref=(0.02, 1.0), solimp=(0.9, 0.95, 0.001, 0.5, 2.0), condim=6,
        ),
    ),
    (
        "/mesh",
        schemas.define_mesh_collision_properties,
        schemas.read_mesh_collision_properties,
        schemas.ConvexDecompositionPropertiesCfg(max_convex_hulls=7, error_percentage=3.3),
    ),
    (
        "/joint",
        schemas.modify_joint_drive_properties,
        schemas.read_joint_drive_properties,
        schemas.PhysxJointDrivePropertiesCfg(
            drive_type="force", max_force=80.1, stiffness=10.0, damping=0.1,
            target_position=0.7, max_joint_velocity=10.0,
        ),
    ),
    (
        "/slider",
        schemas.modify_joint_drive_properties,
        schemas.read_joint_drive_properties,
        schemas.PhysxJointDrivePropertiesCfg(stiffness=10.1, damping=0.1, max_joint_velocity=0.3),
    ),
    (
        "/joint",
        schemas.modify_joint_properties,
        schemas.read_joint_properties,
        schemas.JointPropertiesCfg(
            lower_limit=-1.1, upper_limit=2.2, armature=0.01, friction=0.2, damping=0.3,
            velocity_limit=5.5,
        ),
    ),
    (
        "/joint",
        schemas.modify_joint_state,
        schemas.read_joint_state,
        schemas.JointStateCfg(position=0.3, velocity=-1.7),
    ),
    (
        "/joint",
        schemas.define_mimic_joint_properties,
        schemas.read_mimic_joint_properties,
        schemas.MimicJointPropertiesCfg(reference_joint="/leader", gearing=-0.7, offset=0.2),
    ),
    (
        "/joint",
        schemas.modify_fixed_tendon_properties,
        schemas.read_fixed_tendon_properties,
        schemas.PhysxFixedTendonPropertiesCfg(stiffness=3.3, damping=0.1, offset=-0.02),
    ),
    (
        "/material",
        schemas.define_material_properties,
        schemas.read_material_properties,
        schemas.PhysxMaterialPropertiesCfg(
            static_friction=0.7, restitution=0.3, friction_combine_mode="max",
            compliant_contact_stiffness=1234.5,
        ),
    ),
    (
        "/scene",
        schemas.define_physics_scene,
        schemas.read_physics_scene,
        schemas.MujocoScenePropertiesCfg(
            gravity_magnitude=9.80665, timestep=0.002, cone="elliptic", impratio=10.0,
        ),
    ),
    (
        "/actuator",
        schemas.define_actuator,
        schemas.read_actuator,
        schemas.NewtonActuatorCfg(targets="/slider", kp=10.1, kd=0.3, max_effort=40.4),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    "units",
    [{}, {"meters_per_unit": 0.01, "kilograms_per_unit": 0.001}],
    ids=["metres", "centimetres"],
)
@pytest.mark.parametrize(
    ("path", "write", "read", "cfg"), CASES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_reading_gives_the_configuration_back(path, write, read, cfg, units):
    stage = _stage(**units)
    assert write(path, cfg, stage)
    found = read(path, type(cfg), stage)
    assert dataclasses.asdict(found) == dataclasses.asdict(cfg)


@pytest.mark.parametrize("value", AWKWARD)
def test_six_digits_survive_single_precision_and_degrees(value):
    stage = _stage()
    stiffness = float(f"{value:.6g}")
    cfg = schemas.PhysxJointDrivePropertiesCfg(stiffness=stiffness, max_joint_velocity=stiffness)
    schemas.modify_joint_drive_properties("/joint", cfg, stage)
    found = schemas.read_joint_drive_properties("/joint", stage=stage)
    assert (found.stiffness, found.max_joint_velocity) == (stiffness, stiffness)


def test_what_is_read_is_written_back_bit_by_bit():
    stage = _stage()
    prim = stage.GetPrimAtPath("/joint")
    drive = UsdPhysics.DriveAPI.Apply(prim, "angular")
    stored = [0.12345678, 1e-3, 7.654321e5, 3.1415927]
    for number in stored:
        drive.CreateStiffnessAttr(number)
        before = drive.GetStiffnessAttr().Get()
        found = schemas.read_joint_drive_properties("/joint", stage=stage)
        result = schemas.modify_joint_drive_properties("/joint", found, stage)
        assert drive.GetStiffnessAttr().Get() == before
        assert result.changed == ()


def test_reading_takes_any_dialect_a_field_has_a_spelling_in():
    stage = _stage()
    cfg = schemas.JointPropertiesCfg(armature=0.2, damping=0.3, dialects=("mjc",))
    schemas.modify_joint_properties("/joint", cfg, stage)
    found = schemas.read_joint_properties("/joint", stage=stage)
    assert (found.armature, found.damping) == (0.2, 0.3)


def test_nothing_authored_reads_as_nothing():
    """Fallbacks of registered schemas do not count."""
    stage = _stage()
    apply_api(stage.GetPrimAtPath("/body"), "PhysxRigidBodyAPI")
    found = schemas.read_rigid_body_properties("/body", stage=stage)
    assert found == schemas.PhysxRigidBodyPropertiesCfg()
