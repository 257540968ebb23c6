"""The law of the actuators, as somebody who drives the bare solver would write it."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["apply_pd"]

device.init()
wp.set_module_options({"enable_backward": False})


@wp.kernel
def apply_pd(
    # Model:
    joint_qpos: wp.array(dtype=wp.int32),
    joint_dofs: wp.array(dtype=wp.int32),
    joint_ctrls: wp.array(dtype=wp.int32),
    stiffness: wp.float32,
    damping: wp.float32,
    limit: wp.float32,
    # In:
    qpos_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    target_in: wp.array2d(dtype=wp.float32),
    # Out:
    ctrl_out: wp.array2d(dtype=wp.float32),
):
    """Torque towards a target of each joint."""
    env, i = wp.tid()
    error = target_in[env, i] - qpos_in[env, joint_qpos[i]]
    torque = stiffness * error - damping * qvel_in[env, joint_dofs[i]]
    ctrl_out[env, joint_ctrls[i]] = wp.clamp(torque, -limit, limit)
