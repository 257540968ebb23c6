"""Command terms: velocities, poses of hands, places to go to."""

from __future__ import annotations

from . import null, pose, pose_2d, position, velocity
from .null import *  # noqa: F403
from .pose import *  # noqa: F403
from .pose_2d import *  # noqa: F403
from .position import *  # noqa: F403
from .velocity import *  # noqa: F403

__all__ = [*null.__all__, *pose.__all__, *pose_2d.__all__, *position.__all__, *velocity.__all__]
