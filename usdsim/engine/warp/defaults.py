"""Default states: rows that worlds on a Warp device return to."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.initial_worlds import InitialWorlds
from usdsim.engine.parameters.warp import WarpParameters
from usdsim.engine.versions import Versions

from .worlds import STATE_FIELDS, WarpWorlds

__all__ = ["WarpDefaults"]

_KEYFRAME = {
    "act": "key_act",
    "ctrl": "key_ctrl",
    "mocap_pos": "key_mpos",
    "mocap_quat": "key_mquat",
    "plastic": "key_plastic",
    "qpos": "key_qpos",
    "qvel": "key_qvel",
    "time": "key_time",
}
"""State fields, and the parameters that keyframes keep them in."""


class WarpDefaults:
    """State fields of the initial state and of keyframes, on the device.

    A field has one row for all worlds unless their initial states or keyframes differ.

    Args:
        compiled: the model.
        worlds: the device's model and data.
        initial: initial states of the worlds.
        parameters: the device's, with keyframes of the worlds.
        versions: the engine's.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        worlds: WarpWorlds,
        initial: InitialWorlds,
        parameters: WarpParameters,
        versions: Versions,
    ):
        self._compiled, self._worlds, self._initial = compiled, worlds, initial
        self._parameters, self._versions = parameters, versions
        self._rows: dict[int, dict[str, wp.array]] = {}
        self._sources: dict[str, Any] = {}
        self._seen = versions.parameters

    def rows(self, keyframe: int) -> dict[str, wp.array]:
        """Rows by field, in the form of `WarpWorlds.rows`; -1: of the initial state."""
        if self._seen != self._versions.parameters:
            self._seen = self._versions.parameters
            self._rows = {key: known for key, known in self._rows.items() if key < 0}
        rows = self._rows.get(keyframe)
        if rows is None:
            rows = self._rows[keyframe] = self._engine_rows(keyframe)
        if keyframe < 0:
            self._follow(rows)
        return rows

    def _engine_rows(self, keyframe: int) -> dict[str, wp.array]:
        model = self._compiled.mj
        data = mujoco.MjData(model)
        if keyframe >= 0:
            mujoco.mj_resetDataKeyframe(model, data, keyframe)
        known = set(self._worlds.names())
        found = {}
        for name in (*STATE_FIELDS, "time"):
            values = np.atleast_1d(getattr(data, name))
            if name in known and values.size:
                found[name] = self._row(name, self._of_worlds(name, keyframe, values[None]))
        return found

    def _of_worlds(self, name: str, keyframe: int, shared: NDArray[Any]) -> NDArray[Any]:
        """A field of a keyframe: one row, or one for each world where they differ."""
        if keyframe < 0 or name not in _KEYFRAME or not self._parameters.written:
            return shared
        values = self._parameters.read(_KEYFRAME[name])[:, keyframe]
        if values.size != len(values) * shared.size:
            return shared
        return values[:1] if (values == values[:1]).all() else values

    def _follow(self, rows: dict[str, wp.array]) -> None:
        """Adopt initial states that changed since the last call."""
        for name in vars(self._compiled.initial):
            values = self._initial.read(name)
            if not values.size or values.base is self._sources.get(name):
                continue
            self._sources[name] = values.base
            shared = values[:1] if values.strides[0] == 0 else values
            new = self._row(name, shared)
            if rows[name].shape == new.shape:
                wp.copy(rows[name], new)
            else:
                rows[name] = new
                self._worlds.generation += 1

    def _row(self, name: str, values: NDArray[Any]) -> wp.array:
        like = self._worlds.array(name).numpy().dtype
        word, words = (np.uint8, wp.uint8) if like == np.bool_ else (np.int32, wp.int32)
        flat = np.ascontiguousarray(values, dtype=like).reshape(len(values), -1)
        return wp.array(flat.view(word), dtype=words, device=self._worlds.device)
