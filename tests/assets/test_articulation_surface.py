"""The names an articulation offers: present, with their parameters, documented."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from articulation_stages import chain, running

from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.assets.articulation.data import ArticulationData
from usdsim.views.aliases import attribute_texts


def names(text: str) -> list[str]:
    return text.split()


PROPERTIES = names("""
actuators body_names data device fixed_tendon_names has_debug_vis_implementation is_fixed_base
is_initialized joint_names num_bodies num_fixed_tendons num_instances num_joints
num_spatial_tendons spatial_tendon_names root_view root_physx_view permanent_wrench_composer
instantaneous_wrench_composer backend_body_names backend_joint_names body_ordering joint_ordering
num_base_dofs ball_joint_names
""")

METHODS = {
    "find_bodies": "name_keys preserve_order",
    "find_joints": "name_keys joint_subset preserve_order",
    "find_fixed_tendons": "name_keys tendon_subsets preserve_order",
    "find_spatial_tendons": "name_keys tendon_subsets preserve_order",
    "reset": "env_ids",
    "set_debug_vis": "debug_vis",
    "set_visibility": "visible env_ids",
    "update": "dt",
    "write_data_to_sim": "",
    "set_external_force_and_torque": "forces torques positions body_ids env_ids is_global",
    "assert_shape_and_dtype": "tensor shape dtype name",
    "assert_shape_and_dtype_mask": "tensor masks dtype name trailing_dims",
    "map_body_ids_to_backend": "body_ids",
    "map_joint_ids_to_backend": "joint_ids",
    "write_root_state_to_sim": "root_state env_ids",
    "write_root_com_state_to_sim": "root_state env_ids",
    "write_root_link_state_to_sim": "root_state env_ids",
    "write_joint_state_to_sim": "position velocity joint_ids env_ids",
    "write_joint_state_to_sim_mask": "*position velocity joint_mask env_mask",
    "write_joint_friction_to_sim": "joint_friction joint_ids env_ids",
    "write_joint_limits_to_sim": "limits joint_ids env_ids warn_limit_violation",
    "set_fixed_tendon_limit": "limit fixed_tendon_ids env_ids",
    "write_fixed_tendon_properties_to_sim": "fixed_tendon_ids env_ids",
    "write_fixed_tendon_properties_to_sim_index": "*env_ids",
    "write_fixed_tendon_properties_to_sim_mask": "*env_mask",
    "write_spatial_tendon_properties_to_sim": "spatial_tendon_ids env_ids",
    "write_spatial_tendon_properties_to_sim_index": "*env_ids",
    "write_spatial_tendon_properties_to_sim_mask": "*spatial_tendon_mask env_mask",
}
"""Parameters that have to be accepted; ``*``: by keyword."""

FAMILIES = {
    **{f"write_root_{n}_to_sim": ("root_pose", "", "") for n in ("pose", "link_pose", "com_pose")},
    **{
        f"write_root_{n}_to_sim": ("root_velocity", "", "")
        for n in ("velocity", "link_velocity", "com_velocity")
    },
    **{
        f"write_joint_{n}_to_sim": (arg, "joint", "")
        for n, arg in (
            ("position", "position"),
            ("velocity", "velocity"),
            ("stiffness", "stiffness"),
            ("damping", "damping"),
            ("armature", "armature"),
            ("velocity_limit", "limits"),
            ("effort_limit", "limits"),
            ("dynamic_friction_coefficient", "joint_dynamic_friction_coeff"),
            ("viscous_friction_coefficient", "joint_viscous_friction_coeff"),
        )
    },
    "write_joint_position_limit_to_sim": ("limits", "joint", "warn_limit_violation"),
    "write_joint_friction_coefficient_to_sim": (
        "joint_friction_coeff",
        "joint",
        "joint_dynamic_friction_coeff joint_viscous_friction_coeff",
    ),
    **{
        f"set_joint_{n}_target": ("target", "joint", "") for n in ("position", "velocity", "effort")
    },
    **{f"set_{n}": (n, "body", "") for n in ("masses", "coms", "inertias")},
    **{
        f"set_fixed_tendon_{n}": (arg, "fixed_tendon", "")
        for n, arg in (
            ("stiffness", "stiffness"),
            ("damping", "damping"),
            ("limit_stiffness", "limit_stiffness"),
            ("position_limit", "limit"),
            ("rest_length", "rest_length"),
            ("offset", "offset"),
        )
    },
    **{
        f"set_spatial_tendon_{n}": (n, "spatial_tendon", "")
        for n in ("stiffness", "damping", "limit_stiffness", "offset")
    },
}
"""Plain name: what it writes, of which elements, and what else it takes."""

DATA = names("""
applied_torque body_acc_w body_ang_acc_w body_ang_vel_w body_com_acc_w body_com_ang_acc_w
body_com_ang_vel_w body_com_lin_acc_w body_com_lin_vel_w body_com_pos_b body_com_pos_w
body_com_pose_b body_com_pose_w body_com_quat_b body_com_quat_w body_com_state_w body_com_vel_w
body_incoming_joint_wrench_b body_inertia body_lin_acc_w body_lin_vel_w body_link_ang_vel_w
body_link_lin_vel_w body_link_pos_w body_link_pose_w body_link_quat_w body_link_state_w
body_link_vel_w body_mass body_names body_pos_w body_pose_w body_quat_w body_state_w body_vel_w
com_pos_b com_quat_b computed_torque default_fixed_tendon_damping default_fixed_tendon_limit
default_fixed_tendon_limit_stiffness default_fixed_tendon_offset default_fixed_tendon_pos_limits
default_fixed_tendon_rest_length default_fixed_tendon_stiffness default_inertia
default_joint_armature default_joint_damping default_joint_friction default_joint_friction_coeff
default_joint_limits default_joint_pos default_joint_pos_limits default_joint_stiffness
default_joint_vel default_joint_viscous_friction_coeff default_mass default_root_pose
default_root_state default_root_vel default_spatial_tendon_damping
default_spatial_tendon_limit_stiffness default_spatial_tendon_offset
default_spatial_tendon_stiffness fixed_tendon_damping fixed_tendon_limit
fixed_tendon_limit_stiffness fixed_tendon_names fixed_tendon_offset fixed_tendon_pos_limits
fixed_tendon_rest_length fixed_tendon_stiffness gear_ratio heading_w is_primed joint_acc
joint_armature joint_damping joint_dynamic_friction_coeff joint_effort_limits joint_effort_target
joint_friction joint_friction_coeff joint_limits joint_names joint_pos joint_pos_limits
joint_pos_target joint_stiffness joint_vel joint_vel_limits joint_vel_target joint_velocity_limits
joint_viscous_friction_coeff projected_gravity_b root_ang_vel_b root_ang_vel_w root_com_ang_vel_b
root_com_ang_vel_w root_com_lin_vel_b root_com_lin_vel_w root_com_pos_w root_com_pose_w
root_com_quat_w root_com_state_w root_com_vel_w root_lin_vel_b root_lin_vel_w root_link_ang_vel_b
root_link_ang_vel_w root_link_lin_vel_b root_link_lin_vel_w root_link_pos_w root_link_pose_w
root_link_quat_w root_link_state_w root_link_vel_w root_pos_w root_pose_w root_quat_w root_state_w
root_vel_w soft_joint_pos_limits soft_joint_vel_limits spatial_tendon_damping
spatial_tendon_limit_stiffness spatial_tendon_names spatial_tendon_offset spatial_tendon_stiffness
body_com_jacobian_w body_link_jacobian_w mass_matrix gravity_compensation_forces
ball_joint_quat ball_joint_ang_vel
""")

CFG = names("""
actuator_value_resolution_debug_print actuators articulation_root_prim_path body_ordering
class_type collision_group debug_vis init_state joint_ordering prim_path
soft_joint_pos_limit_factor spawn
""")
START = names("ang_vel joint_pos joint_vel lin_vel pos rot")


@pytest.fixture(scope="module")
def robot():
    with running(chain(2), 2) as (_, robot):
        yield robot


def parameters(method: str) -> dict[str, inspect.Parameter]:
    found = dict(inspect.signature(getattr(Articulation, method)).parameters)
    del found["self"]
    return found


@pytest.mark.parametrize("name", PROPERTIES)
def test_attributes(robot, name):
    assert isinstance(getattr(Articulation, name), property)
    assert getattr(Articulation, name).__doc__
    getattr(robot, name)


@pytest.mark.parametrize("method", METHODS)
def test_methods(method):
    wanted = METHODS[method].lstrip("*").split()
    found = parameters(method)
    assert [n for n in found if n in wanted] == wanted, list(found)
    others = [p for n, p in found.items() if n not in wanted]
    assert all(p.default is not inspect.Parameter.empty for p in others)
    if METHODS[method].startswith("*"):
        assert all(found[n].kind is inspect.Parameter.KEYWORD_ONLY for n in wanted[1:])
    assert len(getattr(Articulation, method).__doc__) > 20


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_three_forms(family):
    arg, element, more = FAMILIES[family]
    ids, mask = ([f"{element}_ids"], [f"{element}_mask"]) if element else ([], [])
    plain, index, masked = (parameters(family + form) for form in ("", "_index", "_mask"))
    assert next(iter(plain)) == arg and {*ids, "env_ids", *more.split()} <= set(plain)
    positional = [n for n in plain if n in (arg, *ids, "env_ids")]
    assert positional == [arg, *ids, "env_ids"]
    assert set(index) == {arg, *ids, "env_ids", "full_data", *more.split()}
    assert set(masked) == {arg, *mask, "env_mask", *more.split()}
    for found in (index, masked):
        assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in [*found.values()][1:])
    for form in ("", "_index", "_mask"):
        text = getattr(Articulation, family + form).__doc__
        assert re.search(r"Args:\n\s+" + arg, text) and "[" in text and "shape" in text


def _documented() -> dict[str, str]:
    """Text of attributes and properties of the data classes."""
    found = {name: text.says for name, text in attribute_texts(ArticulationData).items()}
    for base in ArticulationData.__mro__:
        for name, value in vars(base).items():
            if isinstance(value, property):
                found.setdefault(name, inspect.getdoc(value) or "")
    return found


TEXTS = _documented()
NO_ARRAYS = {name for name in DATA if name == "is_primed" or name.endswith("names")}
SIZES = {
    "num_instances": 2,
    "num_joints": 2,
    "num_bodies": 3,
    "num_fixed_tendons": 0,
    "num_spatial_tendons": 0,
    "num_ball_joints": 0,
    "num_dofs": 2,
    "num_rows": 2,  # the root is fixed
}


@pytest.mark.parametrize("name", [name for name in DATA if name not in NO_ARRAYS])
def test_arrays_have_the_unit_and_shape_that_is_documented(robot, name):
    text = " ".join(TEXTS[name].split())
    assert re.search(r"\[[^\]]+\]", text), text
    shape = re.search(r"shape \(([^)]*)\)", text)
    wanted = tuple(int(SIZES.get(n, n)) for n in re.split(r",\s*", shape[1].rstrip(",")))
    array = getattr(robot.data, name)
    assert tuple(array.shape) == wanted
    kind = re.search(r" of (transformf|spatial_vectorf|vec3f|vec2f|quatf)", text)
    assert array.dtype.__name__ == (kind[1] if kind else "float32")


def test_names_are_data_too(robot):
    data = {name: getattr(robot.data, name) for name in NO_ARRAYS}
    assert data.pop("is_primed") is True
    assert data["joint_names"] == robot.joint_names and data["body_names"] == robot.body_names
    assert data["fixed_tendon_names"] == data["spatial_tendon_names"] == []


def test_configurations_have_their_fields():
    assert set(CFG) <= set(ArticulationCfg.__dataclass_fields__)
    assert set(START) <= set(ArticulationCfg.InitialStateCfg.__dataclass_fields__)


def test_configuration_names_its_class():
    assert ArticulationCfg(prim_path="/World/Robot").class_type is Articulation
    assert Articulation.data_class is ArticulationData


def test_quantities_are_not_assigned(robot):
    with pytest.raises(AttributeError, match="write_"):
        robot.data.joint_pos = np.zeros((2, 2))


def test_user_arrays_are_assigned_in_place(robot):
    array = robot.data.gear_ratio
    robot.data.gear_ratio = 2.0
    assert robot.data.gear_ratio is array and (array.numpy() == 2.0).all()
    robot.data.gear_ratio = 1.0
