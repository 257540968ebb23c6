"""Environments: reinforcement learning over scenes, direct or by managers of terms.

Names are imported on first use. Environments calculate in torch and follow Gymnasium, which come
with ``pip install 'usdsim[learn]'``.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from usdsim.core.errors import UnsupportedError

if TYPE_CHECKING:
    from .cfg import DirectRLEnvCfg as DirectRLEnvCfg
    from .cfg import ManagerBasedEnvCfg as ManagerBasedEnvCfg
    from .cfg import ManagerBasedRLEnvCfg as ManagerBasedRLEnvCfg
    from .cfg import ViewerCfg as ViewerCfg
    from .direct_marl_env import DirectMARLEnv as DirectMARLEnv
    from .direct_marl_env import DirectMARLEnvCfg as DirectMARLEnvCfg
    from .direct_rl_env import DirectRLEnv as DirectRLEnv
    from .episodes import EpisodicEnv as EpisodicEnv
    from .manager_based_env import ManagerBasedEnv as ManagerBasedEnv
    from .manager_based_rl_env import ManagerBasedRLEnv as ManagerBasedRLEnv
    from .one_agent import multi_agent_to_single_agent as multi_agent_to_single_agent
    from .one_agent import multi_agent_with_one_agent as multi_agent_with_one_agent
    from .simulated import SimulatedEnv as SimulatedEnv
    from .streams import Streams as Streams

_LAZY = {
    "DirectMARLEnv": "direct_marl_env",
    "DirectMARLEnvCfg": "direct_marl_env",
    "DirectRLEnv": "direct_rl_env",
    "DirectRLEnvCfg": "cfg",
    "EpisodicEnv": "episodes",
    "ManagerBasedEnv": "manager_based_env",
    "ManagerBasedEnvCfg": "cfg",
    "ManagerBasedRLEnv": "manager_based_rl_env",
    "ManagerBasedRLEnvCfg": "cfg",
    "SimulatedEnv": "simulated",
    "Streams": "streams",
    "ViewerCfg": "cfg",
    "multi_agent_to_single_agent": "one_agent",
    "multi_agent_with_one_agent": "one_agent",
}

__all__ = [*_LAZY]

if find_spec("torch") is None:
    raise UnsupportedError(
        "usdsim.envs needs torch, which is not installed. Run: pip install 'usdsim[learn]'"
    )


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
