"""Randomised joints: gains of actuators, friction, armature, limits and tendons.

What is drawn for joints acts on the values there were when the event was made, so that repeated
events do not drift; what is drawn for tendons acts on those they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from usdsim.actuators import ImplicitActuator
from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.envs.managers.base import ManagerTermBase
from usdsim.envs.managers.scene_entity import SceneEntityCfg
from usdsim.envs.tensors import tensor

from .sampling import Distribution, Operation, columns_of, randomized

if TYPE_CHECKING:
    from usdsim.envs import ManagerBasedEnv

__all__ = [
    "randomize_actuator_gains",
    "randomize_fixed_tendon_parameters",
    "randomize_joint_parameters",
]

Parameters = Sequence[float] | None


class randomize_actuator_gains(ManagerTermBase):
    """Give actuators stiffness and damping drawn about those of the start."""

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        asset = env.scene[cfg.params["asset_cfg"].name]
        self._start = {
            (group, gain): tensor(getattr(asset.actuators[group], gain)).clone()
            for group in asset.actuators
            for gain in ("stiffness", "damping")
        }

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        asset_cfg: SceneEntityCfg,
        stiffness_distribution_params: Parameters = None,
        damping_distribution_params: Parameters = None,
        operation: Operation = "abs",
        distribution: Distribution = "uniform",
    ) -> None:
        """Draw gains.

        Args:
            env: the environment.
            env_ids: environments.
            asset_cfg: the articulation, and its joints.
            stiffness_distribution_params: limits, or mean and deviation; None: as it is.
            damping_distribution_params: limits, or mean and deviation; None: as it is.
            operation: what is done with what is drawn.
            distribution: where it is drawn from.
        """
        asset = env.scene[asset_cfg.name]
        wanted = asset_cfg.joint_ids
        chosen = set(range(asset.num_joints) if isinstance(wanted, slice) else wanted)
        given = {"stiffness": stiffness_distribution_params, "damping": damping_distribution_params}
        for name in asset.actuators:
            actuator = asset.actuators[name]
            ids = actuator.joint_indices
            own = [*range(asset.num_joints)] if isinstance(ids, slice) else [int(i) for i in ids]
            columns = [i for i, joint in enumerate(own) if joint in chosen]
            if not columns:
                continue
            joints = [own[i] for i in columns]
            for gain, parameters in given.items():
                if parameters is None:
                    continue
                start = self._start[name, gain][env_ids][:, columns]
                values = randomized(env, env_ids, start, parameters, operation, distribution)
                array = tensor(getattr(actuator, gain))
                array[env_ids.unsqueeze(1), torch.tensor(columns, device=array.device)] = values
                if isinstance(actuator, ImplicitActuator):
                    write = getattr(asset, f"write_joint_{gain}_to_sim")
                    write(values, joint_ids=joints, env_ids=env_ids)


_FRICTION = ("joint_friction_coeff", "joint_dynamic_friction_coeff", "joint_viscous_friction_coeff")


class randomize_joint_parameters(ManagerTermBase):
    """Give joints friction, armature and limits drawn about those of the start."""

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        data = env.scene[cfg.params["asset_cfg"].name].data
        self._friction = [tensor(getattr(data, name)).clone() for name in _FRICTION]

    def __call__(
        self,
        env: ManagerBasedEnv,
        env_ids: torch.Tensor,
        asset_cfg: SceneEntityCfg,
        friction_distribution_params: Parameters = None,
        armature_distribution_params: Parameters = None,
        lower_limit_distribution_params: Parameters = None,
        upper_limit_distribution_params: Parameters = None,
        operation: Operation = "abs",
        distribution: Distribution = "uniform",
    ) -> None:
        """Draw parameters; those that are None stay as they are.

        Args:
            env: the environment.
            env_ids: environments.
            asset_cfg: the articulation, and its joints.
            friction_distribution_params: of static, dynamic and viscous friction, each drawn by
                itself [N m or N, N m s/rad or N s/m]; dynamic friction is at most the static one.
            armature_distribution_params: of armature [kg m^2 or kg].
            lower_limit_distribution_params: of the lower limit [m or rad].
            upper_limit_distribution_params: of the upper limit [m or rad].
            operation: what is done with what is drawn.
            distribution: where it is drawn from.

        Raises:
            InvalidValueError: a lower limit that was drawn is above the upper one.
        """
        asset, ids = env.scene[asset_cfg.name], asset_cfg.joint_ids
        data, where = asset.data, {"joint_ids": columns_of(ids), "env_ids": env_ids}

        def values(start: Any, parameters: Sequence[float]) -> torch.Tensor:
            rows = tensor(start)[env_ids][:, ids]
            return randomized(env, env_ids, rows, parameters, operation, distribution)

        writes: list[tuple[Callable[..., None], tuple[torch.Tensor, ...]]] = []
        if friction_distribution_params is not None:
            static, dynamic, viscous = (
                values(start, friction_distribution_params).clamp(min=0.0)
                for start in self._friction
            )
            frictions = static, torch.minimum(dynamic, static), viscous
            writes.append((asset.write_joint_friction_coefficient_to_sim, frictions))
        if armature_distribution_params is not None:
            armature = values(data.default_joint_armature, armature_distribution_params)
            writes.append((asset.write_joint_armature_to_sim, (armature.clamp(min=0.0),)))
        given = (lower_limit_distribution_params, upper_limit_distribution_params)
        if any(parameters is not None for parameters in given):
            start = tensor(data.default_joint_pos_limits)
            limits = start[env_ids][:, ids].clone()
            for side, parameters in enumerate(given):
                if parameters is not None:
                    limits[..., side] = values(start[..., side], parameters)
            _require_order("limits of joint positions", limits)
            writes.append((asset.write_joint_position_limit_to_sim, (limits,)))
        # What is refused leaves nothing half-written.
        for write, arrays in writes:
            write(*arrays, **where)


def _require_order(what: str, limits: torch.Tensor) -> None:
    """Refuse lower limits above upper ones, which devices do not look for."""
    wrong = limits[limits[..., 0] > limits[..., 1]]
    if len(wrong):
        raise InvalidValueError(what, tuple(wrong[0].tolist()), "a lower limit below the upper one")


_TENDON_QUANTITIES = ("stiffness", "damping", "limit_stiffness", "rest_length", "offset")
_TENDON_LIMITS = ("lower_limit", "upper_limit")


def randomize_fixed_tendon_parameters(
    env: ManagerBasedEnv,
    env_ids: torch.Tensor,
    asset_cfg: SceneEntityCfg,
    operation: Operation = "abs",
    distribution: Distribution = "uniform",
    **parameters: Parameters,
) -> None:
    """Give fixed tendons properties drawn about those they have: repeated factors multiply.

    Args:
        env: the environment.
        env_ids: environments.
        asset_cfg: the articulation, and its tendons.
        operation: what is done with what is drawn.
        distribution: where it is drawn from.
        **parameters: limits, or mean and deviation, by quantity: ``stiffness_distribution_params``,
            ``damping_``, ``limit_stiffness_``, ``rest_length_``, ``offset_``, ``lower_limit_`` and
            ``upper_limit_distribution_params``; None: as it is.

    Raises:
        InvalidValueError: a lower limit that was drawn is above the upper one.
        UnknownNameError: there is no such quantity.
    """
    asset, ids = env.scene[asset_cfg.name], asset_cfg.fixed_tendon_ids
    data, where = asset.data, {"fixed_tendon_ids": columns_of(ids), "env_ids": env_ids}
    limits = tensor(data.fixed_tendon_pos_limits)[env_ids][:, ids].clone()
    given = {key.removesuffix("_distribution_params"): p for key, p in parameters.items()}
    for name in given.keys() - {*_TENDON_QUANTITIES, *_TENDON_LIMITS}:
        allowed = (*_TENDON_QUANTITIES, *_TENDON_LIMITS)
        raise UnknownNameError("quantity of tendons", name, allowed)
    drawn = {name: p for name, p in given.items() if p is not None}
    values: dict[str, torch.Tensor] = {}
    for name, numbers in drawn.items():
        if name in _TENDON_LIMITS:
            start = limits[..., _TENDON_LIMITS.index(name)]
        else:
            start = tensor(getattr(data, f"fixed_tendon_{name}"))[env_ids][:, ids]
        values[name] = randomized(env, env_ids, start, numbers, operation, distribution)
    given_limits = values.keys() & {*_TENDON_LIMITS}
    if given_limits:
        for name in given_limits:
            limits[..., _TENDON_LIMITS.index(name)] = values.pop(name)
        _require_order("limits of fixed tendons", limits)
        asset.set_fixed_tendon_position_limit(limits, **where)
    for name, drawn_values in values.items():
        getattr(asset, f"set_fixed_tendon_{name}")(drawn_values, **where)
    asset.write_fixed_tendon_properties_to_sim(**where)
