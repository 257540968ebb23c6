"""Command terms: velocities, poses of hands, places to go to."""

from __future__ import annotations

from .null import (
    NullCommand,
    NullCommandCfg,
)
from .pose import (
    UniformPoseCommand,
    UniformPoseCommandCfg,
)
from .pose_2d import (
    TerrainBasedPose2dCommand,
    TerrainBasedPose2dCommandCfg,
    UniformPose2dCommand,
    UniformPose2dCommandCfg,
)
from .position import (
    UniformPositionCommand,
    UniformPositionCommandCfg,
)
from .velocity import (
    NormalVelocityCommand,
    NormalVelocityCommandCfg,
    UniformVelocityCommand,
    UniformVelocityCommandCfg,
)

__all__ = [
    "NormalVelocityCommand",
    "NormalVelocityCommandCfg",
    "NullCommand",
    "NullCommandCfg",
    "TerrainBasedPose2dCommand",
    "TerrainBasedPose2dCommandCfg",
    "UniformPose2dCommand",
    "UniformPose2dCommandCfg",
    "UniformPoseCommand",
    "UniformPoseCommandCfg",
    "UniformPositionCommand",
    "UniformPositionCommandCfg",
    "UniformVelocityCommand",
    "UniformVelocityCommandCfg",
]
