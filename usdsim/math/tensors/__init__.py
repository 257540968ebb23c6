"""Tensor mathematics in torch: rotations, frames, matrices, cameras and samples.

Quaternions are xyzw. Everything works on batches, on any device, and can be differentiated.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "Tensor mathematics needs torch. Run: pip install torch", name="torch"
    )

from .cameras import (
    convert_camera_frame_orientation_convention,
    create_rotation_matrix_from_view,
    orthogonalize_perspective_depth,
    project_points,
    unproject_depth,
)
from .euler import euler_xyz_from_quat, matrix_from_euler, quat_from_euler_xyz
from .frames import (
    apply_delta_pose,
    combine_frame_transforms,
    compute_pose_error,
    is_identity_pose,
    rigid_body_twist_transform,
    subtract_frame_transforms,
    transform_points,
)
from .interpolation import interpolate_poses, interpolate_rotations, quat_slerp
from .matrices import (
    make_pose,
    pose_in_A_to_pose_in_B,
    pose_inv,
    transform_poses_from_frame_A_to_frame_B,
    unmake_pose,
)
from .rotations import (
    axis_angle_from_quat,
    convert_quat,
    default_orientation,
    matrix_from_quat,
    quat_apply,
    quat_apply_inverse,
    quat_apply_yaw,
    quat_box_minus,
    quat_box_plus,
    quat_conjugate,
    quat_error_magnitude,
    quat_from_angle_axis,
    quat_from_matrix,
    quat_inv,
    quat_mul,
    quat_rotate,
    quat_rotate_inverse,
    quat_unique,
    skew_symmetric_matrix,
    yaw_quat,
)
from .samples import (
    generate_random_rotation,
    generate_random_transformation_matrix,
    generate_random_translation,
    random_orientation,
    random_yaw_orientation,
    sample_cylinder,
    sample_gaussian,
    sample_log_uniform,
    sample_triangle,
    sample_uniform,
)
from .scalars import (
    copysign,
    normalize,
    saturate,
    scale_transform,
    unscale_transform,
    wrap_to_pi,
)

__all__ = [
    "apply_delta_pose",
    "axis_angle_from_quat",
    "combine_frame_transforms",
    "compute_pose_error",
    "convert_camera_frame_orientation_convention",
    "convert_quat",
    "copysign",
    "create_rotation_matrix_from_view",
    "default_orientation",
    "euler_xyz_from_quat",
    "generate_random_rotation",
    "generate_random_transformation_matrix",
    "generate_random_translation",
    "interpolate_poses",
    "interpolate_rotations",
    "is_identity_pose",
    "make_pose",
    "matrix_from_euler",
    "matrix_from_quat",
    "normalize",
    "orthogonalize_perspective_depth",
    "pose_in_A_to_pose_in_B",
    "pose_inv",
    "project_points",
    "quat_apply",
    "quat_apply_inverse",
    "quat_apply_yaw",
    "quat_box_minus",
    "quat_box_plus",
    "quat_conjugate",
    "quat_error_magnitude",
    "quat_from_angle_axis",
    "quat_from_euler_xyz",
    "quat_from_matrix",
    "quat_inv",
    "quat_mul",
    "quat_rotate",
    "quat_rotate_inverse",
    "quat_slerp",
    "quat_unique",
    "random_orientation",
    "random_yaw_orientation",
    "rigid_body_twist_transform",
    "sample_cylinder",
    "sample_gaussian",
    "sample_log_uniform",
    "sample_triangle",
    "sample_uniform",
    "saturate",
    "scale_transform",
    "skew_symmetric_matrix",
    "subtract_frame_transforms",
    "transform_points",
    "transform_poses_from_frame_A_to_frame_B",
    "unmake_pose",
    "unproject_depth",
    "unscale_transform",
    "wrap_to_pi",
    "yaw_quat",
]
