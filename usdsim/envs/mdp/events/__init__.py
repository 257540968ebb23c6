"""Event terms: resets of states, randomised parameters, pushes and forces."""

from __future__ import annotations

from . import bodies, disturbances, joints, resets, scales, visuals
from .bodies import *
from .disturbances import *
from .joints import *
from .resets import *
from .scales import *
from .visuals import *

__all__ = [
    *bodies.__all__,
    *disturbances.__all__,
    *joints.__all__,
    *resets.__all__,
    *scales.__all__,
    *visuals.__all__,
]
