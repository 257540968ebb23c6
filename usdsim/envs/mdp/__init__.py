"""Library of terms: actions, observations, rewards, terminations, events, commands, curricula."""

from __future__ import annotations

from . import (
    actions,
    commands,
    curriculums,
    events,
    images,
    observations,
    recorders,
    rewards,
    terminations,
)
from .actions import *
from .commands import *
from .curriculums import *
from .events import *
from .images import *
from .observations import *
from .recorders import *
from .rewards import *
from .terminations import *

__all__ = [
    *actions.__all__,
    *commands.__all__,
    *curriculums.__all__,
    *events.__all__,
    *images.__all__,
    *observations.__all__,
    *recorders.__all__,
    *rewards.__all__,
    *terminations.__all__,
]
