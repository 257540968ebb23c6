"""Observation manager: groups of terms, with modifiers, noise, clip, scale, delay and history."""

from __future__ import annotations

import inspect
import math
from typing import Any, TypeAlias

import numpy as np
import torch

from usdsim.core.arguments import whole
from usdsim.core.configuration import plain
from usdsim.core.errors import InvalidValueError, ShapeError, UnknownNameError
from usdsim.envs.signals.history import DelayLine, History
from usdsim.envs.signals.modifiers import ModifierBase, ModifierCfg
from usdsim.envs.signals.noise import NoiseCfg, NoiseModelCfg
from usdsim.envs.tensors import tensor

from .base import ManagerBase, ManagerTermBase, terms_of
from .term_cfg import ObservationGroupCfg, ObservationTermCfg

__all__ = ["ObservationManager"]

_NOT_TERMS = (
    "concatenate_terms", "concatenate_dim", "enable_corruption", "history_length",
    "flatten_history_dim", "history_order",
)  # fmt: skip

Ids: TypeAlias = torch.Tensor | None


class _Signal:
    """A term of a group, with all that is done to what it returns."""

    def __init__(self, title: str, cfg: ObservationTermCfg, group: ObservationGroupCfg, env: Any):
        self.title, self.cfg, self._env = title, cfg, env
        values = self._evaluated(None)
        if hasattr(cfg.func, "reset"):
            cfg.func.reset(env_ids=None)  # that call was no observation of an episode
        self._trailing = tuple(values.shape[1:])
        self._delay = DelayLine.of_term(title, cfg, env) if cfg.delay_max_lag > 0 else None
        self._modifiers = [self._modifier(i, m) for i, m in enumerate(cfg.modifiers or ())]
        self._noise: Any = self._noise_of(cfg.noise) if group.enable_corruption else None
        self._scale = self._scale_of(cfg.scale)
        self._clip = self._clip_of(cfg.clip)
        self.value = values
        length = whole(f"history_length of {title}", cfg.history_length, 0)
        self._history = History(length, env.num_envs, env.device) if length > 0 else None
        if length == 0:
            self.shape = self._trailing
        elif cfg.flatten_history_dim:
            self.shape = (length * math.prod(self._trailing),)
        else:
            self.shape = (length, *self._trailing)

    def reset(self, env_ids: Ids) -> None:
        for part in (self._delay, self._noise, self._history, *self._modifiers):
            if hasattr(part, "reset"):
                part.reset(env_ids)
        if hasattr(self.cfg.func, "reset"):
            self.cfg.func.reset(env_ids=env_ids)

    def compute(self, env_ids: Ids, update_history: bool) -> torch.Tensor:
        """Values of all environments, also kept as `value`.

        Args:
            env_ids: environments whose modifiers and noise take part; None: all.
            update_history: whether the delay and the history take the values of these
                environments; otherwise what they took last is told, and current values of
                environments where they took none since the last reset.
        """
        values = self._evaluated(self._trailing)
        for modifier in self._modifiers:
            values = modifier(values)
        if self._noise is not None:
            values = self._disturbed(values, env_ids)
        if self._clip is not None:
            values = values.clip(*self._clip)
        if self._scale is not None:
            values = values * self._scale
        if self._delay is not None:
            line = self._delay
            values = line.compute(values, env_ids) if update_history else line.peek(values)
        if self._history is not None:
            past = self._history
            values = past.append(values, env_ids) if update_history else past.peek(values)
        self.value = values.reshape(len(values), *self.shape)
        return self.value

    @property
    def limits(self) -> tuple[float, float]:
        """Least and largest value that there can be, by clip and scale."""
        scale = 1.0 if self.cfg.scale is None else self.cfg.scale
        if self._clip is None or not isinstance(scale, int | float):
            return -math.inf, math.inf
        least, most = sorted(float(bound * scale) for bound in self._clip)
        return least, most

    # -- inside --------------------------------------------------------------------------------

    def _evaluated(self, trailing: tuple[int, ...] | None) -> torch.Tensor:
        values = self.cfg.func(self._env, **self.cfg.params)
        try:
            values = tensor(values)
        except (TypeError, RuntimeError, ValueError) as error:
            raise InvalidValueError(self.title, values, "a tensor") from error
        rows = self._env.num_envs
        if values.ndim < 1 or values.shape[0] != rows:
            raise ShapeError(self.title, values.shape, f"({rows}, ...): a row per environment")
        if values.ndim == 1:
            values = values.unsqueeze(1)
        if trailing is not None and tuple(values.shape[1:]) != trailing:
            raise ShapeError(self.title, values.shape, f"{(rows, *trailing)} as in the first step")
        return values if values.is_floating_point() else values.float()

    def _disturbed(self, values: torch.Tensor, env_ids: Ids) -> torch.Tensor:
        if env_ids is None:
            return self._noise(values, None)
        disturbed = values.clone()
        disturbed[env_ids] = self._noise(values[env_ids], env_ids)
        return disturbed

    def _noise_of(self, noise: Any) -> Any:
        env = self._env
        if noise is None:
            return None
        if isinstance(noise, NoiseModelCfg):
            return noise.class_type(noise, env.streams, env.num_envs, env.device)
        if isinstance(noise, NoiseCfg):
            return lambda values, ids: noise.func(values, noise, env.streams, ids)
        raise InvalidValueError(f"noise of {self.title}", noise, "a NoiseCfg or NoiseModelCfg")

    def _modifier(self, index: int, cfg: Any) -> Any:
        function: Any = getattr(cfg, "func", None)
        if not isinstance(cfg, ModifierCfg):
            raise InvalidValueError(f"modifier {index} of {self.title}", cfg, "a ModifierCfg")
        if inspect.isclass(function) and issubclass(function, ModifierBase):
            shape = (self._env.num_envs, *self._trailing)
            return function(cfg, shape, self._env.device)
        try:
            inspect.signature(function).bind(None, **cfg.params)
        except TypeError as error:
            what = f"parameters of modifier {index} of {self.title}"
            raise InvalidValueError(
                what, sorted(cfg.params), f"those it takes ({error})"
            ) from error
        return lambda values: cfg.func(values, **cfg.params)

    def _scale_of(self, scale: Any) -> Any:
        if scale is None or isinstance(scale, int | float):
            return scale
        factors = torch.as_tensor(np.asarray(scale, np.float32), device=self._env.device)
        if tuple(factors.shape) != self._trailing:
            raise ShapeError(f"scale of {self.title}", factors.shape, str(self._trailing))
        return factors

    def _clip_of(self, clip: Any) -> Any:
        if clip is not None and (len(clip) != 2 or not clip[0] <= clip[1]):
            raise InvalidValueError(f"clip of {self.title}", clip, "two numbers in order, or None")
        return clip


class ObservationManager(ManagerBase):
    """Observations by group: a tensor each, or tensors by term where these are not joined.

    Args:
        cfg: object or mapping whose entries are `ObservationGroupCfg`, whose attributes are
            `ObservationTermCfg`.
        env: the environment.
    """

    kind = "observation group"
    term_type = (ObservationGroupCfg, object)

    def __init__(self, cfg: Any, env: Any):
        self._signals: dict[str, dict[str, _Signal]] = {}
        super().__init__(cfg, env)

    @property
    def active_terms(self) -> dict[str, list[str]]:
        """Names of the terms by group."""
        return {group: list(signals) for group, signals in self._signals.items()}

    @property
    def group_obs_term_dim(self) -> dict[str, list[tuple[int, ...]]]:
        """Shape of each term in one environment, by group."""
        return {g: [s.shape for s in signals.values()] for g, signals in self._signals.items()}

    @property
    def group_obs_term_limits(self) -> dict[str, list[tuple[float, float]]]:
        """Least and largest value of each term, by group; infinite where nothing clips them."""
        return {g: [s.limits for s in signals.values()] for g, signals in self._signals.items()}

    @property
    def group_obs_concatenate(self) -> dict[str, bool]:
        """Whether terms are joined, by group."""
        return {name: bool(group.concatenate_terms) for name, group in self._terms.items()}

    @property
    def group_obs_dim(self) -> dict[str, Any]:
        """Shape in one environment, or those of the terms where they are not joined, by group."""
        dims: dict[str, Any] = {}
        for name, shapes in self.group_obs_term_dim.items():
            if not self._terms[name].concatenate_terms:
                dims[name] = shapes
                continue
            axis = self._axis(name) - 1
            joined = list(shapes[0])
            joined[axis] = sum(shape[axis] for shape in shapes)
            dims[name] = tuple(joined)
        return dims

    def get_term_cfg(self, group_name: str, term_name: str) -> ObservationTermCfg:
        """Configuration of a term; another function and other parameters act from then on.

        Raises:
            UnknownNameError: there is no such group, or no such term in it.
        """
        if group_name not in self._signals:
            raise UnknownNameError("observation group", group_name, self._signals)
        terms = self._signals[group_name]
        if term_name not in terms:
            where = f"observation group {group_name!r}"
            raise UnknownNameError("observation term", term_name, terms, where)
        return terms[term_name].cfg

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Forget delays, biases and histories of episodes that are over."""
        for signals in self._signals.values():
            for signal in signals.values():
                signal.reset(env_ids)
        return {}

    def compute(self, update_history: bool = False, env_ids: Ids = None) -> dict[str, Any]:
        """Observations of all environments.

        Args:
            update_history: whether delays and histories take what is observed now, as
                environments do once in a decision; otherwise they are as they were, so that
                observations may be read at any time.
            env_ids: environments whose delays, noise and histories advance; None: all. Rows of
                others are not what they observe.

        Returns:
            A tensor of shape (num_envs, ...) by name of the group, or tensors by name of the term
            and group.

        Raises:
            ShapeError: a term returned another shape than before.
        """
        return {g: self.compute_group(g, update_history, env_ids) for g in self._signals}

    def compute_group(
        self, group_name: str, update_history: bool = False, env_ids: Ids = None
    ) -> Any:
        """Observations of a group; see `compute`.

        Raises:
            UnknownNameError: there is no such group.
        """
        group = self._known(group_name)
        signals = self._signals[group_name]
        if group.concatenate_terms:
            parts = [signal.compute(env_ids, update_history) for signal in signals.values()]
            if _in_order_of_time(group):
                steps = [part.unflatten(1, (group.history_length, -1)) for part in parts]
                return torch.cat(steps, dim=-1).flatten(1)
            return torch.cat(parts, dim=self._axis(group_name))
        return {n: s.compute(env_ids, update_history).clone() for n, s in signals.items()}

    def get_active_iterable_terms(self, env_idx: int) -> list[tuple[str, list[float]]]:
        """Name and value of each term in an environment, as they were computed last."""
        return [
            (f"{g}-{n}", s.value[env_idx].flatten().tolist())
            for g, signals in self._signals.items()
            for n, s in signals.items()
        ]

    def serialize(self) -> dict[str, dict[str, Any]]:
        """Descriptions of the terms by group and name: their own, or their configuration."""
        return {
            group: {
                name: s.cfg.func.serialize()
                if isinstance(s.cfg.func, ManagerTermBase)
                else {"cfg": plain(s.cfg)}
                for name, s in signals.items()
            }
            for group, signals in self._signals.items()
        }

    # -- inside --------------------------------------------------------------------------------

    def _axis(self, name: str) -> int:
        """Axis along which a group is joined, that of environments counted."""
        axis = self._terms[name].concatenate_dim
        ndim = 1 + len(next(iter(self._signals[name].values())).shape)
        return int(axis + ndim if axis < 0 else axis + 1)

    def _prepared(self, name: str, term: Any) -> Any:
        if not hasattr(term, "concatenate_terms"):
            raise InvalidValueError(
                f"{self.kind} {name!r}", term, "an ObservationGroupCfg, or None"
            )
        signals = {}
        for key, cfg in terms_of(term).items():
            if key in _NOT_TERMS:
                continue
            title = f"{name}.{key}"
            self._check_term("observation term", title, cfg, ObservationTermCfg)
            if term.history_length is not None:
                cfg.history_length = term.history_length
                cfg.flatten_history_dim = term.flatten_history_dim
            resolved = self._resolved(title, cfg)
            signals[key] = _Signal(f"observation term {title!r}", resolved, term, self._env)
        if not signals and term.concatenate_terms:
            raise InvalidValueError(f"terms of observation group {name!r}", [], "at least one")
        self._signals[name] = signals
        if term.concatenate_terms:
            self._check_joinable(name, term, signals)
        if term.history_order not in ("term", "time"):
            raise InvalidValueError(
                f"history_order of observation group {name!r}", term.history_order, "term or time"
            )
        return term

    def _check_joinable(self, name: str, group: Any, signals: dict[str, _Signal]) -> None:
        shapes = {key: signal.shape for key, signal in signals.items()}
        ndim = {len(shape) for shape in shapes.values()}
        axis = group.concatenate_dim
        rest = {
            tuple(n for i, n in enumerate(shape) if i != (axis % len(shape)))
            for shape in shapes.values()
        }
        if len(ndim) != 1 or len(rest) != 1 or not -min(ndim) <= axis < min(ndim):
            raise InvalidValueError(
                f"shapes of observation group {name!r}", shapes,
                f"shapes that can be joined along axis {axis}", "Or set concatenate_terms=False.",
            )  # fmt: skip


def _in_order_of_time(group: ObservationGroupCfg) -> bool:
    """Whether the histories of a group become one row in which a moment's terms lie together."""
    joined = group.concatenate_terms and group.concatenate_dim == -1
    return bool(
        group.history_order == "time"
        and group.history_length
        and group.flatten_history_dim
        and joined
    )
