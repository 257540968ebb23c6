"""LeRobot datasets, version 3.0: rows, episodes, tasks and statistics in Parquet and JSON."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.core.extras import library
from usdsim.core.transaction import new_folder

from .rows import Rows, arrow_column, subject
from .statistics import joined_statistics, statistics

__all__ = ["write_lerobot"]

_VERSION = "v3.0"
_PART = "chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_FILE_ROWS = 200_000
"""Rows of a file, at most, unless an episode has more."""
_FILES = 1000
"""Files of a chunk."""
_COLUMNS = {
    "observation": ("observation.state", np.float32),
    "action": ("action", np.float32),
    "reward": ("next.reward", np.float32),
    "success": ("next.success", np.bool_),
}
"""Our columns by theirs."""


def write_lerobot(
    path: Path, episodes: Iterable[Rows], job: Mapping[str, Any], task: str = ""
) -> None:
    """Write episodes into a new folder.

    Args:
        path: the folder.
        episodes: their rows.
        job: the rollout job they are of.
        task: what the robot does, in words; empty: the name of the model.

    Raises:
        InvalidValueError: decisions do not follow each other at a whole number of hertz.
        FileError: the folder cannot be written, or is there already.
    """
    with new_folder(path) as staged:
        _EpisodeWriter(staged, task or subject(job)).write(episodes, job)


class _EpisodeWriter:
    def __init__(self, root: Path, task: str):
        self._root, self._task = root, task
        self._arrow, self._parquet = library("pyarrow"), library("pyarrow.parquet")
        self._features: dict[str, dict[str, Any]] = {}
        self._stats: list[dict[str, dict[str, Any]]] = []
        self._rows: list[dict[str, Any]] = []
        self._frames = self._pending = self._file = 0
        self._tables: list[Any] = []

    def write(self, episodes: Iterable[Rows], job: Mapping[str, Any]) -> None:
        rate = 0
        for number, rows in enumerate(episodes):
            rate = rate or _rate(rows["time"])
            self._add(number, rows)
        self._flush()
        self._write_meta(rate, job)

    def _add(self, number: int, rows: Rows) -> None:
        count = len(rows["step"])
        if self._pending and self._pending + count > _FILE_ROWS:
            self._flush()
        columns = _renamed(rows)
        columns |= {
            "timestamp": rows["time"].astype(np.float32),
            "frame_index": rows["step"].astype(np.int64),
            "episode_index": np.full(count, number),
            "index": np.arange(self._frames, self._frames + count),
            "task_index": np.zeros(count, np.int64),
        }
        self._features = self._features or {k: _feature(v) for k, v in columns.items()}
        stats = {name: statistics(values) for name, values in columns.items()}
        self._stats.append(stats)
        self._tables.append(self._arrow.table({n: _array(v) for n, v in columns.items()}))
        chunk, file = divmod(self._file, _FILES)
        self._rows.append({
            "episode_index": number, "tasks": [self._task], "length": count,
            "data/chunk_index": chunk, "data/file_index": file,
            "dataset_from_index": self._frames, "dataset_to_index": self._frames + count,
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0,
            **{f"stats/{name}/{key}": value for name, found in stats.items()
               for key, value in found.items()},
        })  # fmt: skip
        self._frames += count
        self._pending += count

    def _flush(self) -> None:
        if self._tables:
            chunk, file = divmod(self._file, _FILES)
            self._save(
                self._arrow.concat_tables(self._tables),
                "data/" + _PART.format(chunk_index=chunk, file_index=file),
            )
            self._tables, self._pending, self._file = [], 0, self._file + 1

    def _write_meta(self, rate: int, job: Mapping[str, Any]) -> None:
        episodes = "meta/episodes/" + _PART.format(chunk_index=0, file_index=0)
        self._save(self._arrow.Table.from_pylist(self._rows), episodes)
        tasks = self._arrow.table({"task_index": [0], "__index_level_0__": [self._task]})
        self._save(tasks.replace_schema_metadata({b"pandas": _PANDAS}), "meta/tasks.parquet")
        info = {
            "codebase_version": _VERSION,
            "robot_type": subject(job),
            "total_episodes": len(self._rows),
            "total_frames": self._frames,
            "total_tasks": 1,
            "chunks_size": _FILES,
            "data_files_size_in_mb": 100,
            "video_files_size_in_mb": 200,
            "fps": rate,
            "splits": {"train": f"0:{len(self._rows)}"},
            "data_path": f"data/{_PART}",
            "video_path": None,
            "features": self._features,
        }
        documents = {"info": info, "stats": joined_statistics(self._stats), "usdsim": dict(job)}
        for name, document in documents.items():
            path = self._root / "meta" / f"{name}.json"
            path.write_text(json.dumps(document, indent=4), encoding="utf-8")

    def _save(self, table: Any, name: str) -> None:
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._parquet.write_table(table, path, compression="snappy")


_PANDAS = json.dumps(
    {
        "index_columns": ["__index_level_0__"],
        "column_indexes": [],
        "columns": [
            {"name": "task_index", "field_name": "task_index", "pandas_type": "int64",
             "numpy_type": "int64", "metadata": None},
            {"name": None, "field_name": "__index_level_0__", "pandas_type": "unicode",
             "numpy_type": "object", "metadata": None},
        ],
    }
).encode()  # fmt: skip
"""Says that the tasks are the index of the table."""


def _rate(times: NDArray[np.float64]) -> int:
    """Decisions per second; 1 for an episode of one."""
    if len(times) < 2:
        return 1
    rate = (len(times) - 1) / float(times[-1] - times[0])
    if abs(rate - round(rate)) > 1e-3 * rate or round(rate) < 1:
        raise InvalidValueError(
            "decisions per second", rate, "a whole number: choose substeps of the job accordingly"
        )
    return round(rate)


def _renamed(rows: Rows) -> Rows:
    columns: Rows = {
        theirs: rows[ours].astype(kind) for ours, (theirs, kind) in _COLUMNS.items() if ours in rows
    }
    done = np.zeros(len(rows["step"]), np.bool_)
    done[-1] = True
    images = {
        f"observation.images.{name.removeprefix('image.')}": values
        for name, values in rows.items()
        if name.startswith("image.")
    }
    return columns | images | {"next.done": done}


def _feature(values: NDArray[Any]) -> dict[str, Any]:
    if values.dtype == object:
        # The header of a PNG file says its size.
        width, height = struct.unpack(">2I", values[0][16:24])
        return {
            "dtype": "image",
            "shape": [height, width, 3],
            "names": ["height", "width", "channels"],
        }
    shape = list(values.shape[1:]) or [1]
    return {"dtype": str(values.dtype), "shape": shape, "names": None}


def _array(values: NDArray[Any]) -> Any:
    """A column; readers expect what has one component as numbers, not as lists of one."""
    if values.dtype == object:
        images = [{"bytes": image, "path": None} for image in values]
        return library("pyarrow").array(images)
    return arrow_column(values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values)
