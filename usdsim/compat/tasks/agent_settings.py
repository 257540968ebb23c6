"""Settings of agents by name, each kind with the defaults that Isaac Lab 3.0 has."""

from __future__ import annotations

import copy
from dataclasses import MISSING
from functools import cache
from typing import Any

from usdsim.compat.settings import Settings

__all__ = ["AgentCfg", "settings_class"]

_MLP = {"class_name": "MLPModel", "obs_normalization": False, "distribution_cfg": None}
_RUNNER = {
    "class_name": "OnPolicyRunner",
    "seed": 42,
    "device": "cpu",
    "obs_groups": {},
    "clip_actions": None,
    "check_for_nan": True,
    "run_name": "",
    "logger": "tensorboard",
    "neptune_project": "isaaclab",
    "wandb_project": "isaaclab",
    "resume": False,
    "load_run": ".*",
    "load_checkpoint": "model_.*.pt",
}
_GAUSSIAN = {"class_name": "GaussianDistribution", "std_type": "scalar"}
_POLICY = {"noise_std_type": "scalar", "state_dependent_std": False}
_STUDENT = {"class_name": "StudentTeacher", "noise_std_type": "scalar"}

_DEFAULTS: dict[str, dict[str, Any]] = {
    "RslRlBaseRunnerCfg": _RUNNER,
    "RslRlOnPolicyRunnerCfg": _RUNNER,
    "RslRlDistillationRunnerCfg": {**_RUNNER, "class_name": "DistillationRunner"},
    "RslRlMLPModelCfg": _MLP,
    "RslRlRNNModelCfg": {**_MLP, "class_name": "RNNModel"},
    "RslRlCNNModelCfg": {**_MLP, "class_name": "CNNModel"},
    "CNNCfg": {
        "stride": 1,
        "dilation": 1,
        "padding": "none",
        "norm": "none",
        "max_pool": False,
        "global_pool": "none",
        "flatten": True,
    },
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
    "RslRlPpoActorCriticCfg": {"class_name": "ActorCritic", **_POLICY},
    "RslRlPpoActorCriticRecurrentCfg": {"class_name": "ActorCriticRecurrent", **_POLICY},
    "RslRlDistillationAlgorithmCfg": {
        "class_name": "Distillation",
        "max_grad_norm": None,
        "optimizer": "adam",
        "loss_type": "mse",
    },
    "RslRlDistillationStudentTeacherCfg": _STUDENT,
    "RslRlDistillationStudentTeacherRecurrentCfg": {
        **_STUDENT,
        "class_name": "StudentTeacherRecurrent",
    },
    "RslRlRndCfg": {
        "weight": 0.0,
        "weight_schedule": None,
        "reward_normalization": False,
        "state_normalization": False,
        "learning_rate": 1e-3,
        "num_outputs": 1,
        "predictor_hidden_dims": [-1],
        "target_hidden_dims": [-1],
    },
    "WeightScheduleCfg": {"mode": "constant"},
    "LinearWeightScheduleCfg": {"mode": "linear"},
    "StepWeightScheduleCfg": {"mode": "step"},
    "RslRlSymmetryCfg": {
        "use_data_augmentation": False,
        "use_mirror_loss": False,
        "mirror_loss_coeff": 0.0,
    },
}
"""Settings that programs for rsl_rl leave to its defaults, by name of the configuration."""

_DISTRIBUTIONS = ("GaussianDistributionCfg", "HeteroscedasticGaussianDistributionCfg")
_SCHEDULES = ("WeightScheduleCfg", "LinearWeightScheduleCfg", "StepWeightScheduleCfg")
_INNER = {
    "RslRlMLPModelCfg": _DISTRIBUTIONS,
    "RslRlRNNModelCfg": _DISTRIBUTIONS,
    "RslRlCNNModelCfg": (*_DISTRIBUTIONS, "CNNCfg"),
    "RslRlRndCfg": _SCHEDULES,
}
"""Classes within others."""


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
def settings_class(name: str, base: type[AgentCfg] = AgentCfg) -> Any:
    """A class of settings, each of which begins with the defaults, whatever its own fields are.

    Args:
        name: its name.
        base: what it is derived from.
    """

    def start(cls: type[AgentCfg], **_: Any) -> AgentCfg:
        made = object.__new__(cls)
        made.__dict__.update(copy.deepcopy(_DEFAULTS.get(name, {})))
        return made

    inner = {each: settings_class(each) for each in _INNER.get(name, ())}
    # Pickled settings name the module that has every class.
    own = {"__doc__": AgentCfg.__doc__, "__module__": "usdsim.compat.rl", "__new__": start}
    return type(name, (base,), {**own, **inner})
