"""Initial worlds: the state each world returns to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import UnknownNameError
from usdsim.engine.compile.initial import InitialState

from .indices import assign, checked_worlds

__all__ = ["InitialWorlds"]


class InitialWorlds:
    """Initial state of worlds: that of the model, until a world gets one of its own.

    Args:
        initial: of the model.
        num_envs: number of worlds.
    """

    def __init__(self, initial: InitialState, num_envs: int):
        self._num_envs = num_envs
        self._shared: dict[str, NDArray[np.float64]] = dict(vars(initial))
        self._own: dict[str, NDArray[np.float64]] = {}

    def read(self, field: str) -> NDArray[np.float64]:
        """A field of `InitialState` in every world, read-only, shape (num_envs, ...)."""
        own = self._own.get(field)
        if own is None:
            shared = self._shared[self._checked(field)]
            own = np.broadcast_to(shared, (self._num_envs, *shared.shape))
        view = own.view()
        view.flags.writeable = False
        return view

    def write(
        self,
        field: str,
        values: ArrayLike,
        env_ids: ArrayLike | None = None,
        ids: ArrayLike | None = None,
    ) -> None:
        """Change what worlds return to at their next reset.

        Args:
            field: of `InitialState`.
            values: what broadcasts to (worlds, elements, ...).
            env_ids: worlds, as indices or a mask; None: all.
            ids: positions along the field's second axis, as indices or a mask; None: all.

        Raises:
            UnknownNameError: there is no such field.
            ShapeError: the values do not fit; nothing is changed then.
        """
        worlds = checked_worlds(env_ids, self._num_envs)
        changed = np.array(self.read(field))
        assign(f"initial {field}", changed, values, worlds, ids)
        self._own[field] = changed

    def rows(
        self, worlds: NDArray[np.intp] | None, *, own: bool = False
    ) -> Iterator[tuple[str, NDArray[Any]]]:
        """Fields that are not empty, and what broadcasts to their values in some worlds.

        Args:
            worlds: their ids; None: all.
            own: leave out what is the model's in all worlds.
        """
        for field, shared in self._shared.items():
            values = self._own.get(field)
            if values is not None and values.size:
                yield field, values if worlds is None else values[worlds]
            elif shared.size and not own:
                yield field, shared

    def _checked(self, field: str) -> str:
        if field not in self._shared:
            raise UnknownNameError("initial state field", field, self._shared)
        return field
