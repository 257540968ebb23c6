"""File handlers of demonstrations: what a recorder asks of the kind of file it writes."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from usdsim.core.errors import UsdsimError

from .episode_data import EpisodeData

__all__ = ["GYM_ENVIRONMENT", "ClosedFileError", "DatasetFileHandlerBase", "with_suffix"]

GYM_ENVIRONMENT = 2
"""The kind of environment that readers of demonstrations expect."""


class ClosedFileError(UsdsimError, RuntimeError):
    """A file of demonstrations is asked for something before it is open, or opened twice."""


class DatasetFileHandlerBase(ABC):
    """Base of kinds of files of demonstrations; a recorder makes one for each of its files."""

    @abstractmethod
    def open(self, file_path: str, mode: str = "r") -> None:
        """Open a file that is there.

        Args:
            file_path: the file.
            mode: ``r`` to read it.
        """

    @abstractmethod
    def create(self, file_path: str, env_name: str | None = None) -> None:
        """Begin a file; one that is there is replaced.

        Args:
            file_path: the file; its suffix may be left out.
            env_name: name of the task.
        """

    @abstractmethod
    def get_env_name(self) -> str | None:
        """Name of the task."""

    @abstractmethod
    def write_episode(
        self, episode: EpisodeData, demo_id: int | None = None, dataset_compression: bool = True
    ) -> None:
        """Write an episode; one without data is left out.

        Args:
            episode: the episode, after `EpisodeData.pre_export`.
            demo_id: its number in the file; None: the next.
            dataset_compression: whether its values are compressed.
        """

    @abstractmethod
    def flush(self) -> None:
        """Bring what was written to the disk."""

    @abstractmethod
    def close(self) -> None:
        """Finish the file; once more does nothing."""

    @abstractmethod
    def load_episode(self, episode_name: str, device: str = "cpu") -> EpisodeData | None:
        """An episode by name, with tensors on a device; None if there is none of that name."""

    @abstractmethod
    def get_num_episodes(self) -> int:
        """Number of episodes."""

    def get_episode_names(self) -> Iterable[str]:
        """Names of the episodes."""
        return [f"demo_{number}" for number in range(self.get_num_episodes())]

    def add_env_args(self, env_args: Mapping[str, Any]) -> None:
        """Add metadata of the environment; kinds of files without a place for it leave it out."""
        return


def with_suffix(file_path: str | os.PathLike[str], suffix: str) -> Path:
    """A path that ends with a suffix, which is added where it is not there."""
    text = os.fspath(file_path)
    return Path(text if text.endswith(suffix) else text + suffix)
