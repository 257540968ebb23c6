"""Tensors over the arrays of a scene, and the checks of what terms return."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar

import torch
import warp as wp

from usdsim.core.errors import InvalidValueError, ShapeError, SimulationError
from usdsim.views.usable import UsableArray

__all__ = [
    "check_finite",
    "check_rows",
    "check_shape",
    "environment_ids",
    "outside_autograd",
    "tensor",
    "threads",
]

F = TypeVar("F", bound=Callable[..., Any])


def outside_autograd(function: F) -> F:
    """Decorator of an environment's methods: no gradients, whatever mode the caller is in.

    Tensors that are kept from one call to the next are ordinary ones then, even if the first call
    was made in inference mode. torch takes as many threads as the configuration says.
    """

    @wraps(function)
    def wrapped(env: Any, *arguments: Any, **named: Any) -> Any:
        with torch.inference_mode(False), torch.no_grad(), threads(env.cfg.torch_threads):
            return function(env, *arguments, **named)

    return wrapped  # type: ignore[return-value]


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Context in which torch has a number of CPU threads; None: as many as it has anyway."""
    before = torch.get_num_threads()
    # Other pools of threads than OpenMP's are made once and keep their size.
    if count is None or count == before or not torch.backends.openmp.is_available():
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def tensor(values: Any) -> torch.Tensor:
    """The tensor over an array's memory; tensors are returned as they are.

    Raises:
        InvalidValueError: no tensor can be made of the values.
    """
    if isinstance(values, UsableArray):
        return values.torch
    if isinstance(values, wp.array):
        return wp.to_torch(values)
    try:
        return values if isinstance(values, torch.Tensor) else torch.as_tensor(values)
    except (TypeError, RuntimeError, ValueError) as error:
        allowed = "a tensor, an array or numbers"
        raise InvalidValueError("what should be a tensor", values, allowed, f"{error}.") from error


def environment_ids(env_ids: Any, num_envs: int, device: str) -> torch.Tensor:
    """Indices of environments.

    Args:
        env_ids: indices, a slice or a mask; None: all.
        num_envs: number of environments.
        device: where the indices go.

    Raises:
        InvalidValueError: there is no such environment, or one is named twice.
    """
    if env_ids is None or isinstance(env_ids, slice):
        every = torch.arange(num_envs, device=device)
        return every if env_ids is None else every[env_ids]
    ids = torch.as_tensor(env_ids, device=device)
    if ids.dtype == torch.bool:
        if ids.shape != (num_envs,):
            raise ShapeError("mask of environments", ids.shape, f"({num_envs},)")
        return ids.nonzero().flatten()
    ids = ids.flatten().to(torch.int64)
    if len(ids) and (int(ids.min()) < 0 or int(ids.max()) >= num_envs):
        raise InvalidValueError("env_ids", ids.tolist(), f"indices from 0 to {num_envs - 1}")
    if len(ids.unique()) != len(ids):
        raise InvalidValueError("env_ids", ids.tolist(), "every environment once")
    return ids


def check_rows(
    what: str, values: Any, shape: tuple[int, ...], device: str | None = None
) -> torch.Tensor:
    """Return a term's result, if it is a tensor of the shape it has to have.

    Args:
        what: what it is, for messages.
        values: the result.
        shape: the shape.
        device: of tensors that are made of one number or truth value for all; None: the result has
            to be a tensor.

    Raises:
        InvalidValueError: it is no tensor.
        ShapeError: its shape is another.
    """
    if isinstance(values, wp.array):
        values = tensor(values)
    if isinstance(values, bool | int | float) and device is not None:
        values = torch.full(shape, values, device=device)
    if not isinstance(values, torch.Tensor):
        raise InvalidValueError(what, values, f"a tensor of shape {shape}")
    if tuple(values.shape) != shape:
        raise ShapeError(what, values.shape, f"{shape}: a row for each environment")
    return values


def check_shape(what: str, values: torch.Tensor, space: Any, *, strict: bool = True) -> None:
    """Refuse a batch that has another shape than its space; spaces without one take any.

    Args:
        what: what it is, for messages.
        values: the batch.
        space: its space.
        strict: whether it is refused, rather than told of once.

    Raises:
        ShapeError: the shape is another, and `strict`.
    """
    if space.shape and tuple(values.shape) != tuple(space.shape):
        error = ShapeError(what, values.shape, f"{tuple(space.shape)}")
        if strict:
            raise error
        warnings.warn(str(error), stacklevel=2)


def check_finite(what: str, values: torch.Tensor) -> None:
    """Refuse values that are not finite.

    Raises:
        SimulationError: one is not; the message names the environment and the value.
    """
    bad = ~torch.isfinite(values)
    if not bool(bad.any()):
        return
    place = bad.nonzero()[0].tolist()
    value = float(values[tuple(place)])
    column = "".join(f"[{i}]" for i in place[1:])
    worlds = bad.flatten(1).any(1).nonzero() if bad.ndim > 1 else bad.nonzero()
    raise SimulationError(
        f"{what}{column} of environment {place[0]} is {value}; it has to be finite. "
        f"{len(worlds)} of {len(values)} environments are concerned.",
        worlds=worlds.flatten().tolist(),
    )
