"""Learning: environments for the libraries of others, training, evaluation and policies in files.

Names are imported on first use; each wrapper needs the library it is for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .evaluation import Evaluation as Evaluation
    from .evaluation import Measured as Measured
    from .evaluation import evaluate as evaluate
    from .gymnasium_vector import GymnasiumVectorEnv as GymnasiumVectorEnv
    from .pettingzoo import PettingZooEnv as PettingZooEnv
    from .policy import Policy as Policy
    from .policy import load_policy as load_policy
    from .policy import save_policy as save_policy
    from .rllib import RllibVectorEnv as RllibVectorEnv
    from .rsl_rl import RslRlVecEnv as RslRlVecEnv
    from .single import SingleEnv as SingleEnv
    from .stable_baselines3 import Sb3VecEnv as Sb3VecEnv
    from .training import train as train
    from .watching import watch as watch

_LAZY = {
    "Evaluation": "evaluation",
    "GymnasiumVectorEnv": "gymnasium_vector",
    "Measured": "evaluation",
    "PettingZooEnv": "pettingzoo",
    "Policy": "policy",
    "RllibVectorEnv": "rllib",
    "RslRlVecEnv": "rsl_rl",
    "Sb3VecEnv": "stable_baselines3",
    "SingleEnv": "single",
    "evaluate": "evaluation",
    "load_policy": "policy",
    "save_policy": "policy",
    "train": "training",
    "watch": "watching",
}

__all__ = [*_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
