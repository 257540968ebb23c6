"""Reinforcement learning libraries: their wrappers, and settings of their agents, kept as given."""

from __future__ import annotations

import copy
import importlib
from dataclasses import MISSING
from functools import cache
from typing import Any

from .absent import absent
from .settings import Settings

__all__ = ["AgentCfg"]

_MODULES = ("rl_games", "rsl_rl", "sb3", "skrl", "utils")
"""Names of modules, which are imported when they are asked for."""

_MLP = {"class_name": "MLPModel", "obs_normalization": False, "distribution_cfg": None}
_RUNNER = {
    "class_name": "OnPolicyRunner",
    "seed": 42,
    "device": "cpu",
    "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
    "clip_actions": None,
    "check_for_nan": True,
    "run_name": "",
    "logger": "tensorboard",
    "resume": False,
    "load_run": ".*",
    "load_checkpoint": "model_.*.pt",
}
_GAUSSIAN = {"class_name": "GaussianDistribution", "init_std": 1.0, "std_type": "scalar"}

_DEFAULTS: dict[str, dict[str, Any]] = {
    "RslRlOnPolicyRunnerCfg": _RUNNER,
    "RslRlDistillationRunnerCfg": {**_RUNNER, "class_name": "DistillationRunner"},
    "RslRlMLPModelCfg": _MLP,
    "RslRlRNNModelCfg": {**_MLP, "class_name": "RNNModel"},
    "RslRlCNNModelCfg": {**_MLP, "class_name": "CNNModel"},
    "GaussianDistributionCfg": _GAUSSIAN,
    "HeteroscedasticGaussianDistributionCfg": {
        **_GAUSSIAN,
        "class_name": "HeteroscedasticGaussianDistribution",
    },
    "RslRlPpoAlgorithmCfg": {
        "class_name": "PPO",
        "optimizer": "adam",
        "normalize_advantage_per_mini_batch": False,
        "share_cnn_encoders": False,
        "rnd_cfg": None,
        "symmetry_cfg": None,
    },
    "RslRlPpoActorCriticCfg": {
        "class_name": "ActorCritic",
        "noise_std_type": "scalar",
        "state_dependent_std": False,
    },
}
"""Settings that programs for rsl_rl leave to its defaults, by name of the configuration."""


_DISTRIBUTIONS = ("GaussianDistributionCfg", "HeteroscedasticGaussianDistributionCfg")
"""Classes within those of models."""


class AgentCfg(Settings):
    """Settings of an agent or of a part of it.

    Args:
        **settings: any settings by name.
    """

    def __init__(self, **settings: Any):
        self.__dict__.update(settings)

    def to_dict(self) -> dict[str, Any]:
        """Settings by name, with those of its parts; what is missing is left out."""
        given = {name: value for name, value in vars(self).items() if value is not MISSING}
        return {name: _plain(value) for name, value in given.items()}


def _plain(value: Any) -> Any:
    return value.to_dict() if hasattr(value, "to_dict") else value


@cache
def _kind(name: str) -> Any:
    """A class of settings, each of which begins with the defaults, whatever its own fields are."""

    def start(cls: type[AgentCfg], **_: Any) -> AgentCfg:
        made = object.__new__(cls)
        made.__dict__.update(copy.deepcopy(_DEFAULTS.get(name, {})))
        return made

    inner = {each: _kind(each) for each in _DISTRIBUTIONS if name.endswith("ModelCfg")}
    return type(name, (AgentCfg,), {"__doc__": AgentCfg.__doc__, "__new__": start, **inner})


def __getattr__(name: str) -> Any:
    """The wrapper for rsl_rl, or settings of any name that ends with ``Cfg``."""
    if name == "RslRlVecEnvWrapper":
        return importlib.import_module("usdsim.learning").RslRlVecEnv
    if name.startswith("_") or name in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name.endswith("Cfg"):
        return _kind(name)
    return absent(name)
