"""Learning: environments for the libraries of others, training, evaluation and policies in files.

Names are imported on first use; each wrapper needs the library it is for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from usdsim.core.lazy import lazy_names

if TYPE_CHECKING:
    from .evaluation import Evaluation as Evaluation
    from .evaluation import Measured as Measured
    from .evaluation import evaluate as evaluate
    from .exported import ExportedPolicy as ExportedPolicy
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

__getattr__, __dir__, __all__ = lazy_names(__name__)
