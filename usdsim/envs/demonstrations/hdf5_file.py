"""HDF5 files of demonstrations, in the layout that Isaac Lab and robomimic read.

Episodes are groups ``data/demo_<n>`` with an array for each key, whose first axis is that of the
records. Attributes tell their number (``num_samples``), the seed and whether the episode succeeded;
those of ``data`` the number of all records (``total``) and the environment (``env_args``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from usdsim.core.arguments import on_host
from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError, InvalidValueError
from usdsim.core.extras import library
from usdsim.math.rotations import quat_from_wxyz

from .episode_data import EpisodeData
from .file_handler import (
    GYM_ENVIRONMENT,
    ClosedFileError,
    DatasetFileHandlerBase,
    with_suffix,
)

__all__ = ["HDF5DatasetFileHandler"]

_FORMAT = 1
"""Version of the layout: from 1 on, quaternions of ``root_pose`` are xyzw, wxyz before."""
_POSE = "root_pose"


class HDF5DatasetFileHandler(DatasetFileHandlerBase):
    """A file of demonstrations in HDF5; h5py comes with ``pip install 'usdsim[datasets]'``."""

    def __init__(self) -> None:
        self._hdf5_file_stream: Any = None
        self._hdf5_data_group: Any = None
        self._demo_count = 0
        self._env_args: dict[str, Any] = {}

    def __del__(self) -> None:
        self.close()

    def open(self, file_path: str, mode: str = "r") -> None:
        """Open a file that is there.

        Args:
            file_path: the file.
            mode: ``r`` to read it, ``r+`` or ``a`` to add episodes.

        Raises:
            ClosedFileError: a file is open already.
            FileError: it cannot be read, or is no file of demonstrations.
        """
        self._start(Path(file_path), mode)
        if "data" not in self._hdf5_file_stream:
            self.close()
            raise FileError(f"{str(file_path)!r} has no group 'data'; it holds no demonstrations.")
        self._hdf5_data_group = self._hdf5_file_stream["data"]
        self._demo_count = len(self._hdf5_data_group)
        self._env_args = json.loads(self._hdf5_data_group.attrs.get("env_args", "{}"))

    def create(self, file_path: str, env_name: str | None = None) -> None:
        """Begin a file; see `DatasetFileHandlerBase.create`.

        Raises:
            ClosedFileError: a file is open already.
            FileError: it cannot be written.
        """
        path = with_suffix(file_path, ".hdf5")
        with boundary(f"Cannot write {str(path)!r}"):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._start(path, "w")
        self._hdf5_file_stream.attrs["format_version"] = _FORMAT
        self._hdf5_data_group = self._hdf5_file_stream.create_group("data")
        self._hdf5_data_group.attrs["total"] = 0
        self._demo_count = 0
        self._env_args = {}
        self.add_env_args({"env_name": env_name or "", "type": GYM_ENVIRONMENT})

    @property
    def group(self) -> Any:
        """The group ``data``, of h5py.

        Raises:
            ClosedFileError: no file is open.
        """
        if self._hdf5_file_stream is None:
            raise ClosedFileError("No file of demonstrations is open. Call open or create first.")
        return self._hdf5_data_group

    @property
    def demo_count(self) -> int:
        """Number of episodes that were numbered one after the other."""
        return self._demo_count

    def add_env_args(self, env_args: Mapping[str, Any]) -> None:
        """Add metadata of the environment, by name; later values replace earlier ones."""
        self._env_args.update(env_args)
        self.group.attrs["env_args"] = json.dumps(self._env_args)

    def set_env_name(self, env_name: str) -> None:
        """Set the name of the task."""
        self.add_env_args({"env_name": env_name})

    def get_env_name(self) -> str | None:
        """Name of the task; None if it is not told."""
        name: str | None = json.loads(self.group.attrs.get("env_args", "{}")).get("env_name")
        return name

    def get_episode_names(self) -> Iterable[str]:
        """Names of the episodes, in the order of the alphabet."""
        names: Iterable[str] = self.group.keys()
        return names

    def get_num_episodes(self) -> int:
        """Number of episodes."""
        return self._demo_count

    def get_format_version(self) -> int:
        """Version of the layout; 0 where none is told, and quaternions are wxyz."""
        self.group  # noqa: B018  Asked of a file that is open.
        return int(self._hdf5_file_stream.attrs.get("format_version", 0))

    def is_legacy_quaternion_format(self) -> bool:
        """Whether quaternions are wxyz."""
        return self.get_format_version() < _FORMAT

    def load_episode(
        self, episode_name: str, device: str = "cpu", convert_legacy_quat: bool | None = None
    ) -> EpisodeData | None:
        """An episode by name; None if there is none of that name.

        Args:
            episode_name: the name.
            device: where its tensors are.
            convert_legacy_quat: whether quaternions of poses are wxyz in the file and become xyzw;
                None: as the file's version says.
        """
        torch = library("torch")
        if episode_name not in self.group:
            return None
        legacy = self.is_legacy_quaternion_format()
        turned = legacy if convert_legacy_quat is None else convert_legacy_quat

        def loaded(part: Any, name: str) -> Any:
            if hasattr(part, "keys"):
                return {key: loaded(part[key], key) for key in part}
            values = np.asarray(part)
            return torch.tensor(_xyzw(name, values) if turned else values, device=device)

        group = self.group[episode_name]
        episode = EpisodeData()
        episode.data = loaded(group, "")
        episode.seed = group.attrs.get("seed")
        episode.success = group.attrs.get("success")
        episode.env_id = self.get_env_name()
        return episode

    def write_episode(
        self, episode: EpisodeData, demo_id: int | None = None, dataset_compression: bool = True
    ) -> None:
        """Write an episode; see `DatasetFileHandlerBase.write_episode`.

        Raises:
            ClosedFileError: no file is open.
            InvalidValueError: there is an episode of that number.
        """
        data = self.group
        if episode.is_empty():
            return
        name = f"demo_{self._demo_count if demo_id is None else demo_id}"
        if name in data:
            raise InvalidValueError("demo_id", f"{name!r} is there already", "a number of its own")
        group = data.create_group(name)
        packing = {"compression": "gzip", "compression_opts": 2} if dataset_compression else {}

        def write(place: Any, part: Mapping[str, Any]) -> None:
            for key, value in part.items():
                if isinstance(value, Mapping):
                    write(place.create_group(key), value)
                else:
                    place.create_dataset(key, data=on_host(value), **packing)

        write(group, episode.data)
        group.attrs["num_samples"] = len(episode.data.get("actions", ()))
        for told in ("seed", "success"):
            if getattr(episode, told) is not None:
                group.attrs[told] = getattr(episode, told)
        data.attrs["total"] += group.attrs["num_samples"]
        self._demo_count += demo_id is None

    def flush(self) -> None:
        """Bring what was written to the disk."""
        self.group.file.flush()

    def close(self) -> None:
        """Finish the file; once more does nothing."""
        if getattr(self, "_hdf5_file_stream", None) is not None:
            self._hdf5_file_stream.close()
            self._hdf5_file_stream = None

    @staticmethod
    def convert_dataset_to_xyzw(input_path: str, output_path: str | None = None) -> str:
        """Write a file whose quaternions are wxyz once more, with xyzw.

        Args:
            input_path: the file.
            output_path: the new one; None: beside it, with ``_xyzw`` at the end of its name.

        Returns:
            Path of the new file.

        Raises:
            FileError: the file cannot be read, or the new one not be written.
            InvalidValueError: its quaternions are xyzw already.
        """
        h5py = library("h5py")
        source = Path(input_path)
        made = Path(output_path or source.with_name(f"{source.stem}_xyzw{source.suffix}"))

        def turn(_: str, part: Any) -> None:
            if hasattr(part, "shape"):
                part[...] = _xyzw(part.name.rpartition("/")[2], part[...])

        with boundary(f"Cannot convert {input_path!r}"), h5py.File(source, "r") as old:
            version = old.attrs.get("format_version", 0)
            if version >= _FORMAT:
                raise InvalidValueError(f"version of {input_path!r}", version, f"below {_FORMAT}")
            with h5py.File(made, "w") as new:
                for name in old:
                    old.copy(name, new)
                new.visititems(turn)
                new.attrs["format_version"] = _FORMAT
        return str(made)

    def _start(self, path: Path, mode: str) -> None:
        if self._hdf5_file_stream is not None:
            raise ClosedFileError(f"A file is open already, {self._hdf5_file_stream.filename!r}.")
        with boundary(f"Cannot open {str(path)!r}"):
            self._hdf5_file_stream = library("h5py", "HDF5DatasetFileHandler").File(path, mode)


def _xyzw(name: str, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Poses of a key with quaternions turned from wxyz; values of other keys as they are."""
    if name != _POSE or values.shape[-1:] != (7,):
        return values
    turned = values.copy()
    turned[..., 3:] = quat_from_wxyz(values[..., 3:])
    return turned
