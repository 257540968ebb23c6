"""Environments: reinforcement learning over scenes, direct or by managers of terms.

Names are imported on first use. Environments calculate in torch and follow Gymnasium, which come
with ``pip install 'usdsim[learn]'``.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from usdsim.core.errors import UnsupportedError
from usdsim.core.extras import installation
from usdsim.core.lazy import lazy_names

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

__getattr__, __dir__, __all__ = lazy_names(__name__)


if find_spec("torch") is None:
    raise UnsupportedError(
        f"usdsim.envs needs torch, which is not installed. Run: {installation('torch')}"
    )
