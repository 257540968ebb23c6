"""Reward terms: life, motion of roots and joints, actions, contacts, following of commands."""

from __future__ import annotations

from . import contacts, episodes, joints, places, roots, velocities
from .contacts import *
from .episodes import *
from .joints import *
from .places import *
from .roots import *
from .velocities import *

__all__ = [
    *contacts.__all__,
    *episodes.__all__,
    *joints.__all__,
    *places.__all__,
    *roots.__all__,
    *velocities.__all__,
]
