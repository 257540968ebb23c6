"""NumPy files of demonstrations: ``demo_<n>/<key>`` is an array with a row for each record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from usdsim.core.arguments import on_host
from usdsim.core.boundary import boundary
from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library
from usdsim.core.transaction import replacing

from .episode_data import EpisodeData
from .file_handler import ClosedFileError, DatasetFileHandlerBase, with_suffix

__all__ = ["NpzDatasetFileHandler"]


class NpzDatasetFileHandler(DatasetFileHandlerBase):
    """A file of demonstrations of NumPy, written as a whole when it is closed.

    ``demo_<n>/success`` tells whether an episode succeeded. A file without episodes is not written.
    """

    def __init__(self) -> None:
        self._path: Path | None = None
        self._writes = False
        self._arrays: dict[str, Any] = {}
        self._compress = False

    def open(self, file_path: str, mode: str = "r") -> None:
        """Read a file; see `DatasetFileHandlerBase.open`.

        Raises:
            ClosedFileError: a file is open already.
            FileError: it cannot be read.
            InvalidValueError: the mode is not ``r``.
        """
        if mode != "r":
            raise InvalidValueError("mode", mode, "'r'")
        self._start(Path(file_path))
        with boundary(f"Cannot read {file_path!r}"), np.load(file_path) as file:
            self._arrays = dict(file)

    def create(self, file_path: str, env_name: str | None = None) -> None:
        """Begin a file; see `DatasetFileHandlerBase.create`.

        Raises:
            ClosedFileError: a file is open already.
        """
        self._start(with_suffix(file_path, ".npz"))
        self._writes = True

    def get_env_name(self) -> str | None:
        """None: such files do not tell."""
        return None

    def get_num_episodes(self) -> int:
        """Number of episodes."""
        return len({key.partition("/")[0] for key in self._arrays})

    def write_episode(
        self, episode: EpisodeData, demo_id: int | None = None, dataset_compression: bool = True
    ) -> None:
        """Write an episode; see `DatasetFileHandlerBase.write_episode`.

        Raises:
            ClosedFileError: no file was begun.
            InvalidValueError: there is an episode of that number.
        """
        if self._path is None:
            raise ClosedFileError("No file of demonstrations is open. Call create first.")
        if episode.is_empty():
            return
        name = f"demo_{self.get_num_episodes() if demo_id is None else demo_id}"
        if any(key.startswith(f"{name}/") for key in self._arrays):
            raise InvalidValueError("demo_id", f"{name!r} is there already", "a number of its own")
        self._compress |= dataset_compression
        self._add(name, episode.data)
        self._arrays[f"{name}/success"] = np.array(bool(episode.success))

    def load_episode(self, episode_name: str, device: str = "cpu") -> EpisodeData | None:
        """An episode by name; see `DatasetFileHandlerBase.load_episode`."""
        torch = library("torch")
        episode = EpisodeData()
        for key, values in self._arrays.items():
            demo, _, path = key.partition("/")
            if demo == episode_name and path == "success":
                episode.success = bool(values)
            elif demo == episode_name:
                *folders, last = path.split("/")
                place = episode.data
                for folder in folders:
                    place = place.setdefault(folder, {})
                place[last] = torch.tensor(values, device=device)
        return None if episode.is_empty() else episode

    def flush(self) -> None:
        """Nothing: the file is written when it is closed."""

    def close(self) -> None:
        """Write the file, if it was begun and has episodes; once more does nothing."""
        if self._writes and self._path is not None and self._arrays:
            save = np.savez_compressed if self._compress else np.savez
            with replacing(self._path) as staged:
                save(staged, **self._arrays)
        self._path, self._writes, self._arrays = None, False, {}

    def _start(self, path: Path) -> None:
        if self._path is not None:
            raise ClosedFileError(f"A file is open already, {str(self._path)!r}.")
        self._path = path

    def _add(self, place: str, part: Any) -> None:
        for key, value in part.items():
            if isinstance(value, dict):
                self._add(f"{place}/{key}", value)
            else:
                self._arrays[f"{place}/{key}"] = on_host(value)
