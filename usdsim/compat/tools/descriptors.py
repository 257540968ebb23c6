"""Descriptors of what terms read and write: accepted as decorators, and nothing reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from usdsim.compat.settings import Settings

__all__ = [
    "GenericActionIODescriptor",
    "GenericObservationIODescriptor",
    "generic_io_descriptor",
    "record_body_names",
    "record_dtype",
    "record_joint_names",
    "record_joint_pos_offsets",
    "record_joint_vel_offsets",
    "record_shape",
]


class GenericActionIODescriptor(Settings):
    """Description of a term of actions, of itself."""


class GenericObservationIODescriptor(Settings):
    """Description of a term of observations, of itself."""


def generic_io_descriptor(_func: Callable[..., Any] | None = None, **_: Any) -> Any:
    """Decorator of a term, with or without arguments; returns the term as it is."""
    return (lambda function: function) if _func is None else _func


def _recorded(*_: Any, **__: Any) -> None:
    """Nothing: where descriptors would be completed."""


record_body_names = record_dtype = record_joint_names = record_shape = _recorded
record_joint_pos_offsets = record_joint_vel_offsets = _recorded
