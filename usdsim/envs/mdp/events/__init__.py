"""Event terms: resets of states, randomised parameters, pushes and forces."""

from __future__ import annotations

from . import bodies, disturbances, joints, resets
from .bodies import *  # noqa: F403
from .disturbances import *  # noqa: F403
from .joints import *  # noqa: F403
from .resets import *  # noqa: F403

__all__ = [
    *bodies.__all__,
    *disturbances.__all__,
    *joints.__all__,
    *resets.__all__,
]
