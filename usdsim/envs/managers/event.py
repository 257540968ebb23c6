"""Event manager: what changes environments at the start, at resets and at intervals."""

from __future__ import annotations

import warnings
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError, meant

from .base import ConfiguredTerms
from .term_cfg import EventTermCfg

__all__ = ["EventManager"]


_MODES = ("prestartup", "startup", "reset", "interval")
"""Modes that environments apply by themselves; others are for programs."""


class EventManager(ConfiguredTerms[EventTermCfg]):
    """Events by mode; each is a function of the environment and the indices it concerns.

    Args:
        cfg: object or mapping whose entries are `EventTermCfg`.
        env: the environment.

    Attributes:
        applied_modes: modes whose events happened.
    """

    kind = "event term"
    term_type = EventTermCfg

    def __init__(self, cfg: Any, env: Any):
        self.applied_modes: set[str] = set()
        self._modes: dict[str, list[str]] = {}
        self._time_left: dict[str, torch.Tensor] = {}
        self._last: dict[str, torch.Tensor] = {}
        super().__init__(cfg, env)
        self.reset()

    @property
    def active_terms(self) -> dict[str, list[str]]:
        """Names of the terms by mode."""
        return {mode: list(names) for mode, names in self._modes.items()}

    @property
    def available_modes(self) -> list[str]:
        """Modes that have terms."""
        return list(self._modes)

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Draw the times to the next interval events anew; see `ManagerBase.reset`."""
        for name in self._modes.get("interval", ()):
            term = self._terms[name]
            if not term.is_global_time:
                self._draw(name, env_ids)
        self._reset_terms(env_ids)
        return {}

    def apply(
        self,
        mode: str,
        env_ids: Any = None,
        dt: float | None = None,
        global_env_step_count: int | None = None,
    ) -> None:
        """Apply the events of a mode.

        Args:
            mode: the mode; without terms, nothing happens.
            env_ids: indices of environments; None: all.
            dt: time since the last call [s], in mode ``interval``.
            global_env_step_count: number of decisions so far, in mode ``reset``.
        """
        self.applied_modes.add(mode)
        every = torch.arange(self.num_envs, device=self.device)
        ids = every if env_ids is None else torch.as_tensor(env_ids, device=self.device)
        for name in self._modes.get(mode, ()):
            term, due = self._terms[name], ids
            if mode == "interval":
                due = self._due(name, float(dt or 0.0), every)
            elif mode == "reset":
                due = self._rested(name, ids, int(global_env_step_count or 0))
            if len(due):
                term.func(self._env, due, **term.params)

    def set_term_cfg(self, term_name: str, cfg: EventTermCfg) -> None:
        """Replace the configuration of a term, whose mode stays.

        Raises:
            UnknownNameError: there is no such term.
            InvalidValueError: the mode is another one.
        """
        if self._known(term_name).mode != cfg.mode:
            raise InvalidValueError(f"mode of event term {term_name!r}", cfg.mode, "the same mode")
        super().set_term_cfg(term_name, cfg)

    # -- inside --------------------------------------------------------------------------------

    def _prepared(self, name: str, term: EventTermCfg) -> Any:
        resolved = self._resolved(name, term, before=2)
        if term.mode not in _MODES and (question := meant(term.mode, _MODES)):
            told = f"only apply({term.mode!r}) starts it"
            warnings.warn(
                f"event term {name!r}.mode is {term.mode!r}: {told}. {question}", stacklevel=2
            )
        self._modes.setdefault(term.mode, []).append(name)
        if term.mode == "interval":
            limits = term.interval_range_s
            if limits is None or not 0.0 < limits[0] <= limits[1]:
                raise InvalidValueError(
                    f"event term {name!r}.interval_range_s", limits, "two times above 0 s, in order"
                )
            rows = 1 if term.is_global_time else self.num_envs
            self._time_left[name] = torch.zeros(rows, device=self.device)
            if term.is_global_time:
                self._terms[name] = resolved
                self._draw(name, None)
        elif term.mode == "reset":
            # Long ago, so that the first reset counts.
            self._last[name] = torch.full((self.num_envs,), -(2**40), device=self.device)
        return resolved

    def _draw(self, name: str, env_ids: Any) -> None:
        """Times to the next event."""
        term, left, streams = self._terms[name], self._time_left[name], self.streams
        low, high = term.interval_range_s
        if term.is_global_time:
            first = torch.zeros(1, dtype=torch.int64, device=self.device)
            left[:] = streams.uniform(low, high, env_ids=first)
        else:
            rows = slice(None) if env_ids is None else env_ids
            left[rows] = streams.uniform(low, high, env_ids=env_ids)

    def _due(self, name: str, dt: float, every: torch.Tensor) -> torch.Tensor:
        left = self._time_left[name]
        left -= dt
        # Half a step of rounding: an interval of whole steps takes exactly these.
        due = (left < 1e-6).nonzero().flatten()
        if not len(due):
            return due
        if self._terms[name].is_global_time:
            self._draw(name, None)
            return every
        self._draw(name, due)
        return due

    def _rested(self, name: str, ids: torch.Tensor, count: int) -> torch.Tensor:
        last, least = self._last[name], self._terms[name].min_step_count_between_reset
        # A selection by a mask waits for the device.
        due = ids[count - last[ids] >= least] if least > 0 else ids
        last[due] = count
        return due
