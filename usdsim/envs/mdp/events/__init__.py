"""Event terms: resets of states, randomised parameters, pushes and forces."""

from __future__ import annotations

from .bodies import (
    randomize_rigid_body_com,
    randomize_rigid_body_inertia,
    randomize_rigid_body_mass,
    randomize_rigid_body_material,
)
from .disturbances import (
    apply_external_force_torque,
    push_by_setting_velocity,
    randomize_physics_scene_gravity,
)
from .joints import (
    randomize_actuator_gains,
    randomize_fixed_tendon_parameters,
    randomize_joint_parameters,
)
from .resets import (
    reset_joints_by_offset,
    reset_joints_by_scale,
    reset_nodal_state_uniform,
    reset_root_state_from_terrain,
    reset_root_state_uniform,
    reset_root_state_with_random_orientation,
    reset_scene_to_default,
)
from .scales import randomize_rigid_body_scale
from .visuals import (
    randomize_camera_intrinsics,
    randomize_camera_pose,
    randomize_light,
    randomize_visual_color,
    randomize_visual_texture_material,
)

__all__ = [
    "apply_external_force_torque",
    "push_by_setting_velocity",
    "randomize_actuator_gains",
    "randomize_camera_intrinsics",
    "randomize_camera_pose",
    "randomize_fixed_tendon_parameters",
    "randomize_joint_parameters",
    "randomize_light",
    "randomize_physics_scene_gravity",
    "randomize_rigid_body_com",
    "randomize_rigid_body_inertia",
    "randomize_rigid_body_mass",
    "randomize_rigid_body_material",
    "randomize_rigid_body_scale",
    "randomize_visual_color",
    "randomize_visual_texture_material",
    "reset_joints_by_offset",
    "reset_joints_by_scale",
    "reset_nodal_state_uniform",
    "reset_root_state_from_terrain",
    "reset_root_state_uniform",
    "reset_root_state_with_random_orientation",
    "reset_scene_to_default",
]
