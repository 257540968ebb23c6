"""Functions of laws that push bodies in one step."""

# Warp's annotations are calls, which a type checker does not take.
# mypy: ignore-errors

import warp as wp

__all__ = ["angular_momentum"]


@wp.func
def angular_momentum(turning: wp.vec3f, axes: wp.mat33f, inertia: wp.vec3f):
    """Angular momentum of a body along world axes, from its angular velocity and principal axes."""
    return axes * wp.cw_mul(inertia, wp.transpose(axes) * turning)
