"""Command terms: velocities, poses of hands, places to go to."""

from __future__ import annotations

from . import null, pose, pose_2d, position, velocity
from .null import *
from .pose import *
from .pose_2d import *
from .position import *
from .velocity import *

__all__ = [
    *null.__all__,
    *pose.__all__,
    *pose_2d.__all__,
    *position.__all__,
    *velocity.__all__,
]
