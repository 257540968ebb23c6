"""Rows of episodes in Parquet files: one per decision, with the job that made them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.boundary import boundary
from usdsim.core.errors import FileError, InvalidValueError
from usdsim.core.extras import library
from usdsim.core.transaction import replacing
from usdsim.render.png import png_bytes

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "Rows",
    "arrow_column",
    "arrow_table",
    "block_file",
    "episode_files",
    "file_of_episode",
    "png_column",
    "read_episode",
    "read_episodes",
    "read_job",
    "subject",
    "write_rows",
]

Rows = dict[str, NDArray[Any]]
"""Columns by name, an entry per decision; images are bytes of PNG files."""

_JOB = b"usdsim.job"
_FILES = "episodes-*.parquet"


def block_file(block: int) -> str:
    """Name of the file of a block of episodes."""
    return _FILES.replace("*", f"{block:06}")


def write_rows(path: Path, rows: Rows, document: Mapping[str, Any]) -> None:
    """Write columns and the job they are of, completely or not at all."""
    parquet = library("pyarrow.parquet")
    table = arrow_table(rows)
    table = table.replace_schema_metadata({_JOB: json.dumps(dict(document)).encode()})
    with replacing(path) as staged:
        parquet.write_table(table, staged, compression="zstd")


def read_job(path: str | Path) -> dict[str, Any]:
    """The document of the job that a file carries; see `Job.document`.

    Raises:
        FileError: it cannot be read, or carries no job.
    """
    parquet = library("pyarrow.parquet")
    with boundary(f"Cannot read {str(path)!r}"):
        metadata = parquet.read_schema(path).metadata or {}
    if _JOB not in metadata:
        raise FileError(f"{str(path)!r} is no file of episodes: it carries no job.")
    document: dict[str, Any] = json.loads(metadata[_JOB])
    return document


def subject(job: Mapping[str, Any]) -> str:
    """Name of the model or task that a job is about."""
    return job["task"] or Path(job["model"]).stem


def episode_files(folder: str | Path) -> list[Path]:
    """Files of episodes in the folder of a job, in the order of episodes.

    Raises:
        FileError: there are none.
    """
    found = sorted(Path(folder).glob(_FILES))
    if not found:
        raise FileError(f"{str(folder)!r} holds no {_FILES}: name the folder of a rollout job.")
    return found


def file_of_episode(folder: str | Path, episode: int) -> Path:
    """The file in the folder of a job that holds an episode.

    Raises:
        FileError: its block is missing, or there are no files.
    """
    job = read_job(episode_files(folder)[0])
    path = Path(folder) / block_file(episode // job["episodes_per_block"])
    if not path.is_file():
        raise FileError(f"{str(folder)!r} holds no episode {episode}.")
    return path


def read_episode(path: str | Path, episode: int) -> Rows:
    """Rows of one episode of a file.

    Raises:
        FileError: the file cannot be read.
        InvalidValueError: it does not hold the episode.
    """
    parquet = library("pyarrow.parquet")
    with boundary(f"Cannot read {str(path)!r}"):
        table = parquet.read_table(path, filters=[("episode", "==", episode)])
    if not table.num_rows:
        raise InvalidValueError(f"episode of {str(path)!r}", episode, "one that the file holds")
    return _rows(table)


def read_episodes(path: str | Path) -> Iterator[Rows]:
    """Rows of every episode of a file, one after the other.

    Raises:
        FileError: the file cannot be read.
    """
    parquet = library("pyarrow.parquet")
    with boundary(f"Cannot read {str(path)!r}"):
        table = parquet.read_table(path)
    numbers = table["episode"].to_numpy()
    starts = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 1))
    for start, stop in zip(starts, [*starts[1:], len(numbers)], strict=True):
        yield _rows(table.slice(start, stop - start))


def _rows(table: pyarrow.Table) -> Rows:
    return {
        name: np.stack(column) if len(column) and isinstance(column[0], np.ndarray) else column
        for name in table.column_names
        for column in [table[name].to_numpy()]
    }


def png_column(images: NDArray[np.uint8]) -> NDArray[Any]:
    """Pictures as bytes of PNG files, shape (rows,), of red, green and blue of each."""
    return np.array([png_bytes(image) for image in images], dtype=object)


def arrow_table(rows: Rows) -> pyarrow.Table:
    """Columns as a table; see `arrow_column`."""
    return library("pyarrow").table({name: arrow_column(values) for name, values in rows.items()})


def arrow_column(values: NDArray[Any]) -> Any:
    """A column of a table, of shape (rows,), or (rows, n) as lists of n."""
    pyarrow = library("pyarrow")
    if values.ndim == 1:
        return pyarrow.array(values)
    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.ravel()), values.shape[1])
