"""Episode data: values by key, a row for each record, which play back one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library

__all__ = ["EpisodeData"]


class EpisodeData:
    """Records of an episode of one environment.

    Attributes:
        data: values by key, mappings within mappings for keys with ``/``. While it is recorded, a
            list of rows stands for each key; after `pre_export` and in episodes that were loaded,
            a tensor with a row for each record.
        seed: seed of the environment, or None.
        env_id: index of the environment, or of a loaded episode the name of its task, or None.
        success: whether the episode succeeded, or None if nobody said.
        next_action_index: row of the actions that `get_next_action` gives next.
        next_state_index: row of the states that `get_next_state` gives next.
        next_joint_target_index: row of the targets that `get_next_joint_target` gives next.
    """

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.seed: int | None = None
        self.env_id: int | str | None = None
        self.success: bool | None = None
        self.next_action_index = 0
        self.next_state_index = 0
        self.next_joint_target_index = 0

    def is_empty(self) -> bool:
        """Whether nothing was recorded."""
        return not self.data

    def add(self, key: str, value: Any, clone: bool = True) -> None:
        """Record a row.

        Args:
            key: its name; parts are joined by ``/``.
            value: the row, or a mapping of such, whose names become parts of the key.
            clone: whether a copy of a tensor is kept, rather than itself.

        Raises:
            InvalidValueError: values stand where the key has a mapping, or the other way round.
        """
        if isinstance(value, Mapping):
            for name, row in value.items():
                self.add(f"{key}/{name}", row, clone)
            return
        *folders, last = key.split("/")
        place = self.data
        for folder in folders:
            place = place.setdefault(folder, {})
            if not isinstance(place, dict):
                raise _mixed(key, folder)
        rows = place.setdefault(last, [])
        if not isinstance(rows, list):
            raise _mixed(key, last)
        rows.append(value.clone() if clone and hasattr(value, "clone") else value)

    def pre_export(self) -> None:
        """Put the rows of each key together in a tensor, which takes no more rows."""
        torch = library("torch")

        def stacked(part: Any) -> Any:
            if isinstance(part, dict):
                return {name: stacked(inner) for name, inner in part.items()}
            return torch.stack(part) if isinstance(part, list) else part

        self.data = stacked(self.data)

    def get_initial_state(self) -> Any:
        """States of all assets at the beginning, with an axis of one environment; None without."""
        return self.data.get("initial_state")

    def get_action(self, action_index: int) -> Any:
        """Actions of a record, shape (actions,); None where there are no more."""
        return self._row("actions", lambda rows: rows[action_index], action_index)

    def get_next_action(self) -> Any:
        """Actions of the next record; None where there are no more."""
        return self._next("action", self.get_action)

    def get_state(self, state_index: int) -> Any:
        """States of all assets, with an axis of one environment; None where there are no more."""
        return self._row("states", lambda rows: rows[state_index : state_index + 1], state_index)

    def get_next_state(self) -> Any:
        """States of the next record; None where there are no more."""
        return self._next("state", self.get_state)

    def get_joint_target(self, joint_target_index: int) -> Any:
        """Targets of joints of a record, by name; None where there are no more."""
        return self._row("joint_targets", lambda rows: rows[joint_target_index], joint_target_index)

    def get_next_joint_target(self) -> Any:
        """Targets of joints of the next record; None where there are no more."""
        return self._next("joint_target", self.get_joint_target)

    def _row(self, key: str, row: Callable[[Any], Any], index: int) -> Any:
        """Values of a record below a key; None where anything there lacks them."""

        def found(part: Any) -> Any:
            if not isinstance(part, Mapping):
                return row(part) if index < len(part) else None
            rows = {name: found(inner) for name, inner in part.items()}
            return None if any(inner is None for inner in rows.values()) else rows

        return found(self.data[key]) if key in self.data else None

    def _next(self, kind: str, get: Callable[[int], Any]) -> Any:
        counter = f"next_{kind}_index"
        found = get(getattr(self, counter))
        if found is not None:
            setattr(self, counter, getattr(self, counter) + 1)
        return found


def _mixed(key: str, part: str) -> InvalidValueError:
    return InvalidValueError(
        f"key of a record, {key!r}", f"{part!r} twice", "values or a mapping in one place, not both"
    )
