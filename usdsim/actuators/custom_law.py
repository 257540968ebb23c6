"""Custom laws: models whose `compute` says in Python what effort their joints get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import warp as wp

from usdsim.core.errors import InvalidValueError
from usdsim.views.copies.device_selection import DeviceSelection
from usdsim.views.usable import usable

from .actions import ArticulationActions
from .kernels import take_columns
from .pipeline import Launchable

if TYPE_CHECKING:
    from .base import ActuatorBase

__all__ = ["CustomLaw"]


class CustomLaw:
    """Asks a model's own `compute` for its efforts, where others have kernels or a network.

    Args:
        model: the model.
        forgets: whether it has a `reset` of its own.
    """

    recordable = False

    def __init__(self, model: ActuatorBase, *, forgets: bool):
        self._model, self._forgets = model, forgets

    def record(self, inputs: Sequence[Any], joints: Any, effort_out: Any) -> list[Launchable]:
        """Launches of one evaluation; see `NetworkRunner`."""
        return [_Call(self._model, inputs, joints, effort_out)]

    def reset(self, worlds: DeviceSelection) -> None:
        """Tell the model, if it has something to forget."""
        if self._forgets:
            self._model.reset(worlds)


class _Call:
    """One evaluation: the joints' columns go in, the effort comes out."""

    def __init__(self, model: ActuatorBase, inputs: Sequence[Any], joints: Any, effort_out: Any):
        self._model, self._out = model, effort_out
        self._own = [usable(wp.zeros_like(effort_out)) for _ in inputs]
        self._gathers = [
            wp.launch(
                take_columns,
                dim=effort_out.shape,
                inputs=[source, joints],
                outputs=[own],
                device=effort_out.device,
                record_cmd=True,
            )
            for source, own in zip(inputs, self._own, strict=True)
        ]

    def launch(self) -> None:
        """Evaluate the law on the present columns."""
        for gather in self._gathers:
            gather.launch()
        model = self._model
        position, velocity, effort, joint_pos, joint_vel = self._own
        action = ArticulationActions(
            joint_positions=position,
            joint_velocities=velocity,
            joint_efforts=effort,
            joint_indices=model.joint_indices,
        )
        result = model.compute(action, joint_pos, joint_vel)
        efforts = getattr(result, "joint_efforts", None)
        if efforts is None:
            raise InvalidValueError(
                f"result of compute() of {model.title}", result,
                "ArticulationActions with joint_efforts",
            )  # fmt: skip
        model.load("joint_efforts", self._out, efforts)
