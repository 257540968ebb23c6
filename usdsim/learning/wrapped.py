"""Environments to wrap: what learners are given, without Gymnasium's own wrappers."""

from __future__ import annotations

from typing import Any

from usdsim.core.errors import InvalidValueError
from usdsim.envs import EpisodicEnv

__all__ = ["episodic"]


def episodic(env: Any) -> EpisodicEnv:
    """The environment with episodes that wrappers are around.

    Raises:
        InvalidValueError: there is none.
    """
    inner: Any = getattr(env, "unwrapped", None)
    if not hasattr(getattr(inner, "cfg", None), "autoreset"):
        raise InvalidValueError(
            "environment to wrap",
            env,
            "an environment of usdsim.envs with episodes, or Gymnasium's wrappers of one",
        )
    found: EpisodicEnv = inner
    return found
