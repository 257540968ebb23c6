"""Private names of assets and actuators that programs use: there while the layer is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import warp as wp

from usdsim.actuators import ActuatorBase, ArticulationActions
from usdsim.actuators.limits import UNLIMITED_EFFORT
from usdsim.assets.common.base import AssetBase
from usdsim.views.usable import usable

__all__ = ["add_private_names", "remove_private_names"]


def _all_indices(asset: Any) -> Any:
    """Indices of all instances, int32, shape (num_instances,)."""
    rows = np.arange(asset.num_instances, dtype=np.int32)
    return usable(wp.array(rows, dtype=wp.int32, device=asset.device))


def _joint_vel(model: Any) -> Any:
    """Velocities given to `compute` last [rad/s or m/s], shape (num_envs, num_joints)."""
    return model.inputs[4]


def _clip_effort(model: Any, effort: Any) -> Any:
    """Efforts within the model's limits at `_joint_vel` [N m or N], as a torch tensor.

    A model that is where it shall be adds nothing to the effort it is told to make.
    """
    velocity = model.inputs[4].torch.clone()
    still = np.zeros(velocity.shape, np.float32)
    action = ArticulationActions(
        joint_positions=still, joint_velocities=velocity, joint_efforts=effort
    )
    ActuatorBase.compute(model, action, still, velocity)
    return model.applied_effort.torch.clone()


def _set_debug_vis(env: Any, debug_vis: bool) -> bool:
    """Nothing: markers are not drawn, so that none need to be brought up to date; False."""
    return False


_NAMES: dict[type, dict[str, Any]] = {
    AssetBase: {
        "_ALL_ENV_INDICES": property(_all_indices),
        "_ALL_INDICES": property(_all_indices),
        "_instantaneous_wrench_composer": property(lambda a: a.instantaneous_wrench_composer),
        "_permanent_wrench_composer": property(lambda a: a.permanent_wrench_composer),
        "_root_physx_view": property(lambda a: a.root_physx_view),
        "_root_view": property(lambda a: a.root_view),
    },
    ActuatorBase: {
        "_DEFAULT_MAX_EFFORT_SIM": UNLIMITED_EFFORT,
        "_clip_effort": _clip_effort,
        "_joint_vel": property(_joint_vel),
    },
}


def _named() -> dict[type, dict[str, Any]]:
    """Classes and the names they get; those of environments only where there is torch."""
    if find_spec("torch") is None:
        return _NAMES
    env = import_module("usdsim.envs").DirectRLEnv
    return {**_NAMES, env: {"set_debug_vis": _set_debug_vis}}


def add_private_names() -> None:
    """Give classes the names."""
    for owner, names in _named().items():
        for name, value in names.items():
            setattr(owner, name, value)


def remove_private_names() -> None:
    """Take the names away."""
    for owner, names in _named().items():
        for name in names:
            delattr(owner, name)
