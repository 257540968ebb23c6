"""Command manager: what a policy is told to do, drawn anew at times and at resets."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError

from .base import ManagerBase, ManagerTermBase
from .term_cfg import CommandTermCfg

__all__ = ["CommandManager", "CommandTerm"]

_SUCCESS = "success_rate"


class CommandTerm(ManagerTermBase):
    """Base of terms of commands.

    Args:
        cfg: the configuration of the term.
        env: the environment.

    Attributes:
        metrics: how well commands are followed, by name, shape (num_envs,); the means over the
            environments that are reset are logged.
        time_left: time to the next command [s], shape (num_envs,).
        command_counter: number of commands in the episode, shape (num_envs,).
    """

    def __init__(self, cfg: CommandTermCfg, env: Any):
        super().__init__(cfg, env)
        self.metrics: dict[str, torch.Tensor] = {}
        self.time_left = torch.zeros(self.num_envs, device=self.device)
        self.command_counter = torch.zeros(self.num_envs, dtype=torch.int64, device=self.device)

    @property
    @abstractmethod
    def command(self) -> torch.Tensor:
        """The commands, shape (num_envs, ...)."""

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Draw first commands of new episodes; see `ManagerTermBase.reset`."""
        rows = slice(None) if env_ids is None else env_ids
        means = {}
        for name, values in self.metrics.items():
            means[name] = values[rows].mean()
            values[rows] = 0.0
        self.command_counter[rows] = 0
        every = torch.arange(self.num_envs, device=self.device)
        self._resample(every if env_ids is None else env_ids)
        return means

    def compute(self, dt: float) -> None:
        """Advance the time, and draw the commands that are due.

        Args:
            dt: time since the last call [s].
        """
        self._update_metrics()
        self.time_left -= dt
        due = (self.time_left <= 0.0).nonzero().flatten()
        if len(due):
            self._resample(due)
        self._update_command()

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Draw the commands; returns whether that is possible, which it is not."""
        return False

    def _resample(self, env_ids: torch.Tensor) -> None:
        if not len(env_ids):
            return
        low, high = self.cfg.resampling_time_range
        self.time_left[env_ids] = self._env.streams.uniform(low, high, env_ids=env_ids)
        self.command_counter[env_ids] += 1
        self._resample_command(env_ids)

    def _open_metrics(self, *names: str) -> None:
        """Begin metrics at zero, with ``success_rate`` where a threshold is configured."""
        counts = getattr(self.cfg, "position_success_threshold", None) is not None
        every = (*names, _SUCCESS) if counts else names
        self.metrics = {n: torch.zeros(self.num_envs, device=self.device) for n in every}

    def _count_successes(self, distance: torch.Tensor) -> None:
        """Note the environments that are within the configured threshold [m]."""
        if _SUCCESS in self.metrics:
            self.metrics[_SUCCESS][distance < self.cfg.position_success_threshold] = 1.0

    def _update_metrics(self) -> None:
        """Compute the metrics from the current state."""

    @abstractmethod
    def _resample_command(self, env_ids: torch.Tensor) -> None:
        """Draw commands."""

    def _update_command(self) -> None:
        """Change commands that depend on the state."""


class CommandManager(ManagerBase):
    """Commands by name.

    Args:
        cfg: object or mapping whose entries are `CommandTermCfg`.
        env: the environment.
    """

    kind = "command term"
    term_type = CommandTermCfg

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Draw first commands of new episodes; see `ManagerBase.reset`."""
        logs: dict[str, Any] = {}
        for name, term in self._terms.items():
            for metric, mean in (term.reset(env_ids=env_ids) or {}).items():
                # Successes are logged under one name, whatever the task commands.
                logs[f"Metrics/{metric if metric == _SUCCESS else f'{name}/{metric}'}"] = mean
        return logs

    def compute(self, dt: float) -> None:
        """Advance all terms; see `CommandTerm.compute`."""
        for term in self._terms.values():
            term.compute(dt)

    def get_command(self, name: str) -> torch.Tensor:
        """The commands of a term, shape (num_envs, ...).

        Raises:
            UnknownNameError: there is no such term.
        """
        command: torch.Tensor = self._known(name).command
        return command

    def get_term(self, name: str) -> CommandTerm:
        """A term by name.

        Raises:
            UnknownNameError: there is none.
        """
        found: CommandTerm = self._known(name)
        return found

    def get_active_iterable_terms(self, env_idx: int) -> list[tuple[str, list[float]]]:
        """Name and command of each term in an environment."""
        return [(n, t.command[env_idx].flatten().tolist()) for n, t in self._terms.items()]

    def _prepared(self, name: str, term: CommandTermCfg) -> CommandTerm:
        limits = term.resampling_time_range
        if not 0.0 < limits[0] <= limits[1]:
            raise InvalidValueError(
                f"command term {name!r}.resampling_time_range", limits, "two times above 0 s"
            )
        built: CommandTerm = term.class_type(term, self._env)
        return built
