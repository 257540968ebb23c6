"""Policies by import path or file, as jobs name them, and what their functions return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.core.functions import find_function
from usdsim.learning.exported import READERS
from usdsim.learning.policy import load_policy

__all__ = ["Policy", "acted", "find_policy", "per_episode"]

Array = NDArray[np.float64]
Policy = Callable[[Array, float], Array]
"""Observations, shape (episodes, num_observations), and the time [s] to controls, shape
(episodes, num_ctrls)."""
_NETWORKS = (".npz", *READERS)
"""Suffixes of the files of networks."""


def find_policy(policy: str, options: Mapping[str, Any]) -> Policy:
    """A policy by import path, or the network in an ``.npz``, TorchScript or ONNX file.

    Args:
        policy: ``package.module:function``, or the path of a file.
        options: keyword arguments of the function; a network takes none.

    Raises:
        InvalidValueError: the function cannot be imported, or a network has options.
        FileError: the file cannot be read, or is no network.
        UnsupportedError: TorchScript without torch, or ONNX without its runtime.
    """
    if Path(policy).suffix not in _NETWORKS:
        return partial(find_function(policy, "policy of the job"), **options)
    if options:
        raise InvalidValueError("policy_options", dict(options), "none: the policy is a network")
    network = load_policy(policy)
    return lambda observation, time: np.asarray(network(observation), np.float64)


def acted(policy: Policy, name: str, observation: Array, time: float, count: int) -> Array:
    """Actions that a policy decides, shape (episodes, count).

    Raises:
        InvalidValueError: it has another shape, or is not finite.
    """
    controls = np.asarray(policy(observation.copy(), time), dtype=np.float64)
    shape = (len(observation), count)
    if controls.shape != shape or not np.isfinite(controls).all():
        raise InvalidValueError(
            f"controls of policy {name!r} at {time:g} s",
            f"shape {controls.shape}, finite {bool(np.isfinite(controls).all())}",
            f"finite numbers of shape {shape}",
        )
    return controls


def per_episode(what: str, path: str, values: Any, count: int, kind: Any) -> NDArray[Any]:
    """Result of a function, a finite value per episode.

    Raises:
        InvalidValueError: it is something else.
    """
    found = np.asarray(values)
    if found.shape != (count,) or not np.isfinite(found.astype(np.float64)).all():
        raise InvalidValueError(
            f"{what} of {path!r}", f"shape {found.shape}", f"finite values of shape ({count},)"
        )
    return found.astype(kind)
