"""Actuator pipeline: models over fixed arrays, with launches recorded once."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, Protocol

import numpy as np
import warp as wp

from usdsim.views.copies.device_selection import DeviceSelection

from .columns import ModelColumns
from .kernels import DELAYED, apply_models, reset_models

__all__ = ["Launchable", "NetworkRunner", "Pipeline", "nothing_put_off"]


def nothing_put_off() -> None:
    """Nothing to do: efforts are made at once."""


class Launchable(Protocol):
    """Work that is done again and again: a recorded launch, or a call."""

    def launch(self) -> None:
        """Do the work once."""
        ...


class NetworkRunner(Protocol):
    """Evaluates a network, or a law of the user's, for the joints of one model."""

    @property
    def recordable(self) -> bool:
        """Whether kernels alone evaluate it, so that a graph can."""
        ...

    def record(self, inputs: Sequence[Any], joints: Any, effort_out: Any) -> list[Launchable]:
        """Launches for some joints.

        Args:
            inputs: of all joints, each of shape (num_envs, joints): targets of position, velocity
                and effort, positions and velocities.
            joints: the joints' columns in them.
            effort_out: where their efforts go, shape (num_envs, these joints).
        """
        ...

    def reset(self, worlds: DeviceSelection) -> None:
        """Forget the past of some worlds."""
        ...


class Pipeline:
    """Models over arrays of some articulation's joints.

    Args:
        columns: parameters and state of all models.
        joints: joint each column belongs to, as column of the arrays that are computed on.
        networks: networks with the columns they belong to, as first and end.
        device: where it runs.

    Attributes:
        remembers: whether any model has a past that `reset` forgets.
    """

    def __init__(
        self,
        columns: ModelColumns,
        joints: Sequence[int],
        networks: Sequence[tuple[NetworkRunner, int, int]],
        device: str,
    ):
        self._columns, self._networks, self._device = columns, networks, device
        self._joints = wp.array(np.asarray(joints, dtype=np.int32), dtype=wp.int32, device=device)
        delayed = bool((columns.flags.numpy() & DELAYED).any())
        self.remembers = delayed or len(self._networks) > 0
        self._bound: tuple[Any, ...] = ()
        self._launches: list[Launchable] = []

    def compute(self, *arrays: Any) -> None:
        """Run all models once; arrays seen last time cost no preparation.

        Args:
            *arrays: float32 arrays of shape (num_envs, joints): targets of position, velocity and
                effort, joint positions and velocities; then outputs: position, velocity and effort
                commands, computed and applied effort.
        """
        if not self.is_bound(arrays):
            self._record(arrays)
        for launch in self._launches:
            launch.launch()

    def is_bound(self, arrays: tuple[Any, ...]) -> bool:
        """Whether the last call was for these very arrays."""
        bound = self._bound
        return len(bound) == len(arrays) and all(map(is_, bound, arrays))

    def reset(self, worlds: DeviceSelection) -> None:
        """Forget what was commanded in some worlds, and draw their delays."""
        columns = self._columns
        count, joints = worlds.size((columns.num_envs, columns.num_joints))
        if not count:
            return
        wp.launch(
            reset_models,
            dim=(count, joints),
            inputs=[
                columns.seed, columns.stream, columns.least_lag, columns.most_lag,
                worlds.rows, worlds.row_mask,
            ],
            outputs=[columns.draws, columns.pushes, columns.lag],
            device=self._device,
        )  # fmt: skip
        for network, _, _ in self._networks:
            network.reset(worlds)

    def _record(self, arrays: tuple[Any, ...]) -> None:
        columns = self._columns
        launches: list[Launchable] = []
        for network, first, stop in self._networks:
            output = columns.network[:, first:stop]
            launches += network.record(arrays[:5], self._joints[first:stop], output)
        if columns.num_joints:
            launches.append(self._record_models(arrays))
        self._launches, self._bound = launches, arrays

    def _record_models(self, arrays: tuple[Any, ...]) -> Launchable:
        columns = self._columns
        lanes = 1 if self._device == "cpu" else columns.num_joints
        return wp.launch(
            apply_models,
            dim=(columns.num_envs, lanes),
            inputs=[
                lanes, columns.flags, self._joints, columns.stiffness, columns.damping,
                columns.effort_limit, columns.velocity_limit, columns.saturation,
                columns.table_start, columns.table_size, columns.table_positions,
                columns.table_efforts, columns.lag, *arrays[:5], columns.network,
            ],
            outputs=[
                columns.pushes, columns.past_position, columns.past_velocity, columns.past_effort,
                *arrays[5:], columns.computed, columns.applied,
            ],
            device=self._device,
            record_cmd=True,
        )  # fmt: skip
