"""Spaces of Gymnasium: from short notations, sampled as tensors, written as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from usdsim.core.errors import InvalidValueError
from usdsim.envs.spaces import gymnasium, spec_to_space

__all__ = [
    "deserialize_space",
    "replace_env_cfg_spaces_with_strings",
    "replace_strings_with_env_cfg_spaces",
    "sample_space",
    "serialize_space",
    "spec_to_gym_space",
]

spaces = gymnasium.spaces
_FIELDS = (
    *("observation_space", "action_space", "state_space"),
    *("observation_spaces", "action_spaces"),
)


def spec_to_gym_space(spec: Any) -> gymnasium.Space[Any]:
    """The space of a short notation; see `DirectRLEnvCfg`."""
    return spec_to_space("space", spec)


def sample_space(
    space: gymnasium.Space[Any], device: str, batch_size: int = -1, fill_value: float | None = None
) -> Any:
    """A sample of a space as tensors.

    Args:
        space: the space.
        device: where tensors live.
        batch_size: number of rows; below 1: the space's own shape.
        fill_value: what all entries are; None: drawn.

    Returns:
        Tensors of shape (batch_size, ...), in tuples and mappings as the space is.
    """
    if isinstance(space, spaces.Tuple):
        return tuple(sample_space(part, device, batch_size, fill_value) for part in space)
    if isinstance(space, spaces.Dict):
        parts = space.spaces.items()
        return {name: sample_space(part, device, batch_size, fill_value) for name, part in parts}
    rows = np.stack([np.atleast_1d(space.sample()) for _ in range(max(batch_size, 1))])
    if isinstance(space, spaces.Box):
        rows = rows.reshape(-1, *space.shape)
    made = torch.as_tensor(rows if batch_size > 0 else rows[0], device=device)
    return made if fill_value is None else torch.full_like(made, fill_value)


def serialize_space(space: Any) -> str:
    """A space or its short notation as JSON; see `deserialize_space`."""
    return json.dumps(_plain(space))


def deserialize_space(string: str) -> Any:
    """The space, or the short notation of one, that `serialize_space` wrote.

    Raises:
        InvalidValueError: the text is of no space.
    """
    try:
        return _made(json.loads(string))
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidValueError("space", string, "what serialize_space writes") from error


def replace_env_cfg_spaces_with_strings(env_cfg: Any) -> Any:
    """Write the spaces of a configuration of an environment as text, in place; returns it."""
    return _replaced(env_cfg, serialize_space)


def replace_strings_with_env_cfg_spaces(env_cfg: Any) -> Any:
    """Read the spaces of a configuration of an environment from text, in place; returns it."""
    return _replaced(env_cfg, lambda v: deserialize_space(v) if isinstance(v, str) else v)


def _replaced(cfg: Any, change: Any) -> Any:
    for name in _FIELDS:
        value = getattr(cfg, name, None)
        if name.endswith("s") and isinstance(value, Mapping):
            setattr(cfg, name, {agent: change(part) for agent, part in value.items()})
        elif value is not None and not isinstance(value, type(...)):
            setattr(cfg, name, change(value))
    return cfg


def _plain(space: Any) -> Any:
    if isinstance(space, spaces.Box):
        bounds = {"low": space.low.tolist(), "high": space.high.tolist()}
        return {"Box": {**bounds, "shape": space.shape, "dtype": str(space.dtype)}}
    if isinstance(space, spaces.Discrete):
        return {"Discrete": int(space.n)}
    if isinstance(space, spaces.MultiDiscrete):
        return {"MultiDiscrete": space.nvec.tolist()}
    if isinstance(space, spaces.Tuple):
        return {"Tuple": [_plain(part) for part in space]}
    if isinstance(space, spaces.Dict):
        return {"Dict": {name: _plain(part) for name, part in space.spaces.items()}}
    if isinstance(space, set):
        return {"set": sorted(space)}
    if isinstance(space, tuple):
        return {"tuple": [_plain(part) for part in space]}
    if isinstance(space, list):
        return [_plain(part) for part in space]
    if isinstance(space, Mapping):
        return {"dict": {name: _plain(part) for name, part in space.items()}}
    return space


def _box(entry: Mapping[str, Any]) -> Any:
    kind = np.dtype(entry["dtype"])
    low, high = (np.array(entry[key], dtype=kind) for key in ("low", "high"))
    return spaces.Box(low, high, shape=tuple(entry["shape"]), dtype=kind.type)


_MADE = {
    "Box": _box,
    "Discrete": spaces.Discrete,
    "MultiDiscrete": lambda entry: spaces.MultiDiscrete(np.array(entry)),
    "Tuple": lambda entry: spaces.Tuple([_made(part) for part in entry]),
    "Dict": lambda entry: spaces.Dict({name: _made(part) for name, part in entry.items()}),
    "set": set,
    "tuple": lambda entry: tuple(_made(part) for part in entry),
    "dict": lambda entry: {name: _made(part) for name, part in entry.items()},
}
"""Readers by the key that `_plain` writes."""


def _made(entry: Any) -> Any:
    if isinstance(entry, list):
        return [_made(part) for part in entry]
    if isinstance(entry, Mapping):
        ((kind, content),) = entry.items()
        return _MADE[kind](content)
    return entry
