"""Recorder manager: what happened in episodes, kept by environment and written to a file or two.

The kind of file is a choice of the configuration; see `usdsim.envs.demonstrations`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.envs.demonstrations import DatasetFileHandlerBase, EpisodeData
from usdsim.envs.tensors import tensor

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

    def close(self, file_path: str) -> None:
        """After the last episode was written.

        Args:
            file_path: the file of episodes, without suffix.
        """


class RecorderManager(ManagerBase):
    """Records of the running episodes, exported when they are over.

    Args:
        cfg: a `RecorderManagerBaseCfg` whose further attributes are `RecorderTermCfg`, or None.
        env: the environment.
    """

    kind = "recorder term"
    term_type = RecorderTermCfg

    def __init__(self, cfg: Any, env: Any):
        terms = {k: v for k, v in vars(cfg).items() if k not in _SETTINGS} if cfg else None
        super().__init__(terms, env)
        self.cfg = cfg
        self._episodes = [EpisodeData() for _ in range(self.num_envs)]
        self._counts: Counter[bool] = Counter()
        mode = cfg.dataset_export_mode if self._terms else DatasetExportMode.EXPORT_NONE
        apart = mode == DatasetExportMode.EXPORT_SUCCEEDED_FAILED_IN_SEPARATE_FILES
        self._files: dict[str, DatasetFileHandlerBase] = {}
        for suffix in ("", "_failed")[: 2 if apart else mode != DatasetExportMode.EXPORT_NONE]:
            file = self._files[suffix] = cfg.dataset_file_handler_class_type()
            file.create(f"{self._path}{suffix}", env_name=getattr(env.cfg, "env_name", None))

    @property
    def exported_episode_count(self) -> int:
        """Number of episodes that were over, written or not."""
        return self._counts.total()

    @property
    def exported_successful_episode_count(self) -> int:
        """Number of those that succeeded."""
        return self._counts[True]

    @property
    def exported_failed_episode_count(self) -> int:
        """Number of those that did not succeed."""
        return self._counts[False]

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Forget the running episodes of environments; see `ManagerBase.reset`."""
        for term in self._terms.values():
            term.reset(env_ids=env_ids)
        for env in self._ids(env_ids):
            self._episodes[env] = EpisodeData()
        return {}

    def get_episode(self, env_id: int) -> EpisodeData:
        """Records of an environment's running episode."""
        return self._episodes[env_id]

    def add_to_episodes(self, key: str | None, value: Any, env_ids: Any = None) -> None:
        """Record values.

        Args:
            key: their name; parts are joined by ``/``. None: nothing is recorded.
            value: a row for each environment, or a mapping of such.
            env_ids: the environments; None: all.

        Raises:
            ShapeError: there is not one row for each.
        """
        if key is None or value is None or not self._terms:
            return
        if isinstance(value, Mapping):
            for name, entry in value.items():
                self.add_to_episodes(f"{key}/{name}", entry, env_ids)
            return
        ids = self._ids(env_ids)
        rows = tensor(value).detach().clone()
        if len(rows) != len(ids):
            raise ShapeError(f"record {key!r}", rows.shape, f"({len(ids)}, ...)")
        for env, row in zip(ids, rows, strict=True):
            self._episodes[env].add(key, row, clone=False)

    def set_success_to_episodes(self, env_ids: Any, success_values: Any) -> None:
        """Set whether the running episodes of environments succeeded."""
        values = torch.as_tensor(success_values).flatten().tolist()
        for env, success in zip(self._ids(env_ids), values, strict=True):
            self._episodes[env].success = bool(success)

    def record_pre_step(self) -> None:
        """Record by all terms; see `RecorderTerm.record_pre_step`."""
        self._record("record_pre_step")

    def record_post_step(self) -> None:
        """Record by all terms; see `RecorderTerm.record_post_step`."""
        self._record("record_post_step")

    def record_post_physics_decimation_step(self) -> None:
        """Record by all terms; see `RecorderTerm.record_post_physics_decimation_step`."""
        self._record("record_post_physics_decimation_step")

    def record_pre_reset(self, env_ids: Any, force_export_or_skip: bool | None = None) -> None:
        """Record the ends of episodes by all terms, and export these.

        An episode succeeded if a termination of the name ``success`` says so, or the program did.

        Args:
            env_ids: the environments; None: all.
            force_export_or_skip: whether they are exported; None: as the configuration says.
        """
        if not self._terms:
            return
        ids = self._ids(env_ids)
        self._record("record_pre_reset", ids if env_ids is None else env_ids)
        terminations = getattr(self._env, "termination_manager", None)
        if terminations is not None and "success" in terminations.active_terms:
            succeeded = terminations.get_term("success")[ids].tolist()
            for env, success in zip(ids, succeeded, strict=True):
                self._episodes[env].success = success or bool(self._episodes[env].success)
        exports = self.cfg.export_in_record_pre_reset
        if exports if force_export_or_skip is None else force_export_or_skip:
            self.export_episodes(env_ids)

    def record_post_reset(self, env_ids: Any) -> None:
        """Record by all terms; see `RecorderTerm.record_post_reset`."""
        self._record("record_post_reset", self._ids(env_ids) if env_ids is None else env_ids)

    def get_ep_meta(self) -> dict[str, Any]:
        """Description of the environment in files: what `get_ep_meta` of its configuration says.

        Without one, the time step, its number for a decision, and the number of environments.
        """
        cfg = self._env.cfg
        if hasattr(cfg, "get_ep_meta"):
            told: dict[str, Any] = cfg.get_ep_meta()
            return told
        return {
            "sim_args": {
                "dt": cfg.sim.dt,
                "decimation": cfg.decimation,
                "render_interval": cfg.sim.render_interval,
                "num_envs": cfg.scene.num_envs,
            }
        }

    def export_episodes(self, env_ids: Any = None, demo_ids: Any = None) -> None:
        """Take the running episodes of environments as over, and write those that are kept.

        Args:
            env_ids: the environments; None: all.
            demo_ids: their numbers in the file; None: the next ones.

        Raises:
            InvalidValueError: there is not one number for each, or one is there twice.
        """
        ids = self._ids(env_ids)
        numbers = [None] * len(ids) if demo_ids is None else [int(i) for i in demo_ids]
        if demo_ids is not None and (len(numbers) != len(ids) or len({*numbers}) != len(numbers)):
            raise InvalidValueError("demo_ids", numbers, f"{len(ids)} numbers, each once")
        for env, number in zip(ids, numbers, strict=True):
            episode, self._episodes[env] = self._episodes[env], EpisodeData()
            if not episode.is_empty():
                self._write(env, episode, number)
        for file in self._files.values():
            file.flush()

    def close(self) -> None:
        """Finish the files of episodes."""
        if self._terms and self.cfg.export_in_close:
            self.export_episodes()
        for file in self._files.values():
            file.close()
        self._files = {}
        for term in self._terms.values():
            term.close(str(self._path))

    @property
    def _path(self) -> Path:
        return Path(self.cfg.dataset_export_dir_path) / self.cfg.dataset_filename

    def _ids(self, env_ids: Any) -> list[int]:
        if isinstance(env_ids, torch.Tensor):
            return list(env_ids.tolist())
        return [*range(self.num_envs)] if env_ids is None else [int(i) for i in env_ids]

    def _write(self, env: int, episode: EpisodeData, number: int | None) -> None:
        """Write an episode to the file that it belongs to, if there is one."""
        success = episode.success = bool(episode.success)
        episode.env_id = env
        self._counts[success] += 1
        only = self.cfg.dataset_export_mode == DatasetExportMode.EXPORT_SUCCEEDED_ONLY
        apart = "_failed" in self._files and not success
        file = self._files.get("_failed" if apart else "")
        if file is None or (only and not success):
            return
        episode.pre_export()
        file.add_env_args(self.get_ep_meta())
        file.write_episode(episode, number, self.cfg.dataset_compression)

    def _record(self, hook: str, env_ids: Any = None) -> None:
        for term in self._terms.values():
            key, value = getattr(term, hook)(*(() if env_ids is None else (env_ids,)))
            self.add_to_episodes(key, value, env_ids)

    def _prepared(self, name: str, term: RecorderTermCfg) -> RecorderTerm:
        built: RecorderTerm = term.class_type(term, self._env)
        return built
