"""Replays: episodes of a dataset simulated once more, as rows or as a recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from usdsim.core.errors import InvalidValueError
from usdsim.sim import Recorder

from .datasets.rows import Rows, read_job
from .rollout import RolloutJob

__all__ = ["record_episode", "replay_episode"]


def replay_episode(path: str | Path, episode: int) -> Rows:
    """Simulate an episode of a file once more, from the job that the file carries.

    Returns:
        The same rows as `read_episode` gives, to the bit, with the same model and policy.

    Raises:
        InvalidValueError: the job has no such episode.
        FileError: the file cannot be read, or carries no job.
    """
    job = _job_of(path, episode)
    rows = job.simulate(job.beside(episode))
    return {name: values[rows["episode"] == episode] for name, values in rows.items()}


def record_episode(path: str | Path, episode: int, recording: str | Path) -> Path:
    """Simulate an episode of a file once more, and write its motion as a USD recording.

    Args:
        path: the file of episodes.
        episode: its number.
        recording: the USD file, which viewers and players open.

    Raises:
        InvalidValueError: the job has no such episode.
        FileError: a file cannot be read or written.
    """
    job = _job_of(path, episode)
    recorders: list[Recorder] = []

    def record(recorder: Callable[[str | Path, int], Recorder]) -> None:
        if not recorders:
            recorders.append(recorder(recording, episode))
        recorders[0].record()

    job.simulate(job.beside(episode), record)
    recorders[0].save()
    return Path(recording)


def _job_of(path: str | Path, episode: int) -> RolloutJob:
    document = read_job(path)
    for key in ("usdsim", "sizes", "kind"):
        document.pop(key, None)
    job = RolloutJob(**document)
    if not 0 <= episode < job.episodes:
        raise InvalidValueError("episode", episode, f"0 to {job.episodes - 1}")
    return job
