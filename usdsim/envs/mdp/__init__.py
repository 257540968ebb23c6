"""Library of terms: actions, observations, rewards, terminations, events, commands, curricula."""

from __future__ import annotations

from . import actions, commands, curriculums, events, observations, rewards, terminations
from .actions import *  # noqa: F403
from .commands import *  # noqa: F403
from .curriculums import *  # noqa: F403
from .events import *  # noqa: F403
from .observations import *  # noqa: F403
from .rewards import *  # noqa: F403
from .terminations import *  # noqa: F403

__all__ = [
    *actions.__all__,
    *commands.__all__,
    *curriculums.__all__,
    *events.__all__,
    *observations.__all__,
    *rewards.__all__,
    *terminations.__all__,
]
