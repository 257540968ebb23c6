"""Snapshots: the full state of worlds, for stopping here and going on there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import of_kind
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine.fields import STATE
from usdsim.scene.checks import require_finite, unit_quaternion

from .indices import select_worlds

if TYPE_CHECKING:
    from .layout import StateLayout

__all__ = ["STATE_FIELDS", "SceneState", "check_state"]

STATE_FIELDS = tuple(sorted(STATE))
"""The engine's names of what makes up a state."""
_ORDER = "w, x, y, z"


@dataclass(frozen=True)
class SceneState:
    """Everything that decides how worlds go on, but for parameters and options.

    Get one from `SceneData.get_state`. Worlds that get it back go on exactly as those it was taken
    from: bit by bit, or where bodies slept to within what they creep before they sleep again, as
    sleep is no part of it.
    """

    arrays: Mapping[str, NDArray[np.float64]]
    """By the engine's name and in its layout, quaternions w, x, y, z; each of shape (*B, ...).

    Time, positions, velocities, activations, controls, mocap poses, forces in waiting, active
    equalities, delayed signals, and what the constraint solver starts from.
    """
    shape: tuple[int, ...]
    """Batch shape *B of the data it was taken from."""
    pushed: bool = False
    """Whether external forces wait for the next step."""
    noise_seed: int | None = None
    """Seed of the sensors' noise; None: they had none."""
    noise_steps: NDArray[np.uint64] | None = None
    """Steps of the noise of each world, shape (*B,)."""

    def __getitem__(self, index: Any) -> SceneState:
        """The state of some of the worlds.

        Args:
            index: as for `SceneData`: a world, a slice, a mask, integers or `DisjointIndices`.
        """
        rows, shape = select_worlds(index, self.shape)
        arrays = {name: np.array(values[rows]) for name, values in self.arrays.items()}
        steps = None if self.noise_steps is None else np.array(self.noise_steps[rows])
        return SceneState(arrays, shape, self.pushed, self.noise_seed, steps)

    def __repr__(self) -> str:
        return f"<SceneState {self.shape} with {len(self.arrays)} arrays>"


def check_state(
    layout: StateLayout,
    sizes: Mapping[str, tuple[int, ...]],
    state: Any,
    batch: tuple[int, ...],
    worlds: NDArray[np.intp],
) -> None:
    """Raise unless a state fits some worlds.

    Args:
        layout: order of the degrees of freedom.
        sizes: shape of each array for one world.
        state: what was given.
        batch: shape of the data it is for.
        worlds: ids of the worlds, for messages.

    Raises:
        ShapeError: it has another number of worlds, or arrays of other sizes.
        InvalidValueError: it is no state, or holds NaN, infinity or quaternions of another length.
    """
    of_kind("state", state, SceneState, "a SceneState; SceneData.get_state() gives one")
    if state.shape not in ((), batch):
        raise ShapeError("state", state.shape, f"() or {batch}" if batch else "()")
    if set(state.arrays) != set(sizes):
        odd = sorted(set(state.arrays) ^ set(sizes))
        raise InvalidValueError("arrays of the state", odd, "exactly those of get_state()")
    rows = worlds if state.shape else None
    for name, values in state.arrays.items():
        if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
            raise InvalidValueError(f"{name} of the state", values, "an array of real numbers")
        expected = (*state.shape, *sizes[name])
        if values.shape != expected:
            raise ShapeError(
                f"{name} of the state", values.shape, f"{expected}", "Is it of this model?"
            )
        require_finite(values, sizes[name], f"{name} of the state", rows)
    for start in layout.quaternions(slice(0, sizes["qpos"][0])):
        what = f"quaternion of {layout.pos_title(start)} in the state"
        unit_quaternion(state.arrays["qpos"][..., start : start + 4], what, rows, _ORDER)
    for body in range(sizes["mocap_quat"][0]):
        what = f"quaternion of mocap body {body} in the state"
        unit_quaternion(state.arrays["mocap_quat"][..., body, :], what, rows, _ORDER)
