"""Buffered actions: those of a decision, as they came and as they are applied, within limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.core.names import match_names
from usdsim.envs.managers.action import ActionTerm

__all__ = ["BufferedActions", "by_joint"]


class BufferedActions(ActionTerm):
    """Base of terms that keep the actions of a decision; `_allocate` says how many."""

    def _allocate(self, count: int) -> None:
        """Make room for a number of actions, and for as many that are applied."""
        self._raw_actions = torch.zeros((self.num_envs, count), device=self.device)
        self._processed_actions = torch.zeros_like(self._raw_actions)
        self._clip: tuple[torch.Tensor, torch.Tensor] | None = None

    def _each(self, what: str, value: Any, names: Sequence[str], default: float = 1.0) -> Any:
        """A number, or one for each name from a mapping of expressions, shape (1, names)."""
        if isinstance(value, int | float):
            return float(value)
        return torch.tensor([by_joint(what, value, names, default)], device=self.device)

    def _limits(self, names: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Least and most of each name by ``clip``, shape (names,) each; None where it says none."""
        if self.cfg.clip is None:
            return None
        pairs = by_joint("clip", self.cfg.clip, names, (-torch.inf, torch.inf))
        least, most = torch.tensor(pairs, device=self.device).unbind(1)
        return least, most

    def _clipped(self, values: torch.Tensor) -> torch.Tensor:
        return values if self._clip is None else values.clamp(*self._clip)

    @property
    def action_dim(self) -> int:
        """Number of actions."""
        return self._raw_actions.shape[1]

    @property
    def raw_actions(self) -> torch.Tensor:
        """Actions as they came, shape (num_envs, action_dim)."""
        return self._raw_actions

    @property
    def processed_actions(self) -> torch.Tensor:
        """Actions as they are applied, in the units that the class says, shape (num_envs, ...)."""
        return self._processed_actions

    def reset(self, env_ids: Any = None) -> None:
        """Forget the last actions; see `ManagerTermBase.reset`."""
        self._raw_actions[slice(None) if env_ids is None else env_ids] = 0.0


def by_joint(what: str, values: Any, names: Sequence[str], default: Any) -> list[Any]:
    """Values of joints from a mapping of expressions.

    Args:
        what: what it is, for messages.
        values: the mapping.
        names: names of the joints.
        default: value of joints that no expression matches; None: they are not allowed.

    Raises:
        InvalidValueError: it is no mapping.
        UnknownNameError: an expression matches no joint, or a joint no expression.
    """
    if not isinstance(values, Mapping):
        raise InvalidValueError(f"{what} of joints", values, "a number, or {expression: number}")
    found: dict[int, Any] = {}
    for expression, value in values.items():
        ids = match_names(expression, names, kind="joint", where=what)[0]
        found.update(dict.fromkeys(ids, value))
    left = [name for i, name in enumerate(names) if i not in found]
    if left and default is None:
        raise UnknownNameError(f"value of {what} for joint", left[0], values)
    return [found.get(i, default) for i in range(len(names))]
