"""Action terms: targets of joints, thrusts, grippers, and poses of end effectors."""

from __future__ import annotations

from . import (
    binary,
    joints,
    limits,
    non_holonomic,
    operational,
    surface_grippers,
    task_space,
    thrust,
    vertices,
)
from .binary import *
from .joints import *
from .limits import *
from .non_holonomic import *
from .operational import *
from .surface_grippers import *
from .task_space import *
from .thrust import *
from .vertices import *

__all__ = [
    *binary.__all__,
    *joints.__all__,
    *limits.__all__,
    *non_holonomic.__all__,
    *operational.__all__,
    *surface_grippers.__all__,
    *task_space.__all__,
    *thrust.__all__,
    *vertices.__all__,
]
