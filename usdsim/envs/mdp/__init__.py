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
from .actions.binary import *
from .actions.joints import *
from .actions.limits import *
from .actions.non_holonomic import *
from .actions.operational import *
from .actions.surface_grippers import *
from .actions.task_space import *
from .actions.thrust import *
from .actions.vertices import *
from .commands.null import *
from .commands.pose import *
from .commands.pose_2d import *
from .commands.position import *
from .commands.velocity import *
from .curriculums import *
from .events.bodies import *
from .events.disturbances import *
from .events.joints import *
from .events.resets import *
from .events.scales import *
from .events.visuals import *
from .images import *
from .observations import *
from .recorders import *
from .rewards.contacts import *
from .rewards.episodes import *
from .rewards.joints import *
from .rewards.places import *
from .rewards.roots import *
from .rewards.velocities import *
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
