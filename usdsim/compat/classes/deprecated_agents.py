"""Deprecated settings of agents of rsl_rl, brought to those of its present versions."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import MISSING
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from usdsim.compat.tasks.agent_settings import AgentCfg, settings_class
from usdsim.core.errors import InvalidValueError

__all__ = ["RUNNERS", "RunnerCfg", "handle_deprecated_rsl_rl_cfg"]

_OLDEST = 5
"""First version whose models have distributions of their own."""
_MODELS = ("actor", "critic", "student", "teacher")
_MEMORY = ("rnn_type", "rnn_hidden_dim", "rnn_num_layers")
_NOISE = ("init_noise_std", "noise_std_type", "state_dependent_std")
_LEGACY = ("stochastic", *_NOISE)
_RANDOM = ("actor", "student")
"""Models whose outputs are drawn."""
_SINCE_MODELS = {"optimizer": "adam", "share_cnn_encoders": False}
"""Settings of algorithms that versions without models do not know, and what these do."""
RUNNERS = ("RslRlBaseRunnerCfg", "RslRlOnPolicyRunnerCfg", "RslRlDistillationRunnerCfg")
"""Names of the settings of whole agents."""


class RunnerCfg(AgentCfg):
    """Settings of an agent of rsl_rl and of its training.

    Args:
        **settings: any settings by name.
    """

    def to_dict(self) -> dict[str, Any]:
        """Settings by name, as the version of rsl_rl that is installed takes them."""
        told = super().to_dict()
        if find_spec("rsl_rl") is None:
            return told
        if find_spec("rsl_rl.models") is None:
            algorithm = told.get("algorithm") or {}
            for name in [n for n, value in _SINCE_MODELS.items() if algorithm.get(n) == value]:
                del algorithm[name]
            return told
        installed = _installed()
        if _major(installed) < _OLDEST:
            return told
        present = handle_deprecated_rsl_rl_cfg(copy.deepcopy(self), installed)
        found: dict[str, Any] = AgentCfg.to_dict(present)
        return found


def _installed() -> str:
    """Version of rsl_rl; of one that a program brings along, the oldest that has distributions."""
    try:
        return version("rsl-rl-lib")
    except PackageNotFoundError:
        return f"{_OLDEST}.0.0"


def _major(installed_version: Any) -> int:
    return int(str(installed_version).split(".")[0])


def handle_deprecated_rsl_rl_cfg(agent_cfg: Any, installed_version: str) -> Any:
    """Settings of an agent with a model for each network instead of one ``policy`` for all.

    Args:
        agent_cfg: the settings, which are changed.
        installed_version: version of rsl_rl, such as ``5.0.0``.

    Returns:
        The same settings.

    Raises:
        InvalidValueError: the version is older than those that take such settings.
    """
    if _major(installed_version) < _OLDEST:
        raise InvalidValueError(
            "version of rsl-rl-lib", installed_version, f"{_OLDEST}.0.0 or newer", "Update it."
        )
    policy, pair = _given(agent_cfg, "policy"), _MODELS[:2]
    if policy is not None:
        pair = _MODELS[2:] if _given(policy, "student_hidden_dims") is not None else _MODELS[:2]
        normalized = _given(agent_cfg, "empirical_normalization")
        for name in pair:
            if _given(agent_cfg, name) is None:
                setattr(agent_cfg, name, _model(policy, name, normalized))
    groups = _given(agent_cfg, "obs_groups") or {}
    if "policy" in groups and "actor" not in groups and pair == _MODELS[:2]:
        groups["actor"] = groups.pop("policy")
    for name in ("policy", "empirical_normalization"):
        if hasattr(agent_cfg, name):
            setattr(agent_cfg, name, MISSING)
    for model in filter(None, (_given(agent_cfg, name) for name in _MODELS)):
        _modernize(model)
    return agent_cfg


def _model(policy: Any, name: str, normalized: Any) -> Any:
    """A model with what the policy says of it."""
    memory = {key: _given(policy, key) for key in _MEMORY}
    kind = "RslRlMLPModelCfg" if None in memory.values() else "RslRlRNNModelCfg"
    own = _given(policy, f"{name}_obs_normalization")
    settings: dict[str, Any] = {
        "hidden_dims": _given(policy, f"{name}_hidden_dims"),
        "activation": _given(policy, "activation"),
        "obs_normalization": bool(normalized if own is None else own),
    }
    if kind == "RslRlRNNModelCfg":
        settings |= memory
    if name in _RANDOM:
        settings |= {key: _given(policy, key) for key in _NOISE} | {"stochastic": True}
    if name == "teacher":
        # It has a distribution as well, which does not spread.
        settings |= {"stochastic": True, "init_noise_std": 0.0}
    return _settings(kind, settings)


def _modernize(model: Any) -> None:
    """Make a distribution of what a model says of one."""
    legacy = {key: vars(model).pop(key, None) for key in _LEGACY}
    legacy = {key: value for key, value in legacy.items() if value not in (None, MISSING)}
    if legacy.get("stochastic") and _given(model, "distribution_cfg") is None:
        kind = "Heteroscedastic" if legacy.get("state_dependent_std") else ""
        names = {"init_noise_std": "init_std", "noise_std_type": "std_type"}
        values = {names[key]: value for key, value in legacy.items() if key in names}
        model.distribution_cfg = _settings(f"{kind}GaussianDistributionCfg", values)


def _given(settings: Any, name: str) -> Any:
    """A setting; None: there is none."""
    value = getattr(settings, name, None)
    return None if value is MISSING else value


def _settings(kind: str, values: Mapping[str, Any]) -> Any:
    """Settings of a kind, without what is not known."""
    known = {name: value for name, value in values.items() if value is not None}
    return settings_class(kind)(**known)
