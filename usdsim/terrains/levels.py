"""Terrain levels of environments: who is on which piece, and who moves to a harder one."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike

from usdsim.core.arguments import on_host
from usdsim.core.errors import ShapeError
from usdsim.engine.device import init
from usdsim.views.copies.device_selection import device_array
from usdsim.views.usable import UsableArray, usable

from .kernels import move_levels

__all__ = ["TerrainLevels"]


class TerrainLevels:
    """Rows (levels) and columns (types) of terrain that environments are on.

    Args:
        origins: of the pieces [m], shape (rows, columns, 3).
        num_envs: number of environments; types are spread evenly over them.
        highest: highest level at the start; None: the last one.
        seed: of what is random.
        device: where arrays live.

    Attributes:
        terrain_levels: row of each environment, int64, shape (num_envs,).
        terrain_types: column of each environment, int64, shape (num_envs,).
        env_origins: origins of environments [m], float32, shape (num_envs, 3).
    """

    def __init__(
        self, origins: ArrayLike, num_envs: int, highest: int | None, seed: int, device: str
    ):
        places = np.asarray(origins, np.float32)
        if places.ndim != 3 or places.shape[2] != 3 or not places.size:
            raise ShapeError("terrain origins", places.shape, "(rows, columns, 3)")
        init()
        rows, columns = places.shape[:2]
        last = rows - 1 if highest is None else min(int(highest), rows - 1)
        levels = np.random.default_rng(seed).integers(0, last + 1, num_envs)
        types = np.arange(num_envs) * columns // num_envs
        self._device, self._seed = device, int(seed)
        self.terrain_origins = self._array(places, wp.float32)
        self.terrain_levels = self._array(levels, wp.int64)
        self.terrain_types = self._array(types, wp.int64)
        self.env_origins = self._array(places[levels, types], wp.float32)
        self._draws = self._array(np.zeros(num_envs), wp.int32)

    def move(self, env_ids: Any, up: Any, down: Any) -> None:
        """Move environments a level up or down; above the last one, to any.

        Args:
            env_ids: environments, shape (n,).
            up: which of them go up, shape (n,).
            down: which of them go down, shape (n,).
        """
        ids = self._given(env_ids, wp.int64)
        flags = self._given(up, wp.bool), self._given(down, wp.bool)
        for name, values in zip(("move_up", "move_down"), flags, strict=True):
            if values.shape != ids.shape:
                raise ShapeError(name, values.shape, str(ids.shape))
        if not ids.size:
            return
        wp.launch(
            move_levels,
            dim=ids.size,
            inputs=[ids, *flags, self.terrain_origins, self.terrain_types, self._seed],
            outputs=[self._draws, self.terrain_levels, self.env_origins],
            device=self._device,
        )

    def state_dict(self) -> dict[str, Any]:
        """State that outlives a process; see `load_state_dict`."""
        return {
            "levels": self.terrain_levels.numpy().tolist(),
            "draws": self._draws.numpy().tolist(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Put environments on the levels they were on.

        Raises:
            ShapeError: there are not as many environments.
        """
        levels = np.asarray(state["levels"], np.int64)
        if levels.shape != self.terrain_levels.shape:
            raise ShapeError("terrain levels", levels.shape, str(self.terrain_levels.shape))
        self.terrain_levels.assign(levels)
        self._draws.assign(np.asarray(state["draws"], np.int32))
        places = self.terrain_origins.numpy()[levels, self.terrain_types.numpy()]
        self.env_origins.assign(places)

    def _array(self, values: Any, dtype: Any) -> UsableArray:
        return usable(wp.array(values, dtype=dtype, device=self._device))

    def _given(self, values: Any, dtype: Any) -> UsableArray:
        ready = device_array(values, dtype, self._device)
        if ready is not None and ready.is_contiguous:
            return ready
        return wp.array(np.asarray(on_host(values)), dtype=dtype, device=self._device)
