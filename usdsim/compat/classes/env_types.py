"""Types of what environments take and return, as annotations of programs name them."""

from __future__ import annotations

from typing import Any, TypeVar

import torch

__all__ = [
    "ActionType",
    "AgentID",
    "EnvStepReturn",
    "ObsType",
    "SpaceType",
    "StateType",
    "VecEnvObs",
    "VecEnvStepReturn",
]

SpaceType = TypeVar("SpaceType")
"""Specification of a space."""
AgentID = TypeVar("AgentID")
"""Name of an agent."""
ObsType = TypeVar("ObsType")
"""Observation of an agent."""
ActionType = TypeVar("ActionType")
"""Action of an agent."""
StateType = TypeVar("StateType")
"""State of all agents."""
VecEnvObs = dict[str, torch.Tensor | dict[str, torch.Tensor]]
"""Observations by name of the group."""
VecEnvStepReturn = tuple[VecEnvObs, torch.Tensor, torch.Tensor, torch.Tensor, dict[str, Any]]
"""Observations, rewards, ends, cuts, and what there is to say besides."""
EnvStepReturn = tuple[
    dict[Any, Any], dict[Any, torch.Tensor], dict[Any, torch.Tensor], dict[Any, torch.Tensor],
    dict[Any, dict[str, Any]],
]  # fmt: skip
"""The same by agent."""
