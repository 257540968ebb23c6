"""Action terms: targets of joints, thrusts, and poses of hands by inverse kinematics."""

from __future__ import annotations

from . import binary, joints, limits, task_space, thrust
from .binary import *  # noqa: F403
from .joints import *  # noqa: F403
from .limits import *  # noqa: F403
from .task_space import *  # noqa: F403
from .thrust import *  # noqa: F403

__all__ = [
    *binary.__all__,
    *joints.__all__,
    *limits.__all__,
    *task_space.__all__,
    *thrust.__all__,
]
