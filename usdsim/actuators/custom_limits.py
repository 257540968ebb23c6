"""Custom limits: effort limits of a model, for classes that define others."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import warp as wp

from usdsim.views.usable import usable

from .kernels import DELAYED, DRIVEN, NETWORK
from .pipeline import Pipeline

if TYPE_CHECKING:
    from .base import ActuatorBase

__all__ = ["EffortLimits"]


class EffortLimits:
    """Limits of a model at the state it was given last.

    A law that is where it shall be adds nothing to the effort it is told to make, so that what it
    applies is that effort within its limits.

    Args:
        model: the model, whose columns are read when it is asked.
    """

    def __init__(self, model: ActuatorBase):
        columns, self._model = model.columns, model
        kind = model.kind & ~(DELAYED | DRIVEN | NETWORK)
        device = str(columns.flags.device)
        self._effort, *outputs = (usable(wp.zeros_like(columns.computed)) for _ in range(6))
        own = dataclasses.replace(
            columns, flags=wp.full_like(columns.flags, kind), computed=outputs[3],
            applied=outputs[4],
        )  # fmt: skip
        self._pipeline = Pipeline(own, range(columns.num_joints), [], device)
        self._outputs = tuple(outputs)

    def applied(self, effort: Any) -> Any:
        """An effort within the limits [N m or N], shape (num_envs, num_joints); a copy."""
        self._model.load("effort", self._effort, effort)
        _, _, _, position, velocity = self._model.inputs
        self._pipeline.compute(position, velocity, self._effort, position, velocity, *self._outputs)
        return usable(wp.clone(self._outputs[4]))
