"""Sleep policies on devices, which know only those that the engine chooses by itself."""

from __future__ import annotations

import copy
import logging

import mujoco
import numpy as np

from usdsim.engine.compile.pipeline import CompiledModel

__all__ = ["automatic_policies"]

logger = logging.getLogger("usdsim")

_POLICY = mujoco.mjtSleepPolicy
_AUTOMATIC = {
    int(_POLICY.mjSLEEP_NEVER): int(_POLICY.mjSLEEP_AUTO_NEVER),
    int(_POLICY.mjSLEEP_ALLOWED): int(_POLICY.mjSLEEP_AUTO_ALLOWED),
    int(_POLICY.mjSLEEP_INIT): int(_POLICY.mjSLEEP_AUTO_ALLOWED),
}
"""Policy of a tree on a device by that on the CPU."""


def automatic_policies(compiled: CompiledModel, model: mujoco.MjModel) -> mujoco.MjModel:
    """The model with policies that devices know; itself where it has no others.

    What is to start asleep starts awake, with a warning.

    Args:
        compiled: names its elements.
        model: the model, or a copy of it.
    """
    policies = model.tree_sleep_policy
    if not np.isin(policies, list(_AUTOMATIC)).any():
        return model
    for tree in np.flatnonzero(policies == _POLICY.mjSLEEP_INIT):
        body = int(model.tree_bodyadr[tree])
        path = compiled.names.paths("body")[body] or compiled.names.names("body")[body]
        logger.warning(
            "%s: starts awake on this device; only the CPU lets bodies start asleep", path
        )
    found = copy.copy(model)
    found.tree_sleep_policy[:] = [_AUTOMATIC.get(policy, policy) for policy in policies.tolist()]
    return found
