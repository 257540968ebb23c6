"""Joint friction kernel: static friction at rest, dynamic friction in motion."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["act_friction"]

device.init_kernels(__name__)


@wp.kernel
def act_friction(
    # In:
    qvel_in: wp.array2d(dtype=wp.float32),
    static_in: wp.array2d(dtype=wp.float32),
    dynamic_in: wp.array2d(dtype=wp.float32),
    speed_in: wp.array2d(dtype=wp.float32),
    # Out:
    friction_out: wp.array2d(dtype=wp.float32),
):
    """Static friction for axes at rest, dynamic friction for those in motion."""
    world, dof = wp.tid()
    if wp.abs(qvel_in[world, dof]) <= speed_in[world, dof]:
        friction_out[world, dof] = static_in[world, dof]
    else:
        friction_out[world, dof] = dynamic_in[world, dof]
