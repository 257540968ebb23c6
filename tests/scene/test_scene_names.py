"""The names users of the scene door rely on: each exists, is documented, takes its arguments."""

from __future__ import annotations

import inspect

import pytest

from usdsim import scene

# Attributes, then methods with their parameters.
NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "Actuator": (
        "ctrl_range damping_type index name target_name target_type typ",
        ("get_ctrl(data)", "set_ctrl(data, ctrl)"),
    ),
    "ActuatorOverrideDampingTypeError": ("", ()),
    "ActuatorOverrideError": ("", ()),
    "ActuatorOverrideInvalidValueError": ("", ()),
    "ActuatorOverrideUnsupportedTypeError": ("", ()),
    "AdhesionActuator": ("", ()),
    "Body": (
        "actuators base_link floatingbase index is_mocap mocap model name num_actuators "
        "num_joint_dof_pos num_joint_dof_vel num_joints num_links",
        (
            "get_dof_pos_indices(include_floatingbase=True)",
            "get_dof_vel_indices(include_floatingbase=True)",
            "get_joint_dof_pos(data, out=None)",
            "get_joint_dof_vel(data, out=None)",
            "get_pose(data)",
            "get_position(data)",
            "get_rotation(data)",
            "get_rotation_mat(data)",
            "set_actuator_ctrls(data, ctrls)",
            "set_dof_pos(data, dof_pos, include_floatingbase=True)",
            "set_dof_vel(data, dof_vel, include_floatingbase=True)",
        ),
    ),
    "Camera": (
        "depth_only far_plane fovy index link model name near_plane position_track "
        "render_target rotation_track track_target_link",
        ("get_pose(data)", "set_near_far(near, far)", "set_render_target(target, w=400, h=300)"),
    ),
    "CameraMgr": (
        "cameras model system_render_target",
        (
            "__getitem__(key)",
            "get_index(name)",
            "set_system_render_target(target, w=400, h=300)",
            "tolist()",
        ),
    ),
    "ContactQuery": ("num_contacts", ("is_colliding(geom_pairs)",)),
    "DisjointIndices": ("size", ()),
    "FloatingBase": (
        "dof_pos_indices dof_pos_start dof_vel_indices dof_vel_start index model name",
        (
            "get_dof_pos(data)",
            "get_dof_vel(data)",
            "get_global_angular_velocity(data)",
            "get_global_linear_velocity(data)",
            "get_local_angular_velocity(data)",
            "get_rotation(data)",
            "get_translation(data)",
            "set_global_angular_velocity(data, vel)",
            "set_global_linear_velocity(data, vel)",
            "set_local_angular_velocity(data, vel)",
            "set_rotation(data, quat)",
            "set_translation(data, translation)",
        ),
    ),
    "GeneralActuator": (
        "",
        (
            "get_bias_override(data)",
            "get_damping_override(data)",
            "get_gain_override(data)",
            "get_stiffness_override(data)",
            "set_bias_override(data, bias)",
            "set_damping_override(data, damping)",
            "set_gain_override(data, gain)",
            "set_stiffness_override(data, stiffness)",
        ),
    ),
    "Geom": (
        "collision_affinity collision_group gap hfield index link local_pose margin model name "
        "shape size",
        (
            "get_angular_velocity(data)",
            "get_friction_override(data)",
            "get_linear_velocity(data)",
            "get_pose(data)",
            "set_friction_override(data, friction)",
        ),
    ),
    "GeomCapsule": (
        "half_height radius",
        ("get_size_override(data)", "set_size_override(data, size)"),
    ),
    "GeomCuboid": ("half_extents", ("get_size_override(data)", "set_size_override(data, size)")),
    "GeomCylinder": (
        "half_height radius",
        ("get_size_override(data)", "set_size_override(data, size)"),
    ),
    "GeomEllipsoid": ("half_extents", ("get_size_override(data)", "set_size_override(data, size)")),
    "GeomHField": ("hfield", ("sample_height(data, xy, out=None)",)),
    "GeomInfinitePlane": ("", ()),
    "GeomMesh": ("mesh_name mesh_scale mesh_transform", ()),
    "GeomPlane": ("", ()),
    "GeomSphere": ("radius", ("get_size_override(data)", "set_size_override(data, size)")),
    "HField": ("bound height_matrix index model name ncol nrow", ("get(row, col)",)),
    "Joint": (
        "armature axis dof_pos_index dof_vel_index frictionloss index link link_index model "
        "name num_dof_pos num_dof_vel range",
        (
            "get_armature_override(data)",
            "get_dof_pos(data)",
            "get_dof_vel(data)",
            "get_frictionloss_override(data)",
            "set_armature_override(data, armature)",
            "set_dof_pos(data, position)",
            "set_dof_vel(data, velocity)",
            "set_frictionloss_override(data, frictionloss)",
        ),
    ),
    "Keyframe": ("ctrl dof_pos dof_vel index model name time", ("apply(data)",)),
    "Link": (
        "center_of_mass geoms index joint_indices mass model name num_joints",
        (
            "add_external_force(data, force, point=None, local=True)",
            "add_external_torque(data, torque, local=True)",
            "get_angular_velocity(data)",
            "get_center_of_mass_override(data)",
            "get_joint(index)",
            "get_linear_velocity(data)",
            "get_mass_override(data)",
            "get_pose(data)",
            "get_position(data)",
            "get_rotation(data)",
            "get_rotation_mat(data)",
            "joints()",
            "set_center_of_mass_override(data, center_of_mass)",
            "set_mass_override(data, mass)",
        ),
    ),
    "Mocap": ("body model", ("set_pose(data, pose)",)),
    "MotorActuator": ("", ()),
    "Options": (
        "disable_contacts disable_gravity gravity max_iterations solver_tolerance timestep",
        (),
    ),
    "PositionActuator": (
        "",
        (
            "get_dampratio_override(data)",
            "get_kd_override(data)",
            "get_kp_override(data)",
            "set_damping_override(data, damping)",
            "set_kp_override(data, kp)",
        ),
    ),
    "SceneData": (
        "actuator_ctrls dof_pos dof_vel low ndim shape",
        (
            "__getitem__(key)",
            "get(index)",
            "reset(model)",
            "set_dof_pos(dof_pos, model)",
            "set_dof_vel(dof_vel)",
        ),
    ),
    "SceneModel": (
        "actuator_ctrl_limits actuator_names actuators bodies body_names cameras floating_bases "
        "geom_names geoms joint_dof_pos_indices joint_dof_pos_nums joint_dof_vel_indices "
        "joint_dof_vel_nums joint_limits joint_names joints keyframes link_names links low "
        "num_actuators num_bodies num_dof_pos num_dof_vel num_geoms num_hfields num_joints "
        "num_keyframes num_links num_sensors num_sites options site_names sites",
        (
            "compile_query(fields)",
            "compile_write(fields, reset=False, reset_overrides=True, forward_kinematic=False)",
            "compute_init_dof_pos()",
            "enable_constraints_report()",
            "forward_kinematic(data)",
            "get_actuator(arg)",
            "get_actuator_ctrls(data)",
            "get_actuator_index(name)",
            "get_body(key)",
            "get_body_index(name)",
            "get_camera_poses(data)",
            "get_contact_query(data)",
            "get_geom(arg)",
            "get_geom_index(name)",
            "get_gravity_override(data)",
            "get_hfield(arg)",
            "get_hfield_index(name)",
            "get_joint(key)",
            "get_joint_index(name)",
            "get_link(arg)",
            "get_link_angular_velocities(data)",
            "get_link_index(name)",
            "get_link_linear_velocities(data)",
            "get_link_net_contact_forces(data, indices=None, out=None)",
            "get_link_poses(data)",
            "get_link_rotation_mats(data)",
            "get_link_velocities(data)",
            "get_sensor_value(id, data)",
            "get_sensor_values(names, data)",
            "get_site(key)",
            "get_site_index(name)",
            "set_gravity_override(data, gravity)",
            "step(data)",
            "step_n(data, n)",
        ),
    ),
    "Shape": (
        "Capsule Cuboid Cylinder Ellipsoid HField InfinitePlane Mesh Plane Sphere",
        ("type_names()", "types()"),
    ),
    "Site": (
        "dof_vel_indices index local_pos local_quat model name parent_link",
        ("get_jacobian(data)", "get_pose(data)", "get_position(data)", "get_rotation_mat(data)"),
    ),
    "TerrainScanner": ("", ("scan(data, out=None)",)),
    "VelocityActuator": ("", ("get_kv_override(data)", "set_kv_override(data, kv)")),
}
FUNCTIONS = [
    "forward_kinematic(model, data)",
    "load_mjcf_str(mjcf)",
    "load_model(path)",
    "step(model, data)",
]

METHODS = [(name, method) for name, (_, methods) in NAMES.items() for method in methods]


@pytest.mark.parametrize("name", NAMES)
def test_classes(name):
    kind = getattr(scene, name)
    assert name in scene.__all__ and inspect.isclass(kind) and inspect.getdoc(kind)


@pytest.mark.parametrize(
    ("name", "attribute"),
    [(name, word) for name, (words, _) in NAMES.items() for word in words.split()],
)
def test_attributes(name, attribute):
    value = getattr(getattr(scene, name), attribute)
    assert isinstance(value, getattr(scene, name)) or inspect.getdoc(value)


def _parameters(text: str) -> tuple[str, list[tuple[str, str | None]]]:
    """Name, and parameters with the text of their defaults, of ``name(a, b=1)``."""
    name, _, rest = text.rstrip(")").partition("(")
    parts = [part.strip().partition("=") for part in rest.split(",") if part.strip()]
    return name, [(part, default if equals else None) for part, equals, default in parts]


def _check(function, wanted: list[tuple[str, str | None]]) -> None:
    found = [*inspect.signature(function).parameters.values()]
    found = [parameter for parameter in found if parameter.name != "self"]
    assert inspect.getdoc(function)
    for (name, default), parameter in zip(wanted, found, strict=False):
        assert parameter.name == name
        if default is not None:
            assert repr(parameter.default) == default
    assert len(found) >= len(wanted)
    for extra in found[len(wanted) :]:
        assert extra.default is not inspect.Parameter.empty


@pytest.mark.parametrize(("name", "method"), METHODS)
def test_methods(name, method):
    word, wanted = _parameters(method)
    _check(getattr(getattr(scene, name), word), wanted)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions(function):
    word, wanted = _parameters(function)
    assert word in scene.__all__
    _check(getattr(scene, word), wanted)


@pytest.mark.parametrize(
    ("name", "base"),
    [
        *((name, "Geom") for name in NAMES if name.startswith("Geom") and name != "Geom"),
        *((name, "Actuator") for name in NAMES if name.endswith("Actuator") and name != "Actuator"),
        ("ActuatorOverrideInvalidValueError", "ActuatorOverrideError"),
        ("ActuatorOverrideUnsupportedTypeError", "ActuatorOverrideError"),
        ("ActuatorOverrideDampingTypeError", "ActuatorOverrideError"),
    ],
)
def test_kinds(name, base):
    assert issubclass(getattr(scene, name), getattr(scene, base))


def test_refusals_are_value_errors():
    assert issubclass(scene.ActuatorOverrideError, ValueError)
