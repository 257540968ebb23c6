"""Command terms: velocities, poses of hands, places to go to."""

from __future__ import annotations

from .null import *  # noqa: F403
from .pose import *  # noqa: F403
from .pose_2d import *  # noqa: F403
from .position import *  # noqa: F403
from .velocity import *  # noqa: F403

__all__ = [
    "NormalVelocityCommand",
    "NormalVelocityCommandCfg",
    "NullCommand",
    "NullCommandCfg",
    "UniformPose2dCommand",
    "UniformPose2dCommandCfg",
    "UniformPoseCommand",
    "UniformPoseCommandCfg",
    "UniformPositionCommand",
    "UniformPositionCommandCfg",
    "UniformVelocityCommand",
    "UniformVelocityCommandCfg",
]
