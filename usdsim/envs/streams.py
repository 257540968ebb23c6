"""Random numbers, a stream for each environment: what one draws does not depend on the others.

A number is a hash (PCG) of the seed, the environment, and how many numbers it drew before, so the
same seed gives the same numbers whatever happens elsewhere, and on every device.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
import warp as wp

from usdsim.core.errors import InvalidValueError
from usdsim.engine.device import init

from .kernels import draw

__all__ = ["Streams"]

_UNIFORM, _NORMAL = 0, 1


class Streams:
    """A stream of random numbers for each environment.

    Args:
        num_envs: number of environments.
        device: where numbers are drawn.
        seed: of all streams.
    """

    def __init__(self, num_envs: int, device: str, seed: int):
        init()
        self._device = device
        self._every = torch.arange(num_envs, device=device)
        self._counters = torch.zeros(num_envs, dtype=torch.int32, device=device)
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start all streams anew."""
        mixed = np.random.SeedSequence(int(seed)).generate_state(1, np.uint32)
        self._seed = int(mixed.view(np.int32)[0])
        self._counters.zero_()

    def state_dict(self) -> dict[str, Any]:
        """State of the streams; see `load_state_dict`."""
        return {"seed": self._seed, "counters": self._counters.clone()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue where streams were."""
        self._seed = int(state["seed"])
        self._counters.copy_(state["counters"])

    def uniform(
        self,
        low: Any,
        high: Any,
        size: int | Sequence[int] = (),
        env_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Numbers from intervals.

        Args:
            low: lower ends, numbers or tensors that fit the shape.
            high: upper ends.
            size: shape of what is drawn for an environment.
            env_ids: environments; None: all.

        Returns:
            Shape (environments, size), in [low, high).
        """
        return self._drawn(_UNIFORM, size, env_ids) * (high - low) + low

    def between(
        self,
        interval: Sequence[float],
        size: int | Sequence[int] = (),
        env_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Numbers from one interval; see `uniform`.

        Raises:
            InvalidValueError: the interval is not two numbers.
        """
        return self.uniform(*_ends(interval), size, env_ids)

    def within(
        self, intervals: Iterable[Sequence[float]], env_ids: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Numbers from several intervals, shape (environments, intervals); see `uniform`.

        Raises:
            InvalidValueError: an interval is not two numbers.
        """
        ends = [_ends(interval) for interval in intervals]
        limits = torch.tensor(ends, device=self._device)
        return self.uniform(limits[:, 0], limits[:, 1], len(ends), env_ids)

    def normal(
        self,
        mean: Any = 0.0,
        std: Any = 1.0,
        size: int | Sequence[int] = (),
        env_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Normally distributed numbers; see `uniform`."""
        return self._drawn(_NORMAL, size, env_ids) * std + mean

    def log_uniform(
        self,
        low: Any,
        high: Any,
        size: int | Sequence[int] = (),
        env_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Numbers whose logarithms are uniform, from intervals above 0; see `uniform`."""
        logs = [v.log() if isinstance(v, torch.Tensor) else math.log(v) for v in (low, high)]
        return self.uniform(logs[0], logs[1], size, env_ids).exp()

    def integers(
        self,
        low: int,
        high: int,
        size: int | Sequence[int] = (),
        env_ids: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Whole numbers from [low, high), int64; see `uniform`."""
        spread = self._drawn(_UNIFORM, size, env_ids) * (high - low)
        return spread.to(torch.int64).clamp(max=max(high - low - 1, 0)) + low

    def _ids(self, env_ids: Any) -> torch.Tensor:
        """Environments by index, int64; None: all. Indices, slices and masks are as torch's."""
        if env_ids is None or isinstance(env_ids, slice):
            return self._every[env_ids or slice(None)]
        given = torch.as_tensor(env_ids, device=self._device)
        return self._every[given if given.dtype == torch.bool else given.to(torch.int64)]

    def _drawn(
        self, kind: int, size: int | Sequence[int], env_ids: torch.Tensor | None
    ) -> torch.Tensor:
        shape = (size,) if isinstance(size, int) else tuple(size)
        ids = self._ids(env_ids)
        columns = math.prod(shape)
        values = torch.empty((len(ids), columns), device=self._device)
        if values.numel():
            wp.launch(
                draw,
                dim=(len(ids), columns),
                inputs=[
                    self._seed,
                    kind,
                    wp.from_torch(ids.contiguous(), dtype=wp.int64),
                    wp.from_torch(self._counters),
                ],
                outputs=[wp.from_torch(values)],
                device=self._device,
            )
            if env_ids is None:
                self._counters += columns
            else:
                self._counters[ids] += columns
        return values.reshape(len(ids), *shape)


def _ends(interval: Any) -> tuple[float, float]:
    """The two ends of an interval, in the order given."""
    try:
        low, high = map(float, interval)
    except (TypeError, ValueError) as error:
        what, allowed = "interval of random numbers", "two numbers, the smallest and the largest"
        raise InvalidValueError(what, interval, allowed) from error
    return low, high
