"""Lee controllers: geometric tracking of multirotors, from set points to wrenches.

T. Lee, M. Leok and N. H. McClamroch, "Geometric Tracking Control of a Quadrotor UAV on SE(3)",
CDC 2010. A force that follows the set point says where the thrust has to point; a torque turns the
vehicle there along the rotation group, so that no attitude is special.
"""

from __future__ import annotations

from .attitude import LeeAttController, LeeAttControllerCfg
from .base import LeeControllerBase, LeeControllerBaseCfg
from .geometry import compute_body_torque, compute_desired_orientation, yaw_rate_to_body_angvel
from .tracking import (
    LeeAccController,
    LeeAccControllerCfg,
    LeePosController,
    LeePosControllerCfg,
    LeeVelController,
    LeeVelControllerCfg,
)

__all__ = [
    "LeeAccController",
    "LeeAccControllerCfg",
    "LeeAttController",
    "LeeAttControllerCfg",
    "LeeControllerBase",
    "LeeControllerBaseCfg",
    "LeePosController",
    "LeePosControllerCfg",
    "LeeVelController",
    "LeeVelControllerCfg",
    "compute_body_torque",
    "compute_desired_orientation",
    "yaw_rate_to_body_angvel",
]
