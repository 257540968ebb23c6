"""Acceleration kernels: the change of velocities over a step, and worlds it is unknown of."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

from usdsim.engine import device

__all__ = ["derive_acceleration", "forget_masked", "forget_worlds"]

device.init_kernels(__name__)


@wp.kernel
def forget_masked(
    # In:
    mask_in: wp.array(dtype=wp.bool),
    # Out:
    known_inout: wp.array(dtype=wp.bool),
):
    """Worlds of a mask are no longer where their last step led."""
    world = wp.tid()
    if mask_in[world]:
        known_inout[world] = False


@wp.kernel
def forget_worlds(
    # In:
    ids_in: wp.array(dtype=wp.int32),
    # Out:
    known_inout: wp.array(dtype=wp.bool),
):
    """The same for indices; those that are out of range are passed over."""
    world = ids_in[wp.tid()]
    if world >= 0 and world < known_inout.shape[0]:
        known_inout[world] = False


@wp.kernel
def derive_acceleration(
    # Model:
    timestep: wp.array(dtype=wp.float32),
    # In:
    known_in: wp.array(dtype=wp.bool),
    before_in: wp.array2d(dtype=wp.float32),
    qvel_in: wp.array2d(dtype=wp.float32),
    qacc_in: wp.array2d(dtype=wp.float32),
    # Out:
    acceleration_out: wp.array2d(dtype=wp.float32),
):
    """Change of velocity per time over the last step, or what the forces imply."""
    world, dof = wp.tid()
    value = qacc_in[world, dof]
    if known_in[world]:
        change = qvel_in[world, dof] - before_in[world, dof]
        value = change / timestep[world % timestep.shape[0]]
    acceleration_out[world, dof] = value
