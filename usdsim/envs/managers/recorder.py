"""Recorder manager: what happened in episodes, kept by environment and written to a file or two.

The file is NumPy's ``.npz``; an array ``demo_<i>/<key>`` has the values of an episode, one row per
record, and ``demo_<i>/success`` whether it succeeded.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from usdsim.core.errors import ShapeError
from usdsim.core.transaction import replacing

from .base import ManagerBase, ManagerTermBase
from .term_cfg import DatasetExportMode, RecorderManagerBaseCfg, RecorderTermCfg

__all__ = ["RecorderManager", "RecorderTerm"]

Record = tuple[str | None, Any]
"""A key and values with a row for each environment asked for, or mappings of such; or None."""
_SETTINGS = frozenset(vars(RecorderManagerBaseCfg()))


class RecorderTerm(ManagerTermBase):
    """Base of terms of the recorder: what is recorded at which time."""

    def record_pre_reset(self, env_ids: torch.Tensor) -> Record:
        """Before environments are reset."""
        return None, None

    def record_post_reset(self, env_ids: torch.Tensor) -> Record:
        """After environments were reset."""
        return None, None

    def record_pre_step(self) -> Record:
        """Before a decision is carried out."""
        return None, None

    def record_post_step(self) -> Record:
        """After a decision was carried out."""
        return None, None

    def record_post_physics_decimation_step(self) -> Record:
        """After each time step of the simulation."""
        return None, None


class RecorderManager(ManagerBase):
    """Records of the running episodes, exported when they are over.

    Args:
        cfg: a `RecorderManagerBaseCfg` whose further attributes are `RecorderTermCfg`, or None.
        env: the environment.

    Attributes:
        exported_episode_count: number of exported episodes.
        exported_successful_episode_count: number of those that succeeded.
    """

    kind = "recorder term"
    term_type = RecorderTermCfg

    def __init__(self, cfg: Any, env: Any):
        terms = {k: v for k, v in vars(cfg).items() if k not in _SETTINGS} if cfg else None
        super().__init__(terms, env)
        self.cfg = cfg
        self._episodes: list[dict[str, list[np.ndarray[Any, Any]]]] = [
            {} for _ in range(self.num_envs)
        ]
        self._success: dict[int, bool] = {}
        self._exported: dict[str, dict[str, np.ndarray[Any, Any]]] = {}
        self.exported_episode_count = 0
        self.exported_successful_episode_count = 0

    @property
    def exported_failed_episode_count(self) -> int:
        """Number of exported episodes that did not succeed."""
        return self.exported_episode_count - self.exported_successful_episode_count

    @property
    def dataset_path(self) -> Path | None:
        """The file of episodes; None without terms."""
        return self._path("") if self._terms else None

    def get_episode(self, env_id: int) -> dict[str, np.ndarray[Any, Any]]:
        """Recorded values of an environment's running episode, by key."""
        return {key: np.stack(rows) for key, rows in self._episodes[env_id].items()}

    def add_to_episodes(self, key: str | None, value: Any, env_ids: Any = None) -> None:
        """Record values.

        Args:
            key: their name; parts are joined by ``/``. None: nothing is recorded.
            value: a row for each environment, or a mapping of such.
            env_ids: the environments; None: all.

        Raises:
            ShapeError: there is not one row for each.
        """
        if key is None or value is None:
            return
        if isinstance(value, Mapping):
            for name, entry in value.items():
                self.add_to_episodes(f"{key}/{name}", entry, env_ids)
            return
        ids = range(self.num_envs) if env_ids is None else [int(i) for i in env_ids]
        rows = torch.as_tensor(value).detach().cpu().numpy()
        if len(rows) != len(ids):
            raise ShapeError(f"record {key!r}", rows.shape, f"({len(ids)}, ...)")
        for env, row in zip(ids, rows, strict=True):
            self._episodes[env].setdefault(key, []).append(row.copy())

    def set_success_to_episodes(self, env_ids: Any, success_values: Any) -> None:
        """Say whether the running episodes of environments succeeded."""
        ids = range(self.num_envs) if env_ids is None else [int(i) for i in env_ids]
        for env, success in zip(ids, torch.as_tensor(success_values).flatten(), strict=True):
            self._success[env] = bool(success)

    def record_pre_step(self) -> None:
        """Let the terms record; see `RecorderTerm.record_pre_step`."""
        self._record("record_pre_step")

    def record_post_step(self) -> None:
        """Let the terms record; see `RecorderTerm.record_post_step`."""
        self._record("record_post_step")

    def record_post_physics_decimation_step(self) -> None:
        """Let the terms record; see `RecorderTerm.record_post_physics_decimation_step`."""
        self._record("record_post_physics_decimation_step")

    def record_pre_reset(self, env_ids: torch.Tensor) -> None:
        """Let the terms record the ends of episodes, and export these."""
        for term in self._terms.values():
            key, value = term.record_pre_reset(env_ids)
            self.add_to_episodes(key, value, env_ids)
        if self._terms and not self.cfg.export_in_record_pre_reset:
            for env in env_ids.tolist():
                self._episodes[env] = {}
                self._success.pop(env, None)
            return
        self.export_episodes(env_ids)

    def record_post_reset(self, env_ids: torch.Tensor) -> None:
        """Let the terms record; see `RecorderTerm.record_post_reset`."""
        for term in self._terms.values():
            key, value = term.record_post_reset(env_ids)
            self.add_to_episodes(key, value, env_ids)

    def export_episodes(self, env_ids: Any = None) -> None:
        """Take the running episodes of environments as over; `close` writes them."""
        for env in range(self.num_envs) if env_ids is None else [int(i) for i in env_ids]:
            episode = self.get_episode(env)
            success = self._success.pop(env, False)
            self._episodes[env] = {}
            mode = self.cfg.dataset_export_mode if episode else DatasetExportMode.EXPORT_NONE
            if mode == DatasetExportMode.EXPORT_NONE:
                continue
            if mode == DatasetExportMode.EXPORT_SUCCEEDED_ONLY and not success:
                continue
            apart = mode == DatasetExportMode.EXPORT_SUCCEEDED_FAILED_IN_SEPARATE_FILES
            file = self._exported.setdefault("_failed" if apart and not success else "", {})
            name = f"demo_{len({key.partition('/')[0] for key in file})}"
            self.exported_episode_count += 1
            self.exported_successful_episode_count += success
            file.update({f"{name}/{key}": rows for key, rows in episode.items()})
            file[f"{name}/success"] = np.array(success)

    def close(self) -> None:
        """Write the files of episodes, if there are any."""
        if self._terms and self.cfg.export_in_close:
            self.export_episodes()
        for suffix, episodes in self._exported.items():
            path = self._path(suffix)
            with replacing(path) as staged:
                np.savez(staged, **episodes)  # type: ignore[arg-type]

    def _path(self, suffix: str) -> Path:
        name = f"{self.cfg.dataset_filename}{suffix}.npz"
        return Path(self.cfg.dataset_export_dir_path) / name

    def _record(self, hook: str) -> None:
        for term in self._terms.values():
            self.add_to_episodes(*getattr(term, hook)())

    def _prepared(self, name: str, term: RecorderTermCfg) -> RecorderTerm:
        built: RecorderTerm = term.class_type(term, self._env)
        return built
