"""Spaces of Gymnasium: shorthands, batches, and tensors of what they contain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.core.extras import library

if TYPE_CHECKING:
    import gymnasium
else:
    gymnasium = library("gymnasium", "an environment")
    library("gymnasium.vector.utils")

__all__ = ["AgentSpaces", "batch_space", "box", "gymnasium", "policy_action_space", "spec_to_space"]


def batch_space(space: gymnasium.Space[Any], count: int) -> gymnasium.Space[Any]:
    """The space of so many elements of a space."""
    return gymnasium.vector.utils.batch_space(space, count)


class AgentSpaces(gymnasium.spaces.Dict):  # type: ignore[misc,unused-ignore]
    """Spaces of agents in all environments, by name.

    Called with a name, it tells the space in one environment, as PettingZoo's environments do.

    Args:
        single: spaces of the agents in one environment.
        count: number of environments.
    """

    def __init__(self, single: Mapping[str, gymnasium.Space[Any]], count: int):
        super().__init__({name: batch_space(space, count) for name, space in single.items()})
        self._single = dict(single)

    def __call__(self, agent: str) -> gymnasium.Space[Any]:
        """The space of an agent in one environment."""
        return self._single[agent]


def box(shape: tuple[int, ...], limits: tuple[float, float] = (-math.inf, math.inf)) -> Any:
    """Numbers within limits, float32."""
    return gymnasium.spaces.Box(low=limits[0], high=limits[1], shape=shape, dtype=np.float32)


def spec_to_space(title: str, spec: Any) -> gymnasium.Space[Any]:
    """The space of a shorthand; see `DirectRLEnvCfg`.

    Raises:
        InvalidValueError: it is none.
    """
    if isinstance(spec, gymnasium.Space):
        return spec
    if isinstance(spec, int | np.integer) and not isinstance(spec, bool) and spec > 0:
        return box((int(spec),))
    if isinstance(spec, set) and len(spec) == 1:
        return gymnasium.spaces.Discrete(int(next(iter(spec))))
    if isinstance(spec, list) and spec:
        if all(isinstance(n, int) and n > 0 for n in spec):
            return box(tuple(spec))
        if all(isinstance(n, set) and len(n) == 1 for n in spec):
            return gymnasium.spaces.MultiDiscrete([int(next(iter(n))) for n in spec])
    if isinstance(spec, tuple) and spec:
        return gymnasium.spaces.Tuple(
            [spec_to_space(f"{title}[{i}]", s) for i, s in enumerate(spec)]
        )
    if isinstance(spec, Mapping) and spec:
        return gymnasium.spaces.Dict(
            {key: spec_to_space(f"{title}[{key!r}]", s) for key, s in spec.items()}
        )
    raise InvalidValueError(
        title, spec, "a Gymnasium space, a number above 0, a shape [n, ...], {n}, [{n}, ...], "
        "or a mapping or tuple of these",
    )  # fmt: skip


def policy_action_space(env: Any) -> gymnasium.spaces.Box:
    """Actions of one environment, if they are numbers.

    Raises:
        UnsupportedError: they are not.
    """
    space = env.single_action_space
    if not isinstance(space, gymnasium.spaces.Box):
        raise UnsupportedError(f"action space {space}: only actions that are numbers are supported")
    return space
