"""Sleeping: which trees of bodies may rest at no cost, and which start so."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from .context import Build
from .loose import MANY, loose_bodies

__all__ = ["let_sleep"]

_NEVER, _INIT = (
    int(policy)
    for policy in (mujoco.mjtSleepPolicy.mjSLEEP_NEVER, mujoco.mjtSleepPolicy.mjSLEEP_INIT)
)


def let_sleep(build: Build, model: mujoco.MjModel) -> bool:
    """Set the sleep policy of each tree of bodies, in a scene of many loose ones or one that asks.

    A stage that brings its own solver settings says itself whether anything sleeps. An exact build
    has no savings, so nothing does. A threshold of zero keeps a body awake; of others the engine
    has one for all: the smallest. What actuators move never sleeps.

    Args:
        build: the compilation.
        model: its result.

    Returns:
        Whether the engine that steps the model is to let bodies sleep.
    """
    if build.owns_options or build.exact:
        return False
    bodies = [
        (body, int(model.body_treeid[build.bodies[index].id]))
        for index, body in loose_bodies(build)
    ]
    asked = [tree for body, tree in bodies if body.starts_asleep and body.sleep_threshold != 0.0]
    if len(bodies) < MANY and not asked:
        return False
    stated = [body.sleep_threshold for body, _ in bodies if body.sleep_threshold]
    if stated:
        # Kinetic energy per mass, e = v^2 / 2; the engine compares speeds.
        model.opt.sleep_tolerance = float(np.sqrt(2.0 * min(stated)))
    for body, tree in bodies:
        if body.sleep_threshold == 0.0:
            model.tree_sleep_policy[tree] = _NEVER
    if asked:
        moving = [t for b, t in bodies if b.linear_velocity.any() or b.angular_velocity.any()]
        resting = _at_rest_together(model, set(asked) - set(moving))
        model.tree_sleep_policy[resting] = _INIT
    return True


def _at_rest_together(model: mujoco.MjModel, asked: set[int]) -> NDArray[np.intp]:
    """Trees that may start asleep: with them everything sleeps that they touch or are tied to."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    asleep = np.zeros(model.ntree, np.bool_)
    asleep[list(asked)] = True
    islands = np.array(data.tree_island) if data.nisland else np.full(model.ntree, -1)
    awake = np.unique(islands[~asleep & (islands >= 0)])
    return np.flatnonzero(asleep & ~np.isin(islands, awake))
