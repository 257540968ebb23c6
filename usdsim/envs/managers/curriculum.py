"""Curriculum manager: terms that change the task while it is learned."""

from __future__ import annotations

from typing import Any

import torch

from .base import ManagerBase
from .term_cfg import CurriculumTermCfg

__all__ = ["CurriculumManager"]


class CurriculumManager(ManagerBase):
    """Terms that are called for the environments about to be reset.

    What a term returns, a number or numbers by name, is logged.

    Args:
        cfg: object or mapping whose entries are `CurriculumTermCfg`.
        env: the environment.
    """

    kind = "curriculum term"
    term_type = CurriculumTermCfg

    def __init__(self, cfg: Any, env: Any):
        self._states: dict[str, Any] = {}
        super().__init__(cfg, env)

    def compute(self, env_ids: Any = None) -> None:
        """Call the terms.

        Args:
            env_ids: environments that are about to be reset; None: all.
        """
        every = torch.arange(self.num_envs, device=self.device)
        for name, term in self._terms.items():
            ids = every if env_ids is None else env_ids
            self._states[name] = term.func(self._env, ids, **term.params)

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Return what the terms returned last, to be logged; see `ManagerBase.reset`."""
        logs: dict[str, Any] = {}
        for name, state in self._states.items():
            if isinstance(state, dict):
                logs.update({f"Curriculum/{name}/{key}": value for key, value in state.items()})
            elif state is not None:
                logs[f"Curriculum/{name}"] = state
        self._reset_terms(env_ids)
        return logs

    def get_active_iterable_terms(self, env_idx: int) -> list[tuple[str, list[float]]]:
        """Name and last numbers of each term that returned any, the same in all environments."""
        told = {
            name: list(state.values()) if isinstance(state, dict) else [state]
            for name, state in self._states.items()
            if state is not None
        }
        return [(name, [float(value) for value in values]) for name, values in told.items()]

    def _prepared(self, name: str, term: CurriculumTermCfg) -> Any:
        return self._resolved(name, term, before=2)
