"""Action manager: parts of a policy's output, processed per decision and applied per step."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import torch

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.envs.signals.history import DelayLine
from usdsim.envs.tensors import check_finite

from .base import ManagerBase, ManagerTermBase
from .term_cfg import ActionTermCfg

__all__ = ["ActionManager", "ActionTerm"]


class ActionTerm(ManagerTermBase):
    """Base of terms of actions: a part of the policy's output, and what it does to an asset.

    Args:
        cfg: the configuration of the term.
        env: the environment.
    """

    holds: ClassVar[bool] = False
    """Whether `apply_actions` does the same in every time step of a decision, so that once is
    enough."""

    def __init__(self, cfg: ActionTermCfg, env: Any):
        super().__init__(cfg, env)
        self._asset = env.scene[cfg.asset_name]

    @property
    @abstractmethod
    def action_dim(self) -> int:
        """Number of actions."""

    @property
    @abstractmethod
    def raw_actions(self) -> torch.Tensor:
        """Actions as they came, shape (num_envs, action_dim)."""

    @property
    @abstractmethod
    def processed_actions(self) -> torch.Tensor:
        """Actions as they are applied, such as targets of joints."""

    @abstractmethod
    def process_actions(self, actions: torch.Tensor) -> None:
        """Take the actions of a decision, shape (num_envs, action_dim)."""

    @abstractmethod
    def apply_actions(self) -> None:
        """Apply what was processed; called before every time step."""

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Draw the actions; returns whether that is possible, which it is not."""
        return False


class ActionManager(ManagerBase):
    """Actions: one tensor whose columns are those of the terms, in their order.

    Args:
        cfg: object or mapping whose entries are `ActionTermCfg`.
        env: the environment.
    """

    kind = "action term"
    term_type = ActionTermCfg

    def __init__(self, cfg: Any, env: Any):
        self._delays: dict[str, DelayLine] = {}
        super().__init__(cfg, env)
        shape = (self.num_envs, self.total_action_dim)
        self._action = torch.zeros(shape, device=self.device)
        self._prev_action = torch.zeros(shape, device=self.device)

    @property
    def total_action_dim(self) -> int:
        """Number of actions."""
        return sum(self.action_term_dim)

    @property
    def action_term_dim(self) -> list[int]:
        """Number of actions of each term."""
        return [term.action_dim for term in self._terms.values()]

    @property
    def action(self) -> torch.Tensor:
        """The last actions, shape (num_envs, total_action_dim)."""
        return self._action

    @property
    def prev_action(self) -> torch.Tensor:
        """Actions of the step before."""
        return self._prev_action

    @property
    def holds(self) -> bool:
        """Whether all terms do the same in every time step of a decision."""
        return all(term.holds for term in self._terms.values())

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Forget the last actions; see `ManagerBase.reset`."""
        rows = slice(None) if env_ids is None else env_ids
        self._action[rows] = 0.0
        self._prev_action[rows] = 0.0
        for delay in self._delays.values():
            delay.reset(env_ids)
        for term in self._terms.values():
            term.reset(env_ids=env_ids)
        return {}

    def process_action(self, action: torch.Tensor) -> None:
        """Take the actions of a decision.

        Args:
            action: shape (num_envs, total_action_dim).

        Raises:
            ShapeError: the shape is another.
            SimulationError: a value is not finite.
        """
        if tuple(action.shape) != tuple(self._action.shape):
            names = ", ".join(f"{n}: {t.action_dim}" for n, t in self._terms.items())
            raise ShapeError("action", action.shape, f"{tuple(self._action.shape)} ({names})")
        check_finite("action", action)
        self._prev_action.copy_(self._action)
        self._action.copy_(action)
        first = 0
        for name, term in self._terms.items():
            columns = self._action[:, first : first + term.action_dim]
            if name in self._delays:
                columns = self._delays[name].compute(columns)
            term.process_actions(columns)
            first += term.action_dim

    def apply_action(self) -> None:
        """Apply what was processed; called before every time step."""
        for term in self._terms.values():
            term.apply_actions()

    def get_term(self, name: str) -> ActionTerm:
        """A term by name.

        Raises:
            UnknownNameError: there is none.
        """
        found: ActionTerm = self._known(name)
        return found

    def serialize(self) -> dict[str, Any]:
        """Descriptions of the terms by name; see `ManagerTermBase.serialize`."""
        return {name: term.serialize() for name, term in self._terms.items()}

    def get_active_iterable_terms(self, env_idx: int) -> list[tuple[str, list[float]]]:
        """Name and last actions of each term in an environment."""
        rows = self._action[env_idx].split(self.action_term_dim)
        return [(name, row.tolist()) for name, row in zip(self._terms, rows, strict=True)]

    def _prepared(self, name: str, term: ActionTermCfg) -> ActionTerm:
        if term.asset_name not in self._env.scene:
            raise InvalidValueError(
                f"action term {name!r}.asset_name", term.asset_name,
                ", ".join(self._env.scene.keys()),
            )  # fmt: skip
        built: ActionTerm = term.class_type(term, self._env)
        if term.delay_max_lag > 0:
            self._delays[name] = DelayLine.of_term(f"action term {name!r}", term, self._env)
        return built
