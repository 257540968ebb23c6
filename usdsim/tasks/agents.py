"""Agent configuration: proximal policy optimisation with rsl_rl."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from usdsim.core.declared import DeclaredConfiguration

__all__ = ["PpoCfg"]


class PpoCfg(DeclaredConfiguration):
    """Settings of rsl_rl's on-policy runner; `to_runner` has its spelling."""

    hidden_dims: Sequence[int] = (64, 64)
    """Sizes of the hidden layers of actor and critic."""
    activation: str = "elu"
    """Activation function of the hidden layers."""
    normalize: bool = True
    """Whether observations are normalised by their running mean and deviation."""
    init_std: float = 1.0
    """Deviation of actions at the start."""
    final_std: float | None = None
    """Largest deviation of actions in the end; None: there is no limit."""
    std_fall: tuple[int, int] = (0, 100)
    """Iterations between which that limit falls from `init_std`, by the same factor each time."""
    num_steps_per_env: int = 24
    """Decisions of each environment per iteration."""
    num_learning_epochs: int = 5
    """Passes over the decisions of an iteration."""
    num_mini_batches: int = 4
    """Parts of such a pass."""
    learning_rate: float = 1e-3
    """Step of the optimiser at the start."""
    desired_kl: float = 0.01
    """Change of the policy per iteration, which the step of the optimiser is adapted to."""
    gamma: float = 0.99
    """Discount of rewards per decision."""
    lam: float = 0.95
    """Weight of long returns in advantages."""
    entropy_coef: float = 0.005
    """Weight of the entropy of actions."""
    iterations: int = 150
    """Iterations that the shipped policy takes."""
    save_interval: int = 50
    """Iterations from one checkpoint to the next."""

    def std_limit(self, iteration: int) -> float:
        """Largest deviation that actions may have in an iteration."""
        if self.final_std is None:
            return math.inf
        begin, end = self.std_fall
        part = min(1.0, max(0.0, (iteration - begin) / (end - begin)))
        return self.init_std * float(self.final_std / self.init_std) ** part

    def to_runner(self) -> dict[str, Any]:
        """The mapping that rsl_rl's ``OnPolicyRunner`` takes."""
        network = {
            "class_name": "MLPModel",
            "hidden_dims": list(self.hidden_dims),
            "activation": self.activation,
            "obs_normalization": self.normalize,
        }
        noise = {"class_name": "GaussianDistribution", "init_std": self.init_std}
        return {
            "num_steps_per_env": self.num_steps_per_env,
            "save_interval": self.save_interval,
            "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
            "actor": {**network, "distribution_cfg": noise},
            "critic": network,
            "algorithm": {
                "class_name": "PPO",
                "num_learning_epochs": self.num_learning_epochs,
                "num_mini_batches": self.num_mini_batches,
                "learning_rate": self.learning_rate,
                "schedule": "adaptive",
                "desired_kl": self.desired_kl,
                "gamma": self.gamma,
                "lam": self.lam,
                "entropy_coef": self.entropy_coef,
                "value_loss_coef": 1.0,
                "clip_param": 0.2,
                "max_grad_norm": 1.0,
            },
        }
