"""Dataset exports: the episodes of a rollout job as HDF5, in LeRobot's format, or as Zarr."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from usdsim.core.errors import FileError, UnknownNameError

from .hdf5 import write_hdf5
from .lerobot import write_lerobot
from .rows import Rows, episode_files, read_episodes, read_job
from .zarr import write_zarr

__all__ = ["FORMATS", "export_dataset"]

FORMATS = ("hdf5", "zarr", "lerobot")
"""Formats by suffix; LeRobot's is a folder without one."""


def export_dataset(
    folder: str | Path, destination: str | Path, format: str = "", task: str = ""
) -> Path:
    """Write the episodes of a job in another format, an episode in memory at a time.

    Args:
        folder: of the job.
        destination: the file, or the new folder.
        format: one of `FORMATS`; empty: by the suffix of the destination.
        task: what the robot does, in words; of LeRobot's format.

    Returns:
        The destination.

    Raises:
        UnknownNameError: there is no such format.
        FileError: blocks of the job are missing, files cannot be read, or the destination cannot
            be written.
        UnsupportedError: the format needs a library that is not installed.
    """
    path = Path(destination)
    chosen = format or (path.suffix.removeprefix(".") if path.suffix else "lerobot")
    files = episode_files(folder)
    job = read_job(files[0])
    if len(files) < -(-job["episodes"] // job["episodes_per_block"]):
        raise FileError(f"{str(folder)!r} lacks blocks of its job; resume it.")
    episodes = _episodes(files, json.dumps(job))
    if chosen == "hdf5":
        write_hdf5(path, episodes, job)
    elif chosen == "zarr":
        write_zarr(path, episodes, job)
    elif chosen == "lerobot":
        write_lerobot(path, episodes, job, task)
    else:
        raise UnknownNameError("format of a dataset", chosen, FORMATS)
    return path


def _episodes(files: list[Path], job: str) -> Iterator[Rows]:
    for file in files:
        if json.dumps(read_job(file)) != job:
            raise FileError(f"{str(file)!r} is of another job than the files beside it.")
        yield from read_episodes(file)
