"""Termination manager: which episodes end, and which are only cut off."""

from __future__ import annotations

from typing import Any

import torch

from usdsim.core.errors import InvalidValueError
from usdsim.envs.tensors import check_rows

from .base import ConfiguredTerms
from .term_cfg import TerminationTermCfg

__all__ = ["TerminationManager"]


class TerminationManager(ConfiguredTerms[TerminationTermCfg]):
    """Ends of episodes: any term ends one; terms with `time_out` cut it off.

    Args:
        cfg: object or mapping whose entries are `TerminationTermCfg`.
        env: the environment.
    """

    kind = "termination term"
    term_type = TerminationTermCfg

    def __init__(self, cfg: Any, env: Any):
        super().__init__(cfg, env)
        shape = (len(self._terms), self.num_envs)
        self._values = torch.zeros(shape, dtype=torch.bool, device=self.device)
        self._last = torch.zeros(shape, dtype=torch.bool, device=self.device)
        self._columns = {name: i for i, name in enumerate(self._terms)}
        self._truncated = torch.zeros(self.num_envs, dtype=torch.bool, device=self.device)
        self._terminated = torch.zeros(self.num_envs, dtype=torch.bool, device=self.device)

    @property
    def dones(self) -> torch.Tensor:
        """Whether the episode is over, shape (num_envs,)."""
        return self._truncated | self._terminated

    @property
    def time_outs(self) -> torch.Tensor:
        """Whether it was cut off, shape (num_envs,)."""
        return self._truncated

    @property
    def terminated(self) -> torch.Tensor:
        """Whether it ended for a reason that belongs to the task, shape (num_envs,)."""
        return self._terminated

    def compute(self, failed: torch.Tensor | None = None) -> torch.Tensor:
        """Find the episodes that are over.

        Args:
            failed: whether the world of each environment failed, which ends the episode; None: of
                none, shape (num_envs,).

        Returns:
            `dones`.

        Raises:
            ShapeError: a term has not one value for each environment.
            InvalidValueError: they are no truth values.
        """
        truncated, terminated = self._truncated.zero_(), self._terminated.zero_()
        for name, column in self._columns.items():
            term = self._terms[name]
            title = f"termination term {name!r}"
            values = term.func(self._env, **term.params)
            values = check_rows(title, values, (self.num_envs,), self.device)
            if values.dtype != torch.bool:
                raise InvalidValueError(f"type of {title}", str(values.dtype), "torch.bool")
            self._values[column] = values
            (truncated if term.time_out else terminated).logical_or_(values)
        if failed is not None:
            terminated.logical_or_(failed)
        done = truncated | terminated
        if self._columns:
            self._last = torch.where(done, self._values, self._last)
        return done

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Start new episodes; see `ManagerBase.reset`.

        Returns:
            How many of all environments' last episodes ended for each reason.
        """
        self._reset_terms(env_ids)
        shares = self._last.float().mean(dim=1)
        return {f"Episode_Termination/{name}": shares[i] for name, i in self._columns.items()}

    def get_term(self, name: str) -> torch.Tensor:
        """Values of a term in the last step, shape (num_envs,).

        Raises:
            UnknownNameError: there is no such term.
        """
        self._known(name)
        return self._values[self._columns[name]]

    def get_active_iterable_terms(self, env_idx: int) -> list[tuple[str, list[float]]]:
        """Name and last value of each term in an environment."""
        row = self._values[:, env_idx].tolist()
        return [(name, [float(row[column])]) for name, column in self._columns.items()]
