"""The names and parameters scripts are written against."""

import inspect

import pytest

from usdsim import schemas

FUNCTIONS = {
    "define_articulation_root_properties": ["prim_path", "cfg", "stage"],
    "modify_articulation_root_properties": ["prim_path", "cfg", "stage"],
    "define_rigid_body_properties": ["prim_path", "cfg", "stage"],
    "modify_rigid_body_properties": ["prim_path", "cfg", "stage"],
    "activate_contact_sensors": ["prim_path", "threshold", "stage"],
    "define_collision_properties": ["prim_path", "cfg", "stage"],
    "modify_collision_properties": ["prim_path", "cfg", "stage"],
    "define_mass_properties": ["prim_path", "cfg", "stage"],
    "modify_mass_properties": ["prim_path", "cfg", "stage"],
    "modify_joint_drive_properties": ["prim_path", "cfg", "stage"],
    "modify_fixed_tendon_properties": ["prim_path", "cfg", "stage"],
    "modify_spatial_tendon_properties": ["prim_path", "cfg", "stage"],
    "define_mesh_collision_properties": ["prim_path", "cfg", "stage"],
    "modify_mesh_collision_properties": ["prim_path", "cfg", "stage"],
    "define_deformable_body_properties": [
        "prim_path", "cfg", "stage", "deformable_type", "sim_mesh_prim_path",
    ],
    "modify_deformable_body_properties": ["prim_path", "cfg", "stage"],
    "find_global_fixed_joint_prim": ["prim_path", "check_enabled_only", "stage"],
}  # fmt: skip

ATTRIBUTES = {
    "ArticulationRootPropertiesCfg": {
        "articulation_enabled", "fix_root_link", "enabled_self_collisions",
        "solver_position_iteration_count", "solver_velocity_iteration_count", "sleep_threshold",
        "stabilization_threshold",
    },
    "RigidBodyPropertiesCfg": {
        "rigid_body_enabled", "kinematic_enabled", "disable_gravity", "linear_damping",
        "angular_damping", "max_linear_velocity", "max_angular_velocity",
        "max_depenetration_velocity", "max_contact_impulse", "enable_gyroscopic_forces",
        "retain_accelerations", "solver_position_iteration_count",
        "solver_velocity_iteration_count", "sleep_threshold", "stabilization_threshold",
    },
    "CollisionPropertiesCfg": {
        "collision_enabled", "contact_offset", "rest_offset", "torsional_patch_radius",
        "min_torsional_patch_radius",
    },
    "MassPropertiesCfg": {"mass", "density"},
    "JointDrivePropertiesCfg": {
        "drive_type", "max_force", "max_effort", "stiffness", "damping", "ensure_drives_exist",
        "max_joint_velocity", "max_velocity",
    },
    "FixedTendonPropertiesCfg": {
        "tendon_enabled", "stiffness", "damping", "limit_stiffness", "offset", "rest_length",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_positional_parameters(name):
    parameters = inspect.signature(getattr(schemas, name)).parameters.values()
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional == FUNCTIONS[name]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_configuration_attributes(name):
    cls = getattr(schemas, name)
    cfg = cls()
    for attribute in ATTRIBUTES[name]:
        getattr(cfg, attribute)
        assert attribute in inspect.signature(cls).parameters


@pytest.mark.parametrize("family", ["RigidBody", "Collision", "ArticulationRoot", "JointDrive"])
def test_each_family_has_a_base_and_a_class_per_dialect(family):
    base = getattr(schemas, f"{family}BaseCfg")
    dialects = ["Physx", "Newton"] + (["Mujoco"] if family != "ArticulationRoot" else [])
    for dialect in dialects:
        assert issubclass(getattr(schemas, f"{dialect}{family}PropertiesCfg"), base)


def test_classes_document_what_their_fields_write():
    text = schemas.PhysxJointDrivePropertiesCfg.__doc__
    assert (
        "stiffness: Stiffness [N m/rad or N/m]. Writes ``drive:{axis}:physics:stiffness``." in text
    )
    assert "ensure_drives_exist: Whether a drive" in text
