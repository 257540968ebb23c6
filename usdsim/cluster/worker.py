"""Block runner: does one block of a job, and commits its record after its results."""

from __future__ import annotations

import json
import logging
import os
import platform
import time
from pathlib import Path
from typing import Any

from usdsim.core import __version__
from usdsim.core.boundary import origin
from usdsim.core.errors import UsdsimError
from usdsim.core.processors import set_default_threads
from usdsim.core.transaction import replace_file
from usdsim.core.workers import serve

from . import convert, rollout, sweep  # noqa: F401  (their import makes the kinds known)
from .job import Job, job_from_document

__all__ = [
    "RECORDS",
    "Starts",
    "announce_and_run",
    "known_job",
    "objection",
    "record_path",
    "run_block",
]

RECORDS = "_records"
"""Folder, inside the job's, with a record per block that is done."""

_jobs: dict[str, Job] = {}


def record_path(job: Job, block: int) -> Path:
    """File that says that a block is done, and what it gave."""
    return Path(job.out) / RECORDS / f"{job.block_name(block)}.json"


def run_block(document: dict[str, Any], block: int, threads: int = 0) -> dict[str, Any]:
    """Run a block and write its record after its results: a block with a record is complete.

    Args:
        document: the job, see `Job.document`.
        block: number of the block.
        threads: its share of this machine's processors; 0: leave the process as it is.

    Returns:
        ``status`` "done" or "failed", with ``message``; of blocks that are done ``seconds``, the
        ``worker``, machine and process, and what the block gave.
    """
    started = time.perf_counter()
    try:
        job = known_job(document, threads)
        outcome = {**job.run_block(block), "status": "done", "message": "", "worker": _worker()}
        outcome["seconds"] = time.perf_counter() - started
        record = record_path(job, block)
        replace_file(record, json.dumps(outcome, indent=1))
    except UsdsimError as error:
        return {"status": "failed", "message": str(error), "error": type(error).__name__}
    except Exception as error:  # Whatever a block provokes is this block's result.
        return {"status": "failed", "message": f"{type(error).__name__}: {error}{origin(error)}"}
    return outcome


def known_job(document: dict[str, Any], threads: int = 0) -> Job:
    """The job of a document, the same object from call to call, so that its model is loaded once.

    Args:
        document: the job, see `Job.document`.
        threads: share of this machine's processors; 0: leave the process as it is.
    """
    if threads:
        set_default_threads(threads)
    key = json.dumps(document, sort_keys=True)
    if key not in _jobs:
        _jobs.clear()
        _jobs[key] = job_from_document(document)
    return _jobs[key]


class Starts:
    """Actor state on Ray: blocks that have begun, so that those that wait are not late."""

    def __init__(self) -> None:
        self._blocks: list[int] = []

    def add(self, block: int) -> None:
        """A block has begun."""
        self._blocks.append(block)

    def drain(self) -> list[int]:
        """Blocks that have begun since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks


def announce_and_run(starts: Any, document: dict[str, Any], block: int) -> dict[str, Any]:
    """Run a block as a task of Ray on one processor; see `run_block`.

    Args:
        starts: handle of the actor with `Starts`.
        document: the job, see `Job.document`.
        block: number of the block.
    """
    starts.add.remote(block)
    return run_block(document, block, threads=1)


def objection(document: dict[str, Any]) -> tuple[str, str]:
    """Version of usdsim on this machine, and why it cannot do a job, if it cannot.

    Args:
        document: the job, see `Job.document`.
    """
    try:
        job_from_document(document).check_machine()
    except UsdsimError as error:
        return __version__, str(error)
    return __version__, ""


def _worker() -> str:
    return f"{platform.node()}:{os.getpid()}"


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    serve(lambda request: run_block(**request))
