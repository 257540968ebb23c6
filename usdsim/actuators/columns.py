"""Model columns: the arrays actuator models work on, a column per joint."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

__all__ = ["ModelColumns"]

_ROWS = ("table_positions", "table_efforts")
"""Fields without a column per joint."""
_DRAWN = ("least_lag", "most_lag", "seed", "stream")
_OF_JOINTS = ("flags", "saturation", "table_start", "table_size", *_DRAWN)
"""Fields that are the same in all worlds."""
_INTEGERS = ("flags", "table_start", "table_size", "lag", "pushes", "draws", *_DRAWN)


@dataclass(kw_only=True, eq=False)
class ModelColumns:
    """Parameters and state of the models of some joints, on a device."""

    flags: Any
    """Law of each joint's model: bits of `usdsim.actuators.kernels`, shape (n,)."""
    stiffness: Any
    """Stiffness [N m/rad or N/m], shape (num_envs, n)."""
    damping: Any
    """Damping [N m s/rad or N s/m], shape (num_envs, n)."""
    effort_limit: Any
    """Effort limit [N m or N], shape (num_envs, n)."""
    velocity_limit: Any
    """Velocity limit [rad/s or m/s], shape (num_envs, n)."""
    saturation: Any
    """Effort of a DC motor at rest [N m or N], shape (n,)."""
    table_start: Any
    """Start of each joint's table of effort limits, shape (n,)."""
    table_size: Any
    """Entries of each joint's table, shape (n,)."""
    table_positions: Any
    """Joint positions of the tables, one after the other [rad or m]."""
    table_efforts: Any
    """Effort limits at these [N m or N]."""
    lag: Any
    """Delay of the commands [steps], shape (num_envs, n)."""
    least_lag: Any
    """Least delay that is drawn [steps], shape (n,)."""
    most_lag: Any
    """Largest delay that is drawn [steps], shape (n,)."""
    seed: Any
    """Seeds of the delays that are drawn, shape (n,)."""
    stream: Any
    """Random sequence that is drawn from: that of the model, shape (n,)."""
    draws: Any
    """Number of delays drawn since the seed was set, shape (num_envs, n)."""
    pushes: Any
    """Commands pushed since the reset, up to twice the length of the past, shape (num_envs, n)."""
    past_position: Any
    """Ring of position targets [rad or m], shape (length, num_envs, n)."""
    past_velocity: Any
    """Ring of velocity targets [rad/s or m/s], shape (length, num_envs, n)."""
    past_effort: Any
    """Ring of efforts [N m or N], shape (length, num_envs, n)."""
    network: Any
    """Effort a network makes [N m or N], shape (num_envs, n)."""
    computed: Any
    """Effort before limits [N m or N], shape (num_envs, n)."""
    applied: Any
    """Effort within limits [N m or N], shape (num_envs, n)."""

    @property
    def num_envs(self) -> int:
        """Number of worlds."""
        return int(self.stiffness.shape[0])

    @property
    def num_joints(self) -> int:
        """Number of joints."""
        return int(self.stiffness.shape[1])

    @classmethod
    def create(
        cls, num_envs: int, num_joints: int, device: str, values: dict[str, NDArray[Any]]
    ) -> ModelColumns:
        """Allocate, with zeros where no values are given.

        Args:
            num_envs: number of worlds.
            num_joints: number of joints.
            device: where to allocate.
            values: initial values by field; rings of delayed commands have their own shape.
        """
        shapes: dict[str, tuple[int, ...]] = {
            **dict.fromkeys(_OF_JOINTS, (num_joints,)),
            **dict.fromkeys(("past_position", "past_velocity", "past_effort"), (0, num_envs, 0)),
            **dict.fromkeys(_ROWS, (0,)),
        }
        arrays = {}
        for field in dataclasses.fields(cls):
            dtype = wp.int32 if field.name in _INTEGERS else wp.float32
            value = values.get(field.name)
            if value is None:
                shape = shapes.get(field.name, (num_envs, num_joints))
                arrays[field.name] = wp.zeros(shape, dtype=dtype, device=device)
            else:
                arrays[field.name] = wp.array(value, dtype=dtype, device=device)
        return cls(**arrays)

    @classmethod
    def join(cls, parts: Sequence[ModelColumns], device: str) -> ModelColumns:
        """The columns of several models in one set of arrays, with their values."""
        values: dict[str, NDArray[Any]] = {}
        length = max((part.past_position.shape[0] for part in parts), default=0)
        tables = 0
        starts = []
        for part in parts:
            starts.append(part.table_start.numpy() + tables)
            tables += part.table_positions.shape[0]
        for field in dataclasses.fields(cls):
            name = field.name
            pieces = [getattr(part, name).numpy() for part in parts]
            if name.startswith("past_"):
                pieces = [_ring(part, length) for part in parts]
            elif name == "table_start":
                pieces = starts
            elif name == "stream":
                pieces = [np.full_like(piece, i) for i, piece in enumerate(pieces)]
            elif name in ("pushes", "draws"):
                pieces = [np.zeros_like(piece) for piece in pieces]
            values[name] = np.concatenate(pieces, axis=-1)
        num_envs = parts[0].num_envs
        return cls.create(num_envs, sum(part.num_joints for part in parts), device, values)

    def reseed(self, seed: int | None) -> None:
        """Start the random delays anew; None: with other ones in every run."""
        drawn = np.random.default_rng(seed).integers(2**31, dtype=np.int32)
        self.seed.fill_(int(drawn))
        self.draws.zero_()

    def view(self, first: int, stop: int) -> ModelColumns:
        """View of some columns, which shares their memory."""
        parts = {}
        for field in dataclasses.fields(self):
            array = getattr(self, field.name)
            if field.name in _ROWS or not array.size:
                parts[field.name] = array
            else:
                parts[field.name] = array[(slice(None),) * (array.ndim - 1) + (slice(first, stop),)]
        return ModelColumns(**parts)


def _ring(part: ModelColumns, length: int) -> NDArray[np.float32]:
    """An empty ring: joining models starts their past anew."""
    return np.zeros((length, part.num_envs, part.num_joints), dtype=np.float32)
